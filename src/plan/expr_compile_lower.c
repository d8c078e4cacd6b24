// SPDX-License-Identifier: Apache-2.0
/*
 * expr_compile_lower - the AST without sugar: each operator and reference to a node, constants
 * folded on the way up. Relations are in expr_compile_match.c, calls in expr_compile_call.c.
 */
#include <stdarg.h>
#include <stdio.h>

#include "base/arena.h"
#include "lang/ast.h"
#include "plan/expr_compile.h"
#include "plan/expr_compile_priv.h"
#include "plan/pools.h"

/* ---- nodes ------------------------------------------------------------------------------------- */

struct node *node_new(struct lower *l, enum node_kind kind, struct node **arg, uint32_t n)
{
    struct node *node = arena_alloc(l->arena, sizeof *node);

    node->kind = kind;
    node->n = n;
    node->arg = n ? arena_memdup(l->arena, arg, n * sizeof(struct node *)) : NULL;
    return node;
}

struct node *node_const(struct lower *l, struct value v)
{
    struct node *node = node_new(l, NODE_CONST, NULL, 0);

    node->value = v;
    node->is_bool = v.type == VALUE_BOOL;
    return node;
}

static bool gives_bool(enum opcode op)
{
    switch (op) {
    case OP_NOT:
    case OP_TRUTH:
    case OP_EXISTS:
    case OP_STEP_EXISTS:
    case OP_IN_STREAM:
    case OP_STEP_IN_STREAM:
    case OP_TABLE_HAS:
    case OP_COMPARE:
    case OP_MATCH: return true;
    default: return false;
    }
}

/* The node's value if all its operands are constants and the instruction is pure. */
static bool try_fold(struct lower *l, const struct node *node, struct value *v_out)
{
    /* lists of constants are folded always: a thousand elements do not fit on the stack */
    if (node->n == 0 && node->insn.op != OP_LIST)
        return false;
    if (!l->fold && node->insn.op != OP_LIST)
        return false;
    struct value *arg = arena_alloc(l->arena, node->n * sizeof *arg + 1);
    for (uint32_t i = 0; i < node->n; i++) {
        if (node->arg[i]->kind != NODE_CONST)
            return false;
        arg[i] = node->arg[i]->value;
    }
    return fold_insn(l, node->insn, arg, node->n, v_out);
}

struct node *node_insn(struct lower *l, struct insn insn, struct node **arg, uint32_t n)
{
    struct node *node = node_new(l, NODE_INSN, arg, n);
    struct value v;

    node->insn = insn;
    node->is_bool = gives_bool(insn.op);
    return !l->failed && try_fold(l, node, &v) ? node_const(l, v) : node;
}

struct node *node_unary(struct lower *l, enum opcode op, struct node *x)
{
    return node_insn(l, (struct insn){ .op = (uint8_t)op }, &x, 1);
}

struct node *lower_error(struct lower *l, struct span span, const char *fmt, ...)
{
    char text[512];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    diag_add(l->cx->diag, DIAG_ERROR, span, "%s", text);
    l->failed = true;
    return node_const(l, value_missing());
}

/* ---- and, or, ?? ------------------------------------------------------------------------------- */

static bool is_chain(const struct ast_expr *expr, enum ast_op op)
{
    return expr->kind == AST_BINARY && expr->op == op;
}

/* Is the constant v the end of the chain (true), or may it be left out (false)? */
static bool ends_chain(enum node_kind kind, struct value v)
{
    switch (kind) {
    case NODE_AND: return !operate_truth(v);
    case NODE_OR: return operate_truth(v);
    default: return v.type != VALUE_MISSING;
    }
}

static struct node *fold_chain(struct lower *l, enum node_kind kind, struct node **arg, uint32_t n)
{
    uint32_t kept = 0;
    bool ended = false;

