// SPDX-License-Identifier: Apache-2.0
/*
 * order_live - what only the daemon's order stage does: partitions that come, rest and go, time that
 * goes on while all are quiet, positions, and going on from them.
 *
 * A partition is *active* (holds others back) or idle. It becomes idle in order_tick alone, when it
 * was read to its end, nothing hinders reading it, and `idle` has gone by; it is active again with
 * the next line, or when it stalls. After a stall it has to be read to its end once more. From then on its watermark is not below what was told meanwhile:
 * its *floor*.
 *
 * Going on after a restart: lines below read_before are judged as they were then: by the lateness of
 * then, with the floor from the same line on, and those that had been set aside are known by their
 * offsets. What was not late was given if its place lies before the cut. At read_before the
 * watermark is raised to the cut: of a partition that was active it is not below it anyway.
 */
#include <assert.h>
#include <string.h>

#include "base/mem.h"
#include "event/event.h"
#include "flow/order_priv.h"
#include "flow/position.h"
#include "flow/spill.h"

enum { QUIET_TICK = 100000000 }; /* ns between the steps of time while all are idle */

static int64_t minus(int64_t time, int64_t duration)
{
    int64_t result;
    return __builtin_sub_overflow(time, duration, &result) ? INT64_MIN : result;
}

static int64_t plus(int64_t time, int64_t duration)
{
    int64_t result;
    return __builtin_add_overflow(time, duration, &result) ? INT64_MAX : result;
}

static int64_t distance(int64_t from, int64_t to)
{
    int64_t result;
    return __builtin_sub_overflow(to, from, &result) ? INT64_MAX : result;
}

