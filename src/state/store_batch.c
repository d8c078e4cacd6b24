// SPDX-License-Identifier: Apache-2.0
/*
 * store_batch - see store_batch.h. A record in a block: its head, its key, its value; the next one
 * begins where this one ends. A block holds records whole: a big one has a block of its own.
 */
#include "state/store_batch.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { BLOCK = 512 << 10 };
enum { FEW = 24 };  /* are sorted by insertion */
enum { AHEAD = 8, AHEAD_BYTES = 256 }; /* records, and of each */
#define REMOVED SIZE_MAX

struct record {
    size_t key_len;
    size_t len; /* of the value; REMOVED */
};

struct block {
    char *data;
    size_t len, cap;
};

struct store_batch {
    struct block *block; /* [n] */
    size_t n, cap;
    size_t n_records;
    size_t bytes; /* of keys and values */
};

/* What is sorted: keys that differ in their first 16 bytes, as most do, are not looked at. */
struct place {
    uint64_t first, second;
    uint32_t block, at; /* in it (only a block's first record is bigger than BLOCK); so they came in order of both */
};

struct store_batch *store_batch_new(void)
{
    return mem_calloc(1, sizeof(struct store_batch));
}

void store_batch_clear(struct store_batch *batch)
{
    for (size_t i = 0; i < batch->n; i++)
        mem_free(batch->block[i].data);
    batch->n = batch->n_records = batch->bytes = 0;
}

void store_batch_free(struct store_batch **batch)
{
    if (!*batch)
        return;
    store_batch_clear(*batch);
    mem_free((*batch)->block);
    mem_free(*batch);
    *batch = NULL;
}

static void add_block(struct store_batch *batch, size_t least)
{
    size_t cap = least > BLOCK ? least : BLOCK;

    batch->block = vec_reserve(batch->block, &batch->cap, batch->n + 1, sizeof *batch->block);
    batch->block[batch->n++] = (struct block){.data = mem_alloc(cap), .cap = cap};
}

static void add(struct store_batch *batch, const void *key, size_t key_len, const void *value,
                size_t len)
{
    struct record head = {.key_len = key_len, .len = value ? len : REMOVED};
    size_t size = sizeof head + key_len + len;

    if (batch->n == 0 || batch->block[batch->n - 1].cap - batch->block[batch->n - 1].len < size)
        add_block(batch, size);
    struct block *block = &batch->block[batch->n - 1];
    char *at = block->data + block->len;
    memcpy(at, &head, sizeof head);
    memcpy(at + sizeof head, key, key_len);
    if (len > 0)
        memcpy(at + sizeof head + key_len, value, len);
    block->len += size;
    batch->bytes += key_len + len;
    batch->n_records++;
}

void store_batch_put(struct store_batch *batch, const void *key, size_t key_len,
                     const void *value, size_t len)
{
    add(batch, key, key_len, len ? value : "", len);
}

void store_batch_remove(struct store_batch *batch, const void *key, size_t key_len)
{
    add(batch, key, key_len, NULL, 0);
}

size_t store_batch_bytes(const struct store_batch *batch)
{
    return batch->bytes;
}

void store_batch_append(struct store_batch *batch, struct store_batch *more)
{
    if (more->n == 0)
        return;
    batch->block = vec_reserve(batch->block, &batch->cap, batch->n + more->n, sizeof *batch->block);
    memcpy(batch->block + batch->n, more->block, more->n * sizeof *more->block);
    batch->n += more->n;
    batch->n_records += more->n_records;
    batch->bytes += more->bytes;
    more->n = more->n_records = more->bytes = 0;
}

/* ---- in order -------------------------------------------------------------------------------- */

static struct record head_of(const char *at)
{
    struct record head;

    memcpy(&head, at, sizeof head);
    return head;
}

static uint64_t big_endian(const char *key, size_t len, size_t from)
{
    uint8_t byte[8] = {0};
    uint64_t n = 0;

    if (len > from)
        memcpy(byte, key + from, len - from < 8 ? len - from : 8);
    for (size_t i = 0; i < 8; i++)
        n = n << 8 | byte[i];
    return n;
}

static const char *record_at(const struct store_batch *batch, const struct place *place)
{
    return batch->block[place->block].data + place->at;
}

