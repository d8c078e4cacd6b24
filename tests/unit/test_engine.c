// SPDX-License-Identifier: Apache-2.0
/* engine: limits, what is charged and given back, deadlines, order of alerts of one instant. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <unit/engine_fixture.h>

#include "engine/engine_priv.h"

static struct fixture fx;

static int close_it(void **state)
{
    (void)state;
    fixture_close(&fx);
    return 0;
}

static void end_without_state(void)
{
    fixture_end(&fx);
    fixture_assert_no_state(&fx);
}

/* ---- limits ---------------------------------------------------------------------------------- */

static void first_refuses_starts_beyond_limit_runs(void **state)
{
    (void)state;
    fixture_open(&fx, "rule r { match by u within 60s { a: s where k == 1 b: s where k == 2 and v == a.v }\n"
                      "  limit runs 3 per key }");
    for (int i = 0; i < 5; i++) {
        char json[64];
        snprintf(json, sizeof json, "{\"u\":1,\"k\":1,\"v\":%d}", i);
        fixture_feed(&fx, i, "s", json);
        fixture_restart(&fx);
    }
    fixture_feed(&fx, 5, "s", "{\"u\":2,\"k\":1,\"v\":3}"); /* another key has room of its own */
    assert_int_equal(fixture_stats(&fx, 0).limited_runs, 2);
    assert_int_equal(fixture_stats(&fx, 0).runs, 4);
    fixture_feed(&fx, 6, "s", "{\"u\":1,\"k\":2,\"v\":3}"); /* that start was refused */
    assert_int_equal(fx.out.n, 0);
    fixture_feed(&fx, 6, "s", "{\"u\":1,\"k\":2,\"v\":0}");
    assert_int_equal(fx.out.n, 1);
    fixture_feed(&fx, 7, "s", "{\"u\":1,\"k\":1,\"v\":9}"); /* there is room again */
    assert_int_equal(fixture_stats(&fx, 0).limited_runs, 2);
    end_without_state();
}

static void the_others_drop_the_oldest(void **state)
{
    (void)state;
    fixture_open(&fx, "rule r { match by u within 60s select each { a: s where k == 1 b: s where k == 2 and v == a.v }\n"
                      "  limit runs 3 per key }");
    for (int i = 0; i < 5; i++) {
        char json[64];
        snprintf(json, sizeof json, "{\"u\":1,\"k\":1,\"v\":%d}", i);
        fixture_feed(&fx, i, "s", json);
    }
    assert_int_equal(fixture_stats(&fx, 0).limited_runs, 2);
    assert_int_equal(fixture_stats(&fx, 0).runs, 3);
    for (int i = 0; i < 5; i++) {
        char json[64];
        snprintf(json, sizeof json, "{\"u\":1,\"k\":2,\"v\":%d}", i);
        fixture_feed(&fx, 5, "s", json);
        assert_int_equal(fx.out.n, i < 2 ? 0 : i - 1);
    }
    end_without_state();
}

/* A start that a leading `not` forbids takes no room from a run that is open. */
static void a_forbidden_start_drops_nothing(void **state)
{
    (void)state;
    fixture_open(&fx, "rule r { match by u within 9s select each { not x: s where k == 3 and w == a.w\n"
                      "  a: s where k == 1 b: s where k == 2 } limit runs 1 per key }");
    fixture_feed(&fx, 1, "s", "{\"u\":1,\"k\":3,\"w\":7}");
    fixture_feed(&fx, 2, "s", "{\"u\":1,\"k\":1,\"w\":8}");
    fixture_feed(&fx, 3, "s", "{\"u\":1,\"k\":1,\"w\":7}");
    assert_int_equal(fixture_stats(&fx, 0).limited_runs, 0);
    fixture_feed(&fx, 4, "s", "{\"u\":1,\"k\":2}");
    assert_int_equal(fx.out.n, 1);
    end_without_state();
}

static void a_run_takes_no_more_than_limit_events(void **state)
{
    (void)state;
    fixture_open(&fx, "rule r { match within 60s { a{2,}: s where k == 1 b: s where k == 2 }\n"
                      "  emit { n = count(a) } limit events 3 per run }");
    for (int i = 0; i < 5; i++)
        fixture_feed(&fx, i, "s", "{\"k\":1}");
    fixture_feed(&fx, 5, "s", "{\"k\":2}");
    assert_int_equal(fx.out.n, 1);
    assert_non_null(strstr(fx.out.alert[0].json, "\"fields\":{\"n\":3}"));
    assert_true(fixture_stats(&fx, 0).limited_events >= 2);
    end_without_state();
}

