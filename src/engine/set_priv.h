// SPDX-License-Identifier: Apache-2.0
/* set_priv - what the files of the sets share. The picture is in set.h. */
#ifndef ENGINE_SET_PRIV_H
#define ENGINE_SET_PRIV_H

#include "engine/deadline.h"
#include "engine/engine_priv.h"
#include "engine/matcher_priv.h"
#include "engine/set.h"

enum set_group { /* in order of arrival: who came first has taken most */
    SET_STILL, SET_CAPPED, SET_READY, SET_FILLING,
    SET_GROUPS,
    SET_LOOSE = SET_GROUPS, /* inside of an item, or completed on this event */
    SET_GHOSTS              /* carriers of the lives of waiting runs */
};

enum { SET_OPEN = UINT32_MAX }; /* item->n: its slice still grows with the set's end */

/* An event bound to a step, once for all runs that took it. */
struct log_entry {
    struct log_entry *next; /* in its log; owns a reference */
    struct event *ev;
    uint64_t seq;
    uint64_t before;        /* log->charge before it */
    uint32_t refs;
    uint16_t step, stream;
};

struct set_log {
    struct log_entry *tail; /* owns a reference */
    uint64_t charge;        /* of a run that had bound all events ever */
    uint32_t n;             /* events ever; indices wrap, only differences count */
};

struct set_item {
    struct set_item *prev, *next;
    struct run_set *set;        /* that lists it */
    struct run_set *inner;      /* what moved here together; NULL: this is a leaf */
    struct log_entry *from; /* first event bound here, a reference; NULL: n is 0 */
    uint32_t joined;        /* SET_OPEN: index of `from` in the log */
    uint32_t n;             /* events bound here; SET_OPEN: set->end - joined */
    uint64_t charge;        /* of a run for its n events; SET_OPEN: item_charge */
    int64_t last_time;      /* STILL, CAPPED: of its last event */
    struct deadline wait;
};

/* What a run had bound when a snapshot brought it, without its last event. */
struct set_own {
    uint64_t charge;
    uint32_t n, here;       /* here: of these, at the element where it was */
    struct set_bind bind[]; /* each holds a reference */
};

struct set_leaf {
    struct set_item item;
    struct deadline life;   /* start + within */
    int64_t start_time;
    uint64_t start_seq;
    struct set_own *own;    /* or NULL */
};

struct run_set {
    struct set_item *first, *last;
    struct set_item *owner; /* the item that it is inside of */
    struct partition *part;
    uint64_t min_start, max_start; /* bounds, not always reached */
    uint32_t n_leaves;
    uint32_t end;           /* FILLING, READY: log.n; frozen when it moves */
    uint64_t end_charge;    /* the same of log.charge */
    uint16_t element;
    uint8_t group;          /* enum set_group */
    bool sorted;            /* starts rise from item to item */
    struct deadline wait;
};

struct set_stand {
    struct run_set *group[SET_GROUPS];
    struct set_log log;
};

struct set_part {
    struct run_set *ghosts;
    struct set_stand stand[]; /* [n_elements] */
};

struct set_element {
    uint64_t own;           /* the step of a loop; 0: one event fills the element */
    uint64_t gap;           /* nots of the gap behind it */
    uint32_t min, cap;      /* cap: max, or fewer by `limit events` */
    int64_t within;         /* own step's; -1: none */
    bool capped;            /* cap < max */
    bool log;               /* members take together: cap > 1 */
    bool is_last;
    bool next_here, next_then; /* it is under `next`; the one behind it is */
    struct deadline_queue *wait[SET_GROUPS]; /* NULL: they do not die of waiting */
};

struct set_rule {
    struct engine *en;
    struct deadline_queue life;
    struct deadline_queue *set_wait, *item_wait; /* [rs->n_waits] */
    uint64_t run_bytes;     /* a run's charge without its events */
    bool ghosts;            /* some trailing `not` lasts as long as the run would */
    struct set_run scratch;
    struct set_element element[]; /* [n_elements] */
};

/* set_pool.c */
struct log_entry *log_entry_new(struct engine *en, uint16_t step, struct event *ev,
                                uint16_t stream, uint64_t seq);
void log_entry_drop(struct engine *en, struct log_entry *entry);
void set_log_append(struct engine *en, struct set_log *log,
                    struct log_entry *entry); /* takes the reference */
struct set_item *set_item_new(struct engine *en, struct run_set *inner);
struct set_leaf *set_leaf_new(struct engine *en, struct partition *part); /* counts it */
/* Drops all that it holds but its life. */
void set_leaf_strip(struct engine *en, struct set_leaf *leaf);
/* Free memory and what it holds; linked in nothing any more. */
void set_item_free(struct engine *en, struct set_item *item);
struct run_set *run_set_new(struct engine *en, struct partition *part, uint16_t element,
                    enum set_group group);
void run_set_free(struct engine *en, struct run_set *set); /* leaves its stand */

/* set_tree.c */
void run_set_append(struct run_set *set, struct set_item *item);
/* The set of the group, made if it is not there. */
struct run_set *set_stand_get(struct engine *en, struct partition *part, uint16_t element,
                          enum set_group group);
void run_set_detach(struct engine *en, struct run_set *set); /* from its stand: loose */
/* From a set in a stand to the end of another; the first is freed if that was all. */
void set_item_move(struct engine *en, struct set_item *item, struct run_set *to);
void set_item_end(struct engine *en, struct set_item *item); /* and all runs in it */
void run_set_end(struct engine *en, struct run_set *set);
/* Frees a loose one whose runs are counted no more, with all below it. keep_ghosts: waiting runs were
 * made of its leaves. */
void run_set_drop(struct engine *en, struct run_set *set, bool keep_ghosts);
void set_ghost_end(struct engine *en, struct set_leaf *ghost);
void set_uncount(struct partition *part, uint32_t n);
/* A READY whose own `within` has passed goes to STILL as one. */
void set_wrap_ready(struct engine *en, struct partition *part, uint16_t element);

/* set_end.c */
void set_gather(struct engine *en, struct run_set *completed, struct done *done);
void set_flatten(const struct set_leaf *leaf, struct set_run *run);

static inline struct set_leaf *set_leaf_of(struct set_item *item)
{
    return (struct set_leaf *)(void *)item; /* its first member */
}

/* What the reference charges a run for an event. */
static inline uint64_t set_bind_charge(const struct event *ev)
{
    return sizeof(struct run_bind) + run_event_bytes(ev);
}

static inline uint64_t set_item_charge(const struct set_item *item)
{
    return item->n == SET_OPEN ? item->set->end_charge - item->from->before : item->charge;
}

static inline uint32_t set_item_slice(const struct set_item *item)
{
    return item->n == SET_OPEN ? item->set->end - item->joined : item->n;
}

/* Events bound at the element where it stands. */
static inline uint32_t set_item_count(struct set_item *item)
{
    uint32_t n = set_item_slice(item);
    if (item->inner == NULL && set_leaf_of(item)->own != NULL)
        n += set_leaf_of(item)->own->here;
    return n;
}

static inline uint32_t set_item_leaves(const struct set_item *item)
{
    return item->inner != NULL ? item->inner->n_leaves : 1;
}

#endif
