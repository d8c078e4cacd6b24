// SPDX-License-Identifier: Apache-2.0
/*
 * matcher - `match` for one key: what an event does to the open runs (language section 3).
 *
 * The automaton and its edges are drawn in plan/nfa.h, the life of a run in run.h. One event goes
 *     waiting matches (trailing `not`s) > open runs, furthest element first > a start >
 *     matches by `select` > `until` > memory of leading `not`s
 * Only lists that the event can concern are walked: shape->relevant[element] says which steps
 * matter to runs there, and a list with links is asked by value (link_table.h).
 */
#ifndef ENGINE_MATCHER_H
#define ENGINE_MATCHER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct deadline;
struct engine;
struct event;
struct nfa;
struct partition;
struct rule_state;
struct run;

/* What of the nfa every event asks for, as bit sets over step numbers. Owned by the rule's state. */
struct match_shape {
    uint64_t start;        /* steps that an event can start a run with */
    uint64_t lead, trail, until;
    uint16_t start_reach;  /* furthest element that a start can take */
    uint64_t *relevant;    /* [n_elements] steps that concern runs which stand there */
    bool *under_next;      /* [n_elements] an event that nothing takes may end a run there */
};

struct match_shape *match_shape_new(const struct nfa *nfa);
void match_shape_free(struct match_shape **shape);

/* An event offered under one key. */
struct offer {
    struct partition *part;
    const struct event *ev;
    uint64_t fits;          /* steps whose stream and unary conditions it fits, with this key */
    const uint16_t *stream; /* [n_steps] the stream that it fits each through */
    uint64_t seq;
};

/* Is there anything for the event to do in a key that has no state yet? */
bool matcher_begins(const struct rule_state *rs, uint64_t fits);
/* Matches go to the engine's pending ones. */
void matcher_advance(struct engine *en, const struct offer *of);
/* A deadline of a run has passed: the run ends, or is a match. */
void matcher_run_due(struct engine *en, struct run *run);
/* The memory of leading `not`s is past its reach. */
void matcher_lead_due(struct engine *en, struct partition *part);

#endif
