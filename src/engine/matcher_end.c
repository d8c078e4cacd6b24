// SPDX-License-Identifier: Apache-2.0
/*
 * matcher_end - completion: what waits for trailing `not`s, which completed runs are matches, and
 * what `select` and `until` end.
 *
 *   settle -> done -> done_finish --no trailing not--> match
 *                         \--trailing not--> waiting --deadline--> matcher_run_due -> match
 *                                               \--x, `until`, another's match--> ended
 */
#include <stdlib.h>

#include "base/mem.h"
#include "engine/matcher_priv.h"
#include "engine/set.h"
#include "event/event.h"

void done_add(struct done *done, struct run *run)
{
    done->run = vec_reserve(done->run, &done->cap, done->n + 1, sizeof *done->run);
    done->run[done->n++] = run;
}

static int by_start(const void *a, const void *b)
{
    const struct run *x = *(struct run *const *)a, *y = *(struct run *const *)b;
    return x->start_seq < y->start_seq ? -1 : x->start_seq > y->start_seq;
}

/* The reach of a trailing `not` of a waiting run: its own `within` after the last event, else as long as
 * the run would have lived. */
static int64_t trail_end(const struct nfa *nfa, const struct run *run, uint16_t step)
{
    int64_t within = nfa->step[step].within;
    return within >= 0 ? time_plus(run_last_time(run), within)
                       : run->wait->life_at;
}

/* Takeable steps of a run that all have a `within` of their own: the run dies when the longest of
 * them has passed, and need not wait for its life to end. -1: some step has none. */
static int64_t longest_wait(const struct nfa *nfa, const struct run *run)
{
    uint16_t from = run->element, to = element_has_min(nfa, run) ? nfa->element[from].reach : from;
    int64_t longest = -1;
    for (uint16_t j = from; j <= to; j++) {
        const struct nfa_element *el = &nfa->element[j];
        if (j == from && to > from && run->count >= el->max)
            continue;
        for (uint16_t k = 0; k < el->n_steps; k++) {
            int64_t within = nfa->step[el->first_step + k].within;
            if (within < 0)
                return -1;
            longest = within > longest ? within : longest;
        }
    }
    return longest;
}

/* The queue of a delay; NULL: no step has it. */
static struct deadline_queue *wait_queue(struct rule_state *rs, int64_t delay)
{
    for (uint32_t i = 0; i < rs->n_waits; i++) {
        if (rs->wait[i].delay == delay)
            return &rs->wait[i];
    }
    return NULL;
}

/* When the longest of its trailing `not`s has passed, and the delay that it was set with (-1: the
 * run's life). */
static int64_t longest_trail(const struct nfa *nfa, const struct run *run, int64_t *delay_out)
{
    int64_t end = INT64_MIN;
    for (uint16_t k = 0; k < nfa->n_trail_nots; k++) {
        int64_t own = trail_end(nfa, run, nfa->trail_not[k]);
        if (own >= end) {
            end = own;
            *delay_out = nfa->step[nfa->trail_not[k]].within;
        }
    }
    return end;
}

static void start_waiting(struct engine *en, struct run *run)
{
    int64_t delay;
    const struct nfa *nfa = run->part->rs->rule->nfa;
    run->waiting = true;
    run->wait->life_at = run->life.queue != NULL ? run->life.due
                                                 : time_plus(run->start_time, nfa->within);
    run->wait->told_at = longest_trail(nfa, run, &delay);
    run_stand(run, &run->part->waiting);
    if (delay < 0) { /* its life ends then: that deadline is set already */
        deadline_clear(&en->heap, &run->wait->due);
        if (run->life.queue == NULL && run->part->sets == NULL) /* begun when the rule had no `within` */
            deadline_set(&en->heap, &run->part->rs->life, &run->life, run->wait->told_at);
        return;
    }
    deadline_clear(&en->heap, &run->life);
    deadline_set(&en->heap, wait_queue(run->part->rs, delay), &run->wait->due, run->wait->told_at);
}

struct run_deadlines run_deadlines(const struct run *run)
{
    struct rule_state *rs = run->part->rs;
    const struct nfa *nfa = rs->rule->nfa;
    struct run_deadlines due = {0};
    int64_t delay = -1;
    if (nfa->within >= 0) {
        due.life = &rs->life;
        due.life_at = time_plus(run->start_time, nfa->within);
    }
    if (run->waiting) {
        due.wait_at = longest_trail(nfa, run, &delay);
        if (delay >= 0)
            due.life = NULL;
    } else if (rs->n_waits > 0 && (delay = longest_wait(nfa, run)) >= 0) {
        due.wait_at = time_plus(run_last_time(run), delay);
    }
    due.wait = delay >= 0 ? wait_queue(rs, delay) : NULL;
    return due;
}

/* Does a match end this run? It began at or before the match's last event and agrees in the links. */
static bool is_ended_by(const struct nfa *nfa, const struct run *run, const struct run *match)
{
    return run->start_seq <= match->last_seq && link_agree(nfa, run, match);
}

static void end_list(struct engine *en, struct run_list *list, const struct run *match,
                     uint16_t element)
{
    const struct nfa *nfa = match->part->rs->rule->nfa;
    for (uint16_t l = 0; list->links != NULL && l < nfa->n_links; l++) {
        struct value v = link_value(nfa, match, l);
        if (value_is_missing(v) || nfa->step[nfa->link[l].from_step].element > element)
            continue;
        struct run_found found = {0};
        link_table_find(list, l, v, &found);
        for (size_t i = 0; i < found.n; i++) {
            if (found.run[i]->list == list && is_ended_by(nfa, found.run[i], match))
                run_end(en, found.run[i]);
        }
        mem_free(found.run);
        return;
    }
    for (struct run *run = list->first, *next; run != NULL; run = next) {
        next = run->next;
        if (is_ended_by(nfa, run, match))
            run_end(en, run);
    }
}

