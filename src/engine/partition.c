// SPDX-License-Identifier: Apache-2.0
/* partition - see partition.h: the table of a rule's keys and the block of one. */
#include "engine/partition.h"

#include <string.h>

#include "base/mem.h"
#include "base/pool.h"
#include "engine/body.h"
#include "engine/engine_priv.h"
#include "engine/key.h"
#include "engine/record_link.h"
#include "engine/run.h"
#include "engine/set.h"
#include "event/event.h"

enum { FIRST_BITS = 4 }; /* of a table's size */

static void table_place(struct partition_table *table, uint64_t hash, struct partition *part)
{
    size_t at = partition_home(table, hash);
    while (table->slot[at].part != NULL)
        at = (at + 1) & table->mask;
    table->slot[at] = (struct partition_slot){.hash = hash, .part = part};
}

static void table_resize(struct partition_table *table, uint8_t bits)
{
    struct partition_table old = *table;
    table->slot = mem_calloc((size_t)1 << bits, sizeof *table->slot);
    table->mask = ((size_t)1 << bits) - 1;
    table->shift = (uint8_t)(64 - bits);
    for (size_t i = 0; old.slot != NULL && i <= old.mask; i++) {
        if (old.slot[i].part != NULL)
            table_place(table, old.slot[i].hash, old.slot[i].part);
    }
    mem_free(old.slot);
}

/* Backward shift: no tombstones, so a table of keys that come and go stays as fast as a new one. */
void partition_unplace(struct partition_table *table, struct partition_slot *slot)
{
    size_t at = (size_t)(slot - table->slot);
    for (size_t next = (at + 1) & table->mask; table->slot[next].part != NULL;
         next = (next + 1) & table->mask) {
        size_t home = partition_home(table, table->slot[next].hash);
        if (((next - home) & table->mask) >= ((next - at) & table->mask)) {
            table->slot[at] = table->slot[next];
            at = next;
        }
    }
    table->slot[at].part = NULL;
    table->n--;
}

struct partition_slot *partition_slot_of(const struct partition *part)
{
    const struct partition_table *table = &part->rs->parts;
    size_t at = partition_home(table, part->hash);
    while (table->slot[at].part != part)
        at = (at + 1) & table->mask;
    return &table->slot[at];
}

/* Directories of millions of keys may be fuller: it is most of what they cost. */
void partition_reserve(struct rule_state *rs, size_t n)
{
    struct partition_table *table = &rs->parts;
    uint8_t bits = table->slot != NULL ? (uint8_t)(64 - table->shift) : FIRST_BITS;
    while (rs->records != NULL ? n * 4 > ((size_t)3 << bits) : n * 2 > ((size_t)1 << bits))
        bits++;
    if (table->slot == NULL || (size_t)1 << bits > table->mask + 1)
        table_resize(table, bits);
}

struct partition_slot *partition_stub(const struct partition_table *table, uint64_t hash,
                                      uint64_t tag)
{
    if (table->slot == NULL)
        return NULL;
    for (size_t at = partition_home(table, hash); table->slot[at].part != NULL;
         at = (at + 1) & table->mask) {
        struct partition_slot *slot = &table->slot[at];
        if (slot->hash == hash && partition_is_stub(slot->part) &&
            (tag == 0 || (uintptr_t)slot->part == tag))
            return slot;
    }
    return NULL;
}

void partition_stub_add(struct rule_state *rs, uint64_t hash, uint64_t tag)
{
    partition_reserve(rs, rs->parts.n + 1);
    table_place(&rs->parts, hash, partition_of_tag(tag));
    rs->parts.n++;
}

struct partition *partition_get(struct rule_state *rs, uint64_t hash, const struct value *key)
{
    struct partition *part = partition_find(&rs->parts, hash, key, rs->keys.n_keys);
    if (!partition_is_stub(part))
        return part;
    record_load(rs, hash);
    return partition_find(&rs->parts, hash, key, rs->keys.n_keys);
}

struct partition *partition_find(const struct partition_table *table, uint64_t hash,
                                 const struct value *key, uint32_t n_keys)
{
    if (table->slot == NULL)
        return NULL;
    for (size_t at = partition_home(table, hash); table->slot[at].part != NULL;
         at = (at + 1) & table->mask) {
        if (table->slot[at].hash == hash && (partition_is_stub(table->slot[at].part) ||
                                            key_same(table->slot[at].part->key, key, n_keys)))
            return table->slot[at].part;
    }
    return NULL;
}

