// SPDX-License-Identifier: Apache-2.0
/*
 * window_build - what a window keeps: each aggregate once, however often the rule names it.
 *
 * Calls are equal when they are of one input and mean the same: `sum(a.x)` and, with one input,
 * `sum(x)`; `count(a)` and `count()`. They are compared after resolve, by slots, not by text.
 */
#include "plan/window_build.h"

#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/zone.h"
#include "lang/ast.h"
#include "lang/ast_print.h"
#include "lang/resolve.h"
#include "plan/expr_compile.h"
#include "plan/pools.h"
#include "plan/program.h"
#include "plan/window_plan.h"

/* ---- equal calls --------------------------------------------------------------------------- */

/* An argument, but not the input itself in count(a). */
static const struct ast_expr *argument(const struct ast_expr *call, uint32_t i)
{
    return i < call->n_args && call->args[i]->ref != REF_STEP ? call->args[i] : NULL;
}

static bool same_call(const struct ast_expr *a, const struct ast_expr *b)
{
    return a->aggregate == b->aggregate && a->step == b->step &&
           resolve_same(argument(a, 0), argument(b, 0)) && resolve_same(argument(a, 1), argument(b, 1)) &&
           resolve_same(a->where, b->where) && resolve_same(a->within, b->within);
}

/* ---- all calls of a rule ------------------------------------------------------------------- */

struct calls {
    const struct ast_expr **call; /* owned; one of each that are equal */
    size_t cap;
    uint32_t n;
};

static bool number_call(struct ast_expr *expr, void *ctx)
{
    struct calls *calls = ctx;
    if (expr->kind != AST_CALL || expr->ref != REF_WINDOW_AGGREGATE)
        return true;
    expr->number = 0;
    while (expr->number < calls->n && !same_call(calls->call[expr->number], expr))
        expr->number++;
    if (expr->number == calls->n) {
        calls->call = vec_reserve(calls->call, &calls->cap, (size_t)calls->n + 1,
                                  sizeof *calls->call);
        calls->call[calls->n++] = expr;
    }
    return true;
}

static struct calls find_calls(const struct ast_rule *ast)
{
    struct calls calls = {NULL, 0, 0};
    ast_walk(ast->window->having, number_call, &calls);
    for (const struct ast_assign *a = ast->emit; a != NULL; a = a->next)
        ast_walk(a->expr, number_call, &calls);
    ast_walk(ast->severity, number_call, &calls);
    ast_walk(ast->risk, number_call, &calls);
    for (const struct ast_excepted *e = ast->excepted; e != NULL; e = e->next)
        ast_walk(e->where, number_call, &calls);
    return calls;
}

void window_number_aggregates(struct ast_rule *ast)
{
    struct calls calls = find_calls(ast);
    mem_free(calls.call);
}

void window_print_aggregates(struct buf *out, const struct ast_rule *ast)
{
    struct calls calls = find_calls(ast);
    for (uint32_t i = 0; i < calls.n; i++) {
        ast_print_expr(out, calls.call[i]);
        buf_addc(out, ';');
    }
    mem_free(calls.call);
}

/* ---- the plan ------------------------------------------------------------------------------ */

static bool build_where(const struct expr_context *cx, const struct ast_expr *call,
                        const struct code **code_out)
{
    struct ast_expr *cond[2];
    uint32_t n = 0;
    if (call->aggregate == LANG_WINDOW_COUNT && argument(call, 0) != NULL)
        cond[n++] = call->args[0];
    if (call->where != NULL)
        cond[n++] = call->where;
    return n == 0 || expr_compile_all(cx, cond, n, code_out);
}

static bool build_aggregate(const struct expr_context *cx, const struct ast_expr *call,
                            const struct program_rule *rule, bool slides,
                            struct program_aggregate *ag)
{
    bool ok = true;
    *ag = (struct program_aggregate){
        .id = (enum window_aggregate_id)call->aggregate,
        .input = call->step == AST_ALL_INPUTS ? AGGREGATE_ALL_INPUTS : call->step,
        .reach = call->within != NULL ? call->within->value.u.i : -1,
        .limit_values = rule->limits.values,
        .no_remove = !slides};
    switch (call->aggregate) {
    case LANG_WINDOW_COUNT: break;
    case LANG_WINDOW_PERCENTILE: {
        struct value p = call->args[1]->value;
        ag->quantile = (p.type == VALUE_INT ? (double)p.u.i : p.u.d) / 100;
        ok &= expr_compile(cx, call->args[0], &ag->arg[0]);
        break;
    }
    case LANG_WINDOW_COLLECT:
    case LANG_WINDOW_VALUES:
    case LANG_WINDOW_TOP:
        ag->n = (uint32_t)call->args[1]->value.u.i;
        ok &= expr_compile(cx, call->args[0], &ag->arg[0]);
        break;
    default:
        for (uint32_t i = 0; i < call->n_args && i < 2; i++)
            ok &= expr_compile(cx, call->args[i], &ag->arg[i]);
    }
    return ok & build_where(cx, call, &ag->where);
}

