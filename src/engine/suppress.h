// SPDX-License-Identifier: Apache-2.0
/*
 * suppress - `suppress d [by PATHS]`: after an alert let through, those of the same key within d of
 * event time are held and counted; one at last + d is let through and carries the count.
 *
 * One entry a key, dropped when d has passed and nothing was held; one that held something stays
 * until the next alert carries the count (bounded by `limit state`: beyond it the oldest goes).
 */
#ifndef ENGINE_SUPPRESS_H
#define ENGINE_SUPPRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/deadline.h"
#include "engine/record_link.h"

struct alert_list;
struct buf;
struct engine;
struct hash_index;
struct rule_state;

struct suppress_entry {
    struct record_link link;
    struct rule_state *rs;
    struct deadline deadline;     /* first: last let through + d; due stays when it has passed */
    struct suppress_entry *prev, *next; /* all entries of the rule, by `last` */
    uint64_t hash;
    int64_t last;                 /* event time of the alert let through */
    uint64_t held;
    uint64_t order;               /* of the rule's entries; rises as `last` does */
    uint32_t key_len;
    char key[];                   /* canonical bytes of the values */
};

struct suppress {
    struct hash_index *index;     /* NULL until the first entry */
    struct suppress_entry *first, *tail;
    uint64_t n_moves;             /* the next entry's order */
    struct deadline_queue queue;
};

void suppress_init(struct engine *en, struct rule_state *rs);
void suppress_fini(struct rule_state *rs);
/* Is an alert with this key at `time` let through? Then *held_out is how many were held since. */
bool suppress_passes(struct engine *en, struct rule_state *rs, const struct buf *key, int64_t time,
                     uint64_t *held_out);
/* The entry of a key, as it is; NULL: none. */
const struct suppress_entry *suppress_look(struct rule_state *rs, const struct buf *key);
/* Is the rule below its `limit state`? An entry whose time has passed only carries a count: those go,
 * the oldest first, before anything is refused. */
bool suppress_make_room(struct engine *en, struct rule_state *rs);
/* d has passed: with `summary` an alert says how many were held. */
void suppress_due(struct engine *en, struct rule_state *rs, struct suppress_entry *entry,
                  struct alert_list *out);
/* For the snapshot: puts an entry in as it was, its deadline (and when it was due) not set. Borrowed until
 * it is due; NULL if the key has one. */
struct suppress_entry *suppress_restore(struct rule_state *rs, const char *key, size_t key_len,
                                        int64_t last, uint64_t held);

/* Entries came in any order: by their own again. */
void suppress_sort(struct suppress *su);

#endif
