// SPDX-License-Identifier: Apache-2.0
/* checkpoint_priv - what the thread has, and requests about dead letters (dead_letter_request.c). */
#ifndef STATE_CHECKPOINT_PRIV_H
#define STATE_CHECKPOINT_PRIV_H

#include <pthread.h>

#include "base/buf.h"
#include "base/pulse.h"
#include "state/checkpoint.h"

/* An order, and how far it is: the thread's, once it is in the list. */
struct dead_letter_request {
    struct dead_letter_order order;
    char *sink, *origin, *reason; /* owned: the order's texts; NULL: any */
    uint64_t next;                /* what is left of the range begins here */
    bool complete;                /* this batch is the last one */
    struct dead_letter_change change;
    struct dead_letter_request *after;
};

struct checkpoint {
    struct store *store;       /* owned, as all below */
    struct dead_letters *dead; /* the thread's */
    struct outbox *outbox;
    struct alert_log *alerts;  /* or NULL */
    pthread_t thread;
    struct pulse pulse;
    bool started;
    struct epoch **group;      /* the thread's: what goes into one batch */
    size_t n_group, cap_group;
    struct database_meta next_meta; /* the thread's: when the batch is durable */

    pthread_mutex_t lock;      /* all below */
    pthread_cond_t come;       /* something to do */
    pthread_cond_t settled;    /* something is durable, or failed */
    struct epoch **waiting;
    size_t n_waiting, cap_waiting;
    uint64_t submitted, durable;
    struct dead_letter_request *requests; /* owned list; the first is under way */
    struct database_meta meta;
    struct dead_letter_stats dead_stats;
    struct checkpoint_stats stats; /* epochs, waiting, failed are found when asked */
    struct buf failure;
    bool failed, poked, stopping, ended;
};

/* Waits for `settled` until then (monotonic; INT64_MAX: for ever). Called with the lock; false: time over. */
bool checkpoint_wait(struct checkpoint *cp, int64_t until);
/* A piece of the request into the batch; true if there is anything. */
bool dead_letter_request_build(struct dead_letter_request *request, struct checkpoint *cp,
                               struct store_batch *batch);
/* Out of the list: says that it is durable, or given up, and frees it. Without the lock. */
void dead_letter_request_end(struct dead_letter_request **request, bool done);

#endif
