// SPDX-License-Identifier: Apache-2.0
/*
 * order - merges partitions by event order.
 *
 *   partition a  ..x...x..x|              each has its own watermark |
 *   partition b  ...x.|                   (highest time shown - lateness)
 *   partition c  .....x..x....x|
 *                      ^ the frontier: the lowest watermark of the active partitions
 *   given: ------------' waits: ------>   (event_queue, by event order)
 *
 * To come from partition p are only events whose (time, rank of p) is at least (watermark of p,
 * rank of p), where rank is the place of p in the order of origins: anything below is late, and at
 * one time p's own later lines have a higher offset. So an event is given when its (time, rank) is
 * not above the least (watermark, rank) of all active partitions; those are a binary heap, whose
 * top is also the one to read next. (With order_by a later line may come before an earlier one of
 * the same time; then the event's time must be below the watermark.)
 *
 * Invariants:
 *  1. watermarks never go back; active[] is a heap by (watermark, rank); place[] is its inverse.
 *  2. after each call no event in the queue could be given.
 *  3. told = the highest time given or announced; what is given or announced next is not below it.
 *  4. first = the lowest time taken. It is announced before anything is given, and cannot go down
 *     after that: what is to come is not below the frontier, and that is not below first.
 *  5. one partition and lateness 0: the queue stays empty, each event goes straight through.
 * With ORDER_WHOLE watermarks stay at INT64_MIN: invariants hold, nothing is given before the end.
 */
#include "flow/order.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "event/event.h"
#include "flow/event_queue.h"

struct partition {
    const struct origin *origin; /* borrowed */
    int64_t watermark;           /* ns; INT64_MIN: nothing shown */
    uint32_t rank;               /* in the order of origins */
    uint32_t place;              /* in active; ORDER_NONE: ended */
};

struct order {
    struct order_options opt;
    int64_t lateness;
    bool order_by;
    struct order_sink sink;
    struct partition *partition;
    size_t n_partitions, cap_partitions;
    uint32_t *active; /* [n_active]: numbers of partitions; a heap */
    uint32_t n_active;
    bool started;     /* ranks are there: no more partitions */
    bool begun;       /* first was announced */
    int64_t first, told;
    struct event_queue queue;
    uint64_t peak; /* bytes */
};

struct order *order_new(const struct order_options *opt, const struct order_sink *sink)
{
    struct order *o = mem_calloc(1, sizeof *o);

    o->opt = *opt;
    o->sink = *sink;
    o->first = INT64_MAX;
    o->told = INT64_MIN;
    event_queue_init(&o->queue);
    return o;
}

void order_free(struct order **o)
{
    if (!*o)
        return;
    event_queue_fini(&(*o)->queue);
    mem_free((*o)->partition);
    mem_free((*o)->active);
    mem_free(*o);
    *o = NULL;
}

uint32_t order_partition(struct order *o, const struct origin *origin,
                         const struct order_partition_options *opt)
{
    assert(!o->started && opt->lateness >= 0);
    o->order_by |= opt->order_by;
    o->lateness = opt->lateness;
    o->partition = vec_reserve(o->partition, &o->cap_partitions, o->n_partitions + 1,
                               sizeof *o->partition);
    o->partition[o->n_partitions] =
        (struct partition){.origin = origin, .watermark = INT64_MIN};
    return (uint32_t)o->n_partitions++;
}

uint64_t order_bytes(const struct order *o)
{
    return event_queue_bytes(&o->queue);
}

uint64_t order_peak_bytes(const struct order *o)
{
    return o->peak;
}

/* ---- the active partitions ------------------------------------------------------------------- */

static int by_origin(const void *a, const void *b, void *ctx)
{
    const struct order *o = ctx;
    const struct origin *x = o->partition[*(const uint32_t *)a].origin;
    const struct origin *y = o->partition[*(const uint32_t *)b].origin;
    int order = strcmp(x->source, y->source);

    if (order == 0)
        order = strcmp(x->partition, y->partition);
    if (order == 0)
        order = (x->generation > y->generation) - (x->generation < y->generation);
    return order;
}

/* All partitions are there: gives them ranks. Sorted by rank they are a heap already. */
static void start(struct order *o)
{
    o->started = true;
    o->n_active = (uint32_t)o->n_partitions;
    o->active = mem_calloc(o->n_active ? o->n_active : 1, sizeof *o->active);
    for (uint32_t i = 0; i < o->n_active; i++)
        o->active[i] = i;
    qsort_r(o->active, o->n_active, sizeof *o->active, by_origin, o);
    for (uint32_t i = 0; i < o->n_active; i++) {
        o->partition[o->active[i]].rank = i;
        o->partition[o->active[i]].place = i;
    }
}

