// SPDX-License-Identifier: Apache-2.0
/*
 * hash - XXH3, and the index from hashes to values.
 *
 * The table is a power of two of 16-byte slots, at most 7/8 full, linear probing in Robin Hood
 * order: along a probe sequence the entries' home slots never decrease. So a search for something
 * that is not there stops at the first entry that is nearer to its home than we are to ours, and
 * deletion shifts the followers back until one is at home - no tombstones, no slow decay.
 *
 * Invariants:
 *   1. slot.mix == 0 means empty; a real 0 is stored as 1.
 *   2. mix = hash * odd constant, home = its top bits. The multiplication is bijective; it is there
 *      because callers split their shards by the low bits of the same hash.
 *   3. an entry at slot s with distance d > 0 has a neighbour at s - 1 with distance >= d - 1.
 */
#include "base/hash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/mem.h"

enum { FIRST_BITS = 3 }; /* log2 of the slots of the first table */

struct slot {
    uint64_t mix; /* 0: empty */
    uint64_t value;
};

struct hash_index {
    struct slot *slot; /* owned; NULL until the first add */
    size_t mask;       /* slots - 1 */
    unsigned shift;    /* home = mix >> shift */
    size_t count;      /* entries */
};

uint64_t hash64(const void *data, size_t len, uint64_t seed)
{
    return XXH3_64bits_withSeed(data, len, seed);
}

static uint64_t mix_of(uint64_t hash)
{
    uint64_t mix = hash * UINT64_C(0x9e3779b97f4a7c15);

    return mix + (mix == 0);
}

static size_t distance(const struct hash_index *h, size_t at, uint64_t mix)
{
    return (at - (size_t)(mix >> h->shift)) & h->mask;
}

struct hash_index *hash_index_new(void)
{
    return mem_calloc(1, sizeof(struct hash_index));
}

void hash_index_free(struct hash_index **h)
{
    if (!*h)
        return;
    mem_free((*h)->slot);
    mem_free(*h);
    *h = NULL;
}

size_t hash_index_count(const struct hash_index *h)
{
    return h->count;
}

size_t hash_index_bytes(const struct hash_index *h)
{
    return sizeof *h + (h->slot ? (h->mask + 1) * sizeof *h->slot : 0);
}

bool hash_index_get(const struct hash_index *h, uint64_t hash, hash_equal_fn *equal,
                    const void *key, void *ctx, uint64_t *value_out)
{
    if (h->count == 0)
        return false;

    uint64_t mix = mix_of(hash);
    size_t at = (size_t)(mix >> h->shift);
    for (size_t d = 0;; d++, at = (at + 1) & h->mask) {
        const struct slot *s = &h->slot[at];
        if (s->mix == mix) {
            if (equal(s->value, key, ctx)) {
                *value_out = s->value;
                return true;
            }
        } else if (s->mix == 0 || distance(h, at, s->mix) < d) {
            return false;
        }
    }
}

static void insert(struct hash_index *h, struct slot new)
{
    size_t at = (size_t)(new.mix >> h->shift);

    for (size_t d = 0;; d++, at = (at + 1) & h->mask) {
        struct slot *s = &h->slot[at];
        if (s->mix == 0) {
            *s = new;
            return;
        }
        size_t its = distance(h, at, s->mix);
        if (its < d) {
            struct slot poorer = new;
            new = *s;
            *s = poorer;
            d = its;
        }
    }
}

static void grow(struct hash_index *h)
{
    struct slot *old = h->slot;
    size_t old_n = old ? h->mask + 1 : 0;
    unsigned bits = old ? 64 - h->shift + 1 : FIRST_BITS;

    h->slot = mem_calloc((size_t)1 << bits, sizeof *h->slot);
    h->mask = ((size_t)1 << bits) - 1;
    h->shift = 64 - bits;
    for (size_t i = 0; i < old_n; i++) {
        if (old[i].mix)
            insert(h, old[i]);
    }
    mem_free(old);
}

void hash_index_add(struct hash_index *h, uint64_t hash, uint64_t value)
{
    if (!h->slot || h->count + 1 > (h->mask + 1) / 8 * 7)
        grow(h);
    insert(h, (struct slot){ mix_of(hash), value });
    h->count++;
}

static void shift_back(struct hash_index *h, size_t hole)
{
    size_t next = (hole + 1) & h->mask;

    while (h->slot[next].mix && distance(h, next, h->slot[next].mix) > 0) {
        h->slot[hole] = h->slot[next];
        hole = next;
        next = (next + 1) & h->mask;
    }
    h->slot[hole].mix = 0;
}

bool hash_index_remove(struct hash_index *h, uint64_t hash, uint64_t value)
{
    if (h->count == 0)
        return false;

    uint64_t mix = mix_of(hash);
    size_t at = (size_t)(mix >> h->shift);
    for (size_t d = 0;; d++, at = (at + 1) & h->mask) {
        const struct slot *s = &h->slot[at];
        if (s->mix == mix && s->value == value)
            break;
        if (s->mix == 0 || distance(h, at, s->mix) < d)
            return false;
    }
    shift_back(h, at);
    h->count--;
    return true;
}
