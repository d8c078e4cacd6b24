// SPDX-License-Identifier: Apache-2.0
/* The tree's constructors and its walk. */
#include "lang/ast.h"

#include "base/arena.h"
#include "base/mem.h"

enum { MODULE_CHUNK = 64 << 10 };

struct ast_module *ast_module_new(void)
{
    struct ast_module *module = mem_calloc(1, sizeof *module);

    module->arena = arena_new(MODULE_CHUNK);
    return module;
}

void ast_module_free(struct ast_module **module)
{
    if (!*module)
        return;
    arena_free(&(*module)->arena);
    mem_free(*module);
    *module = NULL;
}

static struct ast_expr *node(struct arena *a, enum ast_expr_kind kind, struct span span)
{
    struct ast_expr *expr = arena_alloc(a, sizeof *expr);

    expr->kind = kind;
    expr->span = span;
    expr->depth = 1;
    return expr;
}

static void take_args(struct arena *a, struct ast_expr *expr, struct ast_expr **args, uint32_t n)
{
    if (n == 0)
        return;
    expr->args = arena_memdup(a, args, n * sizeof(struct ast_expr *));
    expr->n_args = n;
    for (uint32_t i = 0; i < n; i++)
        if (args[i]->depth >= expr->depth)
            expr->depth = args[i]->depth + 1;
}

struct ast_expr *ast_literal(struct arena *a, struct span span, struct value value, enum ast_literal_form form)
{
    struct ast_expr *expr = node(a, AST_LITERAL, span);

    expr->value = value;
    expr->literal_form = (uint8_t)form;
    return expr;
}

struct ast_expr *ast_path(struct arena *a, struct span span, const struct path_part *part, const bool *quoted, uint32_t n)
{
    struct ast_expr *expr = node(a, AST_PATH, span);

    expr->part = arena_memdup(a, part, n * sizeof *part);
    expr->n_parts = n;
    if (quoted)
        expr->part_quoted = arena_memdup(a, quoted, n * sizeof *quoted);
    else
        expr->part_quoted = arena_alloc(a, n * sizeof *quoted);
    return expr;
}

struct ast_expr *ast_unary(struct arena *a, struct span span, enum ast_op op, struct ast_expr *x)
{
    struct ast_expr *expr = node(a, AST_UNARY, span);

    expr->op = op;
    take_args(a, expr, &x, 1);
    return expr;
}

struct ast_expr *ast_binary(struct arena *a, struct span span, enum ast_op op, bool fold, struct ast_expr *x, struct ast_expr *y)
{
    struct ast_expr *expr = node(a, AST_BINARY, span);
    struct ast_expr *args[] = {x, y};

    expr->op = op;
    expr->fold = fold;
    take_args(a, expr, args, 2);
    return expr;
}

struct ast_expr *ast_call(struct arena *a, struct span span, struct ast_name name, struct ast_expr **args, uint32_t n)
{
    struct ast_expr *expr = node(a, AST_CALL, span);

    expr->name = name;
    take_args(a, expr, args, n);
    return expr;
}

struct ast_expr *ast_list_expr(struct arena *a, struct span span, struct ast_expr **items, uint32_t n)
{
    struct ast_expr *expr = node(a, AST_LIST, span);

    take_args(a, expr, items, n);
    return expr;
}

struct ast_expr *ast_quantified(struct arena *a, struct span span, bool all, struct ast_name var, struct ast_expr *list, struct ast_expr *cond)
{
    struct ast_expr *expr = node(a, AST_QUANTIFIED, span);
    struct ast_expr *args[] = {list, cond};

    expr->all = all;
    expr->name = var;
    take_args(a, expr, args, 2);
    return expr;
}

bool ast_walk(struct ast_expr *expr, ast_visit_fn *visit, void *ctx)
{
    if (!expr)
        return true;
    if (!visit(expr, ctx))
        return false;
    for (uint32_t i = 0; i < expr->n_args; i++)
        if (!ast_walk(expr->args[i], visit, ctx))
            return false;
    return ast_walk(expr->where, visit, ctx) && ast_walk(expr->within, visit, ctx) &&
           ast_walk(expr->index, visit, ctx);
}
