// SPDX-License-Identifier: Apache-2.0
/*
 * Sets against runs: random rules over random streams, each rule compiled with the optimiser (matched
 * by sets) and without (run by run), fed the same events. After each event both must have told the
 * same alerts, byte by byte, and hold as many runs; their snapshots must be the same bytes. At random
 * points both are restored, from their own snapshot or from each other's.
 *
 *   SET_MATCHER_SEEDS=1000-90000 tests/unit/test_set_matcher      more rules than `make check' has
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/diag.h"
#include "engine/alert.h"
#include "engine/engine.h"
#include "engine/engine_priv.h"
#include "event/event.h"
#include "event/json_decode.h"
#include "plan/program.h"

enum { SETS, RUNS, N_SIDES, MAX_LINE = 1 << 16 };
static const int64_t tenth = 100000000;

static uint64_t state;

static uint32_t below(uint32_t n)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)((state >> 20) % n);
}

static bool chance(uint32_t percent)
{
    return below(100) < percent;
}

/* ---- rules ---------------------------------------------------------------------------------- */

static void add_step(struct buf *out, int number, const char *quantifier, uint32_t within_percent)
{
    static const char *const streams[] = {"a", "b", "c", "a", "b", "c", "d", "[a, b]", "[b, c]"};
    static const char *const wheres[] = {"", "", "", " where k == 0", " where k == 1", " where k < 2"};
    buf_printf(out, "s%d%s: %s%s", number, quantifier, streams[below(9)], wheres[below(6)]);
    if (chance(within_percent))
        buf_printf(out, " within %ums", (below(40) + 1) * 100);
    buf_adds(out, "\n");
}

static void add_not(struct buf *out, int number, bool within)
{
    buf_adds(out, "not ");
    add_step(out, number, "", within ? 100 : 0);
}

static const char *quantifier(void)
{
    static const char *const all[] = {"", "", "", "", "{2}", "{3}", "{1,3}", "{2,4}", "{2,}", "{3,}",
                                      "+", "*", "?", "{2,3}"};
    return all[below(14)];
}

/* Some are refused; the caller draws again. */
static void random_rule(struct buf *out)
{
    int number = 0, n = 1 + (int)below(4);
    bool within = !chance(12);
    uint32_t waits = within ? (chance(50) ? 0 : 35) : 100;
    buf_adds(out, "rule r {\nkeep 1000\n");
    if (chance(40))
        buf_printf(out, "limit runs %u per key\n", 1 + below(chance(50) ? 6 : 60));
    if (chance(30))
        buf_printf(out, "limit events %u per run\n", 2 + below(9));
    if (chance(20))
        buf_printf(out, "limit state %uKiB\n", 1 + below(16));
    if (chance(10))
        buf_adds(out, "suppress 1s\n");
    buf_printf(out, "match %s", chance(60) ? "by g " : "");
    if (within)
        buf_printf(out, "within %ums ", (below(100) + 1) * 100);
    buf_printf(out, "%s{\n", chance(50) ? "select each " : "");
    if (chance(15))
        add_not(out, number++, chance(50));
    for (int i = 0; i < n; i++) {
        if (i > 0 && chance(15))
            buf_adds(out, "next ");
        if (chance(20)) {
            buf_adds(out, "any {\n");
            for (uint32_t k = 2 + below(2); k > 0; k--)
                add_step(out, number++, "", waits);
            buf_adds(out, "}\n");
        } else {
            add_step(out, number++, quantifier(), i == 0 && chance(60) ? 0 : waits);
        }
        if (i + 1 < n && chance(15))
            add_not(out, number++, false);
    }
    for (uint32_t k = chance(25) ? 1 + below(2) : 0; k > 0; k--)
        add_not(out, number++, !within || chance(60));
    if (chance(12)) {
        buf_adds(out, "until ");
        add_step(out, number++, "", 0);
    }
    buf_adds(out, "}\n}\n");
}

