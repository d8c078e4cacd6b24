// SPDX-License-Identifier: Apache-2.0
/* explain_dot - the automaton of a `match` rule for graphviz: elements, nots, until, loops. */
#include <stdio.h>
#include <string.h>

#include "explain/explain_rule.h"
#include "plan/nfa.h"
#include "plan/program.h"

/* Names may be back-quoted anything. */
static void add_text(struct buf *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            buf_addc(out, '\\');
        buf_addc(out, *text);
    }
}

static void add_count(struct buf *out, uint32_t min, uint32_t max)
{
    if (max == NFA_UNBOUNDED)
        buf_printf(out, "{%u,}", min);
    else if (min != max)
        buf_printf(out, "{%u,%u}", min, max);
    else if (min != 1)
        buf_printf(out, "{%u}", min);
}

static void add_element(struct buf *out, uint32_t r, const struct nfa *nfa, uint16_t i)
{
    const struct nfa_element *el = &nfa->element[i];

    buf_printf(out, "    r%u_e%u [label=\"", r, i);
    if (el->kind == NFA_ANY)
        buf_adds(out, "any of ");
    else if (el->kind == NFA_ALL)
        buf_printf(out, "%u of ", el->need);
    for (uint16_t k = 0; k < el->n_steps; k++) {
        buf_adds(out, k > 0 ? ", " : "");
        add_text(out, nfa->step[el->first_step + k].name);
    }
    if (el->kind == NFA_STEP)
        add_count(out, el->min, el->max);
    buf_printf(out, "\"%s];\n", i + 1 == nfa->n_elements ? ", peripheries=2" : "");
    if (el->kind == NFA_STEP && el->max > 1)
        buf_printf(out, "    r%u_e%u -> r%u_e%u;\n", r, i, r, i);
}

/* A run at `from` (-1: the start) may take element `to`. */
static void add_edge(struct buf *out, uint32_t r, const struct nfa *nfa, int from, uint16_t to)
{
    const struct nfa_element *el = &nfa->element[to];
    int64_t within = el->n_steps == 1 ? nfa->step[el->first_step].within : -1;

    if (from < 0)
        buf_printf(out, "    r%u_start -> r%u_e%u", r, r, to);
    else
        buf_printf(out, "    r%u_e%d -> r%u_e%u", r, from, r, to);
    if (el->is_next || within >= 0) {
        buf_printf(out, " [label=\"%s%s", el->is_next ? "next" : "", el->is_next && within >= 0 ? ", " : "");
        if (within >= 0) {
            buf_adds(out, "within ");
            report_add_duration(out, within);
        }
        buf_adds(out, "\"]");
    }
    buf_adds(out, ";\n");
}

static void add_not(struct buf *out, uint32_t r, const struct nfa *nfa, const char *from, uint16_t step)
{
    buf_printf(out, "    r%u_n%u [label=\"not ", r, step);
    add_text(out, nfa->step[step].name);
    if (nfa->step[step].within >= 0) {
        buf_adds(out, "\\n");
        report_add_duration(out, nfa->step[step].within);
    }
    buf_printf(out, "\", shape=box, style=dashed];\n    r%u_%s -> r%u_n%u [style=dashed];\n", r, from, r, step);
}

static uint16_t start_reach(const struct nfa *nfa)
{
    uint16_t i = 0;

    while (i + 1 < nfa->n_elements && nfa->element[i].min == 0)
        i++;
    return i;
}

void explain_dot(const struct program_rule *rule, struct buf *out)
{
    uint32_t r = rule->number;
    const struct nfa *nfa = rule->nfa;
    char from[16];

    buf_adds(out, "  subgraph \"cluster_");
    add_text(out, rule->name);
    buf_adds(out, "\" {\n    label=\"");
    add_text(out, rule->name);
    if (nfa->within >= 0) {
        buf_adds(out, ", within ");
        report_add_duration(out, nfa->within);
    }
    buf_printf(out, "\";\n    r%u_start [shape=point];\n", r);
    for (uint16_t i = 0; i < nfa->n_elements; i++)
        add_element(out, r, nfa, i);
    for (uint16_t to = 0; to <= start_reach(nfa); to++)
        add_edge(out, r, nfa, -1, to);
    for (uint16_t i = 0; i < nfa->n_lead_nots; i++)
        add_not(out, r, nfa, "start", nfa->lead_not[i]);
    for (uint16_t i = 0; i < nfa->n_elements; i++) {
        for (uint16_t to = (uint16_t)(i + 1); i + 1 < nfa->n_elements && to <= nfa->element[i].reach; to++)
            add_edge(out, r, nfa, i, to);
        for (uint16_t k = 0; k < nfa->element[i].n_gap_nots; k++) {
            snprintf(from, sizeof from, "e%u", i);
            add_not(out, r, nfa, from, nfa->element[i].gap_not[k]);
        }
    }
    for (uint16_t i = 0; i < nfa->n_trail_nots; i++) {
        snprintf(from, sizeof from, "e%u", nfa->n_elements - 1u);
        add_not(out, r, nfa, from, nfa->trail_not[i]);
    }
    if (nfa->until != NFA_NONE) {
        buf_printf(out, "    r%u_until [label=\"until ", r);
        add_text(out, nfa->step[nfa->until].name);
        buf_adds(out, "\", shape=octagon];\n");
    }
    buf_adds(out, "  }\n");
}
