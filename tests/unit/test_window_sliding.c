// SPDX-License-Identifier: Apache-2.0
/* Sliding and global windows: restarts, damage, limits, each event against a recount. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <unit/window_fixture.h>

#define EACH(i, list) size_t i = 0; i < sizeof list / sizeof *list; i++

static const char *const rules[] = {
    "rule r { window sliding 10s by u { a: s  b: t having count() > 1 } emit { pb = prev(b.x) " TWO_INPUTS " } }",
    "rule r { window sliding 10s by u { a: s having sum(x) > 0 fire on match reset } emit { pv = prev(v) " ALL_AGGREGATES " } }",
    "rule r { window sliding 10s by u { a: s having count() < 4 fire on every match } emit { " ALL_AGGREGATES " } keep 2 }",
    "rule r { window sliding 20s { a: s fire on change } emit { d = count_distinct(v) l = last(k) } }",
    "rule r { window sliding 10s by u { a: s having sum(x, within 3s) > avg(x, within 30s) } emit { s = sum(x, within 3s) m = max(x, within 30s) n = count() } }",
    "rule r { window global expire 20s by u { a: s having count() > 1 } emit { " ALL_AGGREGATES " } }",
    "rule r { window global expire 20s by u { a: s having count() > 2 fire on match reset } emit { pv = prev(v) " ALL_AGGREGATES " } }",
    "rule r { window global expire 20s by u { a: s  b: t fire on every match } emit { " TWO_INPUTS " } keep 3 }",
    "rule r { window global expire 20s { a: s fire on change } emit { d = count_distinct(v) l = last(k) } }",
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

/* Each event against all events of its reach, counted again. */
static void sliding_equals_a_recount(void **state)
{
    enum { N = 600 };
    struct fixture fx;
    uint64_t seed = 8;
    static int64_t time[N];
    static int x[N], v[N];
    (void)state;
    fixture_open(&fx, "rule r { window sliding 10s { a: s fire on every match } emit { n = count() s = sum(x) "
                      "lo = min(x) hi = max(x, within 3s) d = count_distinct(v) q = count(x > 5, within 4s) } }");
    for (int i = 0; i < N; i++) {
        char json[100], want[200];
        time[i] = (i > 0 ? time[i - 1] : 0) + fixture_below(&seed, 3) * SECOND + (int64_t)fixture_below(&seed, 2);
        x[i] = (int)fixture_below(&seed, 40) - 20;
        v[i] = (int)fixture_below(&seed, 9);
        snprintf(json, sizeof json, "{\"x\":%d,\"v\":\"%d\"}", x[i], v[i]);
        fixture_feed_ns(&fx, time[i], "s", json);
        int n = 0, s = 0, lo = 99, hi = -99, d = 0, q = 0;
        bool seen[9] = {false};
        for (int k = 0; k <= i; k++) {
            int64_t age = time[i] - time[k];
            if (age > 10 * SECOND)
                continue;
            n++;
            s += x[k];
            lo = x[k] < lo ? x[k] : lo;
            hi = age <= 3 * SECOND && x[k] > hi ? x[k] : hi;
            q += age <= 4 * SECOND && x[k] > 5;
            d += !seen[v[k]];
            seen[v[k]] = true;
        }
        snprintf(want, sizeof want, "\"fields\":{\"n\":%d,\"s\":%d,\"lo\":%d,\"hi\":%d,\"d\":%d,\"q\":%d}",
                 n, s, lo, hi, d, q);
        assert_int_equal(fx.out.n, i + 1);
        if (strstr(fx.out.alert[i].json, want) == NULL)
            fail_msg("%s\n%s", want, fx.out.alert[i].json);
    }
    fixture_end(&fx);
    fixture_assert_no_state(&fx);
    fixture_close(&fx);
}

/* Over `limit state` events are refused; a key that got none is not kept either. */
static void a_refused_key_is_not_kept(void **state)
{
    (void)state;
    for (int bytes = 1; bytes < 1500; bytes += 7) {
        struct fixture fx;
        char rule[200], json[50];
        snprintf(rule, sizeof rule, "rule r { window sliding 10s by k { a: s having sum(x) < 0 } limit state %dB }", bytes);
        fixture_open(&fx, rule);
        for (int i = 0; i < 12; i++) {
            snprintf(json, sizeof json, "{\"k\":%d,\"x\":1}", i % 3);
            fixture_feed(&fx, 1, "s", json);
        }
        assert_true(fixture_stats(&fx, 0).limited_state > 0);
        fixture_end(&fx);
        fixture_assert_no_state(&fx);
        fixture_close(&fx);
    }
}

