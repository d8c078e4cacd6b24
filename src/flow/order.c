// SPDX-License-Identifier: Apache-2.0
/*
 * order - merges partitions by event order.
 *
 *   partition a  ..x...x..x|              each has its own watermark |
 *   partition b  ...x.|                   (highest time shown - lateness)
 *   partition c  .....x..x....x|
 *                      ^ the frontier: the lowest watermark of the active partitions
 *   given: ------------' waits: ------>   (event_queue, by event order; beyond max_bytes: spill)
 *
 * To come from partition p are only events whose (time, origin) is at least (watermark of p, origin
 * of p): anything below is late, and at one time p's own later lines have a higher offset. So an
 * event is given when its (time, origin) is not above the least (watermark, origin) of all active
 * partitions; those are a binary heap, whose top is also the one to read next. (With order_by a later
 * line may come before an earlier one of the same time; then the event's time must be below the
 * watermark.) A late event is behind all events of its place: the least watermark must be above it.
 *
 * Invariants:
 *  1. watermarks never go back; active[] is a heap by (watermark, origin); place is its inverse.
 *  2. after each call no event in the queue could be given.
 *  3. told = the highest time given or announced; what is given or announced next is not below it.
 *  4. first = the lowest time taken. It is announced before anything is given, and cannot go down
 *     after that: what is to come is not below the frontier, and that is not below first.
 *  5. one partition and lateness 0: the queue stays empty, each event goes straight through.
 *  6. told <= the watermark of each active partition, or that one has lines to read again.
 * With ORDER_WHOLE watermarks stay at INT64_MIN: invariants hold, nothing is given before the end.
 */
#include "flow/order.h"

#include <assert.h>
#include <string.h>

#include "base/mem.h"
#include "event/event.h"
#include "flow/order_priv.h"
#include "flow/spill.h"

struct order *order_new(const struct order_options *opt, const struct order_sink *sink)
{
    struct order *o = mem_calloc(1, sizeof *o);

    o->opt = *opt;
    if (opt->spill_dir) /* the caller's is gone soon */
        o->opt.spill_dir = o->spill_dir = mem_strndup(opt->spill_dir, strlen(opt->spill_dir));
    o->sink = *sink;
    o->first = INT64_MAX;
    o->told = o->highest = o->mono = o->clock = o->spill_again = o->quiet_to = INT64_MIN;
    o->rows_bound = INT64_MAX;
    event_queue_init(&o->queue);
    return o;
}

void order_free(struct order **op)
{
    struct order *o = *op;

    *op = NULL;
    if (!o)
        return;
    event_queue_fini(&o->queue);
    spill_free(&o->spill);
    for (size_t i = 0; i < o->n_parts; i++)
        order_live_fini(&o->part[i]);
    mem_free(o->spill_dir);
    mem_free(o->part);
    mem_free(o->active);
    mem_free(o);
}

uint64_t order_bytes(const struct order *o)
{
    return event_queue_bytes(&o->queue) + o->waiting_bytes;
}

uint64_t order_peak_bytes(const struct order *o)
{
    return o->peak;
}

int64_t order_frontier(const struct order *o)
{
    return o->over ? INT64_MAX : o->told;
}

/* ---- the active partitions ------------------------------------------------------------------- */

static bool lower(const struct order *o, uint32_t a, uint32_t b)
{
    const struct order_part *x = &o->part[a], *y = &o->part[b];

    return x->watermark != y->watermark ? x->watermark < y->watermark
                                        : origin_order(x->origin, y->origin) < 0;
}

static void put(struct order *o, uint32_t i, uint32_t number)
{
    o->active[i] = number;
    o->part[number].place = i;
}

/* The partition at active[i] has a higher watermark than before. */
static void sift_down(struct order *o, uint32_t i)
{
    uint32_t number = o->active[i];

    for (;;) {
        uint32_t child = 2 * i + 1;

        if (child >= o->n_active)
            break;
        if (child + 1 < o->n_active && lower(o, o->active[child + 1], o->active[child]))
            child++;
        if (!lower(o, o->active[child], number))
            break;
        put(o, i, o->active[child]);
        i = child;
    }
    put(o, i, number);
}

