// SPDX-License-Identifier: Apache-2.0
/*
 * matcher_lead - `not x: ...` before the first element: no such event in [t - reach, t), nor at t
 * earlier in the order. A key remembers its newest x, or, when the condition reads the first step,
 * all x of the reach.
 */
#include "base/mem.h"
#include "engine/matcher_priv.h"
#include "event/event.h"

static int64_t reach_of(const struct nfa *nfa, uint16_t step)
{
    return nfa->step[step].within >= 0 ? nfa->step[step].within : nfa->within;
}

bool lead_forbids(struct engine *en, const struct offer *of, const struct run *run)
{
    const struct nfa *nfa = of->part->rs->rule->nfa;
    for (uint16_t k = 0; k < nfa->n_lead_nots; k++) {
        const struct nfa_step *st = &nfa->step[nfa->lead_not[k]];
        const struct lead_memory *memory = &of->part->lead[k];
        int64_t from = time_minus(run->start_time, reach_of(nfa, st->number));
        if (!memory->seen || memory->newest < from)
            continue;
        if (st->cross == NULL)
            return true;
        for (size_t i = memory->n; i-- > memory->first && memory->ev[i]->time >= from;) {
            if (cross_holds(en, st->cross, memory->ev[i], 0, run, of->part))
                return true;
        }
    }
    return false;
}

static void drop_oldest(struct rule_state *rs, struct lead_memory *memory)
{
    struct event *ev = memory->ev[memory->first++];
    rs->stats.bytes -= run_event_bytes(ev) + sizeof ev;
    event_unref(ev);
}

static void remember_event(struct engine *en, const struct offer *of, struct lead_memory *memory,
                           int64_t reach)
{
    struct rule_state *rs = of->part->rs;
    while (memory->first < memory->n && memory->ev[memory->first]->time < time_minus(of->ev->time, reach))
        drop_oldest(rs, memory);
    if (memory->n - memory->first >= rs->rule->limits.events) {
        rs->stats.limited_events++;
        drop_oldest(rs, memory);
    }
    if (memory->first > 64 && memory->first * 2 > memory->n) {
        for (size_t i = memory->first; i < memory->n; i++)
            memory->ev[i - memory->first] = memory->ev[i];
        memory->n -= memory->first;
        memory->first = 0;
    }
    memory->ev = vec_reserve(memory->ev, &memory->cap, memory->n + 1, sizeof *memory->ev);
    memory->ev[memory->n++] = event_ref(engine_kept(en));
    rs->stats.bytes += run_event_bytes(memory->ev[memory->n - 1]) + sizeof *memory->ev;
}

void lead_remember(struct engine *en, const struct offer *of)
{
    struct partition *part = of->part;
    const struct nfa *nfa = part->rs->rule->nfa;
    for (uint16_t k = 0; k < nfa->n_lead_nots; k++) {
        const struct nfa_step *st = &nfa->step[nfa->lead_not[k]];
        if (!(of->fits & step_bit(st->number)))
            continue;
        part->lead[k].seen = true;
        part->lead[k].newest = of->ev->time;
        if (st->cross != NULL)
            remember_event(en, of, &part->lead[k], reach_of(nfa, st->number));
        deadline_set(&en->heap, &part->rs->lead, &part->lead_due,
                     time_plus(of->ev->time, part->rs->lead.delay));
    }
}

/* The queue's delay is the longest reach, so everything remembered is past its own. */
void matcher_lead_due(struct engine *en, struct partition *part)
{
    deadline_clear(&en->heap, &part->lead_due);
    for (uint16_t k = 0; k < part->rs->rule->nfa->n_lead_nots; k++) {
        struct lead_memory *memory = &part->lead[k];
        while (memory->first < memory->n)
            drop_oldest(part->rs, memory);
        memory->first = memory->n = 0;
        memory->seen = false;
    }
}

bool lead_cold(const struct engine *en, const struct rule_state *rs, int64_t start_time)
{
    const struct nfa *nfa = rs->rule->nfa;
    int64_t since = rs->since > en->since ? rs->since : en->since;
    for (uint16_t k = 0; k < nfa->n_lead_nots; k++) {
        if (time_minus(start_time, reach_of(nfa, nfa->lead_not[k])) < since)
            return true;
    }
    return false;
}