static uint64_t most_bytes(const char *text, uint64_t *limited_out)
{
    struct fixture fx;
    uint64_t most = 0;
    char json[100];
    fixture_open(&fx, text);
    for (int i = 0; i < 30000; i++) {
        snprintf(json, sizeof json, "{\"k\":1,\"x\":%d.5,\"v\":\"value %d\"}", i, i);
        fixture_feed_ns(&fx, 1000 * SECOND + i, "s", json);
        uint64_t bytes = fixture_stats(&fx, 0).bytes;
        most = bytes > most ? bytes : most;
    }
    *limited_out = fixture_stats(&fx, 0).limited_state + fixture_stats(&fx, 0).limited_values;
    fixture_end(&fx);
    fixture_assert_no_state(&fx);
    fixture_close(&fx);
    return most;
}

static void nothing_grows_beyond_its_limit(void **state)
{
    uint64_t limited;
    (void)state;
    assert_true(most_bytes("rule r { window global expire 30d by k { a: s having count_distinct(v) < 0 } "
                           "limit values 1000 per key }", &limited) < 150000);
    assert_int_equal(limited, 29000);
    assert_true(most_bytes("rule r { window global expire 30d by k { a: s having count_distinct(v) < 0 } "
                           "limit state 64KiB }", &limited) < 128 * 1024);
    assert_true(limited > 25000);
    assert_true(most_bytes("rule r { window global expire 30d by k { a: s having count() + avg(x) + min(x) + last(x) "
                           "+ percentile(x, 50) < 0 } }", &limited) < 30000);
    assert_int_equal(limited, 0);
    assert_true(most_bytes("rule r { window sliding 1h by k { a: s having count() < 0 } limit state 64KiB }",
                           &limited) < 66 * 1024);
    assert_true(limited > 25000);
}

/* At the limit of state a global window goes on counting. */
static void a_global_window_goes_on_at_the_limit(void **state)
{
    struct fixture fx;
    char json[100];
    (void)state;
    fixture_open(&fx, "rule r { window global expire 1d by k { a: s having count() == 1000 } "
                      "emit { d = count_distinct(v) } limit state 8KiB }");
    for (int i = 0; i < 1000; i++) {
        snprintf(json, sizeof json, "{\"k\":1,\"v\":\"value %d\"}", i);
        fixture_feed(&fx, 1, "s", json);
    }
    assert_int_equal(fx.out.n, 1);
    uint64_t limited = fixture_stats(&fx, 0).limited_state;
    assert_true(limited > 500 && limited < 1000);
    snprintf(json, sizeof json, "\"d\":%d}", (int)(1000 - limited));
    assert_non_null(strstr(fx.out.alert[0].json, json));
    fixture_end(&fx);
    fixture_assert_no_state(&fx);
    fixture_close(&fx);
}

/* Both ends belong to the window; a nanosecond more does not. */
static void edges_are_exact(void **state)
{
    (void)state;
    for (int behind = 0; behind < 2; behind++) {
        struct fixture fx;
        fixture_open(&fx, "rule r { window sliding 10s { a: s having count() == 2 } }");
        fixture_feed_ns(&fx, SECOND, "s", "{}");
        fixture_feed_ns(&fx, 11 * SECOND + behind, "s", "{}");
        assert_int_equal(fx.out.n, 1 - behind);
        fixture_close(&fx);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_restart_changes_nothing_and_the_end_leaves_nothing),
        cmocka_unit_test(damaged_snapshots_are_refused_or_live),
        cmocka_unit_test(sliding_equals_a_recount),
        cmocka_unit_test(a_refused_key_is_not_kept),
        cmocka_unit_test(nothing_grows_beyond_its_limit),
        cmocka_unit_test(a_global_window_goes_on_at_the_limit),
        cmocka_unit_test(edges_are_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
