// SPDX-License-Identifier: Apache-2.0
/* explain_rule - what is told of a rule, by `tocsin explain` and over HTTP. */
#ifndef EXPLAIN_EXPLAIN_RULE_H
#define EXPLAIN_EXPLAIN_RULE_H

#include <stdint.h>

#include "explain/explain_report.h"

struct explain;
struct engine_costs;
struct program;
struct program_rule;

struct explaining {
    const struct program *prog;
    const struct explain *ex;
    const struct engine_costs *costs; /* [n_rules] */
    struct report *r;
};

/* Everything about one rule. */
void explain_one(const struct explaining *x, const struct program_rule *rule);
/* explain_words.c: the section in plain words. */
void explain_does(const struct explaining *x, const struct program_rule *rule);
/* explain_state.c: what it keeps, in numbers; its deadlines; a window's aggregates. */
void explain_state(const struct explaining *x, const struct program_rule *rule);
void explain_deadlines(const struct explaining *x, const struct program_rule *rule);
void explain_aggregates(const struct explaining *x, const struct program_rule *rule);
/* explain_code.c: the instructions of all conditions and emitted values. */
void explain_code(const struct explaining *x, const struct program_rule *rule);
/* explain_dot.c: the automaton of a `match` rule for graphviz. */
void explain_dot(const struct program_rule *rule, struct buf *out);

#endif
