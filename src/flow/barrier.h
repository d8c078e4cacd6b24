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
#include <stddef.h>
#include <stdint.h>

struct epoch;
struct shard_link;

struct barrier {
    struct epoch *ep;      /* owned until it is submitted */
    bool last;             /* the pipeline ends with it: encoded at once */
    struct shard_link *link; /* the shard's, once it has it; a reference */
    struct barrier_found {   /* [n_found] owned: alerts of its epoch, */
        int64_t at;          /* and when they were found, monotonic */
        uint64_t n;
    } *found;
    size_t n_found;
};

struct barrier *barrier_new(void);
void barrier_free(struct barrier **b);

#endif
