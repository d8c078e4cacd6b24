// SPDX-License-Identifier: Apache-2.0
/*
 * set_snapshot - leaves out as the runs that they are, runs in as leaves: either matcher restores
 * what the other has written. A restored leaf owns what it had bound but for its last event, which
 * is an entry as any other, shared with those that took it too.
 */
#include "base/mem.h"
#include "engine/set_priv.h"
#include "engine/snapshot.h"
#include "event/event.h"

/* ---- out ------------------------------------------------------------------------------------ */

uint32_t set_count_at(const struct partition *part, uint16_t element)
{
    uint32_t n = 0;
    for (int g = 0; g < SET_GROUPS; g++) {
        const struct run_set *set = part->sets->stand[element].group[g];
        n += set != NULL ? set->n_leaves : 0;
    }
    return n;
}

/* The first set that there is: most keys have one. */
static const struct run_set *first_set(const struct partition *part)
{
    for (uint16_t i = 0; i < part->rs->rule->nfa->n_elements; i++) {
        for (int g = 0; g < SET_GROUPS; g++) {
            if (part->sets->stand[i].group[g] != NULL)
                return part->sets->stand[i].group[g];
        }
    }
    return NULL;
}

void set_ahead(const struct partition *part, unsigned step)
{
    const struct run_set *set = first_set(part);
    if (set == NULL)
        return;
    if (step == 0)
        mem_prefetch(set, sizeof *set);
    else if (step == 1)
        mem_prefetch(set->first, sizeof(struct set_leaf));
    else if (set->first == NULL || set->first->from == NULL)
        return;
    else if (step == 2)
        mem_prefetch(set->first->from, sizeof *set->first->from);
    else if (step == 3)
        event_prefetch(set->first->from->ev);
    else if (step == 4)
        event_prefetch_raw(set->first->from->ev);
}

/* When runs of the item die of waiting: as one in FILLING and READY and what once was READY, else
 * each. */
static int64_t wait_of(const struct set_item *item)
{
    while (item->set->owner != NULL)
        item = item->set->owner;
    const struct deadline *dl = &item->wait;
    if (item->inner != NULL && item->n == 0)
        dl = &item->inner->wait;
    else if (item->set->group == SET_FILLING || item->set->group == SET_READY)
        dl = &item->set->wait;
    return dl->queue != NULL ? dl->due : NO_DUE;
}

static void each_in(const struct run_set *set, uint16_t element, struct set_run *run,
                    void (*tell)(void *ctx, const struct set_run *run), void *ctx)
{
    const struct nfa *nfa = set->part->rs->rule->nfa;
    for (struct set_item *item = set->first; item != NULL; item = item->next) {
        if (item->inner != NULL) {
            each_in(item->inner, element, run, tell, ctx);
            continue;
        }
        set_flatten(set_leaf_of(item), run);
        const struct deadline *life = &set_leaf_of(item)->life;
        run->life = life->queue != NULL ? life->due : NO_DUE;
        run->wait = wait_of(item);
        run->count = 0;
        for (size_t i = 0; i < run->n; i++)
            run->count += nfa->step[run->bind[i].step].element == element;
        tell(ctx, run);
    }
}

void set_each_at(const struct partition *part, uint16_t element,
                 void (*tell)(void *ctx, const struct set_run *run), void *ctx)
{
    struct set_run run = {0};
    for (int g = 0; g < SET_GROUPS; g++) {
        if (part->sets->stand[element].group[g] != NULL)
            each_in(part->sets->stand[element].group[g], element, &run, tell, ctx);
    }
    mem_free(run.bind);
}

/* ---- in ------------------------------------------------------------------------------------- */

/* The step of the run's last event, of the element where it stands; NO_STEP. */
static uint16_t last_step(const struct nfa *nfa, const struct run *run)
{
    const struct nfa_element *el = &nfa->element[run->element];
    for (uint16_t step = el->first_step; step < el->first_step + el->n_steps; step++) {
        if (run->bound[step].last == &run->last->base)
            return step;
    }
    return NO_STEP;
}

/* The events of one step, oldest first, without the run's last. */
static uint32_t own_step(const struct run *run, uint16_t step, struct set_bind *out)
{
    uint32_t n = run->bound[step].count;
    const struct bind *bind = run->bound[step].last;
    if (bind == &run->last->base) {
        bind = bind->prev;
        n--;
    }
    for (uint32_t i = n; i-- > 0; bind = bind->prev)
        out[i] = (struct set_bind){event_ref(bind->ev), ((const struct run_bind *)bind)->seq, step,
                                   bind->stream};
    return n;
}

static struct set_own *own_new(struct partition *part, const struct run *run)
{
    struct rule_state *rs = part->rs;
    const struct nfa *nfa = rs->rule->nfa;
    uint32_t n = run->total - 1;
    if (n == 0)
        return NULL;
    struct set_own *own = mem_alloc(sizeof *own + n * sizeof own->bind[0]);
    own->n = 0;
    own->here = run->count - 1;
    for (uint16_t step = 0; step < nfa->n_steps; step++)
        own->n += own_step(run, step, own->bind + own->n);
    own->charge = 0;
    for (uint32_t i = 0; i < n; i++)
        own->charge += set_bind_charge(own->bind[i].ev);
    rs->stats.bytes += own->charge;
    return own;
}

