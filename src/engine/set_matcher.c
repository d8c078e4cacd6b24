// SPDX-License-Identifier: Apache-2.0
/*
 * set_matcher - one event against the sets of one key (language section 3, "Offering event e to a
 * run"), element by element from the last to the first, as matcher.c does it run by run:
 *
 *     1 move       STILL, CAPPED, READY to the furthest element and the first listed step that fits;
 *                  of those whose `within` has passed the others move on
 *     2 not        of the gap: ends what could have moved
 *     3 take       FILLING and READY: the event goes into the log; who has enough changes sets
 *     4 next       ends what took nothing
 *
 * then the start. An arrival stands in the set of its new element at once; that element has been
 * visited already, so nothing takes an event twice.
 */
#include "base/mem.h"
#include "engine/set_priv.h"
#include "event/event.h"

struct walk {
    struct engine *en;
    const struct offer *of;
    struct partition *part;
    const struct set_rule *rule;
    const struct nfa *nfa;
    struct set_stand *stand;  /* [n_elements] */
    struct run_set *completed;    /* loose; NULL: none */
    int64_t time;
};

/* A place that the event fits for runs that have their minimum. */
struct target {
    uint16_t element, step;
    int64_t within;
};

static bool is_past(const struct walk *w, int64_t last_time, int64_t within)
{
    return within >= 0 && w->time > time_plus(last_time, within);
}

static struct log_entry *new_entry(const struct walk *w, uint16_t step)
{
    return log_entry_new(w->en, step, engine_kept(w->en), w->of->stream[step], w->of->seq);
}

/* n runs bind it. */
static void charge(const struct walk *w, uint32_t n)
{
    w->part->rs->stats.bytes += n * set_bind_charge(engine_kept(w->en));
}

/* ---- arriving ------------------------------------------------------------------------------- */

/* Its last event is this one. */
static void schedule(const struct walk *w, uint16_t i, enum set_group group, struct set_item *item)
{
    struct deadline_queue *queue = w->rule->element[i].wait[group];
    if (queue == NULL)
        return;
    bool together = group == SET_READY || group == SET_FILLING;
    deadline_set(&w->en->heap, queue, together ? &item->set->wait : &item->wait,
                 time_plus(w->time, queue->delay));
}

static void stand(const struct walk *w, uint16_t i, enum set_group group, struct set_item *item)
{
    run_set_append(set_stand_get(w->en, w->part, i, group), item);
    schedule(w, i, group, item);
}

/* An item that is in no list takes the event at a step of element j and stands there. */
static void join(const struct walk *w, struct set_item *item, uint16_t j, uint16_t step)
{
    const struct set_element *el = &w->rule->element[j];
    struct set_log *log = &w->stand[j].log;
    charge(w, set_item_leaves(item));
    if (!el->log) {
        item->from = new_entry(w, step);
        item->n = 1;
        item->charge = set_bind_charge(item->from->ev);
        item->last_time = w->time;
        stand(w, j, el->capped ? SET_CAPPED : SET_STILL, item);
        return;
    }
    if (log->tail == NULL || log->tail->seq != w->of->seq)
        set_log_append(w->en, log, new_entry(w, step));
    item->from = log->tail;
    item->from->refs++;
    item->joined = log->n - 1;
    item->n = SET_OPEN;
    stand(w, j, el->is_last || el->min > 1 ? SET_FILLING : SET_READY, item);
}

static struct run_set *completed(struct walk *w)
{
    if (w->completed == NULL)
        w->completed = run_set_new(w->en, w->part, w->nfa->n_elements - 1, SET_LOOSE);
    return w->completed;
}

static bool completes(const struct walk *w, uint16_t j)
{
    return w->rule->element[j].is_last && w->rule->element[j].min == 1;
}

/* A detached set moves with the event. */
static void arrive(struct walk *w, struct run_set *set, const struct target *to)
{
    deadline_clear(&w->en->heap, &set->wait);
    struct set_item *item = set_item_new(w->en, set);
    if (!completes(w, to->element)) {
        join(w, item, to->element, to->step);
        return;
    }
    item->from = new_entry(w, to->step);
    item->n = 1;
    item->charge = set_bind_charge(item->from->ev);
    charge(w, set->n_leaves);
    set_uncount(w->part, set->n_leaves);
    run_set_append(completed(w), item);
}

/* ---- 1: moving ------------------------------------------------------------------------------ */

/* The places in the order in which a run prefers them, up to the first that all runs fit. */
static uint32_t find_targets(const struct walk *w, uint16_t i, struct target *to)
{
    uint32_t n = 0;
    for (uint16_t j = w->nfa->element[i].reach; j > i; j--) {
        const struct nfa_element *el = &w->nfa->element[j];
        for (uint16_t step = el->first_step; step < el->first_step + el->n_steps; step++) {
            if (!(w->of->fits & step_bit(step)))
                continue;
            to[n++] = (struct target){j, step, w->nfa->step[step].within};
            if (w->nfa->step[step].within < 0)
                return n;
        }
    }
    return n;
}

