// SPDX-License-Identifier: Apache-2.0
/* A rule and its clauses. Each clause goes into the rule that is being read; one that is there
 * already is an error. */
#include "lang/parse_priv.h"

void build_rule_begin(struct parse *p, struct ast_name name)
{
    p->rule = arena_alloc(p->arena, sizeof *p->rule);
    p->rule->name = name;
    p->rule_errors = diag_errors(p->diag);
    p->limit_tail = &p->rule->limits;
    p->test_tail = &p->rule->tests;
    p->has_meta = false;
}

void build_rule_end(struct parse *p, struct span span)
{
    struct ast_rule *rule = p->rule;

    p->rule = NULL;
    if (diag_errors(p->diag) != p->rule_errors)
        return;
    rule->span = span;
    *p->tails.rule = rule;
    p->tails.rule = &rule->next;
}

/* Is this the first such clause of the rule? */
static bool once(struct parse *p, struct span span, bool there, const char *what)
{
    if (there)
        parse_twice(p, span, what);
    return !there;
}

static void set_expr(struct parse *p, struct span span, struct ast_expr **at, struct ast_expr *expr, const char *what)
{
    if (once(p, span, *at != NULL, what))
        *at = expr;
}

void build_title(struct parse *p, struct span span, struct ast_expr *text)
{
    set_expr(p, span, &p->rule->title, text, "title");
}

void build_description(struct parse *p, struct span span, struct ast_expr *text)
{
    set_expr(p, span, &p->rule->description, text, "description");
}

void build_severity(struct parse *p, struct span span, struct ast_expr *expr)
{
    set_expr(p, span, &p->rule->severity, expr, "severity");
}

void build_risk(struct parse *p, struct span span, struct ast_expr *expr)
{
    set_expr(p, span, &p->rule->risk, expr, "risk");
}

void build_tags(struct parse *p, struct span span, struct ast_expr *list)
{
    set_expr(p, span, &p->rule->tags, list, "tags");
}

void build_meta(struct parse *p, struct span span, struct build_list *entries)
{
    if (once(p, span, p->has_meta, "meta"))
        p->rule->meta = parse_chain(entries);
    p->has_meta = true;
}

void build_disabled(struct parse *p, struct span span)
{
    once(p, span, p->rule->disabled, "disabled");
    p->rule->disabled = true;
}

static bool first_body(struct parse *p, struct span span, enum ast_body body)
{
    static const char *const names[] = {"", "match", "window", "join", "novel"};

    if (p->rule->body != AST_BODY_NONE) {
        parse_error_at(p, span, "make it a rule of its own; one rule may read the other's matches as a stream",
                       "the rule has a body already: its `%s`", names[p->rule->body]);
        return false;
    }
    p->rule->body = body;
    p->rule->body_span = span;
    return true;
}

/* `until` becomes the match's own; it stands behind the elements. */
static void take_until(struct parse *p, struct ast_match *match, struct build_list *elements)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < elements->n; i++) {
        struct ast_element *element = elements->item[i];

        if (element->n_steps > 0) {
            if (match->until)
                parse_error_at(p, element->span, "put `until` last", "an element stands behind `until`");
            elements->item[n++] = element;
        } else if (match->until) {
            parse_twice(p, element->span, "until");
        } else {
            match->until = element->step;
        }
    }
    elements->n = n;
}

void build_match_body(struct parse *p, struct span span, struct ast_match *match, struct build_list *elements)
{
    take_until(p, match, elements);
    match->elements = parse_chain(elements);
    if (first_body(p, span, AST_BODY_MATCH))
        p->rule->match = match;
}

void build_window_body(struct parse *p, struct span span, struct ast_window *window)
{
    if (first_body(p, span, AST_BODY_WINDOW))
        p->rule->window = window;
}

static void plain_sides(struct parse *p, const struct ast_step *side)
{
    for (; side; side = side->next) {
        if (side->quantified && !side->optional_side)
            parse_error_at(p, side->quantifier_span, "`b?:` is an outer side", "a side of a join has no number");
        if (side->within)
            parse_error_at(p, side->within->span, "put it behind `join by ...`", "a side of a join has no `within`");
    }
}

void build_join_body(struct parse *p, struct span span, struct ast_join *join, struct build_list *sides)
{
    for (uint32_t i = 0; i < sides->n; i++) {
        struct ast_step *side = sides->item[i];

        side->optional_side = side->quantified && side->min == 0 && side->max == 1;
    }
    join->sides = parse_chain(sides);
    plain_sides(p, join->sides);
    if (sides->n != 2)
        parse_error_at(p, span, NULL, "a join has two sides, not %u", (unsigned)sides->n);
    if (first_body(p, span, AST_BODY_JOIN))
        p->rule->join = join;
}

static void plain_inputs(struct parse *p, const struct ast_step *input, const char *what)
{
    for (; input; input = input->next) {
        if (input->quantified)
            parse_error_at(p, input->quantifier_span, "count them: `having count() >= 3`", "an input of a %s has no number", what);
        if (input->within)
            parse_error_at(p, input->within->span, NULL, "an input of a %s has no `within`", what);
    }
}

struct ast_window *build_window_inputs(struct parse *p, struct ast_window *window, struct build_list *inputs)
{
    window->inputs = parse_chain(inputs);
    plain_inputs(p, window->inputs, "window");
    return window;
}

void build_novel_body(struct parse *p, struct span span, struct ast_novel *novel, struct build_list *inputs)
{
    novel->inputs = parse_chain(inputs);
    plain_inputs(p, novel->inputs, "novel");
    if (first_body(p, span, AST_BODY_NOVEL))
        p->rule->novel = novel;
}

void build_emit(struct parse *p, struct span span, struct build_list *fields)
{
    if (once(p, span, p->rule->has_emit, "emit"))
        p->rule->emit = parse_chain(fields);
    p->rule->has_emit = true;
}

void build_emit_into(struct parse *p, struct span span, struct ast_name stream, struct build_list *fields)
{
    build_emit(p, span, fields);
    p->rule->emit_into = stream;
}

void build_suppress(struct parse *p, struct span span, struct ast_expr *delay, struct build_list *by, bool summary)
{
    struct ast_rule *rule = p->rule;

    if (!once(p, span, rule->suppress.delay != NULL, "suppress"))
        return;
    rule->suppress.delay = delay;
    rule->suppress.by = by ? (struct ast_expr **)by->item : NULL;
    rule->suppress.n_by = by ? by->n : 0;
    rule->suppress.summary = summary;
    rule->suppress.span = span;
}

void build_to(struct parse *p, struct span span, struct ast_names to)
{
    if (once(p, span, p->rule->to.n > 0, "to"))
        p->rule->to = to;
}

void build_limit(struct parse *p, struct span span, enum ast_limit_kind kind, struct ast_expr *n, struct ast_expr *per)
{
    struct ast_limit *limit = arena_alloc(p->arena, sizeof *limit);

    limit->kind = kind;
    limit->n = n->value.u.i;
    limit->per = per ? per->value.u.i : 0;
    limit->span = span;
    *p->limit_tail = limit;
    p->limit_tail = &limit->next;
}

void build_keep(struct parse *p, struct span span, struct ast_expr *n)
{
    set_expr(p, span, &p->rule->keep, n, "keep");
}

void build_on_reload(struct parse *p, struct span span, struct ast_name mode)
{
    if (once(p, span, p->rule->on_reload.text != NULL, "on_reload"))
        p->rule->on_reload = mode;
}