void partition_prefetch(const struct partition_table *table, uint64_t hash)
{
    if (table->slot != NULL)
        __builtin_prefetch(&table->slot[partition_home(table, hash)]);
}

void partition_prefetch_part(const struct partition_table *table, uint64_t hash)
{
    if (table->slot == NULL)
        return;
    size_t at = partition_home(table, hash);
    while (table->slot[at].part != NULL && table->slot[at].hash != hash)
        at = (at + 1) & table->mask;
    __builtin_prefetch(table->slot[at].part);
    __builtin_prefetch((const char *)table->slot[at].part + 64);
}

struct partition *partition_new(struct rule_state *rs, uint64_t hash, const struct value *key)
{
    return partition_new_as(rs, hash, key, rs->sets != NULL);
}

struct partition *partition_new_as(struct rule_state *rs, uint64_t hash, const struct value *key,
                                   bool by_sets)
{
    const struct nfa *nfa = rs->rule->nfa;
    uint32_t n_keys = rs->keys.n_keys;
    size_t head = sizeof(struct partition) + nfa->n_elements * sizeof(struct run_list);
    size_t lead = nfa->n_lead_nots * sizeof(struct lead_memory);
    size_t sets = by_sets ? set_part_size(rs) : 0;
    size_t size = head + sets + lead + n_keys * sizeof *key;
    for (uint32_t i = 0; i < n_keys; i++)
        size += value_copy_size(key[i]);
    size_t charged = size - sets;
    if (rs->records != NULL)
        size = ((size + 7) & ~(size_t)7) + record_part_size();
    struct partition *part = pool_alloc(rs->pool, size);
    memset(part, 0, head + sets + lead);
    char *mem = (char *)part + head;
    part->hash = hash;
    part->rs = rs;
    part->block = (uint32_t)size;
    part->size = (uint32_t)charged; /* the reference has no sets */
    part->sets = by_sets ? (struct set_part *)(void *)mem : NULL;
    mem += sets;
    part->lead = (struct lead_memory *)(void *)mem;
    mem += lead;
    part->key = (struct value *)(void *)mem;
    mem += n_keys * sizeof *key;
    for (uint32_t i = 0; i < n_keys; i++)
        part->key[i] = value_copy_to(key[i], &mem);
    struct partition_table *table = &rs->parts;
    partition_reserve(rs, table->n + 1);
    table_place(table, hash, part);
    table->n++;
    if (rs->records != NULL)
        record_new(part);
    rs->stats.keys++;
    rs->stats.bytes += part->size + sizeof(struct partition_slot);
    return part;
}

bool partition_empty(const struct partition *part)
{
    if (part->n_runs > 0 || part->pins > 0)
        return false;
    if (part->rs->ops != NULL && !part->rs->ops->empty(part))
        return false;
    for (uint16_t i = 0; i < part->rs->rule->nfa->n_lead_nots; i++) {
        if (part->lead[i].seen)
            return false;
    }
    return true;
}

void partition_block_free(struct partition *part)
{
    for (uint16_t i = 0; i < part->rs->rule->nfa->n_lead_nots; i++) {
        struct lead_memory *memory = &part->lead[i];
        for (size_t k = memory->first; k < memory->n; k++)
            event_unref(memory->ev[k]);
        mem_free(memory->ev);
    }
    pool_give(part->rs->pool, part, part->block);
}

void partition_release(struct partition *part)
{
    if (part->sets != NULL && part->waiting.first == NULL)
        set_forget_ghosts(part);
    if (!partition_empty(part))
        return;
    struct rule_state *rs = part->rs;
    if (rs->records != NULL)
        record_gone(part);
    partition_unplace(&rs->parts, partition_slot_of(part));
    rs->stats.keys--;
    rs->stats.bytes -= part->size + sizeof(struct partition_slot);
    partition_block_free(part);
}

void partition_strip(struct engine *en, struct partition *part)
{
    for (uint16_t e = 0; e < part->rs->rule->nfa->n_elements; e++)
        run_list_drop(en, &part->at[e]);
    run_list_drop(en, &part->waiting);
    if (part->sets != NULL)
        set_part_fini(en, part);
    if (part->rs->ops != NULL)
        part->rs->ops->part_fini(en, part);
    deadline_clear(&en->heap, &part->lead_due);
}

void partition_table_fini(struct partition_table *table)
{
    for (size_t i = 0; table->slot != NULL && i <= table->mask; i++) {
        if (table->slot[i].part != NULL && !partition_is_stub(table->slot[i].part))
            partition_block_free(table->slot[i].part);
    }
    mem_free(table->slot);
    *table = (struct partition_table){0};
}
