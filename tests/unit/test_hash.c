// SPDX-License-Identifier: Apache-2.0
/* hash: XXH3 is stable; hash_index against a plain array, with hashes that collide. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

enum { KEYS = 2000 };

static bool is_value(uint64_t value, const void *key, void *ctx)
{
    const uint64_t *want = key;
    size_t *calls = ctx;

    if (calls)
        ++*calls;
    return value == *want;
}

static bool has(const struct hash_index *h, uint64_t hash, uint64_t value)
{
    uint64_t found = ~value;
    bool yes = hash_index_get(h, hash, is_value, &value, NULL, &found);

    if (yes)
        assert_true(found == value);
    return yes;
}

static void hashes_are_what_the_library_documents(void **state)
{
    (void)state;
    /* XXH3_64bits of nothing; snapshots depend on it staying so */
    assert_true(hash64("", 0, 0) == UINT64_C(0x2d06800538d394c2));
    assert_true(hash64(NULL, 0, 0) == hash64("", 0, 0));
    assert_true(hash64("a", 1, 0) != hash64("a", 1, 1));
    assert_true(hash64("a", 1, 0) != hash64("b", 1, 0));
    assert_true(hash_mix(1, 0) != hash_mix(2, 0));
    assert_true(hash_mix(1, 0) != hash_mix(1, 1));
}

static void empty_index(void **state)
{
    struct hash_index *h = hash_index_new();

    (void)state;
    assert_int_equal(hash_index_count(h), 0);
    assert_false(has(h, 0, 0));
    assert_false(hash_index_remove(h, 0, 0));
    assert_true(hash_index_bytes(h) > 0);
    hash_index_free(&h);
    assert_null(h);
    hash_index_free(&h);
}

static void hash_zero_is_a_hash(void **state)
{
    struct hash_index *h = hash_index_new();

    (void)state;
    hash_index_add(h, 0, 7);
    hash_index_add(h, UINT64_MAX, 0);
    assert_true(has(h, 0, 7));
    assert_false(has(h, 0, 8));
    assert_true(has(h, UINT64_MAX, 0));
    assert_true(hash_index_remove(h, 0, 7));
    assert_false(has(h, 0, 7));
    assert_int_equal(hash_index_count(h), 1);
    hash_index_free(&h);
}

static uint64_t plain(uint64_t key)
{
    return key;
}

static uint64_t good(uint64_t key)
{
    return hash_mix(key, 0);
}

static uint64_t ten_hashes(uint64_t key)
{
    return hash_mix(key % 10, 0);
}

static uint64_t all_one(uint64_t key)
{
    (void)key;
    return 42;
}

static uint64_t high_bits(uint64_t key)
{
    return key << 52;
}

static void random_against_array(uint64_t (*hash)(uint64_t), unsigned keys, int steps)
{
    struct hash_index *h = hash_index_new();
    bool in[KEYS] = { false };
    size_t count = 0;

    srand(7);
    for (int i = 0; i < steps; i++) {
        uint64_t key = (uint64_t)rand() % keys;
        /* filling and emptying in turns */
        bool add = rand() % 10 < (i / (steps / 6) % 2 ? 3 : 7);
        if (add && !in[key]) {
            hash_index_add(h, hash(key), key);
            in[key] = true;
            count++;
        } else if (!add) {
            assert_int_equal(hash_index_remove(h, hash(key), key), in[key]);
            count -= in[key];
            in[key] = false;
        }
        uint64_t other = (uint64_t)rand() % keys;
        assert_int_equal(has(h, hash(other), other), in[other]);
        assert_int_equal(hash_index_count(h), count);
    }
    for (uint64_t key = 0; key < keys; key++) {
        assert_int_equal(has(h, hash(key), key), in[key]);
        if (in[key])
            assert_true(hash_index_remove(h, hash(key), key));
    }
    assert_int_equal(hash_index_count(h), 0);
    hash_index_free(&h);
}

static void random_operations(void **state)
{
    (void)state;
    random_against_array(good, KEYS, 100000);
    random_against_array(plain, KEYS, 100000);
    random_against_array(high_bits, KEYS, 100000);
    random_against_array(good, 20, 20000);
    random_against_array(ten_hashes, 100, 20000);
    random_against_array(all_one, 50, 20000);
}

/* Shards are chosen by the low bits of the same hash: that must not make long probe sequences. */
static void equal_low_bits_stay_fast(void **state)
{
    struct hash_index *h = hash_index_new();
    size_t calls = 0;
    uint64_t found;

    (void)state;
    for (uint64_t key = 0; key < 200000; key++)
        hash_index_add(h, hash_mix(key, 0) << 8 | 0x35, key);
    for (uint64_t key = 0; key < 200000; key++)
        assert_true(hash_index_get(h, hash_mix(key, 0) << 8 | 0x35, is_value, &key, &calls,
                                   &found));
    assert_true(calls < 201000);
    assert_true(hash_index_bytes(h) < (size_t)16 * 2 * 200000 * 8 / 7);
    hash_index_free(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hashes_are_what_the_library_documents),
        cmocka_unit_test(empty_index),
        cmocka_unit_test(hash_zero_is_a_hash),
        cmocka_unit_test(random_operations),
        cmocka_unit_test(equal_low_bits_stay_fast),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