/* Beyond `limit state` new keys are refused; what is open goes on. */
static void a_full_state_refuses_new_keys(void **state)
{
    (void)state;
    char json[2000];
    fixture_open(&fx, "rule r { match by u within 60s { a{2}: s where k == 1 b: s where k == 2 } limit state 64KiB }");
    for (int i = 0; i < 200; i++) {
        snprintf(json, sizeof json, "{\"u\":%d,\"k\":1,\"pad\":\"%01000d\"}", i, i);
        fixture_feed(&fx, 1, "s", json);
    }
    struct engine_rule_stats stats = fixture_stats(&fx, 0);
    assert_true(stats.keys > 20 && stats.keys < 64);
    assert_true(stats.bytes > 60 * 1024 && stats.bytes < 66 * 1024);
    assert_int_equal(stats.limited_state, 200 - stats.keys);
    fixture_restart(&fx);
    assert_int_equal(fixture_stats(&fx, 0).bytes, stats.bytes);
    for (int i = 0; i < 200; i++) {
        snprintf(json, sizeof json, "{\"u\":%d,\"k\":1,\"pad\":\"%01000d\"}", i, i);
        fixture_feed(&fx, 2, "s", json);
    }
    for (int i = 0; i < 200; i++) {
        snprintf(json, sizeof json, "{\"u\":%d,\"k\":2}", i);
        fixture_feed(&fx, 3, "s", json);
    }
    assert_int_equal(fx.out.n, stats.keys);
    end_without_state();
}

/* ---- accounting ------------------------------------------------------------------------------ */

/* A random match body; not each of them compiles. */
static void random_rule(struct buf *out, uint64_t *seed)
{
    static const char *const selects[] = {"first", "last", "each"};
    uint32_t select = fixture_below(seed, 3), n = 1 + fixture_below(seed, 4);
    buf_clear(out);
    buf_printf(out, "rule r { match %s within 12s select %s {\n",
               fixture_below(seed, 3) == 0 ? "" : "by u", selects[select]);
    if (fixture_below(seed, 4) == 0)
        buf_printf(out, "not x0: s where k == %u %s\n", fixture_below(seed, 6),
                   fixture_below(seed, 2) == 0 ? "and v == a0.v" : "");
    for (uint32_t i = 0; i < n; i++) {
        static const char *const counts[] = {"", "", "", "{2}", "?", "+", "{2,3}", "*"};
        const char *next = i > 0 && fixture_below(seed, 6) == 0 ? "next " : "";
        uint32_t shape = fixture_below(seed, 6);
        if (shape == 0)
            buf_printf(out, "%sall { a%u: s where k < 3 b%u{2}: s where v > 0 }\n", next, i, i);
        else if (shape == 1)
            buf_printf(out, "%sany { a%u: s where k == 2 b%u: t }\n", next, i, i);
        else
            buf_printf(out, "%sa%u%s: s where k == %u%s%s\n", next, i, counts[fixture_below(seed, 8)],
                       fixture_below(seed, 6), i > 0 && shape == 2 ? " and v == a0.v" : "",
                       i > 0 && shape == 3 ? " within 4s" : "");
        if (fixture_below(seed, 5) == 0)
            buf_printf(out, "not y%u: s where k == %u%s\n", i, fixture_below(seed, 6),
                       i + 1 == n && fixture_below(seed, 2) == 0 ? " within 5s" : "");
    }
    if (fixture_below(seed, 5) == 0)
        buf_adds(out, "until z: s where k == 5\n");
    buf_addc(out, '}');
    if (fixture_below(seed, 4) == 0)
        buf_adds(out, " limit runs 2 per key limit events 3 per run");
    if (fixture_below(seed, 6) == 0)
        buf_adds(out, " limit state 4KiB");
    if (fixture_below(seed, 6) == 0)
        buf_adds(out, " limit alerts 2 per 9s");
    if (fixture_below(seed, 6) == 0)
        buf_adds(out, " suppress 3s");
    buf_addc(out, '}');
}

static struct program *compile(const char *text)
{
    struct program_source_text source = {.name = "t", .text = text, .len = strlen(text)};
    struct program_options opt = {0};
    struct diag *diag = diag_new();
    struct program *prog = program_compile(&source, 1, &opt, diag);
    struct buf said;
    buf_init(&said);
    diag_print(diag, &said);
    if (said.data != NULL && strstr(said.data, "internal error") != NULL)
        fail_msg("%s", said.data);
    buf_fini(&said);
    diag_free(&diag);
    return prog;
}

static uint64_t counts_of_suppression(const struct rule_state *rs)
{
    uint64_t bytes = 0;
    for (const struct suppress_entry *e = rs->suppress.first; e != NULL; e = e->next) {
        assert_true(e->held > 0);
        bytes += sizeof *e + e->key_len;
    }
    return bytes;
}

