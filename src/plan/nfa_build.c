// SPDX-License-Identifier: Apache-2.0
/*
 * nfa_build - elements, gaps and reaches; conditions split into what an event alone decides
 * (unary: once per event) and what a run decides (cross: once per run), with equalities found.
 *
 * Passes, in order:
 *   number    steps by their place (resolve did), elements, gaps
 *   split     conjuncts of each `where` by the steps they read
 *   link      `field == earlier.field` conjuncts become links
 *   reach     how far a run at each element may move
 *   choose    which matcher: sets when no step compares with another (optimiser only)
 */
#include "plan/nfa_build.h"

#include "base/arena.h"
#include "base/mem.h"
#include "lang/ast.h"
#include "lang/resolve.h"
#include "plan/expr_compile.h"
#include "plan/nfa.h"
#include "plan/pools.h"

struct split {
    struct ast_expr **unary, **cross; /* with room for all conjuncts each */
    uint32_t n_unary, n_cross;
};

struct builder {
    const struct expr_context *cx;
    struct arena *arena;
    struct nfa *nfa;
    struct nfa_step *step;
    struct nfa_element *element;
    struct nfa_link link[NFA_MAX_LINKS];
    bool ok;
};

static bool is_and(const struct ast_expr *expr)
{
    return expr->kind == AST_BINARY && expr->op == AST_OP_AND;
}

/* The recursion is as deep as the tree, which the parser bounds (a chain of `and` is balanced). */
static uint32_t count_conjuncts(const struct ast_expr *expr)
{
    return is_and(expr) ? count_conjuncts(expr->args[0]) + count_conjuncts(expr->args[1]) : 1;
}

/* Top-level `and`s apart. */
static void split_conjuncts(struct ast_expr *expr, struct split *sp)
{
    if (is_and(expr)) {
        split_conjuncts(expr->args[0], sp);
        split_conjuncts(expr->args[1], sp);
        return;
    }
    bool own;
    if (resolve_steps_used(expr, &own) == 0)
        sp->unary[sp->n_unary++] = expr;
    else
        sp->cross[sp->n_cross++] = expr;
}

static bool is_link(const struct ast_expr *expr, struct nfa_link *link_out)
{
    if (expr->kind != AST_BINARY || expr->op != AST_OP_EQ || expr->fold)
        return false;
    const struct ast_expr *own = expr->args[0], *other = expr->args[1];
    if (own->ref != REF_FIELD) {
        own = expr->args[1];
        other = expr->args[0];
    }
    if (own->kind != AST_PATH || other->kind != AST_PATH || own->ref != REF_FIELD ||
        other->ref != REF_STEP_FIELD)
        return false;
    link_out->slot = own->slot;
    link_out->from_step = (uint16_t)other->step;
    link_out->from_slot = other->slot;
    return true;
}

static void add_links(struct builder *bu, struct nfa_step *step, const struct split *sp)
{
    uint16_t found[NFA_MAX_LINKS];
    uint32_t n = 0;
    step->only_links = sp->n_cross > 0;
    for (uint32_t i = 0; i < sp->n_cross; i++) {
        struct nfa_link link = {.step = step->number};
        bool linked = bu->nfa->n_links < NFA_MAX_LINKS &&
                      is_link(sp->cross[i], &link) && link.from_step != step->number;
        if (!linked) {
            step->only_links = false;
            continue;
        }
        found[n++] = bu->nfa->n_links;
        bu->link[bu->nfa->n_links++] = link;
    }
    step->link = arena_memdup(bu->arena, found, n * sizeof found[0]);
    step->n_links = n;
}

/* Steps of `all` groups keep their cross conditions apart: see struct nfa_conjunct. */
static void build_conjuncts(struct builder *bu, struct nfa_step *step, const struct split *sp)
{
    if (step->element == NFA_NONE || bu->element[step->element].kind != NFA_ALL)
        return;
    struct nfa_conjunct *co = arena_alloc(bu->arena, sp->n_cross * sizeof *co);
    bool own;
    for (uint32_t i = 0; i < sp->n_cross; i++) {
        co[i].steps = resolve_steps_used(sp->cross[i], &own);
        bu->ok &= expr_compile(bu->cx, sp->cross[i], &co[i].code);
    }
    step->conjunct = co;
    step->n_conjuncts = sp->n_cross;
}

