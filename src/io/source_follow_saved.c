// SPDX-License-Identifier: Apache-2.0
/*
 * source_follow_saved - names, and how what was saved is found again.
 *
 * A saved position has a name, not a path. The name's path is that which the saved hash of the path
 * says; else where its newest file lies; else any that ends in the name. Its generations are then
 * found by identity: at the path, among what the patterns match, beside the path; one that was
 * truncated by its copy. The names of new files come after.
 */
#include <fnmatch.h>
#include <glob.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "io/source_follow_priv.h"

/* ---- names of new files ----------------------------------------------------------------------- */

/* The last `parts` parts of a path. */
static char *last_parts(char *path, unsigned parts)
{
    char *at = path + strlen(path);

    while (at > path && (at[-1] != '/' || --parts > 0))
        at--;
    return at;
}

static int by_name(const void *a, const void *b)
{
    return strcmp((*(struct follow_found *const *)a)->name,
                  (*(struct follow_found *const *)b)->name);
}

/* One more part for each that shares its name, with one told or another new one. */
static bool lengthen(struct source_follow *s, struct follow_found **item, size_t n, unsigned parts)
{
    bool moved = false;

    qsort(item, n, sizeof(struct follow_found *), by_name);
    for (size_t i = 0, end; i < n; i = end) {
        bool taken = follow_path_named(s, item[i]->name) != NULL;

        for (end = i + 1; end < n && strcmp(item[end]->name, item[i]->name) == 0; end++)
            continue;
        for (size_t j = i; j < end && (taken || end - i > 1); j++)
            if (item[j]->name != item[j]->path)
                item[j]->st.deleted = true; /* to be lengthened: names are compared meanwhile */
    }
    for (size_t i = 0; i < n; i++)
        if (item[i]->st.deleted) {
            item[i]->st.deleted = false;
            item[i]->name = last_parts(item[i]->path, parts);
            moved = true;
        }
    return moved;
}

void follow_add_paths(struct source_follow *s, struct follow_founds *found)
{
    struct follow_found **item = mem_calloc(found->n + 1, sizeof(struct follow_found *));

    for (size_t i = 0; i < found->n; i++) {
        item[i] = &found->item[i];
        item[i]->name = last_parts(item[i]->path, 1);
    }
    for (unsigned parts = 2; found->n && lengthen(s, item, found->n, parts); parts++)
        continue;
    for (size_t i = 0; i < found->n; i++) {
        struct follow_found *f = &found->item[i];
        struct follow_path *p;

        if (follow_file_of(s, f->st.id) && follow_file_of(s, f->st.id)->seen == s->scans &&
            follow_file_of(s, f->st.id)->state != FOLLOW_ENDED)
            continue; /* another name of a file: the first one is read */
        p = follow_path_named(s, f->name);
        if (p) /* the whole path is the name of another: cannot be told apart */
            continue;
        p = follow_path_add(s, f->path, f->name);
        p->seen = s->scans;
        follow_file_add(s, p, 0, f->path, &f->st);
        follow_begin(s, p);
    }
    mem_free(item);
}

/* ---- what was saved --------------------------------------------------------------------------- */

static int by_partition(const void *a, const void *b)
{
    const struct source_position *x = a, *y = b;
    int order = strcmp(x->partition, y->partition);

    return order ? order : (x->generation > y->generation) - (x->generation < y->generation);
}

void follow_saved_free(struct source_follow *s)
{
    for (size_t i = 0; s->saved && i < s->n_saved; i++)
        mem_free((char *)(uintptr_t)s->saved[i].partition);
    mem_free(s->saved);
    s->saved = NULL;
    s->n_saved = 0;
}

static const struct follow_found *found_by_id(const struct follow_founds *found, uint64_t id)
{
    for (size_t i = 0; i < found->n; i++)
        if (found->item[i].st.id == id)
            return &found->item[i];
    return NULL;
}

static const struct follow_found *found_at(const struct follow_founds *found, const char *path)
{
    for (size_t i = 0; path && i < found->n; i++)
        if (strcmp(found->item[i].path, path) == 0)
            return &found->item[i];
    return NULL;
}