/* Whatever the rule: at the end nothing is left, nothing is charged; a restart changes nothing. */
static void nothing_is_left_at_the_end(void **state)
{
    (void)state;
    uint64_t told = 0, compiled = 0;
    struct buf text;
    buf_init(&text);
    for (uint64_t round = 0; round < 700; round++) {
        uint64_t seed = round;
        int64_t time = 0;
        random_rule(&text, &seed);
        struct program *prog = compile(text.data);
        if (prog == NULL)
            continue;
        compiled++;
        fixture_open_program(&fx, prog);
        for (int i = 0; i < 80; i++) {
            char json[100];
            time += fixture_below(&seed, 3) * SECOND;
            snprintf(json, sizeof json, fixture_below(&seed, 9) == 0 ? "{\"k\":%u,\"v\":%u,\"u\":[%u,7]}"
                                                                     : "{\"k\":%u,\"v\":%u,\"u\":%u}",
                     fixture_below(&seed, 6), fixture_below(&seed, 3), fixture_below(&seed, 2));
            fixture_feed_ns(&fx, time, fixture_below(&seed, 6) == 0 ? "t" : "s", json);
            if (fixture_below(&seed, 20) == 0) {
                struct engine_rule_stats before = fixture_stats(&fx, 0);
                fixture_restart(&fx);
                struct engine_rule_stats after = fixture_stats(&fx, 0);
                assert_memory_equal(&before, &after, sizeof before);
            }
            if (fixture_below(&seed, 10) == 0)
                engine_advance(fx.en, time, &fx.out);
        }
        if (round % 2 == 0) {
            fixture_end(&fx);
            struct engine_rule_stats stats = fixture_stats(&fx, 0);
            if (stats.runs != 0 || stats.keys != 0 ||
                stats.bytes != counts_of_suppression(&fx.en->rule[0]) || fx.en->heap.n != 0)
                fail_msg("%llu runs, %llu keys, %llu bytes, %zu deadlines: %s",
                         (unsigned long long)stats.runs, (unsigned long long)stats.keys,
                         (unsigned long long)stats.bytes, fx.en->heap.n, text.data);
        }
        for (size_t i = 1; i < fx.out.n; i++)
            assert_true(fx.out.alert[i - 1].time <= fx.out.alert[i].time);
        told += fx.out.n;
        fixture_close(&fx); /* in half of the rounds with everything open */
    }
    buf_fini(&text);
    assert_true(compiled > 200);
    assert_true(told > 1000);
    fixture_open(&fx, "rule r { match { a: s } }");
}

/* ---- time ------------------------------------------------------------------------------------ */

static void events_at_a_deadline_come_before_it(void **state)
{
    (void)state;
    fixture_open(&fx, "rule r { match within 9s { a: s where k == 1 not b: s where k == 2 within 5s } }");
    fixture_feed(&fx, 1, "s", "{\"k\":1}");
    fixture_advance(&fx, 6);
    assert_int_equal(fx.out.n, 0);
    fixture_feed(&fx, 6, "s", "{\"k\":2}");
    fixture_feed(&fx, 6, "s", "{\"k\":1}");
    engine_advance(fx.en, 11 * SECOND, &fx.out);
    assert_int_equal(fx.out.n, 0);
    engine_advance(fx.en, 11 * SECOND + 1, &fx.out);
    assert_int_equal(fx.out.n, 1);
    assert_int_equal(fx.out.alert[0].time, 11 * SECOND);
    engine_advance(fx.en, 3 * SECOND, &fx.out); /* back: nothing happens */
    assert_int_equal(fx.en->now, 11 * SECOND + 1);
    end_without_state();
}

static void times_at_the_ends_of_time(void **state)
{
    (void)state;
    fixture_open(&fx, "rule r { match within 9s { not x: s where k == 3 a: s where k == 1 not b: s where k == 2 } }");
    fixture_feed_ns(&fx, INT64_MIN, "s", "{\"k\":3}");
    fixture_feed_ns(&fx, INT64_MIN + 1, "s", "{\"k\":1}");
    fixture_feed_ns(&fx, INT64_MIN + 10 * SECOND, "s", "{\"k\":1}");
    fixture_restart(&fx);
    fixture_feed_ns(&fx, -1, "s", "{\"k\":1}");
    assert_int_equal(fx.out.n, 1);
    fixture_feed_ns(&fx, INT64_MAX - 1, "s", "{\"k\":1}");
    assert_int_equal(fx.out.n, 2);
    fixture_restart(&fx);
    fixture_end(&fx);
    assert_int_equal(fx.out.n, 3);
    assert_int_equal(fx.out.alert[2].time, INT64_MAX - 1);
    fixture_assert_no_state(&fx);
}

