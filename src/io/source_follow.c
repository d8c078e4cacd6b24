// SPDX-License-Identifier: Apache-2.0
/*
 * source_follow - turns, and what the reader is told.
 *
 *     told queue --empty--> scan, if due --> first ready file --line--> the reader
 *                                              |  turn over: to the end of the ready list
 *                                              +- at its end: CAUGHT_UP, off the list; or ENDED
 *     nothing ready --> look at the files that are due
 */
#include "io/source_follow.h"

#include <inttypes.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/mem.h"
#include "io/source_file.h"
#include "io/source_follow_priv.h"

/* ---- what is told ----------------------------------------------------------------------------- */

void follow_tell(struct source_follow *s, enum source_event what, struct follow_file *f,
                 const char *message)
{
    if (s->told_first == s->n_told)
        s->told_first = s->n_told = 0;
    s->told = vec_reserve(s->told, &s->cap_told, s->n_told + 1, sizeof *s->told);
    s->told[s->n_told++] = (struct follow_told){
        what, f, message ? mem_strndup(message, strlen(message)) : NULL};
}

void follow_log(struct source_follow *s, enum log_level level, const char *msg,
                const struct follow_file *f, const char *path, const char *why)
{
    struct buf b;

    buf_init(&b);
    log_field(&b, "source", s->name);
    if (f) {
        log_field(&b, "partition", f->part->name);
        buf_printf(&b, " generation=%" PRIu32, f->part->generation);
    }
    if (path)
        log_field(&b, "path", path);
    if (why)
        log_field(&b, "why", why);
    log_line(level, LOG_source, msg, "%s", b.data);
    buf_fini(&b);
}

void follow_lost(struct source_follow *s, struct follow_file *f, const char *why, uint64_t end)
{
    struct buf b;

    buf_init(&b);
    buf_printf(&b, "%s; not read: from offset %" PRIu64, why, f->offset);
    if (end > f->offset)
        buf_printf(&b, " to at least %" PRIu64 " (%" PRIu64 " bytes)", end, end - f->offset);
    else
        buf_adds(&b, " on, if there was more");
    follow_log(s, end > f->offset ? LOG_ERROR : LOG_WARNING, "lines are lost", f, f->path, b.data);
    buf_fini(&b);
}

void follow_stall(struct source_follow *s, struct follow_file *f, const char *message)
{
    s->slot[f->slot].due = clock_monotonic() + 1000 * FOLLOW_MS;
    if (f->stalled)
        return;
    f->stalled = true;
    follow_tell(s, SOURCE_EVENT_STALLED, f, message);
}

void follow_resumed(struct source_follow *s, struct follow_file *f)
{
    if (!f->stalled)
        return;
    f->stalled = f->stalled_path = false;
    f->caught_up = false; /* lines may wait in it: until that is told again nobody takes it for quiet */
    follow_tell(s, SOURCE_EVENT_RESUMED, f, NULL);
    follow_make_ready(s, f);
}

/* ---- the first ready file --------------------------------------------------------------------- */

static void turn_over(struct source_follow *s, bool again)
{
    struct follow_file *f = s->ready_first;

    s->ready_first = f->ready_next;
    if (!s->ready_first)
        s->ready_last = NULL;
    f->ready = false;
    s->turn = 0;
    if (!again || f->block == &s->common)
        follow_block_drop(s, f);
    if (again)
        follow_make_ready(s, f);
}

/* Its last line was given; it is the first ready file. The next generation is told before. */
static void end_file(struct source_follow *s, struct follow_file *f)
{
    struct follow_slot *last = &s->slot[s->n_slots - 1];

    turn_over(s, false);
    follow_close(s, f);
    f->state = FOLLOW_ENDED;
    s->slot[f->slot] = *last;
    last->file->slot = f->slot;
    s->n_slots--;
    follow_begin(s, f->home);
    follow_tell(s, SOURCE_EVENT_ENDED, f, NULL);
}

/* It was read to its present end. */
static void caught_up(struct source_follow *s, struct follow_file *f)
{
    turn_over(s, false);
    if (!f->caught_up)
        follow_tell(s, SOURCE_EVENT_CAUGHT_UP, f, NULL);
    f->caught_up = true;
    s->slot[f->slot].due = 0;
}

static enum follow_got read_one(struct source_follow *s, struct follow_file *f,
                                struct source_item *item_out, struct buf *why)
{
    enum follow_got got = FOLLOW_LINE;

    if (f->lost)
        return FOLLOW_END;
    if (f->fd < 0 && !f->gz)
        got = follow_open(s, f, why);
    if (got == FOLLOW_LINE)
        got = follow_line(s, f, item_out, why);
    if (got == FOLLOW_LINE)
        f->ending = false;
    if (got == FOLLOW_END && (!s->follow || f->ending || f->still))
        got = follow_rest(s, f, item_out, why);
    return got;
}

