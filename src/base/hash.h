// SPDX-License-Identifier: Apache-2.0
/*
 * hash - 64-bit hashing of bytes (XXH3, https://github.com/Cyan4973/xxHash) and a hash index.
 *
 * hash_index maps a 64-bit hash to uint64_t values; equality of the real keys is the caller's
 * (a callback), so one table serves every noun. Open addressing, linear probing, load <= 7/8,
 * backward-shift deletion (no tombstones).
 */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

uint64_t hash64(const void *data, size_t len, uint64_t seed);
/* One round of mixing for integers (bijective in `x` for a fixed seed). */
static inline uint64_t hash_mix(uint64_t x, uint64_t seed)
{
    x ^= seed + UINT64_C(0x9e3779b97f4a7c15);
    x ^= x >> 32;
    x *= UINT64_C(0xd6e8feb86659fd93);
    x ^= x >> 32;
    x *= UINT64_C(0xd6e8feb86659fd93);
    x ^= x >> 32;
    return x;
}

struct hash_index;
typedef bool hash_equal_fn(uint64_t value, const void *key, void *ctx);

struct hash_index *hash_index_new(void);
void hash_index_free(struct hash_index **h);
size_t hash_index_count(const struct hash_index *h);
size_t hash_index_bytes(const struct hash_index *h); /* memory it holds */
/* Finds the value whose hash is `hash` and for which equal(value, key, ctx); false if none. */
bool hash_index_get(const struct hash_index *h, uint64_t hash, hash_equal_fn *equal,
                    const void *key, void *ctx, uint64_t *value_out);
/* Adds without looking (the caller made sure that the key is not there). */
void hash_index_add(struct hash_index *h, uint64_t hash, uint64_t value);
/* Removes the entry with this hash and this very value; false if there is none. */
bool hash_index_remove(struct hash_index *h, uint64_t hash, uint64_t value);

#endif