static void sift_up(struct order *o, uint32_t i)
{
    uint32_t number = o->active[i];

    while (i > 0 && lower(o, number, o->active[(i - 1) / 2])) {
        put(o, i, o->active[(i - 1) / 2]);
        i = (i - 1) / 2;
    }
    put(o, i, number);
}

void order_activate(struct order *o, struct order_part *p)
{
    assert(p->place == ORDER_NONE);
    o->active = vec_reserve(o->active, &o->cap_active, o->n_active + 1, sizeof *o->active);
    p->place = o->n_active++;
    o->active[p->place] = (uint32_t)(p - o->part);
    sift_up(o, p->place);
    o->n_whole += p->opt.lateness == ORDER_WHOLE;
}

void order_deactivate(struct order *o, struct order_part *p)
{
    uint32_t i = p->place;

    assert(i != ORDER_NONE);
    p->place = ORDER_NONE;
    if (i != --o->n_active) {
        put(o, i, o->active[o->n_active]);
        sift_down(o, i);
        sift_up(o, i);
    }
    if (p->opt.lateness == ORDER_WHOLE && --o->n_whole == 0)
        event_queue_open(&o->queue);
}

void order_raise(struct order *o, struct order_part *p, int64_t watermark)
{
    if (watermark <= p->watermark)
        return;
    p->watermark = watermark;
    if (p->place != ORDER_NONE)
        sift_down(o, p->place);
}

static uint32_t free_number(struct order *o)
{
    uint32_t i = 0;

    while (o->opt.live && i < o->n_parts && o->part[i].origin)
        i++;
    if (o->opt.live && i < o->n_parts)
        return i;
    o->part = vec_reserve(o->part, &o->cap_parts, o->n_parts + 1, sizeof *o->part);
    return (uint32_t)o->n_parts++;
}

uint32_t order_partition(struct order *o, const struct origin *origin,
                         const struct order_partition_options *opt)
{
    uint32_t number = free_number(o);
    struct order_part *p = &o->part[number];

    assert(opt->lateness >= 0 && (o->opt.live ? opt->lateness != ORDER_WHOLE : !o->begun));
    *p = (struct order_part){.origin = origin,
                             .opt = *opt,
                             .lateness = opt->lateness,
                             .watermark = INT64_MIN,
                             .place = ORDER_NONE};
    p->opt.saved = NULL;
    o->order_by |= opt->order_by;
    if (opt->rows) {
        order_rows_partition(o, p, opt->saved);
        return number;
    }
    if (o->opt.live)
        order_live_partition(o, p, opt->saved);
    order_activate(o, p);
    if (o->opt.live)
        order_give_due(o); /* one that it succeeds may have held others back */
    return number;
}

/* The partition shows an event of this time. */
static inline void show(struct order *o, struct order_part *p, int64_t time)
{
    if (p->lateness == ORDER_WHOLE)
        return;

    int64_t lowest = INT64_MIN + p->lateness;
    order_raise(o, p, time < lowest ? INT64_MIN : time - p->lateness);
}

uint32_t order_next(struct order *o)
{
    uint32_t rows = o->opt.live ? ORDER_NONE : order_rows_next(o);

    if (rows != ORDER_NONE)
        return rows;
    return o->n_active ? o->active[0] : ORDER_NONE;
}

/* ---- giving ---------------------------------------------------------------------------------- */

/* Can no active partition bring an event before one of this time and origin? */
static bool is_due(const struct order *o, int64_t time, const struct origin *origin)
{
    if (o->holds > 0 || time >= o->rows_bound)
        return false;
    if (o->n_active == 0)
        return true;

    const struct order_part *least = &o->part[o->active[0]];
    if (time != least->watermark)
        return time < least->watermark;
    return !o->order_by && origin_order(origin, least->origin) <= 0;
}

static bool is_item_due(const struct order *o, const struct event_queue_item *item)
{
    if (item->run == EVENT_QUEUE_ROW)
        return order_rows_due(o, item->time);
    if (item->run != EVENT_QUEUE_LATE)
        return is_due(o, item->time, item->ev->origin);
    if (o->holds > 0 || item->time >= o->rows_bound)
        return false;
    if (o->n_active == 0)
        return true;
    int64_t frontier = o->part[o->active[0]].watermark;
    return item->time < frontier && (o->begun || o->first <= frontier);
}

