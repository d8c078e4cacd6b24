// SPDX-License-Identifier: Apache-2.0
/* explain_words - what a rule looks for and what becomes of it, in plain words. */
#include <stdlib.h>
#include <string.h>

#include "base/zone.h"
#include "explain/explain_rule.h"
#include "lang/ast.h"
#include "lang/ast_print.h"
#include "plan/explain.h"
#include "plan/join_plan.h"
#include "plan/nfa.h"
#include "plan/novel_plan.h"
#include "plan/program.h"
#include "plan/window_plan.h"

/* ---- parts of lines --------------------------------------------------------------------------- */

static void add_keys(struct buf *out, const struct ast_key *keys)
{
    for (const struct ast_key *key = keys; key; key = key->next) {
        buf_adds(out, key == keys ? "" : ", ");
        buf_printf(out, "%s%s", key->optional ? "?" : "", key->name.text);
        if (key->expr->kind != AST_PATH) {
            buf_adds(out, " = ");
            ast_print_expr(out, key->expr);
        }
    }
}

static void add_count(struct buf *out, const struct ast_step *step)
{
    unsigned min = step->min, max = step->max;

    if (!step->quantified)
        buf_adds(out, "an event");
    else if (min == max)
        buf_printf(out, "%u event%s", min, min == 1 ? "" : "s");
    else if (step->max == AST_UNBOUNDED)
        buf_printf(out, min == 0 ? "any number of events, or none," : min == 1 ? "one or more events" : "%u or more events", min);
    else if (min == 0 && max == 1)
        buf_adds(out, "at most one event, or none,");
    else
        buf_printf(out, "%u to %u events", min, max);
}

/* of STREAM or STREAM by KEYS where CONDITION */
static void add_events(struct buf *out, const struct ast_step *step)
{
    buf_adds(out, " of ");
    for (uint32_t i = 0; i < step->streams.n; i++) {
        bool any = strcmp(step->streams.name[i].text, "any") == 0;

        buf_printf(out, "%s%s", i > 0 ? " or " : "", any ? "any source" : step->streams.name[i].text);
    }
    if (step->keys) {
        buf_adds(out, " by ");
        add_keys(out, step->keys);
    }
    if (step->where) {
        buf_adds(out, " where ");
        ast_print_expr(out, step->where);
    }
}

/* ---- match -------------------------------------------------------------------------------------- */

static void add_within(struct buf *out, const struct ast_step *step)
{
    if (!step->within)
        return;
    buf_adds(out, ", at most ");
    report_add_duration(out, step->within->value.u.i);
    buf_adds(out, " behind the one before");
}

/* Does nothing but `not`s follow? */
static bool is_trailing(const struct ast_element *el)
{
    while (el && el->kind == AST_NOT)
        el = el->next;
    return !el;
}

/* within: of the rule; a trailing `not` without one of its own watches as long as that lasts. */
static void add_not(struct buf *out, const struct ast_element *el, bool is_first, int64_t within)
{
    const struct ast_step *step = el->step;
    bool trails = is_trailing(el);

    buf_printf(out, "no %s: no event", step->name.text);
    add_events(out, step);
    buf_adds(out, is_first ? ", before the first" : trails ? ", behind the last" : ", in between");
    if (step->within) {
        buf_adds(out, is_first ? ", looking back " : ", for ");
        report_add_duration(out, step->within->value.u.i);
    } else if (trails && within >= 0) {
        buf_adds(out, ", up to ");
        report_add_duration(out, within);
        buf_adds(out, " behind the first");
    }
}

static void does_group(const struct explaining *x, const struct ast_element *el, unsigned number)
{
    uint32_t n = 0;

    for (const struct ast_step *step = el->step; step; step = step->next)
        n++;
    if (el->kind == AST_ANY)
        report_line(x->r, "%u. %sone of these:", number, el->is_next ? "directly next, " : "");
    else if (el->has_need)
        report_line(x->r, "%u. %s%u of these %u, in any order:", number, el->is_next ? "directly next, " : "", el->need, n);
    else
        report_line(x->r, "%u. %sall of these, in any order:", number, el->is_next ? "directly next, " : "");
    for (const struct ast_step *step = el->step; step; step = step->next) {
        struct buf text;

        buf_init(&text);
        add_count(&text, step);
        add_events(&text, step);
        add_within(&text, step);
        report_line(x->r, "- %s: %s", step->name.text, text.data);
        buf_fini(&text);
    }
}

