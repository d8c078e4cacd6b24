// SPDX-License-Identifier: Apache-2.0
/*
 * source_follow_scan - what lies in the directories, against what is known.
 *
 *     a path that is new, with a file that is new     a new path, generation 0
 *     a known path, its newest file                   as it was
 *     a known path, another file                      the newest is over; those rotated in between;
 *                                                     a new generation
 *     a file that is known from another path          it was renamed: it stays what it is
 *
 * A directory whose time of change did not change is passed over; each FULL_SCAN all are read.
 */
#include <dirent.h>
#include <errno.h>
#include <glob.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/mem.h"
#include "io/source_follow_priv.h"

#define FULL_SCAN (30000 * FOLLOW_MS)
#define FRESH (3000 * FOLLOW_MS) /* times of change may be this coarse */
enum { MOST_BETWEEN = 64 };

/* ---- directories ------------------------------------------------------------------------------ */

static char *dir_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    if (!slash)
        return mem_strndup(".", 1);
    return mem_strndup(path, slash > path ? (size_t)(slash - path) : 1);
}

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

bool follow_has_ending(const char *path, const char *ending)
{
    size_t n = strlen(path), m = strlen(ending);

    return n >= m && strcmp(path + n - m, ending) == 0 && (n == m || path[n - m - 1] == '/');
}

/* path's directory and a name, as path has them. */
static char *beside(const char *path, const char *name)
{
    struct buf b;

    buf_init(&b);
    buf_add(&b, path, (size_t)(last_part(path) - path));
    buf_adds(&b, name);
    return buf_take(&b);
}

bool follow_dir_bad(const struct source_follow *s, const char *path, struct buf *why)
{
    char *dir = dir_of(path);
    DIR *d = opendir(dir);
    int err = d ? 0 : errno;
    bool bad = err != 0;

    if (d)
        closedir(d);
    if (err == ENOENT || err == ENOTDIR) {
        bad = false;
        for (size_t i = 0; i < s->n_patterns; i++)
            bad |= !s->pattern[i].wild_dir && strcmp(s->pattern[i].dir, dir) == 0;
    }
    if (bad)
        buf_printf(why, "directory %s: %s", dir, strerror(err));
    mem_free(dir);
    return bad;
}

struct follow_file *follow_known(struct source_follow *s, const char *path,
                                 const struct follow_stat *st)
{
    struct follow_file *f = follow_file_of(s, st->id);
    bool same = f && (f->state != FOLLOW_ENDED ||
                      (!f->deleted && (!s->follow || st->size >= f->offset) &&
                       follow_print_matches(path, &f->print)));

    return same ? f : NULL;
}

char *follow_beside(const char *path, uint64_t id, uint64_t not_id,
                    const struct follow_print *print, uint64_t size, struct follow_stat *st_out)
{
    char *dir = dir_of(path), *found = NULL;
    DIR *d = opendir(dir);

    for (struct dirent *e = d ? readdir(d) : NULL; e; e = readdir(d)) {
        struct follow_stat st;
        char *other = beside(path, e->d_name);
        bool fits = follow_stat_path(other, &st) == 0 && st.regular && st.size >= size &&
                    (id ? st.id == id : st.id != not_id && (!found || st.mtime > st_out->mtime)) &&
                    follow_print_matches(other, print);
        if (fits) {
            mem_free(found);
            found = other;
            *st_out = st;
        } else {
            mem_free(other);
        }
    }
    if (d)
        closedir(d);
    mem_free(dir);
    return found;
}

/* ---- rotation --------------------------------------------------------------------------------- */

/* Is `name` what rotation makes of `base`: a.log.1, a.log-2026-11-29T10? *gz_out: and then gzip. */
static bool is_rotated_name(const char *base, const char *name, bool *gz_out)
{
    size_t n = strlen(base), len = strlen(name);

    *gz_out = len > 3 && strcmp(name + len - 3, ".gz") == 0;
    if (*gz_out)
        len -= 3;
    if (len < n + 2 || strncmp(name, base, n) != 0 || !strchr(".-_", name[n]))
        return false;
    for (size_t i = n + 1; i < len; i++)
        if (!strchr("0123456789.-_:T", name[i]))
            return false;
    return true;
}

static int by_mtime(const void *a, const void *b)
{
    int64_t x = ((const struct follow_found *)a)->st.mtime;
    int64_t y = ((const struct follow_found *)b)->st.mtime;

    return (x > y) - (x < y);
}