/* One step of the first ready file; true: item_out is a line of it. */
static bool step(struct source_follow *s, struct source_item *item_out, struct buf *why)
{
    struct follow_file *f = s->ready_first;
    enum follow_got got = read_one(s, f, item_out, why);

    if (got == FOLLOW_LINE || got == FOLLOW_MORE || got == FOLLOW_END)
        follow_resumed(s, f);
    if (got == FOLLOW_LINE) {
        f->caught_up = false;
        return true;
    }
    if (got == FOLLOW_END && (!s->follow || f->ending || f->still)) {
        end_file(s, f);
        return false;
    }
    if (got == FOLLOW_END) {
        caught_up(s, f);
        return false;
    }
    turn_over(s, got == FOLLOW_MORE);
    if (got == FOLLOW_CHANGED)
        follow_truncated(s, f, clock_monotonic());
    if (got == FOLLOW_GONE)
        follow_moved(s, f, clock_monotonic());
    if (got == FOLLOW_FAILED) {
        follow_close(s, f);
        follow_stall(s, f, why->data);
    }
    return false;
}

/* A ready file that is not paused comes first; false: there is none. */
static bool choose(struct source_follow *s)
{
    struct follow_file *first = s->ready_first, *f = first;

    if (f && s->turn >= FOLLOW_TURN)
        turn_over(s, true);
    f = s->ready_first;
    first = f;
    while (f && atomic_load_explicit(&f->part->paused, memory_order_relaxed)) {
        turn_over(s, true);
        f = s->ready_first;
        if (f == first)
            return false;
    }
    return f != NULL;
}

/* ---- the source ------------------------------------------------------------------------------- */

static bool take_told(struct source_follow *s, struct source_item *item_out)
{
    struct follow_told *told;

    if (s->told_first == s->n_told)
        return false;
    told = &s->told[s->told_first++];
    mem_free(s->message);
    s->message = told->message;
    *item_out = (struct source_item){
        .what = told->what, .partition = told->file->part, .text = told->message,
        .len = told->message ? strlen(told->message) : 0, .offset = told->file->offset,
        .next = told->file->offset, .arrival = clock_wall()};
    if (told->file->forgotten)
        follow_file_free(s, &told->file);
    return true;
}

/* Of files that are compressed nobody knows. */
static void count_unread(struct source_follow *s)
{
    uint64_t unread = 0;

    for (size_t i = 0; i < s->n_slots; i++) {
        const struct follow_file *f = s->slot[i].file;
        if (!f->gz && f->size > f->offset)
            unread += f->size - f->offset;
    }
    atomic_store_explicit(&s->unread, unread, memory_order_relaxed);
}

static void follow_figures(struct source *source, struct source_figures *figures_out)
{
    figures_out->unread = atomic_load(&((struct source_follow *)source)->unread);
}

/* Scans and looks, when it is time. */
static void tend(struct source_follow *s, bool idle)
{
    int64_t now = clock_monotonic();

    if (s->scans == 0 || (s->follow && now >= s->next_scan)) {
        follow_scan(s, now);
        s->next_scan = clock_monotonic() + s->rescan;
    }
    if (idle || now >= s->next_look) {
        follow_look(s, now);
        count_unread(s);
        s->next_look = now + s->poll;
    }
}

static bool all_ended(const struct source_follow *s)
{
    return !s->follow && s->scans > 0 && s->n_slots == 0;
}

static void follow_next(struct source *source, struct source_item *item_out)
{
    struct source_follow *s = (struct source_follow *)source;
    struct buf why;
    bool given = false;

    if (take_told(s, item_out))
        return;
    if (s->holds) {
        *item_out = s->held;
        s->holds = false;
        return;
    }
    if (s->turn == 0 || s->turn >= FOLLOW_TURN)
        tend(s, false);
    buf_init(&why);
    for (;;) {
        given = take_told(s, item_out);
        if (given || !choose(s))
            break;
        if (s->turn == 0)
            s->arrival = clock_wall();
        buf_clear(&why);
        given = step(s, item_out, &why);
        if (given && s->told_first < s->n_told) { /* RESUMED is told before the line */
            s->held = *item_out;
            s->holds = true;
            given = take_told(s, item_out);
        }
        if (given)
            break;
    }
    buf_fini(&why);
    if (!given)
        *item_out = (struct source_item){
            .what = all_ended(s) ? SOURCE_EVENT_FINISHED : SOURCE_EVENT_NOTHING};
}

static bool anything(struct source_follow *s)
{
    return s->told_first < s->n_told || s->holds || choose(s) || all_ended(s);
}

static void follow_wait(struct source *source, int64_t timeout)
{
    struct source_follow *s = (struct source_follow *)source;
    int64_t until = clock_monotonic() + timeout, left;

    for (;;) {
        if (atomic_exchange(&source->woken, false) || anything(s))
            return;
        left = until - clock_monotonic();
        if (left <= 0)
            return;
        if (left > s->poll)
            left = s->poll;
        nanosleep(&(struct timespec){.tv_sec = left / 1000000000, .tv_nsec = left % 1000000000},
                  NULL);
        tend(s, true);
    }
}

