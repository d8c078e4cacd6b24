// SPDX-License-Identifier: Apache-2.0
/* table - see table.h. */
#include "engine/table_priv.h"

#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/reader.h"
#include "engine/record_priv.h"
#include "engine/snapshot.h"
#include "engine/vm.h"
#include "event/event.h"
#include "event/row_table.h"

#define CONTAINER(ptr, type, member) ((type *)(void *)((char *)(ptr) - offsetof(type, member)))

/* ---- rows ---------------------------------------------------------------------------------- */

static bool same_key(uint64_t value, const void *key, void *ctx)
{
    const struct fed_row *row = (const struct fed_row *)(uintptr_t)value;
    (void)ctx;
    return value_same(row->key, *(const struct value *)key);
}

struct fed_row *table_find(const struct fed_table *t, uint64_t hash, struct value key)
{
    uint64_t value;
    bool found = hash_index_get(t->index, hash, same_key, &key, NULL, &value);
    return found ? (struct fed_row *)(uintptr_t)value : NULL;
}

struct fed_row *table_row_new(struct fed_table *t, struct value key, const struct value *column,
                              struct value id)
{
    uint32_t n = t->plan->n_columns;
    size_t head = sizeof(struct fed_row) + n * sizeof *column;
    size_t size = head + value_copy_size(key) + value_copy_size(id);
    for (uint32_t i = 0; i < n; i++)
        size += value_copy_size(column[i]);
    struct fed_row *row = mem_alloc(size);
    char *mem = (char *)row + head;
    *row = (struct fed_row){.link = {.kind = RECORD_ROW}, .table = t, .hash = value_hash(key, 0), .size = size};
    row->key = value_copy_to(key, &mem);
    row->id = value_copy_to(id, &mem);
    for (uint32_t i = 0; i < n; i++)
        row->column[i] = value_copy_to(column[i], &mem);
    return row;
}

void table_row_append(struct fed_table *t, struct fed_row *row)
{
    row->prev = t->last;
    row->next = NULL;
    if (t->last != NULL)
        t->last->next = row;
    else
        t->first = row;
    t->last = row;
    t->n++;
    t->bytes += row->size;
}

static void row_link(struct fed_table *t, struct fed_row *row)
{
    table_row_append(t, row);
    hash_index_add(t->index, row->hash, (uint64_t)(uintptr_t)row);
}

bool table_has_room(const struct fed_table *t)
{
    return t->n < TABLE_MAX_ROWS && t->bytes < TABLE_MAX_BYTES;
}

void table_row_succeed(struct fed_row *old, struct fed_row *row)
{
    struct table_records *records = old->table->records;
    if (records != NULL)
        record_link_touch(records->all, &old->link);
    row->link.stored = old->link.stored;
    old->link.stored = false;
}

void table_row_drop(struct engine *en, struct fed_row *row)
{
    struct fed_table *t = row->table;
    if (t->records != NULL)
        record_link_gone(t->records->all, &row->link);
    deadline_clear(&en->heap, &row->deadline);
    if (t->by_id != NULL)
        table_topic_forget(row);
    else
        hash_index_remove(t->index, row->hash, (uint64_t)(uintptr_t)row);
    if (row->prev != NULL)
        row->prev->next = row->next;
    else
        t->first = row->next;
    if (row->next != NULL)
        row->next->prev = row->prev;
    else
        t->last = row->prev;
    t->n--;
    t->bytes -= row->size;
    mem_free(row);
}

static int64_t row_due(const struct fed_row *row)
{
    return time_plus(time_plus(row->updated, row->table->plan->keep), 1);
}

void table_row_due(struct engine *en, struct deadline *dl)
{
    table_row_drop(en, CONTAINER(dl, struct fed_row, deadline));
}

/* ---- lifetime ------------------------------------------------------------------------------ */

void tables_init(struct engine *en)
{
    const struct program *prog = en->prog;
    en->tables = (struct table_set){.n = prog->n_tables, .now = INT64_MIN};
    en->tables.table = mem_calloc(prog->n_tables + 1, sizeof *en->tables.table);
    for (uint32_t i = 0; i < prog->n_tables; i++) {
        struct fed_table *t = &en->tables.table[i];
        t->plan = &prog->table[i];
        if (t->plan->rows != NULL)
            continue;
        t->index = hash_index_new();
        t->by_id = t->plan->kafka != NULL ? hash_index_new() : NULL;
        deadline_queue_init(&en->heap, &t->queue, DEADLINE_TABLE, t->plan->keep, t);
    }
    en->vm.tables = &en->tables;
}

void tables_fini(struct engine *en)
{
    for (uint32_t i = 0; i < en->tables.n; i++) {
        struct fed_table *t = &en->tables.table[i];
        while (t->first != NULL)
            table_row_drop(en, t->first);
        hash_index_free(&t->index);
        hash_index_free(&t->by_id);
    }
    mem_free(en->tables.table);
}

/* ---- look-up ------------------------------------------------------------------------------- */

