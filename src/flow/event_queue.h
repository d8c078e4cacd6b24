// SPDX-License-Identifier: Apache-2.0
/*
 * event_queue - kept events, the first in event order on top. Two ways to fill it:
 *  - event_queue_push_item: a binary heap; O(log n) a push and a pop;
 *  - event_queue_collect, then event_queue_open once: for an input that is put in order as a whole.
 *    What comes in ascending stretches (files nearly always do) is kept as such *runs*, 8 bytes an
 *    event, and the heap holds the heads of the runs only: O(log runs) a pop.
 */
#ifndef FLOW_EVENT_QUEUE_H
#define FLOW_EVENT_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct event;

struct event_queue_item {
    int64_t time;       /* its place: of ev; of a late one the watermark of its partition */
    struct event *ev;   /* owned reference */
    uint32_t partition; /* the caller's; with event_queue_collect 0 */
    uint32_t run;       /* number of its run, EVENT_QUEUE_NO_RUN, _LATE or _ROW */
};

struct event_queue { /* embedded: _init, _fini */
    struct event_queue_item *heap;
    size_t n, cap;
    struct event **collected; /* all runs, one behind the other; given ones are NULL */
    size_t n_collected, cap_collected;
    size_t *run;              /* [n_runs]: the next of collected to give */
    size_t *run_end;          /* [n_runs] once opened */
    size_t n_runs, cap_runs;
    uint64_t event_bytes;     /* of the events in it */
};

#define EVENT_QUEUE_NO_RUN UINT32_MAX
#define EVENT_QUEUE_LATE (UINT32_MAX - 1) /* behind all others of its time, by origin and offset */
#define EVENT_QUEUE_ROW (UINT32_MAX - 2)  /* before all others of its time, likewise */

void event_queue_init(struct event_queue *q);
void event_queue_fini(struct event_queue *q); /* unrefs what is left */
void event_queue_push_item(struct event_queue *q, struct event_queue_item item); /* of no run */
void event_queue_collect(struct event_queue *q, struct event *ev);             /* takes ev */
void event_queue_open(struct event_queue *q); /* no collect after it */
/* NULL when empty; valid until the queue changes. */
static inline const struct event_queue_item *event_queue_top(const struct event_queue *q)
{
    return q->n ? q->heap : NULL;
}
struct event *event_queue_pop(struct event_queue *q); /* returns owned; not when empty */
/* Takes the last ones out, until what is left has `bytes` at most (the first of all stays). Returns
 * how many; *out is an owned array of them, in order. Not with runs. */
size_t event_queue_cut(struct event_queue *q, uint64_t bytes, struct event_queue_item **out);
bool event_queue_before(const struct event_queue_item *a, const struct event_queue_item *b);
/* Memory of the events and of the queue itself. */
uint64_t event_queue_bytes(const struct event_queue *q);

#endif
