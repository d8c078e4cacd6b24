// SPDX-License-Identifier: Apache-2.0
/*
 * accumulator_set - different values with how often each is there: count_distinct, values and top
 * stand on it.
 *
 * A value has a number (id) as long as it is in; ids are small and used again. Up to 8 values are
 * looked through, more are found by hash. 24 bytes a value, 40 with stamps, and 18 to 37 of index.
 */
#ifndef ENGINE_ACCUMULATOR_SET_H
#define ENGINE_ACCUMULATOR_SET_H

#include "engine/accumulator.h"

struct hash_index;

enum { SET_NONE = UINT32_MAX };

struct set_entry {
    struct value v; /* owned; missing: the id is free, and count the next free one */
    uint64_t count; /* at least 1 */
};

struct value_set {
    struct set_entry *entry;  /* owned */
    struct stamp *stamp;      /* owned; of each entry, the user's; NULL: not kept */
    struct hash_index *index; /* owned; NULL while there are few */
    uint32_t n;               /* values in */
    uint32_t used, cap;       /* entries that have been used, that there is room for */
    uint32_t free;            /* the first free id below `used`; SET_NONE: none */
    uint64_t total;           /* the user's: values added and not removed, refused ones too */
    uint64_t refused;         /* the user's: what a limit kept out since total was 0 */
};

/* All memory, itself included, is charged. */
struct value_set *set_new(uint64_t *bytes);
void set_free(struct value_set **set, uint64_t *bytes);

uint32_t set_find(const struct value_set *set, struct value v); /* SET_NONE: not in */
/* Adds a value that is not in (copied), count 1; returns its id. */
uint32_t set_insert(struct value_set *set, struct value v, bool stamps, uint64_t *bytes);
void set_drop(struct value_set *set, uint32_t id, uint64_t *bytes);
/* For decoding: as if it had once held `used` values (not more than `most`; 0: a million). So it is
 * charged as it was before. */
void set_widen(struct value_set *set, uint64_t used, uint64_t most, bool stamps, uint64_t *bytes);

#endif