static void build_conditions(struct builder *bu, const struct ast_step *ast, struct nfa_step *step,
                             struct unary *unary_out)
{
    struct split split = {0}, *sp = &split;
    if (ast->where != NULL) {
        uint32_t n = count_conjuncts(ast->where);
        sp->unary = mem_calloc(n, sizeof *sp->unary);
        sp->cross = mem_calloc(n, sizeof *sp->cross);
        split_conjuncts(ast->where, sp);
    }
    unary_out->conjunct = arena_memdup(bu->arena, sp->unary, sp->n_unary * sizeof sp->unary[0]);
    unary_out->n = sp->n_unary;
    add_links(bu, step, sp);
    bool own;
    for (uint32_t i = 0; i < sp->n_cross; i++)
        step->cross_steps |= resolve_steps_used(sp->cross[i], &own);
    if (sp->n_cross > 0)
        bu->ok &= expr_compile_all(bu->cx, sp->cross, sp->n_cross, &step->cross);
    build_conjuncts(bu, step, sp);
    mem_free(sp->unary);
    mem_free(sp->cross);
}

static struct nfa_step *build_step(struct builder *bu, const struct ast_step *ast)
{
    struct nfa_step *step = &bu->step[ast->number];
    step->name = arena_strndup(bu->arena, ast->name.text, ast->name.len);
    step->number = (uint16_t)ast->number;
    step->element = step->gap = NFA_NONE;
    step->min = ast->min;
    step->max = ast->max == AST_UNBOUNDED ? NFA_UNBOUNDED : ast->max;
    step->within = ast->within != NULL ? ast->within->value.u.i : -1;
    step->quantified = ast->quantified;
    return step;
}

static uint16_t count_elements(const struct ast_match *match)
{
    uint16_t n = 0;
    for (const struct ast_element *el = match->elements; el != NULL; el = el->next)
        n += el->kind != AST_NOT;
    return n;
}

static void build_element(struct builder *bu, const struct ast_element *ast, uint16_t number)
{
    static const enum nfa_kind kinds[] = {
        [AST_STEP] = NFA_STEP, [AST_ANY] = NFA_ANY, [AST_ALL] = NFA_ALL};
    struct nfa_element *el = &bu->element[number];
    el->kind = kinds[ast->kind];
    el->first_step = (uint16_t)ast->step->number;
    el->is_next = ast->is_next;
    for (const struct ast_step *s = ast->step; s != NULL; s = s->next) {
        struct nfa_step *step = build_step(bu, s);
        step->element = number;
        el->n_steps++;
    }
    el->need = ast->kind == AST_ALL ? (uint16_t)ast->need : 1;
    el->min = el->max = 1;
    if (el->kind == NFA_STEP) {
        el->min = bu->step[el->first_step].min;
        el->max = bu->step[el->first_step].max;
    }
}

/* Elements, and which gap each `not` watches. */
static void build_elements(struct builder *bu, const struct ast_match *match)
{
    uint16_t number = 0;
    uint16_t lead[RESOLVE_MAX_STEPS], gap[RESOLVE_MAX_STEPS], n_lead = 0, n_gap = 0;
    for (const struct ast_element *el = match->elements; el != NULL; el = el->next) {
        if (el->kind != AST_NOT) {
            build_element(bu, el, number++);
            n_gap = 0;
            continue;
        }
        struct nfa_step *step = build_step(bu, el->step);
        step->is_not = true;
        if (number == 0) {
            lead[n_lead++] = step->number;
        } else {
            step->gap = number - 1;
            gap[n_gap++] = step->number;
            bu->element[number - 1].gap_not = arena_memdup(bu->arena, gap, n_gap * sizeof gap[0]);
            bu->element[number - 1].n_gap_nots = n_gap;
        }
    }
    struct nfa *nfa = bu->nfa;
    nfa->lead_not = arena_memdup(bu->arena, lead, n_lead * sizeof lead[0]);
    nfa->n_lead_nots = n_lead;
    struct nfa_element *last = &bu->element[nfa->n_elements - 1];
    nfa->trail_not = last->gap_not;
    nfa->n_trail_nots = last->n_gap_nots;
    last->gap_not = NULL;
    last->n_gap_nots = 0;
    if (match->until != NULL) {
        struct nfa_step *step = build_step(bu, match->until);
        step->is_until = true;
        nfa->until = step->number;
    }
}

