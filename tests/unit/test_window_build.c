// SPDX-License-Identifier: Apache-2.0
/*
 * The plans of windows, joins and first sightings: sizes, aggregates without doubles, which
 * conditions wait for the other side, the code; what the vm gives for aggregates and bounds;
 * severity and risk that are computed. All bodies are turned on, whether the engine runs them or not.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <unit/engine_fixture.h>

#include "base/arena.h"
#include "base/zone.h"
#include "engine/vm.h"
#include "lang/parse.h"
#include "lang/resolve.h"
#include "plan/join_plan.h"
#include "plan/novel_plan.h"
#include "plan/program_priv.h"
#include "plan/window_plan.h"

static struct program *compile(const char *text, bool no_opt)
{
    struct diag *diag = diag_new();
    struct ast_module *module = ast_module_new();
    struct lang_unit unit = {0};
    parse_file(module, diag, diag_file_add(diag, "t", text, strlen(text)));
    resolve_module(module, NULL, diag, &unit);
    typecheck_module(&unit, diag);
    struct program *prog = program_build(&unit, no_opt, diag);
    if (prog == NULL || diag_errors(diag) > 0) {
        struct buf why;
        buf_init(&why);
        diag_print(diag, &why);
        fail_msg("%s: %s", text, why.len > 0 ? why.data : "no program");
    }
    lang_unit_fini(&unit);
    ast_module_free(&module);
    diag_free(&diag);
    return prog;
}

static void assert_code(const struct program *prog, const struct code *code, const char *want)
{
    struct buf text;
    buf_init(&text);
    if (code != NULL)
        code_print(&text, prog, code);
    assert_string_equal(text.len > 0 ? text.data : "", want);
    buf_fini(&text);
}

/* ---- windows ------------------------------------------------------------------------------- */

static void kinds_have_their_sizes(void **state)
{
    (void)state;
    struct program *prog = compile(
        "rule a { window tumbling 1d offset 3h zone \"Europe/Paris\" { a: s } }\n"
        "rule b { window hopping 10m every 1m { a: s fire on change allow late 1h } emit { n = "
        "count() } }\n"
        "rule c { window session 30m { a: s fire on match } }\n"
        "rule d { window session 30m max 12h { a: s } }\n"
        "rule e { window sliding 10m { a: s having sum(x, within 1h) > avg(x, within 5m) } }\n"
        "rule f { window global expire 30d { a: s fire on match reset } }\n", false);
    static const struct window_plan want[] = {
        {.kind = WINDOW_TUMBLING, .fire = FIRE_ON_CLOSE, .size = 86400, .every = 86400,
         .offset = 10800, .max = 86400, .late = -1, .reach = 86400},
        {.kind = WINDOW_HOPPING, .fire = FIRE_ON_CHANGE, .size = 600, .every = 60, .max = 86400,
         .late = 3600, .reach = 600, .n_aggregates = 1},
        {.kind = WINDOW_SESSION, .fire = FIRE_ON_MATCH, .size = 1800, .every = 1800, .max = 86400,
         .late = -1, .reach = 1800},
        {.kind = WINDOW_SESSION, .fire = FIRE_ON_CLOSE, .size = 1800, .every = 1800, .max = 43200,
         .late = -1, .reach = 1800},
        {.kind = WINDOW_SLIDING, .fire = FIRE_ON_MATCH, .size = 600, .every = 600, .max = 86400,
         .late = -1, .reach = 3600, .n_aggregates = 2},
        {.kind = WINDOW_GLOBAL, .fire = FIRE_ON_MATCH_RESET, .size = 2592000, .every = 2592000,
         .max = 86400, .late = -1, .reach = 2592000},
    };
    for (uint32_t r = 0; r < 6; r++) {
        const struct window_plan *plan = prog->rule[r].window, *w = &want[r];
        assert_int_equal(prog->rule[r].body, BODY_WINDOW);
        assert_int_equal(plan->kind, w->kind);
        assert_int_equal(plan->fire, w->fire);
        assert_int_equal(plan->size, w->size * SECOND);
        assert_int_equal(plan->every, w->every * SECOND);
        assert_int_equal(plan->offset, w->offset * SECOND);
        assert_int_equal(plan->max, w->max * SECOND);
        assert_int_equal(plan->late, w->late < 0 ? -1 : w->late * SECOND);
        assert_int_equal(plan->reach, w->reach * SECOND);
        assert_int_equal(plan->n_aggregates, w->n_aggregates);
        assert_int_equal(plan->in_table, UINT32_MAX);
        assert_int_equal(plan->having != NULL, r == 4);
    }
    assert_string_equal(zone_name(prog->rule[0].window->zone), "Europe/Paris");
    assert_null(prog->rule[1].window->zone);
    const struct program_aggregate *ag = prog->rule[4].window->aggregate;
    assert_int_equal(ag[0].reach, 3600 * SECOND);
    assert_int_equal(ag[1].reach, 300 * SECOND);
    assert_false(ag[0].no_remove);
    assert_int_equal(prog->rule[1].window->aggregate[0].reach, -1);
    assert_true(prog->rule[1].window->aggregate[0].no_remove);
    program_unref(&prog);
}

