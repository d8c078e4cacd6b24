// SPDX-License-Identifier: Apache-2.0
/* Sessions: restarts, damage, late events that grow and merge them, a session of a day. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <unit/window_fixture.h>

#define EACH(i, list) size_t i = 0; i < sizeof list / sizeof *list; i++

static const char *const rules[] = {
    "rule r { window session 4s by u { a: s  b: t having count() > 1 } emit { " TWO_INPUTS " } }",
    "rule r { window session 4s max 9s by u { a: s } emit { " ALL_AGGREGATES " } keep 2 }",
    "rule r { window session 9s by u { a: s having sum(x) > 0 fire on match } emit { pv = prev(v) " ALL_AGGREGATES " } }",
    "rule r { window session 9s by u { a: s having count() > 2 fire on match reset } emit { pv = prev(x) " ALL_AGGREGATES " } }",
    "rule r { window session 9s max 20s by u { a: s having count() > 1 fire on every match } emit { " ALL_AGGREGATES " } }",
    "rule r { window session 9s by u { a: s fire on change } emit { d = count_distinct(v) l = last(k) } }",
    "rule r { window session 4s by u { a: s having count() < 5 allow late 40s } emit { " ALL_AGGREGATES " } keep 3 }",
    "rule r { window session 4s max 9s by u { a: s allow late 9s } emit { " ALL_AGGREGATES " } }",
    "rule r { window session 9s by u { a: s having count() > 2 fire on match reset allow late 20s } emit { pv = prev(x) " ALL_AGGREGATES " } }",
    "rule r { window session 9s by u { a: s fire on match allow late 20s } emit { pv = prev(x) " ALL_AGGREGATES " } }",
};

static void a_restart_changes_nothing_and_the_end_leaves_nothing(void **state)
{
    (void)state;
    for (EACH(i, rules))
        assert_true(body_restarts(rules[i], 15, true) > 15);
}

static void damaged_snapshots_are_refused_or_live(void **state)
{
    (void)state;
    for (EACH(i, rules))
        body_damage(rules[i], true);
}

static void the_last_revision_is_that_of_all_events(void **state)
{
    static const char *const late[] = {
        "rule r { window session 10s by u { a: s allow late 1h } emit { " ALL_AGGREGATES " } }",
        "rule r { window session 30s { a: s having count() < 9 allow late 1h } emit { " ALL_AGGREGATES " } keep 3 }",
        "rule r { window session 3s { a: s having sum(x) > 0 allow late 1h } emit { " ALL_AGGREGATES " } keep 2 }",
    };
    size_t revised = 0;
    (void)state;
    for (EACH(i, late)) {
        for (uint64_t seed = 0; seed < 60; seed++)
            revised += late_is_as_good(late[i], seed * 31 + i);
    }
    assert_true(revised > 1000);
}

/* An event every second for a day: what is kept does not grow, and `max` ends it. */
static void a_session_of_a_day_does_not_grow(void **state)
{
    struct fixture fx;
    uint64_t most = 0;
    char json[100];
    (void)state;
    fixture_open(&fx, "rule r { window session 30m max 12h by k { a: s having count_distinct(v) + avg(x) + "
                      "percentile(x, 90) + approx_count_distinct(v) > 0 } emit { n = count() } limit values 500 per key }");
    for (int i = 0; i < 86400; i++) {
        snprintf(json, sizeof json, "{\"k\":1,\"x\":%d.5,\"v\":\"value %d\"}", i, i);
        fixture_feed(&fx, i, "s", json);
        uint64_t bytes = fixture_stats(&fx, 0).bytes;
        most = bytes > most ? bytes : most;
    }
    assert_true(most < 150000);
    assert_int_equal(fixture_stats(&fx, 0).limited_values, 86400 - 2 * 500);
    fixture_end(&fx);
    assert_int_equal(fx.out.n, 2);
    assert_non_null(strstr(fx.out.alert[0].json, "\"n\":43201")); /* both ends */
    assert_non_null(strstr(fx.out.alert[1].json, "\"n\":43199"));
    fixture_assert_no_state(&fx);
    fixture_close(&fx);
}

/* One event at the very end of a session belongs to it, one a nanosecond behind it does not. */
static void edges_are_exact(void **state)
{
    (void)state;
    for (int behind = 0; behind < 2; behind++) {
        struct fixture fx;
        fixture_open(&fx, "rule r { window session 10s { a: s } emit { n = count() } }");
        fixture_feed_ns(&fx, SECOND, "s", "{}");
        fixture_feed_ns(&fx, 11 * SECOND + behind, "s", "{}");
        fixture_end(&fx);
        assert_int_equal(fx.out.n, 1 + behind);
        fixture_assert_no_state(&fx);
        fixture_close(&fx);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_restart_changes_nothing_and_the_end_leaves_nothing),
        cmocka_unit_test(damaged_snapshots_are_refused_or_live),
        cmocka_unit_test(the_last_revision_is_that_of_all_events),
        cmocka_unit_test(a_session_of_a_day_does_not_grow),
        cmocka_unit_test(edges_are_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
