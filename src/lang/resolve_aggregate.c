// SPDX-License-Identifier: Apache-2.0
/*
 * resolve_aggregate - what only a window's expressions have: aggregates over the events of its
 * inputs, window_start and window_end. The arguments of an aggregate are about one event of one
 * input, everything around them about all events of the window.
 */
#include <string.h>

#include "base/diag.h"
#include "lang/resolve_priv.h"

enum { MAX_LISTED = 10000 /* collect, values, top */, MAX_PERCENTILE = 100 };

struct window_aggregate {
    const char *name;
    uint32_t min_args, max_args;
};
static const struct window_aggregate aggregates[] = {
#define WINDOW_AGGREGATE(id, name, min_args, max_args, types, nothing, doc) {name, min_args, max_args},
#include "lang/window_aggregate.def"
#undef WINDOW_AGGREGATE
};

bool resolve_find_window_aggregate(const char *name, uint32_t *number_out)
{
    for (*number_out = 0; *number_out < LANG_WINDOW_AGGREGATE_COUNT; ++*number_out) {
        if (strcmp(aggregates[*number_out].name, name) == 0)
            return true;
    }
    return false;
}

const char *resolve_window_aggregate_name(uint32_t number)
{
    return aggregates[number].name;
}

bool resolve_over_window(const struct scope *sc)
{
    return sc->match != NULL && sc->match->body == AST_BODY_WINDOW &&
           (sc->kind == SCOPE_HAVING || sc->kind == SCOPE_EMIT || sc->kind == SCOPE_ALERT);
}

/* "a." where the input must be named, else "". */
static const char *prefix_of(const struct scope *sc, const char **dot_out)
{
    const struct ast_match *match = sc->match->match;
    *dot_out = match->n_steps > 1 ? "." : "";
    return match->n_steps > 1 ? match->steps[0]->name.text : "";
}

/* ---- paths --------------------------------------------------------------------------------- */

/* The aggregate is of this input. False: it is of another one too, and told. */
static bool note_input(const struct scope *sc, const struct ast_step *step,
                       const struct ast_expr *expr)
{
    struct argument_info *info = sc->argument;
    if (info->input == NULL)
        info->input = step;
    if (info->input == step)
        return true;
    diag_add(sc->r->diag, DIAG_ERROR, expr->span,
             "an aggregate is over one input, this one over `%s` and `%s`", info->input->name.text,
             step->name.text);
    return false;
}

void resolve_argument_path(const struct scope *sc, struct ast_expr *path,
                           const struct ast_step *step)
{
    struct diag *diag = sc->r->diag;
    const char *name = step->name.text;
    if (!note_input(sc, step, path))
        return;
    if (path->n_parts == 1) {
        diag_add(diag, DIAG_ERROR, path->span, "`%s` is an input, not a field", name);
        diag_hint(diag, "name a field of it, as `%s.x`, or rename the input", name);
    } else if (path->part[1].name == NULL) {
        diag_add(diag, DIAG_ERROR, path->span, "the events of an input have no index");
        diag_hint(diag, "there are `first(%s.x)`, `last(%s.x)` and `collect(%s.x, 10)`", name, name,
                  name);
    } else {
        struct candidate from = resolve_candidate_of(sc, step);
        resolve_field(sc, path, &from, path->part + 1, path->n_parts - 1, NULL);
    }
}

bool resolve_window_bound(const struct scope *sc, struct ast_expr *path)
{
    bool quoted = path->part_quoted != NULL && path->part_quoted[0];
    const char *name = path->part[0].name;
    if (sc->match == NULL || sc->match->body != AST_BODY_WINDOW || sc->kind == SCOPE_KEY ||
        quoted || path->n_parts != 1 || name == NULL)
        return false;
    path->is_end = strcmp(name, "window_end") == 0;
    if (!path->is_end && strcmp(name, "window_start") != 0)
        return false;
    if (resolve_over_window(sc)) {
        path->ref = REF_WINDOW_BOUND;
        return true;
    }
    diag_add(sc->r->diag, DIAG_ERROR, path->span, "`%s` is not known where one event is looked at",
             name);
    diag_hint(sc->r->diag, "it may stand in `having`, `emit` and texts; a field of that name is "
                           "written with back quotes");
    return true;
}

