// SPDX-License-Identifier: Apache-2.0
/*
 * expr_compile - a resolved, typed expression to bytecode, with constant folding.
 *
 *     AST --lower (expr_compile_lower.c, _match.c, _call.c, fold.c)--> nodes --emit--> code
 *
 * Nodes are the AST without sugar: constants, instructions with operands, and the few forms that
 * need jumps. Folding happens on the way up, with the same functions that the vm calls.
 */
#ifndef PLAN_EXPR_COMPILE_H
#define PLAN_EXPR_COMPILE_H

#include <stdbool.h>
#include <stdint.h>

struct ast_expr;
struct ast_list;
struct code;
struct diag;
struct pools;

struct expr_context {
    struct pools *pools;     /* constants, regexes ... are added here */
    struct diag *diag;
    bool optimise;           /* constant folding, fused opcodes; off with --no-opt */
    struct ast_list *const *list; /* declared lists by number (lang_unit.list); files loaded */
    uint32_t n_lists;
    bool *reads_table;       /* by number: set for each table that code reads; or NULL */
};

/*
 * Compiles; the code lives in the pools' arena. Errors (a bad regex, a pattern that is not text, a
 * bad network) go to diag with their span and give false.
 * A condition that is constant after folding and not a literal gives a warning when it can never be
 * true.
 */
bool expr_compile(const struct expr_context *cx, const struct ast_expr *expr, const struct code **code_out);
/* The conjunction of n expressions (n >= 1). */
bool expr_compile_all(const struct expr_context *cx, struct ast_expr *const *expr, uint32_t n,
                      const struct code **code_out);

#endif
