// SPDX-License-Identifier: Apache-2.0
/*
 * costs - what the engine charges a rule for its state, in bytes: `limit state` counts them.
 *
 * They are not computed but found out: an engine of its own is given a key, a run, events, and asked
 * what it charged, so that they stay right whatever its structures become. The events of this have
 * no text and one short text in each field that rules read.
 */
#ifndef ENGINE_COSTS_H
#define ENGINE_COSTS_H

#include <stdint.h>

struct program;

struct engine_costs {
    uint64_t key;   /* a key, besides its texts */
    uint64_t event; /* an event that is kept, besides its text and the texts of its fields */
    /* match */
    uint64_t run;   /* an open run, its events not counted */
    uint64_t bind;  /* each event of a run, besides the event */
    /* other bodies */
    uint64_t first; /* what the first event of a key adds to it */
    uint64_t more;  /* what a further one adds, once `keep` are kept: in a sliding window, of a side
                       of a join, of a value that is new */
};

/* Returns owned costs[n_rules]; mem_free. */
struct engine_costs *engine_costs(struct program *prog);

#endif
