// SPDX-License-Identifier: Apache-2.0
/*
 * source_follow_scan - what lies in the directories, against what is known.
 *
 *     a path that is new, with a file that is new     a new path, generation 0
 *     a known path, its newest file                   as it was
 *     a known path, another file                      the newest is over; those rotated in between;
 *                                                     a new generation
 *     a file that is known from another path          it was renamed: it stays what it is
 *     a known path, what lies there is no file or     its newest file is stalled until that can be
 *     cannot be told, or its directory cannot         told; what it holds is read then
 *
 * A directory whose time of change did not change is passed over; each FULL_SCAN all are read.
 */
#include <errno.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "io/source_follow_priv.h"

#define FULL_SCAN (30000 * FOLLOW_MS)
#define FRESH (3000 * FOLLOW_MS) /* times of change may be this coarse */

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

static void add_item(struct follow_founds *to, const char *path, const struct follow_stat *st)
{
    to->item = vec_reserve(to->item, &to->cap, to->n + 1, sizeof *to->item);
    to->item[to->n++] = (struct follow_found){.path = mem_strndup(path, strlen(path)), .st = *st};
}

static void add_found(struct source_follow *s, struct follow_founds *found,
                      struct follow_founds *bad, const char *path)
{
    struct follow_stat st = {0};
    size_t len = strlen(path);
    int err;

    if (s->follow && len > 3 && strcmp(path + len - 3, ".gz") == 0)
        return;
    err = follow_stat_path(path, &st);
    if (!err && st.regular)
        add_item(found, path, &st);
    else if (!follow_is_absent(err))
        add_item(bad, path, &st);
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
                          struct follow_founds *found, struct follow_founds *bad)
{
    struct follow_stat st;
    glob_t g;

    if (pat->literal || follow_stat_path(pat->text, &st) == 0) {
        add_found(s, found, bad, pat->text);
        return;
    }
    if (glob(pat->text, GLOB_NOSORT, NULL, &g) == 0)
        for (size_t i = 0; i < g.gl_pathc; i++)
            add_found(s, found, bad, g.gl_pathv[i]);
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
        if (s->scans == 0)
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

/* Is a file of it read, and so told as stalled if it cannot be? */
static bool is_read(const struct follow_path *p)
{
    return p && p->newest->state != FOLLOW_ENDED;
}

static void check_patterns(struct source_follow *s)
{
    for (size_t i = 0; i < s->n_patterns; i++) {
        struct follow_pattern *pat = &s->pattern[i];
        struct buf why;
        bool bad;

        if (pat->wild_dir)
            continue;
        buf_init(&why);
        bad = pat->literal && !is_read(follow_path_at(s, pat->text))
                  ? follow_path_bad(s, pat->text, &why)
                  : follow_dir_bad(s, pat->text, &why);
        if (bad && !pat->bad)
            follow_log(s, LOG_WARNING, "files cannot be looked for; it is tried again", NULL,
                       pat->text, why.data);
        if (!bad && pat->bad)
            follow_log(s, LOG_INFO, "files can be looked for again", NULL, pat->text, NULL);
        pat->bad = bad;
        buf_fini(&why);
    }
}

/* ---- what cannot be read, and what is gone ---------------------------------------------------- */

/* Its newest file is stalled, though it may be open: who writes goes by the path. One that still has
 * lines gives them first. */
static void stall_path(struct source_follow *s, struct follow_path *p, const char *why)
{
    struct follow_file *f = p->newest;

    p->seen = f->seen = s->scans; /* not to be forgotten: it may be there */
    if (f->state == FOLLOW_ENDED)
        return;
    s->next_full = 0; /* times of change do not tell when it can be read */
    if (f->state != FOLLOW_READING || f->ready || f->stalled || f->lost)
        return;
    follow_stall(s, f, why);
    f->stalled_path = true;
}

static void meet_bad(struct source_follow *s, const char *path)
{
    struct follow_path *p = follow_path_at(s, path);
    struct buf why;

    if (!p)
        return;
    buf_init(&why);
    if (follow_path_bad(s, path, &why))
        stall_path(s, p, why.data);
    else /* by now it can be read, or is gone */
        s->next_full = 0;
    buf_fini(&why);
}

static void path_missing(struct source_follow *s, struct follow_path *p, int64_t now)
{
    struct follow_file *f = p->newest;
    struct follow_stat st;
    struct buf why;

    if (f->state != FOLLOW_READING || f->lost)
        return;
    buf_init(&why);
    if (p->path && strcmp(p->path, f->path) == 0 && follow_dir_bad(s, p->path, &why))
        stall_path(s, p, why.data);
    else if (f->stalled_path) /* nothing lies there, and that is no error */
        follow_resumed(s, f);
    else if (f->fd < 0 && !f->gz && !f->ready && !f->stalled &&
             (follow_stat_path(f->path, &st) != 0 || st.id != f->id))
        follow_moved(s, f, now);
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
        if (f && f == p->newest && f->stalled_path)
            follow_resumed(s, f);
    }
    if (f)
        return;
    if (p && s->follow) {
        struct follow_file *old = p->newest;
        follow_rotated(s, p, &item->st, now);
        if (old->stalled_path)
            follow_resumed(s, old);
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

/* At the start; a pattern that cannot even be looked for was told. */
static void tell_none(struct source_follow *s)
{
    struct buf b;

    for (size_t i = 0; i < s->n_patterns; i++)
        if (s->pattern[i].bad)
            return;
    buf_init(&b);
    for (size_t i = 0; i < s->n_patterns; i++)
        buf_printf(&b, "%s%s", i ? ", " : "", s->pattern[i].text);
    follow_log(s, LOG_WARNING,
               s->follow ? "no file matches: the source waits for one" : "no file to read", NULL,
               b.data, NULL);
    buf_fini(&b);
}

void follow_scan(struct source_follow *s, int64_t now)
{
    struct follow_founds found = {0}, fresh = {0}, bad = {0};
    bool all = now >= s->next_full;

    take_releases(s);
    for (size_t i = 0; i < s->n_patterns && !all; i++)
        all = dir_changed(s, &s->pattern[i]);
    if (!all) {
        check_patterns(s);
        return;
    }
    for (size_t i = 0; i < s->n_patterns; i++)
        dir_changed(s, &s->pattern[i]); /* its time, from before it is read */
    s->scans++;
    s->next_full = now + FULL_SCAN;
    for (size_t i = 0; i < s->n_patterns; i++)
        match_pattern(s, &s->pattern[i], &found, &bad);
    sort_found(&found);
    if (s->saved)
        follow_restore(s, &found, now);
    for (size_t i = 0; i < found.n; i++)
        meet(s, &found.item[i], &fresh, now);
    follow_add_paths(s, &fresh);
    check_patterns(s);
    if (s->scans == 1 && s->n_paths == 0)
        tell_none(s);
    for (size_t i = 0; i < bad.n && s->follow; i++)
        meet_bad(s, bad.item[i].path);
    for (size_t i = 0; i < s->n_paths; i++)
        if (s->path[i]->seen != s->scans && s->follow)
            path_missing(s, s->path[i], now);
    forget(s, now);
    drop_founds(&found);
    drop_founds(&fresh);
    drop_founds(&bad);
}
