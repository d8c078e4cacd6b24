// SPDX-License-Identifier: Apache-2.0
/*
 * record: an engine whose state is in a store and comes and goes as it likes says what one says that
 * holds everything in memory; a store that is damaged breaks the engine, not the process.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <unit/engine_fixture.h>
#include <unit/record_store.h>

#include "base/mem.h"
#include "engine/probe.h"
#include "engine/record_priv.h"

/* Each kind of state that there is. */
static const char *const rules =
    "table seen = from s key u keep 25s\n"
    "rule a_sequence { match by u within 60s { a: s where k == 1  b: s where k == 2 and v == a.v } }\n"
    "rule b_loop { match by u within 60s { a{2,}: s where k == 1  not x: s where k == 3\n"
    "  b: s where k == 2 } emit { n = count(a) } }\n"
    "rule c_group { match by u within 60s { all { a: s where k == 1  b: s where k < 3  c{2}: s where v > 1 }\n"
    "  d: s where k == 4 } }\n"
    "rule e_trailing { match by u within 60s { a: s where k == 1 b: s where k == 2\n"
    "  not c: s where k == 3 within 30s not d: s where v == a.v } }\n"
    "rule e_sets { match by u within 40s { a+: s where k == 1 b: s where k == 2 not c: t } }\n"
    "rule f_leading { match by u within 60s { not x: s where k == 3 and v == a.v within 20s\n"
    "  not y: s where k == 5 a: s where k == 1  b: s where k == 2 } }\n"
    "rule g_last { match by u within 60s select last { a: s where k == 1 o?: s where k == 2\n"
    "  b: s where k == 4 and v == a.v } }\n"
    "rule i_suppress { match by u { a: s where k == 1 } suppress 20s limit alerts 2 per 40s }\n"
    "rule j_suppress_by { match { a: s where k < 3 } suppress 7s by v }\n"
    "rule l_lists { match by name = list within 30s { a: s b: s where k != a.k } }\n"
    "rule m_waits { match by u { a: s where k == 1 b: s where k == 2 within 5s c: s within 9s } }\n"
    "rule n_table { match by u { a: s where k in seen and v > 0 } }\n"
    "rule o_depth { match by u within 9s { a: i_suppress b: s where k == 1 } }\n"
    "rule p_pairs { join by u within 9s { a: s b: t where k == a.k } }\n"
    "rule q_new { novel v, list by u within 40s after 3s { a: s b: t } }\n"
    "rule r_tumbling { window tumbling 10s by u { a: s having count() > 1 } emit { c = count_distinct(k) } keep 2 }\n"
    "rule s_hopping { window hopping 12s every 4s by u { a: s } emit { s = sum(v) w = values(k, 3) } }\n"
    "rule t_session { window session 8s by u { a: s b: t } emit { m = max(a.v) } }\n"
    "rule u_sliding { window sliding 9s by u { a: s having sum(v) > 3 } emit { n = count() } }\n"
    "rule u_values { window sliding 90s by list { a: s fire on change } emit { w = values(n, 9) d = count_distinct(n)\n"
    "  t = top(n, 2) p = percentile(n, 50) lo = min(n) hi = max(n, within 3s) c = collect(n, 3) } }\n"
    "rule v_global { window global expire 20s by u { a: s having count() > 5 fire on match reset } }\n";

enum { OF_SETS = 20 }; /* incarnation of u_values: sets of values are written in any order */

struct run {
    struct fixture fx;
    struct record_store store;
    struct engine_clock clock; /* of the last barrier that is complete */
};

static void open_run(struct run *run, struct program *prog)
{
    static const struct engine_clock none = ENGINE_CLOCK_NONE;
    memset(run, 0, sizeof *run);
    fixture_open_program(&run->fx, prog);
    record_store_init(&run->store);
    run->store.small = true;
    assert_null(record_store_open(&run->store, run->fx.en, prog, &none));
    run->clock = none;
}

static void close_run(struct run *run)
{
    fixture_close(&run->fx);
    record_store_fini(&run->store);
}