static void refuse_bare(const struct scope *sc, const struct ast_expr *path)
{
    struct diag *diag = sc->r->diag;
    const char *text = resolve_path_text(sc->r, path->part, path->n_parts), *dot;
    const char *input = prefix_of(sc, &dot);
    diag_add(diag, DIAG_ERROR, path->span, "`%s` is no key, and the window holds many events", text);
    if (strcmp(text, "count") == 0)
        diag_hint(diag, "`count()` counts the events");
    else if (sc->kind == SCOPE_ALERT)
        diag_hint(diag, "emit a value of it, as `%s = last(%s%s%s)`", text, input, dot, text);
    else
        diag_hint(diag, "take a value of it, as `last(%s%s%s)`", input, dot, text);
}

static bool same_path(const struct ast_expr *a, const struct ast_expr *b)
{
    if (a->n_parts != b->n_parts)
        return false;
    for (uint32_t i = 0; i < a->n_parts; i++) {
        const struct path_part *x = &a->part[i], *y = &b->part[i];
        if ((x->name == NULL) != (y->name == NULL) || x->len != y->len || x->index != y->index ||
            (x->name != NULL && memcmp(x->name, y->name, x->len) != 0))
            return false;
    }
    return true;
}

/* A list counts each element, so the alert must say which one is new. */
static bool find_novel_path(const struct scope *sc, struct ast_expr *path)
{
    const struct ast_novel *novel = sc->rule->novel;
    for (uint32_t i = 0; i < novel->n_paths; i++) {
        if (!same_path(novel->paths[i], path))
            continue;
        path->ref = REF_WINDOW_AGGREGATE;
        path->number = i;
        return true;
    }
    return false;
}

static void warn_of_either(const struct scope *sc, const struct ast_expr *path)
{
    const struct ast_match *match = sc->match->match;
    const struct ast_step *a = match->steps[0], *b = match->steps[1];
    const struct ast_join *join = sc->rule->join;
    bool ordered = join->low != NULL && (join->low->value.u.i > 0 || join->high->value.u.i < 0);
    const char *text = resolve_path_text(sc->r, path->part, path->n_parts);
    if (ordered || a->negated || b->negated)
        return;
    diag_add(sc->r->diag, DIAG_WARNING, path->span,
             "`%s` is read of the event that came last, whichever side it is of", text);
    diag_hint(sc->r->diag, "name the side: `%s.%s` or `%s.%s`", a->name.text, text, b->name.text,
              text);
}

bool resolve_bare_path(const struct scope *sc, struct ast_expr *path)
{
    if (sc->match == NULL)
        return false;
    if (sc->kind == SCOPE_ARGUMENT) {
        sc->argument->bare = true;
        return false;
    }
    if (resolve_over_window(sc)) {
        refuse_bare(sc, path);
        return true;
    }
    if (sc->kind != SCOPE_EMIT && sc->kind != SCOPE_ALERT)
        return false;
    if (sc->match->body == AST_BODY_NOVEL)
        return find_novel_path(sc, path);
    if (sc->match->body == AST_BODY_JOIN)
        warn_of_either(sc, path);
    return false;
}

bool resolve_inner_variable(const struct scope *sc, const struct ast_expr *path, uint32_t depth)
{
    if (sc->argument == NULL)
        return true;
    for (const struct variable *v = sc->variable; v != sc->argument->outer; v = v->outer) {
        if (depth-- == 0)
            return true;
    }
    diag_add(sc->r->diag, DIAG_ERROR, path->span,
             "`%s` goes through a list outside of `%s(...)`, it cannot be read inside",
             path->part[0].name, sc->argument->call->name.text);
    return false;
}

/* ---- time() and stream() ------------------------------------------------------------------- */

bool resolve_event_of_input(const struct scope *sc, struct ast_expr *call)
{
    if (sc->kind != SCOPE_ARGUMENT)
        return false;
    if (call->n_args == 0) {
        sc->argument->bare = true;
        return false;
    }
    struct ast_expr *arg = call->args[0];
    const struct ast_step *step = resolve_find_step(sc, arg);
    if (step == NULL || arg->n_parts > 1)
        return false;
    call->ref = REF_FUNCTION;
    if (note_input(sc, step, arg))
        arg->ref = REF_CANDIDATE;
    return true;
}

