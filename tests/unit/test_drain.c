// SPDX-License-Identifier: Apache-2.0
/* drain: an older version of a rule beside the newer one, from a store that both go on from. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <unistd.h>

#include <tests/unit/record_store.h>
#include <tests/unit/window_fixture.h>

#define EACH(i, list) size_t i = 0; i < sizeof(list) / sizeof *(list); i++

/* An engine and what it wrote. */
struct side {
    struct fixture fx;
    struct record_store store;
    bool draining;
};

/* border: INT64_MIN: no other version. It counts only the first time. */
static void attach(struct side *side, const struct engine_clock *clock, int64_t border)
{
    const struct program *prog = side->fx.prog;
    uint32_t *rule = mem_calloc(prog->n_rules + 1, sizeof *rule);
    uint32_t *table = mem_calloc(prog->n_tables + 1, sizeof *table);
    int64_t *begins = mem_calloc(prog->n_rules + 1, sizeof *begins);
    int64_t *ends = mem_calloc(prog->n_rules + 1, sizeof *ends);
    struct engine_attachment attachment = {
        .reader = {.read = record_store_read, .ctx = &side->store},
        .rule_incarnation = rule, .table_incarnation = table, .draining = side->draining,
        .rule_begins = begins, .rule_ends = ends};
    for (uint32_t i = 0; i < prog->n_rules; i++) {
        rule[i] = i + 1;
        begins[i] = side->draining ? INT64_MIN : border;
        ends[i] = side->draining ? border : INT64_MAX;
    }
    engine_attach(side->fx.en, &attachment);
    const char *why = record_store_restore(&side->store, side->fx.en, clock);
    if (why != NULL)
        fail_msg("%s", why);
    mem_free(rule);
    mem_free(table);
    mem_free(begins);
    mem_free(ends);
}

static const struct engine_clock unborn = ENGINE_CLOCK_NONE;

/* Takes the program. */
static void side_open(struct side *side, struct program *prog)
{
    *side = (struct side){.draining = false};
    fixture_open_program(&side->fx, prog);
    record_store_init(&side->store);
    attach(side, &unborn, INT64_MIN);
}

static void side_close(struct side *side)
{
    fixture_close(&side->fx);
    record_store_fini(&side->store);
}

static struct engine_clock checkpoint(struct side *side)
{
    struct engine *en = side->fx.en;
    engine_epoch_close(en, &side->store.writer);
    while (!engine_epoch_slice(en, 1 << 20))
        continue;
    engine_epoch_durable(en);
    record_store_commit(&side->store);
    return engine_clock_get(en);
}

/* A crash behind a checkpoint. */
static void reopen(struct side *side)
{
    struct engine_clock clock = checkpoint(side);
    engine_free(&side->fx.en);
    side->fx.en = engine_new(side->fx.prog);
    attach(side, &clock, clock.now);
}

/* The version that ran drains, the next one begins. Takes the program. */
static void change(struct side *old, struct side *next, struct program *prog)
{
    struct engine_clock clock = checkpoint(old);
    engine_free(&old->fx.en);
    old->fx.en = engine_new(old->fx.prog);
    old->draining = true;
    attach(old, &clock, clock.now);
    *next = (struct side){.draining = false};
    fixture_open_program(&next->fx, prog);
    next->fx.offset = old->fx.offset;
    record_store_init(&next->store);
    attach(next, &clock, clock.now);
}

/* ---- windows: none is lost, none is told twice --------------------------------------------------- */

#define SOME_AGGREGATES                                                                           \
    "n = count()  s = sum(x)  hi = max(v)  f = first(v)  l = last(x)  d = count_distinct(v, k)  " \
    "c = collect(v, 3)  t = top(v, 2)"

