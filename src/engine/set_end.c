// SPDX-License-Identifier: Apache-2.0
/*
 * set_end - from leaves to runs, when they complete; and what falls due.
 *
 *   completed set --set_gather--> struct run in done --done_finish--> match
 *                      |                   \--trailing not--> waiting
 *                      \--> ghost: a leaf that holds no events, only the place of its life among
 *                           the deadlines; when it fires, waiting runs of that time are decided
 *
 * A waiting run that ends with start + within would have to be put between those set before it, one
 * for each run that began later: the ghost is there already. Ghosts go with the last waiting run.
 */
#include "base/mem.h"
#include "engine/set_priv.h"
#include "event/event.h"

#define CONTAINER(ptr, type, member) ((type *)(void *)((char *)(ptr) - offsetof(type, member)))

static void add_bind(struct set_run *run, struct set_bind bind)
{
    run->bind = vec_reserve(run->bind, &run->cap, run->n + 1, sizeof *run->bind);
    run->bind[run->n++] = bind;
}

void set_flatten(const struct set_leaf *leaf, struct set_run *run)
{
    run->start_time = leaf->start_time;
    run->start_seq = leaf->start_seq;
    run->n = 0;
    for (uint32_t i = 0; leaf->own != NULL && i < leaf->own->n; i++)
        add_bind(run, leaf->own->bind[i]);
    for (const struct set_item *item = &leaf->item; item != NULL; item = item->set->owner) {
        const struct log_entry *entry = item->from;
        for (uint32_t n = set_item_slice(item); n > 0; n--, entry = entry->next)
            add_bind(run, (struct set_bind){entry->ev, entry->seq, entry->step, entry->stream});
    }
}

/* A complete leaf as a run that is in no list. */
static struct run *materialise(struct engine *en, struct partition *part,
                               const struct set_leaf *leaf)
{
    struct rule_state *rs = part->rs;
    struct set_run *flat = &rs->sets->scratch;
    struct run *run = run_new(en, part);
    set_flatten(leaf, flat);
    run->start_time = flat->start_time;
    run->start_seq = flat->start_seq;
    run->visited = en->seq;
    run->element = rs->rule->nfa->n_elements - 1;
    for (size_t i = 0; i < flat->n; i++) {
        const struct set_bind *bind = &flat->bind[i];
        run_bind(en, run, bind->step, bind->ev, bind->stream, bind->seq, 0);
        run->count += rs->rule->nfa->step[bind->step].element == run->element;
    }
    return run;
}

static void gather_each(struct engine *en, struct run_set *set, struct done *done)
{
    struct partition *part = set->part;
    for (struct set_item *item = set->first; item != NULL; item = item->next) {
        if (item->inner != NULL)
            gather_each(en, item->inner, done);
        else
            done_add(done, materialise(en, part, set_leaf_of(item)));
    }
}

static struct set_leaf *earliest(const struct run_set *set)
{
    struct set_leaf *best = NULL;
    for (struct set_item *item = set->first; item != NULL; item = item->next) {
        if (best != NULL && item->inner != NULL && item->inner->min_start > best->start_seq)
            continue;
        struct set_leaf *leaf = item->inner != NULL ? earliest(item->inner) : set_leaf_of(item);
        if (best == NULL || leaf->start_seq < best->start_seq)
            best = leaf;
        if (set->sorted)
            break;
    }
    return best;
}

/* Without trailing `not`s `first` makes one match of all that complete on an event. */
void set_gather(struct engine *en, struct run_set *completed, struct done *done)
{
    struct partition *part = completed->part;
    const struct nfa *nfa = part->rs->rule->nfa;
    if (nfa->select == SELECT_FIRST && nfa->n_trail_nots == 0)
        done_add(done, materialise(en, part, earliest(completed)));
    else
        gather_each(en, completed, done);
    run_set_drop(en, completed, part->rs->sets->ghosts);
}

/* ---- deadlines ------------------------------------------------------------------------------ */

static struct partition *leaf_due(struct engine *en, struct set_leaf *leaf)
{
    struct run_set *set = leaf->item.set;
    struct partition *part = set->part;
    int64_t due = leaf->life.due;
    partition_touch(part);
    if (set->group != SET_GHOSTS) {
        set_item_end(en, &leaf->item);
        return part;
    }
    set_ghost_end(en, leaf);
    waiting_due(en, part, due);
    return part;
}

static struct partition *wait_due(struct engine *en, struct run_set *set)
{
    struct partition *part = set->part;
    const struct set_item *owner = set->owner;
    partition_touch(part);
    if (owner == NULL || owner->set->group == SET_STILL)
        run_set_end(en, set);
    else
        deadline_clear(&en->heap, &set->wait);
    return part;
}

static struct partition *item_due(struct engine *en, struct set_item *item)
{
    struct partition *part = item->set->part;
    partition_touch(part);
    if (item->set->group == SET_STILL || item->set->group == SET_CAPPED)
        set_item_end(en, item);
    else
        deadline_clear(&en->heap, &item->wait);
    return part;
}

struct partition *set_due(struct engine *en, struct deadline *dl)
{
    if (dl->queue->kind == DEADLINE_LEAF)
        return leaf_due(en, CONTAINER(dl, struct set_leaf, life));
    if (dl->queue->kind == DEADLINE_SET)
        return wait_due(en, CONTAINER(dl, struct run_set, wait));
    return item_due(en, CONTAINER(dl, struct set_item, wait));
}
