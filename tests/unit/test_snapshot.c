// SPDX-License-Identifier: Apache-2.0
/*
 * snapshot: engines with every kind of state go out and come in again and say the same; damaged
 * bytes are refused or restored to something that can be fed, but never crash.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <unit/engine_fixture.h>

#include "base/mem.h"
#include "engine/engine_priv.h"
#include "engine/snapshot.h"

/* Each kind of state that there is. */
static const char *const rules =
    "rule a_sequence { match by u within 60s { a: s where k == 1  b: s where k == 2 and v == a.v } }\n"
    "rule b_loop { match by u within 60s { a{2,}: s where k == 1  not x: s where k == 3\n"
    "  b: s where k == 2 and v >= count(a) } emit { n = count(a) } }\n"
    "rule c_group { match by u within 60s { all { a: s where k == 1  b: s where k < 3  c{2}: s where v > 1 }\n"
    "  d: s where k == 4 } }\n"
    "rule d_crossed { match by ?u within 60s { all 2 { a: s where k == 1  b: s where k == 2 and v == a.v\n"
    "  c: s where v == b.v } d: s } }\n"
    "rule e_trailing { match by u within 60s { a: s where k == 1 b: s where k == 2\n"
    "  not c: s where k == 3 within 30s not d: s where v == a.v } }\n"
    "rule f_leading { match by u within 60s { not x: s where k == 3 and v == a.v within 20s\n"
    "  not y: s where k == 5 a: s where k == 1  b: s where k == 2 } }\n"
    "rule g_last { match by u within 60s select last { a: s where k == 1 o?: s where k == 2\n"
    "  b: s where k == 4 and v == a.v } }\n"
    "rule h_each { match by u within 60s select each { a: s where k == 1 any { b: s where k == 2\n"
    "  c: t } next d: s where k == 4 until z: s where k == 6 and v == a.v } }\n"
    "rule i_suppress { match by u { a: s where k == 1 } suppress 20s limit alerts 2 per 40s }\n"
    "rule j_suppress_by { match { a: s where k < 3 } suppress 7s by v }\n"
    "rule k_limits { match within 30s { a: s where k == 1 b: s where k == 2 and v == a.v } limit runs 3 per key }\n"
    "rule l_lists { match by name = list within 30s { a: s b: s where k != a.k } }\n"
    "rule m_waits { match by u { a: s where k == 1 b: s where k == 2 within 5s c: s within 9s } }\n"
    "rule n_links { match within 60s { a: s where k == 1 b: s where k == 2 and v == a.v and u == a.u } }\n";

static void random_json(uint64_t *seed, char *json, size_t size)
{
    uint32_t k = fixture_below(seed, 7), v = fixture_below(seed, 4), u = fixture_below(seed, 3);
    switch (fixture_below(seed, 8)) {
    case 0: snprintf(json, size, "{\"k\":%u,\"v\":%u}", k, v); break;
    case 1: snprintf(json, size, "{\"k\":%u,\"u\":[%u,9],\"list\":[\"x\",%u,null]}", k, u, v); break;
    case 2: snprintf(json, size, "{\"k\":%u,\"v\":[%u,2],\"u\":%u,\"list\":[]}", k, v, u); break;
    case 3: snprintf(json, size, "{\"k\":%u,\"v\":%u.5,\"u\":\"\\u00e9%u\"}", k, v, u); break;
    default: snprintf(json, size, "{\"k\":%u,\"v\":%u,\"u\":%u,\"list\":\"x\"}", k, v, u); break;
    }
}

static void random_feed(struct fixture *fx, uint64_t *seed, int64_t *time)
{
    char json[128];
    *time += fixture_below(seed, 4) * SECOND;
    random_json(seed, json, sizeof json);
    fixture_feed_ns(fx, *time, fixture_below(seed, 4) == 0 ? "t" : "s", json);
}

static void assert_same_alerts(const struct fixture *a, const struct fixture *b)
{
    assert_int_equal(a->out.n, b->out.n);
    for (size_t i = 0; i < a->out.n; i++)
        assert_string_equal(a->out.alert[i].json, b->out.alert[i].json);
}

static void assert_same_stats(const struct fixture *a, const struct fixture *b)
{
    for (uint32_t r = 0; r < a->prog->n_rules; r++) {
        struct engine_rule_stats x = fixture_stats(a, r), y = fixture_stats(b, r);
        if (memcmp(&x, &y, sizeof x) == 0)
            continue;
        const uint64_t *m = (const uint64_t *)&x, *n = (const uint64_t *)&y;
        for (size_t i = 0; i < sizeof x / sizeof *m; i++) {
            if (m[i] != n[i])
                fail_msg("%s: counter %zu is %llu and %llu", a->prog->rule[r].name, i,
                         (unsigned long long)m[i], (unsigned long long)n[i]);
        }
    }
}

