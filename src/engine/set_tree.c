// SPDX-License-Identifier: Apache-2.0
/*
 * set_tree - sets and items: into lists, out of them, and what dies with what.
 *
 *   stand -> set -> item -> inner set -> item ... -> leaf
 *
 * Whatever loses its last member goes too, upwards; whatever ends takes all below it along. A leaf is
 * charged as the run that it stands for: what it has bound is summed up over the way to its stand.
 */
#include "engine/set_priv.h"
#include "event/event.h"

static void grow_bounds(struct run_set *set, uint64_t low, uint64_t high)
{
    if (set->first != NULL && low < set->max_start)
        set->sorted = false;
    if (low < set->min_start)
        set->min_start = low;
    if (high > set->max_start)
        set->max_start = high;
}

/* The list alone: not the number of leaves. */
static void list_append(struct run_set *set, struct set_item *item)
{
    item->set = set;
    item->prev = set->last;
    item->next = NULL;
    if (set->last != NULL)
        set->last->next = item;
    else
        set->first = item;
    set->last = item;
}

static void list_remove(struct set_item *item)
{
    struct run_set *set = item->set;
    if (item->prev != NULL)
        item->prev->next = item->next;
    else
        set->first = item->next;
    if (item->next != NULL)
        item->next->prev = item->prev;
    else
        set->last = item->prev;
}

void run_set_append(struct run_set *set, struct set_item *item)
{
    if (item->inner != NULL)
        grow_bounds(set, item->inner->min_start, item->inner->max_start);
    else
        grow_bounds(set, set_leaf_of(item)->start_seq, set_leaf_of(item)->start_seq);
    set->n_leaves += set_item_leaves(item);
    list_append(set, item);
}

struct run_set *set_stand_get(struct engine *en, struct partition *part, uint16_t element,
                          enum set_group group)
{
    struct set_stand *stand = &part->sets->stand[element];
    if (stand->group[group] == NULL) {
        stand->group[group] = run_set_new(en, part, element, group);
        stand->group[group]->end = stand->log.n;
        stand->group[group]->end_charge = stand->log.charge;
    }
    return stand->group[group];
}

void run_set_detach(struct engine *en, struct run_set *set)
{
    struct set_stand *stand = &set->part->sets->stand[set->element];
    stand->group[set->group] = NULL;
    set->group = SET_LOOSE;
    if (stand->group[SET_READY] == NULL && stand->group[SET_FILLING] == NULL) {
        log_entry_drop(en, stand->log.tail);
        stand->log.tail = NULL;
    }
}

void set_uncount(struct partition *part, uint32_t n)
{
    part->n_runs -= n;
    part->rs->stats.runs -= n;
}

void set_item_move(struct engine *en, struct set_item *item, struct run_set *to)
{
    struct run_set *from = item->set;
    list_remove(item);
    from->n_leaves -= set_item_leaves(item);
    run_set_append(to, item);
    if (from->first == NULL)
        run_set_free(en, from);
}

/* Takes n leaves out of all sets above, and an item that holds no leaf any more out of its own. */
static void remove_up(struct engine *en, struct set_item *item, uint32_t n)
{
    for (struct run_set *set = item->set;; set = set->owner->set) {
        set->n_leaves -= n;
        if (set->owner == NULL)
            break;
    }
    while (item != NULL) {
        struct run_set *set = item->set;
        list_remove(item);
        set_item_free(en, item);
        if (set->first != NULL)
            return;
        item = set->owner;
        run_set_free(en, set);
    }
}

/* The leaf, in no list now, goes on as nothing but its life. */
static void make_ghost(struct engine *en, struct partition *part, struct set_leaf *leaf)
{
    set_leaf_strip(en, leaf);
    if (part->sets->ghosts == NULL)
        part->sets->ghosts = run_set_new(en, part, 0, SET_GHOSTS);
    run_set_append(part->sets->ghosts, &leaf->item);
}

void set_ghost_end(struct engine *en, struct set_leaf *ghost)
{
    struct run_set *set = ghost->item.set;
    list_remove(&ghost->item);
    set_item_free(en, &ghost->item);
    if (set->first == NULL)
        run_set_free(en, set);
}

static uint64_t leaf_charge(const struct run_set *set, const struct set_leaf *leaf)
{
    uint64_t charge = set->part->rs->sets->run_bytes + set_item_charge(&leaf->item);
    return charge + (leaf->own != NULL ? leaf->own->charge : 0);
}

/* What each run inside of the item is charged for events of the item and of those around it. */
static uint64_t charge_above(const struct set_item *item)
{
    uint64_t charge = 0;
    for (; item != NULL; item = item->set->owner)
        charge += set_item_charge(item);
    return charge;
}

