// SPDX-License-Identifier: Apache-2.0
/*
 * order_rows - partitions that bring rows of tables. Rows have a place in the stream, and no part in its time:
 *
 *   events   ..x....x.......x|            frontier of the events: what it would be without rows
 *   rows     ....r.......|                max: the highest time that the partition has shown
 *                        ^ no event from here on is given while the partition is being read;
 *                          read to its end it holds nobody back, at once
 *
 * The place of a record is the highest time that its partition had shown up to it: its own, or that of a record
 * before it - so the records of a partition have ascending places, and are given in the order in which they
 * stand there. One whose time is too far ahead of its arrival has the time of its arrival. A record is given
 * when time has come to its place, before the events of that time; at once when time has gone by: no record is
 * late, and none is lost. Before time begins - no source has shown anything, and none is waited for - they are
 * given as they come, so that a table is there before the first event.
 *
 * `latest`: the place is the beginning of time: records are given at once. Until it was read to its end once
 * the partition holds all events back, and never after that.
 *
 *     READING --read to its end--> AT REST      holds nobody; loaded from now on
 *        ^  ^-------a record---------'
 *        |
 *     STALLED    loaded: holds nobody (rows are as they were). Else nothing is given before it can be read
 *
 * In a replay the same: a partition is READING until its end. Read next is one that holds events back; so of each at
 * most one record waits, and `latest` is read whole before the first event is given.
 *
 * Invariants:
 *  1. rows_bound is the least max of those that are reading: every record to come has a place that is not below
 *     it, so events below it see what they are to see. INT64_MAX: none is reading.
 *  2. what was given of a partition is all below an offset: its position needs no more than that.
 *  3. `cut` of its position is when it was at its end last, by the clock.
 *  4. rows of generations below that of a partition are dropped when it was read to its end, and nothing of
 *     it waits; until that is done it is saved as not loaded, so that a restart does it again.
 */
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "event/event.h"
#include "flow/order_priv.h"
#include "flow/position.h"

static int64_t plus(int64_t time, int64_t duration)
{
    int64_t result;
    return __builtin_add_overflow(time, duration, &result) ? INT64_MAX : result;
}

/* ---- what holds events back ------------------------------------------------------------------- */

static bool is_reading(const struct order_part *p)
{
    return p->origin && p->opt.rows && !p->ended && !p->caught_up &&
           !(p->loaded && (p->stalled || p->opt.latest));
}

void order_rows_bound(struct order *o)
{
    o->rows_bound = INT64_MAX;
    for (size_t i = 0; i < o->n_parts; i++) {
        struct order_part *p = &o->part[i];
        p->reading = is_reading(p);
        if (p->reading && p->max < o->rows_bound)
            o->rows_bound = p->max;
    }
}

uint32_t order_rows_next(const struct order *o)
{
    if (o->rows_bound == INT64_MAX || (o->n_active > 0 && o->rows_bound > o->part[o->active[0]].watermark))
        return ORDER_NONE;
    for (uint32_t i = 0; i < o->n_parts; i++)
        if (o->part[i].reading && o->part[i].max == o->rows_bound)
            return i;
    return ORDER_NONE;
}

bool order_rows_read(const struct order *o)
{
    for (size_t i = 0; i < o->n_parts; i++)
        if (o->part[i].origin && o->part[i].opt.rows && o->part[i].reading)
            return false;
    return o->holds == 0;
}

static void changed(struct order *o)
{
    order_rows_bound(o);
    order_give_due(o);
}

/* ---- giving ------------------------------------------------------------------------------------- */

/* Everything of the events below this was given, or is in the queue before it. */
static int64_t frontier_of_events(const struct order *o)
{
    if (o->n_active > 0)
        return o->part[o->active[0]].watermark;
    if (!o->opt.live)
        return o->opt.end;
    if (!o->begun || o->over)
        return INT64_MAX;
    int64_t quiet = order_quiet_frontier(o);
    return o->quiet_to > quiet ? o->quiet_to : quiet;
}

bool order_rows_due(const struct order *o, int64_t place)
{
    return o->holds == 0 && place <= o->rows_bound && (place <= o->told || place <= frontier_of_events(o));
}

void order_rows_give(struct order *o, struct event *ev, int64_t place)
{
    if (o->begun && !o->over && place > o->told)
        order_announce(o, place); /* what is decided before it does not see it */
    o->sink.row(o->sink.ctx, ev);
}

void order_rows_given(struct order *o, struct order_part *p)
{
    if (!p->drops || p->n_waiting > 0)
        return;
    p->drops = false;
    o->sink.drop_rows(o->sink.ctx, p->origin, p->origin->generation);
}

/* ---- partitions --------------------------------------------------------------------------------- */

