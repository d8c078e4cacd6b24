// SPDX-License-Identifier: Apache-2.0
/*
 * necessary - facts about fields that follow from a condition.
 *
 *     x == 1                      x in {1}
 *     x == 1 and y in ["a", "b"]  x in {1}; y in {a, b}
 *     x == 1 or x == 2            x in {1, 2}
 *     x == 1 or x contains "a"    x exists
 *     not P                       nothing, but for any relation, the negative ones too, that its
 *                                 sides exist
 *
 * A fact is (slot, values) or (slot, exists). `and` has the facts of both sides; `or` for each slot
 * that both know, the weaker of what they know. Per side at most MAX_FACTS are kept, so chains of
 * thousands of `or` stay linear.
 */
#include "plan/necessary.h"

#include <string.h>

#include "base/arena.h"
#include "lang/ast.h"
#include "lang/resolve.h"
#include "plan/expr_compile.h"
#include "plan/operate.h"

enum { MAX_FACTS = 16, MAX_DEPTH = 500, EXISTS = UINT32_MAX };

struct fact {
    uint32_t slot;
    uint32_t n;                /* values, or EXISTS */
    const struct value *value; /* [n] */
};

struct facts {
    struct fact fact[MAX_FACTS];
    uint32_t n;
};

struct search {
    const struct expr_context *cx;
    struct arena *arena;
    uint32_t depth;
};

static void find(struct search *s, const struct ast_expr *expr, struct facts *out);

static struct fact *fact_of(struct facts *f, uint32_t slot)
{
    for (uint32_t i = 0; i < f->n; i++)
        if (f->fact[i].slot == slot)
            return &f->fact[i];
    return NULL;
}

/* Both are known: keep the one with fewer values. */
static void facts_and(struct facts *f, struct fact new)
{
    struct fact *old = fact_of(f, new.slot);

    if (old) {
        if (new.n < old->n)
            *old = new;
    } else if (f->n < MAX_FACTS) {
        f->fact[f->n++] = new;
    }
}

static struct fact exists(uint32_t slot)
{
    return (struct fact){ .slot = slot, .n = EXISTS };
}

/* One or the other is known. */
static struct fact fact_or(struct search *s, struct fact x, struct fact y)
{
    if (x.n == EXISTS || y.n == EXISTS || x.n + y.n > NECESSARY_MAX_VALUES)
        return exists(x.slot);
    if (x.n == 0 || y.n == 0)
        return x.n ? x : y;
    struct value *both = arena_alloc(s->arena, (x.n + y.n) * sizeof *both);
    memcpy(both, x.value, x.n * sizeof *both);
    memcpy(both + x.n, y.value, y.n * sizeof *both);
    return (struct fact){ x.slot, x.n + y.n, both };
}

static void facts_or(struct search *s, struct facts *f, const struct facts *other)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < f->n; i++) {
        struct facts copy = *other;
        const struct fact *same = fact_of(&copy, f->fact[i].slot);
        if (same)
            f->fact[kept++] = fact_or(s, f->fact[i], *same);
    }
    f->n = kept;
}

/* ---- constants --------------------------------------------------------------------------------- */

struct values {
    struct value *value;
    uint32_t n, cap;
};

/* False if the index cannot look this kind of value up, or if there are too many. */
static bool values_add(struct search *s, struct values *v, struct value x)
{
    if (x.type == VALUE_LIST) {
        for (uint32_t i = 0; i < x.len; i++)
            if (!values_add(s, v, x.u.list[i]))
                return false;
        return true;
    }
    if (x.type == VALUE_MISSING)
        return true; /* equals nothing */
    if (x.type != VALUE_TEXT && x.type != VALUE_BOOL && !value_is_number(x))
        return false;
    if (v->n == v->cap) {
        if (v->n == NECESSARY_MAX_VALUES)
            return false;
        uint32_t cap = v->cap ? v->cap * 2 : 8;
        struct value *more = arena_alloc(s->arena, cap * sizeof *more);
        if (v->n)
            memcpy(more, v->value, v->n * sizeof *more);
        v->value = more;
        v->cap = cap < NECESSARY_MAX_VALUES ? cap : NECESSARY_MAX_VALUES;
    }
    v->value[v->n++] = value_copy(x, s->arena);
    return true;
}

/* A literal, or a negative number. */
static bool constant(struct search *s, const struct ast_expr *expr, struct values *v)
{
    if (expr->kind == AST_UNARY && expr->op == AST_OP_NEG && expr->args[0]->kind == AST_LITERAL)
        return values_add(s, v, operate_neg(expr->args[0]->value));
    return expr->kind == AST_LITERAL && values_add(s, v, expr->value);
}

static bool all_constant(struct search *s, struct ast_expr *const *expr, uint32_t n,
                         struct values *v)
{
    for (uint32_t i = 0; i < n; i++)
        if (!constant(s, expr[i], v))
            return false;
    return true;
}

/* The values of a literal, a list of literals, or a plain declared list. */
static bool constants(struct search *s, const struct ast_expr *expr, struct values *v)
{
    if (expr->kind == AST_LIST)
        return all_constant(s, expr->args, expr->n_args, v);
    if (expr->kind != AST_PATH)
        return constant(s, expr, v);
    if (expr->ref != REF_LIST || expr->list >= s->cx->n_lists)
        return false;
    const struct ast_list *list = s->cx->list[expr->list];
    if (list->kind != AST_LIST_PLAIN && list->kind != AST_LIST_TEXT)
        return false;
    return all_constant(s, list->item, list->n_items, v);
}