static const struct fed_row *visible(const struct table_set *set, uint32_t number, struct value key)
{
    const struct fed_table *t = set != NULL ? &set->table[number] : NULL;
    if (t == NULL || t->n == 0 || key.type == VALUE_MISSING)
        return NULL;
    const struct fed_row *row = table_find(t, value_hash(key, 0), key);
    bool past = row != NULL && t->plan->keep >= 0 &&
                set->now > time_plus(row->updated, t->plan->keep);
    return past ? NULL : row;
}

bool table_has(const struct table_set *set, const struct program_table *plan, uint32_t number,
               struct value key)
{
    uint32_t row;
    if (plan->rows != NULL)
        return row_table_find(plan->rows, key, &row);
    return visible(set, number, key) != NULL;
}

struct value table_get(const struct table_set *set, const struct program_table *plan,
                       uint32_t number, struct value key, uint32_t column)
{
    uint32_t at;
    if (key.type == VALUE_LIST)
        return value_missing();
    if (plan->rows != NULL)
        return row_table_find(plan->rows, key, &at)
                   ? row_table_get(plan->rows, at, plan->at != NULL ? plan->at[column] : column)
                   : value_missing();
    const struct fed_row *row = visible(set, number, key);
    return row != NULL ? row->column[column] : value_missing();
}

/* ---- feeding ------------------------------------------------------------------------------- */

static void put(struct engine *en, struct fed_table *t, struct value key,
                const struct value *column, int64_t time)
{
    struct fed_row *old = table_find(t, value_hash(key, 0), key);
    if (old == NULL && !table_has_room(t)) {
        t->refused++;
        return;
    }
    struct fed_row *row = table_row_new(t, key, column, value_missing());
    row->updated = time;
    if (old != NULL) {
        table_row_succeed(old, row);
        table_row_drop(en, old);
    }
    row_link(t, row);
    if (t->records != NULL)
        record_link_touch(t->records->all, &row->link);
    if (t->plan->keep >= 0)
        deadline_set(&en->heap, &t->queue, &row->deadline, row_due(row));
}

bool table_is_key(struct value v)
{
    return v.type != VALUE_MISSING && v.type != VALUE_LIST && v.type != VALUE_OBJECT;
}

void table_feed(struct engine *en, uint32_t number, const struct event *ev)
{
    struct fed_table *t = &en->tables.table[number];
    struct vm_counters counters = {0};
    en->vm.ev = ev;
    en->vm.ev_stream = (uint16_t)t->plan->stream;
    en->vm.bound = NULL;
    en->vm.key = NULL;
    en->vm.counters = &counters;
    struct value key = vm_eval(&en->vm, t->plan->key);
    struct value id = t->by_id != NULL ? vm_eval(&en->vm, t->plan->row) : value_missing();
    bool gone = t->by_id != NULL && vm_eval(&en->vm, t->plan->deleted).type != VALUE_MISSING;
    struct value *column = arena_alloc(en->scratch, (t->plan->n_columns + 1) * sizeof *column);
    for (uint32_t i = 0; i < t->plan->n_columns; i++)
        column[i] = vm_eval(&en->vm, t->plan->column[i]);
    en->vm.counters = NULL;
    if (t->by_id != NULL) {
        struct topic_record record = {.id = id, .gone = gone, .key = key, .column = column, .ev = ev};
        table_topic_put(en, t, &record);
        return;
    }
    bool any = false;
    uint32_t n = key.type == VALUE_LIST ? key.len : 1;
    for (uint32_t i = 0; i < n; i++) {
        struct value one = key.type == VALUE_LIST ? key.u.list[i] : key;
        if (table_is_key(one))
            put(en, t, one, column, ev->time);
        any |= table_is_key(one);
    }
    t->refused += !any;
}

/* ---- snapshot and records -------------------------------------------------------------------- */

/* Those of a topic have some more, behind the others. */
static uint32_t columns_written(const struct fed_table *t)
{
    return t->plan->n_columns + (t->by_id != NULL ? TABLE_TOPIC_COLUMNS : 0);
}

static const char *column_written(const struct fed_table *t, uint32_t i)
{
    uint32_t n = t->plan->n_columns;
    return i < n ? t->plan->column_name[i] : table_topic_column[i - n];
}

void table_head_encode(struct buf *out, const struct fed_table *t)
{
    buf_add_varint(out, t->refused);
    uint32_t n = columns_written(t);
    buf_add_varint(out, n);
    for (uint32_t i = 0; i < n; i++)
        buf_add_bytes(out, column_written(t, i), strlen(column_written(t, i)));
}

static void encode_row(struct buf *out, const struct fed_row *row)
{
    buf_add_u64(out, (uint64_t)row->updated);
    value_encode_exact(out, row->key);
    for (uint32_t i = 0; i < row->table->plan->n_columns; i++)
        value_encode_exact(out, row->column[i]);
    if (row->table->by_id == NULL)
        return;
    value_encode_exact(out, row->id);
    value_encode_exact(out, value_int((int64_t)row->seq));
    value_encode_exact(out, value_int(row->partition));
    value_encode_exact(out, value_int(row->generation));
}

