// SPDX-License-Identifier: Apache-2.0
/*
 * What `tocsin explain` says against what the program and the engine do: the condition by which a
 * step is filed against the index, the bytes against what an engine charges, and the JSON document
 * of all rules is one.
 */
#include "plan/explain.h"

#include <unistd.h>

#include <jansson.h>

#include "base/mem.h"
#include "engine/costs.h"
#include "event/schema.h"
#include "lang/ast.h"
#include "lang/ast_print.h"
#include "plan/candidates.h"
#include <unit/engine_fixture.h>

static struct explain *explain_text(const char *rules)
{
    struct program_source_text text = {.name = "t", .text = rules, .len = strlen(rules)};
    struct program_options opt = {0};
    struct explain *ex = explain_new(&text, 1, &opt);

    assert_non_null(ex);
    return ex;
}

/* ---- how events find a step -------------------------------------------------------------------- */

static void filed_by(const char *where, const char *expected)
{
    struct explain *ex;
    struct buf rules, out;

    buf_init(&rules);
    buf_init(&out);
    buf_printf(&rules, "list l = [\"p\", \"q\"] def d(x) = x == \"a\" rule r { match { s: src where %s } }", where);
    ex = explain_text(rules.data);
    buf_adds(&out, "");
    explain_necessary(ex, 0, 0, &out);
    assert_string_equal(out.data, expected);
    explain_free(&ex);
    buf_fini(&rules);
    buf_fini(&out);
}

static void necessary_conditions(void **state)
{
    (void)state;
    filed_by("a.b == \"x\"", "a.b == \"x\"");
    filed_by("a.b == \"x\" and c == 1 and d > 2", "a.b == \"x\"");
    filed_by("x in [1, 2, true]", "x in [1, 2, true]");
    filed_by("x in l", "x in [\"p\", \"q\"]");
    filed_by("d(y)", "y == \"a\"");
    filed_by("x > 5", "exists(x)");
    filed_by("not x == 1", "");
    filed_by("x in [1, 2, 3, 4, 5, 6, 7, 8, 9]", "x in [1, 2, 3, 4, 5, 6, 7, 8, ... 9]");
}

/* The index finds the step by exactly the events that explain says. */
static void against_the_index(void **state)
{
    static const char rules[] = "rule r { match by k within 1h { a: src where f == \"x\" and g > 1 b: src where h in [1, 2] c: src where exists(m) "
                                "d: src where not z } }";
    static const struct {
        const char *event;
        uint32_t found; /* bit n: step n */
    } cases[] = {
        {"{\"f\":\"x\"}", 1 + 8}, {"{\"f\":\"y\"}", 8}, {"{\"h\":2}", 2 + 8}, {"{\"h\":3}", 8}, {"{\"m\":0}", 4 + 8}, {"{}", 8},
    };
    static const char *const said[] = {"f == \"x\"", "h in [1, 2]", "exists(m)", ""};
    struct explain *ex = explain_text(rules);
    struct fixture fx;

    (void)state;
    fixture_open(&fx, rules);
    for (uint32_t s = 0; s < 4; s++) {
        struct buf out;

        buf_init(&out);
        buf_adds(&out, "");
        explain_necessary(ex, 0, s, &out);
        assert_string_equal(out.data, said[s]);
        buf_fini(&out);
    }
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t source = program_source(fx.prog, "src"), found[8], bits = 0, n;
        struct origin origin = {.source = "src", .partition = "", .source_id = source};
        struct value slot[16] = {{0}};
        struct event ev = {.origin = &origin, .slot = slot, .n_slots = schema_count(fx.prog->schema), .raw = cases[i].event};
        uint64_t seen[1] = {0};
        json_t *event = json_loads(cases[i].event, 0, NULL), *value;
        const char *name;

        json_object_foreach(event, name, value)
        {
            uint32_t at;

            assert_true(schema_find_text(fx.prog->schema, name, &at));
            slot[at] = json_is_string(value) ? value_text(json_string_value(value), json_string_length(value))
                                             : value_int(json_integer_value(value));
        }
        n = candidates_find(fx.prog->candidates, &ev, seen, found);
        for (uint32_t k = 0; k < n; k++)
            bits |= 1u << fx.prog->probe[found[k]].step;
        assert_int_equal(bits, cases[i].found);
        json_decref(event);
    }
    fixture_close(&fx);
    explain_free(&ex);
}

