// SPDX-License-Identifier: Apache-2.0
/* row_table - see row_table.h. */
#include "event/row_table.h"

#include <string.h>

#include "base/arena.h"
#include "base/mem.h"

enum { FIRST_SIZE = 16, TEXT_CHUNK = 1 << 20 };
enum { PAGE_ROWS = 1024, PAGE_ENTRIES = 4096, FIRST_ROWS = 16 };
enum { N_TYPES = VALUE_OBJECT + 1 };

struct entry { /* row + 1; 0: free */
    uint32_t hash, row;
};

struct cell_page {
    uint32_t refs;
    uint32_t cap; /* rows */
    struct value cell[];
};

struct entry_page {
    uint32_t refs;
    struct entry entry[];
};

/* Texts and lists, of a table and its copies. */
struct row_texts {
    uint32_t refs;
    struct arena *arena;
    char *free;    /* bytes of a chunk for short texts */
    size_t left;
    size_t bytes;  /* of all chunks, and of lists */
};

struct row_table {
    uint32_t refs;
    uint32_t n_columns;
    uint32_t n_rows;
    struct cell_page **page;   /* [n_pages] */
    size_t n_pages, cap_pages;
    struct entry_page **index; /* [n_index] */
    uint32_t n_index;
    uint32_t mask;
    struct row_texts *texts;
    size_t held;               /* bytes of texts that rows have */
    uint32_t (*types)[N_TYPES]; /* [n_columns] */
};

/* ---- pages ------------------------------------------------------------------------------------ */

static uint32_t entries_of(uint32_t mask)
{
    return mask < PAGE_ENTRIES ? mask + 1 : PAGE_ENTRIES;
}

static void new_index(struct row_table *t, uint32_t mask)
{
    t->mask = mask;
    t->n_index = mask / PAGE_ENTRIES + 1;
    t->index = mem_calloc(t->n_index, sizeof(struct entry_page *));
    for (uint32_t i = 0; i < t->n_index; i++) {
        t->index[i] = mem_calloc(1, sizeof(struct entry_page) + entries_of(mask) * sizeof(struct entry));
        t->index[i]->refs = 1;
    }
}

static void free_index(struct entry_page **index, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (--index[i]->refs == 0)
            mem_free(index[i]);
    mem_free(index);
}

static struct entry *entry_at(const struct row_table *t, uint32_t at)
{
    return &t->index[at / PAGE_ENTRIES]->entry[at % PAGE_ENTRIES];
}

/* The same, of this table alone. */
static struct entry *own_entry(struct row_table *t, uint32_t at)
{
    struct entry_page **page = &t->index[at / PAGE_ENTRIES];
    size_t size = sizeof **page + entries_of(t->mask) * sizeof(struct entry);

    if ((*page)->refs > 1) {
        struct entry_page *copy = mem_alloc(size);
        memcpy(copy, *page, size);
        copy->refs = 1;
        (*page)->refs--;
        *page = copy;
    }
    return &(*page)->entry[at % PAGE_ENTRIES];
}

static size_t width_of(const struct row_table *t)
{
    return (size_t)t->n_columns + 1;
}

static size_t page_size(const struct row_table *t, uint32_t rows)
{
    return sizeof(struct cell_page) + rows * width_of(t) * sizeof(struct value);
}

static const struct value *row_at(const struct row_table *t, uint32_t row)
{
    return t->page[row / PAGE_ROWS]->cell + row % PAGE_ROWS * width_of(t);
}

/* The same, of this table alone. */
static struct value *own_row(struct row_table *t, uint32_t row)
{
    struct cell_page **page = &t->page[row / PAGE_ROWS];

    if ((*page)->refs > 1) {
        struct cell_page *copy = mem_alloc(page_size(t, (*page)->cap));
        memcpy(copy, *page, page_size(t, (*page)->cap));
        copy->refs = 1;
        (*page)->refs--;
        *page = copy;
    }
    return (*page)->cell + row % PAGE_ROWS * width_of(t);
}

/* Room for one more row. */
static void reserve_row(struct row_table *t)
{
    uint32_t at = t->n_rows % PAGE_ROWS;

    if (t->n_rows / PAGE_ROWS == t->n_pages) {
        uint32_t cap = t->n_pages > 0 ? PAGE_ROWS : FIRST_ROWS;
        t->page = vec_reserve(t->page, &t->cap_pages, t->n_pages + 1, sizeof(struct cell_page *));
        t->page[t->n_pages] = mem_alloc(page_size(t, cap));
        *t->page[t->n_pages++] = (struct cell_page){.refs = 1, .cap = cap};
        return;
    }
    own_row(t, t->n_rows);
    struct cell_page **last = &t->page[t->n_rows / PAGE_ROWS];
    if (at < (*last)->cap)
        return;
    uint32_t cap = (*last)->cap * 2 < PAGE_ROWS ? (*last)->cap * 2 : PAGE_ROWS;
    *last = mem_realloc(*last, page_size(t, cap));
    (*last)->cap = cap;
}