static void does_element(const struct explaining *x, const struct nfa *nfa, const struct ast_element *el, bool is_first,
                         unsigned *number)
{
    struct buf text;

    if (el->kind == AST_ANY || el->kind == AST_ALL) {
        does_group(x, el, ++*number);
        return;
    }
    buf_init(&text);
    if (el->kind == AST_NOT) {
        add_not(&text, el, is_first, nfa->within);
        report_line(x->r, "- %s%s", text.data, el->is_next ? " (`next`)" : "");
    } else {
        add_count(&text, el->step);
        add_events(&text, el->step);
        add_within(&text, el->step);
        report_line(x->r, "%u. %s: %s%s", ++*number, el->step->name.text, el->is_next ? "directly next, " : "", text.data);
    }
    buf_fini(&text);
}

static const char *select_words(enum nfa_select select)
{
    switch (select) {
    case SELECT_FIRST: return "first: the first run to be complete is the match, all others of its key end with it";
    case SELECT_LAST: return "last: at each place one run of a key, the newest; an older one gives way";
    case SELECT_EACH: return "each: every event that can begin a match does, and each run goes on alone";
    case SELECT_ALL: return "all: every combination of events that fits is a match";
    }
    return "";
}

static void does_match(const struct explaining *x, const struct program_rule *rule)
{
    const struct ast_match *match = explain_rule(x->ex, rule->number)->match;
    unsigned number = 0;
    bool is_first = true;
    struct buf text;

    buf_init(&text);
    buf_adds(&text, "events in this order");
    if (rule->nfa->within >= 0) {
        buf_adds(&text, ", the last at most ");
        report_add_duration(&text, rule->nfa->within);
        buf_adds(&text, " behind the first");
    }
    report_line(x->r, "%s:", text.data);
    for (const struct ast_element *el = match->elements; el; el = el->next) {
        does_element(x, rule->nfa, el, is_first, &number);
        is_first = is_first && el->kind == AST_NOT;
    }
    if (match->until) {
        buf_clear(&text);
        add_events(&text, match->until);
        report_line(x->r, "- until %s: an event%s ends all that is not complete with it", match->until->name.text, text.data);
    }
    if (number > 1 || match->elements->step->quantified)
        report_line(x->r, "select %s", select_words(rule->nfa->select));
    buf_fini(&text);
}

/* ---- window -------------------------------------------------------------------------------------- */

static void add_window(struct buf *out, const struct window_plan *plan)
{
    switch (plan->kind) {
    case WINDOW_TUMBLING:
        buf_adds(out, "windows of ");
        report_add_duration(out, plan->size);
        buf_adds(out, ", one behind the other");
        break;
    case WINDOW_HOPPING:
        buf_adds(out, "windows of ");
        report_add_duration(out, plan->size);
        buf_adds(out, ", a new one every ");
        report_add_duration(out, plan->every);
        buf_printf(out, ": each event is in %lld", (long long)(plan->size / plan->every));
        break;
    case WINDOW_SESSION:
        buf_adds(out, "sessions: an event at most ");
        report_add_duration(out, plan->size);
        buf_adds(out, " behind the one before belongs to it; none is longer than ");
        report_add_duration(out, plan->max);
        break;
    case WINDOW_SLIDING:
        buf_adds(out, "at each event, the window of the ");
        report_add_duration(out, plan->size);
        buf_adds(out, " that end with it");
        break;
    case WINDOW_GLOBAL:
        buf_adds(out, "one window, dropped ");
        report_add_duration(out, plan->size);
        buf_adds(out, " behind its last event");
        break;
    }
    if (plan->offset) {
        buf_adds(out, ", set off by ");
        report_add_duration(out, plan->offset);
    }
    if (plan->zone)
        buf_printf(out, ", by the calendar of %s", zone_name(plan->zone));
}

static const char *fire_words(const struct window_plan *plan)
{
    bool once = plan->kind != WINDOW_SLIDING && plan->kind != WINDOW_GLOBAL;

    switch (plan->fire) {
    case FIRE_ON_CLOSE: return "when a window has ended (nothing that belongs to it can come any more)";
    case FIRE_ON_MATCH:
        return once ? "at the event that makes it true, once a window" : "at the event that makes it true, again only once it was false";
    case FIRE_ON_MATCH_RESET: return "at the event that makes it true, and the window is emptied";
    case FIRE_ON_EVERY_MATCH: return "at each event at which it is true";
    case FIRE_ON_CHANGE: return "at each event at which it is true and an emitted value is another than last told";
    }
    return "";
}

static void does_inputs(const struct explaining *x, const struct ast_step *inputs)
{
    for (const struct ast_step *step = inputs; step; step = step->next) {
        struct buf text;

        buf_init(&text);
        add_events(&text, step);
        report_line(x->r, "- %s: events%s", step->name.text, text.data);
        buf_fini(&text);
    }
}

