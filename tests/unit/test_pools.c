// SPDX-License-Identifier: Apache-2.0
/* pools: constants are found again by value and type; value_set: membership, folding, order. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "plan/pools.h"

static struct value text(const char *s)
{
    return value_text(s, strlen(s));
}

static void constants_are_found_again(void **state)
{
    struct arena *a = arena_new(0);
    struct pools *pools = pools_new(a);
    char word[] = "word";

    (void)state;
    uint32_t one = pools_constant(pools, value_int(1));
    uint32_t one_point = pools_constant(pools, value_double(1.0));
    uint32_t w = pools_constant(pools, text(word));
    uint32_t missing = pools_constant(pools, value_missing());
    assert_int_not_equal(one, one_point);
    assert_int_equal(pools_constant(pools, value_int(1)), one);
    assert_int_equal(pools_constant(pools, value_double(1.0)), one_point);
    assert_int_equal(pools_constant(pools, text("word")), w);
    assert_int_equal(pools_constant(pools, value_missing()), missing);
    assert_int_equal(pools_count_values(pools), 4);
    word[0] = 'x'; /* the pool has a copy */
    assert_true(value_same(*pools_value(pools, w), text("word")));
    for (int i = 0; i < 1000; i++)
        assert_int_equal(pools_constant(pools, value_int(100 + i)), 4 + i);
    assert_int_equal(pools_view(pools)->value[4].u.i, 100);
    struct value pair[] = { value_int(1), text("a") };
    uint32_t list = pools_constant(pools, value_list(pair, 2));
    pair[0] = value_int(2);
    assert_int_equal(pools_value(pools, list)->u.list[0].u.i, 1);
    assert_ptr_equal(pools_arena(pools), a);
    pools_free(&pools);
    assert_null(pools);
    pools_free(&pools);
    arena_free(&a);
}

static void patterns_are_found_by_list_kind_and_fold(void **state)
{
    struct arena *a = arena_new(0);
    struct pools *pools = pools_new(a);
    struct value_set *set = value_set_new(true);
    struct pattern p = { .kind = PATTERN_SET, .fold = true, .name = "admins", .set = set };
    uint32_t n = 99;

    (void)state;
    assert_int_equal(pools_pattern(pools, &p), 0);
    assert_true(pools_find_pattern(pools, "admins", PATTERN_SET, true, &n) && n == 0);
    assert_false(pools_find_pattern(pools, "admins", PATTERN_SET, false, &n));
    assert_false(pools_find_pattern(pools, "admins", PATTERN_PARTS, true, &n));
    assert_false(pools_find_pattern(pools, "other", PATTERN_SET, true, &n));
    assert_ptr_equal(pools_get_pattern(pools, 0)->set, set);
    assert_int_equal(pools_count_patterns(pools), 1);
    pools_free(&pools);
    arena_free(&a);
}

static void sets_know_values_by_identity(void **state)
{
    struct value_set *set = value_set_new(false);

    (void)state;
    assert_false(value_set_has(set, value_int(1)));
    assert_false(value_set_comparable(set, value_int(1)));
    value_set_add(set, value_int(1));
    value_set_add(set, text("a"));
    value_set_add(set, value_double(1.0)); /* is there */
    value_set_add(set, text("a"));
    assert_int_equal(value_set_count(set), 2);
    assert_true(value_set_has(set, value_double(1.0)));
    assert_false(value_set_has(set, text("1")));
    assert_false(value_set_has(set, text("A")));
    assert_false(value_set_has(set, value_bool(true)));
    assert_true(value_set_comparable(set, value_double(9.5)));
    assert_true(value_set_comparable(set, text("")));
    assert_false(value_set_comparable(set, value_bool(true)));
    assert_false(value_set_comparable(set, value_time(1)));
    assert_int_equal(value_set_at(set, 0).u.i, 1);
    assert_true(value_same(value_set_at(set, 1), text("a")));
    value_set_free(&set);
    assert_null(set);
    value_set_free(&set);
}

static void folding_sets_ignore_case(void **state)
{
    struct value_set *set = value_set_new(true);
    char upper[2000], lower[2000];

    (void)state;
    value_set_add(set, text("\xc3\x84pfel")); /* Ae */
    value_set_add(set, text("KELVIN"));
    value_set_add(set, text("kelvin"));
    value_set_add(set, value_int(5));
    assert_int_equal(value_set_count(set), 3);
    assert_true(value_set_has(set, text("\xc3\xa4PFEL")));
    assert_true(value_set_has(set, text("\xe2\x84\xaa""elvin"))); /* the Kelvin sign */
    assert_true(value_set_has(set, value_int(5)));
    assert_false(value_set_has(set, text("kelvi")));
    /* longer than what is hashed at a time, and folded lengths that differ */
    for (size_t i = 0; i < sizeof upper; i++) {
        upper[i] = (char)('A' + i % 26);
        lower[i] = (char)('a' + i % 26);
    }
    value_set_add(set, value_text(upper, sizeof upper));
    assert_true(value_set_has(set, value_text(lower, sizeof lower)));
    assert_false(value_set_has(set, value_text(lower, sizeof lower - 1)));
    value_set_free(&set);
}

static void large_sets(void **state)
{
    struct value_set *set = value_set_new(false);
    char name[32];

    (void)state;
    for (int i = 0; i < 50000; i++) {
        snprintf(name, sizeof name, "host-%d", i);
        value_set_add(set, text(name));
    }
    assert_int_equal(value_set_count(set), 50000);
    for (int i = 0; i < 50000; i++) {
        snprintf(name, sizeof name, "host-%d", i);
        assert_true(value_set_has(set, text(name)));
        assert_true(value_same(value_set_at(set, (uint32_t)i), text(name)));
    }
    assert_false(value_set_has(set, text("host-50000")));
    value_set_free(&set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constants_are_found_again),
        cmocka_unit_test(patterns_are_found_by_list_kind_and_fold),
        cmocka_unit_test(sets_know_values_by_identity),
        cmocka_unit_test(folding_sets_ignore_case),
        cmocka_unit_test(large_sets),
    };

    return cmocka_run_group_tests_name("pools", tests, NULL, NULL);
}
