// SPDX-License-Identifier: Apache-2.0
/* partition: the table of keys against a plain array, under hashes that collide; blocks and bytes. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <unit/engine_fixture.h>

#include "base/hash.h"
#include "engine/engine_priv.h"
#include "engine/key.h"
#include "engine/partition.h"

/* A rule with two keys, two elements and two leading `not`s. */
static const char *const rule_text =
    "rule r { match by u, v within 9s { not x: s where k == 3 not y: s where k == 4\n"
    "  a: s where k == 1  b: s where k == 2 } }";

static void make_key(struct value key[2], char text[16], uint32_t n)
{
    int len = snprintf(text, 16, "key %u", n / 2);
    key[0] = value_text(text, (size_t)len);
    key[1] = n % 2 == 0 ? value_missing() : value_int(n);
}

static void a_new_partition_is_empty_and_has_its_key(void **state)
{
    (void)state;
    struct fixture fx;
    fixture_open(&fx, rule_text);
    struct rule_state *rs = &fx.en->rule[0];
    struct value key[2];
    char text[16];
    make_key(key, text, 7);
    assert_null(partition_find(&rs->parts, 5, key, 2));
    partition_prefetch(&rs->parts, 5);
    struct partition *part = partition_new(rs, 5, key);
    partition_prefetch(&rs->parts, 5);
    memset(text, 'x', sizeof text); /* the key is a copy */
    assert_true(partition_empty(part));
    assert_ptr_equal(part->rs, rs);
    assert_int_equal(fixture_stats(&fx, 0).keys, 1);
    assert_true(fixture_stats(&fx, 0).bytes >= part->size);
    make_key(key, text, 7);
    assert_true(key_same(part->key, key, 2));
    assert_ptr_equal(partition_find(&rs->parts, 5, key, 2), part);
    assert_null(partition_find(&rs->parts, 6, key, 2));
    make_key(key, text, 9);
    assert_null(partition_find(&rs->parts, 5, key, 2)); /* the hash alone is not the key */
    part->pins = 1;
    partition_release(part);
    assert_int_equal(fixture_stats(&fx, 0).keys, 1);
    part->pins = 0;
    part->lead[1].seen = true;
    partition_release(part);
    assert_int_equal(fixture_stats(&fx, 0).keys, 1);
    part->lead[1].seen = false;
    partition_release(part);
    fixture_assert_no_state(&fx);
    fixture_close(&fx);
}

enum { N_KEYS = 200 };

/* Few hashes, near the end of the table too: long clusters that go around it. */
static uint64_t bad_hash(uint32_t n, uint64_t kind)
{
    switch (kind) {
    case 0: return 0;
    case 1: return UINT64_MAX - n % 5;
    case 2: return n % 3 == 0 ? 15 : 14 + 16 * (uint64_t)n;
    default: return hash_mix(n, kind);
    }
}

static void the_table_is_as_an_array(void **state)
{
    (void)state;
    for (uint64_t round = 0; round < 12; round++) {
        uint64_t seed = round;
        struct fixture fx;
        struct partition *part[N_KEYS] = {0};
        uint32_t n = 0, n_keys = round < 6 ? N_KEYS : 11;
        fixture_open(&fx, rule_text);
        struct rule_state *rs = &fx.en->rule[0];
        for (uint32_t step = 0; step < 4000; step++) {
            uint32_t i = fixture_below(&seed, n_keys);
            uint64_t hash = bad_hash(i, round % 4);
            struct value key[2];
            char text[16];
            make_key(key, text, i);
            assert_ptr_equal(partition_find(&rs->parts, hash, key, 2), part[i]);
            if (part[i] != NULL) {
                partition_release(part[i]);
                part[i] = NULL;
                n--;
            } else {
                part[i] = partition_new(rs, hash, key);
                n++;
            }
            assert_int_equal(rs->parts.n, n);
            if (step % 50 != 0)
                continue;
            for (uint32_t k = 0; k < n_keys; k++) {
                make_key(key, text, k);
                assert_ptr_equal(partition_find(&rs->parts, bad_hash(k, round % 4), key, 2), part[k]);
            }
        }
        for (uint32_t i = 0; i < n_keys; i++) {
            if (part[i] != NULL)
                partition_release(part[i]);
        }
        fixture_assert_no_state(&fx);
        for (size_t i = 0; i <= rs->parts.mask; i++)
            assert_null(rs->parts.slot[i].part);
        fixture_close(&fx);
    }
}

/* What is in it is freed with its engine (the leak checker sees to it). */
static void a_full_table_is_freed(void **state)
{
    (void)state;
    struct fixture fx;
    char json[64];
    fixture_open(&fx, rule_text);
    for (int i = 0; i < 300; i++) {
        snprintf(json, sizeof json, "{\"u\":%d,\"v\":\"%d\",\"k\":%d}", i, i % 7, 1 + 2 * (i % 2));
        fixture_feed(&fx, 1, "s", json);
    }
    assert_int_equal(fixture_stats(&fx, 0).keys, 300);
    assert_int_equal(fixture_stats(&fx, 0).runs, 150);
    fixture_close(&fx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_new_partition_is_empty_and_has_its_key),
        cmocka_unit_test(the_table_is_as_an_array),
        cmocka_unit_test(a_full_table_is_freed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
