// SPDX-License-Identifier: Apache-2.0
/*
 * resolve_match - all that is special about a match body: its steps by number, which of them an
 * expression may refer to, and the structures that are refused because they would mean nothing or
 * two things. resolve_bound.c does keys and bounds.
 */
#include <string.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/mem.h"
#include "lang/resolve_priv.h"

enum { MAX_COUNT = 1000000, MAX_ALL = 16 };

/* ---- references to steps ------------------------------------------------------------------- */

static void hint_rename(struct resolver *r, const struct ast_step *step)
{
    diag_hint(r->diag, "if a field is meant, rename the step `%s`", step->name.text);
}

void resolve_ambiguous(const struct scope *sc, const struct ast_step *step,
                       const struct ast_expr *path)
{
    struct resolver *r = sc->r;
    uint64_t bit = UINT64_C(1) << step->number;
    if (sc->match->ambiguous & bit)
        return;
    sc->match->ambiguous |= bit;
    diag_add(r->diag, DIAG_ERROR, step->name.span,
             "%s `%s` is named like the first part of the field `%s`", sc->match->noun,
             step->name.text, resolve_path_text(r, path->part, path->n_parts));
    diag_hint(r->diag, "rename the %s; the field is read at %s", sc->match->noun,
              resolve_place(r, path->span));
}

/* A step's own where. */
static bool may_refer_to_itself(const struct scope *sc, const struct ast_step *step,
                                enum step_use use, const struct ast_expr *expr)
{
    struct resolver *r = sc->r;
    const char *name = step->name.text;
    switch (use) {
    case USE_FIELD: {
        if (sc->match->ambiguous & UINT64_C(1) << step->number)
            return false; /* told at the step */
        const char *rest =
            expr->n_parts > 1 ? resolve_path_text(r, expr->part + 1, expr->n_parts - 1) : "x";
        diag_add(r->diag, DIAG_ERROR, expr->span, "`%s` is not bound yet in its own `where`", name);
        diag_hint(r->diag,
                  "`%s` is the candidate's, `prev(%s).%s` that of the event bound before; if the "
                  "field `%s` is meant, rename the step",
                  rest, name, rest, resolve_path_text(r, expr->part, expr->n_parts));
        return false;
    }
    case USE_EVENT:
        diag_add(r->diag, DIAG_ERROR, expr->span, "`%s` is not bound yet in its own `where`", name);
        diag_hint(r->diag, "the candidate's is `%s()`", expr->name.text);
        return false;
    case USE_PREV:
        if (step->max <= 1) {
            diag_add(r->diag, DIAG_WARNING, expr->span, "`prev(%s)` is always missing", name);
            diag_hint(r->diag, "`%s` takes one event only", name);
        }
        return true;
    default: return true;
    }
}

static bool refuse_unbound(const struct scope *sc, const struct ast_step *step,
                           const struct ast_expr *expr)
{
    bool is_until = sc->match->role[step->number] == ROLE_UNTIL;
    diag_add(sc->r->diag, DIAG_ERROR, expr->span, "no event is ever bound to `%s`, %s",
             step->name.text, is_until ? "which is the `until`" : "which is a `not`");
    hint_rename(sc->r, step);
    return false;
}

/* An earlier step, or one of the same group. */
static bool may_refer_to_other(const struct scope *sc, const struct ast_step *step,
                               const struct ast_expr *expr)
{
    const struct match_info *info = sc->match;
    struct diag *diag = sc->r->diag;
    uint32_t own = sc->own->number, other = step->number;
    if (info->element[other] < info->element[own])
        return true;
    if (info->element[other] > info->element[own]) {
        diag_add(diag, DIAG_ERROR, expr->span, "`%s` comes later: no event is bound to it yet",
                 step->name.text);
        hint_rename(sc->r, step);
        return false;
    }
    if (info->element_of[own]->kind == AST_ALL)
        return true;
    diag_add(diag, DIAG_ERROR, expr->span, "`%s` and `%s` are never both bound", sc->own->name.text,
             step->name.text);
    diag_hint(diag, "exactly one of the steps in `any { }` is");
    return false;
}