static void equal_aggregates_are_one(void **state)
{
    (void)state;
    static const struct {
        const char *inputs, *having;
        uint32_t n;
    } c[] = {
        {"a: s", "count() > 1 and count(a) > 2 and 3 < count()", 1},
        {"a: s b: t", "count() > 1 and count(a) > 2 and count(b) > 2 and count() > 4", 3},
        {"a: s", "sum(x) > 1 and sum(a.x) > 2 and sum(a.x, within 1h) > 3 and sum(x where y == 1) > 4",
         3},
        {"a: s b: t", "sum(a.x) > 1 and sum(b.x) > 1 and avg(a.x) > 1", 3},
        {"a: s", "sum(x * y) > 1 and sum(y * x) > 1 and sum(a.x * a.y) > 1 and sum(x + y) > 1", 3},
        {"a: s", "sum(x * 2) > 1 and sum(x * 2.0) > 1 and sum(x * 2) > 3", 2},
        {"a: s", "length(top(x, 3)) > 1 and length(top(x, 4)) > 1 and length(top(x, 3)) > 2", 2},
        {"a: s", "count(x == \"a\") > 1 and count(x ==~ \"a\") > 1 and count(x in l) > 1 and "
         "count(x in m) > 1 and count(a.x in l) > 2 and count(x in [1, 2]) > 2 and count(x in [1, 3]) "
         "> 2", 6},
        {"a: s", "max(lower(x)) > 1 and max(upper(x)) > 1 and max(lower(a.x)) > 2", 2},
        {"a: s", "count(any(v in x: v.a == 1)) > 1 and count(all(v in x: v.a == 1)) > 1 and "
         "count(any(v in x: v.b == 1)) > 1 and count(any(w in a.x: w.a == 1)) > 1", 3},
        {"a: s", "count(any_field contains \"x\") > 1 and max(time()) > min(time()) and "
         "max(time(a)) > min(time()) and length(values(stream(), 3)) > 1", 5},
        {"a: s", "count(not x) > 1 and count(not y) > 1 and max(-x) > 1 and max(-x) > 2", 3},
    };
    for (size_t i = 0; i < sizeof c / sizeof c[0]; i++) {
        char text[600];
        snprintf(text, sizeof text,
                 "list l = [1]\nlist m = [2]\nrule r { window sliding 5m { %s having %s } }\n",
                 c[i].inputs, c[i].having);
        struct program *prog = compile(text, i % 2 == 0);
        if (prog->rule[0].window->n_aggregates != c[i].n)
            fail_msg("%s: %u aggregates", c[i].having, prog->rule[0].window->n_aggregates);
        program_unref(&prog);
    }
}