static int by_key(const struct store_batch *batch, const struct place *x, const struct place *y)
{
    if (x->first != y->first)
        return x->first < y->first ? -1 : 1;
    if (x->second != y->second)
        return x->second < y->second ? -1 : 1;
    const char *a = record_at(batch, x), *b = record_at(batch, y);
    struct record p = head_of(a), q = head_of(b);
    int order = memcmp(a + sizeof p, b + sizeof q, p.key_len < q.key_len ? p.key_len : q.key_len);
    return order != 0 ? order : (p.key_len > q.key_len) - (p.key_len < q.key_len);
}

static int by_key_and_order(const void *a, const void *b, void *batch)
{
    const struct place *x = a, *y = b;
    int order = by_key(batch, x, y);

    if (order == 0)
        order = (x->block > y->block) - (x->block < y->block);
    return order != 0 ? order : (x->at > y->at) - (x->at < y->at);
}

static struct place *find_places(const struct store_batch *batch)
{
    struct place *place = mem_alloc((batch->n_records + 1) * sizeof *place);
    size_t n = 0;

    for (size_t i = 0; i < batch->n; i++) {
        const struct block *block = &batch->block[i];
        for (size_t at = 0; at < block->len;) {
            struct record head = head_of(block->data + at);
            const char *key = block->data + at + sizeof head;
            place[n++] = (struct place){.first = big_endian(key, head.key_len, 0),
                                        .second = big_endian(key, head.key_len, 8),
                                        .block = (uint32_t)i,
                                        .at = (uint32_t)at};
            at += sizeof head + head.key_len + (head.len != REMOVED ? head.len : 0);
        }
    }
    return place;
}

static void sort_few(const struct store_batch *batch, struct place *place, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        struct place one = place[i];
        size_t at = i;
        for (; at > 0 && by_key(batch, &place[at - 1], &one) > 0; at--)
            place[at] = place[at - 1];
        place[at] = one;
    }
}

static uint8_t byte_of(const struct place *place, unsigned byte)
{
    return (uint8_t)((byte < 8 ? place->first : place->second) >> (56 - 8 * (byte & 7)));
}

/* By one byte after the other: keys of a rule are hashes, so two or three of them tell nearly all apart (half
 * the time of qsort, 0.1 us a record). Those of equal keys stay in the order in which they came. */
static void sort_places(const struct store_batch *batch, struct place *place, size_t n, unsigned byte,
                        struct place *scratch)
{
    size_t end[256];

    for (; n > FEW && byte < 16; byte++) {
        size_t count[256] = {0}, sum = 0;
        for (size_t i = 0; i < n; i++)
            count[byte_of(&place[i], byte)]++;
        if (count[byte_of(&place[0], byte)] == n)
            continue;
        for (unsigned i = 0; i < 256; sum += count[i++])
            end[i] = sum;
        for (size_t i = 0; i < n; i++)
            scratch[end[byte_of(&place[i], byte)]++] = place[i];
        memcpy(place, scratch, n * sizeof *place);
        for (size_t i = 0, from = 0; i < 256; from = end[i++])
            sort_places(batch, place + from, end[i] - from, byte + 1, scratch);
        return;
    }
    if (n <= FEW)
        sort_few(batch, place, n);
    else
        qsort_r(place, n, sizeof *place, by_key_and_order, (void *)(uintptr_t)batch);
}

void store_batch_each(const struct store_batch *batch, store_batch_found_fn *found, void *ctx)
{
    struct place *place = find_places(batch);
    struct place *scratch = mem_alloc((batch->n_records + 1) * sizeof *scratch);
    size_t n = batch->n_records;

    sort_places(batch, place, n, 0, scratch);
    mem_free(scratch);
    for (size_t i = 0; i < n; i++) {
        const char *at = record_at(batch, &place[i]);
        struct record head = head_of(at);
        const char *key = at + sizeof head;
        if (i + AHEAD < n) /* they stand in another order than that in which they are wanted */
            mem_prefetch(record_at(batch, &place[i + AHEAD]), AHEAD_BYTES);
        if (i + 1 < n && by_key(batch, &place[i], &place[i + 1]) == 0)
            continue;
        found(ctx, key, head.key_len, head.len != REMOVED ? key + head.key_len : NULL,
              head.len != REMOVED ? head.len : 0);
    }
    mem_free(place);
}