static bool may_lead_refer(const struct scope *sc, const struct ast_step *step, enum step_use use,
                           const struct ast_expr *expr)
{
    struct diag *diag = sc->r->diag;
    if (sc->match->element_of[step->number] != sc->match->first) {
        diag_add(diag, DIAG_ERROR, expr->span,
                 "a `not` before the first step may refer to the first step only");
        return false;
    }
    if (use != USE_AGGREGATE)
        return true;
    diag_add(diag, DIAG_ERROR, expr->span,
             "a `not` before the first step knows no more than the first event");
    diag_hint(diag, "write `%s.x`", step->name.text);
    return false;
}

bool resolve_may_refer(const struct scope *sc, const struct ast_step *step, enum step_use use,
                       const struct ast_expr *expr)
{
    const struct match_info *info = sc->match;
    if (info->body != AST_BODY_MATCH)
        return resolve_body_may_refer(sc, step, use, expr);
    if (info->role[step->number] != ROLE_STEP)
        return refuse_unbound(sc, step, expr);
    if (sc->own == step)
        return may_refer_to_itself(sc, step, use, expr);
    if (use == USE_PREV) {
        diag_add(sc->r->diag, DIAG_ERROR, expr->span,
                 "`prev(%s)` stands in the `where` of `%s` only", step->name.text, step->name.text);
        diag_hint(sc->r->diag, "the last event bound to it is `%s.x`", step->name.text);
        return false;
    }
    if (sc->own == NULL)
        return true;
    switch (info->role[sc->own->number]) {
    case ROLE_UNTIL: return true;
    case ROLE_NOT_FIRST: return may_lead_refer(sc, step, use, expr);
    default: return may_refer_to_other(sc, step, expr);
    }
}

/* ---- numbers ------------------------------------------------------------------------------- */

bool resolve_add_step(struct resolver *r, struct match_info *info, struct ast_step *step)
{
    struct ast_match *match = info->match;
    if (match->n_steps == RESOLVE_MAX_STEPS) {
        diag_add(r->diag, DIAG_ERROR, step->span, "a rule has at most %d %ss%s", RESOLVE_MAX_STEPS,
                 info->noun, info->body == AST_BODY_MATCH ? ", `not` and `until` included" : "");
        return false;
    }
    for (uint32_t i = 0; i < match->n_steps; i++) {
        if (strcmp(match->steps[i]->name.text, step->name.text) != 0)
            continue;
        diag_add(r->diag, DIAG_ERROR, step->name.span, "%s `%s` is named twice", info->noun,
                 step->name.text);
        diag_hint(r->diag, "first named at %s", resolve_place(r, match->steps[i]->name.span));
        break;
    }
    step->number = match->n_steps++;
    match->steps[step->number] = step;
    return true;
}

static bool add_step(struct resolver *r, struct match_info *info, struct ast_step *step,
                     const struct ast_element *el, uint32_t place, enum step_role role)
{
    if (!resolve_add_step(r, info, step))
        return false;
    uint32_t number = step->number;
    info->element_of[number] = el;
    info->element[number] = place;
    info->role[number] = role;
    return true;
}

static enum step_role role_of(const struct match_info *info, const struct ast_element *el)
{
    if (el->kind != AST_NOT)
        return ROLE_STEP;
    if (info->first == NULL)
        return ROLE_NOT_FIRST;
    for (const struct ast_element *e = el->next; e != NULL; e = e->next) {
        if (e->kind != AST_NOT)
            return ROLE_NOT_BETWEEN;
    }
    return ROLE_NOT_LAST;
}

