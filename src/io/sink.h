// SPDX-License-Identifier: Apache-2.0
/*
 * sink - where alerts go. One thread a sink (flow/deliver) takes entries of the outbox, in their
 * order, and gives them to the sink:
 *
 *     outbox_next --> sink_deliver ... sink_deliver --> sink_flush --> outbox_ack
 *
 * Between batches, and when idle, its thread asks whether the sink is `unsettled`: something has
 * changed, or is to change (a file is new to it, must be rotated), that its saved position must tell
 * before anything is delivered there. Then: sink_flush, outbox_ack, wait until that is durable,
 * sink_settled.
 *
 * A batch of which the sink cannot say yet whether it has taken it (`unsure`: whose the place is where it goes on is
 * known with a later message) goes on, however long it is, or is taken again from its beginning.
 *
 * A message that the sink can never take (SINK_REFUSED) becomes a dead letter, and the batch goes on. A sink
 * that fails is asked again, with backoff, by its thread; it keeps nothing of what was not
 * flushed. If it must not be asked again, because what it wrote to is another's now, it says so (`over`) with
 * a failure: the process is to stop. `position` is the sink's own small record, saved with the acknowledgement (for a file:
 * which file, and how many bytes of it are acknowledged) and given back at the start, so that it can
 * cut off what came after. Kinds: sink_file.h, sink_stdout.h, sink_kafka.h.
 */
#ifndef IO_SINK_H
#define IO_SINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;
struct sink;

/* What is delivered: one line of JSON (an alert with its detected_at, a late event, a dead letter). */
struct sink_message {
    uint64_t seq;       /* in this sink's outbox; ascending */
    const char *text;   /* without line end */
    size_t len;
    bool is_alert;      /* and not a late event or a dead letter */
};

enum { SINK_IDENTITY_BYTES = 16 };

/* From where on it delivers. */
struct sink_place {
    const void *position; /* as it was acknowledged last; borrowed for the call */
    size_t len;           /* 0: nothing was */
    uint64_t acked, last; /* messages up to acked are over; last is the number of the last one there is */
    uint8_t identity[SINK_IDENTITY_BYTES]; /* of the state directory; copies of it have the same */
};

enum sink_result { SINK_TAKEN, SINK_FAILED, SINK_REFUSED };

/* Counted since the start; a kind that does not have one leaves it 0. */
struct sink_figures {
    uint64_t transactions; /* that were committed */
    uint64_t aborts;
    uint64_t producers;    /* that were made again after a failure */
    bool undecided;        /* it fails until somebody decides: the state directory is not the one that wrote */
};

struct sink_ops {
    bool (*start)(struct sink *s, const struct sink_place *place, struct buf *why);
    enum sink_result (*deliver)(struct sink *s, const struct sink_message *message, struct buf *why);
    bool (*flush)(struct sink *s, struct buf *position_out, struct buf *why);
    /* These may be NULL: there is nothing to do. */
    bool (*unsettled)(struct sink *s);
    bool (*settled)(struct sink *s, struct buf *why);
    bool (*unsure)(struct sink *s, uint64_t taken);
    void (*reopen)(struct sink *s);
    void (*interrupt)(struct sink *s);
    void (*figures)(struct sink *s, struct sink_figures *figures_out);
    void (*free)(struct sink *s);
};

struct sink { /* first member of each kind */
    const struct sink_ops *ops;
    const char *name; /* owned by the kind */
    bool over;        /* set by the kind, in a call that fails: the sink must not be asked again */
};

/* Before the first deliver, and again after a failure: what is behind the position is
 * taken back if it can be. False and a message if the sink cannot work now: it is tried again. */
static inline bool sink_start(struct sink *s, const struct sink_place *place, struct buf *why)
{
    return s->ops->start(s, place, why);
}
/* SINK_FAILED: a failure outside, with a message in why; nothing since the last flush counts. SINK_REFUSED: this
 * message alone cannot be delivered, ever, and why. */
static inline enum sink_result sink_deliver(struct sink *s, const struct sink_message *message,
                                            struct buf *why)
{
    return s->ops->deliver(s, message, why);
}
/* All that was delivered is durable (a file: fsync); appends the position after it. */
static inline bool sink_flush(struct sink *s, struct buf *position_out, struct buf *why)
{
    return s->ops->flush(s, position_out, why);
}
/* Must the position be durable before more is delivered? */
static inline bool sink_unsettled(struct sink *s)
{
    return s->ops->unsettled && s->ops->unsettled(s);
}
/* The position of the last flush is durable. False and a message: as a failure of deliver. */
static inline bool sink_settled(struct sink *s, struct buf *why)
{
    return !s->ops->settled || s->ops->settled(s, why);
}
/* Must the batch not end with the message of this number? */
static inline bool sink_unsure(struct sink *s, uint64_t taken)
{
    return s->ops->unsure && s->ops->unsure(s, taken);
}
/* Any thread: the process stops; what waits for others (a pipe that nobody reads) fails from now on. */
static inline void sink_interrupt(struct sink *s)
{
    if (s->ops->interrupt)
        s->ops->interrupt(s);
}
/* Between other calls, by its thread. */
static inline struct sink_figures sink_figures(struct sink *s)
{
    struct sink_figures figures = {0};

    if (s->ops->figures)
        s->ops->figures(s, &figures);
    return figures;
}
/* SIGHUP, any thread. */
static inline void sink_reopen(struct sink *s)
{
    if (s->ops->reopen)
        s->ops->reopen(s);
}
static inline void sink_free(struct sink **s)
{
    if (*s)
        (*s)->ops->free(*s);
    *s = NULL;
}

#endif
