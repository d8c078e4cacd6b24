// SPDX-License-Identifier: Apache-2.0
/* join: restarts, damage, pairs against a search of all, limits, edges. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <unit/window_fixture.h>

#define EACH(i, list) size_t i = 0; i < sizeof list / sizeof *list; i++

static const char *const rules[] = {
    "rule r { join by u within 10s { a: s  b: t } emit { x = a.x y = b.x } }",
    "rule r { join by u within 0s..9s { a: s  b?: t where k > a.k } emit { x = a.x y = b.x } }",
    "rule r { join by u within 10s { a?: s  b?: t } emit { x = a.v y = b.v } }",
    "rule r { join by u within 5s { a: s  not b: t where k == a.k } emit { x = a.v } }",
    "rule r { join by u within 6s { a: s where k < 3  b: s where k > 1 and x > a.x } limit matches 2 per event }",
    "rule r { join within 4s { a: s by k  b: t by k } }",
};

static void a_restart_changes_nothing_and_the_end_leaves_nothing(void **state)
{
    (void)state;
    for (EACH(i, rules))
        assert_true(body_restarts(rules[i], 15, false) > 15);
}

static void damaged_snapshots_are_refused_or_live(void **state)
{
    (void)state;
    for (EACH(i, rules))
        body_damage(rules[i], false);
}

static void pairs_are_those_of_a_search(void **state)
{
    enum { N = 500 };
    struct fixture fx;
    uint64_t seed = 3, want = 0;
    static int64_t time[N];
    static bool is_a[N];
    static int key[N];
    (void)state;
    fixture_open(&fx, "rule r { join by k within 7s { a: s  b: t } }");
    for (int i = 0; i < N; i++) {
        char json[50];
        time[i] = (i > 0 ? time[i - 1] : 0) + fixture_below(&seed, 3) * SECOND + (int64_t)fixture_below(&seed, 2);
        is_a[i] = fixture_below(&seed, 2) == 0;
        key[i] = (int)fixture_below(&seed, 3);
        for (int k = 0; k < i; k++)
            want += is_a[k] != is_a[i] && key[k] == key[i] && time[i] - time[k] <= 7 * SECOND;
        snprintf(json, sizeof json, "{\"k\":%d}", key[i]);
        fixture_feed_ns(&fx, time[i], is_a[i] ? "s" : "t", json);
        assert_int_equal(fx.out.n, want);
    }
    assert_true(want > 300);
    fixture_end(&fx);
    fixture_assert_no_state(&fx);
    fixture_close(&fx);
}

static void what_the_bound_needs_is_kept_and_no_more(void **state)
{
    struct fixture fx;
    uint64_t most = 0;
    (void)state;
    fixture_open(&fx, "rule r { join by k within 0s..10s { a: s  b: t } limit state 16KiB }");
    for (int i = 0; i < 5000; i++) {
        fixture_feed(&fx, i * 2, "s", "{\"k\":1}");
        if (i == 100)
            most = fixture_stats(&fx, 0).bytes;
        assert_true(i < 100 || fixture_stats(&fx, 0).bytes <= most);
    }
    assert_int_equal(fixture_stats(&fx, 0).limited_state, 0);
    for (int i = 0; i < 5000; i++)
        fixture_feed(&fx, 10000, "s", "{\"k\":1}");
    assert_true(fixture_stats(&fx, 0).limited_state > 4000);
    assert_true(fixture_stats(&fx, 0).bytes < 17 * 1024);
    fixture_end(&fx);
    fixture_assert_no_state(&fx);
    fixture_close(&fx);
}

/* Entries of many keys that fall due at one time; alone told once each, at time + bound. */
static void many_keys_fall_due_at_once(void **state)
{
    struct fixture fx;
    char json[50];
    (void)state;
    fixture_open(&fx, "rule r { join by k within 0s..10s { a: s  b?: t } }");
    for (int i = 0; i < 3000; i++) {
        snprintf(json, sizeof json, "{\"k\":%d}", i);
        fixture_feed(&fx, 1, "s", json);
    }
    fixture_advance(&fx, 11);
    assert_int_equal(fx.out.n, 0);
    fixture_feed(&fx, 11, "t", "{\"k\":7}"); /* at the very bound: a pair */
    assert_int_equal(fx.out.n, 1);
    engine_advance(fx.en, 11 * SECOND + 1, &fx.out);
    assert_int_equal(fx.out.n, 3000);
    fixture_end(&fx);
    assert_int_equal(fx.out.n, 3000);
    fixture_assert_no_state(&fx);
    fixture_close(&fx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_restart_changes_nothing_and_the_end_leaves_nothing),
        cmocka_unit_test(damaged_snapshots_are_refused_or_live),
        cmocka_unit_test(pairs_are_those_of_a_search),
        cmocka_unit_test(what_the_bound_needs_is_kept_and_no_more),
        cmocka_unit_test(many_keys_fall_due_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
