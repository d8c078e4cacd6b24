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
    uint32_t late_sink, dead_sink; /* or STAGE_NO_SINK: late ones are counted, bad ones dead letters */
};

struct stage_options {
    const struct stage_source *source; /* copied */
    size_t n_sources;
    uint32_t n_groups;
    const int64_t *told;               /* [n_groups] the saved frontier; INT64_MIN; copied */
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
    const char *spill_dir;             /* copied */
};

struct stage *stage_new(const struct stage_options *opt); /* starts the thread */
void stage_free(struct stage **st); /* the thread has ended: after stage_stop, or with its queues closed */

/* Any thread: a barrier at monotonic `at`, or before. */
void stage_ask(struct stage *st, int64_t at);
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
int64_t stage_frontier(struct stage *st); /* the least of all groups */

struct stage_stats {
    uint64_t events, late, aside, broken, quarantined, again, spilled;
    uint64_t stalled; /* partitions, now */
};
void stage_stats(struct stage *st, struct stage_stats *stats_out);

#endif
