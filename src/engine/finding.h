// SPDX-License-Identifier: Apache-2.0
/*
 * finding - what a window, a join or a first sighting found, until it is told: everything that
 * `emit`, titles and the alert need, copied, since the state goes on.
 */
#ifndef ENGINE_FINDING_H
#define ENGINE_FINDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "engine/vm.h"

struct event;
struct engine;
struct partition;

struct finding {
    struct event *ev;           /* the completing event (owned reference), or NULL */
    uint16_t stream;            /* that it was taken from */
    struct bound *bound;        /* [n_steps of the rule] contributing events; owned with its binds */
    uint32_t n_bound;
    const struct value *aggregate; /* [n] values of the rule's aggregates, or NULL; in `memory` */
    uint32_t n_aggregates;
    bool has_window;
    int64_t window_start, window_end; /* ns */
    struct buf id;              /* what identifies it beside rule and key */
    uint8_t fixed_id[16];       /* used instead of `id` when has_fixed_id (revisions) */
    bool has_fixed_id;
    uint32_t revision;
    bool retracted;
    bool cold;
    uint64_t order;             /* among findings of one key at one instant: lower is told first */
    struct arena *memory;       /* owns copies of values */
};

struct finding *finding_new(uint32_t n_steps);
void finding_free(struct finding **found);
/* Adds a contributing event to a step, behind those already there; takes a reference of its own. */
void finding_bind(struct finding *found, uint32_t step, struct event *ev, uint16_t stream);
/* Hands it to the engine: told with the other findings of this instant. Takes found. */
void engine_found(struct engine *en, struct partition *part, struct finding *found, int64_t time);

#endif
