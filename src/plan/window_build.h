// SPDX-License-Identifier: Apache-2.0
/* window_build - a resolved `window` body to its plan: kind, sizes, aggregates, `having`. */
#ifndef PLAN_WINDOW_BUILD_H
#define PLAN_WINDOW_BUILD_H

#include <stdbool.h>

struct ast_rule;
struct buf;
struct expr_context;
struct program;
struct program_rule;

/* Numbers the aggregates of all of the rule's expressions, equal ones alike. Before any of these
 * expressions is compiled: code asks for aggregates by number. */
void window_number_aggregates(struct ast_rule *ast);

/* Appends them as canonical text, in the order of their numbers. */
void window_print_aggregates(struct buf *out, const struct ast_rule *ast);

/* Sets rule->window. rule->limits must be known. False if an expression does not compile (diag has
 * it). The plan lives in the pools' arena. */
bool window_build(const struct expr_context *cx, const struct ast_rule *ast,
                  struct program_rule *rule);

bool window_validate(const struct program *prog, const struct program_rule *rule,
                     const char **why_out);

#endif
