// SPDX-License-Identifier: Apache-2.0
/*
 * resolve_call - what f(...) means: a function, an aggregate over the events of a step, prev(a).x,
 * or a def, which is replaced by its body.
 */
#include <string.h>
#include <strings.h>

#include "base/diag.h"
#include "lang/resolve_priv.h"

struct function {
    const char *name;
    uint32_t min_args, max_args;
};
static const struct function functions[] = {
#define FUNCTION(id, name, min_args, max_args, types, doc) {name, min_args, max_args},
#include "lang/function.def"
#undef FUNCTION
};

struct aggregate {
    const char *name;
    bool needs_field;
};
static const struct aggregate aggregates[] = {
#define AGGREGATE(id, name, needs_field, types, over_nothing, doc) {name, needs_field},
#include "lang/aggregate.def"
#undef AGGREGATE
};

static bool find_function(const char *name, uint32_t *number_out)
{
    for (*number_out = 0; *number_out < FUNCTION_COUNT; ++*number_out) {
        if (strcmp(functions[*number_out].name, name) == 0)
            return true;
    }
    return false;
}

static bool find_aggregate(const char *name, uint32_t *number_out)
{
    for (*number_out = 0; *number_out < AGGREGATE_COUNT_OF; ++*number_out) {
        if (strcmp(aggregates[*number_out].name, name) == 0)
            return true;
    }
    return false;
}

bool resolve_is_function_name(const char *name)
{
    uint32_t number;
    return find_function(name, &number) || find_aggregate(name, &number) ||
           resolve_find_window_aggregate(name, &number);
}

/* ---- calls that take a step ---------------------------------------------------------------- */

static bool is_parameter(const struct scope *sc, const struct ast_expr *arg)
{
    uint32_t depth;
    return sc->kind == SCOPE_DEF && arg->kind == AST_PATH && arg->n_parts > 0 &&
           resolve_find_variable(sc, arg, &depth);
}

