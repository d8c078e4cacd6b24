// SPDX-License-Identifier: Apache-2.0
/* resolve_same - do two resolved expressions mean the same? By slots and numbers, not by text. */
#include <string.h>

#include "lang/resolve.h"

static bool same_parts(const struct ast_expr *a, const struct ast_expr *b, uint32_t from)
{
    if (a->n_parts != b->n_parts)
        return false;
    for (uint32_t i = from; i < a->n_parts; i++) {
        const struct path_part *x = &a->part[i], *y = &b->part[i];
        if ((x->name == NULL) != (y->name == NULL) || x->len != y->len || x->index != y->index ||
            (x->name != NULL && memcmp(x->name, y->name, x->len) != 0))
            return false;
    }
    return true;
}

static bool same_path(const struct ast_expr *a, const struct ast_expr *b)
{
    switch (a->ref) {
    case REF_FIELD: return a->slot == b->slot;
    case REF_STEP_FIELD: return a->step == b->step && a->slot == b->slot;
    case REF_STEP: return a->step == b->step;
    case REF_KEY: return a->key == b->key;
    case REF_EMITTED: return a->emitted == b->emitted;
    case REF_LIST: return a->list == b->list;
    case REF_TABLE:
        return a->list == b->list && a->number == b->number && resolve_same(a->index, b->index);
    case REF_VARIABLE: return a->variable == b->variable && same_parts(a, b, 1);
    case REF_ADDED: return resolve_same(a->args[0], b->args[0]);
    case REF_ANY_FIELD:
    case REF_CANDIDATE: return true;
    default: return false;
    }
}

static bool same_call(const struct ast_expr *a, const struct ast_expr *b)
{
    switch (a->ref) {
    case REF_FUNCTION: return a->function == b->function;
    case REF_IN_STREAM: return a->number == b->number;
    case REF_STEP_IN_STREAM: return a->number == b->number && a->step == b->step;
    case REF_ADDED: return true;
    default: return false;
    }
}

bool resolve_same(const struct ast_expr *a, const struct ast_expr *b)
{
    if (a == NULL || b == NULL)
        return a == b;
    if (a->kind != b->kind || a->ref != b->ref || a->op != b->op || a->fold != b->fold ||
        a->all != b->all || a->n_args != b->n_args)
        return false;
    if (a->kind == AST_LITERAL)
        return a->value.type == b->value.type && value_same(a->value, b->value);
    if (a->kind == AST_PATH)
        return same_path(a, b);
    if (a->kind == AST_CALL && !same_call(a, b))
        return false;
    for (uint32_t i = 0; i < a->n_args; i++) {
        if (!resolve_same(a->args[i], b->args[i]))
            return false;
    }
    return true;
}
