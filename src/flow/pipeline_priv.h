// SPDX-License-Identifier: Apache-2.0
/* pipeline_priv - one pipeline; making its engines from what the database holds. */
#ifndef FLOW_PIPELINE_PRIV_H
#define FLOW_PIPELINE_PRIV_H

#include <pthread.h>

#include "engine/record.h"
#include "flow/pipeline.h"
#include "flow/reader.h"
#include "flow/saved.h"

struct group_map;
struct probe_counts;
struct queue;

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
    bool *over;                            /* [n_groups] time had gone to infinity, and nothing new came since */
    struct saved_positions saved;
    struct shard_engine *engine;           /* [n_engines] until the shard has them */
    size_t n_engines;
    const char ***group_source;            /* [n_groups][...] names, for the shard */
    size_t *n_group_sources;
    uint32_t *quarantine;
    struct probe_counts **counts;          /* [n_sources] what readers count of rules */
    _Atomic bool *seen;                    /* fields that events had: unseen.h */
    bool **late_probe;                     /* [n_rules][probes of the program] */
    size_t max_line;
    struct queue *intakes, *batches;
    struct stage_source *stage_sources;
    struct stage *stage;
    struct shard *shard;
    struct live_list *opened;              /* [n_sources] */
    pthread_mutex_t reading;               /* the next two, while another thread asks for figures */
    struct reader **reader;                /* [n_sources]; NULL: not started, or stopped */
    struct reader_stats *read;             /* [n_sources] what they had read when they stopped */
};

/* pipeline_restore.c: makes the engines and reads their state; what no rule has any more is removed. */
bool pipeline_restore(struct pipeline *p, struct buf *why);
void pipeline_drop_engines(struct pipeline *p);
void pipeline_drop_batches(struct pipeline *p);

#endif