static void an_aggregate_knows_what_it_reads(void **state)
{
    (void)state;
    struct program *prog = compile(
        "rule r { window tumbling 5m by user { a: s b: t where x == 1 having count(b where y == 2) > 1 "
        "and count(a.ok == true where y == 3) > 0 } limit values 77 per key "
        "emit { p = percentile(a.x, 99.5)  t = top(b.y, 7)  d = count_distinct(a.x, y)  n = count() } "
        "severity if(count() > 5, high, low) risk sum(a.x) }\n", false);
    const struct window_plan *plan = prog->rule[0].window;
    const struct program_aggregate *ag = plan->aggregate;
    assert_int_equal(plan->n_aggregates, 7);
    assert_int_equal(ag[0].id, WINDOW_COUNT);
    assert_int_equal(ag[0].input, 1);
    assert_null(ag[0].arg[0]);
    assert_code(prog, ag[0].where, "   0  FIELD_EQ       y == 2\n   1  RETURN\n");
    assert_int_equal(ag[1].input, 0);
    assert_null(ag[1].arg[0]);
    assert_code(prog, ag[1].where,
                "   0  FIELD_EQ       ok == true\n   1  JUMP_AND       to 3\n"
                "   2  FIELD_EQ       y == 3\n   3  RETURN\n");
    assert_int_equal(ag[2].id, WINDOW_PERCENTILE);
    assert_true(ag[2].quantile > 0.9949 && ag[2].quantile < 0.9951);
    assert_code(prog, ag[2].arg[0], "   0  FIELD          x\n   1  RETURN\n");
    assert_null(ag[2].arg[1]);
    assert_int_equal(ag[3].id, WINDOW_TOP);
    assert_int_equal(ag[3].input, 1);
    assert_int_equal(ag[3].n, 7);
    assert_int_equal(ag[4].id, WINDOW_COUNT_DISTINCT);
    assert_code(prog, ag[4].arg[1], "   0  FIELD          y\n   1  RETURN\n");
    assert_int_equal(ag[5].id, WINDOW_COUNT);
    assert_int_equal(ag[5].input, AGGREGATE_ALL_INPUTS);
    assert_int_equal(ag[6].id, WINDOW_SUM);
    assert_int_equal(ag[6].limit_values, 77);
    assert_code(prog, plan->having,
                "   0  WINDOW_AGGREGATE 0\n   1  COMPARE_CONST   > 1\n   2  JUMP_AND       to 5\n"
                "   3  WINDOW_AGGREGATE 1\n   4  COMPARE_CONST   > 0\n   5  RETURN\n");
    assert_code(prog, prog->rule[0].emit[3].code, "   0  WINDOW_AGGREGATE 5\n   1  RETURN\n");
    assert_code(prog, prog->rule[0].risk_code, "   0  WINDOW_AGGREGATE 6\n   1  RETURN\n");
    program_unref(&prog);
}

static void inputs_are_probes(void **state)
{
    (void)state;
    struct program *prog = compile(
        "rule m { match { z: s } }\n"
        "rule r { window tumbling 5m by user, ?host { a: s b: [t, u] by account, h = lower(x) where "
        "x == 1 and y > 2 } }\n", false);
    const struct program_rule *rule = &prog->rule[1];
    assert_int_equal(rule->n_steps, 2);
    assert_string_equal(rule->step_name[0], "a");
    assert_string_equal(rule->step_name[1], "b");
    assert_int_equal(rule->nfa->n_elements, 0);
    assert_int_equal(rule->first_probe, 1);
    assert_int_equal(rule->n_probes, 2);
    assert_int_equal(rule->n_keys, 2);
    assert_string_equal(rule->key_name[0], "user");
    const struct program_probe *a = &prog->probe[1], *b = &prog->probe[2];
    assert_int_equal(a->kind, PROBE_STEP);
    assert_int_equal(a->step, 0);
    assert_null(a->unary);
    assert_true(a->key[1].optional);
    assert_int_equal(b->step, 1);
    assert_int_equal(b->n_streams, 2);
    assert_non_null(b->unary);
    assert_int_equal(b->key[1].slot, UINT32_MAX);
    assert_non_null(b->key[1].code);
    program_unref(&prog);
}

