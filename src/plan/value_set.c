// SPDX-License-Identifier: Apache-2.0
/*
 * value_set - a hash set of scalar values, immutable once it is used: open addressing over the
 * array of values, which keeps the order of adding. With fold, texts are kept as they were added
 * and hashed and compared by their folded code points, so a look-up allocates nothing.
 */
#include <string.h>

#include "base/arena.h"
#include "base/casefold.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "plan/pools.h"

enum { FOLD_CHUNK = 256 }; /* bytes that the hash of a folded text takes at a time */

struct entry {
    struct value value;
    uint64_t hash;
};

struct value_set {
    struct arena *arena; /* texts */
    struct entry *entry; /* owned; [n] in order of adding */
    size_t cap;          /* entries allocated */
    uint32_t n;
    uint32_t *bucket;    /* owned; number of an entry + 1, 0: free */
    uint32_t mask;       /* buckets - 1; at most half of them are used */
    bool fold;
    uint16_t types;      /* OR of 1 << type; doubles count as integers */
};

struct value_set *value_set_new(bool fold)
{
    struct value_set *set = mem_calloc(1, sizeof *set);

    set->arena = arena_new(1024);
    set->fold = fold;
    set->mask = 7;
    set->bucket = mem_calloc(set->mask + 1, sizeof *set->bucket);
    return set;
}

void value_set_free(struct value_set **set)
{
    if (!*set)
        return;
    arena_free(&(*set)->arena);
    mem_free((*set)->entry);
    mem_free((*set)->bucket);
    mem_free(*set);
    *set = NULL;
}

static unsigned type_bit(struct value v)
{
    return 1u << (v.type == VALUE_DOUBLE ? VALUE_INT : v.type);
}

/* Chunks end after whole code points, at places that only the folded text decides. */
static uint64_t hash_folded(const char *text, size_t len)
{
    char chunk[FOLD_CHUNK + 4];
    size_t used = 0, i = 0;
    uint64_t h = 0;

    while (i < len) {
        unsigned char c = (unsigned char)text[i];
        if (c < 0x80) {
            chunk[used++] = (char)((unsigned)(c - 'A') < 26 ? c | 0x20 : c);
            i++;
        } else {
            used += utf8_encode(casefold_char(utf8_next(text, len, &i)), chunk + used);
        }
        if (used >= FOLD_CHUNK) {
            h = hash64(chunk, used, h);
            used = 0;
        }
    }
    return hash64(chunk, used, h);
}

static uint64_t hash_of(const struct value_set *set, struct value v)
{
    if (set->fold && v.type == VALUE_TEXT)
        return hash_folded(v.u.text, v.len);
    return value_hash(v, 0);
}

static bool same(const struct value_set *set, struct value a, struct value b)
{
    if (a.type == VALUE_TEXT && b.type == VALUE_TEXT) {
        if (set->fold)
            return casefold_equal(a.u.text, a.len, b.u.text, b.len);
        return a.len == b.len && (a.len == 0 || memcmp(a.u.text, b.u.text, a.len) == 0);
    }
    return value_same(a, b);
}

static bool find(const struct value_set *set, struct value v, uint64_t hash)
{
    for (uint32_t i = (uint32_t)hash & set->mask; set->bucket[i]; i = (i + 1) & set->mask) {
        const struct entry *e = &set->entry[set->bucket[i] - 1];
        if (e->hash == hash && same(set, e->value, v))
            return true;
    }
    return false;
}

static void fill_bucket(struct value_set *set, uint64_t hash, uint32_t number)
{
    uint32_t i = (uint32_t)hash & set->mask;

    while (set->bucket[i])
        i = (i + 1) & set->mask;
    set->bucket[i] = number + 1;
}

static void grow(struct value_set *set)
{
    set->mask = set->mask * 2 + 1;
    mem_free(set->bucket);
    set->bucket = mem_calloc((size_t)set->mask + 1, sizeof *set->bucket);
    for (uint32_t i = 0; i < set->n; i++)
        fill_bucket(set, set->entry[i].hash, i);
}

void value_set_add(struct value_set *set, struct value v)
{
    uint64_t hash = hash_of(set, v);

    if (find(set, v, hash))
        return;
    if ((set->n + 1) * 2 > set->mask)
        grow(set);
    set->entry = vec_reserve(set->entry, &set->cap, set->n + 1, sizeof *set->entry);
    set->entry[set->n] = (struct entry){ value_copy(v, set->arena), hash };
    fill_bucket(set, hash, set->n++);
    set->types |= (uint16_t)type_bit(v);
}

bool value_set_has(const struct value_set *set, struct value v)
{
    if (!(set->types & type_bit(v)))
        return false;
    return find(set, v, hash_of(set, v));
}

bool value_set_comparable(const struct value_set *set, struct value v)
{
    return set->types & type_bit(v);
}

uint32_t value_set_count(const struct value_set *set)
{
    return set->n;
}

struct value value_set_at(const struct value_set *set, uint32_t i)
{
    return set->entry[i].value;
}
