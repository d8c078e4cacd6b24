// SPDX-License-Identifier: Apache-2.0
/*
 * record_link - what has a record of its own in the store (record.h) stands in one of these lists:
 *
 *        changed since the barrier        of the epoch that is being written
 *   new --> CHANGED ---engine_epoch_close---> CLOSING ---encoded---> CLEAN (keys: may be evicted)
 *              ^                                 |                     |   NONE (others: stay)
 *              +--- next change (encoded first) -+---- next change ----+
 *
 * Embedded in what it is for. Without engine_attach it is unused.
 */
#ifndef ENGINE_RECORD_LINK_H
#define ENGINE_RECORD_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct partition;
struct records;
struct rule_state;

enum record_kind { RECORD_KEY, RECORD_SUPPRESS, RECORD_ROW };
enum record_where { RECORD_NONE, RECORD_CHANGED, RECORD_CLOSING, RECORD_CLEAN };

struct record_link {
    struct record_link *prev, *next;
    uint64_t epoch : 48;  /* in which it changed, or was encoded */
    uint64_t where : 4;   /* enum record_where; CHANGED in an epoch that was closed is CLOSING */
    uint64_t kind : 4;    /* enum record_kind */
    uint64_t stored : 1;  /* the store has a record of it, or will have before what comes now */
};

/* About to change. */
void record_link_touch(struct records *records, struct record_link *link);
/* About to be freed; its record goes too. */
void record_link_gone(struct records *records, struct record_link *link);

/* Keys. */
void record_touch(struct partition *part);
/* In memory now, nothing of it charged yet. */
void record_new(struct partition *part);
void record_gone(struct partition *part);
/* The rule's charge changed by this, and it is no key's. */
void record_uncharged(struct rule_state *rs, int64_t bytes);
/* What is charged from now on is no key's, until the next is touched. */
void record_charge_none(struct rule_state *rs);
size_t record_part_size(void);
/* Brings the keys of this hash into memory; they are not any more stubs in the rule's table. */
void record_load(struct rule_state *rs, uint64_t hash);

#endif