static enum set_group group_of(const struct set_element *el, uint32_t count)
{
    if (el->is_last || (el->log && count < el->min))
        return SET_FILLING;
    if (el->log && count < el->cap)
        return SET_READY;
    return el->capped ? SET_CAPPED : SET_STILL;
}

/* A run that stands behind those of READY and has not their last event: they were past their `within`
 * when it came. In FILLING they would have died of that. */
static bool retire_ready(struct engine *en, struct partition *part, uint16_t i, uint64_t seq)
{
    struct set_stand *at = &part->sets->stand[i];
    if (at->log.tail->seq > seq || at->group[SET_FILLING] != NULL)
        return false;
    while (at->group[SET_CAPPED] != NULL)
        set_item_move(en, at->group[SET_CAPPED]->first,
                      set_stand_get(en, part, i, SET_STILL));
    set_wrap_ready(en, part, i);
    return true;
}

bool set_adopt(struct engine *en, struct partition *part, const struct run *run, int64_t life,
               int64_t wait)
{
    const struct set_rule *rule = part->rs->sets;
    uint16_t i = run->element, step = last_step(part->rs->rule->nfa, run);
    struct set_stand *at = &part->sets->stand[i];
    enum set_group group = group_of(&rule->element[i], run->count);
    bool together = group == SET_FILLING || group == SET_READY;
    if (step == NO_STEP)
        return false;
    bool shares = together && at->log.tail != NULL && at->log.tail->seq == run->last_seq;
    if (!shares && at->log.tail != NULL && !retire_ready(en, part, i, run->last_seq))
        return false;
    struct set_leaf *leaf = set_leaf_new(en, part);
    leaf->start_time = run->start_time;
    leaf->start_seq = run->start_seq;
    leaf->own = own_new(part, run);
    leaf->item.last_time = run_last_time(run);
    leaf->item.n = together ? (uint32_t)SET_OPEN : 1;
    struct log_entry *entry = shares ? at->log.tail
                                     : log_entry_new(en, step, run->last->base.ev,
                                                     run->last->base.stream, run->last_seq);
    entry->refs += together;
    if (together && !shares)
        set_log_append(en, &at->log, entry);
    leaf->item.from = entry;
    leaf->item.charge = set_bind_charge(entry->ev);
    part->rs->stats.bytes += leaf->item.charge;
    leaf->item.joined = at->log.n - 1;
    leaf->life.due = life; /* set when all are there */
    leaf->item.wait.due = wait;
    struct run_set *set = set_stand_get(en, part, i, group);
    set->wait.due = wait; /* the same for all of FILLING, and of READY */
    run_set_append(set, &leaf->item);
    return true;
}

static void life_adopted(struct restore *re, struct set_rule *rule, struct set_leaf *leaf)
{
    if (leaf->life.due != NO_DUE)
        restore_deadline(re, &rule->life, &leaf->life, leaf->life.due, leaf->start_seq);
}

static bool wait_adopted(struct restore *re, struct deadline_queue *queue, struct deadline *dl,
                         uint64_t seq)
{
    if (dl->due == NO_DUE)
        return true;
    if (queue != NULL)
        restore_deadline(re, queue, dl, dl->due, seq);
    return queue != NULL;
}

static bool item_adopted(struct restore *re, struct set_rule *rule, struct set_item *item)
{
    const struct run_set *set = item->set;
    const struct set_element *el = &rule->element[set->element];
    uint64_t seq = item->from != NULL ? item->from->seq : 0;
    if (item->inner != NULL) { /* READY of a time gone by */
        for (struct set_item *each = item->inner->first; each != NULL; each = each->next)
            life_adopted(re, rule, set_leaf_of(each));
        return wait_adopted(re, el->wait[SET_READY], &item->inner->wait, seq);
    }
    life_adopted(re, rule, set_leaf_of(item));
    if (set->group != SET_STILL && set->group != SET_CAPPED)
        return true;
    return wait_adopted(re, el->wait[set->group], &item->wait, seq);
}

bool set_adopted(struct restore *re, struct partition *part)
{
    struct set_rule *rule = part->rs->sets;
    bool ok = true;
    for (uint16_t i = 0; i < part->rs->rule->nfa->n_elements; i++) {
        struct set_stand *at = &part->sets->stand[i];
        for (int g = 0; g < SET_GROUPS && ok; g++) {
            struct run_set *set = at->group[g];
            for (struct set_item *item = set != NULL ? set->first : NULL; item != NULL && ok;
                 item = item->next)
                ok = item_adopted(re, rule, item);
            if (ok && set != NULL && (g == SET_READY || g == SET_FILLING))
                ok = wait_adopted(re, rule->element[i].wait[g], &set->wait, at->log.tail->seq);
        }
    }
    return ok;
}