void order_announce(struct order *o, int64_t frontier)
{
    o->told = frontier;
    o->sink.advance(o->sink.ctx, frontier);
}

static void begin(struct order *o)
{
    if (o->begun || o->first == INT64_MAX)
        return;
    o->begun = true;
    order_announce(o, o->first);
}

static inline void give(struct order *o, struct event *ev)
{
    begin(o);
    assert(ev->time >= o->told);
    o->told = ev->time;
    o->sink.event(o->sink.ctx, ev);
}

/* Time begins with the first event: a place before it is there. */
static void give_late(struct order *o, struct event *ev, int64_t place)
{
    begin(o);
    assert(place >= o->told || o->told == o->first);
    if (place > o->told)
        order_announce(o, place);
    o->sink.late(o->sink.ctx, ev);
}

static inline bool has_waiting(const struct order *o)
{
    return o->queue.n > 0 || o->spill;
}

/* What is first of all that waits; NULL: nothing. */
static const struct event_queue_item *find_top(const struct order *o, bool *spilled_out)
{
    const struct event_queue_item *top = event_queue_top(&o->queue);
    const struct event_queue_item *other = o->spill ? order_spill_top(o) : NULL;

    *spilled_out = other && (!top || event_queue_before(other, top));
    return *spilled_out ? other : top;
}

/* False: it cannot be read, and o has failed. */
static bool give_top(struct order *o, const struct event_queue_item *top, bool spilled)
{
    struct event_queue_item item = *top;
    bool late = item.run == EVENT_QUEUE_LATE, row = item.run == EVENT_QUEUE_ROW;
    struct event *ev = spilled ? order_spill_pop(o) : event_queue_pop(&o->queue);

    if (!ev)
        return false;
    if (o->opt.live) {
        order_note_gone(o, &o->part[item.partition], ev, spilled);
        order_note_given(&o->part[item.partition], ev, item.time, late);
    }
    if (row) {
        order_rows_give(o, ev, item.time);
        order_rows_given(o, &o->part[item.partition]);
    } else if (late)
        give_late(o, ev, item.time);
    else
        give(o, ev);
    if (!o->opt.live) /* else it is the sink's */
        event_unref(ev);
    return true;
}

void order_give_due(struct order *o)
{
    const struct event_queue_item *top;
    bool spilled;

    while (has_waiting(o) && !o->failed && (top = find_top(o, &spilled)) && is_item_due(o, top))
        if (!give_top(o, top, spilled))
            return;
    if (o->holds > 0 || o->failed || o->over)
        return;

    int64_t frontier = o->n_active   ? o->part[o->active[0]].watermark
                       : o->opt.live ? order_quiet_frontier(o)
                                     : o->opt.end;
    frontier = frontier < o->rows_bound ? frontier : o->rows_bound;
    bool held = o->n_active || (!o->opt.live && o->rows_bound < INT64_MAX);
    if (frontier <= o->told || (frontier < o->first && held && !o->begun))
        return;
    begin(o);
    if (frontier > o->told)
        order_announce(o, frontier);
}

bool order_give_before(struct order *o, const struct event_queue_item *self)
{
    const struct event_queue_item *top;
    bool spilled;

    while (has_waiting(o) && (top = find_top(o, &spilled)) && event_queue_before(top, self))
        if (!give_top(o, top, spilled))
            return false;
    return true;
}

/* It is due itself: first what waits and comes before it. False: o has failed. */
static bool pass(struct order *o, struct order_part *p, struct event *ev)
{
    struct event_queue_item self = {.time = ev->time, .ev = ev, .run = EVENT_QUEUE_NO_RUN};

    if (!order_give_before(o, &self))
        return false;
    if (o->opt.live)
        order_note_given(p, ev, ev->time, false);
    give(o, ev);
    return true;
}

/* ---- keeping --------------------------------------------------------------------------------- */

/* Live others leave some room to the one that holds the frontier: it has to go on. */
static uint64_t limit_of(const struct order *o, const struct order_part *p)
{
    bool holder = p->opt.rows ? p->reading && p->max <= o->rows_bound
                              : o->n_active > 0 && o->active[0] == (uint32_t)(p - o->part);

    return !o->opt.live || holder ? o->opt.max_bytes : o->opt.max_bytes - o->opt.max_bytes / 4;
}