/* The path of a name in dir, if the pattern and the saved hash fit it. Owned. */
static char *absent_in(const struct follow_pattern *pat, const char *dir, const char *base,
                       const struct source_position *pos)
{
    struct buf b;
    char *path;

    buf_init(&b);
    if (pat->literal)
        buf_adds(&b, pat->text);
    else if (strchr(pat->text, '/'))
        buf_printf(&b, "%s%s%s", dir, strcmp(dir, "/") == 0 ? "" : "/", base);
    else
        buf_adds(&b, base);
    path = buf_take(&b);
    if (follow_has_ending(path, pos->partition) &&
        (pat->literal || fnmatch(pat->text, path, FNM_PATHNAME) == 0) &&
        follow_path_hash(path) == follow_path_hash_saved(pos->identity[1]))
        return path;
    mem_free(path);
    return NULL;
}

/* A path that is not there now, but that a pattern means and the saved hash fits. Owned. */
static char *absent_path(const struct source_follow *s, const struct source_position *pos)
{
    const char *slash = strrchr(pos->partition, '/');
    const char *base = slash ? slash + 1 : pos->partition;

    for (size_t i = 0; i < s->n_patterns; i++) {
        const struct follow_pattern *pat = &s->pattern[i];
        char *path = NULL;
        glob_t g;

        if (!pat->wild_dir) {
            path = absent_in(pat, pat->dir, base, pos);
        } else if (glob(pat->dir, GLOB_NOSORT, NULL, &g) == 0) {
            for (size_t d = 0; d < g.gl_pathc && !path; d++)
                path = absent_in(pat, g.gl_pathv[d], base, pos);
            globfree(&g);
        }
        if (path)
            return path;
    }
    return NULL;
}

/* The path of a name whose newest saved position is pos; owned, NULL: not known. */
static char *home_of(struct source_follow *s, const struct follow_founds *found,
                     const struct source_position *pos, bool guess)
{
    const struct follow_found *by_id = found_by_id(found, pos->identity[0]);

    for (size_t i = 0; i < found->n; i++) {
        const char *path = found->item[i].path;
        if (follow_has_ending(path, pos->partition) && !follow_path_at(s, path) &&
            (guess || follow_path_hash(path) == follow_path_hash_saved(pos->identity[1])))
            return mem_strndup(path, strlen(path));
    }
    if (guess)
        return NULL;
    char *absent = absent_path(s, pos);
    if (absent && !follow_path_at(s, absent))
        return absent;
    mem_free(absent);
    if (by_id && !follow_path_at(s, by_id->path) &&
        follow_has_ending(by_id->path, pos->partition))
        return mem_strndup(by_id->path, strlen(by_id->path));
    return NULL;
}

/* Where the file of a saved position lies now; owned, NULL: nowhere. */
static char *find_saved(struct source_follow *s, const struct follow_founds *found,
                        struct follow_path *p, const struct source_position *pos,
                        struct follow_stat *st_out, bool *copy_out)
{
    struct follow_print print = follow_print_saved(pos->identity[1]);
    const struct follow_found *item = found_by_id(found, pos->identity[0]);
    char *path = NULL;

    *copy_out = false;
    if (item && (!s->follow || item->st.size >= pos->resume) && follow_print_matches(item->path, &print)) {
        *st_out = item->st;
        return mem_strndup(item->path, strlen(item->path));
    }
    if (p->path)
        path = follow_beside(p->path, pos->identity[0], 0, &print, s->follow ? pos->resume : 0,
                             st_out);
    if (!path && p->path && print.len >= FOLLOW_PRINT_COPY) {
        path = follow_beside(p->path, 0, pos->identity[0], &print, pos->read, st_out);
        *copy_out = path && !follow_known(s, path, st_out);
        if (path && !*copy_out) {
            mem_free(path);
            path = NULL;
        }
    }
    return path;
}

static void restore_file(struct source_follow *s, const struct follow_founds *found,
                         struct follow_path *p, const struct source_position *pos, int64_t now)
{
    struct follow_stat st = {.id = pos->identity[0], .size = pos->read};
    bool copy = false;
    char *path = pos->ended ? NULL : find_saved(s, found, p, pos, &st, &copy);
    struct buf why;
    bool bad;
    struct follow_file *f =
        follow_file_add(s, p, pos->generation, path ? path : p->path ? p->path : p->name, &st);