static bool number_steps(struct resolver *r, struct match_info *info)
{
    struct ast_match *match = info->match;
    match->n_steps = 0;
    match->steps = arena_alloc(r->arena, RESOLVE_MAX_STEPS * sizeof(struct ast_step *));
    uint32_t place = 0;
    for (struct ast_element *el = match->elements; el != NULL; el = el->next, place++) {
        enum step_role role = role_of(info, el);
        if (el->kind != AST_NOT) {
            info->first = info->first != NULL ? info->first : el;
            info->last = el;
        }
        for (struct ast_step *s = el->step; s != NULL; s = s->next) {
            if (!add_step(r, info, s, el, place, role))
                return false;
        }
    }
    return match->until == NULL || add_step(r, info, match->until, NULL, place, ROLE_UNTIL);
}

/* ---- structure ----------------------------------------------------------------------------- */

static bool may_be_empty(const struct ast_element *el)
{
    return el->kind == AST_STEP && el->step->min == 0;
}

static void check_quantifier(struct resolver *r, const struct ast_step *step)
{
    if (!step->quantified)
        return;
    struct span span = step->quantifier_span;
    bool endless = step->max == AST_UNBOUNDED;
    if (step->max == 0) {
        diag_add(r->diag, DIAG_ERROR, span, "a step that takes no event means nothing");
        diag_hint(r->diag, "that there is none is said by `not %s: ...`", step->name.text);
    } else if (step->min > step->max) {
        diag_add(r->diag, DIAG_ERROR, span, "the least is more than the most");
        diag_hint(r->diag, "did you mean `{%u,%u}`?", step->max, step->min);
    } else if (step->min > MAX_COUNT || (!endless && step->max > MAX_COUNT)) {
        diag_add(r->diag, DIAG_ERROR, span, "a step takes at most %d events", MAX_COUNT);
    }
}

static void check_group_step(struct resolver *r, const struct ast_element *el,
                             const struct ast_step *step)
{
    if (step->negated) {
        diag_add(r->diag, DIAG_ERROR, step->span, "a `not` cannot stand in a group");
        diag_hint(r->diag, "put it before or behind the group");
    } else if (el->kind == AST_ANY && step->quantified) {
        diag_add(r->diag, DIAG_ERROR, step->quantifier_span,
                 "a step in `any { }` takes no quantifier");
        diag_hint(r->diag, "exactly one event fills the group");
    } else if (el->kind == AST_ALL && step->quantified && step->min != step->max &&
               step->max != 0) {
        diag_add(r->diag, DIAG_ERROR, step->quantifier_span,
                 "a step in `all { }` takes an exact count only");
        diag_hint(r->diag, "write `%s{%u}`", step->name.text, step->min > 0 ? step->min : 1);
    }
}

static void check_group(struct resolver *r, struct ast_element *el)
{
    uint32_t n = 0;
    for (const struct ast_step *s = el->step; s != NULL; s = s->next, n++)
        check_group_step(r, el, s);
    el->n_steps = n;
    if (n == 0)
        diag_add(r->diag, DIAG_ERROR, el->span, "a group needs a step");
    if (n == 0 || el->kind != AST_ALL)
        return;
    if (!el->has_need)
        el->need = n;
    if (el->need < 1 || el->need > n)
        diag_add(r->diag, DIAG_ERROR, el->span, "`all %u` of %u step%s", el->need, n,
                 n == 1 ? "" : "s");
    if (n > MAX_ALL)
        diag_add(r->diag, DIAG_ERROR, el->span, "`all { }` has at most %d steps", MAX_ALL);
}

static void check_not(struct resolver *r, const struct match_info *info,
                      const struct ast_element *el, const struct ast_element *before)
{
    const struct ast_step *step = el->step;
    if (step->quantified)
        diag_add(r->diag, DIAG_ERROR, step->quantifier_span, "a `not` takes no quantifier");
    if (el->is_next)
        diag_add(r->diag, DIAG_ERROR, el->next_span, "`next` cannot stand before a `not`");
    if (step->within != NULL && info->role[step->number] == ROLE_NOT_BETWEEN) {
        diag_add(r->diag, DIAG_ERROR, step->within->span,
                 "a `not` between two elements has no `within`");
        diag_hint(r->diag, "it reaches from the element before it to the one behind it");
    }
    if (before != NULL && may_be_empty(before)) {
        diag_add(r->diag, DIAG_ERROR, step->span,
                 "`not %s` stands directly behind `%s`, which may be empty", step->name.text,
                 before->step->name.text);
        diag_hint(r->diag, "from when on it would watch is not defined");
    }
}

