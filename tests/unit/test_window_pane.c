// SPDX-License-Identifier: Apache-2.0
/* Tumbling and hopping windows: restarts, damage, late events, limits, many windows and keys. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <unit/window_fixture.h>

static const char *const rules[] = {
    "rule r { window tumbling 10s by u { a: s  b: t having count() > 1 } emit { " TWO_INPUTS " } }",
    "rule r { window tumbling 10s offset 3s by u { a: s fire on match } emit { pv = prev(v) " ALL_AGGREGATES " } keep 2 }",
    "rule r { window hopping 30s every 5s by u { a: s  b: t having count() > 2 } emit { " TWO_INPUTS " } }",
    "rule r { window hopping 30s every 5s { a: s } emit { s = sum(x)  m = avg(x)  sd = variance(x)  p = percentile(x, 50) } }",
    "rule r { window hopping 20s every 5s by u { a: s having sum(x) > 0 fire on match } emit { pv = prev(v) " ALL_AGGREGATES " } keep 3 }",
    "rule r { window hopping 20s every 5s by u { a: s having count() > 2 fire on match reset } emit { pv = prev(v) " ALL_AGGREGATES " } }",
    "rule r { window hopping 20s every 10s by u { a: s  b: t having count(a) > 1 fire on every match } emit { pb = prev(b.x) " TWO_INPUTS " } }",
    "rule r { window hopping 20s every 10s by u { a: s fire on change } emit { d = count_distinct(v) l = last(k) } }",
    "rule r { window tumbling 1d zone \"Europe/Paris\" by u { a: s having count() > 1 } emit { " ALL_AGGREGATES " } }",
    "rule r { window tumbling 10s by u { a: s having prev(k) != last(k) fire on match reset } emit { p = prev(v) } }",
};
static const char *const late_rules[] = {
    "rule r { window tumbling 10s by u { a: s  b: t having count() > 1 allow late 300s } emit { " TWO_INPUTS " } }",
    "rule r { window hopping 20s every 5s by u { a: s having sum(x) > 0 allow late 15s } emit { " ALL_AGGREGATES " } keep 3 }",
    "rule r { window hopping 20s every 5s by u { a: s fire on match allow late 15s } emit { pv = prev(v) " ALL_AGGREGATES " } }",
    "rule r { window hopping 20s every 5s by u { a: s having count() > 2 fire on match reset allow late 15s } emit { pv = prev(v) " ALL_AGGREGATES " } }",
    "rule r { window tumbling 20s by u { a: s fire on change allow late 40s } emit { pv = prev(v) " ALL_AGGREGATES " } }",
    "rule r { window tumbling 1d zone \"Europe/Paris\" by u { a: s having sum(x) > 0 allow late 9s } emit { n = count() } }",
};
#define EACH(i, list) size_t i = 0; i < sizeof list / sizeof *list; i++

static void a_restart_changes_nothing_and_the_end_leaves_nothing(void **state)
{
    (void)state;
    for (EACH(i, rules))
        assert_true(body_restarts(rules[i], 15, false) > 15);
    for (EACH(i, late_rules))
        assert_true(body_restarts(late_rules[i], 15, true) > 15);
}

static void damaged_snapshots_are_refused_or_live(void **state)
{
    (void)state;
    for (EACH(i, rules))
        body_damage(rules[i], false);
    for (EACH(i, late_rules))
        body_damage(late_rules[i], true);
}

#define LATE_AGGREGATES                                                                           \
    "n = count()  s = sum(x)  m = avg(x)  lo = min(x)  hi = max(x)  sd = variance(x)  "           \
    "f = first(v)  l = last(x)  d = count_distinct(v)  a = approx_count_distinct(v)  "            \
    "p = percentile(x, 90)  c = collect(v, 3)  vs = values(v, 4)  t = top(v, 2)"

static void the_last_revision_is_that_of_all_events(void **state)
{
    static const char *const late[] = {
        "rule r { window tumbling 10s by u { a: s allow late 1h } emit { " LATE_AGGREGATES " } }",
        "rule r { window tumbling 20s offset 7s by u { a: s having sum(x) > 0 allow late 1h } emit { " LATE_AGGREGATES " } keep 3 }",
        "rule r { window hopping 20s every 5s { a: s having count() < 4 allow late 1h } emit { " LATE_AGGREGATES " } }",
        "rule r { window hopping 60s every 20s by u { a: s having avg(x) > 0 allow late 1h } emit { " LATE_AGGREGATES " } keep 2 }",
    };
    size_t revised = 0;
    (void)state;
    for (EACH(i, late)) {
        for (uint64_t seed = 0; seed < 60; seed++)
            revised += late_is_as_good(late[i], seed * 31 + i);
    }
    assert_true(revised > 2000);
}

/* `fire on match` of 300 windows that overlap, against each window counted by itself. */
static void every_window_that_holds_the_event_is_asked(void **state)
{
    enum { PANES = 300, N = 400 };
    struct fixture fx;
    uint64_t seed = 4, told = 0;
    int64_t time[N];
    bool fired[N + 2 * PANES] = {false};
    (void)state;
    fixture_open(&fx, "rule r { window hopping 300s every 1s { a: s having count() == 5 fire on match } }");
    for (int i = 0; i < N; i++) {
        time[i] = (i > 0 ? time[i - 1] : PANES) + fixture_below(&seed, 3);
        if (time[i] >= N + PANES)
            break;
        for (int64_t start = time[i] - PANES + 1; start <= time[i]; start++) {
            int in = 0;
            for (int k = 0; k <= i; k++)
                in += time[k] >= start;
            if (in == 5 && !fired[start + PANES])
                told += fired[start + PANES] = true;
        }
        fixture_feed(&fx, time[i], "s", "{\"k\":1}");
        assert_int_equal(fx.out.n, told);
    }
    assert_true(told > 200);
    fixture_end(&fx);
    assert_int_equal(fx.out.n, told);
    fixture_assert_no_state(&fx);
    fixture_close(&fx);
}

