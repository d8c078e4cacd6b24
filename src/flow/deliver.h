// SPDX-License-Identifier: Apache-2.0
/*
 * deliver - a thread for each sink: from the outbox to it.
 *
 *     outbox_next ... outbox_next      what waits, up to DELIVER_COUNT messages, DELIVER_BYTES
 *       a route is silent            muted: passed over, acknowledged with the others, counted
 *       alerts get detected_at
 *     sink_deliver ... sink_flush      refuses one: outbox_reject, and on
 *     outbox_ack                       fails: io/backoff.h (100 ms to 30 s),
 *                                        sink_start with the acknowledged position, outbox_rewind
 *     sink_unsure?                     the batch does not end here: sink.h
 *     sink_unsettled?                  a position that must be durable first: sink.h
 *
 * A failure is told in the log when it begins, when its reason changes and every five minutes, and so is
 * its end. Nothing else waits for a sink that fails: what is for it stays in the outbox.
 */
#ifndef FLOW_DELIVER_H
#define FLOW_DELIVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/histogram.h"
#include "io/sink.h"

struct buf;
struct deliver;
struct outbox;
struct route_table;

enum { DELIVER_COUNT = 1000, DELIVER_BYTES = 1 << 20 };

struct deliver_stats {
    uint64_t delivered;  /* messages, since the start */
    struct histogram took; /* ns from when they were durable */
    uint64_t muted;      /* that were acknowledged without being delivered, flow/route.h */
    uint64_t failures;   /* of the sink: starts, deliveries, flushes */
    bool failing;
    struct sink_figures sink; /* as it counts itself */
    char last_error[640]; /* "": none yet; cut at its end */
    int64_t waits;       /* ns that the oldest message taken and not acknowledged has been with the thread */
};

/* Begins. identity: of the state directory, copied. sink[i] belongs to the outbox's sink i, or is NULL: another
 * delivers (flow/courier.h). Borrowed until deliver_stop. rt: a reference is kept; NULL: no routes. */
struct deliver *deliver_start(struct outbox *ob, const uint8_t identity[SINK_IDENTITY_BYTES], struct sink *const *sink,
                              uint32_t n, struct route_table *rt);
/* Delivers what waits in the outbox until nothing does or `within` ns have passed; then ends the
 * threads and frees. False: something is left (it stays in the outbox). NULL is fine. */
bool deliver_stop(struct deliver **d, int64_t within);
/* Any thread. Is a sink over for good (sink.h)? Then why is appended, with the sink's name; once. */
bool deliver_over(struct deliver *d, struct buf *why);
/* Any thread. */
void deliver_stats(struct deliver *d, uint32_t sink, struct deliver_stats *stats_out);

/* The alert with `"detected_at":"2026-11-29T22:40:01.123Z"` behind its member "time" (language
 * section 8): appended to out. wall: ns, told to the ms. */
void alert_stamp(struct buf *out, const char *json, size_t len, int64_t wall);

#endif
