// SPDX-License-Identifier: Apache-2.0
/* pipeline_priv - one pipeline; making its engines from what the database holds. */
#ifndef FLOW_PIPELINE_PRIV_H
#define FLOW_PIPELINE_PRIV_H

#include "engine/record.h"
#include "flow/pipeline.h"
#include "flow/saved.h"

struct group_map;
struct queue;
struct reader;

struct pipeline {
    struct pipeline_options opt;
    struct pipeline_source *source;
    struct pipeline_rules *rules;          /* with references of its own */
    const struct program **draining;       /* [n_rules - 1] */
    struct group_map *map;
    uint32_t n_groups;
    struct engine_clock *clock;            /* [n_groups] */
    bool *clock_known;
    int64_t *told;                         /* [n_groups] */
    struct saved_positions saved;
    struct shard_engine *engine;           /* [n_engines] until the shard has them */
    size_t n_engines;
    const char ***group_source;            /* [n_groups][...] names, for the shard */
    size_t *n_group_sources;
    uint32_t *quarantine;
    bool **late_probe;                     /* [n_rules][probes of the program] */
    size_t max_line;
    struct queue *intakes, *batches;
    struct stage_source *stage_sources;
    struct stage *stage;
    struct shard *shard;
    struct live_list *opened;              /* [n_sources] */
    struct reader **reader;                /* [n_sources]; NULL: not started, or stopped */
};

/* pipeline_restore.c: makes the engines and reads their state; what no rule has any more is removed. */
bool pipeline_restore(struct pipeline *p, struct buf *why);
void pipeline_drop_engines(struct pipeline *p);
void pipeline_drop_batches(struct pipeline *p);

#endif
