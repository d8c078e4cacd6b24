// SPDX-License-Identifier: Apache-2.0
/*
 * matcher - one event against the open runs of one key. See matcher.h for the order of things and
 * plan/nfa.h for the edges.
 */
#include "engine/matcher.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/mem.h"
#include "engine/matcher_priv.h"
#include "engine/set.h"
#include "event/event.h"

/* ---- shape --------------------------------------------------------------------------------- */

static uint64_t element_steps(const struct nfa *nfa, uint16_t i)
{
    uint64_t steps = 0;
    for (uint16_t k = 0; k < nfa->element[i].n_steps; k++)
        steps |= step_bit(nfa->element[i].first_step + k);
    return steps;
}

static uint64_t list_steps(const uint16_t *step, uint16_t n)
{
    uint64_t steps = 0;
    for (uint16_t k = 0; k < n; k++)
        steps |= step_bit(step[k]);
    return steps;
}

struct match_shape *match_shape_new(const struct nfa *nfa)
{
    struct match_shape *shape = mem_calloc(1, sizeof *shape);
    uint16_t n = nfa->n_elements;
    if (n == 0)
        return shape;
    shape->relevant = mem_calloc(n, sizeof *shape->relevant);
    shape->under_next = mem_calloc(n, sizeof *shape->under_next);
    for (uint16_t i = 0; i < n; i++) {
        const struct nfa_element *el = &nfa->element[i];
        /* Its own steps concern a run only while it may take more of them: else each start would
         * visit all runs that started before it. */
        bool full = el->kind == NFA_ANY || (el->kind == NFA_STEP && el->max == 1);
        for (uint16_t j = full ? i + 1 : i; j <= el->reach; j++)
            shape->relevant[i] |= element_steps(nfa, j);
        shape->relevant[i] |= list_steps(el->gap_not, el->n_gap_nots);
        shape->under_next[i] = el->is_next || (i + 1 < n && nfa->element[i + 1].is_next);
    }
    while (shape->start_reach + 1 < n && nfa->element[shape->start_reach].min == 0)
        shape->start_reach++;
    for (uint16_t j = 0; j <= shape->start_reach; j++)
        shape->start |= element_steps(nfa, j);
    shape->lead = list_steps(nfa->lead_not, nfa->n_lead_nots);
    shape->trail = list_steps(nfa->trail_not, nfa->n_trail_nots);
    shape->until = nfa->until != NFA_NONE ? step_bit(nfa->until) : 0;
    return shape;
}

void match_shape_free(struct match_shape **shape)
{
    if (*shape == NULL)
        return;
    mem_free((*shape)->relevant);
    mem_free((*shape)->under_next);
    mem_free(*shape);
    *shape = NULL;
}

/* ---- does it fit? -------------------------------------------------------------------------- */

bool cross_holds(struct engine *en, const struct code *code, const struct event *ev,
                 uint16_t stream, const struct run *run, const struct partition *part)
{
    static const struct bound nothing[64];
    struct vm *vm = &en->vm;
    vm->ev = ev;
    vm->ev_stream = stream;
    vm->bound = run != NULL ? run->bound : nothing;
    vm->key = part->key;
    vm->counters = &part->rs->counters;
    return vm_test(vm, code);
}

bool step_fits(struct engine *en, const struct offer *of, const struct run *run, uint16_t step)
{
    if (!(of->fits & step_bit(step)))
        return false;
    const struct nfa_step *st = &of->part->rs->rule->nfa->step[step];
    if (st->within >= 0 && run != NULL && of->ev->time > time_plus(run_last_time(run), st->within))
        return false;
    return st->cross == NULL ||
           cross_holds(en, st->cross, of->ev, of->stream[step], run, of->part);
}

/* The step of element j that would take the event from a run which is not there yet; NO_STEP. */
static uint16_t element_enter(struct engine *en, const struct offer *of, const struct run *run,
                              uint16_t j)
{
    const struct nfa_element *el = &of->part->rs->rule->nfa->element[j];
    if (el->kind == NFA_ALL)
        return group_enter(en, of, run, el);
    for (uint16_t k = 0; k < el->n_steps; k++) {
        if (step_fits(en, of, run, el->first_step + k))
            return el->first_step + k;
    }
    return NO_STEP;
}