static void check_next(struct resolver *r, const struct ast_element *el,
                       const struct ast_element *before)
{
    if (!el->is_next)
        return;
    if (before == NULL) {
        diag_add(r->diag, DIAG_ERROR, el->next_span, "`next` needs an element before it");
    } else if (may_be_empty(before)) {
        diag_add(r->diag, DIAG_ERROR, el->next_span,
                 "`next` stands directly behind `%s`, which may be empty", before->step->name.text);
        diag_hint(r->diag, "from when on it would watch is not defined");
    }
}

static void check_ends(struct resolver *r, const struct ast_rule *rule,
                       const struct match_info *info)
{
    if (info->last == NULL) {
        diag_add(r->diag, DIAG_ERROR, rule->body_span, "a match needs a step that takes an event");
        return;
    }
    if (!may_be_empty(info->last))
        return;
    bool all = true;
    for (const struct ast_element *el = info->match->elements; el != NULL; el = el->next)
        all &= el->kind == AST_NOT || may_be_empty(el);
    const struct ast_step *step = info->last->step;
    struct span span = step->quantified ? step->quantifier_span : step->span;
    if (all)
        diag_add(r->diag, DIAG_ERROR, span, "all elements may be empty");
    else
        diag_add(r->diag, DIAG_ERROR, span, "the last element may be empty");
    diag_hint(r->diag, all ? "one of them must take an event"
                           : "the match is complete without it: leave it out, or let it take one");
}

static void check_until(struct resolver *r, const struct ast_step *until)
{
    if (until == NULL)
        return;
    if (until->quantified)
        diag_add(r->diag, DIAG_ERROR, until->quantifier_span, "an `until` takes no quantifier");
    if (until->within != NULL) {
        diag_add(r->diag, DIAG_ERROR, until->within->span, "an `until` has no `within`");
        diag_hint(r->diag, "it holds as long as a run is open");
    }
}

static void check_select(struct resolver *r, const struct ast_match *match)
{
    if (match->select == AST_SELECT_ALL)
        diag_add(r->diag, DIAG_ERROR, match->select_span,
                 "`select all` is not supported by this version");
    if (match->select != AST_SELECT_LAST)
        return;
    for (uint32_t i = 0; i < match->n_steps; i++) {
        const struct ast_step *s = match->steps[i];
        if (!s->quantified || s->min == s->max || (s->min == 0 && s->max == 1))
            continue;
        diag_add(r->diag, DIAG_ERROR, s->quantifier_span,
                 "`select last` takes the quantifiers `{n}` and `?` only");
        diag_hint(r->diag, "`select first` and `select each` take the others");
    }
}

static void check_structure(struct resolver *r, const struct ast_rule *rule,
                            struct match_info *info)
{
    const struct ast_element *before = NULL;
    for (struct ast_element *el = info->match->elements; el != NULL; el = el->next) {
        if (el->kind == AST_NOT) {
            check_not(r, info, el, before);
            continue;
        }
        check_next(r, el, before);
        for (const struct ast_step *s = el->step; s != NULL; s = s->next)
            check_quantifier(r, s);
        if (el->kind != AST_STEP)
            check_group(r, el);
        before = el;
    }
    check_ends(r, rule, info);
    check_until(r, info->match->until);
    check_select(r, info->match);
}

/* ---- streams and conditions ---------------------------------------------------------------- */