    for (uint32_t i = 0; i < n && !ended; i++) {
        if (arg[i]->kind == NODE_CONST && !ends_chain(kind, arg[i]->value))
            continue;
        ended = arg[i]->kind == NODE_CONST;
        arg[kept++] = arg[i];
    }
    if (kind == NODE_DEFAULT) {
        if (kept == 0)
            return node_const(l, value_missing());
        return kept == 1 ? arg[0] : node_new(l, kind, arg, kept);
    }
    /* conditions are pure: what comes before a constant end does not matter */
    if (kept == 0 || ended)
        return node_const(l, value_bool((kind == NODE_AND) != ended));
    if (kept == 1)
        return arg[0]->is_bool ? arg[0] : node_unary(l, OP_TRUTH, arg[0]);
    struct node *node = node_new(l, kind, arg, kept);
    node->is_bool = true;
    return node;
}

/* a and b and c ... is a tree that leans to the left and may be thousands deep: no recursion. */
static struct node *lower_chain(struct lower *l, const struct ast_expr *expr, enum node_kind kind)
{
    enum ast_op op = expr->op;
    uint32_t n = 1;

    for (const struct ast_expr *x = expr; is_chain(x, op); x = x->args[0])
        n++;
    struct node **arg = arena_alloc(l->arena, n * sizeof *arg);
    const struct ast_expr **term = arena_alloc(l->arena, n * sizeof *term);
    for (uint32_t i = n; i > 1; i--, expr = expr->args[0])
        term[i - 1] = expr->args[1];
    term[0] = expr;
    for (uint32_t i = 0; i < n; i++)
        arg[i] = lower_expr(l, term[i]);
    if (l->fold)
        return fold_chain(l, kind, arg, n);
    struct node *node = node_new(l, kind, arg, n);
    node->is_bool = kind != NODE_DEFAULT;
    return node;
}

/* ---- references -------------------------------------------------------------------------------- */

static struct node *leaf(struct lower *l, enum opcode op, uint32_t b, uint32_t c)
{
    struct insn insn = { .op = (uint8_t)op, .b = (uint16_t)b, .c = c };

    return node_insn(l, insn, NULL, 0);
}

static struct node *lower_variable(struct lower *l, const struct ast_expr *expr)
{
    if (expr->variable >= l->variables)
        return lower_error(l, expr->span, "no any() or all() has this variable");
    struct node *variable = leaf(l, OP_VARIABLE, l->variables - 1 - expr->variable, 0);
    if (expr->n_parts < 2)
        return variable;
    struct insn insn = { .op = OP_MEMBER,
                         .c = pools_path(l->cx->pools, expr->part + 1, expr->n_parts - 1) };
    return node_insn(l, insn, &variable, 1);
}

static struct node *lower_path(struct lower *l, const struct ast_expr *expr)
{
    if (expr->ref == REF_TABLE && expr->index) {
        struct node *key = lower_expr(l, expr->index);
        if (l->cx->reads_table)
            l->cx->reads_table[expr->list] = true;
        struct insn insn = { .op = OP_TABLE_GET, .b = (uint16_t)expr->number, .c = expr->list };
        return node_insn(l, insn, &key, 1);
    }
    switch (expr->ref) {
    case REF_FIELD: return leaf(l, OP_FIELD, 0, expr->slot);
    case REF_STEP_FIELD: return leaf(l, OP_STEP_FIELD, expr->step, expr->slot);
    case REF_PREV:
        if (expr->has_slot)
            return leaf(l, OP_STEP_FIELD, expr->step, expr->slot);
        break;
    case REF_KEY: return leaf(l, OP_KEY, 0, expr->key);
    case REF_EMITTED: return leaf(l, OP_EMITTED, 0, expr->emitted);
    case REF_ANY_FIELD: return leaf(l, OP_TEXTS, 0, 0);
    case REF_WINDOW_AGGREGATE: return leaf(l, OP_WINDOW_AGGREGATE, 0, expr->number);
    case REF_WINDOW_BOUND: return leaf(l, expr->is_end ? OP_WINDOW_END : OP_WINDOW_START, 0, 0);
    case REF_VARIABLE: return lower_variable(l, expr);
    case REF_LIST:
        return lower_error(l, expr->span,
                           "a declared list may only stand on the right of a comparison");
    case REF_TABLE:
        return lower_error(l, expr->span, "a table stands behind `in` only");
    case REF_STEP:
        return lower_error(l, expr->span, "a step is not a value: name one of its fields");
    default: break;
    }
    l->failed = true; /* unresolved: that was reported */
    if (diag_errors(l->cx->diag) == 0)
        lower_error(l, expr->span, "this is not a value");
    return node_const(l, value_missing());
}

