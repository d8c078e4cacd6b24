// SPDX-License-Identifier: Apache-2.0
/*
 * resolve_window - the bodies that are no sequences: window, join, novel. Their inputs and sides are
 * steps as those of a match; what is special about each is its sizes and bounds, which must keep
 * the state bounded, and who may refer to whom. resolve_aggregate.c does what stands in a window's
 * `having`, `emit` and texts.
 */
#include <string.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/zone.h"
#include "lang/resolve_priv.h"

#define DAY (INT64_C(86400) * 1000000000)

/* ---- references ---------------------------------------------------------------------------- */

/* In an input's `where`, which looks at one event. */
static bool refuse_in_where(const struct scope *sc, const struct ast_step *step, enum step_use use,
                            const struct ast_expr *expr)
{
    if (use == USE_FIELD) {
        resolve_ambiguous(sc, step, expr);
        return false;
    }
    diag_add(sc->r->diag, DIAG_ERROR, expr->span,
             "the `where` of an input knows the event itself only, not `%s`", step->name.text);
    if (use == USE_EVENT)
        diag_hint(sc->r->diag, "write `%s()`", expr->name.text);
    return false;
}

static bool refuse_over_window(const struct scope *sc, const struct ast_step *step,
                               enum step_use use, const struct ast_expr *expr)
{
    struct diag *diag = sc->r->diag;
    const char *name = step->name.text;
    if (sc->kind == SCOPE_ARGUMENT) { /* exists(a) */
        diag_add(diag, DIAG_ERROR, expr->span, "`%s` is an input, not a field", name);
        return false;
    }
    diag_add(diag, DIAG_ERROR, expr->span, "the window holds many events of `%s`", name);
    if (use == USE_EVENT)
        diag_hint(diag, "take a value of it, as `last(%s(%s))`", expr->name.text, name);
    else if (use == USE_FIELD && expr->n_parts > 1)
        diag_hint(diag, "take a value of it, as `last(%s)`",
                  resolve_path_text(sc->r, expr->part, expr->n_parts));
    else
        diag_hint(diag, "`count(%s)` counts them", name);
    return false;
}

static bool may_side_refer(const struct scope *sc, const struct ast_step *step, enum step_use use,
                           const struct ast_expr *expr)
{
    struct diag *diag = sc->r->diag;
    const char *name = step->name.text;
    if (sc->kind != SCOPE_WHERE) {
        if (!step->negated)
            return true;
        diag_add(diag, DIAG_ERROR, expr->span, "no event is ever bound to `%s`, which is a `not`",
                 name);
        diag_hint(diag, "if a field is meant, rename the side `%s`", name);
        return false;
    }
    if (sc->own != step)
        return true;
    diag_add(diag, DIAG_ERROR, expr->span, "`%s` is not bound yet in its own `where`", name);
    if (use == USE_EVENT)
        diag_hint(diag, "its own is `%s()`", expr->name.text);
    else if (use == USE_FIELD && expr->n_parts > 1)
        diag_hint(diag, "write `%s`; if the field `%s` is meant, rename the side",
                  resolve_path_text(sc->r, expr->part + 1, expr->n_parts - 1),
                  resolve_path_text(sc->r, expr->part, expr->n_parts));
    return false;
}

bool resolve_body_may_refer(const struct scope *sc, const struct ast_step *step, enum step_use use,
                            const struct ast_expr *expr)
{
    if (sc->match->body == AST_BODY_JOIN)
        return may_side_refer(sc, step, use, expr);
    if (sc->kind == SCOPE_WHERE)
        return refuse_in_where(sc, step, use, expr);
    return sc->match->body == AST_BODY_NOVEL || refuse_over_window(sc, step, use, expr);
}

/* ---- what all three have ------------------------------------------------------------------- */

