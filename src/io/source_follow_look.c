// SPDX-License-Identifier: Apache-2.0
/*
 * source_follow_look - has a file changed; is it over; where is it when it is not where it was.
 *
 * A file that changed a moment ago is looked at every `poll`, one that has been quiet for a time t
 * every t / 8, but no later than LOOK_MOST and LOOK_EACH for each file that there is: a hundred files
 * are looked at every 10 ms for ever, ten thousand quiet ones twice a second.
 */
#include <inttypes.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "io/source_follow_priv.h"

#define LOOK_MOST (500 * FOLLOW_MS)
#define LOOK_EACH (FOLLOW_MS / 10)
enum { OVER_MOST = 30 }; /* times rotate_wait: a rotated file that is still written to ends then */

static int64_t due_after(const struct source_follow *s, const struct follow_file *f, int64_t now)
{
    int64_t wait = (now - f->changed) / 8, most = (int64_t)s->n_slots * LOOK_EACH;

    if (most > LOOK_MOST)
        most = LOOK_MOST;
    if (wait > most)
        wait = most;
    if (wait < s->poll || f->over_since)
        wait = s->poll;
    return now + wait;
}

/* Has the next generation bytes? Until then the writer has not turned to it. */
static bool next_has_bytes(const struct follow_file *f)
{
    struct follow_stat st;

    if (!f->next)
        return false;
    if (f->next->id == f->id || f->next->lost || f->next->next)
        return true;
    return follow_stat_path(f->next->path, &st) == 0 && st.size > 0;
}

/* A file that is over ends when it was quiet long enough. */
static void look_at_end(struct source_follow *s, struct follow_file *f, int64_t now)
{
    int64_t since = f->changed > f->over_since ? f->changed : f->over_since;

    if (!f->deleted && !next_has_bytes(f))
        return;
    if (now - since < s->rotate_wait && now - f->over_since < OVER_MOST * s->rotate_wait)
        return;
    f->ending = true;
    follow_make_ready(s, f);
}

static bool stat_file(struct follow_file *f, struct follow_stat *st)
{
    if (f->fd >= 0)
        return follow_stat_fd(f->fd, st) == 0;
    return follow_stat_path(f->path, st) == 0 && st->id == f->id;
}

static void look(struct source_follow *s, struct follow_file *f, int64_t now)
{
    struct follow_stat st;
    struct follow_slot *slot = &s->slot[f->slot];

    if (f->stalled) {
        slot->due = now + 1000 * FOLLOW_MS;
        if (!f->stalled_path)
            follow_make_ready(s, f);
        return;
    }
    if (!stat_file(f, &st)) { /* closed, and something else is there: for the scan */
        slot->due = now + s->rescan;
        s->next_scan = s->next_full = now;
        if (f->over_since)
            follow_moved(s, f, now);
        return;
    }
    if (st.size != f->size || st.mtime != f->mtime) {
        f->size = st.size;
        f->mtime = st.mtime;
        f->changed = now;
        follow_make_ready(s, f);
    }
    if (st.deleted && !f->deleted) {
        f->deleted = true;
        if (!f->over_since)
            f->over_since = now;
    }
    if (f->over_since && !f->ready)
        look_at_end(s, f, now);
    slot->due = due_after(s, f, now);
}

void follow_look(struct source_follow *s, int64_t now)
{
    for (size_t i = 0; i < s->n_slots; i++) {
        struct follow_file *f = s->slot[i].file;

        if (now < s->slot[i].due || f->ready)
            continue;
        if (s->follow || f->stalled)
            look(s, f, now);
    }
}

/* ---- not the file that it was ----------------------------------------------------------------- */

/* f goes on in the file at path. */
static void go_on_at(struct source_follow *s, struct follow_file *f, char *path,
                     const struct follow_stat *st, int64_t now)
{
    follow_close(s, f);
    follow_block_drop(s, f);
    mem_free(f->path);
    f->path = path;
    follow_set_id(s, f, st->id);
    f->size = st->size;
    f->mtime = st->mtime;
    f->scanned = f->offset;
    if (!f->over_since && (!f->home->path || strcmp(path, f->home->path) != 0))
        f->over_since = now;
    follow_make_ready(s, f);
}

/* Nothing more of f can be read. */
static void give_up(struct source_follow *s, struct follow_file *f, const char *why, int64_t now)
{
    uint64_t end = f->size > f->scanned ? f->size : f->scanned;

    if (end > f->offset || !f->caught_up)
        follow_lost(s, f, why, end > f->offset ? end : 0);
    follow_resumed(s, f);
    follow_close(s, f);
    follow_block_drop(s, f);
    f->scanned = f->offset;
    f->lost = f->ending = true;
    if (!f->over_since)
        f->over_since = now;
    follow_make_ready(s, f);
}

void follow_truncated(struct source_follow *s, struct follow_file *f, int64_t now)
{
    struct follow_path *p = f->home;
    struct follow_stat st = {0}, copy_st;
    struct follow_print print = {0};
    uint64_t id = f->id;
    bool current = f == p->newest && !f->over_since && p->path;
    char *copy = NULL;

    if (current) /* else it was replaced since, and the scan sees to it */
        current = follow_look_at(f->path, &st, &print) == 0 && st.id == id;
    if (f->print.len >= FOLLOW_PRINT_COPY && !f->deleted)
        copy = follow_beside(p->path ? p->path : f->path, 0, id, &f->print, f->offset, &copy_st);
    follow_log(s, LOG_INFO,
               copy ? "a file was truncated; its copy is read to the end, then it from its start"
                    : "a file was truncated; it is read from its start",
               f, f->path, copy);
    f->still = copy != NULL;
    if (copy)
        go_on_at(s, f, copy, &copy_st, now);
    else
        give_up(s, f, "truncated", now);
    if (current && copy) /* it may have been truncated more than once since it was looked at */
        follow_add_between(s, p, copy_st.mtime, &st);
    if (current)
        follow_set_print(
            follow_file_add(s, p, p->newest->part->generation + 1, p->path, &st), &print);
    else
        s->next_scan = s->next_full = now;
}

void follow_moved(struct source_follow *s, struct follow_file *f, int64_t now)
{
    struct follow_stat st;
    struct buf why;

    buf_init(&why);
    if (follow_dir_bad(s, f->path, &why)) {
        follow_stall(s, f, why.data);
        buf_fini(&why);
        return;
    }
    char *path = follow_beside(f->path, f->id, 0, &f->print, f->offset, &st);

    if (!path && f->home->path && strcmp(f->home->path, f->path) != 0)
        path = follow_beside(f->home->path, f->id, 0, &f->print, f->offset, &st);
    if (path)
        go_on_at(s, f, path, &st, now);
    else if (follow_path_bad(s, f->path, &why))
        follow_stall(s, f, why.data);
    else
        give_up(s, f, "the file is gone", now);
    buf_fini(&why);
    s->next_scan = s->next_full = now;
}