/* Only what ended matters here: the rest is the file's own. */
static void follow_release(struct source *source, const struct source_position *position)
{
    struct source_follow *s = (struct source_follow *)source;

    if (!position->ended)
        return;
    pthread_mutex_lock(&s->lock);
    s->release = vec_reserve(s->release, &s->cap_releases, s->n_releases + 1, sizeof *s->release);
    s->release[s->n_releases++] = (struct follow_release){
        mem_strndup(position->partition, strlen(position->partition)), position->generation};
    pthread_mutex_unlock(&s->lock);
}

static void free_paths(struct source_follow *s)
{
    for (; s->told_first < s->n_told; s->told_first++) {
        mem_free(s->told[s->told_first].message);
        if (s->told[s->told_first].file->forgotten)
            follow_file_free(s, &s->told[s->told_first].file);
    }
    for (size_t i = 0; i < s->n_paths; i++) {
        for (struct follow_file *f = s->path[i]->oldest, *next; f; f = next) {
            next = f->next;
            follow_file_free(s, &f);
        }
        mem_free(s->path[i]->path);
        mem_free(s->path[i]);
    }
    for (size_t i = 0; i < s->n_parts; i++)
        mem_free(s->part[i]);
    for (size_t i = 0; i < s->n_kept_names; i++)
        mem_free(s->kept_name[i]);
    for (struct follow_block *b = s->free_block, *next; b; b = next) {
        next = b->next;
        mem_free(b->data);
        mem_free(b);
    }
}

static void follow_free(struct source *source)
{
    struct source_follow *s = (struct source_follow *)source;

    free_paths(s);
    follow_saved_free(s);
    for (size_t i = 0; i < s->n_patterns; i++) {
        mem_free(s->pattern[i].text);
        mem_free(s->pattern[i].dir);
    }
    for (size_t i = 0; i < s->n_releases; i++)
        mem_free(s->release[i].partition);
    hash_index_free(&s->by_path);
    hash_index_free(&s->by_name);
    hash_index_free(&s->by_id);
    pthread_mutex_destroy(&s->lock);
    mem_free(s->release);
    mem_free(s->pattern);
    mem_free(s->path);
    mem_free(s->part);
    mem_free(s->kept_name);
    mem_free(s->slot);
    mem_free(s->told);
    mem_free(s->message);
    mem_free(s->common.data);
    mem_free(s->big.data);
    mem_free(s->name);
    mem_free(s);
}

static const struct source_ops ops = {follow_next, follow_wait, follow_release, follow_free, NULL, follow_figures, NULL};

static uint32_t default_max_open(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return 1 << 16;
    return limit.rlim_cur / 2 > 1 << 20 ? 1 << 20 : (uint32_t)(limit.rlim_cur / 2);
}

struct source *source_follow_new(const struct source_follow_options *opt, struct buf *why)
{
    for (size_t i = 0; i < opt->n_patterns; i++)
        if (!*opt->pattern[i] || opt->pattern[i][strlen(opt->pattern[i]) - 1] == '/') {
            buf_printf(why, "`%s` names no file", opt->pattern[i]);
            return NULL;
        }

    struct source_follow *s = mem_calloc(1, sizeof *s);
    s->name = mem_strndup(opt->name, strlen(opt->name));
    s->source.ops = &ops;
    s->source.name = s->name;
    s->follow = opt->follow;
    s->max_line = opt->max_line ? opt->max_line : SOURCE_MAX_LINE;
    s->padding = opt->padding;
    s->poll = opt->poll ? opt->poll : 10 * FOLLOW_MS;
    s->rescan = opt->rescan ? opt->rescan : 500 * FOLLOW_MS;
    s->rotate_wait = opt->rotate_wait ? opt->rotate_wait : 1000 * FOLLOW_MS;
    s->forget_after = opt->forget_after ? opt->forget_after : INT64_C(86400000) * FOLLOW_MS;
    s->max_open = opt->max_open ? opt->max_open : default_max_open();
    s->pattern = mem_calloc(opt->n_patterns + 1, sizeof *s->pattern);
    for (size_t i = 0; i < opt->n_patterns; i++)
        follow_pattern_add(s, opt->pattern[i]);
    s->by_path = hash_index_new();
    s->by_name = hash_index_new();
    s->by_id = hash_index_new();
    pthread_mutex_init(&s->lock, NULL);
    s->saved = mem_calloc(opt->n_saved + 1, sizeof *s->saved);
    for (size_t i = 0; i < opt->n_saved; i++) {
        s->saved[s->n_saved] = opt->saved[i];
        s->saved[s->n_saved++].partition =
            mem_strndup(opt->saved[i].partition, strlen(opt->saved[i].partition));
    }
    return &s->source;
}