/* Files beside the path of p that were rotated away after the time `after` and before `found`. */
static void find_between(struct source_follow *s, struct follow_path *p, int64_t after,
                         const struct follow_stat *found, struct follow_founds *out)
{
    char *dir = dir_of(p->path);
    DIR *d = opendir(dir);

    for (struct dirent *e = d ? readdir(d) : NULL; e; e = readdir(d)) {
        struct follow_found item = {0};
        bool gz;

        if (!is_rotated_name(last_part(p->path), e->d_name, &gz))
            continue;
        item.path = beside(p->path, e->d_name);
        if (follow_stat_path(item.path, &item.st) == 0 && item.st.regular && item.st.size > 0 &&
            item.st.id != found->id && item.st.mtime > after && item.st.mtime <= found->mtime &&
            !follow_known(s, item.path, &item.st) && !follow_path_at(s, item.path) && !gz &&
            out->n < MOST_BETWEEN) {
            out->item = vec_reserve(out->item, &out->cap, out->n + 1, sizeof *out->item);
            out->item[out->n++] = item;
            continue;
        }
        if (gz && item.st.regular && item.st.mtime > after)
            follow_log(s, LOG_WARNING,
                       "a file was rotated and compressed before it was seen: it is not read",
                       p->newest, item.path, NULL);
        mem_free(item.path);
    }
    if (d)
        closedir(d);
    mem_free(dir);
}

void follow_add_between(struct source_follow *s, struct follow_path *p, int64_t after,
                        const struct follow_stat *found)
{
    struct follow_founds between = {0};

    find_between(s, p, after, found, &between);
    if (between.n)
        qsort(between.item, between.n, sizeof *between.item, by_mtime);
    for (size_t i = 0; i < between.n; i++) {
        struct follow_file *f = follow_file_add(s, p, p->newest->part->generation + 1,
                                                between.item[i].path, &between.item[i].st);
        f->still = true;
        f->over_since = clock_monotonic();
        follow_log(s, LOG_INFO, "a file was rotated before it was seen: it is read first", f,
                   f->path, NULL);
        mem_free(between.item[i].path);
    }
    mem_free(between.item);
}

void follow_rotated(struct source_follow *s, struct follow_path *p, const struct follow_stat *st,
                    int64_t now)
{
    struct follow_file *old = p->newest, *f;
    int64_t after = old->mtime ? old->mtime : INT64_MAX;
    struct buf why;

    if (old->state != FOLLOW_ENDED) {
        struct follow_stat old_st;
        if (old->fd >= 0 && follow_stat_fd(old->fd, &old_st) == 0)
            after = old_st.mtime;
        if (!old->over_since)
            old->over_since = now;
        if (old->fd < 0 && old->state == FOLLOW_READING && !old->ready)
            follow_moved(s, old, now);
    }
    follow_add_between(s, p, after, st);
    f = follow_file_add(s, p, p->newest->part->generation + 1, p->path, st);
    follow_log(s, LOG_INFO, "a path has another file", f, f->path, NULL);
    buf_init(&why);
    if (s->n_open < s->max_open && old->state != FOLLOW_ENDED)
        follow_open(s, f, &why); /* held, for it may be renamed before its turn */
    buf_fini(&why);
    follow_begin(s, p);
}

/* ---- the patterns ----------------------------------------------------------------------------- */

static bool has_wildcard(const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (strchr("*?[\\", text[i]))
            return true;
    return false;
}

void follow_pattern_add(struct source_follow *s, const char *text)
{
    const char *slash = strrchr(text, '/');
    size_t dir = slash ? (size_t)(slash - text) : 0;

    s->pattern[s->n_patterns++] = (struct follow_pattern){
        .text = mem_strndup(text, strlen(text)),
        .dir = !slash ? mem_strndup(".", 1) : mem_strndup(text, dir ? dir : 1),
        .literal = !has_wildcard(text, strlen(text)),
        .wild_dir = has_wildcard(text, dir),
    };
}