/* The items from `first` on, as a set of their own. The one that they were in keeps some. */
static struct run_set *split(const struct walk *w, struct set_item *first)
{
    struct run_set *from = first->set;
    struct run_set *to = run_set_new(w->en, w->part, from->element, SET_LOOSE);
    for (struct set_item *item = first, *next; item != NULL; item = next) {
        next = item->next;
        set_item_move(w->en, item, to);
    }
    return to;
}

/* Detaches the members for whose last event the `within` has not passed: the newest ones. */
static struct run_set *take_in_time(const struct walk *w, uint16_t i, enum set_group group,
                                int64_t within)
{
    struct run_set *set = w->stand[i].group[group];
    if (set == NULL)
        return NULL;
    int64_t oldest = group == SET_READY ? w->stand[i].log.tail->ev->time : set->first->last_time;
    if (!is_past(w, oldest, within)) {
        run_set_detach(w->en, set);
        return set;
    }
    if (group == SET_READY || is_past(w, set->last->last_time, within))
        return NULL;
    struct set_item *first = set->last;
    while (!is_past(w, first->prev->last_time, within))
        first = first->prev;
    return split(w, first);
}

/* Each place takes what is in time from the back; they arrive in their old order, front first. */
static void move_group(struct walk *w, uint16_t i, enum set_group group, const struct target *to,
                       uint32_t n)
{
    struct run_set *moved[64];
    for (uint32_t k = 0; k < n; k++)
        moved[k] = take_in_time(w, i, group, to[k].within);
    while (n-- > 0) {
        if (moved[n] != NULL)
            arrive(w, moved[n], &to[n]);
    }
}

static void move(struct walk *w, uint16_t i)
{
    struct target to[64];
    uint32_t n = find_targets(w, i, to);
    for (int g = SET_STILL; n > 0 && g <= SET_READY; g++)
        move_group(w, i, (enum set_group)g, to, n);
}

/* ---- 3: taking ------------------------------------------------------------------------------ */

static void end_group(const struct walk *w, uint16_t i, enum set_group group)
{
    if (w->stand[i].group[group] != NULL)
        run_set_end(w->en, w->stand[i].group[group]);
}

/* Those whose own `within` has passed take no more; under `next` the event ends them. */
static void retire(const struct walk *w, uint16_t i)
{
    const struct set_element *el = &w->rule->element[i];
    struct run_set **group = w->stand[i].group;
    bool next = el->next_here || el->next_then;
    while (group[SET_CAPPED] != NULL &&
           is_past(w, group[SET_CAPPED]->first->last_time, el->within)) {
        if (next)
            set_item_end(w->en, group[SET_CAPPED]->first);
        else
            set_item_move(w->en, group[SET_CAPPED]->first,
                          set_stand_get(w->en, w->part, i, SET_STILL));
    }
    if (group[SET_READY] == NULL || !is_past(w, w->stand[i].log.tail->ev->time, el->within))
        return;
    if (next)
        run_set_end(w->en, group[SET_READY]);
    else
        set_wrap_ready(w->en, w->part, i);
}

/* The item in front of FILLING or READY has all that it can take. */
static void close_front(struct walk *w, uint16_t i, struct set_item *item)
{
    const struct set_element *el = &w->rule->element[i];
    item->charge = set_item_charge(item);
    item->n = set_item_slice(item);
    item->last_time = w->time;
    if (el->is_last) {
        set_uncount(w->part, set_item_leaves(item));
        set_item_move(w->en, item, completed(w));
        return;
    }
    enum set_group group = el->capped ? SET_CAPPED : SET_STILL;
    set_item_move(w->en, item, set_stand_get(w->en, w->part, i, group));
    schedule(w, i, group, item);
}

/* With one event more, who is in front may have enough for the next set. */
static void promote(struct walk *w, uint16_t i)
{
    const struct set_element *el = &w->rule->element[i];
    struct run_set **group = w->stand[i].group;
    while (group[SET_READY] != NULL && set_item_count(group[SET_READY]->first) >= el->cap)
        close_front(w, i, group[SET_READY]->first);
    while (group[SET_FILLING] != NULL && set_item_count(group[SET_FILLING]->first) >= el->min) {
        struct set_item *item = group[SET_FILLING]->first;
        if (el->is_last || el->min >= el->cap)
            close_front(w, i, item);
        else
            set_item_move(w->en, item, set_stand_get(w->en, w->part, i, SET_READY));
    }
}