static void resolve_step_streams(struct resolver *r, struct ast_step *step)
{
    struct ast_names *names = &step->streams;
    if (!resolve_count(r, names->span, names->n, RESOLVE_MAX_NAMES, "streams")) {
        names->n = 0;
        return;
    }
    step->stream = arena_alloc(r->arena, names->n * sizeof *step->stream);
    for (uint32_t i = 0; i < names->n; i++) {
        for (uint32_t k = 0; k < i; k++) {
            if (strcmp(names->name[i].text, names->name[k].text) == 0) {
                diag_add(r->diag, DIAG_ERROR, names->name[i].span, "`%s` is named twice",
                         names->name[i].text);
                break;
            }
        }
        if (resolve_stream(r, &names->name[i], &step->stream[i]))
            r->used[step->stream[i]] = true;
    }
}

/* Paths of the streams that a rule reads are paths that the rule uses. */
static bool note_field(struct ast_expr *expr, void *ctx)
{
    const struct scope *sc = ctx;
    if (expr->kind != AST_PATH || expr->ref != REF_FIELD || expr->part[0].name == NULL)
        return true;
    const struct ast_match *match = sc->match->match;
    for (uint32_t i = 0; i < match->n_steps; i++) {
        if (match->steps[i]->name.len == expr->part[0].len &&
            memcmp(match->steps[i]->name.text, expr->part[0].name, expr->part[0].len) == 0)
            resolve_ambiguous(sc, match->steps[i], expr);
    }
    return true;
}

static void check_stream_fields(struct scope *sc, uint32_t number, bool *seen)
{
    const struct lang_stream *stream = &sc->r->stream[number];
    const struct ast_stream *decl = sc->r->streams.item[number];
    if (seen[number])
        return;
    seen[number] = true;
    if (stream->where != NULL)
        ast_walk(stream->where, note_field, sc);
    for (const struct ast_assign *a = decl != NULL ? decl->fields : NULL; a != NULL; a = a->next)
        ast_walk(a->checked, note_field, sc);
    for (uint32_t i = 0; i < stream->n_inputs; i++)
        check_stream_fields(sc, stream->input[i], seen);
}

void resolve_streams_of(struct resolver *r, const struct ast_rule *rule)
{
    for (uint32_t i = 0; i < rule->n_steps; i++)
        resolve_step_streams(r, rule->steps[i]);
}

/* The memory of a leading `not` is looked at when the first step is there: then the table is another
 * one than it was at the event. */
static void refuse_fed_lead(struct resolver *r, const struct ast_step *step)
{
    bool own;
    if (step->where == NULL || !resolve_reads_fed(step->where) ||
        resolve_steps_used(step->where, &own) == 0)
        return;
    diag_add(r->diag, DIAG_ERROR, step->where->span,
             "a `not` before the first step cannot both refer to that step and read a table that "
             "events feed");
}

void resolve_wheres(struct resolver *r, struct ast_rule *rule, struct match_info *info)
{
    struct scope sc = {.r = r, .kind = SCOPE_WHERE, .rule = rule, .match = info};
    bool *seen = mem_calloc(r->stream_cap, sizeof *seen);
    for (uint32_t i = 0; i < rule->n_steps; i++) {
        const struct ast_step *step = rule->steps[i];
        sc.own = step;
        resolve_expr(&sc, step->where);
        if (info->body == AST_BODY_MATCH && info->role[i] == ROLE_NOT_FIRST)
            refuse_fed_lead(r, step);
        for (uint32_t k = 0; k < step->streams.n; k++)
            check_stream_fields(&sc, step->stream[k], seen);
    }
    mem_free(seen);
}

bool resolve_match(struct resolver *r, struct ast_rule *rule, struct match_info *info_out)
{
    struct match_info *info = info_out;
    *info = (struct match_info){.match = rule->match, .body = AST_BODY_MATCH,
                                .body_name = "match", .noun = "step", .a_noun = "a step"};
    if (!number_steps(r, info))
        return false;
    rule->steps = rule->match->steps;
    rule->n_steps = rule->match->n_steps;
    check_structure(r, rule, info);
    resolve_streams_of(r, rule);
    resolve_keys(r, rule, info);
    resolve_bounds(r, rule, info);
    resolve_wheres(r, rule, info);
    return true;
}
