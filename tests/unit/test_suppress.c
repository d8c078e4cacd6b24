// SPDX-License-Identifier: Apache-2.0
/* suppress: the edge at last + d, held counts, keys, the limit of state. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <unit/engine_fixture.h>

#include "engine/engine_priv.h"
#include "engine/suppress.h"

static struct fixture fx;

static int close_it(void **state)
{
    (void)state;
    fixture_close(&fx);
    return 0;
}

/* Feeds an event that matches; the suppressed count of the alert that came, -1 if none came. */
static int64_t feed_ns(int64_t time, const char *json)
{
    size_t before = fx.out.n;
    fixture_feed_ns(&fx, time, "s", json);
    if (fx.out.n == before)
        return -1;
    assert_int_equal(fx.out.n, before + 1);
    const char *at = strstr(fx.out.alert[before].json, "\"suppressed\":");
    assert_non_null(at);
    return strtoll(at + 13, NULL, 10);
}

static int64_t feed(int64_t seconds, const char *json)
{
    return feed_ns(seconds * SECOND, json);
}

static void one_at_last_plus_d_is_let_through(void **state)
{
    (void)state;
    fixture_open(&fx, "rule r { match by u { a: s } suppress 10s }");
    assert_int_equal(feed(100, "{\"u\":1}"), 0);
    assert_int_equal(feed(100, "{\"u\":1}"), -1);
    assert_int_equal(feed_ns(110 * SECOND - 1, "{\"u\":1}"), -1);
    assert_int_equal(feed(110, "{\"u\":1}"), 2);
    /* d runs from the last let through, not from the last held */
    assert_int_equal(feed(119, "{\"u\":1}"), -1);
    assert_int_equal(feed(120, "{\"u\":1}"), 1);
    assert_int_equal(feed(131, "{\"u\":1}"), 0);
    assert_int_equal(fixture_stats(&fx, 0).suppressed, 3);
    assert_int_equal(fixture_stats(&fx, 0).alerts, 4);
    fixture_end(&fx);
    fixture_assert_no_state(&fx);
}

static void keys_are_suppressed_apart(void **state)
{
    (void)state;
    fixture_open(&fx, "rule r { match by u, ?v { a: s } suppress 10s }");
    assert_int_equal(feed(1, "{\"u\":1}"), 0);
    assert_int_equal(feed(1, "{\"u\":\"1\"}"), 0);
    assert_int_equal(feed(1, "{\"u\":1,\"v\":\"\"}"), 0);
    assert_int_equal(feed(1, "{\"u\":1.0}"), -1); /* the same number */
    assert_int_equal(feed(2, "{\"u\":[1,2]}"), 0); /* of two keys one is held */
    assert_int_equal(feed(11, "{\"u\":1}"), 2);
}

static void by_names_values_of_the_alert(void **state)
{
    (void)state;
    fixture_open(&fx, "rule r { match by u { a: s } emit { host = lower(h) } suppress 10s by host, u }");
    assert_int_equal(feed(1, "{\"u\":1,\"h\":\"A\"}"), 0);
    assert_int_equal(feed(1, "{\"u\":1,\"h\":\"a\"}"), -1);
    assert_int_equal(feed(1, "{\"u\":2,\"h\":\"a\"}"), 0);
    assert_int_equal(feed(1, "{\"u\":1}"), 0); /* missing is a value of its own */
    assert_int_equal(feed(2, "{\"u\":1}"), -1);
    assert_int_equal(feed(2, "{\"u\":1,\"h\":[\"a\"]}"), -1); /* lower of a list is missing */
}

static void without_keys_it_is_per_rule(void **state)
{
    (void)state;
    fixture_open(&fx, "rule q { match { a: s } suppress 10s } rule r { match { a: s } suppress 20s }");
    fixture_feed(&fx, 1, "s", "{}");
    assert_int_equal(fx.out.n, 2);
    fixture_feed(&fx, 11, "s", "{}");
    assert_int_equal(fx.out.n, 3);
    fixture_feed(&fx, 21, "s", "{}");
    assert_int_equal(fx.out.n, 5);
}

/* An entry that has held something is kept for its count; one that has not goes when d has passed. */
static void a_count_is_kept_until_it_is_told(void **state)
{
    (void)state;
    fixture_open(&fx, "rule r { match by u { a: s } suppress 10s }");
    assert_int_equal(feed(1, "{\"u\":1}"), 0);
    assert_int_equal(feed(1, "{\"u\":2}"), 0);
    assert_int_equal(feed(2, "{\"u\":2}"), -1);
    assert_ptr_not_equal(fx.en->rule[0].suppress.first, fx.en->rule[0].suppress.tail);
    fixture_advance(&fx, 11);
    assert_ptr_not_equal(fx.en->rule[0].suppress.first, fx.en->rule[0].suppress.tail);
    fixture_advance(&fx, 12);
    const struct suppress_entry *left = fx.en->rule[0].suppress.first;
    assert_ptr_equal(left, fx.en->rule[0].suppress.tail);
    assert_int_equal(left->held, 1);
    assert_int_equal(fixture_stats(&fx, 0).bytes, sizeof *left + left->key_len);
    fixture_restart(&fx);
    assert_int_equal(feed(1000000, "{\"u\":2}"), 1);
    assert_int_equal(feed(1000000, "{\"u\":1}"), 0);
    fixture_end(&fx);
    fixture_assert_no_state(&fx);
}