static void take(struct walk *w, uint16_t i)
{
    struct set_stand *at = &w->stand[i];
    retire(w, i);
    if (at->group[SET_CAPPED] != NULL)
        w->part->rs->stats.limited_events += at->group[SET_CAPPED]->n_leaves;
    if (at->group[SET_READY] == NULL && at->group[SET_FILLING] == NULL)
        return;
    set_log_append(w->en, &at->log, new_entry(w, w->nfa->element[i].first_step));
    for (int g = SET_READY; g <= SET_FILLING; g++) {
        if (at->group[g] == NULL)
            continue;
        at->group[g]->end = at->log.n;
        at->group[g]->end_charge = at->log.charge;
        charge(w, at->group[g]->n_leaves);
    }
    promote(w, i);
    for (int g = SET_READY; g <= SET_FILLING; g++) {
        if (at->group[g] != NULL)
            schedule(w, i, (enum set_group)g, at->group[g]->first);
    }
}

/* ---- one event ------------------------------------------------------------------------------ */

static bool stands_empty(const struct set_stand *at)
{
    return at->group[SET_STILL] == NULL && at->group[SET_CAPPED] == NULL &&
           at->group[SET_READY] == NULL && at->group[SET_FILLING] == NULL;
}

static void visit(struct walk *w, uint16_t i)
{
    const struct match_shape *shape = w->part->rs->shape;
    const struct set_element *el = &w->rule->element[i];
    uint64_t fits = w->of->fits;
    if (stands_empty(&w->stand[i]) || ((fits & shape->relevant[i]) == 0 && !shape->under_next[i]))
        return;
    move(w, i);
    if ((fits & el->gap) != 0) {
        for (int g = SET_STILL; g <= SET_READY; g++)
            end_group(w, i, (enum set_group)g);
    }
    if (el->next_then)
        end_group(w, i, SET_STILL);
    if ((fits & el->own) != 0) {
        take(w, i);
        return;
    }
    if (el->next_here || el->next_then) {
        end_group(w, i, SET_CAPPED);
        end_group(w, i, SET_READY);
    }
    if (el->next_here)
        end_group(w, i, SET_FILLING);
}

/* ---- starting ------------------------------------------------------------------------------- */

/* The step of the last element that the event fits as a start; NO_STEP. */
static uint16_t start_step(const struct walk *w)
{
    for (uint16_t j = w->part->rs->shape->start_reach + 1; j-- > 0;) {
        const struct nfa_element *el = &w->nfa->element[j];
        for (uint16_t step = el->first_step; step < el->first_step + el->n_steps; step++) {
            if (w->of->fits & step_bit(step))
                return step;
        }
    }
    return NO_STEP;
}

/* Room is made while the run is there already, as in the reference. */
static bool may_start(const struct walk *w)
{
    struct run begun = {.start_time = w->time};
    uint64_t bytes = w->rule->run_bytes + set_bind_charge(engine_kept(w->en));
    w->part->rs->stats.bytes += bytes;
    bool may = (w->nfa->n_lead_nots == 0 || !lead_forbids(w->en, w->of, &begun)) &&
               matcher_make_room(w->en, w->of);
    w->part->rs->stats.bytes -= bytes;
    return may;
}

static void start_complete(const struct walk *w, uint16_t step, struct done *done)
{
    struct run *run = run_new(w->en, w->part);
    run->element = w->nfa->step[step].element;
    run->count = 1;
    run->start_time = w->time;
    run->start_seq = run->visited = w->of->seq;
    run_bind(w->en, run, step, engine_kept(w->en), w->of->stream[step], w->of->seq, 0);
    if (w->nfa->within >= 0 && w->nfa->n_trail_nots > 0)
        deadline_set(&w->en->heap, &w->part->rs->life, &run->life,
                     time_plus(run->start_time, w->nfa->within));
    done_add(done, run);
}

static void start(const struct walk *w, struct done *done)
{
    uint16_t step = start_step(w);
    if (step == NO_STEP)
        return;
    if (!may_start(w))
        return;
    uint16_t j = w->nfa->step[step].element;
    if (completes(w, j)) {
        start_complete(w, step, done);
        return;
    }
    struct set_leaf *leaf = set_leaf_new(w->en, w->part);
    leaf->start_time = w->time;
    leaf->start_seq = w->of->seq;
    if (w->nfa->within >= 0)
        deadline_set(&w->en->heap, &w->part->rs->sets->life, &leaf->life,
                     time_plus(w->time, w->nfa->within));
    join(w, &leaf->item, j, step);
}

void set_walk(struct engine *en, const struct offer *of, struct done *done)
{
    struct partition *part = of->part;
    struct walk w = {.en = en, .of = of, .part = part, .rule = part->rs->sets,
                     .nfa = part->rs->rule->nfa, .stand = part->sets->stand, .time = of->ev->time};
    for (uint16_t i = w.nfa->n_elements; i-- > 0;)
        visit(&w, i);
    if ((of->fits & part->rs->shape->start) != 0 && !part->rs->draining)
        start(&w, done);
    if (w.completed != NULL)
        set_gather(en, w.completed, done);
}