bool element_has_min(const struct nfa *nfa, const struct run *run)
{
    const struct nfa_element *el = &nfa->element[run->element];
    if (el->kind == NFA_ALL)
        return group_full(nfa, el, run);
    return run->count >= el->min;
}

/* ---- taking -------------------------------------------------------------------------------- */

static void set_wait(struct engine *en, struct run *run)
{
    if (run->part->rs->n_waits == 0)
        return;
    struct run_deadlines due = run_deadlines(run);
    if (due.wait != NULL)
        deadline_set(&en->heap, due.wait, &run->wait->due, due.wait_at);
    else
        deadline_clear(&en->heap, &run->wait->due);
}

static bool in_same_slot(const struct nfa *nfa, const struct run *a, const struct run *b)
{
    const struct nfa_element *el = &nfa->element[a->element];
    return el->kind == NFA_STEP ? a->count == b->count : group_same_fill(el, a, b);
}

/* `last`: does `other` have to make room for the run that arrived, or the other way round? Returns
 * false when the run itself was ended. */
static bool slot_contest(struct engine *en, struct run *run, struct run *other, uint64_t seq)
{
    const struct nfa *nfa = run->part->rs->rule->nfa;
    if (other == run || !in_same_slot(nfa, run, other) || !link_agree(nfa, run, other))
        return true;
    if (other->last_seq == seq && other->start_seq > run->start_seq) {
        run_end(en, run);
        return false;
    }
    run_end(en, other);
    return true;
}

static void slot_settle(struct engine *en, struct run *run, uint64_t seq)
{
    struct run_list *list = run->list;
    const struct nfa *nfa = run->part->rs->rule->nfa;
    if (list->links != NULL) {
        for (uint16_t l = 0; l < nfa->n_links; l++) {
            struct value v = link_value(nfa, run, l);
            if (value_is_missing(v))
                continue;
            struct run_found found = {0};
            bool stands = true;
            link_table_find(list, l, v, &found);
            for (size_t i = 0; i < found.n && stands; i++) {
                if (found.run[i]->list == list)
                    stands = slot_contest(en, run, found.run[i], seq);
            }
            mem_free(found.run);
            return;
        }
    }
    for (struct run *other = list->first, *next; other != NULL; other = next) {
        next = other->next;
        if (!slot_contest(en, run, other, seq))
            return;
    }
}

/* The run has taken the event: it completes, or stands at its element. */
static void settle(struct engine *en, const struct offer *of, struct run *run, struct done *done)
{
    const struct nfa *nfa = of->part->rs->rule->nfa;
    if (run->element + 1 == nfa->n_elements && element_has_min(nfa, run)) {
        run_leave(run);
        done_add(done, run);
        return;
    }
    set_wait(en, run);
    if (run->list == NULL)
        run_stand(run, &of->part->at[run->element]);
    if (nfa->select == SELECT_LAST)
        slot_settle(en, run, of->seq);
}

static void move_to(struct engine *en, const struct offer *of, struct run *run, uint16_t j,
                    uint16_t step, struct done *done)
{
    const struct nfa_element *el = &of->part->rs->rule->nfa->element[j];
    uint64_t fits = el->kind == NFA_ALL ? group_fits(en, of, run, el) : 0;
    run_leave(run);
    run_bind(en, run, step, engine_kept(en), of->stream[step], of->seq, fits);
    run->element = j;
    run->count = 1;
    settle(en, of, run, done);
}

/* Takes the event where the run stands, if it can. */
static bool take_here(struct engine *en, const struct offer *of, struct run *run,
                      struct done *done)
{
    struct rule_state *rs = of->part->rs;
    const struct nfa *nfa = rs->rule->nfa;
    const struct nfa_element *el = &nfa->element[run->element];
    struct run_list *list = run->list;
    bool full = el->kind == NFA_ALL ? group_full(nfa, el, run) : run->count >= el->max;
    if (full || el->kind == NFA_ANY)
        return false;
    if (el->kind == NFA_STEP && !step_fits(en, of, run, el->first_step))
        return false;
    if (run->total >= rs->rule->limits.events) {
        rs->stats.limited_events++;
        return true;
    }
    /* Linked values are those of the last event bound: file the run anew. */
    link_table_remove(list, nfa, run);
    bool took = true;
    if (el->kind == NFA_ALL)
        took = group_take(en, of, run, el);
    else
        run_bind(en, run, el->first_step, engine_kept(en), of->stream[el->first_step], of->seq, 0);
    link_table_add(list, nfa, run);
    if (!took)
        return false;
    run->count++;
    settle(en, of, run, done);
    return true;
}