/* ---- texts ------------------------------------------------------------------------------------ */

static struct row_texts *texts_new(void)
{
    struct row_texts *texts = mem_calloc(1, sizeof *texts);

    texts->refs = 1;
    texts->arena = arena_new(TEXT_CHUNK);
    return texts;
}

static void texts_unref(struct row_texts *texts)
{
    if (--texts->refs > 0)
        return;
    arena_free(&texts->arena);
    mem_free(texts);
}

/* Texts lie one behind the other: most are short, and an arena would align each. */
static struct value keep(struct row_texts *texts, struct value v)
{
    if (v.type == VALUE_LIST) {
        texts->bytes += value_copy_size(v);
        return value_copy(v, texts->arena);
    }
    if ((v.type != VALUE_TEXT && v.type != VALUE_OBJECT) || v.len == 0)
        return v.len == 0 && v.type == VALUE_TEXT ? value_text("", 0) : v;
    if (v.len > texts->left) {
        texts->left = v.len > TEXT_CHUNK / 4 ? v.len : TEXT_CHUNK;
        texts->free = arena_alloc_raw(texts->arena, texts->left);
        texts->bytes += texts->left;
    }
    memcpy(texts->free, v.u.text, v.len);
    v.u.text = texts->free;
    texts->free += v.len;
    texts->left -= v.len;
    return v;
}

static size_t bytes_of(struct value v)
{
    if (v.type == VALUE_LIST)
        return value_copy_size(v);
    return v.type == VALUE_TEXT || v.type == VALUE_OBJECT ? v.len : 0;
}

/* Half of the texts is nobody's: the table gets its own. */
static void renew_texts(struct row_table *t)
{
    struct row_texts *fresh = texts_new();

    for (uint32_t row = 0; row < t->n_rows; row++) {
        struct value *cell = own_row(t, row);
        for (size_t i = 0; i < width_of(t); i++)
            cell[i] = keep(fresh, cell[i]);
    }
    texts_unref(t->texts);
    t->texts = fresh;
}

/* ---- the whole -------------------------------------------------------------------------------- */

struct row_table *row_table_new(uint32_t n_columns)
{
    struct row_table *t = mem_calloc(1, sizeof *t);
    t->refs = 1;
    t->n_columns = n_columns;
    t->texts = texts_new();
    t->types = mem_calloc((size_t)n_columns + 1, sizeof *t->types);
    new_index(t, FIRST_SIZE - 1);
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
    for (size_t i = 0; i < t->n_pages; i++)
        if (--t->page[i]->refs == 0)
            mem_free(t->page[i]);
    mem_free(t->page);
    free_index(t->index, t->n_index);
    texts_unref(t->texts);
    mem_free(t->types);
    mem_free(t);
}

struct row_table *row_table_copy(struct row_table *t)
{
    struct row_table *copy = mem_alloc(sizeof *copy);

    *copy = *t;
    copy->refs = 1;
    copy->cap_pages = t->n_pages;
    copy->page = mem_calloc(t->n_pages + 1, sizeof(struct cell_page *));
    for (size_t i = 0; i < t->n_pages; i++) {
        copy->page[i] = t->page[i];
        t->page[i]->refs++;
    }
    copy->index = mem_calloc(t->n_index, sizeof(struct entry_page *));
    for (uint32_t i = 0; i < t->n_index; i++) {
        copy->index[i] = t->index[i];
        t->index[i]->refs++;
    }
    copy->types = mem_calloc((size_t)t->n_columns + 1, sizeof *t->types);
    memcpy(copy->types, t->types, t->n_columns * sizeof *t->types);
    t->texts->refs++;
    if (t->texts->bytes > 2 * t->held + TEXT_CHUNK * 2)
        renew_texts(copy);
    return copy;
}

/* ---- the index -------------------------------------------------------------------------------- */

static uint32_t hash_of(struct value key)
{
    uint64_t hash = value_hash(key, 0);
    return (uint32_t)(hash ^ hash >> 32);
}

/* The place of the key, or the free one where it would be. */
static uint32_t place_of(const struct row_table *t, uint32_t hash, struct value key)
{
    uint32_t at = hash & t->mask;
    for (;; at = (at + 1) & t->mask) {
        const struct entry *entry = entry_at(t, at);
        if (entry->row == 0 || (entry->hash == hash && value_same(row_at(t, entry->row - 1)[0], key)))
            return at;
    }
}

static void grow(struct row_table *t)
{
    struct entry_page **old = t->index;
    uint32_t n = t->n_index, size = t->mask + 1, in_page = entries_of(t->mask);

    new_index(t, t->mask * 2 + 1);
    for (uint32_t i = 0; i < size; i++) {
        struct entry entry = old[i / in_page]->entry[i % in_page];
        uint32_t at = entry.hash & t->mask;
        if (entry.row == 0)
            continue;
        while (entry_at(t, at)->row != 0)
            at = (at + 1) & t->mask;
        *entry_at(t, at) = entry;
    }
    free_index(old, n);
}