static bool lower(const struct order *o, uint32_t a, uint32_t b)
{
    const struct partition *x = &o->partition[a];
    const struct partition *y = &o->partition[b];
    return x->watermark != y->watermark ? x->watermark < y->watermark : x->rank < y->rank;
}

static void put(struct order *o, uint32_t i, uint32_t number)
{
    o->active[i] = number;
    o->partition[number].place = i;
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

/* The partition shows an event of this time. */
static void show(struct order *o, struct partition *p, int64_t time)
{
    if (o->lateness == ORDER_WHOLE)
        return;

    int64_t lowest = INT64_MIN + o->lateness;
    int64_t watermark = time < lowest ? INT64_MIN : time - o->lateness;
    if (watermark > p->watermark) {
        p->watermark = watermark;
        sift_down(o, p->place);
    }
}

uint32_t order_next(struct order *o)
{
    if (!o->started)
        start(o);
    return o->n_active ? o->active[0] : ORDER_NONE;
}

/* ---- giving ---------------------------------------------------------------------------------- */

/* Can no active partition bring an event before one of this time and rank? */
static bool is_due(const struct order *o, int64_t time, uint32_t rank)
{
    if (o->n_active == 0)
        return true;

    const struct partition *least = &o->partition[o->active[0]];
    if (time != least->watermark)
        return time < least->watermark;
    return !o->order_by && rank <= least->rank;
}

static void announce(struct order *o, int64_t frontier)
{
    o->told = frontier;
    o->sink.advance(o->sink.ctx, frontier);
}

static void begin(struct order *o)
{
    if (o->begun || o->first == INT64_MAX)
        return;
    o->begun = true;
    announce(o, o->first);
}

static void give(struct order *o, struct event *ev)
{
    begin(o);
    assert(ev->time >= o->told);
    o->told = ev->time;
    o->sink.event(o->sink.ctx, ev);
}

static void give_top(struct order *o)
{
    struct event *ev = event_queue_pop(&o->queue);

    give(o, ev);
    event_unref(ev);
}

/* Gives what waits and is due, then says how far time is. */
static void give_due(struct order *o)
{
    const struct event_queue_item *top;

    while ((top = event_queue_top(&o->queue)) && is_due(o, top->time, top->rank))
        give_top(o);

    int64_t frontier = o->n_active ? o->partition[o->active[0]].watermark : o->opt.end;
    if (frontier <= o->told || (frontier < o->first && o->n_active))
        return;
    begin(o);
    if (frontier > o->told)
        announce(o, frontier);
}

/* Keeps an event that has to wait; false if there is no room. */
static bool keep(struct order *o, const struct partition *p, const struct event *ev)
{
    struct event *kept = event_keep(ev);

    if (event_queue_bytes(&o->queue) + event_bytes(kept) > o->opt.max_bytes) {
        event_unref(kept);
        return false;
    }
    if (o->lateness == ORDER_WHOLE)
        event_queue_collect(&o->queue, kept);
    else
        event_queue_push(&o->queue, kept, p->rank);
    if (event_queue_bytes(&o->queue) > o->peak)
        o->peak = event_queue_bytes(&o->queue);
    return true;
}

/* It is due itself: first what waits and comes before it. */
static void pass(struct order *o, struct event *ev)
{
    const struct event_queue_item *top;

    while ((top = event_queue_top(&o->queue)) && event_order(top->ev, ev) < 0)
        give_top(o);
    give(o, ev);
}

enum order_verdict order_add(struct order *o, uint32_t partition, struct event *ev, uint64_t next,
                             int64_t arrival, bool wants_late)
{
    (void)next;
    (void)arrival;
    (void)wants_late;
    struct partition *p = &o->partition[partition];

    if (!o->started)
        start(o);
    assert(p->place != ORDER_NONE);
    if (ev->time < p->watermark)
        return ORDER_LATE;
    if (ev->time < o->first)
        o->first = ev->time;
    show(o, p, ev->time);
    if (ev->n_fits > 0) {
        if (is_due(o, ev->time, p->rank))
            pass(o, ev);
        else if (!keep(o, p, ev))
            return ORDER_FULL;
    }
    give_due(o);
    return ORDER_TAKEN;
}

void order_end(struct order *o, uint32_t partition)
{
    if (!o->started)
        start(o);

    uint32_t i = o->partition[partition].place;
    assert(i != ORDER_NONE);
    o->partition[partition].place = ORDER_NONE;
    if (i != --o->n_active) {
        put(o, i, o->active[o->n_active]);
        sift_down(o, i);
        sift_up(o, i);
    }
    if (o->n_active == 0 && o->lateness == ORDER_WHOLE)
        event_queue_open(&o->queue);
    give_due(o);
}