static bool gap_forbids(struct engine *en, const struct offer *of, const struct run *run)
{
    const struct nfa *nfa = of->part->rs->rule->nfa;
    const struct nfa_element *el = &nfa->element[run->element];
    for (uint16_t k = 0; k < el->n_gap_nots; k++) {
        const struct nfa_step *st = &nfa->step[el->gap_not[k]];
        if ((of->fits & step_bit(st->number)) &&
            (st->cross == NULL || cross_holds(en, st->cross, of->ev, of->stream[st->number], run,
                                              of->part)))
            return true;
    }
    return false;
}

static bool under_next(const struct nfa *nfa, const struct run *run, bool has_min)
{
    uint16_t i = run->element;
    const struct nfa_element *el = &nfa->element[i];
    if (has_min && i + 1 < nfa->n_elements && nfa->element[i + 1].is_next)
        return true;
    bool full = el->kind == NFA_STEP ? run->count >= el->max : has_min;
    return el->is_next && !full;
}

/* Language section 3, "Offering event e to a run", 1 to 4. */
static void visit(struct engine *en, const struct offer *of, struct run *run, struct done *done)
{
    const struct nfa *nfa = of->part->rs->rule->nfa;
    if (run->visited == of->seq)
        return;
    run->visited = of->seq;
    bool has_min = element_has_min(nfa, run);
    uint16_t i = run->element;
    for (uint16_t j = nfa->element[i].reach; has_min && j > i; j--) {
        uint16_t step = element_enter(en, of, run, j);
        if (step != NO_STEP) {
            move_to(en, of, run, j, step, done);
            return;
        }
    }
    if (has_min && gap_forbids(en, of, run)) {
        run_end(en, run);
        return;
    }
    if (!take_here(en, of, run, done) && under_next(nfa, run, has_min))
        run_end(en, run);
}

/* ---- which runs does it concern? ------------------------------------------------------------ */

/* The link that finds the runs at element i which the step may concern; NFA_NONE. */
static uint16_t finding_link(const struct nfa *nfa, uint16_t i, uint16_t step)
{
    const struct nfa_step *st = &nfa->step[step];
    for (uint32_t k = 0; k < st->n_links; k++) {
        if (nfa->step[nfa->link[st->link[k]].from_step].element <= i)
            return st->link[k];
    }
    return NFA_NONE;
}

static void find_runs(const struct offer *of, uint16_t i, uint64_t steps, struct run_found *found)
{
    const struct nfa *nfa = of->part->rs->rule->nfa;
    const struct run_list *list = &of->part->at[i];
    bool by_link = list->links != NULL && !of->part->rs->shape->under_next[i];
    for (uint64_t bits = steps; bits != 0 && by_link; bits &= bits - 1)
        by_link = finding_link(nfa, i, (uint16_t)__builtin_ctzll(bits)) != NFA_NONE;
    if (!by_link) {
        for (struct run *run = list->first; run != NULL; run = run->next) {
            found->run = vec_reserve(found->run, &found->cap, found->n + 1, sizeof *found->run);
            found->run[found->n++] = run;
        }
        return;
    }
    for (uint64_t bits = steps; bits != 0; bits &= bits - 1) {
        uint16_t link = finding_link(nfa, i, (uint16_t)__builtin_ctzll(bits));
        link_table_find(list, link, of->ev->slot[nfa->link[link].slot], found);
    }
}

static int furthest_first(const void *a, const void *b)
{
    const struct run *x = *(struct run *const *)a, *y = *(struct run *const *)b;
    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    return x->start_seq < y->start_seq ? -1 : x->start_seq > y->start_seq;
}

