// SPDX-License-Identifier: Apache-2.0
/* explain_rule - the sections about one rule: its key, its events and how they find it, how it runs. */
#include <string.h>

#include "explain/explain_rule.h"
#include "event/schema.h"
#include "lang/ast.h"
#include "lang/ast_print.h"
#include "plan/code.h"
#include "plan/explain.h"
#include "plan/nfa.h"
#include "plan/program.h"

/* ---- key -------------------------------------------------------------------------------------- */

static void explain_key(const struct explaining *x, const struct program_rule *rule)
{
    const struct program_probe *first = &x->prog->probe[rule->first_probe];
    struct buf text;

    buf_init(&text);
    report_begin(x->r, "key", "Key", '[');
    for (uint32_t i = 0; i < rule->n_keys; i++) {
        if (x->r->json)
            report_line(x->r, "%s", rule->key_name[i]);
        buf_printf(&text, "%s%s", i > 0 ? ", " : "", rule->key_name[i]);
        if (rule->n_probes > 0 && first->key[i].optional)
            buf_adds(&text, " (may be missing)");
    }
    report_end(x->r);
    if (rule->n_keys == 0)
        report_say(x->r, "none: all events are looked at together");
    else
        report_say(x->r, "%s; each is looked at by itself, and an event without it is left out (`no key` in --stats)", text.data);
    buf_fini(&text);
}

/* ---- streams, and how events find a step -------------------------------------------------------- */

static bool reads(const struct program *prog, uint32_t stream, uint32_t source)
{
    const struct program_stream *st = &prog->stream[stream];

    if (stream == source || (stream == 0 && !prog->stream[source].is_derived))
        return true;
    for (uint32_t i = 0; i < st->n_inputs; i++)
        if (reads(prog, st->input[i], source))
            return true;
    return false;
}

static bool probe_reads(const struct program *prog, const struct program_probe *probe, uint32_t source)
{
    for (uint32_t i = 0; i < probe->n_streams; i++)
        if (reads(prog, probe->stream[i], source))
            return true;
    return false;
}

static bool is_any(const struct program_probe *probe)
{
    for (uint32_t i = 0; i < probe->n_streams; i++)
        if (probe->stream[i] == 0)
            return true;
    return false;
}

/* "source a or b"; JSON: the list of them. */
static void sources(const struct explaining *x, const struct program_probe *probe, struct buf *out)
{
    const char *before = "";

    report_begin(x->r, "sources", NULL, '[');
    for (uint32_t s = 1; s < x->prog->n_streams && !is_any(probe); s++) {
        const struct program_stream *st = &x->prog->stream[s];

        if (!st->is_source || !probe_reads(x->prog, probe, s))
            continue;
        if (x->r->json)
            report_line(x->r, "%s", st->name);
        buf_printf(out, "%s%s%s", before, *before ? "" : st->is_derived ? "what rules emit as " : "source ", st->name);
        before = " or ";
    }
    if (is_any(probe)) {
        if (x->r->json)
            report_line(x->r, "any");
        buf_adds(out, "any source");
    }
    report_end(x->r);
}

static void explain_probe(const struct explaining *x, const struct program_rule *rule, const struct program_probe *probe)
{
    struct buf by, from;

    buf_init(&by);
    buf_init(&from);
    report_begin(x->r, NULL, NULL, '{');
    report_field(x->r, "step", "%s", rule->step_name[probe->step]);
    sources(x, probe, &from);
    if (explain_necessary(x->ex, rule->number, probe->step, &by) == NECESSARY_NONE) {
        report_field(x->r, "by", "every event");
        report_say(x->r, "%s: every event of %s (its `where` has no `field == constant` to look it up by)",
                   rule->step_name[probe->step], from.data);
    } else {
        report_field(x->r, "by", "%s", by.data);
        report_say(x->r, "%s: events of %s with %s (by the index); its whole condition is tried on them",
                   rule->step_name[probe->step], from.data, by.data);
    }
    report_end(x->r);
    buf_fini(&by);
    buf_fini(&from);
}

static void explain_finds(const struct explaining *x, const struct program_rule *rule)
{
    report_begin(x->r, "found_by", "How events find it", '[');
    if (rule->disabled)
        report_say(x->r, "not at all: it is disabled");
    for (uint32_t p = rule->first_probe; p < rule->first_probe + rule->n_probes && !rule->disabled; p++)
        if (x->prog->probe[p].kind == PROBE_STEP)
            explain_probe(x, rule, &x->prog->probe[p]);
    report_end(x->r);
    if (rule->nfa->has_next)
        report_say(x->r, "because of `next` every event of its streams that has its key is looked at as well");
}

