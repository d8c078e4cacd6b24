// SPDX-License-Identifier: Apache-2.0
/*
 * join_build - sides, bounds, and which conditions wait for the other side; what a novel is about.
 *
 * The conjuncts of a `where` that read the step's own event only are tested once an event (unary);
 * those of a join's side that read the other side are tested once a pair (cross).
 */
#include "plan/join_build.h"

#include <string.h>

#include "base/arena.h"
#include "base/mem.h"
#include "lang/ast.h"
#include "lang/resolve.h"
#include "plan/expr_compile.h"
#include "plan/join_plan.h"
#include "plan/nfa_build.h"
#include "plan/novel_plan.h"
#include "plan/pools.h"
#include "plan/program.h"

/* ---- conditions ---------------------------------------------------------------------------- */

struct split {
    struct ast_expr **conjunct; /* owned */
    size_t cap;
    uint32_t n;
    bool cross; /* which ones */
};

static void split_conjuncts(struct ast_expr *expr, struct split *sp)
{
    if (expr == NULL)
        return;
    if (expr->kind == AST_BINARY && expr->op == AST_OP_AND) {
        split_conjuncts(expr->args[0], sp);
        split_conjuncts(expr->args[1], sp);
        return;
    }
    bool own;
    if ((resolve_steps_used(expr, &own) != 0) != sp->cross)
        return;
    sp->conjunct = vec_reserve(sp->conjunct, &sp->cap, (size_t)sp->n + 1,
                               sizeof(struct ast_expr *));
    sp->conjunct[sp->n++] = expr;
}

void join_split(const struct expr_context *cx, const struct ast_rule *ast, struct unary *unary_out)
{
    struct arena *a = pools_arena(cx->pools);
    for (uint32_t i = 0; i < ast->n_steps; i++) {
        struct split sp = {.cross = false};
        split_conjuncts(ast->steps[i]->where, &sp);
        unary_out[i].conjunct = arena_memdup(a, sp.conjunct, sp.n * sizeof(struct ast_expr *));
        unary_out[i].n = sp.n;
        mem_free(sp.conjunct);
    }
}

/* ---- join ---------------------------------------------------------------------------------- */

static bool build_side(const struct expr_context *cx, const struct ast_step *ast,
                       struct join_side *side)
{
    struct split sp = {.cross = true};
    bool ok = true;
    split_conjuncts(ast->where, &sp);
    side->name = arena_strndup(pools_arena(cx->pools), ast->name.text, ast->name.len);
    side->optional = ast->optional_side;
    side->negated = ast->negated;
    if (sp.n > 0)
        ok = expr_compile_all(cx, sp.conjunct, sp.n, &side->cross);
    mem_free(sp.conjunct);
    return ok;
}

bool join_build(const struct expr_context *cx, const struct ast_rule *ast,
                struct program_rule *rule)
{
    const struct ast_join *join = ast->join;
    struct join_plan *plan = arena_alloc(pools_arena(cx->pools), sizeof *plan);
    bool ok = true;
    for (uint32_t i = 0; i < 2; i++)
        ok &= build_side(cx, ast->steps[i], &plan->side[i]);
    plan->high = join->high->value.u.i;
    plan->low = join->low != NULL ? join->low->value.u.i : -plan->high;
    plan->matches = rule->limits.matches;
    rule->join = plan;
    return ok;
}

bool join_validate(const struct program *prog, const struct program_rule *rule,
                   const char **why_out)
{
    const struct join_plan *plan = rule->join;
    if (rule->n_steps != 2 || plan->low > plan->high) {
        *why_out = "a join without two sides or with an empty range";
        return false;
    }
    for (uint32_t i = 0; i < 2; i++) {
        const struct code *cross = plan->side[i].cross;
        if (cross == NULL)
            continue;
        if (!code_validate(prog, cross, why_out))
            return false;
        if ((cross->steps & ~(UINT64_C(1) << (1 - i))) != 0) {
            *why_out = "a side's condition that reads the side itself as bound";
            return false;
        }
    }
    return true;
}

/* ---- novel --------------------------------------------------------------------------------- */

bool novel_build(const struct expr_context *cx, const struct ast_rule *ast,
                 struct program_rule *rule)
{
    const struct ast_novel *novel = ast->novel;
    struct arena *a = pools_arena(cx->pools);
    struct novel_plan *plan = arena_alloc(a, sizeof *plan);
    const struct code **value = arena_alloc(a, (novel->n_paths + 1) * sizeof *value);
    bool ok = true;
    for (uint32_t i = 0; i < novel->n_paths; i++)
        ok &= expr_compile(cx, novel->paths[i], &value[i]);
    plan->value = value;
    plan->n_values = novel->n_paths;
    plan->within = novel->within->value.u.i;
    plan->after = novel->after != NULL ? novel->after->value.u.i : -1;
    rule->novel = plan;
    return ok;
}

bool novel_validate(const struct program *prog, const struct program_rule *rule,
                    const char **why_out)
{
    const struct novel_plan *plan = rule->novel;
    if (plan->n_values == 0) {
        *why_out = "a novel about nothing";
        return false;
    }
    for (uint32_t i = 0; i < plan->n_values; i++) {
        if (!code_validate(prog, plan->value[i], why_out))
            return false;
    }
    return true;
}