/* One engine is never stopped, the other ever so often; they say and count the same. */
static void a_restart_changes_nothing(void **state)
{
    (void)state;
    uint64_t told = 0;
    for (uint64_t round = 0; round < 40; round++) {
        struct fixture plain, stopped;
        uint64_t one = round, two = round;
        int64_t at_one = 0, at_two = 0;
        fixture_open(&plain, rules);
        fixture_open(&stopped, rules);
        for (int i = 0; i < 150; i++) {
            random_feed(&plain, &one, &at_one);
            random_feed(&stopped, &two, &at_two);
            if (fixture_below(&one, 3) == 0)
                fixture_restart(&stopped);
            fixture_below(&two, 3);
            assert_same_stats(&plain, &stopped);
        }
        fixture_end(&plain);
        fixture_restart(&stopped);
        fixture_end(&stopped);
        alert_list_sort(&plain.out, 0, plain.prog);
        alert_list_sort(&stopped.out, 0, stopped.prog);
        assert_same_alerts(&plain, &stopped);
        assert_same_stats(&plain, &stopped);
        told += plain.out.n;
        fixture_close(&plain);
        fixture_close(&stopped);
    }
    assert_true(told > 1000);
}

static void an_empty_engine_goes_out_and_in(void **state)
{
    (void)state;
    struct fixture fx;
    fixture_open(&fx, "rule r { match { a: s } }");
    fixture_restart(&fx);
    fixture_feed(&fx, 1, "s", "{}");
    assert_int_equal(fx.out.n, 1);
    fixture_restart(&fx);
    fixture_restart(&fx);
    fixture_end(&fx);
    fixture_restart(&fx);
    assert_int_equal(fixture_stats(&fx, 0).alerts, 1);
    fixture_assert_no_state(&fx);
    fixture_close(&fx);
}

static bool restore(struct program *prog, const void *data, size_t len, const char **why)
{
    struct engine *en = engine_new(prog);
    bool ok = engine_restore(en, data, len, why);
    engine_free(&en);
    return ok;
}

static void what_is_no_snapshot_is_refused_with_a_reason(void **state)
{
    (void)state;
    struct fixture fx;
    const char *why = NULL;
    struct buf bytes;
    buf_init(&bytes);
    fixture_open(&fx, "rule r { match { a: s } }");
    engine_snapshot(fx.en, &bytes);
    assert_false(restore(fx.prog, "", 0, &why));
    assert_string_equal(why, "not a snapshot");
    assert_false(restore(fx.prog, "{\"a\":1}", 7, &why));
    assert_string_equal(why, "not a snapshot");
    bytes.data[4] = SNAPSHOT_VERSION + 1;
    assert_false(restore(fx.prog, bytes.data, bytes.len, &why));
    assert_string_equal(why, "a snapshot of another version");
    bytes.data[4] = SNAPSHOT_VERSION;
    buf_addc(&bytes, 0);
    assert_false(restore(fx.prog, bytes.data, bytes.len, &why));
    assert_string_equal(why, "a damaged snapshot, or one of other rules");
    struct program *other = fixture_compile("rule another { match { a: s } }", false);
    assert_false(restore(other, bytes.data, bytes.len - 1, &why));
    assert_string_equal(why, "a damaged snapshot, or one of other rules");
    assert_true(restore(fx.prog, bytes.data, bytes.len - 1, &why));
    program_unref(&other);
    buf_fini(&bytes);
    fixture_close(&fx);
}

/* An engine of other numbers: streams and rules are found by their names. */
static void names_count_and_not_numbers(void **state)
{
    (void)state;
    struct fixture fx;
    struct buf bytes;
    const char *why = "";
    fixture_open(&fx, "rule r { match within 9s { a: [t, s]  b: s where k == 2 } emit { from = stream(a) } }");
    fixture_feed(&fx, 1, "t", "{\"k\":1}");
    buf_init(&bytes);
    engine_snapshot(fx.en, &bytes);
    fixture_close(&fx);
    fixture_open(&fx, "rule a { match { a: q } }\n"
                      "rule r { match within 9s { a: [s, t]  b: s where k == 2 and 1 < j } emit { from = stream(a) } }\n"
                      "rule z { match { a: p where exists(z) } }\n");
    if (!engine_restore(fx.en, bytes.data, bytes.len, &why))
        fail_msg("%s", why);
    fixture_feed(&fx, 2, "s", "{\"k\":2,\"j\":2}");
    assert_int_equal(fx.out.n, 1);
    assert_non_null(strstr(fx.out.alert[0].json, "\"fields\":{\"from\":\"t\"}"));
    buf_fini(&bytes);
    fixture_close(&fx);
}

/* ---- damage --------------------------------------------------------------------------------- */

static int64_t later(int64_t time, int64_t step)
{
    return time < INT64_MAX - step ? time + step : time;
}

