// SPDX-License-Identifier: Apache-2.0
/* program_priv - what the files that build a program share. */
#ifndef PLAN_PROGRAM_PRIV_H
#define PLAN_PROGRAM_PRIV_H

#include <stdbool.h>

#include "plan/expr_compile.h"
#include "plan/program.h"

struct ast_key;
struct ast_rule;
struct lang_unit;
struct unary;

/* A program from a checked unit, without test blocks. NULL if a condition does not compile. */
struct program *program_build(struct lang_unit *unit, bool no_opt, struct diag *diag);

/* The clauses of one rule but its body's steps (program_rule.c). False if one does not compile. */
bool program_rule_build(const struct expr_context *cx, const struct ast_rule *ast,
                        struct program_rule *rule);

/* Test blocks of all rules (program_test.c): each with a program of its own where it replaces lists. */
bool program_tests_build(struct program *prog, struct lang_unit *unit, bool no_opt,
                         struct diag *diag);

#endif