void order_rows_partition(struct order *o, struct order_part *p, const struct position *saved)
{
    p->max = INT64_MIN;
    p->first = INT64_MAX;
    p->floor = p->cut = p->at_end = INT64_MIN;
    if (saved) {
        p->at_end = saved->cut;
        p->read = saved->resume;
        p->read_before = saved->read; /* what was no record is not told again */
        p->max = p->opt.latest ? INT64_MIN : saved->max_before;
        p->loaded = saved->idle;
    }
    order_rows_bound(o);
}

/* It is at its end up to now. */
static void note_end(struct order_part *p)
{
    if (p->caught_up && !p->stalled)
        p->at_end = clock_wall();
}

/* The next line of it is there. */
static void wake(struct order *o, struct order_part *p)
{
    bool rested = p->caught_up || p->ended;

    note_end(p);
    p->ended = p->caught_up = false;
    if (rested)
        order_rows_bound(o);
}

void order_rows_pass(struct order *o, struct order_part *p, uint64_t next)
{
    (void)next;
    wake(o, p);
}

void order_rows_caught_up(struct order *o, struct order_part *p)
{
    if (!p->loaded && p->origin->generation > 0)
        p->drops = true;
    p->loaded = p->caught_up = true;
    changed(o);
    order_rows_given(o, p);
}

void order_rows_stall(struct order *o, struct order_part *p, bool stalled)
{
    note_end(p);
    p->stalled = stalled;
    if (!stalled && !p->ended)
        p->caught_up = false; /* what came meanwhile is to be read yet */
    changed(o);
}

/* Its topic has fewer partitions than it had; or another topic of this name takes over, which has its own rows
 * to say when it was read. */
void order_rows_end(struct order *o, struct order_part *p)
{
    if (p->ended)
        return;
    p->ended = p->caught_up = true;
    changed(o);
    if (o->opt.live && !order_is_succeeded(o, p))
        o->sink.drop_rows(o->sink.ctx, p->origin, p->origin->generation + 1);
}

/* ---- records ------------------------------------------------------------------------------------ */

static int64_t find_place(const struct order_part *p, struct event *ev, int64_t arrival)
{
    if (p->opt.future >= 0 && ev->time > plus(arrival, p->opt.future))
        ev->time = arrival;
    if (p->opt.latest)
        return INT64_MIN;
    if (ev->time < p->max)
        ev->time = p->max;
    return ev->time;
}

/* It waits. max_before of what waits is what was shown before it. */
static bool keep(struct order *o, struct order_part *p, struct event *ev, int64_t place, int64_t before)
{
    p->max = before;
    bool kept = order_keep_row(o, p, ev, place);
    if (!p->opt.latest)
        p->max = place;
    return kept;
}

enum order_verdict order_rows_add(struct order *o, struct order_part *p, struct event *ev, uint64_t next,
                                  int64_t arrival)
{
    int64_t before = p->max, place = find_place(p, ev, arrival);
    struct event_queue_item self = {.time = place, .ev = ev, .run = EVENT_QUEUE_ROW};

    wake(o, p);
    if (place > p->max) {
        p->max = place;
        changed(o); /* others may go on, and make room */
    }
    if (o->opt.live ? ev->refs == 0 : ev->n_fits == 0) { /* no rule reads the table: it would be kept for nobody */
        p->read = next;
        return ORDER_TAKEN;
    }
    if (!o->failed && order_rows_due(o, place)) {
        if (!order_give_before(o, &self))
            return ORDER_FULL;
        p->read = next;
        order_rows_give(o, ev, place);
    } else if (keep(o, p, ev, place, before)) {
        p->read = next;
    } else {
        return ORDER_FULL;
    }
    order_give_due(o);
    return ORDER_TAKEN;
}

/* ---- reading, saving ------------------------------------------------------------------------------ */

bool order_rows_should_pause(struct order *o, struct order_part *p)
{
    uint64_t share = o->opt.max_bytes / 4, all = order_bytes(o) + order_spilled_bytes(o);
    int64_t events = frontier_of_events(o);

    if (p->max == o->rows_bound && p->max <= events) /* others wait for it */
        p->paused = false;
    else if (p->paused)
        p->paused = p->bytes > share / 2 && all > o->opt.max_bytes / 4;
    else
        p->paused = p->bytes > share && all > o->opt.max_bytes / 2;
    return p->paused;
}

void order_rows_save(const struct order_part *p, struct position *out)
{
    out->read = p->read > p->read_before ? p->read : p->read_before;
    out->lateness = 0;
    out->first = INT64_MAX;
    out->floor = INT64_MIN;
    out->cut = p->caught_up && !p->stalled ? clock_wall() : p->at_end;
    out->floor_at = out->cut_event = out->cut_late = 0;
    out->idle = p->loaded && !p->drops;
    out->ended = p->ended && out->resume == out->read;
}