/* Numbers, streams and keys. False: too many steps. */
static bool resolve_steps(struct resolver *r, struct ast_rule *rule, struct match_info *info,
                          struct ast_key *keys, struct ast_step *steps)
{
    struct ast_match *match = info->match = arena_alloc(r->arena, sizeof *match);
    match->keys = keys;
    match->steps = arena_alloc(r->arena, RESOLVE_MAX_STEPS * sizeof(struct ast_step *));
    for (struct ast_step *s = steps; s != NULL; s = s->next) {
        if (!resolve_add_step(r, info, s))
            return false;
    }
    rule->steps = match->steps;
    rule->n_steps = match->n_steps;
    resolve_streams_of(r, rule);
    resolve_keys(r, rule, info);
    return true;
}

/* Is it a duration of more than 0, if it is there? */
static bool check_size(struct resolver *r, const struct ast_expr *expr, const char *what)
{
    if (expr == NULL || !resolve_duration(r, expr, what))
        return false;
    if (expr->value.u.i > 0)
        return true;
    diag_add(r->diag, DIAG_ERROR, expr->span, "`%s` must be more than 0", what);
    return false;
}

/* ---- window -------------------------------------------------------------------------------- */

static const char *const kind_names[] = {
    [AST_TUMBLING] = "tumbling", [AST_HOPPING] = "hopping", [AST_SESSION] = "session",
    [AST_SLIDING] = "sliding",   [AST_GLOBAL] = "global",
};

enum ast_fire resolve_window_fire(const struct ast_window *window)
{
    if (window->fire != AST_FIRE_DEFAULT)
        return (enum ast_fire)window->fire;
    return window->kind == AST_SLIDING || window->kind == AST_GLOBAL ? AST_FIRE_ON_MATCH
                                                                     : AST_FIRE_ON_CLOSE;
}

int64_t resolve_session_max(const struct ast_window *window)
{
    return window->max != NULL ? window->max->value.u.i : DAY;
}

static void check_tumbling(struct resolver *r, const struct ast_window *w)
{
    struct diag *diag = r->diag;
    if (!check_size(r, w->size, "tumbling"))
        return;
    int64_t size = w->size->value.u.i;
    if (w->offset != NULL && resolve_duration(r, w->offset, "offset") &&
        w->offset->value.u.i >= size) {
        diag_add(diag, DIAG_ERROR, w->offset->span, "`offset` must be less than the window's size");
    }
    if (w->zone.text != NULL && size % DAY != 0) {
        diag_add(diag, DIAG_ERROR, w->zone.span, "a window with a `zone` is of whole days");
        diag_hint(diag, "without a zone it may have any size; its bounds are those of UTC");
    }
    if (w->zone.text != NULL && zone_find(w->zone.text, w->zone.len) == NULL) {
        diag_add(diag, DIAG_ERROR, w->zone.span, "no time zone `%s` on this machine", w->zone.text);
        diag_hint(diag, "as `Europe/Paris`, of the system's time zone database (tzdata)");
    }
}

static void check_hopping(struct resolver *r, const struct ast_window *w)
{
    bool good = check_size(r, w->size, "hopping");
    if (!check_size(r, w->every, "every") || !good)
        return;
    if (w->size->value.u.i / w->every->value.u.i > RESOLVE_MAX_OVERLAP) {
        diag_add(r->diag, DIAG_ERROR, w->every->span,
                 "each event would be in more than %d windows", RESOLVE_MAX_OVERLAP);
        diag_hint(r->diag, "a `sliding` window ends at each event, without this cost");
        return;
    }
    if (w->size->value.u.i % w->every->value.u.i == 0)
        return;
    diag_add(r->diag, DIAG_ERROR, w->every->span, "the size is not a multiple of `every`");
    diag_hint(r->diag, "each event is then in as many windows as any other");
}

static void check_session(struct resolver *r, const struct ast_window *w)
{
    if (!check_size(r, w->size, "session") || (w->max != NULL && !check_size(r, w->max, "max")))
        return;
    if (w->size->value.u.i <= resolve_session_max(w))
        return;
    if (w->max != NULL) {
        diag_add(r->diag, DIAG_ERROR, w->max->span, "the session would end within its first gap");
        diag_hint(r->diag, "`max` is the longest session, the gap is before it");
    } else {
        diag_add(r->diag, DIAG_ERROR, w->size->span, "a session ends after 24h at most");
        diag_hint(r->diag, "give another bound, as `session 2d max 7d`");
    }
}