static void build_all_conditions(struct builder *bu, const struct ast_match *match,
                                 struct unary *unary_out)
{
    for (const struct ast_element *el = match->elements; el != NULL; el = el->next) {
        for (const struct ast_step *s = el->step; s != NULL; s = s->next)
            build_conditions(bu, s, &bu->step[s->number], &unary_out[s->number]);
    }
    if (match->until != NULL)
        build_conditions(bu, match->until, &bu->step[match->until->number],
                         &unary_out[match->until->number]);
}

static void find_crossed_groups(struct builder *bu)
{
    for (uint16_t i = 0; i < bu->nfa->n_elements; i++) {
        struct nfa_element *el = &bu->element[i];
        uint64_t group = 0, read = 0;
        for (uint16_t k = 0; k < el->n_steps; k++) {
            group |= UINT64_C(1) << (el->first_step + k);
            read |= bu->step[el->first_step + k].cross_steps;
        }
        el->crossed = el->kind == NFA_ALL && (group & read) != 0;
    }
}

static void find_reaches(struct builder *bu)
{
    uint16_t n = bu->nfa->n_elements;
    for (uint16_t i = 0; i < n; i++) {
        uint16_t j = i + 1;
        while (j + 1 < n && bu->element[j].min == 0)
            j++;
        bu->element[i].reach = j < n ? j : i;
    }
}

/* The sets matcher moves whole queues: right only where all runs of a queue do the same. */
static void choose_matcher(struct builder *bu, bool optimise)
{
    struct nfa *nfa = bu->nfa;
    nfa->unary = true;
    for (uint16_t s = 0; s < nfa->n_steps; s++) {
        if (nfa->step[s].cross != NULL)
            nfa->unary = false;
    }
    bool groups = false; /* of several events: runs differ in which they hold */
    for (uint16_t i = 0; i < nfa->n_elements; i++)
        groups |= nfa->element[i].kind == NFA_ALL;
    nfa->use_sets = optimise && nfa->unary && !groups &&
                    (nfa->select == SELECT_FIRST || nfa->select == SELECT_EACH);
}

bool nfa_build(const struct expr_context *cx, const struct ast_match *match, struct nfa **nfa_out,
               struct unary *unary_out)
{
    struct arena *arena = pools_arena(cx->pools);
    struct builder bu = {.cx = cx, .arena = arena, .ok = true};
    struct nfa *nfa = bu.nfa = arena_alloc(arena, sizeof *nfa);
    nfa->n_steps = (uint16_t)match->n_steps;
    nfa->n_elements = count_elements(match);
    bu.step = arena_alloc(arena, nfa->n_steps * sizeof *bu.step);
    bu.element = arena_alloc(arena, nfa->n_elements * sizeof *bu.element);
    nfa->step = bu.step;
    nfa->element = bu.element;
    nfa->until = NFA_NONE;
    nfa->within = match->within != NULL ? match->within->value.u.i : -1;
    nfa->select = (enum nfa_select)match->select;
    build_elements(&bu, match);
    build_all_conditions(&bu, match, unary_out);
    nfa->link = arena_memdup(arena, bu.link, nfa->n_links * sizeof bu.link[0]);
    for (uint16_t i = 0; i < nfa->n_elements; i++)
        nfa->has_next |= nfa->element[i].is_next;
    find_crossed_groups(&bu);
    find_reaches(&bu);
    choose_matcher(&bu, cx->optimise);
    *nfa_out = nfa;
    return bu.ok;
}
