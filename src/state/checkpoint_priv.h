// SPDX-License-Identifier: Apache-2.0
/* checkpoint_priv - what the thread has, and requests about dead letters (dead_letter_request.c). */
#ifndef STATE_CHECKPOINT_PRIV_H
#define STATE_CHECKPOINT_PRIV_H

#include <pthread.h>

#include "base/buf.h"
#include "state/checkpoint.h"

/* One at a time. next, complete and change are the thread's until it is done. */
struct dead_letter_request {
    uint64_t next, last; /* what is left of the range */
    bool replay;
    bool complete;       /* this batch is the last one */
    struct dead_letter_change change;
    bool used;           /* under the lock, as all below */
    bool left;           /* who asked has gone: nobody will take the answer */
    bool done;
};

struct checkpoint {
    struct store *store;       /* owned, as all below */
    struct dead_letters *dead; /* the thread's */
    struct outbox *outbox;
    pthread_t thread;
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
    struct dead_letter_request request;
    struct database_meta meta;
    struct dead_letter_stats dead_stats;
    struct buf failure;
    bool failed, poked, stopping, ended;
};

/* Waits for `settled` until then (monotonic; INT64_MAX: for ever). Called with the lock; false: time over. */
bool checkpoint_wait(struct checkpoint *cp, int64_t until);
/* A piece of the request into the batch; true if there is anything. */
bool dead_letter_request_build(struct dead_letter_request *request, struct checkpoint *cp,
                               struct store_batch *batch);
/* It is durable. Called with the lock. */
void dead_letter_request_told(struct dead_letter_request *request, struct checkpoint *cp);

#endif