static size_t known; /* keys that came from directories, in all restarts */

/* Another engine in its place, from the store, which has the state of the clock. */
static void restart(struct run *run)
{
    engine_free(&run->fx.en);
    run->fx.en = engine_new(run->fx.prog);
    record_entries_fini(&run->store.next);
    const char *why = record_store_open(&run->store, run->fx.en, run->fx.prog, &run->clock);
    if (why != NULL)
        fail_msg("restore: %s", why);
    if (engine_mended(run->fx.en) != NULL)
        fail_msg("mended: %s", engine_mended(run->fx.en));
    for (uint32_t i = 0; i < run->fx.prog->n_rules; i++) {
        const struct rule_state *rs = &run->fx.en->rule[i];
        known += rs->records != NULL && rs->records->dir != NULL ? rs->parts.n : 0;
    }
}

static void assert_well(const struct run *run)
{
    if (engine_broken(run->fx.en) != NULL)
        fail_msg("broken: %s", engine_broken(run->fx.en));
}

/* All that is open is written and durable. */
static void settle(struct run *run)
{
    engine_epoch_close(run->fx.en, &run->store.writer);
    run->clock = engine_clock_get(run->fx.en);
    while (!engine_epoch_slice(run->fx.en, 500))
        ;
    record_store_commit(&run->store);
    engine_epoch_durable(run->fx.en);
}

static void feed(struct run *run, uint64_t *seed, int64_t *time)
{
    char json[160];
    uint32_t k = fixture_below(seed, 7), v = fixture_below(seed, 4), u = fixture_below(seed, 12);
    *time += fixture_below(seed, 3) * SECOND / (1 + fixture_below(seed, 4));
    const char *list = fixture_below(seed, 2) != 0 ? "\"x\"" : "[\"y\",3,null]";
    /* at times many values, at times few: rooms grow and shrink */
    uint32_t n = fixture_below(seed, *time / (100 * SECOND) % 2 == 0 ? 60 : 3);
    snprintf(json, sizeof json, "{\"k\":%u,\"v\":%u,\"u\":%u,\"n\":%u,\"list\":%s}", k, v, u, n,
             list);
    fixture_feed_ns(&run->fx, *time, fixture_below(seed, 4) == 0 ? "t" : "s", json);
}

static void assert_same_alerts(const struct run *a, const struct run *b)
{
    for (size_t i = 0; i < a->fx.out.n && i < b->fx.out.n; i++)
        assert_string_equal(a->fx.out.alert[i].json, b->fx.out.alert[i].json);
    assert_int_equal(a->fx.out.n, b->fx.out.n);
}

static void assert_same_stats(const struct run *a, const struct run *b)
{
    for (uint32_t r = 0; r < a->fx.prog->n_rules; r++) {
        struct engine_rule_stats x = fixture_stats(&a->fx, r), y = fixture_stats(&b->fx, r);
        const uint64_t *m = (const uint64_t *)&x, *n = (const uint64_t *)&y;
        for (size_t i = 0; i < sizeof x / sizeof *m; i++) {
            if (m[i] != n[i])
                fail_msg("%s: counter %zu is %llu and %llu", a->fx.prog->rule[r].name, i,
                         (unsigned long long)m[i], (unsigned long long)n[i]);
        }
    }
}

/* Directories depend on when barriers were. */
static size_t forget_directories(struct record_store *store)
{
    size_t n = 0;
    for (size_t i = 0; i < store->is.n; i++) {
        if (store->is.at[i].key[0] == 'D')
            record_store_remove(store, store->is.at[i].key, store->is.at[i].key_len);
        n += store->is.at[i].key[0] == 'D';
    }
    record_store_commit(store);
    return n;
}