static bool has_room(struct order *o, const struct order_part *p, const struct event *kept)
{
    uint64_t limit = limit_of(o, p);

    while (order_bytes(o) + event_bytes(kept) > limit)
        if (!order_spill(o))
            return o->opt.spill_dir && o->queue.n <= 1; /* larger than all room there is */
    return true;
}

/* Live a late one stays its caller's too, who may hold it for longer than it waits: as references
 * are not counted for several threads, the sink gets one of its own. */
static struct event *keep_own(const struct order *o, const struct event *ev, bool late)
{
    struct event scratch = *ev;

    if (!o->opt.live || !late)
        return event_keep(ev);
    scratch.refs = 0;
    return event_keep(&scratch);
}

/* Keeps an event that has to wait; false if there is no room. */
static bool keep(struct order *o, struct order_part *p, struct event *ev, bool late)
{
    struct event *kept = keep_own(o, ev, late);

    if (!has_room(o, p, kept)) {
        event_unref(kept);
        return false;
    }
    if (p->opt.lateness == ORDER_WHOLE)
        event_queue_collect(&o->queue, kept);
    else
        event_queue_push_item(&o->queue, (struct event_queue_item){
            .time = late ? p->watermark : ev->time,
            .ev = kept,
            .partition = (uint32_t)(p - o->part),
            .run = late ? EVENT_QUEUE_LATE : EVENT_QUEUE_NO_RUN});
    if (o->opt.live)
        order_note_waits(o, p, kept);
    if (order_bytes(o) > o->peak)
        o->peak = order_bytes(o);
    return true;
}

bool order_keep_row(struct order *o, struct order_part *p, struct event *ev, int64_t place)
{
    struct event *kept = o->opt.live ? ev : event_keep(ev);

    if (!has_room(o, p, kept)) {
        if (!o->opt.live)
            event_unref(kept);
        return false;
    }
    event_queue_push_item(&o->queue, (struct event_queue_item){.time = place,
                                                               .ev = kept,
                                                               .partition = (uint32_t)(p - o->part),
                                                               .run = EVENT_QUEUE_ROW});
    if (o->opt.live)
        order_note_waits(o, p, kept);
    if (order_bytes(o) > o->peak)
        o->peak = order_bytes(o);
    return true;
}

bool order_keep_late(struct order *o, struct order_part *p, struct event *ev)
{
    return keep(o, p, ev, true);
}

/* Time that the event shows may let others go, and so make room for it. */
static bool keep_after_all(struct order *o, struct order_part *p, struct event *ev)
{
    order_give_due(o);
    return !o->failed && keep(o, p, ev, false);
}

bool order_take(struct order *o, struct order_part *p, struct event *ev, bool gives)
{
    if (ev->time < o->first)
        o->first = ev->time;
    show(o, p, ev->time);
    if (gives) {
        if (!o->failed && is_due(o, ev->time, ev->origin)) {
            if (!pass(o, p, ev))
                return false;
        } else {
            if (!keep(o, p, ev, false) && !keep_after_all(o, p, ev))
                return false;
            if (o->opt.live)
                event_unref(ev); /* the queue has one of its own */
        }
    }
    order_give_due(o);
    return true;
}

enum order_verdict order_add(struct order *o, uint32_t partition, struct event *ev, uint64_t next,
                             int64_t arrival, bool wants_late)
{
    struct order_part *p = &o->part[partition];

    if (o->opt.live)
        return order_live_add(o, p, ev, next, arrival, wants_late);
    if (p->opt.rows)
        return order_rows_add(o, p, ev, next, arrival);
    assert(p->place != ORDER_NONE);
    if (ev->time >= p->watermark)
        return order_take(o, p, ev, ev->n_fits > 0) ? ORDER_TAKEN : ORDER_FULL;
    return wants_late && !order_keep_late(o, p, ev) ? ORDER_FULL : ORDER_LATE;
}

void order_end(struct order *o, uint32_t partition)
{
    struct order_part *p = &o->part[partition];

    if (o->opt.live)
        order_live_end(o, p);
    else if (p->opt.rows)
        order_rows_end(o, p);
    else
        order_deactivate(o, p);
    order_give_due(o);
}
