// SPDX-License-Identifier: Apache-2.0
/*
 * outbox - alerts that are durable and not yet delivered, a queue for each sink, in the database.
 *
 *   epoch message --checkpoint thread--> durable, numbered --> outbox_next --> delivered --> outbox_ack,
 *                                            |                                  |            outbox_done
 *                                            +-- queue at its bound: on_full    \--> outbox_reject
 *                                                                                    (dead letters)
 *
 * A message is numbered per sink when its epoch is written: same epoch, same numbers. What the sinks'
 * threads take comes from memory while little waits, else from the database: a sink that is down for
 * a day costs disk, not memory.
 */
#ifndef STATE_OUTBOX_H
#define STATE_OUTBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;
struct checkpoint;
struct outbox;

enum outbox_on_full { OUTBOX_DEAD_LETTER, OUTBOX_WAIT };

#define OUTBOX_ACK_DELAY INT64_C(50000000) /* ns */

struct outbox_sink {
    const char *name;             /* borrowed for the call */
    uint64_t max_count, max_bytes; /* 0: 10^6, 1 GiB */
    enum outbox_on_full on_full;
};

struct outbox_entry {
    uint64_t seq;
    bool is_alert;
    bool direct; /* sent by `to` or `default_to`, not by a route only */
    int64_t at;  /* wall time, ns, when it became durable; 0: not known */
    char *text;  /* owned: mem_free */
    size_t len;
};

struct outbox_stats {
    uint64_t waiting, waiting_bytes, delivered, rejected, overflowed;
};

/* The sinks there are, before checkpoint_start and at each reload (between pipelines, when all that was
 * submitted is durable: checkpoint_settle): numbers from 0 in this order. Queues of sinks that are
 * gone stay in the database, and are told in the log. */
bool outbox_configure(struct outbox *ob, const struct outbox_sink *sink, uint32_t n,
                      struct buf *why);
/* The sink's saved position, appended; nothing if there is none. */
void outbox_position(struct outbox *ob, uint32_t sink, struct buf *position_out);
/* Up to *acked_out all is over; *last_out: number of the last message that is durable (0: there never was one). */
void outbox_range(struct outbox *ob, uint32_t sink, uint64_t *acked_out, uint64_t *last_out);
/* The next message of the sink after the last one taken since outbox_rewind; waits `timeout` ns (< 0: for
 * ever). False: none, or much that was rejected is not written yet (or outbox_wake). One thread a sink
 * calls next, rewind, ack, done and reject. */
bool outbox_next(struct outbox *ob, uint32_t sink, int64_t timeout, struct outbox_entry *entry_out);
/* Back to the first one that is not acknowledged: after a failure. */
void outbox_rewind(struct outbox *ob, uint32_t sink);
/* Something may be there for outbox_next: told instead of waited for, to who takes for many sinks. Called
 * by the checkpoint's thread, with the outbox locked: it may only wake another. NULL: nobody is told any
 * more, nor will be when this returns; so it is after outbox_configure, too. */
void outbox_listen(struct outbox *ob, uint32_t sink, void (*come)(void *ctx), void *ctx);
/* All up to seq (the last one taken, or an earlier one; 0: none, the position alone) are delivered; with
 * the sink's position. Goes into the next batch, at most OUTBOX_ACK_DELAY later, which is not synced if it has nothing else.
 *
 * Why that is enough: a killed process loses nothing that was written. A power failure may lose the
 * last acknowledgements, and nothing that was synced with them: number, position and the removal of
 * the entries are in one batch, so what comes back is an earlier state of the whole queue. The entries
 * are then delivered again: to a file, which was cut to the position that came back with them, exactly
 * once; to other sinks once more, with the same ids (at least once, as they promise). If a later synced
 * batch survives which holds a higher `acked`, entries up to it are removed at the next opening. */
void outbox_ack(struct outbox *ob, uint32_t sink, uint64_t seq, const void *position, size_t len);
/* Makes the last acknowledgement of the sink durable (synced), at once; waits `timeout` ns for it. False:
 * not yet (or outbox_wake). */
bool outbox_settle(struct outbox *ob, uint32_t sink, int64_t timeout);
/* This one of those taken is delivered, whatever becomes of earlier ones: it will not be given again, not
 * after a kill either once that is written, as with outbox_ack. The position stays. */
void outbox_done(struct outbox *ob, uint32_t sink, uint64_t seq);
/* This one of those taken cannot be delivered ever: to the dead letters, and on. */
void outbox_reject(struct outbox *ob, uint32_t sink, uint64_t seq, const char *reason);
void outbox_wake(struct outbox *ob); /* all outbox_next that wait return */
void outbox_stats(struct outbox *ob, uint32_t sink, struct outbox_stats *stats_out);

#endif