static struct program *compile(const char *text, bool no_opt)
{
    struct program_source_text source = {.name = "case.rule", .text = text, .len = strlen(text)};
    struct program_options options = {.no_opt = no_opt};
    struct diag *diag = diag_new();
    struct program *prog = program_compile(&source, 1, &options, diag);
    diag_free(&diag);
    return prog;
}

/* ---- two engines ---------------------------------------------------------------------------- */

struct side {
    struct program *prog;
    struct engine *engine;
    struct alert_list alerts;
    struct decoder *decoder;
    struct probe_scratch *probe;
    struct buf snapshot;
};

static struct side sides[N_SIDES];
static struct origin origins[4];
static const char *const names[4] = {"a", "b", "c", "d"};
static const char *rule_text;
static uint64_t seed, n_alerts;

static void fail_case(const char *what)
{
    print_error("seed %" PRIu64 ", alert %" PRIu64 ": %s\n%s", seed, n_alerts, what, rule_text);
    fail();
}

static void side_begin(struct side *side, const char *text, bool no_opt)
{
    *side = (struct side){.prog = compile(text, no_opt)};
    if (side->prog == NULL)
        return;
    side->engine = engine_new(side->prog);
    side->decoder = decoder_new(side->prog->schema, MAX_LINE);
    side->probe = probe_scratch_new(side->prog);
    alert_list_init(&side->alerts);
    buf_init(&side->snapshot);
}

static void side_end(struct side *side)
{
    if (side->prog == NULL)
        return;
    engine_free(&side->engine);
    decoder_free(&side->decoder);
    probe_scratch_free(&side->probe);
    alert_list_fini(&side->alerts);
    buf_fini(&side->snapshot);
    program_unref(&side->prog);
}

static void side_feed(struct side *side, int64_t time, uint32_t source, uint64_t offset,
                      const char *json)
{
    struct event ev = {0};
    const char *why;
    assert_true(decoder_run_copy(side->decoder, json, strlen(json), &ev, &why));
    origins[source].source_id = program_source(side->prog, names[source]);
    ev.time = time;
    ev.origin = &origins[source];
    ev.offset = offset;
    engine_probe(side->prog, side->probe, &ev);
    engine_feed(side->engine, &ev, &side->alerts);
}

static void compare_alerts(void)
{
    struct alert_list *x = &sides[SETS].alerts, *y = &sides[RUNS].alerts;
    for (size_t i = 0; i < x->n && i < y->n; i++, n_alerts++) {
        if (x->alert[i].time != y->alert[i].time || strcmp(x->alert[i].json, y->alert[i].json) != 0 ||
            memcmp(x->alert[i].id, y->alert[i].id, sizeof x->alert[i].id) != 0 ||
            strcmp(x->alert[i].key, y->alert[i].key) != 0) {
            print_error("sets %s\nruns %s\n", x->alert[i].json, y->alert[i].json);
            fail_case("different alerts");
        }
    }
    if (x->n != y->n)
        fail_case(x->n < y->n ? "sets tell fewer alerts" : "sets tell more alerts");
    alert_list_clear(x);
    alert_list_clear(y);
}

static void compare_stats(void)
{
    struct engine_rule_stats x, y;
    engine_stats(sides[SETS].engine, 0, &x);
    engine_stats(sides[RUNS].engine, 0, &y);
    if (x.bytes != y.bytes)
        fail_case("different numbers of bytes");
    if (x.runs != y.runs)
        fail_case("different numbers of runs");
    if (x.keys != y.keys)
        fail_case("different numbers of keys");
    if (x.limited_runs != y.limited_runs || x.limited_events != y.limited_events)
        fail_case("different counts of what limits cut");
    if (x.limited_state != y.limited_state)
        fail_case("different counts of what `limit state` cut");
    if (x.suppressed != y.suppressed || x.alerts != y.alerts)
        fail_case("different counts of alerts");
}

