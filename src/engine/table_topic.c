// SPDX-License-Identifier: Apache-2.0
/*
 * table_topic - rows that the records of a topic bring: a record's key says which row it is, and the record
 * is its newest version, or (without a value) its end. What is looked up is a column of the row, its `key`:
 *
 *     record key --by_id--> row --index--> found by its key, if it is the last written of those that have it
 *
 *     record  u1 {"host":"a"}    u1: a              a: u1
 *     record  u2 {"host":"a"}    u1: a, u2: a       a: u2, below it u1
 *     record  u2 gone            u1: a              a: u1
 *
 * Invariants:
 *  1. by_id has each row once; index has of each key one row, whose `above` is NULL.
 *  2. from a row in the index `below` goes down in the order of seq.
 *  3. what one partition brings is applied in its order, whatever the times; of one row that two partitions bring
 *     (the topic got more of them) the later time counts, at one time what comes later.
 */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/mem.h"
#include "engine/engine.h"
#include "engine/record_priv.h"
#include "engine/table_priv.h"
#include "event/event.h"
#include "plan/program.h"

const char *const table_topic_column[TABLE_TOPIC_COLUMNS] = {"\x01row", "\x01seq", "\x01partition",
                                                             "\x01generation"};

/* ---- the two indexes ------------------------------------------------------------------------- */

static bool same_id(uint64_t value, const void *id, void *ctx)
{
    const struct fed_row *row = (const struct fed_row *)(uintptr_t)value;
    (void)ctx;
    return value_same(row->id, *(const struct value *)id);
}

static struct fed_row *table_topic_find(const struct fed_table *t, struct value id)
{
    uint64_t value;
    bool found = hash_index_get(t->by_id, value_hash(id, 0), same_id, &id, NULL, &value);
    return found ? (struct fed_row *)(uintptr_t)value : NULL;
}

static void index_add(struct fed_table *t, struct fed_row *row)
{
    hash_index_add(t->index, row->hash, (uint64_t)(uintptr_t)row);
}

/* It is the last written. */
static void show(struct fed_table *t, struct fed_row *row)
{
    struct fed_row *top = table_find(t, row->hash, row->key);
    row->above = NULL;
    row->below = top;
    row->shown = true;
    if (top != NULL) {
        hash_index_remove(t->index, top->hash, (uint64_t)(uintptr_t)top);
        top->above = row;
    }
    index_add(t, row);
}

static void hide(struct fed_table *t, struct fed_row *row)
{
    if (!row->shown)
        return;
    if (row->above == NULL) {
        hash_index_remove(t->index, row->hash, (uint64_t)(uintptr_t)row);
        if (row->below != NULL)
            index_add(t, row->below);
    } else {
        row->above->below = row->below;
    }
    if (row->below != NULL)
        row->below->above = row->above;
    row->shown = false;
}

void table_topic_forget(struct fed_row *row)
{
    hide(row->table, row);
    hash_index_remove(row->table->by_id, row->id_hash, (uint64_t)(uintptr_t)row);
}

static void add(struct fed_table *t, struct fed_row *row)
{
    row->id_hash = value_hash(row->id, 0);
    table_row_append(t, row);
    hash_index_add(t->by_id, row->id_hash, (uint64_t)(uintptr_t)row);
}

/* ---- records ----------------------------------------------------------------------------------- */

int64_t table_partition_number(const char *partition)
{
    const char *slash = strrchr(partition, '/');
    return slash != NULL ? strtoll(slash + 1, NULL, 10) : 0;
}

/* Is the row from a partition that is not the record's, and newer? */
static bool is_newer(const struct fed_row *row, const struct topic_record *record, int64_t partition)
{
    return row != NULL && row->partition != partition && row->updated > record->ev->time;
}

void table_topic_put(struct engine *en, struct fed_table *t, const struct topic_record *record)
{
    int64_t partition = table_partition_number(record->ev->origin->partition);
    if (record->id.type != VALUE_TEXT || (!record->gone && !table_is_key(record->key))) {
        t->refused++; /* readers tell of those before they come here */
        return;
    }
    struct fed_row *old = table_topic_find(t, record->id);
    if (is_newer(old, record, partition))
        return;
    if (record->gone) {
        if (old != NULL)
            table_row_drop(en, old);
        return;
    }
    if (old == NULL && !table_has_room(t)) {
        t->refused++;
        return;
    }
    struct fed_row *row = table_row_new(t, record->key, record->column, record->id);
    row->updated = record->ev->time;
    row->partition = partition;
    row->generation = record->ev->origin->generation;
    row->seq = ++t->seq;
    if (old != NULL) {
        table_row_succeed(old, row);
        table_row_drop(en, old);
    }
    add(t, row);
    show(t, row);
    if (t->records != NULL)
        record_link_touch(t->records->all, &row->link);
}

void engine_feed_row(struct engine *en, const struct event *ev)
{
    if (engine_broken(en) != NULL)
        return;
    for (uint32_t at = 0; at < ev->n_fits; at++) {
        const struct program_probe *probe = &en->prog->probe[ev->fits[at]];
        if (probe->kind == PROBE_TABLE)
            table_feed(en, probe->step, ev);
    }
    arena_reset(en->scratch);
}

static void drop_rows(struct engine *en, struct fed_table *t, int64_t partition, int64_t generation)
{
    struct fed_row *next;
    for (struct fed_row *row = t->first; row != NULL; row = next) {
        next = row->next;
        if (row->partition == partition && row->generation < generation)
            table_row_drop(en, row);
    }
}

void engine_drop_rows(struct engine *en, uint32_t source_id, int64_t partition, int64_t generation)
{
    for (uint32_t i = 0; i < en->tables.n && engine_broken(en) == NULL; i++) {
        struct fed_table *t = &en->tables.table[i];
        if (t->by_id != NULL && t->plan->stream == source_id)
            drop_rows(en, t, partition, generation);
    }
}

/* ---- restoring ----------------------------------------------------------------------------------- */

bool table_topic_restore(struct fed_table *t, struct value key, const struct value *column, int64_t updated)
{
    const struct value *more = column + t->plan->n_columns;
    if (more[0].type != VALUE_TEXT || more[1].type != VALUE_INT || more[2].type != VALUE_INT ||
        more[3].type != VALUE_INT || more[1].u.i < 0 || table_topic_find(t, more[0]) != NULL)
        return false;
    struct fed_row *row = table_row_new(t, key, column, more[0]);
    row->updated = updated;
    row->seq = (uint64_t)more[1].u.i;
    row->partition = more[2].u.i;
    row->generation = more[3].u.i;
    row->link.stored = t->records != NULL;
    if (row->seq > t->seq)
        t->seq = row->seq;
    add(t, row);
    return true;
}

static int by_seq(const void *a, const void *b)
{
    struct fed_row *const *x = a, *const *y = b;
    return ((*x)->seq > (*y)->seq) - ((*x)->seq < (*y)->seq);
}

void table_topic_settle(struct fed_table *t)
{
    if (t->by_id == NULL || t->n == 0)
        return;
    struct fed_row **row = mem_calloc(t->n, sizeof(struct fed_row *));
    size_t n = 0;
    for (struct fed_row *at = t->first; at != NULL; at = at->next)
        row[n++] = at;
    qsort(row, n, sizeof(struct fed_row *), by_seq);
    t->first = t->last = NULL;
    t->n = t->bytes = 0;
    for (size_t i = 0; i < n; i++) {
        table_row_append(t, row[i]);
        if (!row[i]->shown)
            show(t, row[i]);
    }
    mem_free(row);
}
