// SPDX-License-Identifier: Apache-2.0
/*
 * event_queue - a binary heap of events, or of the heads of runs.
 *
 * Invariants:
 *  1. heap[i] is not after heap[2i + 1] and heap[2i + 2] in event order.
 *  2. run r is collected[run[r] .. run_end[r]), ascending; its head is in the heap as well.
 *  3. event_bytes is the sum of event_bytes() of all events in the queue.
 * Before event_queue_open run[r] is where run r starts, and run_end is not there.
 */
#include "flow/event_queue.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "event/event.h"

void event_queue_init(struct event_queue *q)
{
    *q = (struct event_queue){0};
}

void event_queue_fini(struct event_queue *q)
{
    for (size_t i = 0; i < q->n; i++)
        if (q->heap[i].run >= EVENT_QUEUE_ROW)
            event_unref(q->heap[i].ev);
    for (size_t i = 0; i < q->n_collected; i++)
        event_unref(q->collected[i]);
    mem_free(q->heap);
    mem_free(q->collected);
    mem_free(q->run);
    mem_free(q->run_end);
    event_queue_init(q);
}

uint64_t event_queue_bytes(const struct event_queue *q)
{
    return q->event_bytes + q->cap * sizeof *q->heap + q->cap_collected * sizeof *q->collected +
           q->cap_runs * sizeof *q->run * (q->run_end ? 2 : 1);
}

/* ---- the heap -------------------------------------------------------------------------------- */

/* Of the same time. */
static bool comes_before(const struct event_queue_item *a, const struct event_queue_item *b)
{
    bool a_late = a->run == EVENT_QUEUE_LATE, b_late = b->run == EVENT_QUEUE_LATE;
    bool a_row = a->run == EVENT_QUEUE_ROW, b_row = b->run == EVENT_QUEUE_ROW;

    if (a_late != b_late)
        return b_late;
    if (a_row != b_row)
        return a_row;
    if (!a_late && !a_row)
        return event_order(a->ev, b->ev) < 0;
    int order = origin_order(a->ev->origin, b->ev->origin);
    return order != 0 ? order < 0 : a->ev->offset < b->ev->offset;
}

static inline bool before(const struct event_queue_item *a, const struct event_queue_item *b)
{
    return a->time != b->time ? a->time < b->time : comes_before(a, b);
}

bool event_queue_before(const struct event_queue_item *a, const struct event_queue_item *b)
{
    return before(a, b);
}

/* Puts `item` where heap[i] is, or below. */
static void sift_down(struct event_queue *q, size_t i, struct event_queue_item item)
{
    for (;;) {
        size_t child = 2 * i + 1;

        if (child >= q->n)
            break;
        if (child + 1 < q->n && before(&q->heap[child + 1], &q->heap[child]))
            child++;
        if (!before(&q->heap[child], &item))
            break;
        q->heap[i] = q->heap[child];
        i = child;
    }
    q->heap[i] = item;
}

static void add(struct event_queue *q, struct event_queue_item item)
{
    q->heap = vec_reserve(q->heap, &q->cap, q->n + 1, sizeof *q->heap);
    size_t i = q->n++;

    while (i > 0 && before(&item, &q->heap[(i - 1) / 2])) {
        q->heap[i] = q->heap[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    q->heap[i] = item;
}

void event_queue_push_item(struct event_queue *q, struct event_queue_item item)
{
    q->event_bytes += event_bytes(item.ev);
    add(q, item);
}

static struct event_queue_item head_of(const struct event_queue *q, uint32_t run)
{
    struct event *ev = q->collected[q->run[run]];
    return (struct event_queue_item){.time = ev->time, .ev = ev, .run = run};
}

struct event *event_queue_pop(struct event_queue *q)
{
    struct event_queue_item top = q->heap[0];

    assert(q->n > 0);
    q->event_bytes -= event_bytes(top.ev);
    if (top.run < EVENT_QUEUE_ROW) {
        q->collected[q->run[top.run]] = NULL;
        if (++q->run[top.run] < q->run_end[top.run]) {
            sift_down(q, 0, head_of(q, top.run));
            return top.ev;
        }
    }
    if (--q->n > 0)
        sift_down(q, 0, q->heap[q->n]);
    return top.ev;
}

static int by_place(const void *a, const void *b)
{
    return before(a, b) ? -1 : before(b, a) ? 1 : 0;
}

/* Sorted items are a heap already. */
size_t event_queue_cut(struct event_queue *q, uint64_t bytes, struct event_queue_item **out)
{
    size_t keep = 1;
    uint64_t kept;

    *out = NULL;
    if (q->n <= 1)
        return 0;
    assert(q->n_collected == 0);
    qsort(q->heap, q->n, sizeof *q->heap, by_place);
    kept = event_bytes(q->heap[0].ev);
    while (keep < q->n && kept + event_bytes(q->heap[keep].ev) <= bytes)
        kept += event_bytes(q->heap[keep++].ev);

    size_t n = q->n - keep;
    if (n == 0)
        return 0;
    *out = mem_calloc(n, sizeof **out);
    memcpy(*out, &q->heap[keep], n * sizeof **out);
    q->n = keep;
    q->event_bytes = kept;
    return n;
}

/* ---- runs ------------------------------------------------------------------------------------ */

void event_queue_collect(struct event_queue *q, struct event *ev)
{
    assert(!q->run_end);
    if (q->n_collected == 0 || event_order(ev, q->collected[q->n_collected - 1]) < 0) {
        q->run = vec_reserve(q->run, &q->cap_runs, q->n_runs + 1, sizeof *q->run);
        q->run[q->n_runs++] = q->n_collected;
    }
    q->collected = vec_reserve(q->collected, &q->cap_collected, q->n_collected + 1,
                               sizeof *q->collected);
    q->collected[q->n_collected++] = ev;
    q->event_bytes += event_bytes(ev);
}

void event_queue_open(struct event_queue *q)
{
    assert(!q->run_end && q->n_runs < EVENT_QUEUE_ROW);
    q->run_end = mem_calloc(q->n_runs ? q->n_runs : 1, sizeof *q->run_end);
    for (size_t r = 0; r < q->n_runs; r++) {
        q->run_end[r] = r + 1 < q->n_runs ? q->run[r + 1] : q->n_collected;
        add(q, head_of(q, (uint32_t)r));
    }
}
