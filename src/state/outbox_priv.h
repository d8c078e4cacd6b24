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
 *     are not over. Of those taken the first is not over: acked is as high as it can be.
 *  2. a sequence number is never used again: `next` is in the sink's record of each batch that has
 *     messages for it.
 *  3. waiting, waiting_bytes count the entries above acked that are not over, those of the batch
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
    int64_t at;
    bool is_alert, direct;
};

struct taken_entry {
    uint64_t seq;
    uint64_t bytes;
    bool over; /* done, or rejected */
};

/* An entry that is to be removed from the database. */
struct leaving {
    uint64_t seq;
    char *reason; /* owned; it becomes a dead letter. NULL: it is delivered */
};

struct sink_queue {
    char *name;       /* owned */
    uint32_t number;  /* in keys; never changes */
    uint64_t next, acked, last_taken;
    uint64_t waiting, waiting_bytes;
    struct buf position;
    bool dirty;       /* the record is to be written */
    uint64_t acks, settling, settling_in_batch, settled; /* acknowledgements, by their number */

    bool configured;
    uint64_t max_count, max_bytes;
    enum outbox_on_full on_full;
    uint64_t delivered, n_rejected, overflowed;

    void (*listener)(void *ctx); /* or NULL */
    void *listener_ctx;
    pthread_cond_t come;
    bool woken;
    bool news;        /* entries became durable: the listener is to be told */
    struct fifo_entry *fifo; /* [cap_fifo], n_fifo from first_fifo on */
    size_t first_fifo, n_fifo, cap_fifo;
    uint64_t fifo_bytes, fifo_end, durable_end;
    struct taken_entry *taken; /* n_taken from first_taken on, the first not over; n_over later ones are */
    size_t first_taken, n_taken, cap_taken, n_over;
    /* The first n_written are removed from the database, and stay while it is being read (reading): what is
     * read may be older. The first n_in_batch are those and what is in the batch that is being written. */
    struct leaving *leaving;
    size_t n_leaving, n_written, n_in_batch, cap_leaving;
    bool reading;
    uint64_t last_leaving;     /* none that is leaving has a higher number */
    uint64_t rejecting, rejecting_bytes; /* of `leaving`: those with a reason */
    uint64_t rejecting_in_batch, rejecting_bytes_in_batch;
};

/* An entry of the batch that is being written. */
struct staged {
    struct sink_queue *queue;
    uint64_t seq;
    char *text; /* owned */
    size_t len;
    int64_t at;
    bool is_alert, direct;
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
    bool to_poke;       /* acks_since was set: outbox_unlock pokes */
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
enum outbox_requeued { OUTBOX_REQUEUED, OUTBOX_NO_SINK, OUTBOX_NOT_CONFIGURED, OUTBOX_AT_BOUND };
/* A dead letter back into the queue of the sink it is of. When nobody told which sinks there are, all that
 * have a queue are. */
enum outbox_requeued outbox_requeue(struct outbox *ob, struct store_batch *batch,
                                    const struct dead_letter *letter, int64_t now);
void outbox_told(struct outbox *ob);
bool outbox_blocked(struct outbox *ob);

/* ---- shared by outbox.c, outbox_done.c and outbox_write.c; called with the lock ----------------- */

enum { REJECTING_COUNT = 4096, REJECTING_BYTES = 4 << 20 }; /* most that is rejected and not written */

void outbox_unlock(struct outbox *ob);
void fifo_push(struct sink_queue *q, struct fifo_entry entry);
bool queue_is_full(const struct sink_queue *q, size_t more);
bool queue_rejects_much(const struct sink_queue *q);
/* False: the time is over (monotonic; INT64_MAX: never). */
bool queue_wait(struct outbox *ob, struct sink_queue *q, int64_t until);
/* To the dead letters: an entry that is not among those taken, or is marked there as over. */
void queue_reject(struct outbox *ob, struct sink_queue *q, uint64_t seq, uint64_t bytes,
                  const char *reason);
/* Those that are removed from the database, unless it is being read. */
void queue_forget_left(struct sink_queue *q);
bool queue_is_leaving(const struct sink_queue *q, uint64_t seq);

#endif