static void check_kind(struct resolver *r, const struct ast_window *w)
{
    switch (w->kind) {
    case AST_TUMBLING: check_tumbling(r, w); break;
    case AST_HOPPING: check_hopping(r, w); break;
    case AST_SESSION: check_session(r, w); break;
    case AST_SLIDING: check_size(r, w->size, "sliding"); break;
    case AST_GLOBAL: check_size(r, w->expire, "expire"); break;
    }
}

static void check_fire(struct resolver *r, const struct ast_rule *rule)
{
    const struct ast_window *w = rule->window;
    bool open = w->kind == AST_SLIDING || w->kind == AST_GLOBAL;
    struct diag *diag = r->diag;
    if (open && w->fire == AST_FIRE_ON_CLOSE) {
        diag_add(diag, DIAG_ERROR, rule->body_span, "a `%s` window never closes: `fire on close`",
                 kind_names[w->kind]);
        diag_hint(diag, "`fire on match` is at the event that makes `having` true");
    }
    if (w->late != NULL && resolve_duration(r, w->late, "allow late") && open) {
        diag_add(diag, DIAG_ERROR, w->late->span, "a `%s` window has no `allow late`",
                 kind_names[w->kind]);
        diag_hint(diag, "tumbling, hopping and session windows have");
    }
    if (w->fire == AST_FIRE_ON_CHANGE && rule->emit == NULL) {
        diag_add(diag, DIAG_WARNING, rule->body_span,
                 "`fire on change` without `emit`: no value ever differs");
        diag_hint(diag, "it tells once; emit what should be watched");
    }
}

/* `by host in hosts`: windows for the rows of a table, also without events. */
static void check_rows(struct resolver *r, const struct ast_rule *rule)
{
    struct ast_window *w = rule->window;
    struct diag *diag = r->diag;
    if (w->in_table.text == NULL)
        return;
    if (w->kind != AST_TUMBLING)
        diag_add(diag, DIAG_ERROR, w->in_table.span,
                 "a window for each row of a table is a `tumbling` one");
    if (w->late != NULL)
        diag_add(diag, DIAG_ERROR, w->late->span,
                 "a window for each row of a table has no `allow late` in this version");
    if (rule->n_keys != 1)
        diag_add(diag, DIAG_ERROR, w->in_table.span,
                 "a window for each row of a table has one key, the table's");
    if (!name_table_find(&r->tables, w->in_table.text, &w->in_table_number)) {
        struct suggest s;
        suggest_init(&s, w->in_table.text);
        diag_add(diag, DIAG_ERROR, w->in_table.span, "unknown table `%s`", w->in_table.text);
        name_table_suggest(&r->tables, &s);
        resolve_did_you_mean(r, &s);
    } else if (r->table[w->in_table_number].fed) {
        diag_add(diag, DIAG_ERROR, w->in_table.span,
                 "`%s` is fed by events: windows are made for the rows of a table from a file",
                 w->in_table.text);
    }
}

bool resolve_window(struct resolver *r, struct ast_rule *rule, struct match_info *info_out)
{
    struct ast_window *w = rule->window;
    *info_out = (struct match_info){.body = AST_BODY_WINDOW, .body_name = "window",
                                    .noun = "input", .a_noun = "an input"};
    if (!resolve_steps(r, rule, info_out, w->keys, w->inputs))
        return false;
    check_kind(r, w);
    check_fire(r, rule);
    check_rows(r, rule);
    resolve_wheres(r, rule, info_out);
    struct scope sc = {.r = r, .kind = SCOPE_HAVING, .rule = rule, .match = info_out};
    resolve_expr(&sc, w->having);
    return true;
}