static void assert_same_records(const struct record_store *a, const struct record_store *b)
{
    for (size_t i = 0; i < a->is.n && i < b->is.n; i++) {
        const struct record_entry *x = &a->is.at[i], *y = &b->is.at[i];
        bool same = x->key_len == y->key_len && memcmp(x->key, y->key, x->key_len) == 0 &&
                    x->len == y->len && (x->len == 0 || memcmp(x->value, y->value, x->len) == 0 ||
                                         (uint8_t)x->key[4] == OF_SETS);
        if (!same)
            fail_msg("records %zu differ: %c of rule %u", i, x->key[0], (uint8_t)x->key[4]);
    }
    assert_int_equal(a->is.n, b->is.n);
}

/* Where the feeding is. */
struct place {
    uint64_t n, seed;
    int64_t time;
    size_t told;
    struct engine_clock clock;
};

struct other {
    struct run run;
    struct place now, closed, durable;
    uint64_t dice;
    bool closing;
};

static void forget_alerts(struct alert_list *out, size_t n)
{
    for (; out->n > n; out->n--) {
        mem_free(out->alert[out->n - 1].json);
        mem_free(out->alert[out->n - 1].key);
        mem_free(out->alert[out->n - 1].title);
    }
}

static void slice(struct other *ot, uint64_t most)
{
    if (!ot->closing || !engine_epoch_slice(ot->run.fx.en, most))
        return;
    record_store_commit(&ot->run.store);
    engine_epoch_durable(ot->run.fx.en);
    ot->closing = false;
    ot->durable = ot->closed;
}

static void barrier(struct other *ot)
{
    if (ot->closing)
        return;
    engine_epoch_close(ot->run.fx.en, &ot->run.store.writer);
    ot->closing = true;
    ot->closed = ot->now;
    ot->closed.told = ot->run.fx.out.n;
    ot->closed.clock = engine_clock_get(ot->run.fx.en);
}

/* What was fed since never happened. */
static void crash(struct other *ot)
{
    ot->closing = false;
    ot->now = ot->durable;
    ot->run.clock = ot->durable.clock;
    ot->run.fx.offset = ot->now.n;
    forget_alerts(&ot->run.fx.out, ot->now.told);
    restart(&ot->run);
}

static void something(struct other *ot)
{
    uint32_t what = fixture_below(&ot->dice, 60);
    if (what < 25)
        slice(ot, fixture_below(&ot->dice, 3000));
    else if (what < 35)
        barrier(ot);
    else if (what < 50)
        engine_evict(ot->run.fx.en, fixture_below(&ot->dice, 2) * 20000);
    else if (what == 59)
        crash(ot);
}

/* One engine is never touched; the other is written at barriers, in slices between events, its keys
 * are let go, and it is killed and goes on from the last barrier that is durable. */
static void what_is_stored_and_let_go_says_the_same(void **state)
{
    enum { N = 1200 };
    (void)state;
    for (uint64_t round = 0; round < 6; round++) {
        struct program *prog = fixture_compile(rules, round % 2 == 1);
        struct run plain;
        struct place at = {.seed = round, .time = 1000 * SECOND};
        struct other ot = {.now = at, .dice = round * 77 + 5};
        open_run(&plain, program_ref(prog));
        open_run(&ot.run, prog);
        ot.durable = ot.now;
        ot.durable.clock = ot.run.clock;
        for (; at.n < N; at.n++)
            feed(&plain, &at.seed, &at.time);
        while (ot.now.n < N) {
            feed(&ot.run, &ot.now.seed, &ot.now.time);
            ot.now.n++;
            assert_well(&ot.run);
            something(&ot);
        }
        slice(&ot, UINT64_MAX);
        assert_same_alerts(&plain, &ot.run);
        settle(&plain);
        settle(&ot.run);
        assert_same_stats(&plain, &ot.run);
        forget_directories(&plain.store);
        assert_true(forget_directories(&ot.run.store) > 0);
        assert_same_records(&plain.store, &ot.run.store);
        engine_evict(ot.run.fx.en, 0);
        fixture_end(&plain.fx);
        fixture_end(&ot.run.fx);
        assert_same_alerts(&plain, &ot.run);
        assert_same_stats(&plain, &ot.run);
        close_run(&plain);
        close_run(&ot.run);
    }
    print_message("%zu keys came back from directories\n", known);
    assert_true(known > 1000);
}