/* ---- joins and novels ---------------------------------------------------------------------- */

static void a_join_splits_its_conditions(void **state)
{
    (void)state;
    struct program *prog = compile(
        "rule j { join by user within -1m..1h { a: s where x == 1 and y == b.y b?: t where time() > "
        "time(a) and z == 2 } limit matches 7 per event emit { x = a.x  y = b.y  g = exists(b) } }\n"
        "rule k { join within 5m { a: s not b: t } emit { x = a.x } }\n"
        "rule l { join within 5m { a: s where y == b.y or 1 == 1 b: t } }\n", false);
    const struct join_plan *j = prog->rule[0].join, *k = prog->rule[1].join;
    assert_int_equal(prog->rule[0].body, BODY_JOIN);
    assert_int_equal(j->low, -60 * SECOND);
    assert_int_equal(j->high, 3600 * SECOND);
    assert_int_equal(j->matches, 7);
    assert_string_equal(j->side[0].name, "a");
    assert_false(j->side[0].optional);
    assert_true(j->side[1].optional);
    assert_false(j->side[1].negated);
    assert_code(prog, j->side[0].cross, "   0  FIELD_STEP     y == step1.y\n   1  RETURN\n");
    assert_code(prog, j->side[1].cross,
                "   0  TIME\n   1  STEP_TIME      step0\n   2  COMPARE         >\n   3  RETURN\n");
    assert_code(prog, prog->probe[0].unary, "   0  FIELD_EQ       x == 1\n   1  RETURN\n");
    assert_code(prog, prog->probe[1].unary, "   0  FIELD_EQ       z == 2\n   1  RETURN\n");
    assert_code(prog, prog->rule[0].emit[1].code, "   0  STEP_FIELD     step1.y\n   1  RETURN\n");
    assert_code(prog, prog->rule[0].emit[2].code, "   0  STEP_EXISTS    step1\n   1  RETURN\n");
    assert_int_equal(k->low, -300 * SECOND);
    assert_int_equal(k->high, 300 * SECOND);
    assert_true(k->side[1].negated);
    assert_null(k->side[0].cross);
    assert_int_equal(prog->rule[1].n_keys, 0);
    assert_code(prog, prog->rule[2].join->side[0].cross, "   0  CONST          true\n   1  RETURN\n");
    program_unref(&prog);
}

static void a_novel_is_about_its_paths(void **state)
{
    (void)state;
    struct program *prog = compile(
        "rule n { novel geo.country, agent by user within 14d after 3d { a: s where ok == 1 b: t } "
        "emit { c = geo.country  g = agent  u = user  i = ip  w = exists(b) } title \"{geo.country}\" "
        "}\n"
        "rule o { novel x within 1d { a: s } }\n", false);
    const struct program_rule *rule = &prog->rule[0];
    assert_int_equal(rule->body, BODY_NOVEL);
    assert_int_equal(rule->novel->n_values, 2);
    assert_int_equal(rule->novel->within, 14 * 86400 * SECOND);
    assert_int_equal(rule->novel->after, 3 * 86400 * SECOND);
    assert_int_equal(prog->rule[1].novel->after, -1);
    assert_code(prog, rule->novel->value[0], "   0  FIELD          geo.country\n   1  RETURN\n");
    assert_code(prog, rule->emit[0].code, "   0  WINDOW_AGGREGATE 0\n   1  RETURN\n");
    assert_code(prog, rule->emit[1].code, "   0  WINDOW_AGGREGATE 1\n   1  RETURN\n");
    assert_code(prog, rule->emit[2].code, "   0  KEY            0\n   1  RETURN\n");
    assert_code(prog, rule->emit[3].code, "   0  FIELD          ip\n   1  RETURN\n");
    assert_code(prog, rule->title[0].code, "   0  WINDOW_AGGREGATE 0\n   1  RETURN\n");
    assert_int_equal(rule->n_probes, 2);
    program_unref(&prog);
}

