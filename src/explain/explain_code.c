// SPDX-License-Identifier: Apache-2.0
/* explain_code - the instructions of a rule's conditions and values, as code_print writes them. */
#include "explain/explain_rule.h"
#include "plan/code.h"
#include "plan/join_plan.h"
#include "plan/nfa.h"
#include "plan/program.h"
#include "plan/window_plan.h"

static void one(const struct explaining *x, const char *of, const char *what, const struct code *code)
{
    if (!code)
        return;
    report_begin(x->r, NULL, NULL, '{');
    report_field(x->r, "of", "%s", of);
    report_field(x->r, "what", "%s", what);
    report_say(x->r, "%s, %s:", of, what);
    report_code(x->r, "code", code);
    report_end(x->r);
}

static void code_of_steps(const struct explaining *x, const struct program_rule *rule)
{
    for (uint32_t p = rule->first_probe; p < rule->first_probe + rule->n_probes; p++) {
        const struct program_probe *probe = &x->prog->probe[p];

        if (probe->kind != PROBE_STEP)
            continue;
        one(x, rule->step_name[probe->step], "tried once an event", probe->unary);
        if (rule->body == BODY_MATCH)
            one(x, rule->step_name[probe->step], "tried on each run", rule->nfa->step[probe->step].cross);
        else if (rule->body == BODY_JOIN)
            one(x, rule->step_name[probe->step], "tried on each pair", rule->join->side[probe->step].cross);
    }
}

static void code_of_window(const struct explaining *x, const struct program_rule *rule)
{
    const struct window_plan *plan = rule->window;

    for (uint32_t i = 0; i < plan->n_aggregates; i++) {
        struct buf name;

        buf_init(&name);
        buf_printf(&name, "aggregate %u", i);
        one(x, name.data, "what it takes", plan->aggregate[i].arg[0]);
        one(x, name.data, "what it takes too", plan->aggregate[i].arg[1]);
        one(x, name.data, "of which events", plan->aggregate[i].where);
        buf_fini(&name);
    }
    one(x, "having", "tried when the window may fire", plan->having);
}

static bool is_plain_key(const struct program_probe *probe, uint32_t key)
{
    return probe->key[key].slot != UINT32_MAX;
}

void explain_code(const struct explaining *x, const struct program_rule *rule)
{
    size_t before = x->r->out->len, begun;

    report_begin(x->r, "code", "Code (fields are those of the event, stepN.field of the last one bound to step N)", '[');
    begun = x->r->out->len;
    for (uint32_t s = 0; s < rule->n_steps && rule->n_steps > 1; s++)
        report_say(x->r, "step%u is %s", s, rule->step_name[s]);
    for (uint32_t i = 0; i < rule->n_keys && rule->n_probes > 0; i++) {
        const struct program_probe *first = &x->prog->probe[rule->first_probe];

        if (!is_plain_key(first, i))
            one(x, rule->key_name[i], "a key", first->key[i].code);
    }
    code_of_steps(x, rule);
    if (rule->body == BODY_WINDOW)
        code_of_window(x, rule);
    for (uint32_t i = 0; i < rule->n_emit; i++)
        one(x, rule->emit[i].name, "emitted", rule->emit[i].code);
    one(x, "severity", "once an alert", rule->severity_code);
    one(x, "risk", "once an alert", rule->risk_code);
    if (x->r->out->len == begun && !x->r->json)
        buf_truncate(x->r->out, before); /* no title over nothing */
    report_end(x->r);
}