static uint64_t most_bytes(const char *text, int events, bool distinct, uint64_t *limited_out)
{
    struct fixture fx;
    uint64_t most = 0;
    char json[100];
    fixture_open(&fx, text);
    for (int i = 0; i < events; i++) {
        snprintf(json, sizeof json, "{\"k\":1,\"x\":%d.5,\"v\":\"value %d\"}", i, distinct ? i : 1);
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

static void a_window_does_not_grow_with_its_events(void **state)
{
    uint64_t limited;
    (void)state;
    assert_true(most_bytes("rule r { window hopping 1h every 1m by k { a: s having count() + avg(x) + min(x) "
                           "+ percentile(x, 90) + last(x) < 0 } }", 200000, true, &limited) < 100000);
    assert_int_equal(limited, 0);
    assert_true(most_bytes("rule r { window hopping 1h every 1m by k { a: s having count_distinct(v) < 0 } "
                           "limit values 1000 per key }", 20000, true, &limited) < 300000);
    assert_int_equal(limited, 19000);
    assert_true(most_bytes("rule r { window tumbling 1h by k { a: s having count_distinct(v) < 0 } "
                           "limit state 64KiB }", 20000, true, &limited) < 128 * 1024);
    assert_true(limited > 10000);
}

/* What is open goes on, at the limit too: known values and counts. */
static void at_the_limit_of_state_windows_go_on(void **state)
{
    struct fixture fx;
    char json[100];
    (void)state;
    fixture_open(&fx, "rule r { window tumbling 1h by k { a: s } emit { n = count() d = count_distinct(v) } "
                      "limit state 8KiB }");
    for (int i = 0; i < 1000; i++) {
        snprintf(json, sizeof json, "{\"k\":1,\"v\":\"value %d\"}", i);
        fixture_feed(&fx, 1, "s", json);
    }
    fixture_feed(&fx, 2, "s", "{\"k\":2,\"v\":\"a\"}");
    fixture_feed(&fx, 2, "s", "{\"k\":1,\"v\":\"value 0\"}");
    uint64_t limited = fixture_stats(&fx, 0).limited_state;
    fixture_end(&fx);
    assert_int_equal(fx.out.n, 1);
    assert_non_null(strstr(fx.out.alert[0].json, "\"n\":1001"));
    char want[40];
    snprintf(want, sizeof want, "\"d\":%d", (int)(1001 - limited));
    assert_non_null(strstr(fx.out.alert[0].json, want)); /* and the key that was refused: one more */
    fixture_assert_no_state(&fx);
    fixture_close(&fx);
}

/* Merged sets that would be larger than `limit state` are not kept; the numbers stay right. */
static void merged_panes_keep_to_the_limit_of_state(void **state)
{
    struct fixture fx[2];
    uint64_t most = 0;
    char json[100];
    (void)state;
    for (int k = 0; k < 2; k++) {
        char rule[200];
        snprintf(rule, sizeof rule, "rule r { window hopping 100s every 1s { a: s } "
                 "emit { d = count_distinct(v) } keep 1 limit state %s }", k == 0 ? "1MiB" : "1GiB");
        fixture_open(&fx[k], rule);
        for (int i = 0; i < 2000; i++) {
            snprintf(json, sizeof json, "{\"v\":\"value %d\"}", i * 7919 % 1500);
            fixture_feed_ns(&fx[k], 1000 * SECOND + i * (SECOND / 10), "s", json);
            uint64_t bytes = fixture_stats(&fx[k], 0).bytes;
            if (k == 0)
                most = bytes > most ? bytes : most;
        }
        fixture_end(&fx[k]);
        fixture_assert_no_state(&fx[k]);
    }
    assert_true(most < 640 * 1024);
    assert_int_equal(fixture_stats(&fx[0], 0).limited_state, 0);
    body_assert_same(&fx[0], &fx[1], "hopping count_distinct");
    fixture_close(&fx[0]);
    fixture_close(&fx[1]);
}

/* Many keys, one instant: all at once or in slices, the same alerts; nothing left. */
static void keys_that_close_together_close_in_slices_too(void **state)
{
    enum { KEYS = 5000 };
    struct fixture fx[2];
    char json[100];
    (void)state;
    for (int k = 0; k < 2; k++) {
        fixture_open(&fx[k], "rule a { window tumbling 1m by k { a: s } emit { n = count() } }\n"
                             "rule b { window hopping 2m every 1m by k { a: s } emit { n = count() } }\n"
                             "rule c { window session 1m by k { a: s } emit { n = count() } }");
        for (int i = 0; i < KEYS; i++) {
            snprintf(json, sizeof json, "{\"k\":%d}", i);
            fixture_feed(&fx[k], 60, "s", json);
        }
        if (k == 0) {
            fixture_end(&fx[k]);
        } else {
            int slices = 1;
            while (!engine_advance_slice(fx[k].en, INT64_MAX, 100, &fx[k].out))
                slices++;
            assert_true(slices >= 4 * KEYS / 100);
        }
        assert_int_equal(fx[k].out.n, 4 * KEYS);
        fixture_assert_no_state(&fx[k]);
    }
    body_assert_same(&fx[0], &fx[1], "slices");
    fixture_close(&fx[0]);
    fixture_close(&fx[1]);
}

/* An event at a window's very end is in the next; deadlines at the event's time come behind it. */
static void edges_are_exact(void **state)
{
    struct fixture fx;
    (void)state;
    fixture_open(&fx, "rule r { window tumbling 10s { a: s } emit { n = count() } }");
    fixture_feed_ns(&fx, 10 * SECOND, "s", "{}");
    fixture_feed_ns(&fx, 20 * SECOND - 1, "s", "{}");
    fixture_feed_ns(&fx, 20 * SECOND, "s", "{}");
    assert_int_equal(fx.out.n, 0); /* 20 s is not below the frontier yet */
    fixture_feed_ns(&fx, 20 * SECOND + 1, "s", "{}");
    assert_int_equal(fx.out.n, 1);
    fixture_end(&fx);
    assert_int_equal(fx.out.n, 2);
    assert_non_null(strstr(fx.out.alert[0].json, "\"n\":2"));
    assert_non_null(strstr(fx.out.alert[1].json, "\"n\":2"));
    fixture_close(&fx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_restart_changes_nothing_and_the_end_leaves_nothing),
        cmocka_unit_test(damaged_snapshots_are_refused_or_live),
        cmocka_unit_test(the_last_revision_is_that_of_all_events),
        cmocka_unit_test(every_window_that_holds_the_event_is_asked),
        cmocka_unit_test(a_window_does_not_grow_with_its_events),
        cmocka_unit_test(at_the_limit_of_state_windows_go_on),
        cmocka_unit_test(merged_panes_keep_to_the_limit_of_state),
        cmocka_unit_test(keys_that_close_together_close_in_slices_too),
        cmocka_unit_test(edges_are_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