/* The place is free now: those behind it that were pushed on come forward. */
static void free_place(struct row_table *t, uint32_t at)
{
    uint32_t next = at;
    for (;;) {
        next = (next + 1) & t->mask;
        struct entry entry = *entry_at(t, next);
        if (entry.row == 0)
            break;
        if (((next - (entry.hash & t->mask)) & t->mask) < ((next - at) & t->mask))
            continue; /* it would come before its own place */
        *own_entry(t, at) = entry;
        at = next;
    }
    *own_entry(t, at) = (struct entry){0, 0};
}

/* ---- rows ------------------------------------------------------------------------------------- */

/* by: 1 or -1. */
static void count_row(struct row_table *t, const struct value *cell, int by)
{
    size_t bytes = bytes_of(cell[0]);
    for (uint32_t i = 0; i < t->n_columns; i++) {
        t->types[i][cell[1 + i].type] += (uint32_t)by;
        bytes += bytes_of(cell[1 + i]);
    }
    t->held = by > 0 ? t->held + bytes : t->held - bytes;
}

static void fill(struct row_table *t, struct value *cell, struct value key,
                 const struct value *column)
{
    cell[0] = keep(t->texts, key);
    for (uint32_t i = 0; i < t->n_columns; i++)
        cell[1 + i] = keep(t->texts, column[i]);
    count_row(t, cell, 1);
}

static void append(struct row_table *t, uint32_t hash, uint32_t at, struct value key,
                   const struct value *column)
{
    reserve_row(t);
    fill(t, own_row(t, t->n_rows), key, column);
    *own_entry(t, at) = (struct entry){hash, ++t->n_rows};
    if (t->n_rows > t->mask / 2)
        grow(t);
}

bool row_table_add(struct row_table *t, struct value key, const struct value *column,
                   uint32_t *row_out)
{
    uint32_t hash = hash_of(key), at = place_of(t, hash, key), row = entry_at(t, at)->row;

    *row_out = row > 0 ? row - 1 : t->n_rows;
    if (row == 0)
        append(t, hash, at, key, column);
    return row == 0;
}

bool row_table_put(struct row_table *t, struct value key, const struct value *column,
                   uint32_t *row_out)
{
    if (row_table_add(t, key, column, row_out))
        return true;
    struct value *cell = own_row(t, *row_out);
    count_row(t, cell, -1);
    fill(t, cell, key, column);
    return false;
}

bool row_table_remove(struct row_table *t, struct value key)
{
    uint32_t row;
    if (!row_table_find(t, key, &row))
        return false;
    count_row(t, row_at(t, row), -1);
    free_place(t, place_of(t, hash_of(key), key));
    uint32_t last = t->n_rows - 1;
    if (row != last) {
        struct value moved = row_at(t, last)[0];
        own_entry(t, place_of(t, hash_of(moved), moved))->row = row + 1;
        memcpy(own_row(t, row), row_at(t, last), width_of(t) * sizeof(struct value));
    }
    t->n_rows--;
    while (t->n_pages > 0 && t->n_rows <= (t->n_pages - 1) * PAGE_ROWS) {
        struct cell_page *page = t->page[--t->n_pages];
        if (--page->refs == 0)
            mem_free(page);
    }
    return true;
}

void row_table_seal(struct row_table *t)
{
    if (t->n_pages == 0)
        return;
    struct cell_page **last = &t->page[t->n_pages - 1];
    uint32_t rows = (t->n_rows - 1) % PAGE_ROWS + 1;
    if ((*last)->refs > 1 || (*last)->cap == rows)
        return;
    *last = mem_realloc(*last, page_size(t, rows));
    (*last)->cap = rows;
}

bool row_table_find(const struct row_table *t, struct value key, uint32_t *row_out)
{
    if (key.type == VALUE_MISSING)
        return false;
    uint32_t row = entry_at(t, place_of(t, hash_of(key), key))->row;
    *row_out = row - 1;
    return row != 0;
}

struct value row_table_key(const struct row_table *t, uint32_t row)
{
    return row_at(t, row)[0];
}

struct value row_table_get(const struct row_table *t, uint32_t row, uint32_t column)
{
    return row_at(t, row)[1 + column];
}

uint32_t row_table_count(const struct row_table *t)
{
    return t->n_rows;
}

uint32_t row_table_types(const struct row_table *t, uint32_t column, int type)
{
    return t->types[column][type];
}

size_t row_table_bytes(const struct row_table *t)
{
    size_t bytes = sizeof *t + t->n_columns * sizeof *t->types +
                   (size_t)t->n_index * sizeof(struct entry_page) +
                   ((size_t)t->mask + 1) * sizeof(struct entry) + t->texts->bytes;
    for (size_t i = 0; i < t->n_pages; i++)
        bytes += page_size(t, t->page[i]->cap);
    return bytes;
}
