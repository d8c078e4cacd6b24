// SPDX-License-Identifier: Apache-2.0
/*
 * checkpoint - the thread that writes the database, and all that it writes: epochs of the engine,
 * positions, alerts into the outbox, acknowledgements, dead letters.
 *
 *   engine, order stage --checkpoint_submit--> [queue] --> one atomic synced batch --> done(),
 *   sinks --------------outbox_ack, ...------> [queue] -/        outbox tells the sinks' threads,
 *                                                                alert_log who looks at alerts
 *
 * A write that fails: the database is closed and opened again and the kept batch is written again;
 * after CHECKPOINT_TRIES failures checkpoint_failed() says why, input stops (who feeds asks), and
 * trying goes on every second: nothing is acknowledged that is not durable.
 */
#ifndef STATE_CHECKPOINT_H
#define STATE_CHECKPOINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/histogram.h"
#include "state/alert_log.h"
#include "state/database.h"
#include "state/dead_letter.h"
#include "state/store.h"

struct buf;
struct checkpoint;
struct outbox;

enum { CHECKPOINT_TRIES = 3 };

/* A message for one or more sinks: an alert, a late event, a dead letter of a source. */
struct epoch_message {
    uint32_t *sink;  /* owned; numbers of the outbox's sinks */
    bool *direct;    /* owned; [n_sinks]: sent by `to` or `default_to`, not by a route only; NULL: all */
    uint32_t n_sinks; /* 0: to the dead letters, with `reason` */
    char *text;      /* owned; one line of JSON. Alerts: without detected_at, which delivery sets */
    size_t len;
    bool is_alert;
    struct alert_about about; /* of an alert that has no reason: it is kept for looking at, too */
    char *reason;    /* owned; of a dead letter, else NULL */
    char *origin;    /* owned; of a dead letter: "source partition generation offset" or a sink, else NULL */
};

/* What becomes durable together. */
struct epoch {
    struct store_batch *batch;       /* owned */
    struct epoch_message *message;   /* owned array, in order */
    size_t n_messages, cap_messages;
    void (*done)(void *ctx, struct epoch *ep); /* on the checkpoint thread, once durable; or NULL */
    void (*dropped)(void *ctx); /* instead of done: it was given up (checkpoint_free); or NULL */
    void *ctx;
};

struct epoch *epoch_new(void);
void epoch_free(struct epoch **ep);
/* A new message at the end, zeroed, to be filled. */
struct epoch_message *epoch_message_add(struct epoch *ep);
uint64_t epoch_bytes(const struct epoch *ep);

struct checkpoint_options {
    const char *dir;
    bool create;
    uint64_t dead_letter_bytes; /* most of the dead letters: beyond it the oldest go, counted; 1 GiB */
    uint64_t dead_letter_count; /* 10^6 */
    struct alert_log_options alerts; /* kept for looking at; alert_log.h */
};

/* Opens (or makes) the state directory and checks that it is ours, of our format, not in use.
 * NULL and a message with advice in why. The thread begins with checkpoint_start. */
struct checkpoint *checkpoint_open(const struct checkpoint_options *opt, struct buf *why);
void checkpoint_start(struct checkpoint *cp);
/* Writes what is queued, ends the thread, closes. While writing fails it tries CHECKPOINT_TRIES times more
 * and then gives up: nothing of it was acknowledged, so input is read again. */
void checkpoint_free(struct checkpoint **cp);
/* Any thread. Takes ep (freed after done or dropped). Never waits; see checkpoint_waiting. */
void checkpoint_submit(struct checkpoint *cp, struct epoch *ep);
/* Epochs that were submitted and are not durable yet. */
unsigned checkpoint_waiting(struct checkpoint *cp);
/* Waits until all submitted before are durable; false if writing fails by now (see _failed). */
bool checkpoint_settle(struct checkpoint *cp, int64_t timeout);
/* At a stop, while nothing can be written: who reads the database and waits for it gives up
 * (store_abandon), so that the engine's thread can be joined. */
void checkpoint_abandon(struct checkpoint *cp);
/* Why nothing can be written (appended), after CHECKPOINT_TRIES; false: it can. Any thread. */
bool checkpoint_failed(struct checkpoint *cp, struct buf *why);
/* Has its thread been at one piece of work (a write) for longer than this (ns)? Any thread. */
bool checkpoint_stuck(struct checkpoint *cp, int64_t longest);
/* Is some sink with `on_full wait` at its bound? Then no new events are to be read. Any thread. */
bool checkpoint_blocked(struct checkpoint *cp);
struct store *checkpoint_store(struct checkpoint *cp); /* borrowed; for reading, any thread */
struct outbox *checkpoint_outbox(struct checkpoint *cp); /* borrowed */
struct alert_log *checkpoint_alerts(struct checkpoint *cp); /* borrowed; NULL: they are not kept */
struct database_meta checkpoint_meta(struct checkpoint *cp); /* database.h; the last durable epoch */

struct checkpoint_stats { /* since it was opened */
    uint64_t epochs;    /* that are durable */
    unsigned waiting;   /* that are not */
    uint64_t bytes;     /* of the batches that were written */
    uint64_t last_bytes; /* of the last one with an epoch */
    uint64_t failures;  /* writes that failed */
    int64_t write_ns, last_write_ns;
    struct histogram writes; /* ns of each */
    int64_t last;       /* wall ns at which an epoch became durable; 0: none yet */
    bool failed;        /* checkpoint_failed */
};
struct checkpoint_stats checkpoint_stats(struct checkpoint *cp); /* any thread */
struct dead_letter_stats checkpoint_dead_letters(struct checkpoint *cp); /* dead_letter.h */
/* Takes the dead letters of the choice out; with replay those of a sink that is known go into its queue
 * again (others stay): as new messages, with an age that begins now. Waits until that is durable, at
 * most `timeout` ns. Any thread. */
struct dead_letter_change {
    uint64_t removed;  /* put into a queue again, with replay */
    uint64_t left;     /* of the choice, with replay: for one of these reasons */
    uint64_t left_no_sink, left_not_configured, left_at_bound; /* no sink's; the sink, its queue's bound */
};
bool checkpoint_change_dead_letters(struct checkpoint *cp, const struct dead_letter_choice *choice,
                                    bool replay, int64_t timeout,
                                    struct dead_letter_change *change_out, struct buf *why);
/* The same without waiting; orders are done one after the other. Any thread. */
struct dead_letter_order {
    struct dead_letter_choice choice; /* copied, with its texts */
    bool replay;
    /* In each batch that has a part of it, of which `change` is the sum by then: what else belongs there. On
     * the checkpoint thread; or NULL. A batch that is not written yet is written, or nothing after it is. */
    void (*record)(void *ctx, struct store_batch *batch, const struct dead_letter_change *change,
                   bool complete);
    /* Once: all of it is durable; NULL: it is not known to be. On the checkpoint thread, where that is
     * ended, or within the call. */
    void (*done)(void *ctx, const struct dead_letter_change *change);
    void *ctx;
};
void checkpoint_order_dead_letters(struct checkpoint *cp, const struct dead_letter_order *order);

#endif