static const char *const window_rules[] = {
    "rule r { window tumbling 10s by u { a: s } emit { " SOME_AGGREGATES " } }",
    "rule r { window tumbling 60s offset 7s { a: s  b: t } emit { " TWO_INPUTS " } keep 3 }",
    "rule r { window hopping 40s every 10s by u { a: s having sum(x) > 0 } emit { " SOME_AGGREGATES " } }",
    "rule r { window tumbling 10s by u { a: s  b: t having count() > 1 allow late 300s } emit { " TWO_INPUTS " } }",
    "rule r { window hopping 20s every 5s by u { a: s having sum(x) > 0 allow late 15s } emit { " SOME_AGGREGATES " } keep 3 }",
    "rule r { window hopping 20s every 5s by u { a: s fire on match allow late 15s } emit { n = count() } }",
    "rule r { window hopping 20s every 5s by u { a: s having count() > 2 fire on every match } emit { n = count() } }",
    "rule r { window tumbling 20s by u { a: s fire on change allow late 40s } emit { n = count() } }",
    "rule r { window tumbling 1d zone \"Europe/Paris\" by u { a: s having sum(x) > 0 allow late 9s } emit { n = count() } }",
};

static int line_order(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

struct lines {
    const char **line;
    size_t n, cap;
};

static void take_lines(struct lines *li, const struct fixture *fx)
{
    for (size_t i = 0; i < fx->out.n; i++) {
        li->line = vec_reserve(li->line, &li->cap, li->n + 1, sizeof *li->line);
        li->line[li->n++] = fx->out.alert[i].json;
    }
}

static void assert_same(struct lines *a, struct lines *b)
{
    if (a->n > 1)
        qsort(a->line, a->n, sizeof *a->line, line_order);
    if (b->n > 1)
        qsort(b->line, b->n, sizeof *b->line, line_order);
    for (size_t i = 0; i < a->n && i < b->n; i++)
        assert_string_equal(a->line[i], b->line[i]);
    assert_int_equal(a->n, b->n);
    mem_free(a->line);
    mem_free(b->line);
}

static void feed_random(struct fixture *const *fx, size_t n, uint64_t *seed, int64_t *time, bool late)
{
    uint64_t same = *seed;
    int64_t from = *time;
    for (size_t i = 0; i < n; i++) {
        *seed = same;
        *time = from;
        body_feed(fx[i], seed, time, late);
    }
}

/* Events, `jump` apart at most by more than a few seconds, to a rule that changes to itself twice. */
static size_t change_randomly(struct program *prog, uint64_t seed, bool late)
{
    enum { EVENTS = 150 };
    struct fixture whole;
    struct side side[3];
    size_t n = 1, gone = 0, at[2] = {fixture_below(&seed, EVENTS / 2), EVENTS / 2};
    int64_t time = 1000 * SECOND;
    at[1] = fixture_below(&seed, 3) == 0 ? at[0] : at[0] + fixture_below(&seed, EVENTS / 2);
    fixture_open_program(&whole, program_ref(prog));
    side_open(&side[0], program_ref(prog));
    for (size_t i = 0; i < EVENTS; i++) {
        for (; n < 3 && at[n - 1] == i; n++)
            change(&side[n - 1], &side[n], program_ref(prog));
        struct fixture *fx[4] = {&whole};
        size_t n_fx = 1;
        for (size_t k = gone; k < n; k++)
            fx[n_fx++] = &side[k].fx;
        feed_random(fx, n_fx, &seed, &time, late);
        if (fixture_below(&seed, 4) == 0)
            reopen(&side[gone + fixture_below(&seed, (uint32_t)(n - gone))]);
        if (gone + 1 < n && engine_drained(side[gone].fx.en))
            gone++; /* it is fed no more */
    }
    struct lines expected = {0}, found = {0};
    fixture_end(&whole);
    take_lines(&expected, &whole);
    for (size_t k = 0; k < n; k++) {
        if (k >= gone)
            fixture_end(&side[k].fx);
        take_lines(&found, &side[k].fx);
    }
    size_t n_expected = expected.n;
    assert_same(&expected, &found);
    for (size_t k = 0; k < n; k++)
        side_close(&side[k]);
    fixture_close(&whole);
    program_unref(&prog);
    return n_expected;
}

static void every_window_is_told_by_one_version(void **state)
{
    (void)state;
    for (EACH(i, window_rules)) {
        size_t n = 0;
        for (uint64_t seed = 1; seed <= 40; seed++)
            n += change_randomly(fixture_compile(window_rules[i], false), seed,
                                 strstr(window_rules[i], "late") != NULL);
        assert_true(n > 40);
    }
}

static char folder[] = "/tmp/tocsin_drain_XXXXXX";

static struct program *compile_rows(void)
{
    char name[200];
    static const char rules[] =
        "table us = file \"us.csv\" key u\n"
        "rule r { window tumbling 10s by u in us { s: s having count() < 3 } emit { n = count() } }\n";
    snprintf(name, sizeof name, "%s/us.csv", folder);
    FILE *f = fopen(name, "w");
    assert_non_null(f);
    fputs("u\n0\n1\n2\n77\n", f);
    fclose(f);
    snprintf(name, sizeof name, "%s/r.rule", folder);
    struct program_source_text text = {.name = name, .text = rules, .len = strlen(rules)};
    struct program_options opt = {0};
    struct diag *diag = diag_new();
    struct program *prog = program_compile(&text, 1, &opt, diag);
    assert_non_null(prog);
    diag_free(&diag);
    return prog;
}

static void windows_of_rows_too(void **state)
{
    (void)state;
    assert_non_null(mkdtemp(folder));
    for (uint64_t seed = 1; seed <= 60; seed++)
        assert_true(change_randomly(compile_rows(), seed, false) > 3);
    char name[200];
    snprintf(name, sizeof name, "%s/us.csv", folder);
    unlink(name);
    rmdir(folder);
}

/* ---- the other bodies ---------------------------------------------------------------------------- */

/* "time key" of each alert, then '*' if it is cold, of what was told since the last call. */
static void assert_told(struct side *side, const char *expected)
{
    struct buf b;
    buf_init(&b);
    for (size_t i = 0; i < side->fx.out.n; i++) {
        const struct alert *al = &side->fx.out.alert[i];
        buf_printf(&b, "%s%lld%s", i ? " " : "", (long long)(al->time / SECOND),
                   strstr(al->json, "\"cold\":true") != NULL ? "*" : "");
    }
    buf_addc(&b, '\0');
    assert_string_equal(b.data, expected);
    buf_fini(&b);
    alert_list_clear(&side->fx.out);
}

/* Both versions. */
static void feed_both(struct side *old, struct side *next, int64_t time, const char *source,
                      const char *json)
{
    fixture_feed(&old->fx, time, source, json);
    fixture_feed(&next->fx, time, source, json);
}

static void advance_both(struct side *old, struct side *next, int64_t time)
{
    fixture_advance(&old->fx, time);
    fixture_advance(&next->fx, time);
}

static void close_both(struct side *old, struct side *next)
{
    side_close(old);
    side_close(next);
}

#define E "{\"u\":1}"

/* matched by sets, and run by run */
static void open_runs_go_on_and_none_begins(void **state)
{
    static const char *const selects[] = {"first", "last", "each"};
    (void)state;
    for (EACH(i, selects)) {
        for (int no_opt = 0; no_opt < 2; no_opt++) {
            char text[300];
            struct side old, next;
            snprintf(text, sizeof text, "rule r { match by u within 100s select %s { a: s  b: t  c: s } }", selects[i]);
            side_open(&old, fixture_compile(text, no_opt));
            fixture_feed(&old.fx, 1, "s", E);
            fixture_feed(&old.fx, 2, "t", E);
            change(&old, &next, fixture_compile(text, no_opt));
            assert_false(engine_drained(old.fx.en));
            feed_both(&old, &next, 3, "s", "{\"u\":2}"); /* nothing begins in the old one */
            assert_int_equal(fixture_stats(&old.fx, 0).keys, 1);
            reopen(&old);
            reopen(&next);
            feed_both(&old, &next, 4, "s", E);
            assert_told(&old, "4");
            assert_told(&next, "");
            assert_true(engine_drained(old.fx.en));
            feed_both(&old, &next, 5, "t", E);
            feed_both(&old, &next, 6, "s", E);
            assert_told(&old, "");
            assert_told(&next, "6");
            assert_int_equal(fixture_stats(&old.fx, 0).keys, 0);
            fixture_assert_no_state(&old.fx);
            close_both(&old, &next);
        }
    }
}

static void a_run_ends_at_its_bound(void **state)
{
    struct side old, next;
    (void)state;
    side_open(&old, fixture_compile("rule r { match by u within 10s { a: s  b: t } }", false));
    fixture_feed(&old.fx, 1, "s", E);
    change(&old, &next, fixture_compile("rule r { match by u within 20s { a: s  b: t } }", false));
    advance_both(&old, &next, 12);
    assert_true(engine_drained(old.fx.en));
    assert_told(&old, "");
    close_both(&old, &next);
}

static void an_absence_is_told_when_it_is_due(void **state)
{
    struct side old, next;
    (void)state;
    side_open(&old, fixture_compile("rule r { match by u { a: s  not b: t within 10s } }", false));
    fixture_feed(&old.fx, 1, "s", E);
    fixture_feed(&old.fx, 2, "s", "{\"u\":2}");
    change(&old, &next, fixture_compile("rule r { match by u { a: s  not b: t within 20s } }", false));
    feed_both(&old, &next, 3, "s", "{\"u\":3}");
    feed_both(&old, &next, 4, "t", "{\"u\":2}");
    advance_both(&old, &next, 100);
    assert_told(&old, "11");
    assert_told(&next, "23");
    close_both(&old, &next);
}

static void what_came_before_is_not_known(void **state)
{
    static const char text[] = "rule r { match by u within 10s { not x: t  a: s } }";
    struct side old, next;
    (void)state;
    side_open(&old, fixture_compile(text, false));
    fixture_feed(&old.fx, 1, "s", E);
    assert_told(&old, "1*");
    fixture_feed(&old.fx, 15, "s", E);
    assert_told(&old, "15");
    change(&old, &next, fixture_compile(text, false));
    feed_both(&old, &next, 20, "s", E);
    assert_told(&old, "");
    assert_told(&next, "20*");
    reopen(&next);
    feed_both(&old, &next, 24, "s", E);
    assert_told(&next, "24*");
    feed_both(&old, &next, 30, "t", "{\"u\":2}");
    assert_int_equal(fixture_stats(&old.fx, 0).keys, 0);
    feed_both(&old, &next, 31, "s", "{\"u\":2}");
    feed_both(&old, &next, 32, "s", E);
    assert_told(&next, "32");
    close_both(&old, &next);
}

static void open_sides_of_a_join_pair(void **state)
{
    static const char text[] = "rule r { join by u within 10s { a: s  b?: t } }";
    struct side old, next;
    (void)state;
    side_open(&old, fixture_compile(text, false));
    fixture_feed(&old.fx, 1, "s", E);
    fixture_feed(&old.fx, 2, "s", "{\"u\":2}");
    fixture_feed(&old.fx, 3, "t", "{\"u\":3}");
    change(&old, &next, fixture_compile(text, false));
    feed_both(&old, &next, 4, "t", E);
    assert_told(&old, "4");
    assert_told(&next, "");
    feed_both(&old, &next, 5, "s", "{\"u\":3}"); /* the other side */
    assert_told(&old, "5");
    reopen(&old);
    feed_both(&old, &next, 6, "t", E);
    assert_told(&old, "6");
    feed_both(&old, &next, 7, "s", E); /* pairs with nothing that is open in the old one */
    assert_told(&old, "");
    assert_told(&next, "7 7");
    advance_both(&old, &next, 100);
    assert_told(&old, "12");      /* u 2, alone; u 1 was paired */
    assert_told(&next, "15");     /* of u 3: its partner came before */
    assert_true(engine_drained(old.fx.en));
    fixture_assert_no_state(&old.fx);
    close_both(&old, &next);
}

static void open_sessions_go_on(void **state)
{
    static const char text[] = "rule r { window session 10s by u { a: s } emit { n = count() } }";
    struct side old, next;
    (void)state;
    side_open(&old, fixture_compile(text, false));
    fixture_feed(&old.fx, 1, "s", E);
    change(&old, &next, fixture_compile(text, false));
    feed_both(&old, &next, 8, "s", E);
    feed_both(&old, &next, 9, "s", "{\"u\":2}");
    assert_int_equal(fixture_stats(&old.fx, 0).keys, 1);
    reopen(&old);
    feed_both(&old, &next, 17, "s", E);
    feed_both(&old, &next, 40, "s", E);
    assert_told(&old, "27");
    assert_told(&next, "19 27");
    assert_true(engine_drained(old.fx.en));
    close_both(&old, &next);
}

static void late_events_find_the_session_that_they_belong_to(void **state)
{
    static const char text[] = "rule r { window session 10s by u { a: s allow late 30s } emit { n = count() } }";
    struct side old, next;
    (void)state;
    side_open(&old, fixture_compile(text, false));
    fixture_feed(&old.fx, 50, "s", E);
    change(&old, &next, fixture_compile(text, false));
    feed_both(&old, &next, 70, "s", E);
    assert_told(&old, "60");
    for (int i = 0; i < 2; i++) {
        struct side *side = i == 0 ? &old : &next;
        body_feed_late(&side->fx, 45 * SECOND, "s", E);          /* revises the old one's */
        body_feed_late(&side->fx, 40 * SECOND, "s", "{\"u\":2}"); /* begins one: the old version's */
        body_feed_late(&side->fx, 66 * SECOND, "s", "{\"u\":3}"); /* the new version's */
    }
    assert_told(&old, "60 50");
    assert_told(&next, "");
    assert_false(engine_drained(old.fx.en));
    advance_both(&old, &next, 200);
    assert_told(&old, "");
    assert_told(&next, "76 80");
    assert_true(engine_drained(old.fx.en));
    close_both(&old, &next);
}

/* ---- what belongs to a rule besides ----------------------------------------------------------- */

static void suppression_goes_on_and_does_not_hold(void **state)
{
    static const char text[] = "rule r { match by u within 100s { a: s  b: t } suppress 50s }";
    struct side old, next;
    (void)state;
    side_open(&old, fixture_compile(text, false));
    fixture_feed(&old.fx, 1, "s", E);
    fixture_feed(&old.fx, 2, "t", E);
    fixture_feed(&old.fx, 3, "s", E);
    assert_told(&old, "2");
    change(&old, &next, fixture_compile(text, false));
    feed_both(&old, &next, 4, "t", E);
    assert_told(&old, "");
    assert_int_equal(fixture_stats(&old.fx, 0).suppressed, 1);
    assert_true(engine_drained(old.fx.en));
    feed_both(&old, &next, 5, "s", E);
    feed_both(&old, &next, 6, "t", E);
    assert_told(&next, "6"); /* the new one begins without */
    close_both(&old, &next);
}

static void a_summary_is_waited_for(void **state)
{
    static const char text[] = "rule r { match by u within 100s { a: s  b: t } suppress 50s summary }";
    struct side old, next;
    (void)state;
    side_open(&old, fixture_compile(text, false));
    fixture_feed(&old.fx, 1, "s", E);
    fixture_feed(&old.fx, 2, "t", E);
    fixture_feed(&old.fx, 3, "s", E);
    assert_told(&old, "2");
    change(&old, &next, fixture_compile(text, false));
    feed_both(&old, &next, 4, "t", E);
    reopen(&old);
    assert_false(engine_drained(old.fx.en));
    advance_both(&old, &next, 60);
    assert_told(&old, "52");
    assert_true(engine_drained(old.fx.en));
    close_both(&old, &next);
}

/* Rules of other engines are offered nothing, and tell nothing of their own. */
static void rules_of_others_are_off(void **state)
{
    struct side side = {.draining = false};
    uint32_t rule[] = {0, 7};
    (void)state;
    fixture_open(&side.fx, "rule a { match { a: s } }\nrule b { match { a: s } }\n");
    record_store_init(&side.store);
    struct engine_attachment attachment = {.reader = {.read = record_store_read, .ctx = &side.store},
                                           .rule_incarnation = rule,
                                           .table_incarnation = rule};
    engine_attach(side.fx.en, &attachment);
    assert_null(record_store_restore(&side.store, side.fx.en, &unborn));
    fixture_feed(&side.fx, 1, "s", E);
    assert_int_equal(fixture_stats(&side.fx, 0).events, 0);
    assert_int_equal(fixture_stats(&side.fx, 1).alerts, 1);
    side_close(&side);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_window_is_told_by_one_version),
        cmocka_unit_test(windows_of_rows_too),
        cmocka_unit_test(open_runs_go_on_and_none_begins),
        cmocka_unit_test(a_run_ends_at_its_bound),
        cmocka_unit_test(an_absence_is_told_when_it_is_due),
        cmocka_unit_test(what_came_before_is_not_known),
        cmocka_unit_test(open_sides_of_a_join_pair),
        cmocka_unit_test(open_sessions_go_on),
        cmocka_unit_test(late_events_find_the_session_that_they_belong_to),
        cmocka_unit_test(suppression_goes_on_and_does_not_hold),
        cmocka_unit_test(a_summary_is_waited_for),
        cmocka_unit_test(rules_of_others_are_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