static void walk_list(struct engine *en, const struct offer *of, uint16_t i, struct done *done)
{
    const struct nfa *nfa = of->part->rs->rule->nfa;
    struct run_list *list = &of->part->at[i];
    uint64_t steps = of->fits & of->part->rs->shape->relevant[i];
    if (list->first == NULL || (steps == 0 && !of->part->rs->shape->under_next[i]))
        return;
    if (nfa->select != SELECT_LAST && list->links == NULL) {
        for (struct run *run = list->first, *next; run != NULL; run = next) {
            next = run->next;
            visit(en, of, run, done);
        }
        return;
    }
    struct run_found found = {0};
    find_runs(of, i, steps, &found);
    if (nfa->select == SELECT_LAST && found.n > 1)
        qsort(found.run, found.n, sizeof *found.run, furthest_first);
    for (size_t k = 0; k < found.n; k++) {
        /* In `last` one that arrives ends another: what has left the list is not visited. */
        if (found.run[k]->list == list)
            visit(en, of, found.run[k], done);
    }
    mem_free(found.run);
}

/* ---- starting ------------------------------------------------------------------------------- */

bool matcher_make_room(struct engine *en, const struct offer *of)
{
    struct partition *part = of->part;
    struct rule_state *rs = part->rs;
    if (!suppress_make_room(en, rs)) {
        rs->stats.limited_state++;
        return false;
    }
    if (part->n_runs < rs->rule->limits.runs)
        return true;
    rs->stats.limited_runs++;
    if (rs->rule->nfa->select == SELECT_FIRST)
        return false;
    struct run *oldest = part->waiting.first;
    for (uint16_t i = 0; i < rs->rule->nfa->n_elements; i++) {
        struct run *run = part->at[i].first;
        if (run != NULL && (oldest == NULL || run->start_seq < oldest->start_seq))
            oldest = run;
    }
    if (part->sets != NULL && set_end_oldest(en, part, oldest))
        return true;
    if (oldest != NULL)
        run_end(en, oldest);
    return true;
}

static void start(struct engine *en, const struct offer *of, struct done *done)
{
    struct partition *part = of->part;
    struct rule_state *rs = part->rs;
    const struct nfa *nfa = rs->rule->nfa;
    uint16_t j = rs->shape->start_reach, step;
    while ((step = element_enter(en, of, NULL, j)) == NO_STEP) {
        if (j-- == 0)
            return;
    }
    const struct nfa_element *el = &nfa->element[j];
    uint64_t fits = el->kind == NFA_ALL ? group_fits(en, of, NULL, el) : 0;
    struct run *run = run_new(en, part);
    run->element = j;
    run->count = 1;
    run->start_time = of->ev->time;
    run->start_seq = run->visited = of->seq;
    run_bind(en, run, step, engine_kept(en), of->stream[step], of->seq, fits);
    /* Room is made for what starts, not for what a leading `not` forbids. */
    if ((nfa->n_lead_nots > 0 && lead_forbids(en, of, run)) || !matcher_make_room(en, of)) {
        run_free(en, run);
        return;
    }
    if (nfa->within >= 0)
        deadline_set(&en->heap, &rs->life, &run->life, time_plus(run->start_time, nfa->within));
    settle(en, of, run, done);
}

/* ---- one event ------------------------------------------------------------------------------ */

static void walk_runs(struct engine *en, const struct offer *of, struct done *done)
{
    for (uint16_t i = of->part->rs->rule->nfa->n_elements; i-- > 0;)
        walk_list(en, of, i, done);
    if ((of->fits & of->part->rs->shape->start) != 0 && !of->part->rs->draining)
        start(en, of, done);
}

bool matcher_begins(const struct rule_state *rs, uint64_t fits)
{
    return (fits & (rs->shape->start | rs->shape->lead)) != 0 && !rs->draining;
}

void matcher_advance(struct engine *en, const struct offer *of)
{
    const struct match_shape *shape = of->part->rs->shape;
    const struct nfa *nfa = of->part->rs->rule->nfa;
    struct done done = {0};
    if ((of->fits & shape->trail) != 0)
        waiting_apply(en, of);
    if (of->part->sets != NULL)
        set_walk(en, of, &done);
    else
        walk_runs(en, of, &done);
    done_finish(en, of->part, &done, of->ev->time, INT64_MIN);
    if ((of->fits & shape->until) != 0)
        until_apply(en, of, nfa->until);
    if ((of->fits & shape->lead) != 0 && !of->part->rs->draining)
        lead_remember(en, of);
}