    buf_init(&why);
    bad = p->path && follow_path_bad(s, p->path, &why); /* then it may be there, and is stalled */
    buf_fini(&why);
    f->print = follow_print_saved(pos->identity[1]);
    f->offset = f->scanned = pos->ended ? pos->read : pos->resume;
    f->part->resume = pos->resume;
    atomic_store(&f->part->identity[1], pos->identity[1]);
    if (pos->ended) {
        f->state = FOLLOW_ENDED;
        f->released = true;
    } else if (!path && !bad) {
        f->lost = f->ending = true;
        f->over_since = now;
        f->size = pos->read;
        follow_lost(s, f, "its file is not there: it was truncated, removed or replaced while this was not running, "
                          "or the source was of another kind", pos->read);
    } else if (path && (copy || !p->path || strcmp(path, p->path) != 0)) {
        f->over_since = now;
        f->still = copy;
        follow_log(s, LOG_INFO, "a file was rotated while this was not running: it is read first", f,
                   path, NULL);
    }
    mem_free(path);
}

/* When f was last written to, also if it was not looked for; INT64_MAX: not known. */
static int64_t ended_mtime(const struct follow_file *f)
{
    struct follow_stat st;
    char *path;

    if (f->mtime)
        return f->mtime;
    path = follow_beside(f->home->path, f->id, 0, &f->print, 0, &st);
    if (!path)
        return INT64_MAX;
    mem_free(path);
    return st.mtime;
}

/* The file that lies at the path now, against the newest that was saved. */
static void restore_current(struct source_follow *s, const struct follow_founds *found,
                            struct follow_path *p)
{
    const struct follow_found *item = found_at(found, p->path);
    struct follow_file *f = p->newest;
    struct follow_stat st;
    struct follow_print print = {0};
    bool same;

    if (!item)
        return;
    p->seen = s->scans;
    if (follow_look_at(item->path, &st, &print) != 0)
        st = item->st; /* it cannot be read now */
    same = f->id == st.id && !f->lost && (!s->follow || st.size >= f->offset) && follow_print_matches(item->path, &f->print);
    f->seen = same ? s->scans : f->seen;
    if (same && f->state != FOLLOW_ENDED)
        return;
    if (same && !s->follow) {
        if (st.size > f->offset && f->print.len) /* not a compressed one */
            follow_log(s, LOG_WARNING, "a file that was read to its end has grown: it is not read on",
                       f, item->path, NULL);
        return;
    }
    if (same) { /* it was read to its end, and is followed now */
        f->state = FOLLOW_WAITING;
        f->released = false;
        f->part->resume = f->offset;
        return;
    }
    if (!f->lost && f->id != st.id)
        follow_add_between(s, p, ended_mtime(f), &st);
    f = follow_file_add(s, p, p->newest->part->generation + 1, p->path, &st);
    follow_set_print(f, &print);
    follow_log(s, LOG_INFO, "a path has another file", f, f->path, NULL);
}

static void restore_group(struct source_follow *s, const struct follow_founds *found,
                          const struct source_position *pos, size_t n, char *home, int64_t now)
{
    struct follow_path *p = follow_path_add(s, home, pos->partition);

    for (size_t i = 0; i < n; i++)
        restore_file(s, found, p, &pos[i], now);
    restore_current(s, found, p);
    follow_begin(s, p);
    mem_free(home);
}

void follow_restore(struct source_follow *s, const struct follow_founds *found, int64_t now)
{
    bool *done = mem_calloc(s->n_saved + 1, sizeof *done);

    if (s->n_saved)
        qsort(s->saved, s->n_saved, sizeof *s->saved, by_partition);
    for (int pass = 0; pass < 3; pass++)
        for (size_t i = 0, end; i < s->n_saved; i = end) {
            char *home;

            for (end = i + 1; end < s->n_saved &&
                              strcmp(s->saved[end].partition, s->saved[i].partition) == 0; end++)
                continue;
            if (done[i])
                continue;
            home = pass < 2 ? home_of(s, found, &s->saved[end - 1], pass == 1) : NULL;
            if (!home && pass < 2)
                continue;
            restore_group(s, found, &s->saved[i], end - i, home, now);
            done[i] = true;
        }
    mem_free(done);
    follow_saved_free(s);
}
