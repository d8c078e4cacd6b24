// SPDX-License-Identifier: Apache-2.0
/*
 * expr_compile_match - relations: which become a match against a compiled right side, which compare
 * two values at run time, and which are never true.
 */
#include <assert.h>

#include "base/arena.h"
#include "lang/ast.h"
#include "plan/expr_compile.h"
#include "plan/expr_compile_priv.h"
#include "plan/pools.h"

static enum relation relation_of(enum ast_op op)
{
    switch (op) {
    case AST_OP_EQ: return RELATION_EQ;
    case AST_OP_NE: return RELATION_NE;
    case AST_OP_LT: return RELATION_LT;
    case AST_OP_LE: return RELATION_LE;
    case AST_OP_GT: return RELATION_GT;
    case AST_OP_GE: return RELATION_GE;
    case AST_OP_IN: return RELATION_IN;
    case AST_OP_NOT_IN: return RELATION_NOT_IN;
    case AST_OP_LIKE: return RELATION_LIKE;
    case AST_OP_NOT_LIKE: return RELATION_NOT_LIKE;
    case AST_OP_REGEX: return RELATION_REGEX;
    case AST_OP_NOT_REGEX: return RELATION_NOT_REGEX;
    case AST_OP_CONTAINS: return RELATION_CONTAINS;
    case AST_OP_NOT_CONTAINS: return RELATION_NOT_CONTAINS;
    case AST_OP_CONTAINS_ALL: return RELATION_CONTAINS_ALL;
    case AST_OP_NOT_CONTAINS_ALL: return RELATION_NOT_CONTAINS_ALL;
    case AST_OP_STARTSWITH: return RELATION_STARTSWITH;
    case AST_OP_NOT_STARTSWITH: return RELATION_NOT_STARTSWITH;
    case AST_OP_ENDSWITH: return RELATION_ENDSWITH;
    case AST_OP_NOT_ENDSWITH: return RELATION_NOT_ENDSWITH;
    default: return RELATION_COUNT;
    }
}

/* a < b is b > a; false for relations that cannot be turned round. `x in y` is "any pair equal", as
 * `==` is; NOT_IN and NE differ when the right side is empty. */
static bool turned(enum relation r, enum relation *out)
{
    switch (r) {
    case RELATION_EQ:
    case RELATION_IN: *out = RELATION_EQ; return true;
    case RELATION_NE: *out = RELATION_NE; return true;
    case RELATION_LT: *out = RELATION_GT; return true;
    case RELATION_LE: *out = RELATION_GE; return true;
    case RELATION_GT: *out = RELATION_LT; return true;
    case RELATION_GE: *out = RELATION_LE; return true;
    default: return false;
    }
}

static bool is_missing_const(const struct node *node)
{
    return node->kind == NODE_CONST && value_is_missing(node->value);
}

static struct node *node_relation(struct lower *l, enum relation r, bool fold, struct node *x,
                           struct node *y)
{
    struct node *arg[2] = { x, y };

    if (l->fold && (is_missing_const(x) || is_missing_const(y)))
        return node_const(l, value_bool(false));
    if (l->fold && x->kind == NODE_CONST && y->kind != NODE_CONST && turned(r, &r)) {
        arg[0] = y;
        arg[1] = x;
    }
    struct insn insn = { .op = OP_COMPARE, .a = (uint8_t)r, .b = fold };
    return node_insn(l, insn, arg, 2);
}

static struct node *node_match(struct lower *l, enum relation r, struct node *x, uint32_t pattern)
{
    if (r == RELATION_EQ || r == RELATION_NE)
        r += RELATION_IN - RELATION_EQ;
    struct insn insn = { .op = OP_MATCH, .a = (uint8_t)r, .c = pattern };
    return node_insn(l, insn, &x, 1);
}

static bool is_pattern_relation(enum relation r)
{
    r = relation_positive(r);
    return r == RELATION_LIKE || r == RELATION_REGEX;
}

static bool is_part_relation(enum relation r)
{
    return r >= RELATION_CONTAINS && r <= RELATION_NOT_ENDSWITH;
}

/* A set of one value is that value; [null] is a set of none. */
static bool single(struct value list, struct value *v_out)
{
    if (list.type != VALUE_LIST) {
        *v_out = list;
        return list.type != VALUE_MISSING;
    }
    return list.len == 1 && single(list.u.list[0], v_out);
}

static struct node *relation_with_const(struct lower *l, enum relation r,
                                        const struct ast_expr *expr, struct node *x,
                                        struct node *y)
{
    const struct ast_expr *right = expr->args[1];
    struct value one = y->value;
    uint32_t pattern;

    if (value_is_missing(y->value) && !is_pattern_relation(r))
        return node_relation(l, r, expr->fold, x, y);
    if (is_pattern_relation(r) || is_part_relation(r)) {
        if (!lower_pattern(l, r, expr->fold, right, y->value, &pattern))
            return node_const(l, value_missing());
        return node_match(l, r, x, pattern);
    }
    bool set = r <= RELATION_NOT_IN && y->value.type == VALUE_LIST;
    if (set && !(l->fold && single(y->value, &one))) {
        if (!lower_pattern(l, r, expr->fold, right, y->value, &pattern))
            return node_const(l, value_missing());
        return node_match(l, r, x, pattern);
    }
    /* unfolded, the right side is computed as it is written */
    return node_relation(l, r, expr->fold, x, l->fold ? node_const(l, one) : lower_expr(l, right));
}

static void warn_never(struct lower *l, const struct ast_expr *expr, const struct node *node)
{
    if (l->failed || node->kind != NODE_CONST || operate_truth(node->value))
        return;
    l->warned = true;
    diag_add(l->cx->diag, DIAG_WARNING, expr->span, "this comparison can never be true");
    for (uint32_t i = 0; i < expr->n_args; i++)
        if (expr->args[i]->kind == AST_LITERAL && value_is_missing(expr->args[i]->value))
            diag_hint(l->cx->diag, "null equals nothing: ask with exists(...) or not exists(...)");
}

struct node *lower_relation(struct lower *l, const struct ast_expr *expr)
{
    const struct ast_expr *right = expr->args[1];
    enum relation r = relation_of(expr->op);
    struct node *x = lower_expr(l, expr->args[0]), *node;
    uint32_t pattern;

    assert(r != RELATION_COUNT); /* all other operators are lowered elsewhere */
    if (right->ref == REF_TABLE && !right->index) {
        if (l->cx->reads_table)
            l->cx->reads_table[right->list] = true;
        struct insn has = { .op = OP_TABLE_HAS, .a = r == RELATION_NOT_IN, .c = right->list };
        return node_insn(l, has, &x, 1);
    }
    if (right->kind == AST_PATH && right->ref == REF_LIST) {
        if (!lower_list_pattern(l, r, expr->fold, right, &pattern))
            return node_const(l, value_missing());
        node = node_match(l, r, x, pattern);
    } else {
        struct node *y = lower_constant(l, right);
        if (y->kind == NODE_CONST && !l->failed)
            node = relation_with_const(l, r, expr, x, y);
        else if (is_pattern_relation(r) && !l->failed)
            return lower_error(l, right->span, "the pattern of `%s` must be constant",
                               relation_name(r));
        else
            node = node_relation(l, r, expr->fold, x, l->fold ? y : lower_expr(l, right));
    }
    if (l->fold)
        warn_never(l, expr, node);
    return node;
}
