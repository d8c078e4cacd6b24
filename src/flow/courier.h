// SPDX-License-Identifier: Apache-2.0
/*
 * courier - one thread between the outbox and all endpoints of webhooks.
 *
 *   outbox_next --> [mute] --> [group] --> [batch] --> body_write --> web_post
 *                     |                                                 | web_wait
 *                outbox_done                                            v
 *                                  2xx: outbox_done <------------- the answer
 *       408 425 429 5xx 3xx, no answer: again, after a while <----------|
 *       other 4xx, too old, no body: outbox_reject <--------------------|
 *                           410: outbox_reject of the whole queue <-----/
 *
 * At least once: a message leaves the outbox when the endpoint has said 2xx, never before. It comes
 * again with the same id after a failure, a kill, or an answer that did not arrive: `id.revision` of
 * an alert; of several alerts in one message the hash of their ids (courier_parcel.c).
 *
 * Order: the messages of an endpoint are first sent in the order of the queue; at most `in_flight` of
 * them are unanswered or wait to be sent again. With 1 the order is strict. While an endpoint fails
 * (no answer, 429, 5xx, ...), its oldest message alone is tried, after io/backoff.h, or when the
 * endpoint said (Retry-After); the first success opens the window again.
 *
 * An endpoint that fails, hangs or has a long queue costs the others nothing: of each queue a bounded
 * number of messages and bytes is taken, and the endpoints are looked at in turns.
 */
#ifndef FLOW_COURIER_H
#define FLOW_COURIER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/histogram.h"
#include "io/web.h"

struct body;
struct buf;
struct courier;
struct outbox;
struct route_table;

struct courier_endpoint {
    uint32_t sink;                    /* of the outbox */
    const char *name;                 /* copied */
    struct web_endpoint_options web;  /* borrowed for the call */
    struct body *body;                /* taken */
    uint32_t in_flight;               /* requests that are unanswered or wait to be sent again; 1: strict order */
    uint32_t batch_count;             /* most alerts in a message; 1: each has its own */
    int64_t batch_wait;               /* ns that a message waits for batch_count alerts; 0: it does not */
    int64_t max_age;                  /* ns since a message was durable, then it is a dead letter */
    int64_t retry_least, retry_most;  /* ns, of the backoff */
};

struct courier_stats {
    uint64_t delivered;    /* messages of the outbox that were answered with 2xx, since the start */
    struct histogram took; /* ns from when they were durable */
    uint64_t requests;     /* that were begun */
    uint64_t retries;      /* of those: not the first with its id */
    uint64_t failures;     /* of those: to be made again */
    uint64_t rejected;     /* to the dead letters */
    uint64_t muted;
    uint32_t in_flight;    /* requests without an answer */
    uint32_t held;         /* messages taken from the outbox and not over */
    int64_t oldest;        /* wall time, ns: since when the oldest of those is durable; 0: none is held */
    int64_t failing_since; /* wall time, ns; 0: it does not fail */
    int64_t disabled_since; /* wall time, ns: it answered 410; 0: it is not disabled */
    char last_error[256];  /* "": none yet; cut at its end */
};

/* Begins. Bodies are taken, also on failure (NULL and why: an endpoint that cannot be made, named).
 * rt: a reference is kept. */
struct courier *courier_start(struct outbox *ob, const struct courier_endpoint *ep, size_t n,
                              struct route_table *rt, struct buf *why);
/* Delivers what waits in the outbox until nothing does, nothing can be delivered (all that is left waits
 * for endpoints that fail), or `within` ns have passed; then aborts what is in flight, ends the thread
 * and frees. False: something is left (it stays in the outbox). NULL is fine. */
bool courier_stop(struct courier **c, int64_t within);
/* New secrets, headers, certificates of the endpoint of the sink; what is in flight goes on with the
 * old ones, what waits to be tried again is tried at once. False and why: they cannot be used, the old ones stay. Any thread. */
bool courier_renew(struct courier *c, uint32_t sink, const struct web_endpoint_options *web,
                   struct buf *why);
/* One that answered 410 is asked again; *was_out: it was disabled. That is durable with the next batch. False
 * and why: it has ended. Any thread. */
bool courier_enable(struct courier *c, uint32_t sink, bool *was_out, struct buf *why);
/* Groups and batches that wait for more are sent now. Any thread. */
void courier_flush(struct courier *c);
/* Any thread. */
void courier_stats(struct courier *c, uint32_t sink, struct courier_stats *stats_out);

#endif