/* ---- join ---------------------------------------------------------------------------------- */

static void check_sides(struct resolver *r, const struct ast_step *a, const struct ast_step *b)
{
    struct diag *diag = r->diag;
    if (a->negated && b->negated) {
        diag_add(diag, DIAG_ERROR, b->span, "a `not` on both sides leaves nothing to tell");
        diag_hint(diag, "one side must be an event: `%s: ...`", b->name.text);
        return;
    }
    const struct ast_step *not = a->negated ? a : b, *other = a->negated ? b : a;
    if (not->negated && not->quantified) {
        diag_add(diag, DIAG_ERROR, not->quantifier_span, "a `not` takes no quantifier");
    } else if (not->negated && other->optional_side) {
        diag_add(diag, DIAG_ERROR, other->quantifier_span, "`%s?` beside `not %s`: neither is needed",
                 other->name.text, not->name.text);
        diag_hint(diag, "`not %s` tells each `%s` that is alone already", not->name.text,
                  other->name.text);
    }
}

bool resolve_join(struct resolver *r, struct ast_rule *rule, struct match_info *info_out)
{
    struct ast_join *join = rule->join;
    *info_out = (struct match_info){.body = AST_BODY_JOIN, .body_name = "join", .noun = "side",
                                    .a_noun = "a side"};
    if (!resolve_steps(r, rule, info_out, join->keys, join->sides))
        return false;
    if (rule->n_steps != 2)
        return false; /* told by the parser */
    check_sides(r, rule->steps[0], rule->steps[1]);
    if (join->high == NULL) {
        diag_add(r->diag, DIAG_ERROR, rule->body_span, "the join has no `within`");
        diag_hint(r->diag, "add `within`: without it this state would grow for ever");
    } else if (join->low == NULL) {
        resolve_duration(r, join->high, "within");
    } else if (join->low->value.u.i > join->high->value.u.i) {
        diag_add(r->diag, DIAG_ERROR, join->low->span, "the range ends before it begins");
    }
    resolve_wheres(r, rule, info_out);
    return join->high != NULL;
}

/* ---- novel --------------------------------------------------------------------------------- */

static void resolve_paths(struct resolver *r, struct ast_rule *rule, struct match_info *info)
{
    struct ast_novel *novel = rule->novel;
    struct scope sc = {.r = r, .kind = SCOPE_KEY, .rule = rule, .match = info};
    if (!resolve_count(r, rule->body_span, novel->n_paths, RESOLVE_MAX_KEYS, "fields"))
        return;
    for (uint32_t i = 0; i < novel->n_paths; i++) {
        struct ast_expr *path = novel->paths[i];
        const char *text = resolve_path_text(r, path->part, path->n_parts);
        for (uint32_t k = 0; k < i; k++) {
            const struct ast_expr *other = novel->paths[k];
            if (strcmp(resolve_path_text(r, other->part, other->n_parts), text) != 0)
                continue;
            diag_add(r->diag, DIAG_ERROR, path->span, "`%s` is named twice", text);
            break;
        }
        resolve_expr(&sc, path);
    }
}

bool resolve_novel(struct resolver *r, struct ast_rule *rule, struct match_info *info_out)
{
    struct ast_novel *novel = rule->novel;
    *info_out = (struct match_info){.body = AST_BODY_NOVEL, .body_name = "novel", .noun = "input",
                                    .a_noun = "an input"};
    if (!resolve_steps(r, rule, info_out, novel->keys, novel->inputs))
        return false;
    resolve_paths(r, rule, info_out);
    if (novel->within == NULL) {
        diag_add(r->diag, DIAG_ERROR, rule->body_span, "the novel has no `within`");
        diag_hint(r->diag, "add how long a value stays known, as `within 14d`: without it this "
                           "state would grow for ever");
    } else {
        check_size(r, novel->within, "within");
    }
    resolve_duration(r, novel->after, "after");
    resolve_wheres(r, rule, info_out);
    return true;
}
