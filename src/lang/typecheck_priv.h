// SPDX-License-Identifier: Apache-2.0
/*
 * typecheck_priv - what typecheck.c (the walk, paths, arithmetic), typecheck_compare.c (comparisons
 * and text operators) and typecheck_call.c (functions and aggregates) share.
 */
#ifndef LANG_TYPECHECK_PRIV_H
#define LANG_TYPECHECK_PRIV_H

#include <stdbool.h>
#include <stdint.h>

#include "lang/resolve.h"

/* The variable of an enclosing any() / all(). */
struct typed_variable {
    uint16_t types;
    const struct typed_variable *outer;
};

struct checker {
    struct lang_unit *unit;
    struct diag *diag;
    const struct ast_rule *rule; /* NULL in streams */
    const struct typed_variable *variable;
};

enum {
    T_UNKNOWN = T_ANY | T_MISSING, /* after an error: nothing more is said about it */
    TYPES_TEXT_MAX = 100,          /* bytes of types_text's buffer */
};

/* typecheck.c */
/* Types that the expression may have; sets expr->types; reports. */
uint16_t typecheck_expr(struct checker *c, struct ast_expr *expr);
/* As typecheck_expr, and it must be able to be true. */
void typecheck_condition(struct checker *c, struct ast_expr *expr);
/* All items are literals and not null; reports the first that is not. */
bool typecheck_items(struct checker *c, struct ast_expr *list);
/* "a text", "a number or a duration", ... */
const char *types_text(unsigned types, char text[TYPES_TEXT_MAX]);
/* Reports a pattern that does not compile; true if it does. groups_out may be NULL. */
bool typecheck_regex(struct checker *c, const struct ast_expr *literal, unsigned *groups_out);

/* typecheck_compare.c */
uint16_t typecheck_compare(struct checker *c, struct ast_expr *expr);
uint16_t typecheck_in(struct checker *c, struct ast_expr *expr);
uint16_t typecheck_pattern(struct checker *c, struct ast_expr *expr);
const char *typecheck_operator(const struct ast_expr *expr); /* its text: "not in" */

/* typecheck_call.c */
uint16_t typecheck_call(struct checker *c, struct ast_expr *call);

#endif
