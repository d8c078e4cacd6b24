// SPDX-License-Identifier: Apache-2.0
/* Rules as streams: restarts, damage, deadlines at equal times by depth, nothing left. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <unit/window_fixture.h>

#define EACH(i, list) size_t i = 0; i < sizeof list / sizeof *list; i++

static const char *const rules[] = {
    "rule a { window tumbling 10s by u { a: s having count() > 1 } emit into high { u = u n = count() x = sum(x) } }\n"
    "rule b { window tumbling 30s by u { h: high } emit { n = sum(n) x = avg(x) } }\n",
    "rule a { novel v by u within 30s { a: s } emit { u = u v = v } }\n"
    "rule b { match by u within 20s { x: a  y: a where v != x.v } emit { v = v } }\n"
    "rule c { join by u within 10s { p: a  q: b } emit { v = p.v } }\n",
    "rule a { window session 5s by u { a: s } emit { u = u n = count() } }\n"
    "rule b { window sliding 60s by u { h: a having sum(n) > 3 } emit { n = sum(n) } }\n",
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

/* At one instant what a rule makes is there for the rules behind it, whose deadlines come later. */
static void deadlines_at_one_time_go_by_depth(void **state)
{
    struct fixture fx;
    (void)state;
    fixture_open(&fx,
                 "rule z { window tumbling 10s { a: s } emit into one { n = count() } }\n"
                 "rule y { window tumbling 10s { h: one } emit into two { n = sum(n) } }\n"
                 "rule x { window tumbling 10s { h: two } emit { n = sum(n) c = count() } }\n");
    for (int i = 0; i < 40; i++)
        fixture_feed(&fx, i, "s", "{}");
    fixture_end(&fx);
    /* A window's alert is of its end, so the next window of the rule behind holds it. */
    assert_int_equal(fx.out.n, 4);
    for (int i = 0; i < 4; i++) {
        char want[60];
        snprintf(want, sizeof want, "\"time\":\"1970-01-01T00:00:%02dZ\"", 30 + 10 * i);
        assert_non_null(strstr(fx.out.alert[i].json, i < 3 ? want : "\"time\":\"1970-01-01T00:01:00Z\""));
        assert_non_null(strstr(fx.out.alert[i].json, "\"fields\":{\"n\":10,\"c\":1}"));
    }
    fixture_assert_no_state(&fx);
    fixture_close(&fx);
}

/* What is suppressed is made for others all the same. */
static void suppression_holds_no_event_back(void **state)
{
    struct fixture fx;
    (void)state;
    fixture_open(&fx, "rule a { match { x: s } suppress 1h }\n"
                      "rule b { window global expire 1h { h: a having count() == 10 } }\n");
    for (int i = 0; i < 10; i++)
        fixture_feed(&fx, i, "s", "{}");
    assert_int_equal(fx.out.n, 2);
    fixture_end(&fx);
    assert_int_equal(fixture_stats(&fx, 0).keys + fixture_stats(&fx, 1).keys, 0);
    assert_int_equal(fixture_stats(&fx, 1).bytes, 0); /* a remembers how many were held */
    fixture_close(&fx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_restart_changes_nothing_and_the_end_leaves_nothing),
        cmocka_unit_test(damaged_snapshots_are_refused_or_live),
        cmocka_unit_test(deadlines_at_one_time_go_by_depth),
        cmocka_unit_test(suppression_holds_no_event_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
