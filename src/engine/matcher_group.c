// SPDX-License-Identifier: Apache-2.0
/*
 * matcher_group - `all { ... }` and `all k { ... }`: each event goes to the first listed open step
 * that it fits; when it fits only filled ones, bound events change places if that makes room (an
 * augmenting path in a bipartite graph of events and places; Kuhn 1955).
 *
 * In a group whose steps refer to each other (el->crossed) nothing changes places, and a condition
 * is judged when the last of the steps that it reads is bound.
 */
#include "engine/matcher_priv.h"
#include "event/event.h"

static bool step_open(const struct nfa *nfa, const struct run *run, uint16_t step)
{
    return run->bound[step].count < nfa->step[step].min;
}

bool group_full(const struct nfa *nfa, const struct nfa_element *el, const struct run *run)
{
    uint16_t filled = 0;
    for (uint16_t k = 0; k < el->n_steps; k++)
        filled += !step_open(nfa, run, el->first_step + k);
    return filled >= el->need;
}

bool group_same_fill(const struct nfa_element *el, const struct run *a, const struct run *b)
{
    for (uint16_t k = 0; k < el->n_steps; k++) {
        if (a->bound[el->first_step + k].count != b->bound[el->first_step + k].count)
            return false;
    }
    return true;
}

static uint64_t group_bits(const struct nfa_element *el)
{
    uint64_t bits = 0;
    for (uint16_t k = 0; k < el->n_steps; k++)
        bits |= step_bit(el->first_step + k);
    return bits;
}

/* Which steps of the group has the run bound? */
static uint64_t bound_bits(const struct nfa_element *el, const struct run *run)
{
    uint64_t bits = 0;
    for (uint16_t k = 0; run != NULL && k < el->n_steps; k++) {
        if (run->bound[el->first_step + k].last != NULL)
            bits |= step_bit(el->first_step + k);
    }
    return bits;
}

static bool within_fits(const struct nfa_step *st, const struct offer *of, const struct run *run)
{
    return st->within < 0 || run == NULL || of->ev->time <= time_plus(run_last_time(run), st->within);
}

/* The step's own conditions, those that read group steps not bound yet left for later. */
static bool own_conditions(struct engine *en, const struct offer *of, const struct run *run,
                           const struct nfa_element *el, const struct nfa_step *st)
{
    uint64_t open = group_bits(el) & ~bound_bits(el, run) & ~step_bit(st->number);
    for (uint32_t c = 0; c < st->n_conjuncts; c++) {
        if ((st->conjunct[c].steps & open) == 0 &&
            !cross_holds(en, st->conjunct[c].code, of->ev, of->stream[st->number], run, of->part))
            return false;
    }
    return true;
}

/* With the event bound to `step`: the conditions of the others that waited for it. */
static bool others_conditions(struct engine *en, const struct offer *of, const struct run *run,
                              const struct nfa_element *el, uint16_t step)
{
    const struct nfa *nfa = of->part->rs->rule->nfa;
    uint64_t open = group_bits(el) & ~bound_bits(el, run);
    for (uint16_t k = 0; k < el->n_steps; k++) {
        const struct nfa_step *st = &nfa->step[el->first_step + k];
        if (st->number == step)
            continue;
        for (uint32_t c = 0; c < st->n_conjuncts; c++) {
            const struct nfa_conjunct *co = &st->conjunct[c];
            if (!(co->steps & step_bit(step)) || (co->steps & open) != 0)
                continue;
            for (const struct bind *b = run->bound[st->number].last; b != NULL; b = b->prev) {
                if (!cross_holds(en, co->code, b->ev, b->stream, run, of->part))
                    return false;
            }
        }
    }
    return true;
}

static bool group_step_fits(struct engine *en, const struct offer *of, const struct run *run,
                            const struct nfa_element *el, uint16_t step)
{
    if (!el->crossed)
        return step_fits(en, of, run, step);
    const struct nfa_step *st = &of->part->rs->rule->nfa->step[step];
    return (of->fits & step_bit(step)) && within_fits(st, of, run) &&
           own_conditions(en, of, run, el, st);
}

uint16_t group_enter(struct engine *en, const struct offer *of, const struct run *run,
                     const struct nfa_element *el)
{
    for (uint16_t k = 0; k < el->n_steps; k++) {
        if (group_step_fits(en, of, run, el, el->first_step + k))
            return el->first_step + k;
    }
    return NO_STEP;
}

uint64_t group_fits(struct engine *en, const struct offer *of, const struct run *run,
                    const struct nfa_element *el)
{
    uint64_t fits = 0;
    for (uint16_t k = 0; k < el->n_steps && !el->crossed; k++) {
        if (step_fits(en, of, run, el->first_step + k))
            fits |= step_bit(el->first_step + k);
    }
    return fits;
}

