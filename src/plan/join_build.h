// SPDX-License-Identifier: Apache-2.0
/* join_build - resolved `join` and `novel` bodies to their plans, which live in the pools' arena. */
#ifndef PLAN_JOIN_BUILD_H
#define PLAN_JOIN_BUILD_H

#include <stdbool.h>

struct ast_rule;
struct expr_context;
struct program;
struct program_rule;
struct unary;

/* unary_out[rule->n_steps]: conditions of each step that read its own event only. */
void join_split(const struct expr_context *cx, const struct ast_rule *ast,
                struct unary *unary_out);
/* Sets rule->join, rule->novel; rule->limits must be known. False if an expression does not compile. */
bool join_build(const struct expr_context *cx, const struct ast_rule *ast,
                struct program_rule *rule);
bool novel_build(const struct expr_context *cx, const struct ast_rule *ast,
                 struct program_rule *rule);

bool join_validate(const struct program *prog, const struct program_rule *rule,
                   const char **why_out);
bool novel_validate(const struct program *prog, const struct program_rule *rule,
                    const char **why_out);

#endif
