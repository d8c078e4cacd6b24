// SPDX-License-Identifier: Apache-2.0
/*
 * order - the order stage: events of several partitions, each as it was read, become one stream in
 * event order with a frontier (language section 7).
 *
 * The watermark of a partition is the highest event time that it has shown, less the lateness. An
 * event is late if its time is below the watermark that its own partition had when it was read;
 * nothing else decides, so the verdict does not depend on how reading was interleaved. An event is
 * given when no active partition can still bring an earlier one. A partition that was read to its
 * end is no longer active; when none is, time goes to infinity.
 * With ORDER_WHOLE nothing is late, and everything is put in order when all is read.
 * Events that fit no probe (n_fits == 0) move time and are not kept.
 */
#ifndef FLOW_ORDER_H
#define FLOW_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct event;
struct order;
struct origin;

#define ORDER_WHOLE INT64_MAX
#define ORDER_NONE UINT32_MAX

struct order_options {
    int64_t lateness;   /* ns, >= 0, or ORDER_WHOLE */
    uint64_t max_bytes; /* of events that wait */
    int64_t end;        /* time when all partitions have ended; INT64_MAX: infinity */
    bool order_by;      /* events may have an order_by value */
};

/* Who takes the events. */
struct order_sink {
    /* In event order; a scratch event is valid during the call only. */
    void (*event)(void *ctx, const struct event *ev);
    /* Everything to come has time >= frontier. Ascending; never below the time of an event given
     * before. The first call, before the first event, is the time of the first event of all, kept
     * or not: so the start of time does not depend on what rules read. */
    void (*advance)(void *ctx, int64_t frontier);
    void *ctx;
};

enum order_verdict {
    ORDER_TAKEN,
    ORDER_LATE, /* not taken; the caller says so */
    ORDER_FULL, /* not taken: max_bytes of events wait */
};

struct order *order_new(const struct order_options *opt, const struct order_sink *sink);
void order_free(struct order **o);
/* All partitions come before the first event. Borrows origin until order_free. Numbers from 0. */
uint32_t order_partition(struct order *o, const struct origin *origin);
/* The next event of a partition: time, origin, offset, order_by and fits are set. */
enum order_verdict order_add(struct order *o, uint32_t partition, const struct event *ev);
/* A partition was read to its end. */
void order_end(struct order *o, uint32_t partition);
/* Which partition to read next, so that the least has to wait: the one that holds the frontier.
 * ORDER_NONE when all have ended. */
uint32_t order_next(struct order *o);
uint64_t order_bytes(const struct order *o);      /* of events that wait now */
uint64_t order_peak_bytes(const struct order *o); /* the most there were */

#endif