/* Chains are newest first, by seq. */
static void chain_in(struct run *run, uint16_t step, struct run_bind *bind)
{
    const struct bind **at = &run->bound[step].last;
    while (*at != NULL && ((const struct run_bind *)*at)->seq > bind->seq)
        at = &((struct run_bind *)(uintptr_t)*at)->base.prev;
    bind->base.prev = *at;
    *at = &bind->base;
    run->bound[step].count++;
}

static void chain_out(struct run *run, uint16_t step, struct run_bind *bind)
{
    const struct bind **at = &run->bound[step].last;
    while (*at != &bind->base)
        at = &((struct run_bind *)(uintptr_t)*at)->base.prev;
    *at = bind->base.prev;
    run->bound[step].count--;
}

static struct run_bind *chain_at(const struct run *run, uint16_t step, uint32_t from_oldest)
{
    const struct bind *b = run->bound[step].last;
    for (uint32_t i = run->bound[step].count - 1; i > from_oldest; i--)
        b = b->prev;
    return (struct run_bind *)(uintptr_t)b;
}

/*
 * Finds a place for a bind that is in no chain: the first listed open step that it fits, else one
 * of a filled step moves along, oldest first, depth first; each step is tried once.
 */
static bool find_place(const struct nfa *nfa, const struct nfa_element *el, struct run *run,
                       struct run_bind *bind, uint64_t *tried)
{
    for (uint16_t k = 0; k < el->n_steps; k++) {
        uint16_t step = el->first_step + k;
        if ((bind->fits & ~*tried & step_bit(step)) && step_open(nfa, run, step)) {
            chain_in(run, step, bind);
            return true;
        }
    }
    for (uint16_t k = 0; k < el->n_steps; k++) {
        uint16_t step = el->first_step + k;
        if (!(bind->fits & step_bit(step)) || (*tried & step_bit(step)))
            continue;
        *tried |= step_bit(step);
        for (uint32_t i = 0; i < nfa->step[step].min; i++) {
            struct run_bind *other = chain_at(run, step, i);
            chain_out(run, step, other);
            if (find_place(nfa, el, run, other, tried)) {
                chain_in(run, step, bind);
                return true;
            }
            chain_in(run, step, other);
        }
    }
    return false;
}

static bool change_places(struct engine *en, const struct offer *of, struct run *run,
                          const struct nfa_element *el, uint64_t fits)
{
    const struct nfa *nfa = of->part->rs->rule->nfa;
    uint16_t step = (uint16_t)__builtin_ctzll(fits);
    const struct run_bind *last = run->last;
    uint64_t last_seq = run->last_seq, tried = 0;
    struct run_bind *bind = run_bind(en, run, step, engine_kept(en), of->stream[step], of->seq,
                                     fits);
    chain_out(run, step, bind);
    if (find_place(nfa, el, run, bind, &tried))
        return true;
    chain_in(run, step, bind);
    run_unbind(en, run, step);
    run->last = last;
    run->last_seq = last_seq;
    return false;
}

static bool take_crossed(struct engine *en, const struct offer *of, struct run *run,
                         const struct nfa_element *el)
{
    const struct nfa *nfa = of->part->rs->rule->nfa;
    for (uint16_t k = 0; k < el->n_steps; k++) {
        uint16_t step = el->first_step + k;
        if (!step_open(nfa, run, step) || !group_step_fits(en, of, run, el, step))
            continue;
        const struct run_bind *last = run->last;
        uint64_t last_seq = run->last_seq;
        run_bind(en, run, step, engine_kept(en), of->stream[step], of->seq, 0);
        if (others_conditions(en, of, run, el, step))
            return true;
        run_unbind(en, run, step);
        run->last = last;
        run->last_seq = last_seq;
    }
    return false;
}

bool group_take(struct engine *en, const struct offer *of, struct run *run,
                const struct nfa_element *el)
{
    const struct nfa *nfa = of->part->rs->rule->nfa;
    if (el->crossed)
        return take_crossed(en, of, run, el);
    uint64_t fits = group_fits(en, of, run, el);
    for (uint16_t k = 0; k < el->n_steps; k++) {
        uint16_t step = el->first_step + k;
        if ((fits & step_bit(step)) && step_open(nfa, run, step)) {
            run_bind(en, run, step, engine_kept(en), of->stream[step], of->seq, fits);
            return true;
        }
    }
    return fits != 0 && change_places(en, of, run, el, fits);
}