static void restore(struct side *side, const struct buf *snapshot)
{
    const char *why = "?";
    struct engine *fresh = engine_new(side->prog);
    if (!engine_restore(fresh, snapshot->data, snapshot->len, &why))
        fail_case(why);
    engine_free(&side->engine);
    side->engine = fresh;
}

/* Both write the same runs in the same order, so both write the same bytes. */
static void renew(void)
{
    for (int i = 0; i < N_SIDES; i++) {
        buf_clear(&sides[i].snapshot);
        engine_snapshot(sides[i].engine, &sides[i].snapshot);
    }
    struct buf *x = &sides[SETS].snapshot, *y = &sides[RUNS].snapshot;
    if (x->len != y->len || memcmp(x->data, y->data, x->len) != 0)
        fail_case("different snapshots");
    bool swap = chance(50);
    restore(&sides[SETS], &sides[swap ? RUNS : SETS].snapshot);
    restore(&sides[RUNS], &sides[swap ? SETS : RUNS].snapshot);
}

static void advance(int64_t frontier)
{
    for (int i = 0; i < N_SIDES; i++)
        engine_advance(sides[i].engine, frontier, &sides[i].alerts);
    compare_alerts();
    compare_stats();
}

static void finish(void)
{
    struct engine_rule_stats stats;
    advance(INT64_MAX);
    for (int i = 0; i < N_SIDES; i++) {
        engine_stats(sides[i].engine, 0, &stats);
        if (stats.runs != 0)
            fail_case("runs are left at the end");
        if (stats.keys == 0 && sides[i].prog->rule[0].suppress < 0 && stats.bytes != 0)
            fail_case("bytes are left at the end");
    }
}

/* ---- streams -------------------------------------------------------------------------------- */

struct stream {
    uint32_t events, keys;
    uint32_t usual;       /* percent of events that are `a` */
    uint32_t step;        /* tenths of seconds between events, at most */
    uint32_t renewals;    /* one of so many events is followed by snapshots and restores; 0: none */
};

static void run_stream(const struct stream *stream)
{
    int64_t time = INT64_C(1800000000) * 1000000000;
    char json[64];
    for (uint32_t i = 0; i < stream->events; i++) {
        time += chance(30) ? 0 : (int64_t)below(stream->step + 1) * tenth;
        uint32_t source = chance(stream->usual) ? 0 : below(4);
        snprintf(json, sizeof json, "{\"g\":%u,\"k\":%u,\"n\":%u}", below(stream->keys), below(3), i);
        if (chance(10))
            advance(time);
        for (int s = 0; s < N_SIDES; s++)
            side_feed(&sides[s], time, source, i + 1, json);
        compare_alerts();
        compare_stats();
        if (stream->renewals > 0 && below(stream->renewals) == 0)
            renew();
    }
    finish();
}

/* Returns whether sets matched it. */
static bool run_rule(const char *text, const struct stream *stream)
{
    rule_text = text;
    for (uint32_t s = 0; s < 4; s++)
        origins[s] = (struct origin){.source = names[s], .partition = "p"};
    side_begin(&sides[SETS], text, false);
    side_begin(&sides[RUNS], text, true);
    bool by_sets = sides[SETS].prog != NULL && sides[SETS].engine->rule[0].sets != NULL;
    if (by_sets)
        run_stream(stream);
    side_end(&sides[SETS]);
    side_end(&sides[RUNS]);
    return by_sets;
}

static bool run_seed(uint64_t number)
{
    struct buf text;
    seed = number;
    state = number * UINT64_C(0x9e3779b97f4a7c15) + 1;
    below(2);
    buf_init(&text);
    random_rule(&text);
    struct stream stream = {.events = 60 + below(200), .keys = 1 + below(3),
                            .usual = chance(30) ? 70 : 10, .step = chance(30) ? 1 : 8,
                            .renewals = chance(60) ? 1 + below(40) : 0};
    bool by_sets = run_rule(text.data, &stream);
    buf_fini(&text);
    return by_sets;
}