/* ---- rules as written ---------------------------------------------------------------------------- */

static void as_written(void **state)
{
    struct explain *ex = explain_text("def big(x) = x > 5 stream st = src where q == 1\n"
                                      "rule b { match { a: st not n: st within 1m until u: st where big(v) } }\n"
                                      "rule a { window tumbling 1m { i: src j: src having count(i) > 1 and sum(j.x) > 2 } emit { c = count(i) d = max(i.y) } }\n");
    struct buf out;

    (void)state;
    buf_init(&out);
    assert_string_equal(explain_rule(ex, 0)->name.text, "a");
    assert_string_equal(explain_rule(ex, 1)->name.text, "b");
    assert_string_equal(explain_step(ex, 1, 1)->name.text, "n");
    assert_string_equal(explain_step(ex, 1, 2)->name.text, "u");
    assert_string_equal(explain_step(ex, 0, 1)->name.text, "j");
    ast_print_expr(&out, explain_step(ex, 1, 2)->where);
    assert_string_equal(out.data, "big(v)");
    assert_string_equal(explain_stream(ex, "st")->inputs.name[0].text, "src");
    assert_null(explain_stream(ex, "src"));
    static const char *const calls[] = {"count(i)", "sum(j.x)", "max(i.y)"};
    for (uint32_t i = 0; i < 3; i++) {
        buf_clear(&out);
        ast_print_expr(&out, explain_aggregate(ex, 0, i));
        assert_string_equal(out.data, calls[i]);
    }
    assert_null(explain_aggregate(ex, 0, 3));
    buf_fini(&out);
    explain_free(&ex);
}

/* ---- bytes ---------------------------------------------------------------------------------------- */

static uint64_t charged(struct fixture *fx, const char *source, int64_t second, const char *event)
{
    struct engine_rule_stats before, after;

    engine_stats(fx->en, 0, &before);
    fixture_feed(fx, second, source, event);
    engine_stats(fx->en, 0, &after);
    return after.bytes - before.bytes;
}

static void bytes_of_a_match(void **state)
{
    static const char rules[] = "rule r { match by k within 1h select each { a: s where x == 1 b{2}: s where x == 2 } }";
    static const char event[] = "{\"k\":1,\"x\":1}";
    struct fixture fx;
    struct engine_costs *costs;

    (void)state;
    fixture_open(&fx, rules);
    costs = engine_costs(fx.prog);
    assert_int_equal(charged(&fx, "s", 1, event), costs->key + costs->run + costs->bind + costs->event + strlen(event));
    assert_int_equal(charged(&fx, "s", 2, event), costs->run + costs->bind + costs->event + strlen(event));
    mem_free(costs);
    fixture_close(&fx);
}

