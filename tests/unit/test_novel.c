// SPDX-License-Identifier: Apache-2.0
/* novel: restarts, damage, sightings against a search, limits, keys that are forgotten. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <unit/window_fixture.h>

#define EACH(i, list) size_t i = 0; i < sizeof list / sizeof *list; i++

static const char *const rules[] = {
    "rule r { novel v within 30s { a: s } emit { v = v } }",
    "rule r { novel v, k by u within 20s { a: s  b: t } emit { v = v k = k } }",
    "rule r { novel v by u within 40s after 10s { a: s } }",
    "rule r { novel v within 60s { a: s } limit values 4 per key }",
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

static void sightings_are_those_of_a_search(void **state)
{
    enum { N = 800 };
    struct fixture fx;
    uint64_t seed = 3, want = 0;
    static int64_t time[N];
    static int v[N], key[N];
    (void)state;
    fixture_open(&fx, "rule r { novel v by k within 20s { a: s } }");
    for (int i = 0; i < N; i++) {
        char json[50];
        bool seen = false;
        time[i] = (i > 0 ? time[i - 1] : 0) + fixture_below(&seed, 4) * SECOND + (int64_t)fixture_below(&seed, 2);
        v[i] = (int)fixture_below(&seed, 30);
        key[i] = (int)fixture_below(&seed, 3);
        for (int j = 0; j < i; j++)
            seen |= v[j] == v[i] && key[j] == key[i] && time[i] - time[j] <= 20 * SECOND;
        want += !seen;
        snprintf(json, sizeof json, "{\"k\":%d,\"v\":\"%d\"}", key[i], v[i]);
        fixture_feed_ns(&fx, time[i], "s", json);
        assert_int_equal(fx.out.n, want);
    }
    assert_true(want > 100 && want < N - 50);
    fixture_end(&fx);
    fixture_assert_no_state(&fx);
    fixture_close(&fx);
}

static void nothing_grows_beyond_its_limit(void **state)
{
    static const char *const texts[] = {
        "rule r { novel v within 14d { a: s } limit values 100 per key }",
        "rule r { novel v within 14d { a: s } limit state 16KiB }",
        "rule r { novel v by v within 14d { a: s } limit state 16KiB }",
    };
    (void)state;
    for (EACH(i, texts)) {
        struct fixture fx;
        char json[50];
        fixture_open(&fx, texts[i]);
        for (int n = 0; n < 10000; n++) {
            snprintf(json, sizeof json, "{\"v\":\"value %d\"}", n);
            fixture_feed(&fx, n, "s", json);
            assert_true(fixture_stats(&fx, 0).bytes < 24 * 1024);
            alert_list_clear(&fx.out);
        }
        struct engine_rule_stats stats = fixture_stats(&fx, 0);
        assert_true(stats.limited_values + stats.limited_state > 9000);
        assert_true(i > 0 || stats.limited_values == 9900);
        fixture_end(&fx);
        fixture_assert_no_state(&fx);
        fixture_close(&fx);
    }
}

static void what_was_not_seen_for_long_is_forgotten(void **state)
{
    struct fixture fx;
    char json[50];
    (void)state;
    fixture_open(&fx, "rule r { novel v within 1m { a: s } }");
    for (int n = 0; n < 100000; n++) {
        snprintf(json, sizeof json, "{\"v\":%d}", n);
        fixture_feed(&fx, n, "s", json); /* each is forgotten after a minute */
        assert_true(fixture_stats(&fx, 0).bytes < 10000);
        alert_list_clear(&fx.out);
    }
    fixture_end(&fx);
    fixture_assert_no_state(&fx);
    fixture_close(&fx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_restart_changes_nothing_and_the_end_leaves_nothing),
        cmocka_unit_test(damaged_snapshots_are_refused_or_live),
        cmocka_unit_test(sightings_are_those_of_a_search),
        cmocka_unit_test(nothing_grows_beyond_its_limit),
        cmocka_unit_test(what_was_not_seen_for_long_is_forgotten),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
