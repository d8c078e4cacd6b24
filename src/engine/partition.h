// SPDX-License-Identifier: Apache-2.0
/*
 * partition - all state of one rule for one key: its open runs by element, its waiting matches, the
 * memory of its leading `not`s. And the table of a rule's partitions.
 *
 * A partition exists while it holds something; an empty one is freed (an idle key costs nothing).
 */
#ifndef ENGINE_PARTITION_H
#define ENGINE_PARTITION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/deadline.h"
#include "event/value.h"

struct engine;
struct event;
struct link_table;
struct rule_state;
struct run;
struct set_part;

/* Runs that stand at one element, in order of arrival there. */
struct run_list {
    struct run *first, *last;
    uint32_t n;
    struct link_table *links; /* look-up by linked values, once there are many; or NULL */
};

/* What a leading `not` remembers: the newest event, or, when its condition reads the first step,
 * all of its reach. */
struct lead_memory {
    struct event **ev;  /* owned references, oldest first, from ev[first]; NULL if not needed */
    size_t first, n, cap; /* ev[first..n) */
    int64_t newest;     /* event time; only if seen */
    bool seen;
};

struct partition {
    /* The first cache line is what a look-up and the end of a run need. */
    uint64_t hash;
    struct rule_state *rs;
    struct value *key;          /* [n_keys]; texts in the same block */
    uint32_t pins;              /* pending matches that refer to it */
    uint32_t n_runs;            /* in lists and waiting */
    uint32_t size;              /* bytes charged for this block */
    uint32_t block;             /* bytes of this block */
    void *body;                 /* bodies but `match`: their state of the key (body.h) */
    struct set_part *sets;      /* open runs if the rule is matched by sets, in the block; or NULL */
    struct lead_memory *lead;   /* [n_lead_nots], in the block */
    struct deadline lead_due;
    struct run_list waiting;    /* complete but for their trailing `not`s */
    struct run_list at[];       /* [n_elements]; empty if `sets` holds them */
};

struct partition_table { /* open addressing; hashes beside the pointers save a miss a probe */
    struct partition_slot {
        uint64_t hash;
        struct partition *part; /* NULL: free */
    } *slot;
    size_t n, mask;             /* mask 0: no table yet */
    uint8_t shift;
};

/* By the hash's first bits, so that keys stand in the order of their hashes, but for those that found their
 * place taken: what a page of the directory holds is in one place, also when the table grows. */
static inline size_t partition_home(const struct partition_table *table, uint64_t hash)
{
    return (size_t)(hash >> table->shift);
}

/* A key whose state is in the store alone (record.h) has a tag in its slot: odd, so no pointer. */
static inline bool partition_is_stub(const struct partition *part)
{
    return ((uintptr_t)part & 1) != 0;
}
static inline struct partition *partition_of_tag(uint64_t tag)
{
    return (struct partition *)(uintptr_t)tag;
}

void partition_table_fini(struct partition_table *table); /* frees the partitions too */
/* May be the tag of a stub that has the hash: then partition_get is to be asked. */
struct partition *partition_find(const struct partition_table *table, uint64_t hash,
                                 const struct value *key, uint32_t n_keys);
/* The same; what is in the store alone is loaded. */
struct partition *partition_get(struct rule_state *rs, uint64_t hash, const struct value *key);
/* A new, empty one in the table; copies the key; charges its bytes to the rule. */
struct partition *partition_new(struct rule_state *rs, uint64_t hash, const struct value *key);
/* The same; by_sets: matched by sets, of a rule that may (set.h). */
struct partition *partition_new_as(struct rule_state *rs, uint64_t hash, const struct value *key,
                                   bool by_sets);
bool partition_empty(const struct partition *part);
/* Frees it if it holds nothing and nothing pins it. */
void partition_release(struct partition *part);
/* Frees all that it holds but its block; deadlines are cleared. */
void partition_strip(struct engine *en, struct partition *part);
void partition_prefetch(const struct partition_table *table, uint64_t hash); /* its slot */
void partition_prefetch_part(const struct partition_table *table, uint64_t hash); /* what stands there */


/* For the records. A stub with this hash and tag (0: any); NULL. */
struct partition_slot *partition_stub(const struct partition_table *table, uint64_t hash,
                                      uint64_t tag);
struct partition_slot *partition_slot_of(const struct partition *part);
void partition_stub_add(struct rule_state *rs, uint64_t hash, uint64_t tag);
/* Room for n in all. Before many that come in the order of their hashes: in a table that is made for fewer they
 * would stand in one heap. */
void partition_reserve(struct rule_state *rs, size_t n);
/* Takes what is in the slot out of the table. */
void partition_unplace(struct partition_table *table, struct partition_slot *slot);
void partition_block_free(struct partition *part);

#endif
