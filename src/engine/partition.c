// SPDX-License-Identifier: Apache-2.0
/* partition - see partition.h: the table of a rule's keys and the block of one. */
#include "engine/partition.h"

#include <string.h>

#include "base/mem.h"
#include "base/pool.h"
#include "engine/body.h"
#include "engine/engine_priv.h"
#include "engine/key.h"
#include "engine/set.h"
#include "event/event.h"

enum { FIRST_TABLE = 16 };

static void table_place(struct partition_table *table, struct partition *part)
{
    size_t at = part->hash & table->mask;
    while (table->slot[at].part != NULL)
        at = (at + 1) & table->mask;
    table->slot[at] = (struct partition_slot){.hash = part->hash, .part = part};
}

static void table_grow(struct partition_table *table)
{
    struct partition_table old = *table;
    size_t size = old.slot == NULL ? FIRST_TABLE : (old.mask + 1) * 2;
    table->slot = mem_calloc(size, sizeof *table->slot);
    table->mask = size - 1;
    for (size_t i = 0; old.slot != NULL && i <= old.mask; i++) {
        if (old.slot[i].part != NULL)
            table_place(table, old.slot[i].part);
    }
    mem_free(old.slot);
}

/* Backward shift: no tombstones, so a table of keys that come and go stays as fast as a new one. */
static void table_remove(struct partition_table *table, const struct partition *part)
{
    size_t at = part->hash & table->mask;
    while (table->slot[at].part != part)
        at = (at + 1) & table->mask;
    for (size_t next = (at + 1) & table->mask; table->slot[next].part != NULL;
         next = (next + 1) & table->mask) {
        size_t home = table->slot[next].hash & table->mask;
        if (((next - home) & table->mask) >= ((next - at) & table->mask)) {
            table->slot[at] = table->slot[next];
            at = next;
        }
    }
    table->slot[at].part = NULL;
    table->n--;
}

struct partition *partition_find(const struct partition_table *table, uint64_t hash,
                                 const struct value *key, uint32_t n_keys)
{
    if (table->slot == NULL)
        return NULL;
    for (size_t at = hash & table->mask; table->slot[at].part != NULL;
         at = (at + 1) & table->mask) {
        if (table->slot[at].hash == hash && key_same(table->slot[at].part->key, key, n_keys))
            return table->slot[at].part;
    }
    return NULL;
}

void partition_prefetch(const struct partition_table *table, uint64_t hash)
{
    if (table->slot != NULL)
        __builtin_prefetch(&table->slot[hash & table->mask]);
}

struct partition *partition_new(struct rule_state *rs, uint64_t hash, const struct value *key)
{
    const struct nfa *nfa = rs->rule->nfa;
    uint32_t n_keys = rs->keys.n_keys;
    size_t head = sizeof(struct partition) + nfa->n_elements * sizeof(struct run_list);
    size_t lead = nfa->n_lead_nots * sizeof(struct lead_memory);
    size_t sets = rs->sets != NULL ? set_part_size(rs) : 0;
    size_t size = head + sets + lead + n_keys * sizeof *key;
    for (uint32_t i = 0; i < n_keys; i++)
        size += value_copy_size(key[i]);
    struct partition *part = pool_alloc(rs->pool, size);
    memset(part, 0, head + sets + lead);
    char *mem = (char *)part + head;
    part->hash = hash;
    part->rs = rs;
    part->block = (uint32_t)size;
    part->size = (uint32_t)(size - sets); /* the reference has none */
    part->sets = rs->sets != NULL ? (struct set_part *)(void *)mem : NULL;
    mem += sets;
    part->lead = (struct lead_memory *)(void *)mem;
    mem += lead;
    part->key = (struct value *)(void *)mem;
    mem += n_keys * sizeof *key;
    for (uint32_t i = 0; i < n_keys; i++)
        part->key[i] = value_copy_to(key[i], &mem);
    struct partition_table *table = &rs->parts;
    if (table->slot == NULL || (table->n + 1) * 2 > table->mask + 1)
        table_grow(table);
    table_place(table, part);
    table->n++;
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

static void free_block(struct partition *part)
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
    table_remove(&rs->parts, part);
    rs->stats.keys--;
    rs->stats.bytes -= part->size + sizeof(struct partition_slot);
    free_block(part);
}

void partition_table_fini(struct partition_table *table)
{
    for (size_t i = 0; table->slot != NULL && i <= table->mask; i++) {
        if (table->slot[i].part != NULL)
            free_block(table->slot[i].part);
    }
    mem_free(table->slot);
    *table = (struct partition_table){0};
}