/* ---- expressions ------------------------------------------------------------------------------- */

static struct node *lower_list(struct lower *l, const struct ast_expr *expr)
{
    struct node **arg = arena_alloc(l->arena, (expr->n_args + 1) * sizeof *arg);
    struct insn insn = { .op = OP_LIST, .c = expr->n_args };

    for (uint32_t i = 0; i < expr->n_args; i++)
        arg[i] = lower_expr(l, expr->args[i]);
    struct node *node = node_insn(l, insn, arg, expr->n_args);
    if (node->kind != NODE_CONST && expr->n_args > LOWER_MAX_OPERANDS)
        return lower_error(l, expr->span, "a list with fields in it has at most %d elements",
                           LOWER_MAX_OPERANDS);
    return node;
}

static struct node *lower_arithmetic(struct lower *l, const struct ast_expr *expr, enum opcode op)
{
    struct node *arg[2] = { lower_expr(l, expr->args[0]), lower_expr(l, expr->args[1]) };

    return node_insn(l, (struct insn){ .op = (uint8_t)op }, arg, 2);
}

static struct node *lower_operator(struct lower *l, const struct ast_expr *expr)
{
    switch (expr->op) {
    case AST_OP_AND: return lower_chain(l, expr, NODE_AND);
    case AST_OP_OR: return lower_chain(l, expr, NODE_OR);
    case AST_OP_DEFAULT: return lower_chain(l, expr, NODE_DEFAULT);
    case AST_OP_NOT: return node_unary(l, OP_NOT, lower_expr(l, expr->args[0]));
    case AST_OP_NEG: return node_unary(l, OP_NEG, lower_expr(l, expr->args[0]));
    case AST_OP_ADD: return lower_arithmetic(l, expr, OP_ADD);
    case AST_OP_SUB: return lower_arithmetic(l, expr, OP_SUB);
    case AST_OP_MUL: return lower_arithmetic(l, expr, OP_MUL);
    case AST_OP_DIV: return lower_arithmetic(l, expr, OP_DIV);
    case AST_OP_MOD: return lower_arithmetic(l, expr, OP_MOD);
    default: return lower_relation(l, expr);
    }
}

static struct node *lower_quantified(struct lower *l, const struct ast_expr *expr)
{
    struct node *arg[2];

    if (l->variables == CODE_MAX_VARIABLES)
        return lower_error(l, expr->span, "any() and all() may be nested %d deep",
                           CODE_MAX_VARIABLES);
    arg[0] = lower_expr(l, expr->args[0]);
    l->variables++;
    arg[1] = lower_expr(l, expr->args[1]);
    l->variables--;
    struct node *node = node_new(l, NODE_QUANTIFIED, arg, 2);
    node->is_bool = true;
    node->insn = (struct insn){ .op = OP_QUANTIFY, .a = expr->all, .b = (uint16_t)l->variables };
    return node;
}

struct node *lower_expr(struct lower *l, const struct ast_expr *expr)
{
    struct node *node;

    if (l->depth == LOWER_MAX_DEPTH)
        return lower_error(l, expr->span, "this expression is nested too deeply");
    l->depth++;
    if (expr->ref == REF_ADDED) {
        node = lower_expr(l, expr->args[0]);
        l->depth--;
        return node;
    }
    switch (expr->kind) {
    case AST_LITERAL: node = node_const(l, expr->value); break;
    case AST_LIST: node = lower_list(l, expr); break;
    case AST_PATH: node = lower_path(l, expr); break;
    case AST_UNARY:
    case AST_BINARY: node = lower_operator(l, expr); break;
    case AST_CALL: node = lower_call(l, expr); break;
    case AST_QUANTIFIED: node = lower_quantified(l, expr); break;
    default: node = lower_error(l, expr->span, "this is not an expression"); break;
    }
    l->depth--;
    return node;
}

struct node *lower_constant(struct lower *l, const struct ast_expr *expr)
{
    bool fold = l->fold;

    l->fold = true;
    struct node *node = lower_expr(l, expr);
    l->fold = fold;
    return node;
}