/* Restores the bytes; what is restored is fed, snapshot and ended. */
static bool survives(struct program *prog, const char *data, size_t len, uint64_t seed)
{
    struct fixture fx;
    const char *why = NULL;
    char *copy = mem_alloc(len + 1); /* of its own, so that reading past its end is seen */
    copy = mem_realloc(copy, len > 0 ? len : 1);
    memcpy(copy, data, len);
    fixture_open_program(&fx, program_ref(prog));
    bool ok = engine_restore(fx.en, copy, len, &why);
    mem_free(copy);
    if (ok) {
        struct buf again;
        char json[128];
        buf_init(&again);
        engine_snapshot(fx.en, &again);
        struct engine *other = engine_new(prog);
        if (!engine_restore(other, again.data, again.len, &why))
            fail_msg("what was restored cannot be restored again: %s", why);
        engine_free(&other);
        buf_fini(&again);
        int64_t time = fx.en->now > 0 ? fx.en->now : 0;
        for (int i = 0; i < 12; i++) {
            time = later(time, fixture_below(&seed, 3) * SECOND);
            random_json(&seed, json, sizeof json);
            fixture_feed_ns(&fx, time, "s", json);
        }
        fixture_end(&fx);
        for (uint32_t r = 0; r < prog->n_rules; r++) {
            struct engine_rule_stats stats = fixture_stats(&fx, r);
            if (stats.runs != 0 || stats.keys != 0)
                fail_msg("%s: %llu runs, %llu keys for ever", prog->rule[r].name,
                         (unsigned long long)stats.runs, (unsigned long long)stats.keys);
        }
    } else {
        assert_non_null(why);
    }
    fixture_close(&fx);
    return ok;
}

/* A snapshot of a moment at which much is open. */
static void take(struct program *prog, uint64_t seed, int events, struct buf *out)
{
    struct fixture fx;
    int64_t time = 1000 * SECOND;
    fixture_open_program(&fx, program_ref(prog));
    for (int i = 0; i < events; i++)
        random_feed(&fx, &seed, &time);
    engine_snapshot(fx.en, out);
    fixture_close(&fx);
}

static void damage(struct program *prog, const struct buf *good, size_t step, uint64_t seed)
{
    struct buf bad;
    buf_init(&bad);
    buf_add(&bad, good->data, good->len);
    for (size_t i = fixture_below(&seed, (uint32_t)step); i < good->len; i += step) {
        assert_false(survives(prog, good->data, i, seed));
        bad.data[i] ^= (char)(1 << fixture_below(&seed, 8));
        survives(prog, bad.data, bad.len, seed);
        bad.data[i] = (char)(fixture_below(&seed, 3) == 0 ? 0 : fixture_random(&seed));
        survives(prog, bad.data, bad.len, seed);
        bad.data[i] = good->data[i];
    }
    buf_fini(&bad);
}

/* Rule by rule, so that the bytes are few and each is tried. */
static void damaged_bytes_never_crash(void **state)
{
    (void)state;
    const char *at = rules;
    uint64_t seed = 77;
    while (*at != '\0') {
        const char *end = strstr(at, "\nrule ");
        size_t len = end != NULL ? (size_t)(end + 1 - at) : strlen(at);
        char *one = mem_strndup(at, len);
        struct program *prog = fixture_compile(one, false);
        for (int events = 2; events <= 18; events += 8) {
            struct buf good;
            buf_init(&good);
            take(prog, seed + (uint64_t)events, events, &good);
            damage(prog, &good, good.len / 200 + 1, seed++);
            buf_fini(&good);
        }
        program_unref(&prog);
        mem_free(one);
        at += len;
    }
}

/* Many bytes at once: cut, doubled, moved. */
static void garbled_snapshots_never_crash(void **state)
{
    (void)state;
    struct program *prog = fixture_compile(rules, false);
    uint64_t seed = 5;
    struct buf good, bad;
    buf_init(&good);
    buf_init(&bad);
    take(prog, 3, 60, &good);
    for (int round = 0; round < 150; round++) {
        uint32_t from = fixture_below(&seed, (uint32_t)good.len);
        uint32_t n = fixture_below(&seed, 40), to = fixture_below(&seed, (uint32_t)good.len);
        if (n > good.len - from)
            n = (uint32_t)good.len - from;
        buf_clear(&bad);
        buf_add(&bad, good.data, to);
        buf_add(&bad, good.data + from, n);
        uint32_t skip = fixture_below(&seed, 2) == 0 ? 0 : n;
        if (to + skip < good.len)
            buf_add(&bad, good.data + to + skip, good.len - to - skip);
        survives(prog, bad.data, bad.len, seed);
    }
    buf_fini(&good);
    buf_fini(&bad);
    program_unref(&prog);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_engine_goes_out_and_in),
        cmocka_unit_test(what_is_no_snapshot_is_refused_with_a_reason),
        cmocka_unit_test(names_count_and_not_numbers),
        cmocka_unit_test(a_restart_changes_nothing),
        cmocka_unit_test(damaged_bytes_never_crash),
        cmocka_unit_test(garbled_snapshots_never_crash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