static void explain_stream_line(const struct explaining *x, uint32_t stream)
{
    const struct ast_stream *ast = explain_stream(x->ex, x->prog->stream[stream].name);
    struct buf text;

    if (!ast)
        return;
    buf_init(&text);
    for (uint32_t i = 0; i < ast->inputs.n; i++)
        buf_printf(&text, "%s%s", i > 0 ? " and " : "", ast->inputs.name[i].text);
    if (ast->where) {
        buf_adds(&text, " where ");
        ast_print_expr(&text, ast->where);
    }
    report_line(x->r, "%s: events of %s", ast->name.text, text.data);
    buf_fini(&text);
}

static bool rule_reads(const struct program *prog, const struct program_rule *rule, uint32_t stream)
{
    for (uint32_t p = rule->first_probe; p < rule->first_probe + rule->n_probes; p++) {
        const struct program_probe *probe = &prog->probe[p];

        for (uint32_t i = 0; i < probe->n_streams; i++)
            if (probe->stream[i] != 0 && reads(prog, probe->stream[i], stream))
                return true;
    }
    return false;
}

static void explain_streams(const struct explaining *x, const struct program_rule *rule)
{
    bool some = x->r->json;

    for (uint32_t s = 1; s < x->prog->n_streams; s++)
        some |= !x->prog->stream[s].is_source && rule_reads(x->prog, rule, s);
    if (!some)
        return;
    report_begin(x->r, "streams", "Streams", '[');
    for (uint32_t s = 1; s < x->prog->n_streams; s++)
        if (!x->prog->stream[s].is_source && rule_reads(x->prog, rule, s))
            explain_stream_line(x, s);
    report_end(x->r);
}

/* ---- links, matcher -------------------------------------------------------------------------------- */

static void explain_links(const struct explaining *x, const struct program_rule *rule)
{
    const struct nfa *nfa = rule->nfa;

    if (nfa->n_links == 0 && !x->r->json)
        return;
    report_begin(x->r, "links", "Links", '[');
    for (uint16_t i = 0; i < nfa->n_links; i++) {
        const struct nfa_link *link = &nfa->link[i];

        report_line(x->r, "%s.%s == %s.%s", nfa->step[link->step].name, schema_path(x->prog->schema, link->slot),
                    nfa->step[link->from_step].name, schema_path(x->prog->schema, link->from_slot));
    }
    report_end(x->r);
    if (nfa->n_links > 0)
        report_say(x->r, "runs are looked up by these values, not one by one; `select` takes them as part of the key");
}

/* Which of the engine's two matchers: engine/matcher.h, engine/set.h. */
static void explain_matcher(const struct explaining *x, const struct program_rule *rule)
{
    const char *kind = rule->nfa->use_sets ? "sets" : "runs";
    const char *why = "its conditions compare steps with one another: each run is decided by itself";

    if (rule->body != BODY_MATCH)
        return;
    if (rule->nfa->unary)
        why = "`select last`, an `all` group or a limit of events asks for it: each run is decided by itself";
    if (rule->nfa->use_sets)
        why = "no condition compares steps, so runs that differ in their start alone move together";
    report_begin(x->r, "matcher", "How it is run", '{');
    report_field(x->r, "kind", "%s", kind);
    report_field(x->r, "why", "%s", why);
    report_end(x->r);
    report_say(x->r, "as %s: %s", kind, why);
}

/* ---- all of it --------------------------------------------------------------------------------------- */

static void explain_head(const struct explaining *x, const struct program_rule *rule)
{
    static const char *const bodies[] = {"match", "window", "join", "novel"};
    const char *severity = rule->severity_code ? "computed" : severity_name(rule->severity);

    report_field(x->r, "name", "%s", rule->name);
    report_field(x->r, "body", "%s", bodies[rule->body]);
    report_field(x->r, "severity", "%s", severity);
    report_flag(x->r, "disabled", rule->disabled);
    report_number(x->r, "depth", rule->depth);
    if (x->r->json)
        return;
    buf_printf(x->r->out, "rule %s: %s, severity %s%s", rule->name, bodies[rule->body], severity, rule->disabled ? ", disabled" : "");
    if (rule->depth > 0)
        buf_printf(x->r->out, ", reads what other rules make (depth %u)", rule->depth);
    buf_addc(x->r->out, '\n');
}

void explain_one(const struct explaining *x, const struct program_rule *rule)
{
    report_begin(x->r, NULL, NULL, '{');
    explain_head(x, rule);
    explain_does(x, rule);
    explain_key(x, rule);
    explain_streams(x, rule);
    explain_finds(x, rule);
    explain_links(x, rule);
    explain_matcher(x, rule);
    explain_aggregates(x, rule);
    explain_state(x, rule);
    explain_deadlines(x, rule);
    explain_code(x, rule);
    report_end(x->r);
}
