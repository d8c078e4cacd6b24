// SPDX-License-Identifier: Apache-2.0
/*
 * barrier - a point in the ordered stream at which everything is saved: it travels as a batch from the
 * order stage through the engine thread to the checkpoint thread.
 *
 *   stage: positions  -->  shard: state, clocks, alerts  -->  checkpoint: durable  -->  stage, shard
 *
 * There is one at a time, from being placed until it is durable.
 */
#ifndef FLOW_BARRIER_H
#define FLOW_BARRIER_H

#include <stdbool.h>
#include <stdint.h>

struct epoch;
struct shard;
struct stage;

struct barrier {
    struct epoch *ep;      /* owned until it is submitted */
    bool last;             /* the pipeline ends with it: encoded at once */
    int64_t placed;        /* monotonic ns */
    struct stage *stage;
    struct shard *shard;
};

struct barrier *barrier_new(void);
void barrier_free(struct barrier **b);

#endif
