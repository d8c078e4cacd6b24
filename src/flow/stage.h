// SPDX-License-Identifier: Apache-2.0
/*
 * stage - the thread between the readers and the engine thread: puts what was read into order, group
 * by group (order.h), cuts ordered batches, places barriers, and says what did not become an event.
 *
 *   intakes --> order_add --> batches --> shard
 *                  |  late, set aside, broken: messages of the next epoch
 *                  '--- every `every`, or when asked: barrier {positions, messages}
 *
 * Invariants:
 *  1. a barrier holds the positions as of its place in the stream, for all groups.
 *  2. there is one barrier at a time, until it is durable.
 *  3. what was read is handled before a barrier is placed, or after it: never half.
 */
#ifndef FLOW_STAGE_H
#define FLOW_STAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;
struct checkpoint;
struct position;
struct program;
struct queue;
struct source;
struct stage;
struct store_batch;

enum { STAGE_NO_SINK = 0xffffffff };

struct stage_source {
    const char *name;      /* borrowed */
    struct source *source; /* borrowed */
    uint32_t group;
    int64_t lateness, idle, future; /* ns; idle 0 for bounded ones */
    bool quiet_hold;
    bool order_by;
    bool rows, latest;     /* it brings rows of a table (order_rows.c) */
    uint32_t incarnation;  /* of the table: its positions are saved with it (stage_saved_as); 0: by the name alone */
    uint32_t late_sink, dead_sink; /* or STAGE_NO_SINK: late ones are counted, bad ones dead letters */
};

struct stage_options {
    const struct stage_source *source; /* copied */
    size_t n_sources;
    uint32_t n_groups;
    const int64_t *told;               /* [n_groups] the saved frontier; INT64_MIN; copied */
    const bool *over;                  /* [n_groups] it had gone to infinity, `told' is what was shown; copied */
    const struct position *saved;      /* [n_saved] of all sources; copied */
    size_t n_saved;
    struct program *prog;              /* borrowed: events that were spilled are decoded again */
    const struct program *const *draining; /* borrowed */
    size_t n_draining;
    size_t max_line;
    struct queue *in;                  /* of struct intake, by bytes; borrowed */
    struct queue *out;                 /* of struct batch; borrowed */
    struct checkpoint *checkpoint;     /* borrowed */
    int64_t every;                     /* ns between barriers, at most, if anything happened */
    uint64_t buffer_limit, spill_limit; /* bytes, all groups together */
    const char *spill_dir;             /* borrowed for the call; made; what an earlier one left is removed */
};

/* What positions of the source are saved as; owned. Those of a table that is another one now have another name. */
char *stage_saved_as(const char *source, uint32_t incarnation);

struct stage *stage_new(const struct stage_options *opt); /* starts the thread */
void stage_free(struct stage **st); /* the thread has ended: after stage_stop, or with its queues closed */

/* Any thread: a barrier at monotonic `at`, or before. */
void stage_ask(struct stage *st, int64_t at);
/* Any thread: a barrier now. stage_placed_durable(st, what this gives): one that was placed after the call is
 * durable. */
uint64_t stage_ask_now(struct stage *st);
bool stage_placed_durable(struct stage *st, uint64_t number);
/* Any thread: the barrier is durable. */
void stage_durable(struct stage *st, bool last);
/* Any thread: more state has changed than may wait for the database; sources wait. */
void stage_crowd(struct stage *st, bool crowded);
/* The readers have ended: the last barrier, with `extra` (taken, or NULL) in its batch; then the
 * thread ends. stage_stopped: it is durable. */
void stage_stop(struct stage *st, struct store_batch *extra);
bool stage_stopped(struct stage *st);
/* All sources are over, and what came of them is durable. */
bool stage_finished(struct stage *st);
/* Events that wait are lost to it (told in the log): it does nothing more. What is durable is whole. */
bool stage_lost(struct stage *st);
/* Has its thread been at one piece of work for longer than this (ns)? Any thread. */
bool stage_stuck(struct stage *st, int64_t longest);
int64_t stage_frontier(struct stage *st); /* the least of all groups */

/* Of one source, as it was a quarter of a second ago. */
struct stage_stats {
    uint64_t events, late, aside, broken, quarantined, again; /* since the stage began */
    uint64_t partitions, idle, stalled, paused; /* those that have not ended, now; and of those */
    uint64_t waiting;  /* events, to be put in order */
    int64_t newest;    /* event time shown; INT64_MIN: none */
    int64_t frontier;  /* of its group; INT64_MIN: it has not begun; INT64_MAX: all is over */
    char stalled_why[512]; /* "PARTITION: why" of what stalled last; "": nothing is stalled */
    int64_t watermark; /* the least of those that are not idle; INT64_MAX: all are; INT64_MIN: nothing shown */
    bool loading;      /* of rows: it has not been read to its end yet, and events wait for it */
};
struct stage_order_stats {
    uint64_t memory, spilled, queued_bytes; /* bytes: of what waits to be ordered; to be taken */
    bool waits;                             /* no input is taken for now */
};
/* Any thread. */
void stage_stats(struct stage *st, uint32_t source, struct stage_stats *stats_out);
void stage_order_stats(struct stage *st, struct stage_order_stats *stats_out);

#endif