bool resolve_no_event(const struct scope *sc, const struct ast_expr *call)
{
    if (!resolve_over_window(sc) || call->n_args > 0)
        return false;
    const char *name = call->name.text, *dot, *input = prefix_of(sc, &dot);
    diag_add(sc->r->diag, DIAG_ERROR, call->span, "`%s()` is of one event, the window holds many",
             name);
    diag_hint(sc->r->diag, "take a value of it, as `last(%s(%s))`", name, input);
    return true;
}

/* ---- calls --------------------------------------------------------------------------------- */

static bool may_stand(const struct scope *sc, const struct ast_expr *call)
{
    struct diag *diag = sc->r->diag;
    const char *name = call->name.text;
    switch (sc->kind) {
    case SCOPE_ARGUMENT:
        diag_add(diag, DIAG_ERROR, call->span, "`%s` stands inside `%s`: aggregates do not nest",
                 name, sc->argument->call->name.text);
        return false;
    case SCOPE_WHERE:
        diag_add(diag, DIAG_ERROR, call->span,
                 "`%s` is an aggregate: it cannot choose the events that it is over", name);
        diag_hint(diag, "put it into `having`");
        return false;
    case SCOPE_KEY:
        diag_add(diag, DIAG_ERROR, call->span, "`%s` is an aggregate: it cannot be in a key", name);
        return false;
    default: return true;
    }
}

static bool check_shape(const struct scope *sc, const struct ast_expr *call, uint32_t number)
{
    const struct window_aggregate *ag = &aggregates[number];
    struct diag *diag = sc->r->diag;
    bool listed = number == LANG_WINDOW_COLLECT || number == LANG_WINDOW_VALUES ||
                  number == LANG_WINDOW_TOP;
    if (call->n_parts > 0) {
        const char *rest = resolve_path_text(sc->r, call->part, call->n_parts);
        diag_add(diag, DIAG_ERROR, call->span, "`%s(...)` has no fields", ag->name);
        if (call->n_args > 0 && call->args[0]->kind == AST_PATH)
            diag_hint(diag, "write `%s(%s.%s)`", ag->name,
                      resolve_path_text(sc->r, call->args[0]->part, call->args[0]->n_parts), rest);
        return false;
    }
    if (call->n_args >= ag->min_args && call->n_args <= ag->max_args)
        return true;
    diag_add(diag, DIAG_ERROR, call->span, "`%s` takes %u%s argument%s, %u given", ag->name,
             call->n_args < ag->min_args ? ag->min_args : ag->max_args,
             ag->min_args == ag->max_args   ? ""
             : call->n_args < ag->min_args ? " or more"
                                           : " or fewer",
             ag->min_args == ag->max_args && ag->max_args == 1 ? "" : "s", call->n_args);
    if (call->n_args == 1 && listed)
        diag_hint(diag, "how many at most? write `%s(x, 10)`", ag->name);
    else if (call->n_args == 1 && number == LANG_WINDOW_PERCENTILE)
        diag_hint(diag, "write `percentile(x, 95)`");
    return false;
}

/* The second argument of percentile, collect, values, top. */
static void check_amount(const struct scope *sc, struct ast_expr *call, uint32_t number)
{
    struct ast_expr *n = call->args[1];
    struct diag *diag = sc->r->diag;
    resolve_fold_sign(n);
    bool is_int = n->kind == AST_LITERAL && n->value.type == VALUE_INT;
    if (number == LANG_WINDOW_PERCENTILE) {
        double p = -1;
        if (n->kind == AST_LITERAL && value_is_number(n->value))
            p = is_int ? (double)n->value.u.i : n->value.u.d;
        if (p >= 0 && p <= MAX_PERCENTILE)
            return;
        diag_add(diag, DIAG_ERROR, n->span, "which percentile is a number from 0 to %d, as `95`",
                 MAX_PERCENTILE);
        return;
    }
    if (!is_int || n->value.u.i < 1 || n->value.u.i > MAX_LISTED)
        diag_add(diag, DIAG_ERROR, n->span,
                 "how many values `%s` gives is a whole number from 1 to %d", call->name.text,
                 MAX_LISTED);
}

