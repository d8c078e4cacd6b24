// SPDX-License-Identifier: Apache-2.0
/*
 * record_store - an ordered map in memory as the store of an engine's records (engine/record.h): what
 * is put waits until record_store_commit, as a batch does.
 */
#ifndef UNIT_RECORD_STORE_H
#define UNIT_RECORD_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "engine/record.h"
#include "plan/program.h"

struct record_entry {
    char *key, *value; /* one block, owned; value NULL: removed */
    size_t key_len, len, order;
};

struct record_entries {
    struct record_entry *at;
    size_t n, cap;
};

struct record_store {
    struct record_entries is, next; /* sorted; in the order in which they were put */
    struct record_writer writer;
    size_t n_puts, n_removes, put_bytes, n_reads;
    bool fails; /* it cannot be read */
    bool small; /* engines have small directories */
};

static inline void record_entry_add(struct record_entries *to, const void *key, size_t key_len,
                                    const void *value, size_t len)
{
    to->at = vec_reserve(to->at, &to->cap, to->n + 1, sizeof *to->at);
    struct record_entry *one = &to->at[to->n];
    *one = (struct record_entry){.key = mem_alloc(key_len + len + 1), .key_len = key_len,
                                 .len = len, .order = to->n};
    to->n++;
    memcpy(one->key, key, key_len);
    if (value == NULL)
        return;
    one->value = one->key + key_len;
    if (len > 0)
        memcpy(one->value, value, len);
}

static inline void record_store_put(void *ctx, const void *key, size_t key_len, const void *value,
                                    size_t len)
{
    struct record_store *rs = ctx;
    rs->n_puts++;
    rs->put_bytes += key_len + len;
    record_entry_add(&rs->next, key, key_len, value != NULL ? value : "", len);
}

static inline void record_store_remove(void *ctx, const void *key, size_t key_len)
{
    struct record_store *rs = ctx;
    rs->n_removes++;
    record_entry_add(&rs->next, key, key_len, NULL, 0);
}

static inline void record_store_init(struct record_store *rs)
{
    *rs = (struct record_store){.writer = {.put = record_store_put, .remove = record_store_remove}};
    rs->writer.ctx = rs;
}

static inline void record_entries_fini(struct record_entries *entries)
{
    for (size_t i = 0; i < entries->n; i++)
        mem_free(entries->at[i].key);
    mem_free(entries->at);
    *entries = (struct record_entries){0};
}

static inline void record_store_fini(struct record_store *rs)
{
    record_entries_fini(&rs->is);
    record_entries_fini(&rs->next);
}

static inline int record_key_order(const struct record_entry *a, const struct record_entry *b)
{
    size_t least = a->key_len < b->key_len ? a->key_len : b->key_len;
    int order = memcmp(a->key, b->key, least);
    if (order != 0)
        return order;
    return a->key_len < b->key_len ? -1 : a->key_len > b->key_len;
}

static inline int record_entry_order(const void *a, const void *b)
{
    const struct record_entry *x = a, *y = b;
    int order = record_key_order(x, y);
    if (order != 0)
        return order;
    return x->order < y->order ? -1 : x->order > y->order;
}

/* What was put is there now. */
static inline void record_store_commit(struct record_store *rs)
{
    struct record_entries to = {0};
    struct record_entries *a = &rs->is, *b = &rs->next;
    size_t i = 0, k = 0;
    if (b->n > 1)
        qsort(b->at, b->n, sizeof *b->at, record_entry_order);
    to.at = vec_reserve(NULL, &to.cap, a->n + b->n + 1, sizeof *to.at);
    while (i < a->n || k < b->n) {
        int order = i == a->n ? 1 : k == b->n ? -1 : record_key_order(&a->at[i], &b->at[k]);
        if (order < 0) {
            to.at[to.n++] = a->at[i++];
            continue;
        }
        if (order == 0)
            mem_free(a->at[i++].key);
        while (k + 1 < b->n && record_key_order(&b->at[k], &b->at[k + 1]) == 0)
            mem_free(b->at[k++].key);
        if (b->at[k].value != NULL)
            to.at[to.n++] = b->at[k++];
        else
            mem_free(b->at[k++].key);
    }
    mem_free(a->at);
    mem_free(b->at);
    rs->is = to;
    rs->next = (struct record_entries){0};
}

static inline bool record_store_read(void *ctx, const void *prefix, size_t prefix_len,
                                     record_found_fn *found, void *found_ctx)
{
    struct record_store *rs = ctx;
    struct record_entry want = {.key = (char *)(uintptr_t)prefix, .key_len = prefix_len};
    size_t low = 0, high = rs->is.n;
    rs->n_reads++;
    if (rs->fails)
        return false;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (record_key_order(&rs->is.at[mid], &want) < 0)
            low = mid + 1;
        else
            high = mid;
    }
    for (; low < rs->is.n; low++) {
        const struct record_entry *at = &rs->is.at[low];
        if (at->key_len < prefix_len || memcmp(at->key, prefix, prefix_len) != 0 ||
            !found(found_ctx, at->key, at->key_len, at->value, at->len))
            break;
    }
    return true;
}

/* Rule and table n have the incarnations n + 1 and 1000 + n. */
static inline void record_store_attach(struct record_store *rs, struct engine *en,
                                       const struct program *prog)
{
    uint32_t *rule = mem_calloc(prog->n_rules + 1, sizeof *rule);
    uint32_t *table = mem_calloc(prog->n_tables + 1, sizeof *table);
    for (uint32_t i = 0; i < prog->n_rules; i++)
        rule[i] = i + 1;
    for (uint32_t i = 0; i < prog->n_tables; i++)
        table[i] = 1000 + i;
    struct engine_attachment attachment = {.reader = {.read = record_store_read, .ctx = rs},
                                           .rule_incarnation = rule, .table_incarnation = table,
                                           .small_directories = rs->small};
    engine_attach(en, &attachment);
    mem_free(rule);
    mem_free(table);
}

/* All records into a fresh engine that is attached. NULL, or why not. */
static inline const char *record_store_restore(struct record_store *rs, struct engine *en,
                                               const struct engine_clock *clock)
{
    const char *why = NULL;
    engine_clock_set(en, clock);
    for (size_t i = 0; i < rs->is.n && why == NULL; i++) {
        const struct record_entry *at = &rs->is.at[i];
        if (!engine_restore_record(en, at->key, at->key_len, at->value, at->len, &why) &&
            why == NULL)
            why = "?";
    }
    if (why == NULL)
        engine_restore_end(en);
    return why;
}

static inline const char *record_store_open(struct record_store *rs, struct engine *en,
                                            const struct program *prog,
                                            const struct engine_clock *clock)
{
    record_store_attach(rs, en, prog);
    return record_store_restore(rs, en, clock);
}

#endif