/* A store that other rules go on with: rule n of the text has incarnation n + 1, whatever it is. */
static void reload(struct run *run, const char *text)
{
    settle(run);
    struct program *prog = fixture_compile(text, false);
    struct record_store store = run->store;
    struct engine_clock clock = run->clock;
    uint64_t offset = run->fx.offset;
    fixture_close(&run->fx);
    memset(run, 0, sizeof *run);
    fixture_open_program(&run->fx, prog);
    run->store = store;
    run->store.writer.ctx = &run->store;
    run->clock = clock;
    run->fx.offset = offset;
    restart(run);
}

static void open_rules(struct run *run, const char *text)
{
    open_run(run, fixture_compile(text, false));
}

static void told(const struct run *run, size_t n)
{
    assert_well(run);
    assert_int_equal(run->fx.out.n, n);
}

/* "Deadlines already set stay." */
static void other_delays_leave_what_was_set(void **state)
{
    (void)state;
    struct run run;
    for (int by_sets = 0; by_sets < 2; by_sets++) {
        const char *cross = by_sets ? "" : "and v == a.v";
        char before[200], after[200];
        snprintf(before, sizeof before, "rule r { match by u within 100s { a: s where k == 1  b: s where k == 2 %s } }", cross);
        snprintf(after, sizeof after, "rule r { match by u within 10s { a: s where k == 1  b: s where k == 2 %s } }", cross);
        open_rules(&run, before);
        fixture_feed(&run.fx, 1000, "s", "{\"k\":1,\"u\":1,\"v\":3}");
        reload(&run, after);
        fixture_feed(&run.fx, 1030, "s", "{\"k\":1,\"u\":2,\"v\":3}");
        fixture_feed(&run.fx, 1050, "s", "{\"k\":2,\"u\":1,\"v\":3}"); /* of the old 100 s */
        told(&run, 1);
        fixture_feed(&run.fx, 1051, "s", "{\"k\":2,\"u\":2,\"v\":3}"); /* not of the new 10 s */
        told(&run, 1);
        fixture_assert_no_state(&run.fx);
        fixture_feed(&run.fx, 1060, "s", "{\"k\":1,\"u\":1,\"v\":3}");
        reload(&run, before); /* and back: what was set for 10 s ends so */
        fixture_feed(&run.fx, 1080, "s", "{\"k\":2,\"u\":1,\"v\":3}");
        told(&run, 0);
        close_run(&run);
    }
}

static void other_waits_and_counts_go_on(void **state)
{
    static const char *const texts[] = {
        "rule r { match by u within 60s { a{2,5}: s where k == 1  b: s where k == 2 within 9s not c: s where k == 3 } }",
        "rule r { match by u within 90s { a{3,4}: s where k == 1  b: s where k == 2 within 20s not c: s where k == 3 } }",
        "rule r { match by u within 30s { a{1,9}: s where k == 1  b: s where k == 2 not c: s where k == 3 within 5s } }",
        "rule r { match by u within 30s { a+: s where k == 1  b: s where k == 2 not c: s where k == 3 } suppress 5s }",
    };
    (void)state;
    for (uint64_t round = 0; round < 40; round++) {
        struct run run;
        uint64_t seed = round;
        int64_t time = 1000 * SECOND;
        open_rules(&run, texts[round % 4]);
        for (int i = 0; i < 12; i++) {
            for (int k = 0; k < 30; k++)
                feed(&run, &seed, &time);
            assert_well(&run);
            reload(&run, texts[fixture_below(&seed, 4)]);
            engine_evict(run.fx.en, 0);
        }
        fixture_end(&run.fx);
        assert_well(&run);
        struct engine_rule_stats stats = fixture_stats(&run.fx, 0);
        assert_int_equal(stats.keys, 0);
        assert_int_equal(stats.runs, 0);
        close_run(&run);
    }
}