static void it_lives_over_a_restart(void **state)
{
    (void)state;
    fixture_open(&fx, "rule r { match by u { a: s } suppress 10s }");
    assert_int_equal(feed(1, "{\"u\":1}"), 0);
    fixture_restart(&fx);
    assert_int_equal(feed(10, "{\"u\":1}"), -1);
    fixture_restart(&fx);
    assert_int_equal(feed(11, "{\"u\":1}"), 1);
    fixture_restart(&fx);
    fixture_end(&fx);
    fixture_assert_no_state(&fx);
}

static uint32_t count_entries(void)
{
    uint32_t n = 0;
    for (const struct suppress_entry *e = fx.en->rule[0].suppress.first; e != NULL; e = e->next)
        n++;
    return n;
}

/* Counts that nobody asks for are bounded by the limit: the oldest goes, and that is counted. */
static void a_limit_of_state_drops_the_oldest_counts(void **state)
{
    (void)state;
    char json[64];
    fixture_open(&fx, "rule r { match by u { a: s } suppress 5s limit state 10KiB }");
    for (int i = 0; i < 1000; i++) {
        snprintf(json, sizeof json, "{\"u\":%d}", i);
        assert_int_equal(feed(10 * i, json), 0);
        assert_int_equal(feed(10 * i, json), -1);
    }
    assert_true(count_entries() < 200);
    assert_true(fixture_stats(&fx, 0).bytes < 11 * 1024);
    assert_true(fixture_stats(&fx, 0).limited_state > 800);
    assert_int_equal(feed(20000, "{\"u\":0}"), 0);   /* its count is gone */
    assert_int_equal(feed(20000, "{\"u\":999}"), 1); /* that of the newest is not */
}

/* The oldest by the last alert, not by the first: a key that is told all the time shields no other. */
static void a_busy_key_does_not_shield_old_counts(void **state)
{
    (void)state;
    char json[64];
    fixture_open(&fx, "rule r { match by u { a: s } suppress 5s limit state 10KiB }");
    for (int i = 0; i < 1000; i++) {
        assert_int_equal(feed(6 * i, "{\"u\":\"busy\"}"), i > 0);
        assert_int_equal(feed(6 * i, "{\"u\":\"busy\"}"), -1);
        snprintf(json, sizeof json, "{\"u\":%d}", i);
        assert_int_equal(feed(6 * i, json), 0);
        assert_int_equal(feed(6 * i, json), -1);
    }
    assert_true(fixture_stats(&fx, 0).bytes < 11 * 1024);
    assert_true(count_entries() < 200);
    assert_int_equal(feed(6050, "{\"u\":999}"), 1);
}

/* Old counts are the first to go: nothing is refused because of them. */
static void old_counts_keep_no_run_out(void **state)
{
    (void)state;
    char json[64];
    fixture_open(&fx, "rule r { match by u within 100s { a: s where k == 1 b: s where k == 2 }\n"
                      "  suppress 5s limit state 10KiB }");
    for (int i = 0; i < 300; i++) {
        for (int k = 1; k < 5; k++) {
            snprintf(json, sizeof json, "{\"u\":%d,\"k\":%d}", i, 2 - k % 2);
            feed(10 * i, json);
        }
    }
    assert_true(count_entries() > 50);
    size_t before = fx.out.n;
    for (int k = 1; k <= 2; k++) {
        for (int i = 0; i < 10; i++) {
            snprintf(json, sizeof json, "{\"u\":\"new %d\",\"k\":%d}", i, k);
            fixture_feed(&fx, 10000, "s", json);
        }
    }
    assert_int_equal(fx.out.n, before + 10);
}

static void a_second_entry_of_a_key_is_not_restored(void **state)
{
    (void)state;
    fixture_open(&fx, "rule r { match by u { a: s } suppress 10s }");
    struct rule_state *rs = &fx.en->rule[0];
    assert_non_null(suppress_restore(rs, "k", 1, 5, 6));
    assert_null(suppress_restore(rs, "k", 1, 5, 6));
    assert_non_null(suppress_restore(rs, "", 0, 5, 6));
    assert_int_equal(count_entries(), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(one_at_last_plus_d_is_let_through, close_it),
        cmocka_unit_test_teardown(keys_are_suppressed_apart, close_it),
        cmocka_unit_test_teardown(by_names_values_of_the_alert, close_it),
        cmocka_unit_test_teardown(without_keys_it_is_per_rule, close_it),
        cmocka_unit_test_teardown(a_count_is_kept_until_it_is_told, close_it),
        cmocka_unit_test_teardown(it_lives_over_a_restart, close_it),
        cmocka_unit_test_teardown(a_limit_of_state_drops_the_oldest_counts, close_it),
        cmocka_unit_test_teardown(a_busy_key_does_not_shield_old_counts, close_it),
        cmocka_unit_test_teardown(old_counts_keep_no_run_out, close_it),
        cmocka_unit_test_teardown(a_second_entry_of_a_key_is_not_restored, close_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