/* above: what each run is charged for events that it has bound outside of the set. */
static void drop(struct engine *en, struct run_set *set, bool keep_ghosts, uint64_t above)
{
    for (struct set_item *item = set->first, *next; item != NULL; item = next) {
        next = item->next;
        if (next != NULL)
            __builtin_prefetch(next->next);
        if (item->inner != NULL) {
            drop(en, item->inner, keep_ghosts, above + set_item_charge(item));
            set_item_free(en, item);
            continue;
        }
        set->part->rs->stats.bytes -= above + leaf_charge(set, set_leaf_of(item));
        if (keep_ghosts)
            make_ghost(en, set->part, set_leaf_of(item));
        else
            set_item_free(en, item);
    }
    run_set_free(en, set);
}

void run_set_drop(struct engine *en, struct run_set *set, bool keep_ghosts)
{
    drop(en, set, keep_ghosts, 0);
}

void run_set_end(struct engine *en, struct run_set *set)
{
    struct set_item *owner = set->owner;
    uint32_t n = set->n_leaves;
    set_uncount(set->part, n);
    drop(en, set, false, charge_above(owner));
    if (owner != NULL)
        remove_up(en, owner, n);
}

void set_item_end(struct engine *en, struct set_item *item)
{
    if (item->inner != NULL) {
        run_set_end(en, item->inner);
        return;
    }
    struct run_set *set = item->set;
    set_uncount(set->part, 1);
    set->part->rs->stats.bytes -= leaf_charge(set, set_leaf_of(item)) + charge_above(set->owner);
    remove_up(en, item, 1);
}

void set_end_all(struct engine *en, struct partition *part)
{
    for (uint16_t i = 0; i < part->rs->rule->nfa->n_elements; i++) {
        for (int g = 0; g < SET_GROUPS; g++) {
            if (part->sets->stand[i].group[g] != NULL)
                run_set_end(en, part->sets->stand[i].group[g]);
        }
    }
}

/* Ends the runs that began at seq or before. True: some are left, and so is the set. */
static bool end_before(struct engine *en, struct run_set *set, uint64_t seq)
{
    if (set->min_start > seq)
        return true;
    if (set->max_start <= seq) {
        run_set_end(en, set);
        return false;
    }
    uint64_t lowest = UINT64_MAX;
    bool left = false;
    for (struct set_item *item = set->first, *next; item != NULL; item = next) {
        next = item->next; /* the last one's end may be the set's */
        uint64_t start = item->inner != NULL ? item->inner->min_start
                                             : set_leaf_of(item)->start_seq;
        if (start > seq) {
            left = true;
            if (start < lowest)
                lowest = start;
            if (set->sorted)
                break;
        } else if (item->inner == NULL) {
            set_item_end(en, item);
        } else {
            struct run_set *inner = item->inner;
            if (end_before(en, inner, seq)) {
                left = true;
                if (inner->min_start < lowest)
                    lowest = inner->min_start;
            }
        }
    }
    if (left)
        set->min_start = lowest;
    return left;
}

void set_end_before(struct engine *en, struct partition *part, uint64_t seq)
{
    for (uint16_t i = 0; i < part->rs->rule->nfa->n_elements; i++) {
        for (int g = 0; g < SET_GROUPS; g++) {
            if (part->sets->stand[i].group[g] != NULL)
                end_before(en, part->sets->stand[i].group[g], seq);
        }
    }
}

/* The run that stands longest at the element. */
static struct set_leaf *standing_longest(const struct set_stand *stand)
{
    struct set_item *item = NULL;
    for (int g = 0; g < SET_GROUPS && item == NULL; g++) {
        if (stand->group[g] != NULL)
            item = stand->group[g]->first;
    }
    while (item != NULL && item->inner != NULL)
        item = item->inner->first;
    return item != NULL ? set_leaf_of(item) : NULL;
}

bool set_end_oldest(struct engine *en, struct partition *part, const struct run *than)
{
    struct set_leaf *oldest = NULL;
    for (uint16_t i = 0; i < part->rs->rule->nfa->n_elements; i++) {
        struct set_leaf *leaf = standing_longest(&part->sets->stand[i]);
        if (leaf != NULL && (oldest == NULL || leaf->start_seq < oldest->start_seq))
            oldest = leaf;
    }
    if (oldest == NULL || (than != NULL && than->start_seq < oldest->start_seq))
        return false;
    set_item_end(en, &oldest->item);
    return true;
}

void set_wrap_ready(struct engine *en, struct partition *part, uint16_t element)
{
    struct set_stand *stand = &part->sets->stand[element];
    struct run_set *ready = stand->group[SET_READY];
    int64_t last_time = stand->log.tail->ev->time;
    run_set_detach(en, ready);
    struct set_item *item = set_item_new(en, ready);
    item->last_time = last_time;
    run_set_append(set_stand_get(en, part, element, SET_STILL), item);
}

void set_forget_ghosts(struct partition *part)
{
    while (part->sets->ghosts != NULL)
        set_ghost_end(part->rs->sets->en, set_leaf_of(part->sets->ghosts->first));
}

void set_part_fini(struct engine *en, struct partition *part)
{
    set_end_all(en, part);
    set_forget_ghosts(part);
}
