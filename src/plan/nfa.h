// SPDX-License-Identifier: Apache-2.0
/*
 * nfa - a `match` body as an automaton over elements: what the matcher walks.
 *
 * Elements are the positions of the pattern, in order, without the `not`s; a run stands at one
 * element. A `not` belongs to the gap behind an element (or before the first, or behind the last).
 *
 *        not               not                    not
 *   (lead)  [element 0] (gap 0) [element 1] ... [last] (trail)
 *
 * Edges of a run at element i with c events bound there (language section 3):
 *
 *   i --e fits j, i < j <= reach(i), c >= min(i)--> j      matcher: moves, takes e
 *   i --e fits a `not` of gap i, c >= min(i)------> ended
 *   i --e fits i, c < max(i)----------------------> i      takes e
 *   i --else--------------------------------------> i      skipped; under `next`: ended
 *
 * reach(i) = the first element behind i whose min is > 0 (or the last element).
 *
 * Invariants (nfa_validate):
 *  1. element[0].. has at least one; the last element's min is >= 1.
 *  2. steps of all elements, nots and until are numbered by their place in the rule; each step
 *     belongs to one element or one not, or is until.
 *  3. reach(i) > i for all but the last.
 *  4. every cross condition of a step reads only steps of earlier elements, of the own group, or
 *     (aggregates, prev) itself.
 *  5. bounded: within >= 0, or every later element and not has a within of its own.
 */
#ifndef PLAN_NFA_H
#define PLAN_NFA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "plan/code.h"

enum { NFA_UNBOUNDED = UINT32_MAX, NFA_NONE = 0xffff, NFA_MAX_LINKS = 32 };
enum nfa_select { SELECT_FIRST, SELECT_LAST, SELECT_EACH, SELECT_ALL };
enum nfa_kind { NFA_STEP, NFA_ANY, NFA_ALL };

/* `field == earlier.field`: a value that is part of the key for `select`. */
struct nfa_link {
    uint16_t step;          /* the later one, whose candidate has `slot` */
    uint32_t slot;
    uint16_t from_step;     /* the earlier one */
    uint32_t from_slot;
};

/* One cross condition alone: in an `all` group whose steps refer to each other it is judged when the
 * last of the steps that it reads is bound. */
struct nfa_conjunct {
    const struct code *code;
    uint64_t steps;
};

struct nfa_step {
    const char *name;
    uint16_t number;
    uint16_t element;       /* NFA_NONE for nots and until */
    uint16_t gap;           /* nots: the element whose gap it watches; NFA_NONE: leading */
    bool is_not, is_until;
    uint32_t min, max;      /* of a group's step: events it takes; else as the element */
    const struct code *cross; /* what compares with other steps; NULL: none. Links included. */
    uint64_t cross_steps;   /* bit n: cross reads step n (itself: bit number) */
    const struct nfa_conjunct *conjunct; /* steps of `all` groups: cross, one by one */
    uint32_t n_conjuncts;
    int64_t within;         /* ns after the event bound before; -1: none. not: its reach */
    const uint16_t *link;   /* numbers of links whose later side is this step */
    uint32_t n_links;
    bool only_links;        /* cross is nothing but the links: a hash look-up decides */
    bool quantified;        /* `events` holds a list */
};

struct nfa_element {
    enum nfa_kind kind;
    uint32_t min, max;      /* events; groups: 1 = full */
    uint16_t first_step, n_steps; /* steps are numbered in order; into `step_of` */
    uint16_t need;          /* NFA_ALL: how many of its steps */
    bool is_next;           /* entered under `next` */
    bool crossed;           /* group: its steps refer to each other */
    uint16_t reach;         /* furthest element that a run here may move to */
    const uint16_t *gap_not; /* step numbers of the nots in the gap behind it */
    uint16_t n_gap_nots;
};

struct nfa {
    const struct nfa_step *step;
    uint16_t n_steps;
    const struct nfa_element *element;
    uint16_t n_elements;
    const uint16_t *lead_not; /* step numbers */
    uint16_t n_lead_nots;
    const uint16_t *trail_not;
    uint16_t n_trail_nots;
    uint16_t until;         /* step number, or NFA_NONE */
    bool has_next;          /* some element is under `next` */
    enum nfa_select select;
    int64_t within;         /* ns; -1: none */
    const struct nfa_link *link;
    uint16_t n_links;
    bool unary;             /* no cross conditions but links: eligible for matcher_sets */
    bool use_sets;          /* the optimiser's choice of matcher */
};

/* What rules with another body have: no elements, no steps. */
extern const struct nfa nfa_none;

bool nfa_validate(const struct nfa *nfa, const char **why_out);

#endif
