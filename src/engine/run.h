// SPDX-License-Identifier: Apache-2.0
/*
 * run - one partial match: where it stands, what it has bound, when it dies.
 *
 *            run_new (an event fits a first element)
 *                |
 *                v
 *   open: in part->at[element] <--- run_bind + run_stand (takes an event; moves)
 *     |          |        |
 *     |          |        +-- run_end: within passed, `not`, `next`, `until`, another's match
 *     |          v
 *     |       waiting: in part->waiting (complete, trailing `not`s)
 *     v          v
 *   detached: run_detach (a match: told by alert_tell, then run_free)
 *
 * Binds are singly linked, newest first, one chain a step (vm.h struct bound). Each holds one
 * reference of its event.
 */
#ifndef ENGINE_RUN_H
#define ENGINE_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/deadline.h"
#include "engine/vm.h"

struct engine;
struct event;
struct partition;
struct rule_state;
struct run_list;

struct run_bind {
    struct bind base;
    uint64_t seq;  /* of the event in this engine */
    uint64_t fits; /* `all` groups: steps of the group that the event fits */
};

struct link_node { /* a run's place in a link table */
    struct link_node *prev, *next;
    struct run *run;
    uint64_t hash;
};

struct run_wait { /* of a run whose rule has delays of steps or trailing `not`s */
    struct deadline due;
    struct run *run;
    int64_t told_at;            /* waiting: the deadline at which it becomes a match */
    int64_t life_at;            /* waiting: when its life would have ended */
};

/* Laid out by cache lines: with 10^5 open runs each line is a miss (measured: ten lines a run made
 * three quarters of a replay's time). */
struct run {
    struct deadline life;
    struct run *prev, *next;    /* in its list */
    struct run_list *list;      /* NULL: detached */
    struct partition *part;

    int64_t start_time;
    uint64_t start_seq;
    uint64_t last_seq;          /* of the last bound event */
    uint64_t visited;           /* seq of the event it was last offered */
    const struct run_bind *last; /* last bound */
    struct run_wait *wait;      /* behind the link nodes; NULL: the rule needs none */
    uint32_t count;             /* events bound at its element */
    uint32_t total;             /* events bound in all */
    uint32_t bytes;             /* charged to the rule for it and its binds */
    uint16_t element;
    bool waiting;
    uint8_t n_steps;            /* of the nfa */

    struct run_bind first;      /* the first bind needs no memory of its own; ev NULL: free */
    struct bound bound[];       /* [nfa->n_steps], then link_node[nfa->n_links] */
};

static inline struct link_node *run_node(struct run *run, uint16_t link)
{
    return (struct link_node *)(void *)&run->bound[run->n_steps] + link;
}

struct bind_pool *bind_pool_new(void);
void bind_pool_free(struct bind_pool **pool);

/* What a rule is charged for a run that has nothing bound. */
size_t run_bytes(const struct rule_state *rs);
/* Detached, nothing bound, its start not set. */
struct run *run_new(struct engine *en, struct partition *part);
/* Binds an event (takes a reference of its own) to a step. Moves nothing. */
struct run_bind *run_bind(struct engine *en, struct run *run, uint16_t step, struct event *ev,
                          uint16_t stream, uint64_t seq, uint64_t fits);
/* Takes the newest bind of the step back. */
void run_unbind(struct engine *en, struct run *run, uint16_t step);
/* Puts it into the list of its element, at the end (or of the waiting), and its links in order. */
void run_stand(struct run *run, struct run_list *list);
/* Out of its list; deadlines stay. Fine if it is in none. */
void run_leave(struct run *run);
/* Out of its list; deadlines cleared. */
void run_detach(struct engine *en, struct run *run);
void run_free(struct engine *en, struct run *run); /* detached ones */
void run_end(struct engine *en, struct run *run);  /* detach + free */
void run_memory_fini(struct rule_state *rs);       /* the rule's run memory */
/* The deadline of this run is being decided: fetches what deciding the next ones will read. */
void run_look_ahead(const struct run *run);
int64_t run_last_time(const struct run *run);
/* What a rule is charged for an event that it holds. */
size_t run_event_bytes(const struct event *ev);
/* Frees what a partition's runs hold, without any order (engine_free). */
void run_list_drop(struct engine *en, struct run_list *list);

#endif
