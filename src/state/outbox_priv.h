// SPDX-License-Identifier: Apache-2.0
/*
 * outbox_priv - the outbox as the checkpoint thread sees it.
 *
 *   outbox_build    numbers the messages of epochs, adds acknowledgements and rejections: all into the
 *                   batch that is about to be written; a batch is built once and kept until it is durable
 *   outbox_told     it is durable: entries go to the sinks' threads
 *
 * A queue, by sequence numbers:
 *
 *     acked       taken        fifo_end        durable_end      next
 *   ....|############|============|.................|~~~~~~~~~~~~|
 *        given, not   in memory    in the database   in the batch that is being written
 *        acknowledged
 *
 * Invariants:
 *  1. acked < fifo's first <= fifo_end <= durable_end <= next; fifo holds all of [.., fifo_end) that
 *     were not rejected.
 *  2. a sequence number is never used again: `next` is in the sink's record of each batch that has
 *     messages for it.
 *  3. waiting, waiting_bytes count the entries above acked that are not rejected, those of the batch
 *     being written too; what they count and the sink's record are written together.
 */
#ifndef STATE_OUTBOX_PRIV_H
#define STATE_OUTBOX_PRIV_H

#include <pthread.h>

#include "base/buf.h"
#include "state/checkpoint.h"
#include "state/dead_letter.h"
#include "state/outbox.h"
#include "state/outbox_record.h"

enum { FIFO_COUNT = 1024, FIFO_BYTES = 1 << 20 }; /* most of a queue in memory */

struct fifo_entry {
    uint64_t seq;
    char *text; /* owned */
    size_t len;
    bool is_alert;
};

struct taken_entry {
    uint64_t seq;
    uint64_t bytes;
    bool rejected;
};

struct rejected {
    uint64_t seq;
    char *reason; /* owned */
};

struct sink_queue {
    char *name;       /* owned */
    uint32_t number;  /* in keys; never changes */
    uint64_t next, acked;
    uint64_t waiting, waiting_bytes;
    struct buf position;
    bool dirty;       /* the record is to be written */
    uint64_t acks, settling, settling_in_batch, settled; /* acknowledgements, by their number */
    uint64_t removed; /* entries up to here are removed, or in the batch */

    bool configured;
    uint64_t max_count, max_bytes;
    enum outbox_on_full on_full;
    uint64_t delivered, n_rejected, overflowed;

    pthread_cond_t come;
    bool woken;
    struct fifo_entry *fifo; /* [cap_fifo], n_fifo from first_fifo on */
    size_t first_fifo, n_fifo, cap_fifo;
    uint64_t fifo_bytes, fifo_end, durable_end;
    struct taken_entry *taken; /* n_taken from first_taken on */
    size_t first_taken, n_taken, cap_taken;
    struct rejected *rejected; /* the first n_in_batch are in the batch that is being written */
    size_t n_rejected_now, n_in_batch, cap_rejected;
};

/* An entry of the batch that is being written. */
struct staged {
    struct sink_queue *queue;
    uint64_t seq;
    char *text; /* owned */
    size_t len;
    bool is_alert;
};

struct outbox {
    pthread_mutex_t lock;
    struct store *store;         /* borrowed */
    struct dead_letters *dead;   /* borrowed; the checkpoint thread's */
    struct sink_queue **queue;   /* owned; all that have a record, or will have */
    size_t n_queues, cap_queues;
    struct sink_queue **of_sink; /* [n_sinks]: those that are configured */
    uint32_t n_sinks;
    struct staged *staged;
    size_t n_staged, cap_staged;
    int64_t acks_since; /* monotonic; 0: nothing to be written but epochs */
    bool sync;          /* some of it are rejections, or to be settled */
    void (*poke)(void *ctx);
    void *poke_ctx;
};

/* Reads all queues' records and removes entries that were acknowledged. NULL: why. */
struct outbox *outbox_open(struct store *st, struct dead_letters *dead, void (*poke)(void *ctx),
                           void *poke_ctx, struct buf *why);
void outbox_free(struct outbox **ob);

/* Monotonic time from which on something waits to be written; 0: nothing. *sync_out: it is worth a sync. */
int64_t outbox_pending(struct outbox *ob, bool *sync_out);
/* True: what it added is worth a sync. */
bool outbox_build(struct outbox *ob, struct store_batch *batch, struct epoch *const *ep,
                  size_t n_epochs, int64_t now);
/* A dead letter back into the queue of the sink it is of. False: there is no such sink. */
bool outbox_requeue(struct outbox *ob, struct store_batch *batch, const struct dead_letter *letter);
void outbox_told(struct outbox *ob);
bool outbox_blocked(struct outbox *ob);

/* ---- shared by outbox.c and outbox_write.c --------------------------------------------------- */

void fifo_push(struct sink_queue *q, struct fifo_entry entry);
bool queue_is_full(const struct sink_queue *q, size_t more);

#endif