/* ---- in words ------------------------------------------------------------------------------ */

static void the_bound_is_said(void **state)
{
    (void)state;
    static const struct {
        const char *text, *want;
    } c[] = {
        {"match by u { a: s }", "none: each event is a match of its own"},
        {"match by u within 5m { a: s b: s not c: s within 1h }",
         "at most 10000 runs for each key of at most 10000 events; a run takes its last event 5m after "
         "its first at the latest, and `not c` is watched for 1h"},
        {"match { a: s b: s within 5m }",
         "at most 1000000 runs of at most 10000 events; a run ends when the `within` of the step that "
         "it waits for has passed"},
        {"window tumbling 5m by u { a: s allow late 1h }",
         "one window for each key, of 5m, kept 1h longer for late events; an aggregate holds at most "
         "100000 different values"},
        {"window hopping 10m every 1m by u { a: s }",
         "10 windows for each key, of 10m; an aggregate holds at most 100000 different values"},
        {"window session 5m { a: s } limit values 9 per key",
         "one session, of at most 1d; an aggregate holds at most 9 different values"},
        {"window sliding 5m by u { a: s }",
         "the events for each key of the last 5m, and as far as an aggregate has its own `within`; an "
         "aggregate holds at most 100000 different values"},
        {"window global expire 30d by u { a: s }",
         "one window for each key, dropped 30d after its last event; an aggregate holds at most 100000 "
         "different values"},
        {"join by u within -1m..1h { a: s b: t }",
         "events for each key: of `a` those of the last 1h, of `b` those of the last 1m"},
        {"novel x by u within 14d { a: s }",
         "at most 100000 values for each key, each until it was not seen for 14d"},
    };
    for (size_t i = 0; i < sizeof c / sizeof c[0]; i++) {
        char text[300];
        snprintf(text, sizeof text, "rule r { %s }\n", c[i].text);
        struct program *prog = compile(text, false);
        assert_string_equal(prog->rule[0].state_bound, c[i].want);
        program_unref(&prog);
    }
}

/* ---- the vm -------------------------------------------------------------------------------- */

static struct value asked(void *ctx, uint32_t aggregate, struct arena *scratch)
{
    (void)scratch;
    ++*(int *)ctx;
    return value_int(aggregate * 10);
}

static void the_vm_reads_the_window(void **state)
{
    (void)state;
    struct program *prog = compile(
        "rule r { window sliding 5m { a: s having count() > 5 and sum(x) == 10 } emit { n = sum(x) "
        "from = window_start  d = window_end - window_start } }\n", false);
    const struct program_rule *rule = &prog->rule[0];
    struct vm_counters counters = {0};
    struct vm vm = {.prog = prog, .scratch = arena_new(0), .counters = &counters};
    assert_int_equal(vm_eval(&vm, rule->emit[0].code).type, VALUE_MISSING);
    assert_int_equal(vm_eval(&vm, rule->emit[1].code).type, VALUE_MISSING);
    assert_false(vm_test(&vm, rule->window->having));
    struct value values[] = {value_int(6), value_int(10)};
    vm.window = (struct vm_window){.aggregate = values, .n_aggregates = 2, .is_window = true,
                                   .start = SECOND, .end = 4 * SECOND};
    assert_int_equal(vm_eval(&vm, rule->emit[0].code).u.i, 10);
    assert_true(vm_eval(&vm, rule->emit[1].code).type == VALUE_TIME);
    assert_int_equal(vm_eval(&vm, rule->emit[1].code).u.i, SECOND);
    assert_int_equal(vm_eval(&vm, rule->emit[2].code).u.i, 3 * SECOND);
    assert_true(vm_test(&vm, rule->window->having));
    int n = 0;
    vm.window = (struct vm_window){.n_aggregates = 2, .ask = asked, .ctx = &n};
    assert_false(vm_test(&vm, rule->window->having)); /* count() is 0: sum is not asked for */
    assert_int_equal(n, 1);
    assert_int_equal(vm_eval(&vm, rule->emit[0].code).u.i, 10);
    assert_int_equal(n, 2);
    vm.window.ask = NULL;
    assert_int_equal(vm_eval(&vm, rule->emit[0].code).type, VALUE_MISSING);
    arena_free(&vm.scratch);
    program_unref(&prog);
}