static void other_columns_of_a_table_are_written_again(void **state)
{
    (void)state;
    struct run run;
    open_rules(&run, "table t = from t key u\nrule r { match by u { a: s where t[u].v == 1 } }");
    fixture_feed(&run.fx, 1000, "t", "{\"u\":1,\"v\":1,\"w\":5}");
    fixture_feed(&run.fx, 1001, "t", "{\"u\":2,\"v\":2,\"w\":5}");
    reload(&run, "table t = from t key u\nrule r { match by u { a: s where t[u].w == 5 or t[u].v == 1 } }");
    fixture_feed(&run.fx, 1002, "t", "{\"u\":3,\"v\":2,\"w\":5}");
    settle(&run);
    reload(&run, "table t = from t key u\nrule r { match by u { a: s where t[u].w == 5 or t[u].v == 1 } }");
    for (int u = 1; u <= 3; u++) {
        char json[40];
        snprintf(json, sizeof json, "{\"u\":%d}", u);
        fixture_feed(&run.fx, 1003, "s", json);
    }
    told(&run, 2); /* row 2 never had a w, row 3 has */
    close_run(&run);
}

/* A key of megabytes: an event changes few of its pieces; it comes back as it was, and goes whole. */
static void a_big_key_is_written_in_pieces(void **state)
{
    static const char *const text =
        "rule r { match by u within 1h select each { a: s where k == 1  b: s where k == 2 and v == a.v } limit runs 100000 per key }";
    (void)state;
    struct run run;
    char json[600], fill[401];
    uint64_t seed = 1;
    fill[400] = '\0';
    open_rules(&run, text);
    for (int i = 0; i < 4000; i++) {
        for (int k = 0; k < 400; k++)
            fill[k] = (char)('a' + fixture_below(&seed, 26));
        snprintf(json, sizeof json, "{\"k\":1,\"u\":1,\"v\":%d,\"t\":\"%s\"}", i, fill);
        fixture_feed_ns(&run.fx, 1000 * SECOND + i, "s", json);
    }
    settle(&run);
    size_t all = run.store.put_bytes, puts = run.store.n_puts;
    assert_true(all > 1600000);
    assert_true(puts > 10);
    engine_evict(run.fx.en, 0);
    assert_true(engine_memory(run.fx.en) < 100000);
    fixture_feed(&run.fx, 1001, "s", "{\"k\":2,\"u\":1,\"v\":7}");
    fixture_feed(&run.fx, 1002, "s", "{\"k\":1,\"u\":1,\"v\":9999}");
    told(&run, 1);
    settle(&run);
    print_message("%zu bytes in %zu records; then %zu in %zu\n", all, puts,
                  run.store.put_bytes - all, run.store.n_puts - puts);
    assert_true(run.store.put_bytes - all < all / 4);
    restart(&run);
    for (int v = 3998; v < 4000; v++) {
        snprintf(json, sizeof json, "{\"k\":2,\"u\":1,\"v\":%d}", v);
        fixture_feed(&run.fx, 1003, "s", json);
    }
    told(&run, 3);
    fixture_advance(&run.fx, 9000);
    fixture_assert_no_state(&run.fx);
    settle(&run);
    assert_int_equal(run.store.is.n, 1); /* the rule's own */
    close_run(&run);
}

static void a_damaged_store_breaks_the_engine_alone(void **state)
{
    (void)state;
    struct run run;
    static const char *const text = "rule r { match by u within 100s { a: s where k == 1  b: s where k == 2 } }";
    for (int way = 0; way < 4; way++) {
        open_rules(&run, text);
        fixture_feed(&run.fx, 1000, "s", "{\"k\":1,\"u\":1}");
        settle(&run);
        engine_evict(run.fx.en, 0);
        assert_int_equal(run.store.is.n, 2);
        if (way == 0)
            run.store.fails = true;
        else if (way == 1)
            record_store_remove(&run.store, run.store.is.at[0].key, run.store.is.at[0].key_len);
        else if (way == 2)
            run.store.is.at[0].value[run.store.is.at[0].len - 9] ^= 0x55;
        else
            run.store.is.at[0].len--;
        record_store_commit(&run.store);
        if (way % 2 == 0)
            fixture_feed(&run.fx, 1001, "s", "{\"k\":2,\"u\":1}");
        else
            fixture_advance(&run.fx, 2000);
        assert_non_null(engine_broken(run.fx.en));
        fixture_feed(&run.fx, 3000, "s", "{\"k\":1,\"u\":1}");
        fixture_end(&run.fx);
        assert_int_equal(run.fx.out.n, 0);
        close_run(&run);
    }
}