/* `first`: all open runs of the key that a match ends; `done` are completed ones, in no list. */
static void end_others(struct engine *en, struct partition *part, const struct run *match,
                       struct done *done)
{
    const struct nfa *nfa = part->rs->rule->nfa;
    for (uint16_t i = 0; i < nfa->n_elements; i++)
        end_list(en, &part->at[i], match, i);
    end_list(en, &part->waiting, match, nfa->n_elements);
    if (part->sets != NULL)
        set_end_before(en, part, match->last_seq);
    for (size_t i = 0; i < done->n; i++) {
        struct run *run = done->run[i];
        /* Of those that complete together the earliest start is the match: the others end, also when
         * they began behind its last event (two deadlines at one time). */
        if (run != NULL && run != match && link_agree(nfa, run, match)) {
            run_end(en, run);
            done->run[i] = NULL;
        }
    }
}

static void tell_done(struct engine *en, struct partition *part, struct done *done, int64_t time,
                      int64_t deadline)
{
    qsort(done->run, done->n, sizeof *done->run, by_start);
    for (size_t i = 0; i < done->n; i++) {
        struct run *run = done->run[i];
        if (run == NULL)
            continue;
        run_detach(en, run);
        done->run[i] = NULL;
        if (part->rs->rule->nfa->select == SELECT_FIRST)
            end_others(en, part, run, done);
        engine_match(en, part, run, time, deadline);
    }
}

void done_finish(struct engine *en, struct partition *part, struct done *done, int64_t time,
                 int64_t deadline)
{
    if (done->n == 0)
        return;
    if (part->rs->rule->nfa->n_trail_nots == 0 || deadline != INT64_MIN) {
        tell_done(en, part, done, time, deadline);
    } else {
        qsort(done->run, done->n, sizeof *done->run, by_start);
        for (size_t i = 0; i < done->n; i++)
            start_waiting(en, done->run[i]);
    }
    mem_free(done->run);
    *done = (struct done){0};
}

/* Does the event, which fits the trailing `not` or the `until`, end this run? */
static bool ends_run(struct engine *en, const struct offer *of, const struct nfa_step *st,
                     const struct run *run)
{
    const struct nfa *nfa = of->part->rs->rule->nfa;
    if (!st->is_until && of->ev->time > trail_end(nfa, run, st->number))
        return false;
    return st->cross == NULL ||
           cross_holds(en, st->cross, of->ev, of->stream[st->number], run, of->part);
}

/* A link of the step whose other side runs at the element have bound; NFA_NONE. */
static uint16_t ending_link(const struct nfa *nfa, const struct nfa_step *st, uint16_t element)
{
    for (uint32_t k = 0; k < st->n_links; k++) {
        if (nfa->step[nfa->link[st->link[k]].from_step].element <= element)
            return st->link[k];
    }
    return NFA_NONE;
}

/* By value where there is a link: at 10^5 open runs one event else took 3 ms. */
static void end_fitting(struct engine *en, const struct offer *of, const struct nfa_step *st,
                        struct run_list *list, uint16_t element)
{
    const struct nfa *nfa = of->part->rs->rule->nfa;
    uint16_t link = list->links != NULL ? ending_link(nfa, st, element) : NFA_NONE;
    if (link == NFA_NONE) {
        for (struct run *run = list->first, *next; run != NULL; run = next) {
            next = run->next;
            if (ends_run(en, of, st, run))
                run_end(en, run);
        }
        return;
    }
    struct run_found found = {0};
    link_table_find(list, link, of->ev->slot[nfa->link[link].slot], &found);
    for (size_t i = 0; i < found.n; i++) {
        if (found.run[i]->list == list && ends_run(en, of, st, found.run[i]))
            run_end(en, found.run[i]);
    }
    mem_free(found.run);
}

/* A waiting match whose `not` the event fits, within that `not`'s own reach, is none. */
void waiting_apply(struct engine *en, const struct offer *of)
{
    const struct nfa *nfa = of->part->rs->rule->nfa;
    for (uint16_t k = 0; k < nfa->n_trail_nots; k++) {
        const struct nfa_step *st = &nfa->step[nfa->trail_not[k]];
        if ((of->fits & step_bit(st->number)) != 0)
            end_fitting(en, of, st, &of->part->waiting, nfa->n_elements);
    }
}

void until_apply(struct engine *en, const struct offer *of, uint16_t step)
{
    const struct nfa *nfa = of->part->rs->rule->nfa;
    for (uint16_t i = 0; i < nfa->n_elements; i++)
        end_fitting(en, of, &nfa->step[step], &of->part->at[i], i);
    end_fitting(en, of, &nfa->step[step], &of->part->waiting, nfa->n_elements);
    if (of->part->sets != NULL)
        set_end_all(en, of->part);
}

void waiting_due(struct engine *en, struct partition *part, int64_t time)
{
    struct done done = {0};
    for (struct run *each = part->waiting.first, *next; each != NULL; each = next) {
        next = each->next;
        if (each->wait->told_at != time)
            continue;
        run_detach(en, each);
        done_add(&done, each);
    }
    done_finish(en, part, &done, time, time);
}

void matcher_run_due(struct engine *en, struct run *run)
{
    run_look_ahead(run);
    if (run->waiting)
        waiting_due(en, run->part, run->wait->told_at);
    else
        run_end(en, run);
}
