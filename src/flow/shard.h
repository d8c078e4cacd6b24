// SPDX-License-Identifier: Apache-2.0
/*
 * shard - the engine thread: feeds ordered batches to the engines of all groups, closes an epoch at
 * each barrier, encodes it in slices between batches, and hands it to the checkpoint thread.
 *
 *              batch                       barrier
 *   idle ------------------> feed      idle -----------> closing (shard_close)
 *     ^ ----------------------'          ^                  | slices between batches (shard_encode)
 *                                        |                  v
 *                                        +--- durable --- submitted
 *
 * Invariants:
 *  1. alerts that were found before a barrier are in its epoch, with the state that made them.
 *  2. a barrier comes only when the one before is durable (the stage sees to it).
 *  3. it waits for nothing but its queue: not for sinks, not for the disk.
 */
#ifndef FLOW_SHARD_H
#define FLOW_SHARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/histogram.h"
#include "flow/rule_watch.h"

struct buf;
struct checkpoint;
struct engine;
struct program;
struct queue;
struct reaper;
struct route_rules;
struct question;
struct shard;

struct shard_engine {
    struct engine *en;               /* taken */
    struct program *prog;            /* borrowed */
    const struct route_rules *route; /* where its alerts go; borrowed */
    uint32_t group;
    uint32_t generation;             /* of the rules */
    bool over;                       /* the group's time had gone to infinity: so it stays saved until it goes on */
    bool draining;                   /* an older program: events are decoded for it again */
    const char *const *source;       /* [n_sources] of its group; borrowed */
    size_t n_sources;
};

struct shard_options {
    const struct shard_engine *engine; /* copied */
    size_t n_engines;
    struct queue *in;               /* of struct batch; borrowed */
    struct checkpoint *checkpoint;  /* borrowed */
    uint64_t memory_limit;          /* bytes of state in memory */
    uint64_t checkpoint_bytes;      /* of changed state that ask for a checkpoint */
    int64_t alert_delay;            /* ns after which a waiting alert asks for one */
    size_t max_line;
    struct reaper *reaper;          /* engines are its to free; borrowed; NULL: shard_free does */
    /* Any thread may be asked for: place a barrier at monotonic `at`. */
    void (*ask)(void *ctx, int64_t at);
    /* Much more has changed than should wait for the database, or no longer. */
    void (*crowd)(void *ctx, bool crowded);
    /* On the checkpoint thread: the barrier's epoch is durable (the stage's to take note). */
    void (*durable)(void *ctx, bool last);
    /* On the engine thread: gives its engine what readers of the group's sources counted of rules. */
    void (*count)(void *ctx, uint32_t group, struct engine *en);
    void *ctx;
};

/* Not while it is freed. */
void shard_ask(struct shard *sh, struct question *question);

struct shard *shard_new(const struct shard_options *opt); /* starts the thread */
/* The queue is closed by the caller; ends when it is empty. Frees the engines. */
void shard_free(struct shard **sh);
/* Why the engine cannot go on (appended), or false. Any thread. */
bool shard_broken(struct shard *sh, struct buf *why);

/* Has its thread been at one piece of work for longer than this (ns)? Any thread. */
bool shard_stuck(struct shard *sh, int64_t longest);

/* Has nothing of a draining generation any state left? Known about once a second. Any thread. */
bool shard_drained(struct shard *sh, uint32_t generation);

struct shard_stats {
    uint64_t events, alerts, epochs, memory;
    struct histogram durable; /* ns from when each alert was found until it was durable */
    uint64_t changed;      /* bytes of state that the next checkpoint has to write, about */
    uint64_t loads;        /* keys read from the database */
    int64_t longest_pause; /* ns: of encoding between two batches, */
    int64_t longest_work;  /* and of its CPU time: without waiting for a CPU */
    int64_t encode_ns;     /* in all */
};
void shard_stats(struct shard *sh, struct shard_stats *stats_out);
/* What is known of the rules, about a second old at most; of one that is in several engines (of several
 * groups, or generations) several times: to be added up. Any thread. */
void shard_each_rule(struct shard *sh, rule_watch_fn *found, void *ctx);
/* Likewise of tables that events feed. */
void shard_each_table(struct shard *sh, rule_watch_table_fn *found, void *ctx);

#endif
