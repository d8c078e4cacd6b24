// SPDX-License-Identifier: Apache-2.0
/* The insides of match, window, join and novel: steps, groups, modifiers. */
#include "lang/parse_priv.h"

/* ---- counts ------------------------------------------------------------------------------- */

static uint32_t count_of(struct parse *p, const struct ast_expr *n)
{
    return (uint32_t)parse_number(p, n, 0, 1000000000, "how often a step is bound");
}

struct build_count build_count(struct parse *p, struct span span, struct ast_expr *min, struct ast_expr *max)
{
    struct build_count count = {.given = true, .span = span};

    count.min = count_of(p, min);
    count.max = max == min ? count.min : count_of(p, max);
    return count;
}

struct build_count build_count_from(struct parse *p, struct span span, struct ast_expr *min)
{
    return build_count_range(span, count_of(p, min), AST_UNBOUNDED);
}

struct build_count build_count_range(struct span span, uint32_t min, uint32_t max)
{
    return (struct build_count){.min = min, .max = max, .given = true, .span = span};
}

/* ---- steps -------------------------------------------------------------------------------- */

struct ast_step *build_step_new(struct parse *p)
{
    return arena_alloc(p->arena, sizeof(struct ast_step));
}

struct ast_step *build_step_by(struct parse *p, struct span span, struct ast_step *step, struct build_list *keys)
{
    if (step->keys)
        parse_twice(p, span, "by");
    step->keys = parse_chain(keys);
    return step;
}

struct ast_step *build_step_where(struct parse *p, struct span span, struct ast_step *step, struct ast_expr *where)
{
    if (step->where)
        parse_error_at(p, span, "join the conditions with `and`", "the step has a `where` already");
    step->where = where;
    return step;
}

struct ast_step *build_step_within(struct parse *p, struct span span, struct ast_step *step, struct ast_expr *within)
{
    if (step->within)
        parse_twice(p, span, "within");
    step->within = within;
    return step;
}

struct ast_step *build_step(struct span span, struct ast_step *step, struct ast_name name, struct build_count count, struct ast_names streams)
{
    step->name = name;
    step->streams = streams;
    step->min = count.min;
    step->max = count.max;
    step->quantified = count.given;
    step->quantifier_span = count.span;
    step->span = span;
    return step;
}

struct ast_step *build_negated(struct span span, struct ast_step *step)
{
    step->negated = true;
    step->span = span;
    return step;
}

/* ---- elements ----------------------------------------------------------------------------- */

static struct ast_element *element_of(struct parse *p, struct span span, enum ast_element_kind kind, struct ast_step *step)
{
    struct ast_element *element = arena_alloc(p->arena, sizeof *element);

    element->kind = kind;
    element->step = step;
    element->n_steps = 1;
    element->span = span;
    return element;
}

struct ast_element *build_element(struct parse *p, struct span span, struct ast_step *step)
{
    return element_of(p, span, AST_STEP, step);
}

struct ast_element *build_element_not(struct parse *p, struct span span, struct ast_step *step)
{
    return element_of(p, span, AST_NOT, build_negated(span, step));
}

/* No steps: build_match_body takes it out of the elements. */
struct ast_element *build_element_until(struct parse *p, struct span span, struct ast_step *step)
{
    struct ast_element *element = element_of(p, span, AST_STEP, step);

    element->n_steps = 0;
    return element;
}

struct ast_element *build_group(struct parse *p, struct span span, enum ast_element_kind kind, struct ast_expr *need, struct build_list *steps)
{
    struct ast_element *element = element_of(p, span, kind, parse_chain(steps));

    element->n_steps = element->need = steps ? steps->n : 1;
    element->has_need = need != NULL;
    if (need)
        element->need = (uint32_t)parse_number(p, need, 0, 1000000000, "how many steps of `all` are needed");
    return element;
}

struct ast_element *build_next(struct ast_element *element, struct span span, struct span next_span)
{
    element->is_next = true;
    element->next_span = next_span;
    element->span = span;
    return element;
}

struct ast_element *build_refuse_count(struct parse *p, struct ast_element *element, struct build_count count)
{
    parse_error_at(p, count.span, "give the number to the steps inside `all { }`, or write the group again",
                   "a group has no number: which of its steps would be bound how often is not clear");
    return element;
}

struct ast_step *build_refuse_group(struct parse *p, struct span span)
{
    parse_error_at(p, span, "write the inner steps out, or match them in a rule of their own and read that as a stream",
                   "a group holds steps only, not another group");
    return NULL;
}

/* ---- match -------------------------------------------------------------------------------- */

struct ast_match *build_match(struct parse *p)
{
    return arena_alloc(p->arena, sizeof(struct ast_match));
}

