// SPDX-License-Identifier: Apache-2.0
/* accumulator_set - see accumulator_set.h. Invariant: index is there if n ever was above FEW. */
#include "engine/accumulator_set.h"

#include "base/hash.h"
#include "engine/accumulator_priv.h"

enum { FEW = 8, FIRST_CAP = 2, MOST_USED = 1000000 };

#define SET_SEED UINT64_C(0x736574)

struct value_set *set_new(uint64_t *bytes)
{
    struct value_set *set = charged_alloc(sizeof *set, bytes);
    set->free = SET_NONE;
    return set;
}

void set_free(struct value_set **set_io, uint64_t *bytes)
{
    struct value_set *set = *set_io;

    if (!set)
        return;
    for (uint32_t i = 0; i < set->used; i++)
        value_drop(set->entry[i].v, bytes);
    charged_free(set->entry, set->cap * sizeof *set->entry, bytes);
    if (set->stamp)
        charged_free(set->stamp, set->cap * sizeof *set->stamp, bytes);
    if (set->index)
        *bytes -= hash_index_bytes(set->index);
    hash_index_free(&set->index);
    charged_free(set, sizeof *set, bytes);
    *set_io = NULL;
}

static bool entry_equal(uint64_t id, const void *key, void *ctx)
{
    const struct set_entry *entry = ctx;
    return value_same(entry[id].v, *(const struct value *)key);
}

uint32_t set_find(const struct value_set *set, struct value v)
{
    uint64_t id;

    if (set->index)
        return hash_index_get(set->index, value_hash(v, SET_SEED), entry_equal, &v, set->entry, &id)
                   ? (uint32_t)id
                   : SET_NONE;
    for (uint32_t i = 0; i < set->used; i++)
        if (value_same(set->entry[i].v, v))
            return i;
    return SET_NONE;
}

static void index_add(struct value_set *set, uint32_t id, uint64_t *bytes)
{
    size_t before = hash_index_bytes(set->index);
    hash_index_add(set->index, value_hash(set->entry[id].v, SET_SEED), id);
    *bytes += hash_index_bytes(set->index) - before;
}

static uint32_t take_id(struct value_set *set, bool stamps, uint64_t *bytes)
{
    uint32_t id = set->free;

    if (id != SET_NONE) {
        set->free = (uint32_t)set->entry[id].count;
        return id;
    }
    if (set->used == set->cap) {
        size_t cap = set->cap ? (size_t)set->cap * 2 : FIRST_CAP;
        set->entry = charged_resize(set->entry, set->cap * sizeof *set->entry,
                                    cap * sizeof *set->entry, bytes);
        if (stamps)
            set->stamp = charged_resize(set->stamp, set->cap * sizeof *set->stamp,
                                        cap * sizeof *set->stamp, bytes);
        set->cap = (uint32_t)cap;
    }
    return set->used++;
}

uint32_t set_insert(struct value_set *set, struct value v, bool stamps, uint64_t *bytes)
{
    uint32_t id = take_id(set, stamps, bytes);

    set->entry[id] = (struct set_entry){value_keep(v, bytes), 1};
    if (stamps)
        set->stamp[id] = (struct stamp){0, 0};
    set->n++;
    if (set->index) {
        index_add(set, id, bytes);
    } else if (set->used > FEW) {
        set->index = hash_index_new();
        *bytes += hash_index_bytes(set->index);
        for (uint32_t i = 0; i < set->used; i++)
            if (!value_is_missing(set->entry[i].v))
                index_add(set, i, bytes);
    }
    return id;
}

void set_drop(struct value_set *set, uint32_t id, uint64_t *bytes)
{
    struct set_entry *entry = &set->entry[id];

    if (set->index)
        hash_index_remove(set->index, value_hash(entry->v, SET_SEED), id);
    value_drop(entry->v, bytes);
    *entry = (struct set_entry){value_missing(), set->free};
    set->free = id;
    set->n--;
}

void set_widen(struct value_set *set, uint64_t used, uint64_t most, bool stamps, uint64_t *bytes)
{
    uint32_t from = set->used;
    uint64_t limit = most > 0 ? most : MOST_USED;
    uint64_t to = used < limit ? used : limit;

    for (uint32_t id = from; id < to; id++)
        set_insert(set, value_int(id), stamps, bytes);
    for (uint32_t id = set->used; id-- > from;)
        set_drop(set, id, bytes);
}
