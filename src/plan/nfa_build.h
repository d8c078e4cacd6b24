// SPDX-License-Identifier: Apache-2.0
/* nfa_build - a resolved `match` body to its automaton and its steps' unary conditions. */
#ifndef PLAN_NFA_BUILD_H
#define PLAN_NFA_BUILD_H

#include <stdbool.h>
#include <stdint.h>

struct ast_expr;
struct ast_match;
struct expr_context;
struct nfa;

/* A step's conditions that read only the candidate: what a probe tests once per event. */
struct unary {
    struct ast_expr **conjunct; /* in the pools' arena */
    uint32_t n;
};

/*
 * unary_out[n_steps of the body] is filled by step number. False if a condition does not compile
 * (diag has it). The nfa lives in the pools' arena.
 */
bool nfa_build(const struct expr_context *cx, const struct ast_match *match, struct nfa **nfa_out,
               struct unary *unary_out);

#endif