/* ---- tests ---------------------------------------------------------------------------------- */

static void test_random_rules(void **unused)
{
    const char *seeds = getenv("SET_MATCHER_SEEDS");
    uint64_t from = 1, to = 3000, n = 0;
    (void)unused;
    if (seeds != NULL && sscanf(seeds, "%" SCNu64 "-%" SCNu64, &from, &to) != 2)
        fail_msg("SET_MATCHER_SEEDS=FIRST-LAST");
    n_alerts = 0;
    for (uint64_t number = from; number < to; number++)
        n += run_seed(number);
    print_message("%" PRIu64 " rules by sets, %" PRIu64 " alerts\n", n, n_alerts);
    if (seeds == NULL) {
        assert_true(n > 1200);
        assert_true(n_alerts > 10000);
    }
}

/* Rules whose hard cases chance makes seldom: sets that split and arrive in two parts, `within` that
 * passes in a set that `limit events` has closed, in one that a snapshot brings. */
static void test_chosen_rules(void **unused)
{
    static const char *const bodies[] = {
        "match select each { x: a any { y: b within 400ms z: [b, c] within 2s } w: d within 5s }",
        "match within 9s { x: a z?: b within 700ms any { y: b within 1s w: [b, c] within 2s } v: d }",
        "limit events 3 per run limit runs 9 per key match select each {"
        " x{2,}: a within 2s y: b within 3s z: d within 5s }",
        "limit events 3 per run match within 9s { x+: a within 600ms next y: b z: d }",
        "limit runs 5 per key match by g within 9s select each {"
        " x{2,3}: a where k == 1 within 1s y: c where k == 1 not z: c where k == 0 w: a where k == 0 }",
        "match by g within 5s { x{2,4}: a within 400ms not z: d y{2,3}: b within 1s w: c v{2}: a }",
        "match by g within 4s { x: a y+: b within 500ms not z: d not v: c within 1s }",
        "match within 4s { u?: c x{2,9}: a within 500ms y: b within 1s z: c within 2s not w: d }",
    };
    (void)unused;
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        char text[512];
        snprintf(text, sizeof text, "rule r { keep 1000 %s }", bodies[i]);
        for (uint32_t k = 0; k < 40; k++) {
            struct stream stream = {.events = 150, .keys = 1 + k % 2, .usual = k % 3 * 25,
                                    .step = 1 + k % 8, .renewals = 1 + k % 10 * 2};
            seed = i * 1000 + k;
            state = (seed + 1) * UINT64_C(0x9e3779b97f4a7c15);
            if (!run_rule(text, &stream))
                fail_case("not matched by sets");
        }
    }
}

/* Many open runs: the rare event comes once in thousands. */
static void test_many_runs(void **unused)
{
    static const char *const bodies[] = {
        "match within 1000s { x: a y: b where k == 0 and n % 1000 == 0 }",
        "match within 100s select each { x: a y: b where n % 1000 == 0 }",
        "match within 1000s select each { x: a y: b where n % 100 == 0 z: c where n % 500 == 1 }",
        "match within 200s { x{3,}: a y: b where n % 700 == 0 }",
        "limit events 20 per run match within 50s select each { x{3,}: a within 2s y: b where n % 100 == 0 }",
        "limit runs 900 per key match within 300s select each { x{2,9}: a y: b where n % 300 == 0 }",
        "match within 300s { x: a not z: d where n % 900 == 3 y{2,}: b within 20s w: c where n % 700 == 0 }",
        "match within 200s { x+: a y: b where n % 70 == 0 not z: c where n % 20 == 0 }",
        "match select each { any { x: a y: b } z{5}: c within 30s w: d where n % 50 == 0 within 40s }",
    };
    (void)unused;
    n_alerts = 0;
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        struct stream stream = {.events = 4000, .keys = 1, .usual = 50, .step = 1, .renewals = 900};
        char text[512];
        seed = i;
        state = i + 77;
        snprintf(text, sizeof text, "rule r { keep 3 %s }", bodies[i]);
        if (!run_rule(text, &stream))
            fail_case("not matched by sets");
    }
    assert_true(n_alerts > 100);
}

