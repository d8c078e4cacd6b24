// SPDX-License-Identifier: Apache-2.0
/*
 * pipeline - the running whole between sources and the database: readers, the order stage, the engine
 * thread. It is made from what the database holds, at the start and again after each change of rules:
 * recovery and reload are one path.
 *
 *   pipeline_new (restores) --> runs --> pipeline_finished (bounded input is over)
 *        \--hold--> pipeline_read--^ \---> pipeline_stop > pipeline_stopped > pipeline_free
 *
 * While it is held no source is read, so no time passes for the rules; all else is as when it runs.
 */
#ifndef FLOW_PIPELINE_H
#define FLOW_PIPELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "flow/shard.h"
#include "flow/stage.h"
#include "io/source.h"
#include "flow/time_field.h"

struct buf;
struct checkpoint;
struct generation;
struct pipeline;
struct program;
struct reaper;
struct route_rules;
struct source;
struct store_batch;

struct pipeline_source {
    const char *name;      /* borrowed, like all texts here, until pipeline_free */
    struct source *source; /* taken; made with the saved positions */
    struct stage_source stage; /* name, source, group are filled in here */
    bool time_arrival, time_record;
    size_t max_line;
};

/* One generation of rules: the first is the current one, others are drained. */
struct pipeline_rules {
    struct program *prog;            /* a reference is taken */
    const struct generation *generation; /* borrowed until pipeline_free */
    const struct route_rules *route; /* borrowed until pipeline_free */
};

struct pipeline_options {
    const struct pipeline_source *source;
    size_t n_sources;
    const struct pipeline_rules *rules;
    size_t n_rules;
    const struct time_specs *times;  /* borrowed until pipeline_free */
    const uint32_t *quarantine;      /* [streams of the current program] sink, or READER_NO_SINK; copied */
    struct checkpoint *checkpoint;   /* borrowed */
    struct reaper *reaper;           /* frees the engines; borrowed; NULL: pipeline_free does */
    void (*progress)(void *ctx);     /* for each record that pipeline_new reads back; or NULL */
    void *progress_ctx;
    const char *spill_dir;           /* made if missing; what is in it goes */
    int64_t checkpoint_every;        /* ns */
    uint64_t checkpoint_bytes;
    int64_t alert_delay;             /* ns */
    uint64_t memory_limit, buffer_limit, spill_limit, queue_limit; /* bytes */
    bool hold;                       /* sources are not read before pipeline_read */
};

/* NULL and why: the database cannot be read, or holds what is damaged. Takes the sources either way. */
struct pipeline *pipeline_new(const struct pipeline_options *opt, struct buf *why);
/* Of one that was held: its sources are read from now on. */
void pipeline_read(struct pipeline *p);
/* All sources are bounded, were read to their ends, and what came of it is durable. */
bool pipeline_finished(struct pipeline *p);
/* Events were lost on their way (the spill's disk); a new pipeline reads them again. */
bool pipeline_lost(struct pipeline *p);
/* Which of its threads has been at one piece of work for longer than this (ns); NULL: none. */
const char *pipeline_stuck(struct pipeline *p, int64_t longest);
/* Why it cannot go on (appended): the engine met damaged state. Nothing becomes durable any more. */
bool pipeline_broken(struct pipeline *p, struct buf *why);
/* Has nothing of a draining generation any state left? */
bool pipeline_drained(struct pipeline *p, uint32_t generation);
/* A checkpoint now, without waiting; pipeline_checkpointed(p, what this gives): one that was begun after the
 * call is durable. */
uint64_t pipeline_checkpoint(struct pipeline *p);
bool pipeline_checkpointed(struct pipeline *p, uint64_t number);
struct question;
/* question.h; not while the pipeline is freed. */
void pipeline_ask(struct pipeline *p, struct question *question);
/* Stops reading and has a last checkpoint made; `extra` (taken, or NULL) becomes durable with it. */
void pipeline_stop(struct pipeline *p, struct store_batch *extra);
/* The last checkpoint is durable. Before that nobody knows whether it will be. */
bool pipeline_stopped(struct pipeline *p);
void pipeline_free(struct pipeline **p);
/* Event time that everything to come lies behind: the least of all groups. */
int64_t pipeline_frontier(struct pipeline *p);
/* What is counted since it was made; of its sources by their number. From the thread that owns it, or with
 * it kept from going. */
struct pipeline_source_stats {
    uint64_t lines, bytes; /* read */
    struct stage_stats stage;
    struct source_figures own; /* what the source counts itself, if it does */
};
void pipeline_source_stats(struct pipeline *p, size_t source, struct pipeline_source_stats *stats_out);
void pipeline_source_lag(struct pipeline *p, size_t source, source_lag_fn *found, void *ctx); /* source_lag */
/* Its sources: those that it was given. */
size_t pipeline_sources(const struct pipeline *p);
const char *pipeline_source_name(const struct pipeline *p, size_t source);
void pipeline_order_stats(struct pipeline *p, struct stage_order_stats *stats_out);
void pipeline_engine_stats(struct pipeline *p, struct shard_stats *stats_out);
struct unseen;
/* Fields that rules read and no event has had, of `events` and more from each source (fewer: false, not made).
 * unseen_fini. From the thread that owns it. */
bool pipeline_unseen(struct pipeline *p, uint64_t events, struct unseen *unseen_out);
void pipeline_each_rule(struct pipeline *p, rule_watch_fn *found, void *ctx); /* shard_each_rule */
void pipeline_each_table(struct pipeline *p, rule_watch_table_fn *found, void *ctx);

#endif