static void add_found(struct source_follow *s, struct follow_founds *found, const char *path)
{
    struct follow_stat st;
    size_t len = strlen(path);
    int err;

    if (s->follow && len > 3 && strcmp(path + len - 3, ".gz") == 0)
        return;
    err = follow_stat_path(path, &st);
    if (err || !st.regular) {
        struct follow_path *p = follow_path_at(s, path);
        if (p && err && err != ENOENT && err != ENOTDIR)
            p->seen = s->scans; /* not known: as it was */
        return;
    }
    found->item = vec_reserve(found->item, &found->cap, found->n + 1, sizeof *found->item);
    found->item[found->n++] =
        (struct follow_found){.path = mem_strndup(path, len), .st = st};
}

static int by_path(const void *a, const void *b)
{
    return strcmp(((const struct follow_found *)a)->path, ((const struct follow_found *)b)->path);
}

/* Sorted, each path once. */
static void sort_found(struct follow_founds *found)
{
    size_t n = 0;

    if (found->n)
        qsort(found->item, found->n, sizeof *found->item, by_path);
    for (size_t i = 0; i < found->n; i++) {
        if (n > 0 && strcmp(found->item[n - 1].path, found->item[i].path) == 0)
            mem_free(found->item[i].path);
        else
            found->item[n++] = found->item[i];
    }
    found->n = n;
}

static void match_pattern(struct source_follow *s, struct follow_pattern *pat,
                          struct follow_founds *found)
{
    struct follow_stat st;
    glob_t g;

    if (pat->literal || follow_stat_path(pat->text, &st) == 0) {
        add_found(s, found, pat->text);
        return;
    }
    if (glob(pat->text, GLOB_NOSORT, NULL, &g) == 0)
        for (size_t i = 0; i < g.gl_pathc; i++)
            add_found(s, found, g.gl_pathv[i]);
    globfree(&g);
}

/* Must the directory be read again? */
static bool dir_changed(struct source_follow *s, struct follow_pattern *pat)
{
    struct follow_stat st = {0};
    bool changed;
    int err;

    if (pat->wild_dir)
        return true;
    if (pat->literal) {
        struct follow_path *p = follow_path_at(s, pat->text);
        if (s->scans == 0 || (p && p->newest->stalled_dir))
            return true;
        if (follow_stat_path(pat->text, &st) != 0)
            return p && p->seen == s->scans;
        return !p || p->newest->id != st.id;
    }
    err = follow_stat_path(pat->dir, &st);
    changed = err || st.mtime != pat->mtime || clock_wall() - st.mtime < FRESH ||
              s->scans == 0;
    pat->mtime = st.mtime;
    return changed;
}

static void check_dirs(struct source_follow *s)
{
    for (size_t i = 0; i < s->n_patterns; i++) {
        struct follow_pattern *pat = &s->pattern[i];
        struct buf why;
        bool bad;

        if (pat->wild_dir)
            continue;
        buf_init(&why);
        bad = follow_dir_bad(s, pat->text, &why);
        if (bad && !pat->bad)
            follow_log(s, LOG_WARNING, "a directory cannot be looked into; it is tried again", NULL,
                       pat->text, why.data);
        if (!bad && pat->bad)
            follow_log(s, LOG_INFO, "a directory can be looked into again", NULL, pat->text, NULL);
        pat->bad = bad;
        buf_fini(&why);
    }
}

/* ---- what is gone ----------------------------------------------------------------------------- */

static void path_missing(struct source_follow *s, struct follow_path *p, int64_t now)
{
    struct follow_file *f = p->newest;
    struct follow_stat st;
    struct buf why;

    if (f->state != FOLLOW_READING || f->ready || f->stalled || f->lost)
        return;
    buf_init(&why);
    if (p->path && strcmp(p->path, f->path) == 0 && follow_dir_bad(s, p->path, &why)) {
        follow_stall(s, f, why.data);
        f->stalled_dir = true;
    } else if (f->fd < 0 && !f->gz &&
               (follow_stat_path(f->path, &st) != 0 || st.id != f->id)) {
        follow_moved(s, f, now);
    }
    buf_fini(&why);
}

static void unlink_file(struct follow_path *p, struct follow_file *f)
{
    struct follow_file **at = &p->oldest;

    while (*at != f)
        at = &(*at)->next;
    *at = f->next;
    if (p->newest == f)
        p->newest = NULL; /* only when it was the last one */
}

static void remove_path(struct source_follow *s, size_t i)
{
    struct follow_path *p = s->path[i];

    follow_path_unindex(s, p);
    mem_free(p->path);
    mem_free(p);
    s->path[i] = s->path[--s->n_paths];
}

