// SPDX-License-Identifier: Apache-2.0
/* shard_priv - the engine thread and what it has. */
#ifndef FLOW_SHARD_PRIV_H
#define FLOW_SHARD_PRIV_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/buf.h"
#include "base/pulse.h"
#include "engine/alert.h"
#include "engine/record.h"
#include "flow/question.h"
#include "flow/rule_clock.h"
#include "flow/shard.h"

struct barrier;
struct barrier_found;
struct drain_feed;
struct rule_watch;

/* One engine with what belongs to it. */
struct fed {
    struct shard_engine is;
    struct alert_list alerts;       /* found since the last barrier */
    struct drain_feed *drain;       /* draining */
    _Atomic bool drained;           /* draining: nothing is left */
    struct rule_watch *watch;
};

/* Between the shard and an epoch that is being written: either may end first. */
struct shard_link {
    pthread_mutex_t lock;
    struct shard *sh;               /* NULL: it has ended */
    _Atomic unsigned refs;
};

struct shard {
    struct shard_options opt;
    struct shard_link *link;        /* a reference */
    pthread_t thread;
    struct pulse pulse;
    struct rule_clock clock;        /* what rules cost */
    struct fed *fed;
    size_t n_fed;
    struct barrier *closing;        /* its epoch is being encoded; or NULL */
    size_t encoding;                /* the engine that is being encoded */
    struct record_writer writer;
    struct buf key;                 /* scratch */
    uint64_t alert_bytes;           /* waiting for the next barrier */
    struct barrier_found *found;    /* [n_found] owned: those alerts, by when they were found */
    size_t n_found, cap_found;
    struct histogram durable_after; /* by link->lock: how long alerts took to be durable, ns */
    bool crowded;
    bool asked;                     /* for a barrier, since the last one */
    int64_t checkpoint_cost;        /* ns of encoding of the last epoch */
    int64_t encoded;                /* ns, of this one so far */
    int64_t last_barrier;           /* monotonic */
    int64_t last_look;              /* monotonic */
    unsigned looks;                 /* that are to come, after what came last */
    int64_t last_bounds;            /* monotonic */
    int64_t answer_until; /* monotonic: then what is asked has had its time */
    struct question_box questions;
    _Atomic bool durable;           /* the submitted epoch is */
    _Atomic(const char *) broken;   /* why the engine cannot go on */
    _Atomic uint64_t events, alerts, epochs, memory, changed, loads;
    _Atomic int64_t longest_pause, longest_work, encode_ns;
};

#define SHARD_LOOK_EVERY INT64_C(1000000000)
enum { SHARD_LOOKS = 2 }; /* the second sees what readers counted until they had nothing to do */

/* shard_bounds.c */
/* For other threads: what is drained, what rules count; about once a second unless it is `now`. */
void shard_look(struct shard *sh, bool now);
void shard_count_last(struct shard *sh); /* at the last barrier */
void shard_check_bounds(struct shard *sh);
/* For tests: keys come and go as they do where all state is far larger than memory. */
void shard_let_all_go(struct shard *sh);

struct batch_item;
/* shard_row.c: BATCH_ROW, BATCH_DROP_ROWS */
void shard_feed_row(struct fed *fed, const struct batch_item *item);
/* shard_answer.c: for about a millisecond */
void shard_answer(struct shard *sh);
void shard_answer_ended(struct shard *sh); /* nobody will answer any more */

#endif
