// SPDX-License-Identifier: Apache-2.0
/* explain_state - what a rule keeps, in words and numbers, and what it does when time has passed. */
#include <string.h>

#include "explain/explain_rule.h"
#include "engine/accumulator.h"
#include "engine/costs.h"
#include "event/schema.h"
#include "lang/ast.h"
#include "lang/ast_print.h"
#include "plan/explain.h"
#include "plan/join_plan.h"
#include "plan/nfa.h"
#include "plan/novel_plan.h"
#include "plan/program.h"
#include "plan/window_plan.h"

/* Sums that stay at the top when they leave the range. */
static uint64_t times(uint64_t a, uint64_t b)
{
    uint64_t product;

    return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

static uint64_t plus(uint64_t a, uint64_t b)
{
    uint64_t sum;

    return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

static const char *bytes(struct buf *text, uint64_t n)
{
    buf_clear(text);
    report_add_bytes(text, n);
    return text->data;
}

/* ---- numbers ------------------------------------------------------------------------------------ */

static bool is_stateless(const struct program_rule *rule)
{
    const struct nfa *nfa = rule->nfa;

    return nfa->n_elements == 1 && nfa->element[0].kind == NFA_STEP && nfa->element[0].max == 1 &&
           nfa->n_trail_nots == 0 && nfa->n_lead_nots == 0;
}

/* The most events that a run binds at an element; of a group, as many steps as it needs. */
static uint64_t element_events(const struct program_rule *rule, const struct nfa_element *el)
{
    uint32_t most = el->kind == NFA_STEP ? el->max : 0;

    for (uint16_t k = 0; k < el->n_steps && el->kind != NFA_STEP; k++) {
        uint32_t max = rule->nfa->step[el->first_step + k].max;

        most = max > most ? max : most;
    }
    if (most == NFA_UNBOUNDED)
        return rule->limits.events;
    return el->kind == NFA_ALL ? (uint64_t)most * el->need : most;
}

static uint64_t run_events(const struct program_rule *rule)
{
    uint64_t n = 0;

    for (uint16_t i = 0; i < rule->nfa->n_elements; i++)
        n = plus(n, element_events(rule, &rule->nfa->element[i]));
    return n < rule->limits.events ? n : rule->limits.events;
}

static const char *of_key(const struct program_rule *rule)
{
    return rule->n_keys > 0 ? "a key" : "all of it";
}

static void match_numbers(const struct explaining *x, const struct program_rule *rule)
{
    const struct engine_costs *costs = &x->costs[rule->number];
    uint64_t events = run_events(rule), each = plus(costs->bind, costs->event);
    uint64_t run = plus(costs->run, times(events, each));
    struct buf a, b;

    if (is_stateless(rule))
        return;
    buf_init(&a);
    buf_init(&b);
    report_number(x->r, "run_bytes", costs->run);
    report_number(x->r, "run_event_bytes", each);
    report_number(x->r, "run_events_most", events);
    report_number(x->r, "worst_run_bytes", run);
    report_number(x->r, "worst_key_bytes", plus(costs->key, times(rule->limits.runs, run)));
    report_say(x->r, "an open run %s, and each event in it %s and its text", bytes(&a, costs->run), bytes(&b, each));
    report_say(x->r, "the longest run, of %llu event%s: %s, and their texts", (unsigned long long)events,
               events == 1 ? "" : "s", bytes(&a, run));
    buf_clear(&b);
    report_add_count(&b, rule->limits.runs);
    report_say(x->r, "%s at worst, with %s such run%s: %s, and the texts", of_key(rule), b.data, rule->limits.runs == 1 ? "" : "s",
               bytes(&a, plus(costs->key, times(rule->limits.runs, run))));
    buf_fini(&a);
    buf_fini(&b);
}

static void novel_numbers(const struct explaining *x, const struct program_rule *rule)
{
    const struct engine_costs *costs = &x->costs[rule->number];
    uint64_t worst = plus(costs->first, times(rule->limits.values - 1, costs->more));
    struct buf a, b;

    buf_init(&a);
    buf_init(&b);
    report_number(x->r, "value_bytes", costs->more);
    report_number(x->r, "worst_key_bytes", plus(costs->key, worst));
    report_add_count(&b, rule->limits.values);
    report_say(x->r, "each value that is remembered about %s (texts of 8 bytes)", bytes(&a, costs->more));
    report_say(x->r, "%s at worst, with %s values: about %s", of_key(rule), b.data, bytes(&a, plus(costs->key, worst)));
    buf_fini(&a);
    buf_fini(&b);
}

static void join_numbers(const struct explaining *x, const struct program_rule *rule)
{
    const struct engine_costs *costs = &x->costs[rule->number];
    struct buf a;

    buf_init(&a);
    report_number(x->r, "waiting_event_bytes", costs->more);
    report_say(x->r, "each event that waits for a partner about %s, and its text", bytes(&a, costs->more));
    buf_fini(&a);
}

static void window_numbers(const struct explaining *x, const struct program_rule *rule)
{
    const struct engine_costs *costs = &x->costs[rule->number];
    uint64_t kept = times(rule->n_steps, times(rule->keep, costs->event));
    struct buf a;

    buf_init(&a);
    report_number(x->r, "first_event_bytes", costs->first);
    report_number(x->r, "further_event_bytes", costs->more);
    report_number(x->r, "kept_events_bytes", kept);
    report_say(x->r, "a window with one event %s, and the event's text", bytes(&a, costs->first));
    report_say(x->r, "its last %u event%s of each input, kept for alerts: at most %s and their texts (`keep`)", rule->keep,
               rule->keep == 1 ? "" : "s", bytes(&a, kept));
    if (costs->more > 0)
        report_say(x->r, "each further event about %s: what aggregates keep of it", bytes(&a, costs->more));
    else
        report_say(x->r, "further events cost nothing more, but for what aggregates keep of different values");
    buf_fini(&a);
}

static void limits(const struct explaining *x, const struct program_rule *rule)
{
    const struct program_limits *li = &rule->limits;
    struct buf a;

    buf_init(&a);
    report_begin(x->r, "limits", NULL, '{');
    report_number(x->r, "state", li->state);
    if (rule->body == BODY_MATCH) {
        report_number(x->r, "runs", li->runs);
        report_number(x->r, "events", li->events);
    }
    if (rule->body == BODY_WINDOW || rule->body == BODY_NOVEL)
        report_number(x->r, "values", li->values);
    if (rule->body == BODY_JOIN || rule->nfa->select == SELECT_ALL)
        report_number(x->r, "matches", li->matches);
    if (li->alerts_per > 0) {
        report_number(x->r, "alerts", li->alerts);
        report_number(x->r, "alerts_per_ns", (uint64_t)li->alerts_per);
    }
    report_end(x->r);
    if (rule->body != BODY_MATCH || !is_stateless(rule))
        report_say(x->r, "the rule never holds more than %s: then new keys, runs and values are refused, and counted (`limit state`)",
                   bytes(&a, li->state));
    if (li->alerts_per > 0) {
        buf_clear(&a);
        report_add_duration(&a, li->alerts_per);
        report_say(x->r, "at most %llu alerts in %s (`limit alerts`)", (unsigned long long)li->alerts, a.data);
    }
    buf_fini(&a);
}

void explain_state(const struct explaining *x, const struct program_rule *rule)
{
    const struct engine_costs *costs = &x->costs[rule->number];
    bool holds = rule->body != BODY_MATCH || !is_stateless(rule);
    struct buf a, b;

    buf_init(&a);
    buf_init(&b);
    report_begin(x->r, "state", "What it keeps", '{');
    report_field(x->r, "bound", "%s", rule->state_bound);
    report_say(x->r, "%s", rule->state_bound);
    if (holds) {
        report_number(x->r, "key_bytes", costs->key);
        report_number(x->r, "event_bytes", costs->event);
        report_say(x->r, "%s %s%s; an event that is kept %s (%u field%s that rules read) and its text, as read",
                   of_key(rule), bytes(&a, costs->key), rule->n_keys > 0 ? " and its texts" : "", bytes(&b, costs->event), schema_count(x->prog->schema),
                   schema_count(x->prog->schema) == 1 ? "" : "s");
    }
    switch (rule->body) {
    case BODY_MATCH: match_numbers(x, rule); break;
    case BODY_WINDOW: window_numbers(x, rule); break;
    case BODY_JOIN: join_numbers(x, rule); break;
    case BODY_NOVEL: novel_numbers(x, rule); break;
    }
    limits(x, rule);
    report_end(x->r);
    buf_fini(&a);
    buf_fini(&b);
}

/* ---- aggregates ---------------------------------------------------------------------------------- */

void explain_aggregates(const struct explaining *x, const struct program_rule *rule)
{
    if (rule->body != BODY_WINDOW || (rule->window->n_aggregates == 0 && !x->r->json))
        return;
    report_begin(x->r, "aggregates", "Aggregates", '[');
    for (uint32_t i = 0; i < rule->window->n_aggregates; i++) {
        const struct program_aggregate *ag = &rule->window->aggregate[i];
        const struct ast_expr *call = explain_aggregate(x->ex, rule->number, i);
        size_t size = ag->id == WINDOW_PREV ? sizeof(struct value) : accumulator_ops(ag->id)->size;
        struct buf text;

        buf_init(&text);
        if (call)
            ast_print_expr(&text, call);
        report_begin(x->r, NULL, NULL, '{');
        report_number(x->r, "number", i);
        report_field(x->r, "call", "%s", text.len ? text.data : "?");
        report_number(x->r, "bytes", size);
        report_end(x->r);
        report_say(x->r, "%u: %s, %zu bytes%s", i, text.len ? text.data : "?", size,
                   ag->id == WINDOW_PREV ? "" : " and what hangs from it");
        buf_fini(&text);
    }
    report_end(x->r);
}

/* ---- deadlines ------------------------------------------------------------------------------------ */

static void line_of(const struct explaining *x, int64_t delay, const char *from, const char *what)
{
    struct buf text;

    buf_init(&text);
    report_add_duration(&text, delay);
    report_line(x->r, "%s behind %s: %s", text.data, from, what);
    buf_fini(&text);
}

static bool is_trailing(const struct nfa *nfa, uint16_t step)
{
    for (uint16_t i = 0; i < nfa->n_trail_nots; i++)
        if (nfa->trail_not[i] == step)
            return true;
    return false;
}

static void match_deadlines(const struct explaining *x, const struct program_rule *rule)
{
    const struct nfa *nfa = rule->nfa;

    if (nfa->within >= 0 && !is_stateless(rule))
        line_of(x, nfa->within, "a run's first event", "the run ends");
    for (uint16_t s = 0; s < nfa->n_steps; s++) {
        const struct nfa_step *step = &nfa->step[s];
        struct buf what;

        bool trails = is_trailing(nfa, s);

        if (step->within < 0 && !trails)
            continue;
        buf_init(&what);
        if (!step->is_not)
            buf_printf(&what, "the run ends if %s did not come", step->name);
        else if (step->gap == NFA_NONE)
            buf_printf(&what, "%s is forgotten, so a match may begin", step->name);
        else
            buf_printf(&what, "the match is told if %s did not come", step->name);
        if (step->within < 0)
            line_of(x, nfa->within, "a run's first event", what.data);
        else
            line_of(x, step->within, step->is_not && step->gap == NFA_NONE ? "such an event" : "the event before", what.data);
        buf_fini(&what);
    }
}

static void window_deadlines(const struct explaining *x, const struct program_rule *rule)
{
    const struct window_plan *plan = rule->window;

    switch (plan->kind) {
    case WINDOW_TUMBLING:
    case WINDOW_HOPPING: report_line(x->r, "a window's end: it is %s", plan->fire == FIRE_ON_CLOSE ? "decided, and dropped" : "dropped"); break;
    case WINDOW_SESSION:
        line_of(x, plan->size, "a session's last event", "it ends");
        line_of(x, plan->max, "its first event", "it ends in any case");
        break;
    case WINDOW_SLIDING: line_of(x, plan->reach, "the key's last event", "the key is dropped"); break;
    case WINDOW_GLOBAL: line_of(x, plan->size, "the key's last event", "the key is dropped"); break;
    }
    if (plan->late >= 0)
        line_of(x, plan->late, "a window's end", "late events change it no more");
}

static void join_deadlines(const struct explaining *x, const struct program_rule *rule)
{
    const struct join_plan *plan = rule->join;

    for (int i = 0; i < 2; i++) {
        int64_t delay = i == 0 ? plan->high : -plan->low;
        bool alone = plan->side[1 - i].optional || plan->side[1 - i].negated;
        struct buf from;

        buf_init(&from);
        buf_printf(&from, "an event of %s", plan->side[i].name);
        line_of(x, delay > 0 ? delay : 0, from.data, alone ? "it is told alone if it has no partner, and dropped" : "it is dropped");
        buf_fini(&from);
    }
}

void explain_deadlines(const struct explaining *x, const struct program_rule *rule)
{
    report_begin(x->r, "deadlines", "What it does as time passes", '[');
    switch (rule->body) {
    case BODY_MATCH: match_deadlines(x, rule); break;
    case BODY_WINDOW: window_deadlines(x, rule); break;
    case BODY_JOIN: join_deadlines(x, rule); break;
    case BODY_NOVEL: line_of(x, rule->novel->within, "a value's last sighting", "it is forgotten"); break;
    }
    if (rule->suppress >= 0 && rule->tells)
        line_of(x, rule->suppress, "an alert", rule->suppress_summary ? "how many were held back is told" : "the next is let through");
    if (rule->body == BODY_MATCH && is_stateless(rule) && rule->suppress < 0)
        report_say(x->r, "nothing");
    report_end(x->r);
}
