// SPDX-License-Identifier: Apache-2.0
/*
 * nfa - the validator: what nfa_build promises, checked after every pass, so that a wrong pass
 * aborts at compile time instead of matching wrongly.
 */
#include "plan/nfa.h"

const struct nfa nfa_none = {.until = NFA_NONE, .within = -1};

static bool fail(const char **why_out, const char *why)
{
    *why_out = why;
    return false;
}

static bool nots_ok(const struct nfa *nfa, const uint16_t *step, uint16_t n, uint16_t gap,
                    const char **why_out)
{
    for (uint16_t k = 0; k < n; k++) {
        if (step[k] >= nfa->n_steps || !nfa->step[step[k]].is_not || nfa->step[step[k]].gap != gap)
            return fail(why_out, "a gap is watched by no `not` of its own");
    }
    return true;
}

static bool element_ok(const struct nfa *nfa, uint16_t i, const char **why_out)
{
    const struct nfa_element *el = &nfa->element[i];
    bool is_last = i + 1 == nfa->n_elements;
    if (el->n_steps == 0 || (uint32_t)el->first_step + el->n_steps > nfa->n_steps)
        return fail(why_out, "an element has no steps");
    if (el->max < el->min || el->max == 0)
        return fail(why_out, "an element's maximum is below its minimum");
    if (is_last && el->min == 0)
        return fail(why_out, "the last element may be empty");
    if (el->kind != NFA_STEP && (el->min != 1 || el->max != 1))
        return fail(why_out, "a group is quantified");
    if (el->kind == NFA_ALL && (el->need == 0 || el->need > el->n_steps))
        return fail(why_out, "a group needs more steps than it has");
    if (!is_last && (el->reach <= i || el->reach >= nfa->n_elements))
        return fail(why_out, "an element reaches nothing");
    for (uint16_t j = i + 1; !is_last && j < el->reach; j++) {
        if (nfa->element[j].min > 0)
            return fail(why_out, "an element reaches over one that may not be empty");
    }
    for (uint16_t k = 0; k < el->n_steps; k++) {
        if (nfa->step[el->first_step + k].element != i)
            return fail(why_out, "a step belongs to another element");
    }
    return nots_ok(nfa, el->gap_not, el->n_gap_nots, i, why_out);
}

static bool step_ok(const struct nfa *nfa, uint16_t number, const char **why_out)
{
    const struct nfa_step *step = &nfa->step[number];
    if (step->number != number)
        return fail(why_out, "a step has another's number");
    if (step->is_not + step->is_until + (step->element != NFA_NONE) != 1)
        return fail(why_out, "a step is not exactly one of element, `not`, `until`");
    if (step->element != NFA_NONE && step->element >= nfa->n_elements)
        return fail(why_out, "a step belongs to no element");
    if (step->cross == NULL && step->cross_steps != 0)
        return fail(why_out, "a step without cross conditions reads other steps");
    for (uint16_t other = 0; other < 64; other++) {
        if (!(step->cross_steps >> other & 1))
            continue;
        if (other >= nfa->n_steps)
            return fail(why_out, "a condition reads a step that there is not");
        const struct nfa_step *read = &nfa->step[other];
        if (read->is_not || read->is_until)
            return fail(why_out, "a condition reads a `not` or an `until`");
        if (step->element != NFA_NONE && read->element > step->element)
            return fail(why_out, "a condition reads a later element");
        if (read->element == step->element && other != number &&
            nfa->element[step->element].kind != NFA_ALL)
            return fail(why_out, "a condition reads a step that is never bound with its own");
    }
    for (uint32_t k = 0; k < step->n_links; k++) {
        if (step->link[k] >= nfa->n_links || nfa->link[step->link[k]].step != number)
            return fail(why_out, "a link belongs to another step");
        uint16_t from = nfa->link[step->link[k]].from_step;
        if (from >= nfa->n_steps || !(step->cross_steps >> from & 1))
            return fail(why_out, "a link is with a step that no condition reads");
    }
    return true;
}

/* Can a run that stands at the first element wait for more events of it? */
static bool takes_several(const struct nfa *nfa)
{
    const struct nfa_element *el = &nfa->element[0];
    if (el->kind != NFA_ALL)
        return el->max > 1;
    return el->need > 1 || el->n_steps > el->need || nfa->step[el->first_step].max > 1;
}

/* A `not` between two elements needs no `within`: it ends when the one behind it begins. */
static bool bounded(const struct nfa *nfa)
{
    if (nfa->within >= 0)
        return true;
    for (uint16_t s = 0; s < nfa->n_steps; s++) {
        const struct nfa_step *step = &nfa->step[s];
        bool first = step->element == 0 && !takes_several(nfa);
        bool between = step->is_not && step->gap < nfa->n_elements - 1;
        if (!first && !between && !step->is_until && step->within < 0)
            return false;
    }
    return true;
}

static bool until_ok(const struct nfa *nfa, const char **why_out)
{
    for (uint16_t s = 0; s < nfa->n_steps; s++) {
        if (nfa->step[s].is_until != (s == nfa->until))
            return fail(why_out, "the `until` is another step");
    }
    return nfa->until == NFA_NONE || nfa->until < nfa->n_steps ||
           fail(why_out, "the `until` is another step");
}

bool nfa_validate(const struct nfa *nfa, const char **why_out)
{
    if (nfa->n_elements == 0)
        return fail(why_out, "no elements");
    for (uint16_t i = 0; i < nfa->n_elements; i++) {
        if (!element_ok(nfa, i, why_out))
            return false;
    }
    for (uint16_t s = 0; s < nfa->n_steps; s++) {
        if (!step_ok(nfa, s, why_out))
            return false;
    }
    if (!nots_ok(nfa, nfa->lead_not, nfa->n_lead_nots, NFA_NONE, why_out) ||
        !nots_ok(nfa, nfa->trail_not, nfa->n_trail_nots, nfa->n_elements - 1, why_out) ||
        !until_ok(nfa, why_out))
        return false;
    if (!bounded(nfa))
        return fail(why_out, "the state has no bound");
    return true;
}
