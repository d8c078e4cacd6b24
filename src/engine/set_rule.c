// SPDX-License-Identifier: Apache-2.0
/*
 * set_rule - may a rule be matched by sets, and what is the same for all its events: bit sets of
 * steps, how many events an element takes, how long who stands there waits.
 *
 * `limit events n per run` ends no run; a run that holds n takes no more where it stands. Runs in a
 * loop hold the same number of events before it only if all elements before it are of fixed size:
 * else they stop at different counts, and the rule is matched run by run.
 */
#include "base/hash.h"
#include "base/mem.h"
#include "engine/set_priv.h"

static uint32_t sum(uint32_t a, uint32_t b)
{
    uint32_t c;
    return __builtin_add_overflow(a, b, &c) ? UINT32_MAX : c;
}

/* How many events each element takes. False: that is not the same for all runs. */
static bool find_caps(struct set_rule *rule, const struct rule_state *rs)
{
    const struct nfa *nfa = rs->rule->nfa;
    uint64_t limit = rs->rule->limits.events;
    uint32_t fewest = 0, most = 0; /* events bound before the element */
    for (uint16_t i = 0; i < nfa->n_elements; i++) {
        const struct nfa_element *el = &nfa->element[i];
        uint32_t cap = el->max;
        if (el->kind == NFA_ALL)
            return false;
        if (el->max > 1 && (uint64_t)most + el->max > limit) {
            if (fewest != most)
                return false;
            uint64_t left = limit > fewest + UINT64_C(1) ? limit - fewest : 1;
            cap = left < el->max ? (uint32_t)left : el->max;
            if (el->min > cap)
                return false;
        }
        rule->element[i].cap = cap;
        rule->element[i].capped = cap < el->max;
        fewest = sum(fewest, el->min);
        most = sum(most, cap);
    }
    return true;
}

static uint64_t gap_bits(const struct nfa_element *el)
{
    uint64_t bits = 0;
    for (uint16_t k = 0; k < el->n_gap_nots; k++)
        bits |= step_bit(el->gap_not[k]);
    return bits;
}

/* How long after their last event runs of the group die if nothing comes, as run_deadlines has it:
 * the longest `within` of the steps that could take; -1: one has none. */
static int64_t longest_wait(const struct nfa *nfa, uint16_t i, enum set_group group)
{
    uint16_t from = group == SET_STILL ? i + 1 : i;
    uint16_t to = group == SET_FILLING ? i : nfa->element[i].reach;
    int64_t longest = -1;
    for (uint16_t j = from; j <= to; j++) {
        for (uint16_t k = 0; k < nfa->element[j].n_steps; k++) {
            int64_t within = nfa->step[nfa->element[j].first_step + k].within;
            if (within < 0)
                return -1;
            longest = within > longest ? within : longest;
        }
    }
    return longest;
}

static void find_queues(struct set_rule *rule, const struct rule_state *rs, uint16_t i)
{
    for (int g = 0; g < SET_GROUPS; g++) {
        int64_t delay = longest_wait(rs->rule->nfa, i, (enum set_group)g);
        for (uint32_t k = 0; k < rs->n_waits && delay >= 0; k++) {
            if (rs->wait[k].delay == delay)
                rule->element[i].wait[g] = g == SET_READY || g == SET_FILLING
                                               ? &rule->set_wait[k] : &rule->item_wait[k];
        }
    }
}

static void build_element(struct set_rule *rule, const struct rule_state *rs, uint16_t i)
{
    const struct nfa *nfa = rs->rule->nfa;
    const struct nfa_element *el = &nfa->element[i];
    struct set_element *se = &rule->element[i];
    se->own = el->kind == NFA_STEP && el->max > 1 ? step_bit(el->first_step) : 0;
    se->gap = gap_bits(el);
    se->min = el->min;
    se->within = el->kind == NFA_STEP ? nfa->step[el->first_step].within : -1;
    se->log = se->cap > 1;
    se->is_last = i + 1 == nfa->n_elements;
    se->next_here = el->is_next;
    se->next_then = !se->is_last && nfa->element[i + 1].is_next;
    find_queues(rule, rs, i);
}

uint32_t set_rule_layout(const struct rule_state *rs)
{
    const struct nfa *nfa = rs->rule->nfa;
    uint64_t hash = hash_mix((uint64_t)nfa->within, rs->rule->limits.events);
    for (uint16_t s = 0; s < nfa->n_steps; s++)
        hash = hash_mix((uint64_t)nfa->step[s].within, hash);
    for (uint16_t i = 0; i < nfa->n_elements; i++) {
        hash = hash_mix(nfa->element[i].min, hash);
        hash = hash_mix(nfa->element[i].max, hash);
        hash = hash_mix(nfa->element[i].is_next, hash);
    }
    return (uint32_t)hash | 1;
}

struct set_rule *set_rule_new(struct engine *en, struct rule_state *rs)
{
    const struct nfa *nfa = rs->rule->nfa;
    if (!nfa->use_sets)
        return NULL;
    struct set_rule *rule = mem_calloc(1, sizeof *rule + nfa->n_elements * sizeof rule->element[0]);
    if (!find_caps(rule, rs)) {
        mem_free(rule);
        return NULL;
    }
    rule->en = en;
    rule->run_bytes = run_bytes(rs);
    deadline_queue_init(&en->heap, &rule->life, DEADLINE_LEAF, nfa->within, rs);
    rule->set_wait = mem_calloc(rs->n_waits + 1, sizeof *rule->set_wait);
    rule->item_wait = mem_calloc(rs->n_waits + 1, sizeof *rule->item_wait);
    for (uint32_t k = 0; k < rs->n_waits; k++) {
        int64_t delay = rs->wait[k].delay;
        deadline_queue_init(&en->heap, &rule->set_wait[k], DEADLINE_SET, delay, rs);
        deadline_queue_init(&en->heap, &rule->item_wait[k], DEADLINE_SET_ITEM, delay, rs);
    }
    for (uint16_t i = 0; i < nfa->n_elements; i++)
        build_element(rule, rs, i);
    for (uint16_t k = 0; k < nfa->n_trail_nots; k++)
        rule->ghosts |= nfa->step[nfa->trail_not[k]].within < 0;
    return rule;
}

void set_rule_free(struct set_rule **rule)
{
    if (*rule == NULL)
        return;
    mem_free((*rule)->set_wait);
    mem_free((*rule)->item_wait);
    mem_free((*rule)->scratch.bind);
    mem_free(*rule);
    *rule = NULL;
}

size_t set_part_size(const struct rule_state *rs)
{
    return sizeof(struct set_part) + rs->rule->nfa->n_elements * sizeof(struct set_stand);
}
