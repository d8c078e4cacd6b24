// SPDX-License-Identifier: Apache-2.0
/* row_table - see row_table.h. */
#include "event/row_table.h"

#include <string.h>

#include "base/arena.h"
#include "base/mem.h"

enum { FIRST_SIZE = 16, TEXT_CHUNK = 1 << 20 };

struct entry { /* row + 1; 0: free */
    uint32_t hash, row;
};

struct row_table {
    uint32_t refs;
    uint32_t n_columns;
    uint32_t n_rows;
    struct value *cell; /* (1 + n_columns) for each row, the key first */
    size_t cap_cells;
    struct arena *texts;
    char *text;         /* free bytes of the chunk of texts */
    size_t text_left;
    size_t chunks;      /* bytes of all chunks, and of lists */
    struct entry *entry;
    uint32_t mask;
};

struct row_table *row_table_new(uint32_t n_columns)
{
    struct row_table *t = mem_calloc(1, sizeof *t);
    t->refs = 1;
    t->n_columns = n_columns;
    t->texts = arena_new(TEXT_CHUNK);
    t->entry = mem_calloc(FIRST_SIZE, sizeof *t->entry);
    t->mask = FIRST_SIZE - 1;
    return t;
}

struct row_table *row_table_ref(struct row_table *t)
{
    t->refs++;
    return t;
}

void row_table_unref(struct row_table **table)
{
    struct row_table *t = *table;
    *table = NULL;
    if (t == NULL || --t->refs > 0)
        return;
    mem_free(t->cell);
    mem_free(t->entry);
    arena_free(&t->texts);
    mem_free(t);
}

static const struct value *row_at(const struct row_table *t, uint32_t row)
{
    return t->cell + (size_t)row * (t->n_columns + 1);
}

static uint32_t hash_of(struct value key)
{
    uint64_t hash = value_hash(key, 0);
    return (uint32_t)(hash ^ hash >> 32);
}

/* The place of the key, or the free one where it would be. */
static uint32_t place_of(const struct row_table *t, uint32_t hash, struct value key)
{
    uint32_t at = hash & t->mask;
    for (; t->entry[at].row != 0; at = (at + 1) & t->mask) {
        if (t->entry[at].hash == hash && value_same(row_at(t, t->entry[at].row - 1)[0], key))
            break;
    }
    return at;
}

static void grow(struct row_table *t)
{
    struct entry *old = t->entry;
    uint32_t old_mask = t->mask;
    t->mask = old_mask * 2 + 1;
    t->entry = mem_calloc((size_t)t->mask + 1, sizeof *t->entry);
    for (uint32_t i = 0; i <= old_mask; i++) {
        uint32_t at = old[i].hash & t->mask;
        if (old[i].row == 0)
            continue;
        while (t->entry[at].row != 0)
            at = (at + 1) & t->mask;
        t->entry[at] = old[i];
    }
    mem_free(old);
}

/* Texts lie one behind the other: most are short, and an arena would align each. */
static struct value copy(struct row_table *t, struct value v)
{
    if (v.type == VALUE_LIST) {
        t->chunks += value_copy_size(v);
        return value_copy(v, t->texts);
    }
    if ((v.type != VALUE_TEXT && v.type != VALUE_OBJECT) || v.len == 0)
        return v.len == 0 && v.type == VALUE_TEXT ? value_text("", 0) : v;
    if (v.len > t->text_left) {
        t->text_left = v.len > TEXT_CHUNK / 4 ? v.len : TEXT_CHUNK;
        t->text = arena_alloc_raw(t->texts, t->text_left);
        t->chunks += t->text_left;
    }
    memcpy(t->text, v.u.text, v.len);
    v.u.text = t->text;
    t->text += v.len;
    t->text_left -= v.len;
    return v;
}

bool row_table_add(struct row_table *t, struct value key, const struct value *column,
                   uint32_t *row_out)
{
    uint32_t hash = hash_of(key), at = place_of(t, hash, key);
    if (t->entry[at].row != 0) {
        *row_out = t->entry[at].row - 1;
        return false;
    }
    size_t width = (size_t)t->n_columns + 1, end = (size_t)t->n_rows * width;
    t->cell = vec_reserve(t->cell, &t->cap_cells, end + width, sizeof *t->cell);
    t->cell[end] = copy(t, key);
    for (uint32_t i = 0; i < t->n_columns; i++)
        t->cell[end + 1 + i] = copy(t, column[i]);
    *row_out = t->n_rows++;
    t->entry[at] = (struct entry){hash, t->n_rows};
    if (t->n_rows > t->mask / 2)
        grow(t);
    return true;
}

void row_table_seal(struct row_table *t)
{
    t->cap_cells = (size_t)t->n_rows * (t->n_columns + 1);
    if (t->cap_cells > 0)
        t->cell = mem_realloc(t->cell, t->cap_cells * sizeof *t->cell);
}

bool row_table_find(const struct row_table *t, struct value key, uint32_t *row_out)
{
    if (key.type == VALUE_MISSING)
        return false;
    uint32_t row = t->entry[place_of(t, hash_of(key), key)].row;
    *row_out = row - 1;
    return row != 0;
}

struct value row_table_key(const struct row_table *t, uint32_t row)
{
    return t->cell[(size_t)row * (1 + t->n_columns)];
}

struct value row_table_get(const struct row_table *t, uint32_t row, uint32_t column)
{
    return row_at(t, row)[1 + column];
}

uint32_t row_table_count(const struct row_table *t)
{
    return t->n_rows;
}

size_t row_table_bytes(const struct row_table *t)
{
    return sizeof *t + t->cap_cells * sizeof *t->cell + ((size_t)t->mask + 1) * sizeof *t->entry +
           t->chunks;
}