/* Since when the rules have seen everything: what a leading `not` needs. */
static void a_match_is_cold_before_the_reach_was_seen(void **state)
{
    (void)state;
    fixture_open(&fx, "rule r { match by u { not x: s where k == 2 within 5s a: s where k == 1 } }");
    engine_begin(fx.en, 10 * SECOND);
    engine_begin(fx.en, 12 * SECOND);
    fixture_feed_ns(&fx, 15 * SECOND - 1, "s", "{\"k\":1,\"u\":1}");
    assert_non_null(strstr(fx.out.alert[0].json, "\"cold\":true"));
    fixture_restart(&fx);
    fixture_feed(&fx, 15, "s", "{\"k\":1,\"u\":1}");
    assert_null(strstr(fx.out.alert[1].json, "cold"));
    end_without_state();
}

/* Rules of every kind, all with deadlines set and alerts suppressed, each freed before the next. */
static void an_engine_is_freed_with_everything_open(void **state)
{
    (void)state;
    char json[64];
    fixture_open(&fx, "rule a { match by u within 9s { a: s b: t } }\n"
                      "rule b { match by u { a: s } suppress 5s limit alerts 3 per 9s }\n"
                      "rule c { match by u within 9s { not x: s a: t not b: s } }\n"
                      "rule f { match by u { a: s b: t within 3s } suppress 5s }\n"
                      "rule g { match by u within 9s { a: s b: t } suppress 7s }\n");
    for (int i = 0; i < 40; i++) {
        snprintf(json, sizeof json, "{\"u\":%d,\"v\":%d}", i % 7, i);
        fixture_feed(&fx, i / 5, i % 3 == 0 ? "t" : "s", json);
    }
    assert_true(fx.out.n > 10);
}

/* ---- others ---------------------------------------------------------------------------------- */

static void a_disabled_rule_does_nothing(void **state)
{
    (void)state;
    fixture_open(&fx, "rule r { disabled match { a: s } } rule q { match { a: s } }");
    fixture_feed(&fx, 1, "s", "{}");
    assert_int_equal(fx.out.n, 1);
    assert_int_equal(fixture_stats(&fx, 1).events, 0);
    end_without_state();
}

static void what_lacks_a_key_is_counted(void **state)
{
    (void)state;
    fixture_open(&fx, "rule r { match by u { a: s } }");
    fixture_feed(&fx, 1, "s", "{}");
    fixture_feed(&fx, 1, "s", "{\"u\":[null]}");
    fixture_feed(&fx, 1, "s", "{\"u\":[1,2]}");
    fixture_feed(&fx, 1, "t", "{\"u\":1}");
    struct engine_rule_stats stats = fixture_stats(&fx, 0);
    assert_int_equal(stats.events, 3);
    assert_int_equal(stats.no_key, 2);
    assert_int_equal(stats.alerts, 2);
    end_without_state();
}

/* In a key stream() is the source, whatever was evaluated before. */
static void a_key_may_be_the_source(void **state)
{
    (void)state;
    fixture_open(&fx, "stream low = s, t where k < 9\n"
                      "rule r { match by from = stream() within 9s { a: low where k == 1 b: [s, t] where k > a.k } }");
    fixture_feed(&fx, 1, "s", "{\"k\":1}");
    fixture_feed(&fx, 2, "t", "{\"k\":2}");
    assert_int_equal(fx.out.n, 0);
    fixture_feed(&fx, 2, "t", "{\"k\":1}");
    fixture_feed(&fx, 3, "s", "{\"k\":2}");
    fixture_feed(&fx, 3, "t", "{\"k\":2}");
    assert_int_equal(fx.out.n, 2);
    assert_string_equal(fx.out.alert[0].key, "{\"from\":\"s\"}");
    assert_string_equal(fx.out.alert[1].key, "{\"from\":\"t\"}");
    end_without_state();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(first_refuses_starts_beyond_limit_runs, close_it),
        cmocka_unit_test_teardown(the_others_drop_the_oldest, close_it),
        cmocka_unit_test_teardown(a_forbidden_start_drops_nothing, close_it),
        cmocka_unit_test_teardown(a_run_takes_no_more_than_limit_events, close_it),
        cmocka_unit_test_teardown(a_full_state_refuses_new_keys, close_it),
        cmocka_unit_test_teardown(nothing_is_left_at_the_end, close_it),
        cmocka_unit_test_teardown(events_at_a_deadline_come_before_it, close_it),
        cmocka_unit_test_teardown(times_at_the_ends_of_time, close_it),
        cmocka_unit_test_teardown(a_match_is_cold_before_the_reach_was_seen, close_it),
        cmocka_unit_test_teardown(an_engine_is_freed_with_everything_open, close_it),
        cmocka_unit_test_teardown(a_disabled_rule_does_nothing, close_it),
        cmocka_unit_test_teardown(what_lacks_a_key_is_counted, close_it),
        cmocka_unit_test_teardown(a_key_may_be_the_source, close_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