/* ---- conditions -------------------------------------------------------------------------------- */

static bool is_field(const struct ast_expr *expr)
{
    return expr->kind == AST_PATH && expr->ref == REF_FIELD && !expr->index;
}

/* A value that is there needs these fields: what every operator and function passes on. */
static void find_needs(const struct ast_expr *expr, struct facts *out)
{
    for (uint32_t i = 0; i < MAX_DEPTH; i++) {
        if (expr->ref == REF_ADDED) {
            expr = expr->args[0];
            continue;
        }
        if (is_field(expr)) {
            facts_and(out, exists(expr->slot));
            return;
        }
        bool strict = expr->kind == AST_UNARY && expr->op == AST_OP_NEG;
        strict |= expr->kind == AST_BINARY && expr->op >= AST_OP_ADD && expr->op <= AST_OP_MOD;
        strict |= expr->kind == AST_CALL && expr->ref == REF_FUNCTION && expr->n_args > 0 &&
                  expr->function != FUNCTION_IF && expr->function != FUNCTION_EXISTS &&
                  expr->function != FUNCTION_CIDR_MATCH && expr->function != FUNCTION_TIME &&
                  expr->function != FUNCTION_STREAM;
        if (!strict)
            return;
        expr = expr->args[0];
    }
}

static void find_equals(struct search *s, const struct ast_expr *field, const struct ast_expr *right,
                        struct facts *out)
{
    struct values v = { 0 };

    if (is_field(field) && constants(s, right, &v))
        facts_and(out, (struct fact){ field->slot, v.n, v.value });
}

static void find_relation(struct search *s, const struct ast_expr *expr, struct facts *out)
{
    const struct ast_expr *x = expr->args[0], *y = expr->args[1];

    /* a relation with a missing side is false, the negative ones too */
    find_needs(x, out);
    if (y->ref != REF_LIST)
        find_needs(y, out);
    if (expr->fold || (expr->op != AST_OP_EQ && expr->op != AST_OP_IN))
        return;
    find_equals(s, x, y, out);
    find_equals(s, y, x, out); /* "a" == field, "a" in field */
}

/* Chains of and / or lean to the left and may be long: only the right sides recurse. */
static void find_chain(struct search *s, const struct ast_expr *expr, struct facts *out)
{
    enum ast_op op = expr->op;
    bool first = true;

    for (;;) {
        bool more = expr->kind == AST_BINARY && expr->op == op;
        struct facts side = { .n = 0 };
        find(s, more ? expr->args[1] : expr, &side);
        if (first)
            *out = side;
        else if (op == AST_OP_OR)
            facts_or(s, out, &side);
        else
            for (uint32_t i = 0; i < side.n; i++)
                facts_and(out, side.fact[i]);
        first = false;
        if (!more)
            return;
        expr = expr->args[0];
    }
}

static void find_call(const struct ast_expr *expr, struct facts *out)
{
    if (expr->ref != REF_FUNCTION || expr->n_args == 0)
        return;
    if (expr->function == FUNCTION_EXISTS || expr->function == FUNCTION_CIDR_MATCH)
        find_needs(expr->args[0], out);
}

/* Adds what must be if expr is true. */
static void find(struct search *s, const struct ast_expr *expr, struct facts *out)
{
    if (s->depth == MAX_DEPTH)
        return;
    s->depth++;
    if (expr->ref == REF_ADDED)
        find(s, expr->args[0], out);
    else if (expr->kind == AST_QUANTIFIED)
        find_needs(expr->args[0], out);
    else if (expr->kind == AST_CALL)
        find_call(expr, out);
    else if (is_field(expr))
        find_needs(expr, out);
    else if (expr->kind == AST_BINARY && (expr->op == AST_OP_AND || expr->op == AST_OP_OR))
        find_chain(s, expr, out);
    else if (expr->kind == AST_BINARY && expr->op >= AST_OP_EQ && expr->op <= AST_OP_NOT_ENDSWITH)
        find_relation(s, expr, out);
    s->depth--;
}

bool necessary_find(const struct expr_context *cx, struct ast_expr *const *conjunct, uint32_t n,
                    struct arena *a, struct necessary *out)
{
    struct search s = { .cx = cx, .arena = a };
    const struct fact *best = NULL;
    struct facts all = { .n = 0 };

    for (uint32_t i = 0; i < n; i++) {
        struct facts some = { .n = 0 };
        find(&s, conjunct[i], &some);
        for (uint32_t k = 0; k < some.n; k++)
            facts_and(&all, some.fact[k]);
    }
    for (uint32_t i = 0; i < all.n; i++)
        if (!best || all.fact[i].n < best->n)
            best = &all.fact[i];
    *out = (struct necessary){ .kind = NECESSARY_NONE };
    if (!best)
        return false;
    out->slot = best->slot;
    out->kind = best->n == EXISTS ? NECESSARY_EXISTS : NECESSARY_EQUALS;
    out->n = best->n == EXISTS ? 0 : best->n;
    out->value = best->value;
    return true;
}
