// SPDX-License-Identifier: Apache-2.0
/* stage_priv - what the files of the order stage's thread share. */
#ifndef FLOW_STAGE_PRIV_H
#define FLOW_STAGE_PRIV_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/buf.h"
#include "base/pulse.h"
#include "flow/barrier.h"
#include "flow/intake.h"
#include "flow/position.h"
#include "flow/stage.h"

struct batch;
struct decoder;
struct epoch;
struct order;
struct probe_scratch;

struct stage_input { /* a source, at run time */
    struct stage_source is;
    struct intake **waiting; /* [n_waiting] owned, in order: there is no room for them now */
    size_t n_waiting, cap_waiting;
    uint32_t at;            /* the next item of the first */
    bool ready, finished;
    bool stalled;           /* as a whole */
    char *saved_as;         /* owned */
    bool known;             /* of rows: all its partitions had been read to their ends before */
    struct stage_stats stats; /* the thread's */
};

struct stage_group {
    struct stage *st;
    uint32_t number;
    struct order *order;
    struct batch *batch;    /* being filled; or NULL */
    bool finished;          /* time went to infinity */
    bool rows_only;         /* tables alone: there is no time */
    bool disk_full;         /* what waits found no room on disk, and that was told */
};

struct stage {
    struct stage_options opt;
    pthread_t thread;
    struct pulse pulse;
    struct stage_input *input;     /* [n_sources] */
    struct stage_group *group;     /* [n_groups] */
    struct live_partition **lp;    /* borrowed: their readers made them */
    size_t n_lp, cap_lp;
    size_t n_paused;
    struct position *saved;        /* those of partitions that were not opened yet: saved again as they are */
    size_t n_saved;
    struct decoder *decoder;       /* for what comes back from disk */
    struct probe_scratch *probe;
    struct decoder **old_decoder;  /* [n_draining] */
    struct probe_scratch **old_probe;
    struct epoch *ep;              /* messages since the last barrier */
    struct stage_released {        /* [n_released] what the barrier that is under way saves */
        struct live_partition *lp;
        uint64_t resume, read;
        bool ended;
    } *released;
    size_t n_released, cap_released;
    struct store_batch *extra;     /* of the last barrier */
    int64_t last_barrier;          /* monotonic */
    bool outstanding;              /* a barrier is not durable yet */
    bool changed;                  /* anything happened since the last barrier */
    bool blocked;                  /* the checkpoint cannot take more: intakes wait */
    _Atomic int64_t asked;         /* monotonic; INT64_MAX: nobody asked */
    _Atomic uint64_t placed;       /* barriers, the one that is being placed too */
    _Atomic uint64_t n_durable;    /* of those */
    _Atomic bool durable;          /* the outstanding barrier is */
    _Atomic int stopping;          /* 0 runs, 1 a last barrier, then the end; 2 the end at once */
    _Atomic bool last_durable;
    _Atomic bool finished;
    _Atomic bool lost;             /* what it holds is not whole any more */
    _Atomic int64_t frontier;
    _Atomic bool crowded;          /* more has changed than may wait for the database */
    struct buf text, raw;          /* scratch */
    int64_t last_publish;          /* monotonic */
    bool unpublished;              /* something was taken since then */
    pthread_mutex_t lock;          /* what other threads may read: */
    struct stage_stats *published; /* [n_sources] */
    struct stage_order_stats published_order;
};

/* stage_take.c: one item of an intake; false: there is no room for it now. */
bool stage_take(struct stage *st, struct intake_item *item, uint32_t source_number);
/* Sets slots and fits of an event that comes back from disk. */
bool stage_reload(void *ctx, uint32_t partition, struct event *ev);
/* stage_barrier.c */
void stage_place(struct stage *st, bool last);
void stage_note_durable(struct stage *st);
/* stage_figures.c: what is counted, if it is time, or now */
void stage_publish(struct stage *st, bool now);
int64_t stage_publish_due(const struct stage *st); /* monotonic; INT64_MAX: nothing new is counted */
/* stage.c: hands the group's batch on */
void stage_flush(struct stage_group *group);

#endif
