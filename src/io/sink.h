// SPDX-License-Identifier: Apache-2.0
/*
 * sink - where alerts go. One thread a sink (flow/deliver) takes entries of the outbox, in their
 * order, and gives them to the sink:
 *
 *     outbox_next --> sink_deliver ... sink_deliver --> sink_flush --> outbox_ack
 *
 * A sink that fails is asked again, with backoff, by its thread; it keeps nothing of what was not
 * flushed. `position` is the sink's own small record, saved with the acknowledgement (for a file:
 * which file, and how many bytes of it are acknowledged) and given back at the start, so that it can
 * cut off what came after. Kinds: sink_file.h, sink_stdout.h.
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
};

struct sink_ops {
    bool (*start)(struct sink *s, const void *position, size_t len, struct buf *why);
    bool (*deliver)(struct sink *s, const struct sink_message *message, struct buf *why);
    bool (*flush)(struct sink *s, struct buf *position_out, struct buf *why);
    void (*reopen)(struct sink *s); /* SIGHUP; any thread. NULL: nothing to do */
    void (*free)(struct sink *s);
};

struct sink { /* first member of each kind */
    const struct sink_ops *ops;
    const char *name; /* owned by the kind */
};

/* Before the first deliver, and again after a failure: what is behind position (len 0: none yet) is
 * taken back if it can be. False and a message if the sink cannot work now: it is tried again. */
static inline bool sink_start(struct sink *s, const void *position, size_t len, struct buf *why)
{
    return s->ops->start(s, position, len, why);
}
/* False: a failure outside, with a message in why; nothing since the last flush counts. */
static inline bool sink_deliver(struct sink *s, const struct sink_message *message, struct buf *why)
{
    return s->ops->deliver(s, message, why);
}
/* All that was delivered is durable (a file: fsync); appends the position after it. */
static inline bool sink_flush(struct sink *s, struct buf *position_out, struct buf *why)
{
    return s->ops->flush(s, position_out, why);
}
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