/* Of sum(a.x) and its like. */
static bool is_of_fields(const char *name)
{
    static const char *const names[] = {"sum", "avg", "min", "max", "values", "count_distinct"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

/* The first step that may take several events; of none, the first. */
static const char *counted_step(const struct ast_match *match)
{
    for (uint32_t i = 0; i < match->n_steps; i++)
        if (match->steps[i]->max != 1)
            return match->steps[i]->name.text;
    return match->steps[0]->name.text;
}

static void not_a_step(const struct scope *sc, const struct ast_expr *call,
                       const struct ast_expr *arg)
{
    struct diag *diag = sc->r->diag;
    const char *name = call->name.text;
    if (sc->match == NULL || sc->kind == SCOPE_KEY) {
        static const char *const where[] = {
            [SCOPE_STREAM] = "a `stream`",   [SCOPE_DEF] = "a `def`, except of a parameter",
            [SCOPE_KEY] = "a key",           [SCOPE_WHERE] = "this place",
            [SCOPE_EMIT] = "this place",     [SCOPE_ALERT] = "this place",
            [SCOPE_HAVING] = "this place",   [SCOPE_ARGUMENT] = "this place",
        };
        diag_add(diag, DIAG_ERROR, call->span, "`%s` of a step is not known in %s", name,
                 where[sc->kind]);
        return;
    }
    if (arg->kind != AST_PATH || arg->n_parts == 0 || arg->part[0].name == NULL) {
        diag_add(diag, DIAG_ERROR, arg->span, "`%s` takes %s of the %s", name, sc->match->a_noun,
                 sc->match->body_name);
        return;
    }
    diag_add(diag, DIAG_ERROR, arg->span, "`%s` is not %s of this %s", arg->part[0].name,
             sc->match->a_noun, sc->match->body_name);
    struct suggest s;
    suggest_init(&s, arg->part[0].name);
    for (uint32_t i = 0; i < sc->match->match->n_steps; i++)
        suggest_try(&s, sc->match->match->steps[i]->name.text);
    bool of_fields = sc->match->body == AST_BODY_MATCH && sc->match->match->n_steps > 0 && is_of_fields(name);
    bool is_letter = strlen(arg->part[0].name) == 1; /* it is near to any other */
    if ((of_fields && is_letter) || !resolve_did_you_mean(sc->r, &s)) {
        if (of_fields)
            diag_hint(diag, "it is of a field of a step: `%s(%s.%s)`", name, counted_step(sc->match->match),
                      resolve_path_text(sc->r, arg->part, arg->n_parts));
        else if (sc->match->body == AST_BODY_MATCH)
            diag_hint(diag, "`%s` reads the events bound to a step", name);
    }
}

/* f(a.x) or f(a).x: the parts of x, and that there are any (or, without needs_field, none). */
static bool field_of_step(const struct scope *sc, struct ast_expr *call, bool members,
                          const struct ast_step *step, bool last)
{
    struct diag *diag = sc->r->diag;
    struct ast_expr *arg = call->args[0];
    const char *name = call->name.text, *of = step->name.text;
    const struct path_part *part = call->n_parts > 0 ? call->part : arg->part + 1;
    uint32_t n = call->n_parts > 0 ? call->n_parts : arg->n_parts - 1;
    if (call->n_parts > 0 && (!members || arg->n_parts > 1)) {
        diag_add(diag, DIAG_ERROR, call->span, "`%s(...)` has no fields", name);
        if (arg->n_parts == 1)
            diag_hint(diag, "write `%s(%s.%s)`", name, of,
                      resolve_path_text(sc->r, call->part, call->n_parts));
        return false;
    }
    if (n == 0) {
        diag_add(diag, DIAG_ERROR, call->span, "`%s` needs a field of the step", name);
        diag_hint(diag, members ? "write `%s(%s).x`" : "write `%s(%s.x)`", name, of);
        return false;
    }
    if (part[0].name == NULL) {
        diag_add(diag, DIAG_ERROR, call->span, "the events of a step have no index");
        return false;
    }
    return resolve_call_field(sc, call, step, part, n, last);
}

static bool one_step_argument(const struct scope *sc, const struct ast_expr *call)
{
    if (call->n_args == 1)
        return true;
    diag_add(sc->r->diag, DIAG_ERROR, call->span, "`%s` takes one step of the match, %u given",
             call->name.text, call->n_args);
    return false;
}

static void mark_argument(struct ast_expr *arg, const struct ast_expr *call)
{
    arg->step = call->step;
    arg->ref = arg->n_parts == 1 ? REF_STEP : REF_STEP_FIELD;
    if (arg->n_parts > 1 && call->has_slot) {
        arg->slot = call->slot;
        arg->has_slot = true;
    }
}

static void resolve_over_step(const struct scope *sc, struct ast_expr *call, enum step_use use,
                              bool needs_field, bool members)
{
    if (call->where != NULL || call->within != NULL) {
        diag_add(sc->r->diag, DIAG_ERROR, call->span,
                 "`%s` in `%s(...)` is not supported by this version",
                 call->where != NULL ? "where" : "within", call->name.text);
        return;
    }
    if (!one_step_argument(sc, call))
        return;
    struct ast_expr *arg = call->args[0];
    if (is_parameter(sc, arg))
        return; /* told where the def is used */
    const struct ast_step *step = resolve_find_step(sc, arg);
    if (step == NULL) {
        not_a_step(sc, call, arg);
        return;
    }
    if (!resolve_may_refer(sc, step, use, call))
        return;
    if (needs_field) {
        bool last = use == USE_PREV || call->aggregate == AGGREGATE_LAST;
        if (!field_of_step(sc, call, members, step, last) || call->ref == REF_ADDED)
            return;
    } else if (arg->n_parts > 1 || call->n_parts > 0) {
        diag_add(sc->r->diag, DIAG_ERROR, call->span, "`%s` takes the step itself",
                 call->name.text);
        diag_hint(sc->r->diag, "write `%s(%s)`", call->name.text, step->name.text);
        return;
    }
    call->step = step->number;
    call->ref = use == USE_PREV ? REF_PREV : use == USE_AGGREGATE ? REF_AGGREGATE : REF_FUNCTION;
    mark_argument(arg, call);
}

/* time(prev(a)), stream(prev(a)), exists(prev(a)): the event itself that was bound last. */
static bool resolve_prev_event(const struct scope *sc, struct ast_expr *call)
{
    struct ast_expr *prev = call->args[0];
    if (resolve_over_window(sc)) /* there it is a value: of the key's event before this one */
        return false;
    if (prev->kind != AST_CALL || strcmp(prev->name.text, "prev") != 0 || prev->n_parts > 0 ||
        prev->n_args != 1 || prev->args[0]->n_parts > 1)
        return false;
    resolve_over_step(sc, prev, USE_PREV, false, false);
    call->ref = REF_FUNCTION;
    return true;
}

static void resolve_aggregate(const struct scope *sc, struct ast_expr *call, uint32_t aggregate)
{
    call->aggregate = aggregate;
    bool members = aggregate == AGGREGATE_FIRST || aggregate == AGGREGATE_LAST;
    resolve_over_step(sc, call, USE_AGGREGATE, aggregates[aggregate].needs_field, members);
}

/* ---- functions ----------------------------------------------------------------------------- */

static void resolve_plain_args(const struct scope *sc, struct ast_expr *call)
{
    struct scope in = *sc;
    in.in_text_operator = false;
    for (uint32_t i = 0; i < call->n_args; i++)
        resolve_expr(&in, call->args[i]);
}

static bool resolve_exists(const struct scope *sc, struct ast_expr *call)
{
    struct ast_expr *arg = call->args[0];
    const struct ast_step *step = resolve_find_step(sc, arg);
    if (step == NULL || arg->n_parts > 1)
        return false;
    if (resolve_may_refer(sc, step, USE_BOUND, arg)) {
        arg->ref = REF_STEP;
        arg->step = step->number;
    }
    return true;
}

static void resolve_function(const struct scope *sc, struct ast_expr *call, uint32_t number)
{
    const struct function *f = &functions[number];
    struct diag *diag = sc->r->diag;
    if (call->n_parts > 0 || call->where != NULL || call->within != NULL) {
        diag_add(diag, DIAG_ERROR, call->span,
                 "`%s` takes no `where`, no `within`, and has no fields", f->name);
        return;
    }
    if (call->n_args < f->min_args || call->n_args > f->max_args) {
        diag_add(diag, DIAG_ERROR, call->span, "`%s` takes %u%s argument%s, %u given", f->name,
                 call->n_args < f->min_args ? f->min_args : f->max_args,
                 f->min_args == f->max_args   ? ""
                 : call->n_args < f->min_args ? " or more"
                                              : " or fewer",
                 f->min_args == f->max_args && f->min_args == 1 ? "" : "s", call->n_args);
        resolve_plain_args(sc, call);
        return;
    }
    call->function = number;
    bool about_event = number == FUNCTION_TIME || number == FUNCTION_STREAM;
    if (number == FUNCTION_STREAM && sc->kind == SCOPE_STREAM && call->n_args == 0) {
        diag_add(diag, DIAG_ERROR, call->span, "`stream()` is not known in a `stream`");
        diag_hint(diag, "it is the stream that a step takes the event from");
        return;
    }
    if (about_event && (resolve_event_of_input(sc, call) || resolve_no_event(sc, call)))
        return;
    if (call->n_args == 1 && (about_event || number == FUNCTION_EXISTS) &&
        resolve_prev_event(sc, call))
        return;
    if (call->n_args == 1 && about_event) {
        resolve_over_step(sc, call, USE_EVENT, false, false);
        return;
    }
    call->ref = REF_FUNCTION;
    if (number == FUNCTION_EXISTS && resolve_exists(sc, call))
        return;
    resolve_plain_args(sc, call);
}

/* What a function of another language is here, or NULL. */
static const char *habit_of_call(const char *name)
{
    static const struct {
        const char *name, *hint;
    } habits[] = {
#define HABIT_CALL(name, hint) {name, hint},
#include "lang/habit.def"
    };

    for (size_t i = 0; i < sizeof habits / sizeof *habits; i++)
        if (strcasecmp(habits[i].name, name) == 0)
            return habits[i].hint;
    return NULL;
}

static void unknown_function(const struct scope *sc, const struct ast_expr *call)
{
    struct diag *diag = sc->r->diag;
    const char *name = call->name.text;
    uint32_t number;
    if (resolve_find_window_aggregate(name, &number)) {
        diag_add(diag, DIAG_ERROR, call->name.span, "`%s` is an aggregate of a `window`", name);
        return;
    }
    diag_add(diag, DIAG_ERROR, call->name.span, "unknown function `%s`", name);
    if (habit_of_call(name)) {
        diag_hint(diag, "%s", habit_of_call(name));
        return;
    }
    struct suggest s;
    suggest_init(&s, name);
    for (uint32_t i = 0; i < FUNCTION_COUNT; i++)
        suggest_try(&s, functions[i].name);
    for (uint32_t i = 0; i < AGGREGATE_COUNT_OF; i++)
        suggest_try(&s, aggregates[i].name);
    for (uint32_t i = 0; i < LANG_WINDOW_AGGREGATE_COUNT; i++) {
        if (sc->match != NULL && sc->match->body == AST_BODY_WINDOW)
            suggest_try(&s, resolve_window_aggregate_name(i));
    }
    suggest_try(&s, "prev");
    name_table_suggest(&sc->r->defs, &s);
    resolve_did_you_mean(sc->r, &s);
}

/* In a join or a novel: what is over several events has no meaning there. */
static bool refuse_aggregate(const struct scope *sc, const struct ast_expr *call)
{
    uint32_t number;
    const char *name = call->name.text;
    bool plain = sc->match != NULL && sc->kind != SCOPE_KEY &&
                 (sc->match->body == AST_BODY_JOIN || sc->match->body == AST_BODY_NOVEL);
    if (!plain || (!find_aggregate(name, &number) && strcmp(name, "prev") != 0))
        return false;
    diag_add(sc->r->diag, DIAG_ERROR, call->span, "`%s` belongs to a `match` or a `window`", name);
    diag_hint(sc->r->diag, "each %s of a `%s` is one event", sc->match->noun, sc->match->body_name);
    return true;
}

/* In a def, alone: count(), sum(x where ...), top(x, 5), which no step has. */
static bool is_meant_for_windows(const struct scope *sc, const struct ast_expr *call)
{
    uint32_t number;
    return sc->kind == SCOPE_DEF && resolve_find_window_aggregate(call->name.text, &number) &&
           (call->n_args != 1 || call->where != NULL || call->within != NULL ||
            !find_aggregate(call->name.text, &number)) &&
           strcmp(call->name.text, "prev") != 0;
}

void resolve_call(const struct scope *sc, struct ast_expr *call)
{
    uint32_t number;
    const char *name = call->name.text;
    if (sc->match != NULL && sc->match->body == AST_BODY_WINDOW &&
        resolve_find_window_aggregate(name, &number)) {
        resolve_window_call(sc, call, number);
    } else if (is_meant_for_windows(sc, call)) {
        resolve_plain_args(sc, call);
        resolve_expr(sc, call->where);
    } else if (refuse_aggregate(sc, call)) {
        return;
    } else if (strcmp(name, "prev") == 0) {
        resolve_over_step(sc, call, USE_PREV, true, true);
    } else if (find_aggregate(name, &number)) {
        resolve_aggregate(sc, call, number);
    } else if (find_function(name, &number)) {
        resolve_function(sc, call, number);
    } else if (name_table_find(&sc->r->defs, name, &number)) {
        if (resolve_expand(sc, call, number))
            resolve_expr(sc, call);
    } else {
        unknown_function(sc, call);
        if (!resolve_over_window(sc)) /* there it would say that they are bare */
            resolve_plain_args(sc, call);
    }
}