struct ast_match *build_match_by(struct parse *p, struct span span, struct ast_match *match, struct build_list *keys)
{
    if (match->keys)
        parse_twice(p, span, "by");
    match->keys = parse_chain(keys);
    return match;
}

struct ast_match *build_match_within(struct parse *p, struct span span, struct ast_match *match, struct ast_expr *within)
{
    if (match->within)
        parse_twice(p, span, "within");
    match->within = within;
    return match;
}

struct ast_match *build_match_select(struct parse *p, struct span span, struct ast_match *match, enum ast_select select)
{
    if (match->has_select)
        parse_twice(p, span, "select");
    match->select = (uint8_t)select;
    match->has_select = true;
    match->select_span = span;
    return match;
}

/* ---- window ------------------------------------------------------------------------------- */

struct ast_window *build_window(struct parse *p, enum ast_window_kind kind, struct ast_expr *size, struct ast_expr *other)
{
    struct ast_window *window = arena_alloc(p->arena, sizeof *window);

    window->kind = kind;
    window->size = size;
    if (kind == AST_HOPPING)
        window->every = other;
    else if (kind == AST_SESSION)
        window->max = other;
    else
        window->expire = other;
    return window;
}

struct ast_window *build_window_offset(struct parse *p, struct span span, struct ast_window *window, struct ast_expr *offset)
{
    if (window->offset)
        parse_twice(p, span, "offset");
    window->offset = offset;
    return window;
}

struct ast_window *build_window_zone(struct parse *p, struct span span, struct ast_window *window, struct ast_expr *zone)
{
    if (window->zone.text)
        parse_twice(p, span, "zone");
    window->zone = build_text_name(p, zone);
    return window;
}

struct ast_window *build_window_by(struct parse *p, struct ast_window *window, struct build_list *keys)
{
    (void)p;
    window->keys = parse_chain(keys);
    return window;
}

struct ast_window *build_window_in(struct parse *p, struct ast_window *window, struct build_op in, struct ast_name table)
{
    if (in.fold)
        parse_error_at(p, table.span, NULL, "a window's table is given with `in`, not `in~`");
    window->in_table = table;
    return window;
}

struct ast_window *build_having(struct parse *p, struct span span, struct ast_window *window, struct ast_expr *having)
{
    if (window->having)
        parse_error_at(p, span, "join the conditions with `and`", "the window has a `having` already");
    window->having = having;
    return window;
}

struct ast_window *build_fire(struct parse *p, struct span span, struct ast_window *window, enum ast_fire fire)
{
    if (window->fire != AST_FIRE_DEFAULT)
        parse_twice(p, span, "fire");
    window->fire = (uint8_t)fire;
    return window;
}

struct ast_window *build_allow_late(struct parse *p, struct span span, struct ast_window *window, struct ast_expr *late)
{
    if (window->late)
        parse_twice(p, span, "allow late");
    window->late = late;
    return window;
}

/* ---- join, novel -------------------------------------------------------------------------- */

struct ast_join *build_join(struct parse *p)
{
    return arena_alloc(p->arena, sizeof(struct ast_join));
}

struct ast_join *build_join_by(struct parse *p, struct span span, struct ast_join *join, struct build_list *keys)
{
    if (join->keys)
        parse_twice(p, span, "by");
    join->keys = parse_chain(keys);
    return join;
}

struct ast_join *build_join_within(struct parse *p, struct span span, struct ast_join *join, struct build_range range)
{
    if (join->high)
        parse_twice(p, span, "within");
    join->low = range.low;
    join->high = range.high;
    if (range.low && range.low->value.u.i > range.high->value.u.i)
        parse_error_at(p, range.low->span, NULL, "the range ends before it begins");
    return join;
}

struct ast_novel *build_novel(struct parse *p, struct build_list *paths)
{
    struct ast_novel *novel = arena_alloc(p->arena, sizeof *novel);

    novel->paths = (struct ast_expr **)paths->item;
    novel->n_paths = paths->n;
    return novel;
}

struct ast_novel *build_novel_by(struct parse *p, struct span span, struct ast_novel *novel, struct build_list *keys)
{
    if (novel->keys)
        parse_twice(p, span, "by");
    novel->keys = parse_chain(keys);
    return novel;
}

struct ast_novel *build_novel_within(struct parse *p, struct span span, struct ast_novel *novel, struct ast_expr *within)
{
    if (novel->within)
        parse_twice(p, span, "within");
    novel->within = within;
    return novel;
}

struct ast_novel *build_novel_after(struct parse *p, struct span span, struct ast_novel *novel, struct ast_expr *after)
{
    if (novel->after)
        parse_twice(p, span, "after");
    novel->after = after;
    return novel;
}
