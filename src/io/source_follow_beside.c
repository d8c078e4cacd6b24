// SPDX-License-Identifier: Apache-2.0
/*
 * source_follow_beside - what lies beside a path: where a file was renamed to, copies, files that were
 * rotated before they were seen; and whether what lies at a path, or is not there, can be told at all.
 */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "io/source_follow_priv.h"

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

bool follow_is_absent(int err)
{
    return err == ENOENT || err == ENOTDIR;
}

bool follow_dir_bad(const struct source_follow *s, const char *path, struct buf *why)
{
    char *dir = dir_of(path);
    DIR *d = opendir(dir);
    int err = d ? 0 : errno;
    bool bad = err != 0;

    if (d)
        closedir(d);
    if (follow_is_absent(err)) {
        bad = false;
        for (size_t i = 0; i < s->n_patterns; i++)
            bad |= !s->pattern[i].wild_dir && strcmp(s->pattern[i].dir, dir) == 0;
    }
    if (bad)
        buf_printf(why, "directory %s: %s", dir, strerror(err));
    mem_free(dir);
    return bad;
}

bool follow_path_bad(const struct source_follow *s, const char *path, struct buf *why)
{
    struct follow_stat st;
    int err = follow_stat_path(path, &st);

    if (follow_is_absent(err))
        return follow_dir_bad(s, path, why);
    if (err)
        buf_printf(why, "%s: %s", path, strerror(err));
    else if (!st.regular)
        buf_printf(why, "%s: is not a regular file", path);
    return err || !st.regular;
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