/* ---- severity and risk --------------------------------------------------------------------- */

static void assert_alert(const char *clauses, const char *event, const char *severity,
                         const char *risk, uint64_t clashes)
{
    char text[400];
    struct fixture fx;
    struct engine_rule_stats stats;
    snprintf(text, sizeof text, "rule r { match by u { a: s } emit { n = x } %s }", clauses);
    fixture_open(&fx, text);
    fixture_feed(&fx, 1, "s", event);
    fixture_end(&fx);
    assert_int_equal(fx.out.n, 1);
    snprintf(text, sizeof text, "\"severity\":\"%s\"", severity);
    if (strstr(fx.out.alert[0].json, text) == NULL)
        fail_msg("no %s in %s", text, fx.out.alert[0].json);
    snprintf(text, sizeof text, "\"tags\":[],%s\"key\"", risk);
    if (strstr(fx.out.alert[0].json, text) == NULL)
        fail_msg("no %s in %s", text, fx.out.alert[0].json);
    engine_stats(fx.en, 0, &stats);
    assert_int_equal(stats.type_clash, clashes);
    fixture_close(&fx);
}

static void severity_and_risk_are_computed(void **state)
{
    (void)state;
    static const char by_number[] = "severity if(x > 5, critical, \"low\") risk x * 10";
    assert_alert(by_number, "{\"u\":1,\"x\":6}", "critical", "\"risk\":60,", 0);
    assert_alert(by_number, "{\"u\":1,\"x\":5}", "low", "\"risk\":50,", 0);
    assert_alert(by_number, "{\"u\":1,\"x\":11}", "critical", "\"risk\":100,", 0);
    assert_alert(by_number, "{\"u\":1,\"x\":-3}", "low", "\"risk\":0,", 0);
    assert_alert(by_number, "{\"u\":1,\"x\":0.46}", "low", "\"risk\":5,", 0);
    assert_alert(by_number, "{\"u\":1}", "low", "", 1); /* no risk: x is missing */
    static const char by_field[] = "severity a.level risk n";
    assert_alert(by_field, "{\"u\":1,\"level\":\"info\",\"x\":7}", "info", "\"risk\":7,", 0);
    assert_alert(by_field, "{\"u\":1,\"level\":\"High\",\"x\":\"7\"}", "medium", "", 2);
    assert_alert("severity n ?? high", "{\"u\":1}", "high", "", 0);
    assert_alert("severity n", "{\"u\":1,\"x\":\"high\"}", "high", "", 0);
    assert_alert("severity high risk 7", "{\"u\":1,\"x\":1}", "high", "\"risk\":7,", 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinds_have_their_sizes),
        cmocka_unit_test(equal_aggregates_are_one),
        cmocka_unit_test(an_aggregate_knows_what_it_reads),
        cmocka_unit_test(inputs_are_probes),
        cmocka_unit_test(a_join_splits_its_conditions),
        cmocka_unit_test(a_novel_is_about_its_paths),
        cmocka_unit_test(the_bound_is_said),
        cmocka_unit_test(the_vm_reads_the_window),
        cmocka_unit_test(severity_and_risk_are_computed),
    };
    return cmocka_run_group_tests_name("window_build", tests, NULL, NULL);
}