static int64_t duration_of(const struct ast_expr *literal, int64_t otherwise)
{
    return literal != NULL ? literal->value.u.i : otherwise;
}

static void build_kind(const struct ast_window *w, struct window_plan *plan)
{
    static const enum window_kind kinds[] = {
        [AST_TUMBLING] = WINDOW_TUMBLING, [AST_HOPPING] = WINDOW_HOPPING,
        [AST_SESSION] = WINDOW_SESSION,   [AST_SLIDING] = WINDOW_SLIDING,
        [AST_GLOBAL] = WINDOW_GLOBAL};
    static const enum window_fire fires[] = {
        [AST_FIRE_ON_CLOSE] = FIRE_ON_CLOSE,
        [AST_FIRE_ON_MATCH] = FIRE_ON_MATCH,
        [AST_FIRE_ON_MATCH_RESET] = FIRE_ON_MATCH_RESET,
        [AST_FIRE_ON_EVERY_MATCH] = FIRE_ON_EVERY_MATCH,
        [AST_FIRE_ON_CHANGE] = FIRE_ON_CHANGE};
    plan->kind = kinds[w->kind];
    plan->fire = fires[resolve_window_fire(w)];
    plan->size = duration_of(w->kind == AST_GLOBAL ? w->expire : w->size, 0);
    plan->every = duration_of(w->every, plan->size);
    plan->offset = duration_of(w->offset, 0);
    plan->max = resolve_session_max(w);
    plan->late = duration_of(w->late, -1);
    plan->in_table = w->in_table.text != NULL ? w->in_table_number : UINT32_MAX;
}

bool window_build(const struct expr_context *cx, const struct ast_rule *ast,
                  struct program_rule *rule)
{
    const struct ast_window *w = ast->window;
    struct arena *a = pools_arena(cx->pools);
    struct window_plan *plan = arena_alloc(a, sizeof *plan);
    struct calls calls = find_calls(ast);
    struct program_aggregate *ag = arena_alloc(a, (calls.n + 1) * sizeof *ag);
    bool ok = true;
    build_kind(w, plan);
    plan->reach = plan->size;
    if (w->zone.text != NULL)
        plan->zone = zone_find(w->zone.text, w->zone.len);
    for (uint32_t i = 0; i < calls.n; i++) {
        ok &= build_aggregate(cx, calls.call[i], rule, w->kind == AST_SLIDING, &ag[i]);
        if (ag[i].reach > plan->reach)
            plan->reach = ag[i].reach;
    }
    mem_free(calls.call);
    plan->aggregate = ag;
    plan->n_aggregates = calls.n;
    if (w->having != NULL) {
        struct ast_expr *having = w->having;
        ok &= expr_compile_all(cx, &having, 1, &plan->having);
    }
    rule->window = plan;
    return ok;
}

/* ---- validation ---------------------------------------------------------------------------- */

static bool good_code(const struct program *prog, const struct code *code, uint32_t n_aggregates,
                      const char **why_out)
{
    if (code == NULL)
        return true;
    if (!code_validate(prog, code, why_out))
        return false;
    for (uint32_t i = 0; i < code->n; i++) {
        if (code->insn[i].op == OP_WINDOW_AGGREGATE && code->insn[i].c >= n_aggregates) {
            *why_out = "no such aggregate of the window";
            return false;
        }
    }
    return true;
}

bool window_validate(const struct program *prog, const struct program_rule *rule,
                     const char **why_out)
{
    const struct window_plan *plan = rule->window;
    bool ok = good_code(prog, plan->having, plan->n_aggregates, why_out) &&
              good_code(prog, rule->severity_code, plan->n_aggregates, why_out) &&
              good_code(prog, rule->risk_code, plan->n_aggregates, why_out);
    for (uint32_t i = 0; i < rule->n_emit && ok; i++)
        ok = good_code(prog, rule->emit[i].code, plan->n_aggregates, why_out);
    for (uint32_t i = 0; i < plan->n_aggregates && ok; i++) {
        const struct program_aggregate *ag = &plan->aggregate[i];
        ok = good_code(prog, ag->arg[0], 0, why_out) && good_code(prog, ag->arg[1], 0, why_out) &&
             good_code(prog, ag->where, 0, why_out);
        if (ok && ag->input != AGGREGATE_ALL_INPUTS && ag->input >= rule->n_steps) {
            *why_out = "no such input";
            ok = false;
        }
    }
    return ok;
}

const char *program_aggregate_name(enum window_aggregate_id id)
{
    static const char *const name[] = {
#define WINDOW_AGGREGATE(id_, name_, min_args, max_args, types, nothing, doc) name_,
#include "lang/window_aggregate.def"
#undef WINDOW_AGGREGATE
    };

    return name[id];
}