static void bytes_of_others(void **state)
{
    static const struct {
        const char *rules;
        bool exact; /* each event: 8 bytes a text, as costs have it, and its own text */
    } cases[] = {
        {"rule r { join by k within 1h { a: s where exists(x) b: t } }", true},
        {"rule r { novel x by k within 1d { a: s } }", false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fixture fx;
        struct engine_costs *costs;
        char event[64];
        uint64_t got = 0;

        fixture_open(&fx, cases[i].rules);
        costs = engine_costs(fx.prog);
        for (int n = 0; n < 3; n++) {
            snprintf(event, sizeof event, "{\"k\":\"12345678\",\"x\":\"abcdefg%d\"}", n);
            got = charged(&fx, "s", n, event);
        }
        /* A join's events hold which probes they fit besides. */
        if (cases[i].exact)
            assert_in_range(got - strlen(event) - costs->more, 0, 8);
        else
            assert_in_range(costs->more - got, 8, 64); /* and its share of the index */
        mem_free(costs);
        fixture_close(&fx);
    }
}

static void bytes_of_windows(void **state)
{
    static const char *const kinds[] = {"tumbling 1h", "hopping 1h every 30m", "session 1h", "sliding 1h", "global expire 1h"};

    (void)state;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct buf rules;
        struct engine_costs *costs;
        struct fixture fx;

        buf_init(&rules);
        buf_printf(&rules, "rule r { window %s by k { a: s having count_distinct(x) > 99 } keep 2 } rule q { match { a: s } }", kinds[i]);
        fixture_open(&fx, rules.data);
        costs = engine_costs(fx.prog);
        assert_true(costs[1].key > 0 && costs[1].first > costs[1].event);
        assert_true(costs[1].more > 0); /* a different value more */
        mem_free(costs);
        fixture_close(&fx);
        buf_fini(&rules);
    }
}

/* ---- the document ------------------------------------------------------------------------------------ */

static json_t *document(const char *arguments)
{
    struct buf command;
    json_error_t why;
    json_t *doc;
    FILE *f;

    buf_init(&command);
    buf_printf(&command, "\"${TOCSIN:-./tocsin}\" explain --json %s", arguments);
    f = popen(command.data, "r");
    assert_non_null(f);
    doc = json_loadf(f, JSON_REJECT_DUPLICATES, &why);
    if (!doc)
        fail_msg("%s: %s", command.data, why.text);
    assert_int_equal(pclose(f), 0);
    buf_fini(&command);
    return doc;
}

static void json_document(void **state)
{
    char file[] = "/tmp/test_explain.XXXXXX";
    int fd = mkstemp(file);
    FILE *f = fdopen(fd, "w");
    json_t *doc, *rules, *rule, *step;

    (void)state;
    fputs("stream st = src, other where q == \"\\\"\"\n"
          "rule m { match by `k \"1`, h within 1m { a: st where x == 1 not n: any b: src where y == a.y } suppress 5m }\n"
          "rule w { window session 5m by k { a: st having count() > 3 } limit alerts 5 per 1h }\n"
          "rule j { join by k within 5s { a: st b?: src where a.x == x } }\n"
          "rule n { novel x within 14d { a: st } disabled }\n", f);
    fclose(f);
    doc = document(file);
    rules = json_object_get(doc, "rules");
    assert_int_equal(json_array_size(rules), 4);
    rule = json_array_get(rules, 1);
    assert_string_equal(json_string_value(json_object_get(rule, "name")), "m");
    assert_string_equal(json_string_value(json_object_get(rule, "body")), "match");
    assert_int_equal(json_array_size(json_object_get(rule, "key")), 2);
    step = json_array_get(json_object_get(rule, "found_by"), 0);
    assert_string_equal(json_string_value(json_object_get(step, "by")), "x == 1");
    assert_int_equal(json_array_size(json_object_get(step, "sources")), 2);
    assert_string_equal(json_string_value(json_array_get(json_object_get(rule, "links"), 0)), "b.y == a.y");
    assert_true(json_integer_value(json_object_get(json_object_get(rule, "state"), "run_bytes")) > 0);
    assert_true(json_is_true(json_object_get(json_array_get(rules, 2), "disabled")));
    assert_int_equal(json_array_size(json_object_get(json_array_get(rules, 3), "aggregates")), 1);
    json_decref(doc);
    unlink(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(necessary_conditions), cmocka_unit_test(against_the_index), cmocka_unit_test(as_written),
        cmocka_unit_test(bytes_of_a_match), cmocka_unit_test(bytes_of_others), cmocka_unit_test(bytes_of_windows),
        cmocka_unit_test(json_document),
    };

    return cmocka_run_group_tests_name("explain", tests, NULL, NULL);
}