static void check_prev(const struct scope *sc, const struct ast_expr *call)
{
    struct diag *diag = sc->r->diag;
    if (call->where != NULL || call->within != NULL)
        diag_add(diag, DIAG_ERROR, call->span, "`prev` takes no `where` and no `within`");
    if (resolve_window_fire(sc->rule->window) != AST_FIRE_ON_CLOSE)
        return;
    diag_add(diag, DIAG_ERROR, call->span,
             "`prev` is of the event before the one that fires, and a window's close is no event");
    diag_hint(diag, "`fire on match`, `on every match` and `on change` are at events");
}

static void check_reach(const struct scope *sc, const struct ast_expr *call)
{
    if (call->within == NULL || !resolve_duration(sc->r, call->within, "within"))
        return;
    if (sc->rule->window->kind != AST_SLIDING) {
        diag_add(sc->r->diag, DIAG_ERROR, call->within->span,
                 "an aggregate has its own `within` in a `sliding` window only");
    } else if (call->within->value.u.i == 0) {
        diag_add(sc->r->diag, DIAG_ERROR, call->within->span, "`within` must be more than 0");
    }
}

/* `count(x)`: x is a condition, not what is counted. */
static void warn_of_field(const struct scope *sc, const struct ast_expr *arg)
{
    if (arg->kind != AST_PATH || arg->ref != REF_FIELD)
        return;
    const char *text = resolve_path_text(sc->r, arg->part, arg->n_parts);
    diag_add(sc->r->diag, DIAG_WARNING, arg->span, "this counts the events whose `%s` is true",
             text);
    diag_hint(sc->r->diag, "`count(exists(%s))` counts those that have it, `count_distinct(%s)` its "
                           "values", text, text);
}

static void resolve_arguments(const struct scope *in, struct ast_expr *call, uint32_t number)
{
    bool amount = number == LANG_WINDOW_PERCENTILE || number == LANG_WINDOW_COLLECT ||
                  number == LANG_WINDOW_VALUES || number == LANG_WINDOW_TOP;
    for (uint32_t i = 0; i < call->n_args; i++) {
        struct ast_expr *arg = call->args[i];
        const struct ast_step *step = i == 0 ? resolve_find_step(in, arg) : NULL;
        if (number == LANG_WINDOW_COUNT && step != NULL && arg->n_parts == 1) {
            note_input(in, step, arg);
            arg->ref = REF_STEP;
            arg->step = step->number;
        } else if (i == 1 && amount) {
            check_amount(in, call, number);
        } else {
            resolve_expr(in, arg);
        }
        if (number == LANG_WINDOW_COUNT)
            warn_of_field(in, arg);
    }
    resolve_expr(in, call->where);
}

/* Whose events it is over, when there are several inputs. */
static void check_input(const struct scope *sc, const struct ast_expr *call, uint32_t number)
{
    const struct ast_match *match = sc->match->match;
    if (number == LANG_WINDOW_COUNT)
        return; /* of all inputs */
    const char *a = match->steps[0]->name.text, *b = match->steps[1]->name.text;
    diag_add(sc->r->diag, DIAG_ERROR, call->span, "over which input `%s` is, is not said",
             call->name.text);
    if (call->args[0]->kind == AST_PATH && call->args[0]->n_parts > 0) {
        const char *x = resolve_path_text(sc->r, call->args[0]->part, call->args[0]->n_parts);
        diag_hint(sc->r->diag, "name it, as `%s.%s` or `%s.%s`", a, x, b, x);
    } else {
        diag_hint(sc->r->diag, "name it, as `%s.x` or `%s.x`", a, b);
    }
}

void resolve_window_call(const struct scope *sc, struct ast_expr *call, uint32_t number)
{
    if (!may_stand(sc, call) || !check_shape(sc, call, number))
        return;
    struct argument_info info = {.call = call, .outer = sc->variable};
    struct scope in = *sc;
    in.kind = SCOPE_ARGUMENT;
    in.argument = &info;
    in.in_text_operator = false;
    resolve_arguments(&in, call, number);
    check_reach(sc, call);
    if (number == LANG_WINDOW_PREV)
        check_prev(sc, call);
    call->ref = REF_WINDOW_AGGREGATE;
    call->aggregate = number;
    call->step = AST_ALL_INPUTS;
    if (info.input != NULL)
        call->step = info.input->number;
    else if (sc->match->match->n_steps == 1)
        call->step = 0;
    else
        check_input(sc, call, number);
}