static int64_t max_time(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* ---- what waits, what was given -------------------------------------------------------------- */

static void count_waiting(struct order *o, const struct order_part *p, size_t before)
{
    o->waiting_bytes += waiting_bytes(&p->waiting) - before;
}

void order_note_waits(struct order *o, struct order_part *p, const struct event *ev)
{
    size_t before = waiting_bytes(&p->waiting);

    waiting_push(&p->waiting, ev->offset, p->max);
    count_waiting(o, p, before);
    p->n_waiting++;
    p->bytes += event_bytes(ev);
}

void order_note_spilled(struct order *o, struct order_part *p, const struct event *ev)
{
    size_t before = waiting_bytes(&p->waiting);

    waiting_remove(&p->waiting, ev->offset);
    count_waiting(o, p, before);
}

void order_note_gone(struct order *o, struct order_part *p, const struct event *ev, bool spilled)
{
    if (!spilled)
        order_note_spilled(o, p, ev);
    p->n_waiting--;
    p->bytes = p->n_waiting == 0 || p->bytes < event_bytes(ev) ? 0 : p->bytes - event_bytes(ev);
}

void order_note_given(struct order_part *p, const struct event *ev, int64_t place, bool late)
{
    if (place > p->cut) {
        p->cut = place;
        p->cut_event = p->cut_late = 0;
    } else if (place < p->cut) {
        return;
    }
    uint64_t *cut = late ? &p->cut_late : &p->cut_event;
    if (ev->offset >= *cut)
        *cut = ev->offset + 1;
}

/* ---- partitions ------------------------------------------------------------------------------ */

bool order_is_succeeded(const struct order *o, const struct order_part *p)
{
    for (size_t i = 0; i < o->n_parts; i++) {
        const struct origin *other = o->part[i].origin;
        if (other && other->generation > p->origin->generation &&
            strcmp(other->source, p->origin->source) == 0 &&
            strcmp(other->partition, p->origin->partition) == 0)
            return true;
    }
    return false;
}

static void release_predecessors(struct order *o)
{
    for (size_t i = 0; i < o->n_parts; i++) {
        struct order_part *p = &o->part[i];
        if (p->origin && p->ended && p->place != ORDER_NONE && order_is_succeeded(o, p))
            order_deactivate(o, p);
    }
}

static void reach(struct order *o, struct order_part *p, uint64_t offset);

static void restore(struct order *o, struct order_part *p, const struct position *saved)
{
    p->read = saved->resume;
    p->read_before = saved->read;
    p->recovering = true;
    p->lateness = p->judged_before = saved->lateness;
    p->first = saved->first;
    p->max = saved->max_before;
    p->floor = saved->floor;
    p->floor_at = saved->floor_at;
    p->cut = saved->cut;
    p->cut_event = saved->cut_event;
    p->cut_late = saved->cut_late;
    p->was_idle = saved->idle;
    /* not `ended': who opens it again may bring more (standard input), or tells its end again */
    if (saved->n_aside) {
        p->aside = vec_reserve(NULL, &p->cap_aside, saved->n_aside, sizeof *p->aside);
        memcpy(p->aside, saved->aside, saved->n_aside * sizeof *p->aside);
        p->n_aside = saved->n_aside;
    }
    if (p->max != INT64_MIN)
        p->watermark = minus(p->max, p->lateness);
    if (saved->first < o->first && !o->begun)
        o->first = saved->first;
    o->highest = max_time(o->highest, p->max);
    reach(o, p, p->read);
}

void order_live_partition(struct order *o, struct order_part *p, const struct position *saved)
{
    p->first = INT64_MAX;
    p->max = p->floor = p->cut = INT64_MIN;
    p->quiet = ORDER_NO_QUIET;
    o->quiet = false;
    if (saved) {
        restore(o, p, saved);
    } else {
        p->floor = o->told;
        p->watermark = o->told;
    }
    if (p->origin->generation > 0)
        release_predecessors(o);
}

void order_live_fini(struct order_part *p)
{
    waiting_fini(&p->waiting);
    mem_free(p->aside);
}

void order_live_end(struct order *o, struct order_part *p)
{
    if (p->opt.rows) {
        order_rows_end(o, p);
        return;
    }
    if (p->ended) /* before the restart */
        return;
    p->ended = p->caught_up = true;
    p->quiet = ORDER_NO_QUIET;
    if (p->place != ORDER_NONE && order_is_succeeded(o, p))
        order_deactivate(o, p);
}

bool order_forget(struct order *o, uint32_t partition)
{
    struct order_part *p = &o->part[partition];
    struct spill_oldest oldest;

    if (!p->ended || p->place != ORDER_NONE || p->n_waiting > 0 ||
        (o->spill && spill_oldest(o->spill, partition, &oldest)))
        return false;
    o->waiting_bytes -= waiting_bytes(&p->waiting);
    order_live_fini(p);
    *p = (struct order_part){.place = ORDER_NONE};
    order_rows_bound(o);
    return true;
}

void order_start_at(struct order *o, int64_t told)
{
    assert(o->opt.live && o->n_parts == 0);
    o->told = told;
    o->begun = told != INT64_MIN;
}

void order_start_over(struct order *o, int64_t told)
{
    order_start_at(o, told);
    o->over = true;
}

void order_hold(struct order *o)
{
    o->holds++;
}

void order_release(struct order *o)
{
    assert(o->holds > 0);
    if (--o->holds == 0)
        order_give_due(o);
}

/* ---- lines ----------------------------------------------------------------------------------- */

/* It holds others back again, from its next line on with a floor. */
static void wake(struct order *o, struct order_part *p)
{
    if (p->place != ORDER_NONE)
        return;
    o->quiet = false;
    if (o->told > p->watermark) {
        p->floor = o->told;
        p->floor_at = p->read;
        p->watermark = o->told;
    }
    order_activate(o, p);
}

/* The next line is at `offset`: is it new, does the floor hold for it? */
static void reach(struct order *o, struct order_part *p, uint64_t offset)
{
    if (p->floor > p->watermark && offset >= p->floor_at)
        order_raise(o, p, p->floor);
    if (!p->recovering || offset < p->read_before)
        return;
    p->recovering = false;
    p->lateness = p->opt.lateness;
    int64_t given = max_time(p->cut, o->told);
    if (given > p->watermark) {
        p->floor = given;
        p->floor_at = p->read_before;
        order_raise(o, p, given);
    }
}

static void start_line(struct order *o, struct order_part *p, uint64_t offset)
{
    p->ended = false; /* it was, in another life: a file that is followed now, a new standard input */
    wake(o, p);
    p->caught_up = false;
    if (offset >= p->read_before)
        p->was_idle = false;
    reach(o, p, offset);
}

static bool is_aside(const struct order_part *p, uint64_t offset)
{
    size_t low = 0, high = p->n_aside;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (p->aside[middle] < offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low < p->n_aside && p->aside[low] == offset;
}

/* The oldest that waits, or the next to read; what was shown before it. */
uint64_t order_find_resume(const struct order *o, const struct order_part *p, int64_t *max_before_out)
{
    const struct waiting_item *item = waiting_oldest(&p->waiting);
    uint64_t resume = item ? item->offset : p->read;
    struct spill_oldest oldest;

    *max_before_out = item ? item->max_before : p->max;
    if (o->spill && spill_oldest(o->spill, (uint32_t)(p - o->part), &oldest) &&
        oldest.offset < resume) {
        resume = oldest.offset;
        *max_before_out = oldest.max_before;
    }
    return resume;
}

static void set_aside(struct order *o, struct order_part *p, uint64_t offset)
{
    int64_t unused;

    if (p->n_aside == p->cap_aside && p->n_aside > 0) {
        uint64_t resume = order_find_resume(o, p, &unused);
        size_t gone = 0;
        while (gone < p->n_aside && p->aside[gone] < resume)
            gone++;
        p->n_aside -= gone;
        memmove(p->aside, &p->aside[gone], p->n_aside * sizeof *p->aside);
    }
    p->aside = vec_reserve(p->aside, &p->cap_aside, p->n_aside + 1, sizeof *p->aside);
    p->aside[p->n_aside++] = offset;
}

static bool was_given(const struct order *o, const struct order_part *p, int64_t place,
                      uint64_t offset, uint64_t cut)
{
    return place < o->told || place < p->cut || (place == p->cut && offset < cut);
}

/* Below the watermark. */
static enum order_verdict add_late(struct order *o, struct order_part *p, struct event *ev,
                                   bool again, bool wanted)
{
    if (again && was_given(o, p, p->watermark, ev->offset, p->cut_late))
        wanted = false;
    if (wanted && !order_keep_late(o, p, ev))
        return ORDER_FULL;
    return again ? ORDER_AGAIN : ORDER_LATE;
}

/* In time; false: no room. */
static enum order_verdict add_event(struct order *o, struct order_part *p, struct event *ev,
                                    bool again)
{
    bool gives = ev->refs > 0;
    bool given = again && was_given(o, p, ev->time, ev->offset, p->cut_event);
    int64_t time = ev->time; /* the event may be gone once it is taken */

    if (o->over && !again) { /* also if there is no room for it now: it will come */
        o->over = false;
        o->sink.goes_on(o->sink.ctx);
    }
    if (!order_take(o, p, ev, gives && !given))
        return ORDER_FULL;
    if (time < p->first)
        p->first = time;
    p->max = max_time(p->max, time);
    o->highest = max_time(o->highest, time);
    if (gives && given)
        return ORDER_AGAIN;
    return again && !gives ? ORDER_AGAIN : ORDER_TAKEN;
}

enum order_verdict order_live_add(struct order *o, struct order_part *p, struct event *ev,
                                  uint64_t next, int64_t arrival, bool wants_late)
{
    bool again = ev->offset < p->read_before;
    enum order_verdict verdict;

    if (p->opt.rows)
        return order_rows_add(o, p, ev, next, arrival);
    start_line(o, p, ev->offset);
    if (again && is_aside(p, ev->offset)) {
        verdict = ORDER_AGAIN;
    } else if (!again && p->opt.future >= 0 && ev->time > plus(arrival, p->opt.future)) {
        set_aside(o, p, ev->offset);
        verdict = ORDER_ASIDE;
    } else if (ev->time < p->watermark) {
        verdict = add_late(o, p, ev, again, wants_late && ev->refs > 0);
    } else {
        verdict = add_event(o, p, ev, again);
    }
    if (verdict != ORDER_FULL)
        p->read = next;
    return verdict;
}

void order_explain_late(const struct order *o, uint32_t partition, int64_t time,
                        struct order_late *late_out)
{
    const struct order_part *p = &o->part[partition];

    *late_out = (struct order_late){.behind = p->max < time ? 0 : distance(time, p->max),
                                    .lateness = p->lateness,
                                    .below = distance(time, p->watermark)};
}

bool order_pass(struct order *o, uint32_t partition, uint64_t offset, uint64_t next)
{
    struct order_part *p = &o->part[partition];

    if (!o->opt.live)
        return true;
    if (p->opt.rows)
        order_rows_pass(o, p, next);
    else
        start_line(o, p, offset);
    p->read = next;
    return offset >= p->read_before;
}

void order_skip(struct order *o, uint32_t partition, uint64_t next)
{
    struct order_part *p = &o->part[partition];

    if (next > p->read)
        p->read = next;
}

/* ---- rest ------------------------------------------------------------------------------------ */

void order_caught_up(struct order *o, uint32_t partition)
{
    struct order_part *p = &o->part[partition];

    if (p->opt.rows)
        order_rows_caught_up(o, p);
    if (p->caught_up)
        return;
    p->caught_up = true;
    p->quiet = ORDER_NO_QUIET;
}

void order_behind(struct order *o, uint32_t partition)
{
    struct order_part *p = &o->part[partition];

    if (p->ended || p->opt.rows) /* rows: what cannot be read yet has not come yet */
        return;
    p->was_idle = p->caught_up = false;
    p->quiet = ORDER_NO_QUIET;
    wake(o, p);
}

void order_stall(struct order *o, uint32_t partition, bool stalled)
{
    struct order_part *p = &o->part[partition];

    if (p->opt.rows) {
        order_rows_stall(o, p, stalled);
        return;
    }
    p->stalled = stalled;
    p->quiet = ORDER_NO_QUIET;
    if (stalled) {
        p->was_idle = false;
        wake(o, p);
    } else if (!p->ended) {
        p->caught_up = false; /* what came meanwhile is to be read yet */
    }
}

void order_blind(struct order *o, uint32_t partition, bool blind)
{
    o->part[partition].blind = blind;
}

void order_finish(struct order *o)
{
    for (size_t i = 0; i < o->n_parts; i++)
        if (o->part[i].origin && o->part[i].place != ORDER_NONE)
            order_deactivate(o, &o->part[i]);
    int64_t last = max_time(o->told, o->highest);
    order_give_due(o);
    if (!o->failed && !o->over && o->sink.over && last != INT64_MIN && last != INT64_MAX)
        o->sink.over(o->sink.ctx, last);
    o->quiet_to = INT64_MAX; /* rows that are later than all events, too: what is decided then sees them */
    order_give_due(o);
    o->quiet_to = INT64_MIN;
    if (!o->failed && !o->over && o->told < INT64_MAX)
        order_announce(o, INT64_MAX);
}

/* Returns how long it has to be quiet yet; 0: it is idle now. */
static int64_t rest(struct order *o, struct order_part *p, int64_t elapsed)
{
    if (p->place == ORDER_NONE || !p->caught_up || p->opt.idle < 0)
        return ORDER_NEVER;
    if (p->stalled || p->blind || p->paused)
        return QUIET_TICK;
    p->quiet = p->quiet == ORDER_NO_QUIET ? 0 : plus(p->quiet, elapsed);
    if (p->quiet < p->opt.idle && !p->was_idle)
        return p->opt.idle - p->quiet;
    order_deactivate(o, p);
    return 0;
}

/* With order_by an event that comes later may belong before one of the same time; so that time is
 * left behind. */
int64_t order_quiet_frontier(const struct order *o)
{
    if (o->highest == INT64_MIN || o->highest < o->told)
        return o->told;
    return o->order_by ? plus(o->highest, 1) : o->highest;
}

/* All are idle: time goes on by the clock. */
static void step_quiet(struct order *o)
{
    if (o->over)
        return;
    if (!o->quiet) {
        order_give_due(o);
        o->quiet = true;
        o->quiet_mono = o->mono;
        o->quiet_base = o->told;
    }
    if (o->opt.quiet_hold || o->quiet_base == INT64_MIN || o->failed)
        return;
    o->quiet_to = plus(o->quiet_base, o->mono - o->quiet_mono);
    if (o->quiet_to > o->rows_bound)
        o->quiet_to = o->rows_bound;
    order_give_due(o); /* rows */
    if (o->quiet_to > o->told)
        order_announce(o, o->quiet_to);
    o->quiet_to = INT64_MIN;
}

int64_t order_tick(struct order *o, int64_t mono_now)
{
    int64_t elapsed = o->mono == INT64_MIN || mono_now < o->mono ? 0 : mono_now - o->mono;
    int64_t wait = ORDER_NEVER;
    bool any = false, rested = false;

    if (mono_now > o->mono)
        o->mono = mono_now;
    order_clock(o, mono_now);
    if (o->holds > 0)
        return plus(o->mono, QUIET_TICK);
    for (size_t i = 0; i < o->n_parts; i++) {
        int64_t left;
        if (!o->part[i].origin)
            continue;
        any = true;
        left = rest(o, &o->part[i], elapsed);
        rested = rested || left == 0;
        if (left > 0 && left < wait)
            wait = left;
    }
    if (any && o->n_active == 0) {
        step_quiet(o);
        if (!o->opt.quiet_hold)
            wait = QUIET_TICK;
    } else if (rested) {
        order_give_due(o);
    }
    return wait == ORDER_NEVER ? ORDER_NEVER : plus(o->mono, wait);
}

/* Half of the memory is shared out; a pause ends at half of a share, or when memory is free. */
bool order_should_pause(struct order *o, uint32_t partition)
{
    struct order_part *p = &o->part[partition];
    if (p->opt.rows)
        return order_rows_should_pause(o, p);
    uint64_t n = o->n_active > 0 ? o->n_active : 1;
    uint64_t share = o->opt.max_bytes / 2 / n, all = order_bytes(o) + order_spilled_bytes(o);

    bool alone = o->n_active < 2 && o->rows_bound == INT64_MAX;
    bool holds = p->place != ORDER_NONE && o->active[0] == partition && o->rows_bound > p->watermark;
    if (alone || p->place == ORDER_NONE || holds)
        p->paused = false;
    else if (p->paused)
        p->paused = p->bytes > share / 2 && all > o->opt.max_bytes / 4;
    else
        p->paused = p->bytes > share && all > o->opt.max_bytes / 2;
    return p->paused;
}