static bool may_forget(const struct source_follow *s, struct follow_path *p, struct follow_file *f,
                       int64_t now)
{
    if (f->state != FOLLOW_ENDED || !f->released || f->seen == s->scans)
        return false;
    if (f->gone_since == 0)
        f->gone_since = now;
    return f != p->newest || (p->oldest == f && now - f->gone_since >= s->forget_after);
}

/* After a scan of everything. */
static void forget(struct source_follow *s, int64_t now)
{
    for (size_t i = s->n_paths; i-- > 0;) {
        struct follow_path *p = s->path[i];

        for (struct follow_file *f = p->oldest, *next; f; f = next) {
            next = f->next;
            if (f->seen == s->scans)
                f->gone_since = 0;
            if (!may_forget(s, p, f, now))
                continue;
            unlink_file(p, f);
            f->forgotten = true;
            follow_tell(s, SOURCE_EVENT_FORGET, f, NULL);
        }
        if (!p->oldest)
            remove_path(s, i);
    }
}

static void take_releases(struct source_follow *s)
{
    struct follow_release *release;
    size_t n;

    pthread_mutex_lock(&s->lock);
    release = s->release;
    n = s->n_releases;
    s->release = NULL;
    s->n_releases = s->cap_releases = 0;
    pthread_mutex_unlock(&s->lock);
    for (size_t i = 0; i < n; i++) {
        struct follow_path *p = follow_path_named(s, release[i].partition);

        for (struct follow_file *f = p ? p->oldest : NULL; f; f = f->next)
            f->released |= f->part->generation == release[i].generation;
        mem_free(release[i].partition);
    }
    mem_free(release);
}

/* ---- the scan --------------------------------------------------------------------------------- */

static bool lies_at(const struct follow_file *f, const char *path)
{
    struct follow_stat st;

    return follow_stat_path(path, &st) == 0 && st.id == f->id;
}

static void meet(struct source_follow *s, struct follow_found *item, struct follow_founds *fresh,
                 int64_t now)
{
    struct follow_path *p = follow_path_at(s, item->path);
    struct follow_file *f = follow_known(s, item->path, &item->st);

    if (f) {
        f->seen = s->scans;
        if (strcmp(f->path, item->path) != 0 && p != f->home && !lies_at(f, f->path)) {
            /* it was renamed */
            mem_free(f->path);
            f->path = mem_strndup(item->path, strlen(item->path));
        }
    }
    if (p) {
        p->seen = s->scans;
        if (f && f == p->newest && f->stalled_dir)
            follow_resumed(s, f);
    }
    if (f)
        return;
    if (p && s->follow) {
        if (p->newest->stalled_dir)
            follow_resumed(s, p->newest);
        follow_rotated(s, p, &item->st, now);
    } else if (!p) {
        fresh->item = vec_reserve(fresh->item, &fresh->cap, fresh->n + 1, sizeof *fresh->item);
        fresh->item[fresh->n++] = *item;
        item->path = NULL;
    }
}

static void drop_founds(struct follow_founds *found)
{
    for (size_t i = 0; i < found->n; i++)
        mem_free(found->item[i].path);
    mem_free(found->item);
}

void follow_scan(struct source_follow *s, int64_t now)
{
    struct follow_founds found = {0}, fresh = {0};
    bool all = now >= s->next_full;

    take_releases(s);
    check_dirs(s);
    for (size_t i = 0; i < s->n_patterns && !all; i++)
        all = dir_changed(s, &s->pattern[i]);
    if (!all)
        return;
    for (size_t i = 0; i < s->n_patterns; i++)
        dir_changed(s, &s->pattern[i]); /* its time, from before it is read */
    s->scans++;
    s->next_full = now + FULL_SCAN;
    for (size_t i = 0; i < s->n_patterns; i++)
        match_pattern(s, &s->pattern[i], &found);
    sort_found(&found);
    if (s->saved)
        follow_restore(s, &found, now);
    for (size_t i = 0; i < found.n; i++)
        meet(s, &found.item[i], &fresh, now);
    follow_add_paths(s, &fresh);
    if (!s->follow && s->n_paths == 0)
        follow_log(s, LOG_WARNING, "no file to read", NULL, s->pattern[0].text, NULL);
    for (size_t i = 0; i < s->n_paths; i++)
        if (s->path[i]->seen != s->scans && s->follow)
            path_missing(s, s->path[i], now);
    forget(s, now);
    drop_founds(&found);
    drop_founds(&fresh);
}