static void encode_table(struct buf *out, const struct fed_table *t)
{
    buf_add_bytes(out, t->plan->name, strlen(t->plan->name));
    table_head_encode(out, t);
    buf_add_varint(out, t->n);
    for (const struct fed_row *row = t->first; row != NULL; row = row->next)
        encode_row(out, row);
}

void tables_encode(struct buf *out, const struct engine *en)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < en->tables.n; i++)
        n += en->tables.table[i].index != NULL;
    buf_add_varint(out, n);
    for (uint32_t i = 0; i < en->tables.n; i++) {
        if (en->tables.table[i].index != NULL)
            encode_table(out, &en->tables.table[i]);
    }
}

static bool is_text(const char *is, const char *text, size_t len)
{
    return strlen(is) == len && memcmp(is, text, len) == 0;
}

bool table_row_decode(struct restore *re, struct fed_table *t, const uint32_t *to, size_t n,
                      struct reader *r)
{
    struct engine *en = re->en;
    struct value *column =
        arena_alloc(re->scratch, ((t != NULL ? columns_written(t) : 0) + 1) * sizeof *column);
    int64_t updated = (int64_t)reader_u64(r);
    struct value key = value_decode(r, re->scratch);
    for (size_t i = 0; i < n && !r->bad; i++) {
        struct value v = value_decode(r, re->scratch);
        if (to[i] != UINT32_MAX)
            column[to[i]] = v;
    }
    bool of_topic = t != NULL && t->by_id != NULL; /* its times are not the engine's */
    if (r->bad || (updated > engine_latest(en) && t != NULL && !of_topic) || !table_is_key(key))
        return false;
    if (t == NULL)
        return true;
    if (of_topic)
        return table_topic_restore(t, key, column, updated);
    if (table_find(t, value_hash(key, 0), key) != NULL)
        return false;
    struct fed_row *row = table_row_new(t, key, column, value_missing());
    row->updated = updated;
    row->link.stored = t->records != NULL;
    row_link(t, row);
    if (t->plan->keep >= 0 && row_due(row) < en->now)
        table_row_drop(en, row); /* kept for longer by an older program */
    else if (t->plan->keep >= 0)
        restore_deadline(re, &t->queue, &row->deadline, row_due(row), 0);
    return true;
}

bool table_head_decode(struct fed_table *t, struct reader *r, uint32_t **to_out, size_t *n_out)
{
    size_t len;
    uint64_t refused = reader_varint(r), n = reader_varint(r);
    if (r->bad || n > reader_left(r))
        return false;
    if (t != NULL)
        t->refused = refused;
    uint32_t *to = *to_out = mem_calloc(n + 1, sizeof *to);
    *n_out = n;
    for (uint64_t i = 0; i < n; i++) {
        to[i] = UINT32_MAX;
        const char *name = reader_bytes(r, &len);
        for (uint32_t c = 0; t != NULL && c < columns_written(t) && !r->bad; c++) {
            if (is_text(column_written(t, c), name, len))
                to[i] = c;
        }
    }
    return !r->bad;
}

/* A table that is no more, or is no longer fed, is read and left. */
static bool decode_table(struct restore *re, struct reader *r)
{
    struct engine *en = re->en;
    struct fed_table *t = NULL;
    size_t len, n;
    uint32_t *to = NULL;
    const char *name = reader_bytes(r, &len);
    for (uint32_t i = 0; i < en->tables.n && !r->bad; i++) {
        if (en->tables.table[i].index != NULL && is_text(en->tables.table[i].plan->name, name, len))
            t = &en->tables.table[i];
    }
    bool ok = !r->bad && (t == NULL || t->first == NULL) && table_head_decode(t, r, &to, &n);
    uint64_t rows = ok ? reader_varint(r) : 0;
    for (uint64_t i = 0; i < rows && ok; i++) {
        ok = table_row_decode(re, t, to, n, r);
        arena_reset(re->scratch);
    }
    mem_free(to);
    if (t != NULL)
        table_topic_settle(t);
    return ok && !r->bad;
}

bool tables_decode(struct restore *re, struct reader *r)
{
    uint64_t n = reader_varint(r);
    bool ok = !r->bad;
    for (uint64_t i = 0; i < n && ok; i++)
        ok = decode_table(re, r);
    return ok;
}

bool table_same_columns(const struct fed_table *t, const uint32_t *to, size_t n)
{
    bool same = n == columns_written(t);
    for (size_t i = 0; i < n && same; i++)
        same = to[i] == i;
    return same;
}

const struct fed_table *table_of_row(const struct record_link *link)
{
    return ((const struct fed_row *)(const void *)link)->table;
}

void table_row_key(struct buf *out, const struct record_link *link)
{
    const struct fed_row *row = (const struct fed_row *)(const void *)link;
    value_encode(out, row->table->by_id != NULL ? row->id : row->key);
}

void table_row_encode(struct buf *out, const struct record_link *link)
{
    encode_row(out, (const struct fed_row *)(const void *)link);
}

void table_touch_all(struct fed_table *t)
{
    for (struct fed_row *row = t->first; row != NULL; row = row->next)
        record_link_touch(t->records->all, &row->link);
}