/* What `limit events` cuts differently in different runs is matched run by run. */
static void test_eligible(void **unused)
{
    static const struct {
        const char *text;
        bool by_sets;
    } table[] = {
        {"match within 9s { x: a y: b }", true},
        {"match within 9s select each { x{3,}: a y: b }", true},
        {"match within 9s select last { x: a y: b }", false},
        {"match within 9s { x: a y: b where k == x.k }", false},
        {"match within 9s { x: a y: b where k > x.k }", false},
        {"match within 9s { all { x: a y: b } z: c }", false},
        {"match within 9s { any { x: a y: b } z: c }", true},
        {"limit events 5 per run match within 9s { x{2,}: a y: b }", true},
        {"limit events 5 per run match within 9s { x{2,}: a y{2}: b }", false},
        {"limit events 5 per run match within 9s { x{6,}: a y: b }", false},
        {"limit events 5 per run match within 9s { x{1,2}: a y{2}: b }", true},
        {"limit events 5 per run match within 9s { x{1,2}: a y{1,9}: b z: c }", false},
        {"limit events 5 per run match within 9s { x{2}: a y{1,9}: b z: c }", true},
    };
    (void)unused;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        char text[256];
        snprintf(text, sizeof text, "rule r { %s }", table[i].text);
        struct program *prog = compile(text, false);
        if (prog == NULL)
            fail_msg("refused: %s", table[i].text);
        struct engine *engine = engine_new(prog);
        if ((engine->rule[0].sets != NULL) != table[i].by_sets)
            fail_msg("%s", table[i].text);
        engine_free(&engine);
        program_unref(&prog);
    }
}

/* A snapshot cut off anywhere, or with a byte changed, is refused or restored; never more. */
static void test_damaged_snapshot(void **unused)
{
    static const char text[] = "rule r { match by g within 9s select each {"
                               " x{2,4}: a within 3s not z: d y{2}: b w: c } }";
    (void)unused;
    state = 4711;
    rule_text = text;
    for (uint32_t s = 0; s < 4; s++)
        origins[s] = (struct origin){.source = names[s], .partition = "p"};
    side_begin(&sides[SETS], text, false);
    for (uint32_t i = 0; i < 40; i++) {
        char json[32];
        snprintf(json, sizeof json, "{\"g\":%u}", i % 2);
        side_feed(&sides[SETS], i * tenth, below(5) % 4, i + 1, json);
    }
    struct buf *bytes = &sides[SETS].snapshot;
    engine_snapshot(sides[SETS].engine, bytes);
    for (size_t i = 0; i < bytes->len; i++) {
        const char *why;
        char before = bytes->data[i];
        struct engine *engine = engine_new(sides[SETS].prog);
        assert_false(engine_restore(engine, bytes->data, i, &why));
        engine_free(&engine);
        engine = engine_new(sides[SETS].prog);
        bytes->data[i] = (char)below(256);
        if (engine_restore(engine, bytes->data, bytes->len, &why))
            engine_advance(engine, INT64_MAX, &sides[SETS].alerts);
        bytes->data[i] = before;
        engine_free(&engine);
    }
    side_end(&sides[SETS]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_rules),
        cmocka_unit_test(test_chosen_rules),
        cmocka_unit_test(test_many_runs),
        cmocka_unit_test(test_eligible),
        cmocka_unit_test(test_damaged_snapshot),
    };
    return cmocka_run_group_tests_name("set_matcher", tests, NULL, NULL);
}