static void a_rule_that_comes_later_has_seen_nothing_before(void **state)
{
    (void)state;
    struct run run;
    open_rules(&run, "rule r { match by u within 10s { not x: s where k == 3  a: s where k == 1 } }");
    fixture_feed(&run.fx, 1000, "s", "{\"k\":5,\"u\":1}");
    reload(&run, "rule r { match by u within 10s { not x: s where k == 3  a: s where k == 1 } }\n"
                 "rule q { match by u within 90s { not x: s where k == 3  a: s where k == 1 } }");
    assert_int_equal(run.fx.en->rule[0].since, INT64_MIN);
    assert_int_equal(run.fx.en->rule[1].since, 1000 * SECOND);
    close_run(&run);
}

/* ---- time ------------------------------------------------------------------------------------ */

static int64_t tick(void *ctx)
{
    return *(int64_t *)ctx += 1000;
}

/* Rules' records as they were before there were times. */
static void make_old(struct record_store *store)
{
    for (size_t i = 0; i < store->is.n; i++) {
        struct record_entry *one = &store->is.at[i];
        if (one->key[0] != 'R')
            continue;
        assert_int_equal(one->value[0], RECORD_RULE_VERSION);
        one->value[0] = RECORD_VERSION;
        for (int k = 0; k < 2; k++) { /* the two numbers at the end, back to the byte that ends what is before */
            one->len--;
            while (one->value[one->len - 1] & 0x80)
                one->len--;
        }
    }
}

static void what_rules_cost_is_kept(void **state)
{
    (void)state;
    struct program *prog = fixture_compile(
        "rule r { match by u within 60s { a: s where k == 1  b: s where k == 2 } }", false);
    int64_t is = 0, time = 0;
    struct piece_clock clock = {.now = tick, .seed = 5, .ctx = &is};
    struct probe_tally probed = {.type_clash = 3, .regex_limit = 2, .ns = 77};
    uint64_t seed = 9;
    struct run run;
    open_run(&run, prog);
    engine_time(run.fx.en, &clock);
    for (int i = 0; i < 3000; i++)
        feed(&run, &seed, &time);
    engine_count_probed(run.fx.en, 0, &probed);
    struct engine_rule_stats before = fixture_stats(&run.fx, 0);
    assert_true(before.engine_ns > 0);
    settle(&run);
    restart(&run);
    struct engine_rule_stats after = fixture_stats(&run.fx, 0);
    assert_int_equal(after.engine_ns, before.engine_ns);
    assert_int_equal(after.conditions_ns, 77);
    assert_int_equal(after.type_clash, before.type_clash);
    assert_int_equal(after.regex_limit, 2);
    make_old(&run.store);
    restart(&run);
    after = fixture_stats(&run.fx, 0);
    assert_int_equal(after.engine_ns, 0);
    assert_int_equal(after.conditions_ns, 0);
    assert_int_equal(after.events, before.events);
    assert_well(&run);
    close_run(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_stored_and_let_go_says_the_same),
        cmocka_unit_test(other_delays_leave_what_was_set),
        cmocka_unit_test(other_waits_and_counts_go_on),
        cmocka_unit_test(other_columns_of_a_table_are_written_again),
        cmocka_unit_test(a_big_key_is_written_in_pieces),
        cmocka_unit_test(a_damaged_store_breaks_the_engine_alone),
        cmocka_unit_test(a_rule_that_comes_later_has_seen_nothing_before),
        cmocka_unit_test(what_rules_cost_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
