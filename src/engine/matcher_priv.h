// SPDX-License-Identifier: Apache-2.0
/* matcher_priv - what matcher.c, matcher_group.c and matcher_end.c share. */
#ifndef ENGINE_MATCHER_PRIV_H
#define ENGINE_MATCHER_PRIV_H

#include "engine/engine_priv.h"
#include "engine/link_table.h"
#include "engine/matcher.h"
#include "engine/run.h"
#include "plan/nfa.h"

enum { NO_STEP = 0xffff };

/* Runs that completed on one event or at one deadline. */
struct done {
    struct run **run;
    size_t n, cap;
};

static inline uint64_t step_bit(uint16_t step)
{
    return UINT64_C(1) << step;
}

/* Does the event fit the step in this run (NULL: none yet): stream and unary conditions, `within`
 * after the event bound before, conditions on other steps? */
bool step_fits(struct engine *en, const struct offer *of, const struct run *run, uint16_t step);
/* The conditions of a step against what a run has bound; ev is the candidate. */
bool cross_holds(struct engine *en, const struct code *code, const struct event *ev,
                 uint16_t stream, const struct run *run, const struct partition *part);
bool element_has_min(const struct nfa *nfa, const struct run *run);

/* matcher_group.c: `all { ... }` */
bool group_full(const struct nfa *nfa, const struct nfa_element *el, const struct run *run);
/* The first listed step that the event fits when a run enters the group; NO_STEP. */
uint16_t group_enter(struct engine *en, const struct offer *of, const struct run *run,
                     const struct nfa_element *el);
/* Takes the event in the group where the run stands; false if it fits no place. */
bool group_take(struct engine *en, const struct offer *of, struct run *run,
                const struct nfa_element *el);
uint64_t group_fits(struct engine *en, const struct offer *of, const struct run *run,
                    const struct nfa_element *el);
bool group_same_fill(const struct nfa_element *el, const struct run *a, const struct run *b);

/* A limit is reached: refuses the start, or drops the run that stands longest at some element. */
bool matcher_make_room(struct engine *en, const struct offer *of);

/* matcher_end.c: completion and `select` */
/* The deadlines that a run must have, from what it has bound alone. Queues NULL: none. */
struct run_deadlines {
    struct deadline_queue *life, *wait;
    int64_t life_at, wait_at;
};
struct run_deadlines run_deadlines(const struct run *run);
void run_complete(struct engine *en, struct run *run);
void done_add(struct done *done, struct run *run);
/* Tells which of the completed runs are matches; ends what `select` ends. Frees done's array. */
void done_finish(struct engine *en, struct partition *part, struct done *done, int64_t time,
                 int64_t deadline);
void until_apply(struct engine *en, const struct offer *of, uint16_t step);
/* The runs of the key that wait until this very time are matches. */
void waiting_due(struct engine *en, struct partition *part, int64_t time);
void waiting_apply(struct engine *en, const struct offer *of);

/* matcher_lead.c */
bool lead_forbids(struct engine *en, const struct offer *of, const struct run *run);
void lead_remember(struct engine *en, const struct offer *of);
bool lead_cold(const struct engine *en, const struct rule_state *rs, int64_t start_time);

#endif
