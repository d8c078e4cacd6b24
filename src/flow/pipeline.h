// SPDX-License-Identifier: Apache-2.0
/*
 * pipeline - the running whole between sources and the database: readers, the order stage, the engine
 * thread. It is made from what the database holds, at the start and again after each change of rules:
 * recovery and reload are one path.
 *
 *   pipeline_new (restores) --> runs --> pipeline_finished (bounded input is over)
 *                                  \---> pipeline_stop > pipeline_stopped > pipeline_free
 */
#ifndef FLOW_PIPELINE_H
#define FLOW_PIPELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "flow/shard.h"
#include "flow/stage.h"
#include "flow/time_field.h"

struct buf;
struct checkpoint;
struct generation;
struct pipeline;
struct program;
struct source;
struct store_batch;

struct pipeline_source {
    const char *name;      /* borrowed, like all texts here, until pipeline_free */
    struct source *source; /* taken; made with the saved positions */
    struct stage_source stage; /* name, source, group are filled in here */
    bool time_arrival;
    size_t max_line;
};

/* One generation of rules: the first is the current one, others are drained. */
struct pipeline_rules {
    struct program *prog;            /* a reference is taken */
    const struct generation *generation; /* borrowed until pipeline_free */
    const struct shard_route *route; /* [prog->n_rules]; borrowed until pipeline_free */
};

struct pipeline_options {
    const struct pipeline_source *source;
    size_t n_sources;
    const struct pipeline_rules *rules;
    size_t n_rules;
    const struct time_specs *times;  /* borrowed until pipeline_free */
    const uint32_t *quarantine;      /* [streams of the current program] sink, or READER_NO_SINK; copied */
    struct checkpoint *checkpoint;   /* borrowed */
    const char *spill_dir;           /* made if missing; what is in it goes */
    int64_t checkpoint_every;        /* ns */
    uint64_t checkpoint_bytes;
    int64_t alert_delay;             /* ns */
    uint64_t memory_limit, buffer_limit, spill_limit, queue_limit; /* bytes */
};

/* NULL and why: the database cannot be read, or holds what is damaged. Takes the sources either way. */
struct pipeline *pipeline_new(const struct pipeline_options *opt, struct buf *why);
/* All sources are bounded, were read to their ends, and what came of it is durable. */
bool pipeline_finished(struct pipeline *p);
/* Events were lost on their way (the spill's disk); a new pipeline reads them again. */
bool pipeline_lost(struct pipeline *p);
/* Why it cannot go on (appended): the engine met damaged state. Nothing becomes durable any more. */
bool pipeline_broken(struct pipeline *p, struct buf *why);
/* Has nothing of a draining generation any state left? */
bool pipeline_drained(struct pipeline *p, uint32_t generation);
/* Stops reading and has a last checkpoint made; `extra` (taken, or NULL) becomes durable with it. */
void pipeline_stop(struct pipeline *p, struct store_batch *extra);
/* The last checkpoint is durable. Before that nobody knows whether it will be. */
bool pipeline_stopped(struct pipeline *p);
void pipeline_free(struct pipeline **p);
/* Event time that everything to come lies behind: the least of all groups. */
int64_t pipeline_frontier(struct pipeline *p);
/* Appends "events=... alerts=..." for a log line. */
void pipeline_describe(struct pipeline *p, struct buf *out);

#endif
