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
    for (uint16_t k = 0; k < el->n_gap_nots; k++) {
        if (el->gap_not[k] >= nfa->n_steps || !nfa->step[el->gap_not[k]].is_not)
            return fail(why_out, "a gap is watched by no `not`");
    }
    return true;
}

static bool step_ok(const struct nfa *nfa, uint16_t number, const char **why_out)
{
    const struct nfa_step *step = &nfa->step[number];
    if (step->number != number)
        return fail(why_out, "a step has another's number");
    if (step->is_not + step->is_until + (step->element != NFA_NONE) != 1)
        return fail(why_out, "a step is not exactly one of element, `not`, `until`");
    if ((step->cross == NULL) != (step->cross_steps == 0) && step->cross_steps != 0)
        return fail(why_out, "a step without cross conditions reads other steps");
    for (uint16_t other = 0; other < nfa->n_steps; other++) {
        if (!(step->cross_steps >> other & 1))
            continue;
        const struct nfa_step *read = &nfa->step[other];
        if (read->is_not || read->is_until)
            return fail(why_out, "a condition reads a `not` or an `until`");
        if (step->element != NFA_NONE && read->element > step->element)
            return fail(why_out, "a condition reads a later element");
    }
    for (uint32_t k = 0; k < step->n_links; k++) {
        if (step->link[k] >= nfa->n_links || nfa->link[step->link[k]].step != number)
            return fail(why_out, "a link belongs to another step");
    }
    return true;
}

static bool bounded(const struct nfa *nfa)
{
    if (nfa->within >= 0)
        return true;
    for (uint16_t s = 0; s < nfa->n_steps; s++) {
        const struct nfa_step *step = &nfa->step[s];
        bool first = step->element == 0 && nfa->element[0].max == 1 &&
                     nfa->element[0].kind != NFA_ALL;
        if (!first && !step->is_until && step->within < 0)
            return false;
    }
    return true;
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
    if (!bounded(nfa))
        return fail(why_out, "the state has no bound");
    return true;
}