static void does_window(const struct explaining *x, const struct program_rule *rule)
{
    const struct ast_window *window = explain_rule(x->ex, rule->number)->window;
    const struct window_plan *plan = rule->window;
    struct buf text;

    buf_init(&text);
    add_window(&text, plan);
    report_line(x->r, "%s:", text.data);
    does_inputs(x, window->inputs);
    buf_clear(&text);
    if (window->having)
        ast_print_expr(&text, window->having);
    if (text.len)
        report_line(x->r, "fires %s: %s", fire_words(plan), text.data);
    else
        report_line(x->r, "fires %s, always (there is no `having`)", fire_words(plan));
    if (plan->late >= 0) {
        buf_clear(&text);
        report_add_duration(&text, plan->late);
        report_line(x->r, "late events change a window for %s behind its end: it is told again, revised", text.data);
    }
    buf_fini(&text);
}

/* ---- join, novel ---------------------------------------------------------------------------------- */

static void does_join(const struct explaining *x, const struct program_rule *rule)
{
    const struct join_plan *plan = rule->join;
    const char *a = plan->side[0].name, *b = plan->side[1].name;
    struct buf low, high;

    buf_init(&low);
    buf_init(&high);
    report_add_duration(&low, plan->low);
    report_add_duration(&high, plan->high);
    if (plan->low == -plan->high)
        report_line(x->r, "pairs of events, at most %s apart, in either order:", high.data);
    else
        report_line(x->r, "pairs of events, time(%s) - time(%s) from %s to %s:", b, a, low.data, high.data);
    does_inputs(x, explain_rule(x->ex, rule->number)->join->sides);
    for (int i = 0; i < 2; i++) {
        const char *other = plan->side[1 - i].name;

        if (plan->side[i].negated)
            report_line(x->r, "only %s without %s is told, when no %s can come any more", other, plan->side[i].name, plan->side[i].name);
        else if (plan->side[i].optional)
            report_line(x->r, "%s without %s is told too, when no %s can come any more", other, plan->side[i].name, plan->side[i].name);
    }
    buf_fini(&low);
    buf_fini(&high);
}

static void does_novel(const struct explaining *x, const struct program_rule *rule)
{
    const struct ast_novel *novel = explain_rule(x->ex, rule->number)->novel;
    struct buf text;

    buf_init(&text);
    for (uint32_t i = 0; i < novel->n_paths; i++) {
        buf_adds(&text, i > 0 ? ", " : "");
        ast_print_expr(&text, novel->paths[i]);
    }
    buf_adds(&text, rule->n_keys > 0 ? " that the key has not shown for " : " not seen for ");
    report_add_duration(&text, rule->novel->within);
    report_line(x->r, "a value of %s:", text.data);
    does_inputs(x, novel->inputs);
    if (rule->novel->after >= 0) {
        buf_clear(&text);
        report_add_duration(&text, rule->novel->after);
        report_line(x->r, "told only once the %s has been known for %s", rule->n_keys > 0 ? "key" : "rule", text.data);
    }
    buf_fini(&text);
}

/* ---- what becomes of it ---------------------------------------------------------------------------- */

static void does_then(const struct explaining *x, const struct program_rule *rule)
{
    struct buf text;

    buf_init(&text);
    if (rule->emits_into)
        report_line(x->r, "then an event for the stream %s", explain_rule(x->ex, rule->number)->emit_into.text);
    for (uint32_t i = 0; i < rule->n_to; i++)
        buf_printf(&text, "%s%s", i > 0 ? ", " : " to ", rule->to[i]);
    if (rule->tells)
        report_line(x->r, "then an alert%s", text.len ? text.data : "");
    if (rule->suppress >= 0 && rule->tells) {
        buf_clear(&text);
        report_add_duration(&text, rule->suppress);
        buf_adds(&text, rule->n_suppress_by ? " for each " : rule->n_keys > 0 ? " for each key" : "");
        for (uint32_t i = 0; i < rule->n_suppress_by; i++)
            buf_printf(&text, "%s%s", i > 0 ? ", " : "", rule->suppress_name[i]);
        report_line(x->r, "after one, further ones are held back for %s%s", text.data,
                    rule->suppress_summary ? ", and their number told then" : "");
    }
    buf_fini(&text);
}

void explain_does(const struct explaining *x, const struct program_rule *rule)
{
    report_begin(x->r, "does", "What it looks for", '[');
    switch (rule->body) {
    case BODY_MATCH: does_match(x, rule); break;
    case BODY_WINDOW: does_window(x, rule); break;
    case BODY_JOIN: does_join(x, rule); break;
    case BODY_NOVEL: does_novel(x, rule); break;
    }
    does_then(x, rule);
    report_end(x->r);
}
