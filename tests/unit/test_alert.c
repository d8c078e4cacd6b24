// SPDX-License-Identifier: Apache-2.0
/* alert: the order of alerts; the JSON, member by member. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <unit/engine_fixture.h>

#include "base/mem.h"
#include "event/json_doc.h"

static struct alert make(int64_t time, uint32_t rule, const char *key, uint8_t id, uint32_t revision)
{
    struct alert alert = {.time = time, .rule = rule, .revision = revision,
                          .json = mem_strndup("{}", 2), .json_len = 2,
                          .key = mem_strndup(key, strlen(key)), .title = mem_strndup("t", 1)};
    memset(alert.id, id, sizeof alert.id);
    return alert;
}

/* By time, the rule's name, key, id (as bytes), revision. */
static void alerts_have_an_order(void **state)
{
    (void)state;
    struct program *prog = fixture_compile("rule b { match { a: s } } rule a { match { a: s } }", false);
    struct alert_list list;
    uint64_t seed = 4;
    alert_list_init(&list);
    alert_list_sort(&list, 0, prog);
    for (int round = 0; round < 50; round++) {
        alert_list_clear(&list);
        for (uint32_t i = 0; i < 48; i++) {
            list.alert = vec_reserve(list.alert, &list.cap, list.n + 1, sizeof *list.alert);
            list.alert[list.n++] = make(INT64_MIN + (i & 1) * (int64_t)1000000000000, i >> 1 & 1,
                                        i & 4 ? "{\"u\":1}" : "{\"u\":\"1\"}",
                                        (uint8_t)(i & 8 ? 0x80 : 0x7f), i / 16);
        }
        for (uint32_t i = 48; i-- > 1;) {
            uint32_t k = fixture_below(&seed, i + 1);
            struct alert swap = list.alert[i];
            list.alert[i] = list.alert[k];
            list.alert[k] = swap;
        }
        alert_list_sort(&list, 0, prog);
        for (uint32_t i = 0; i < 48; i++) {
            const struct alert *al = &list.alert[i];
            assert_int_equal(al->revision, i % 3);
            assert_int_equal(al->id[0], i / 3 % 2 ? 0x80 : 0x7f);
            assert_string_equal(al->key, i / 6 % 2 ? "{\"u\":1}" : "{\"u\":\"1\"}");
            assert_int_equal(al->rule, i / 12 % 2);
            assert_int_equal(al->time > INT64_MIN, i / 24);
        }
    }
    /* from: what is before stays where it is */
    struct alert first = list.alert[0];
    list.alert[0] = list.alert[47];
    list.alert[47] = first;
    alert_list_sort(&list, 1, prog);
    assert_memory_equal(&list.alert[1], &first, sizeof first);
    alert_list_fini(&list);
    assert_int_equal(list.n, 0);
    program_unref(&prog);
}

static char *json_of(const char *rule, const char *const *events)
{
    struct fixture fx;
    fixture_open(&fx, rule);
    for (int i = 0; events[i] != NULL; i++)
        fixture_feed(&fx, i, "s", events[i]);
    fixture_end(&fx);
    assert_int_equal(fx.out.n, 1);
    char *json = mem_strndup(fx.out.alert[0].json, fx.out.alert[0].json_len);
    assert_int_equal(strlen(json), fx.out.alert[0].json_len);
    char why[100];
    struct json_doc *doc = json_doc_parse(json, strlen(json), why, sizeof why);
    if (doc == NULL)
        fail_msg("%s: %s", why, json);
    json_doc_free(&doc);
    fixture_close(&fx);
    return json;
}

static void assert_json(const char *rule, const char *const *events, const char *want)
{
    char *json = json_of(rule, events);
    static const char id[] = "{\"id\":\"";
    assert_memory_equal(json, id, sizeof id - 1);
    assert_int_equal(strspn(json + sizeof id - 1, "0123456789abcdef"), 32);
    assert_string_equal(json + sizeof id - 1 + 32, want);
    mem_free(json);
}

static void assert_holds(const char *rule, const char *const *events, const char *part)
{
    char *json = json_of(rule, events);
    if (strstr(json, part) == NULL)
        fail_msg("%s is not in %s", part, json);
    mem_free(json);
}

#define EVENTS(...) ((const char *const[]){__VA_ARGS__, NULL})

static void members_stand_in_their_order(void **state)
{
    (void)state;
    assert_json("rule r { match { a: s } }", EVENTS("{ \"x\" : 1 }"),
                "\",\"rule\":\"r\",\"severity\":\"medium\",\"time\":\"1970-01-01T00:00:00Z\","
                "\"title\":\"r\",\"tags\":[],\"key\":{},\"fields\":{},\"events\":{\"a\":{ \"x\" : 1 }},"
                "\"revision\":0,\"suppressed\":0}");
    assert_json("rule r { title \"T {n}\" description \"{{D}} {x}\" severity critical risk 0\n"
                "  tags [\"a\", \"b\"] meta { team \"x\" refs [\"1\", 2] }\n"
                "  match by u, ?w within 9s { a{2}: s not b: s where x == 9 } emit { n = count(a) } }",
                EVENTS("{\"u\":\"k\",\"x\":1}", "{\"u\":\"k\",\"x\":2}"),
                "\",\"rule\":\"r\",\"severity\":\"critical\",\"time\":\"1970-01-01T00:00:09Z\","
                "\"title\":\"T 2\",\"description\":\"{D} 2\",\"tags\":[\"a\",\"b\"],\"risk\":0,"
                "\"meta\":{\"team\":\"x\",\"refs\":[\"1\",2]},\"key\":{\"u\":\"k\",\"w\":null},"
                "\"fields\":{\"n\":2},\"events\":{\"a\":[{\"u\":\"k\",\"x\":1},{\"u\":\"k\",\"x\":2}]},"
                "\"revision\":0,\"suppressed\":0}");
}

static void emitted_paths_make_objects(void **state)
{
    (void)state;
    assert_holds("rule r { match { a: s } emit { a.b.c = 1  x = x  a.d = 2  a.b.e = y  `p.q` = 4  z = 5 } }",
                 EVENTS("{\"x\":\"v\",\"y\":[\"v\",3]}"),
                 "\"fields\":{\"a\":{\"b\":{\"c\":1,\"e\":[\"v\",3]},\"d\":2},\"x\":\"v\",\"p.q\":4,\"z\":5}");
    assert_holds("rule r { match { a: s } emit { none = nope  t = time(a)  d = time(a) - time(a)  o = o } }",
                 EVENTS("{\"o\":{\"k\":[1, 2]}}"),
                 "\"fields\":{\"none\":null,\"t\":\"1970-01-01T00:00:00Z\",\"d\":0,\"o\":{\"k\":[1,2]}}");
}

static void a_step_keeps_so_many_events(void **state)
{
    (void)state;
    const char *const *events = EVENTS("{\"k\":1,\"n\":1}", "{\"k\":1,\"n\":2}", "{\"k\":1,\"n\":3}", "{\"k\":2}");
    assert_holds("rule r { keep 3 match within 9s { a+: s where k == 1 b: s where k == 2 } }", events,
                 "\"events\":{\"a\":[{\"k\":1,\"n\":1},{\"k\":1,\"n\":2},{\"k\":1,\"n\":3}],\"b\":{\"k\":2}}");
    assert_holds("rule r { keep 2 match within 9s { a+: s where k == 1 b: s where k == 2 } }", events,
                 "\"events\":{\"a\":{\"first\":{\"k\":1,\"n\":1},\"last\":{\"k\":1,\"n\":3},\"count\":3},\"b\":{\"k\":2}}");
    assert_holds("rule r { match within 9s { o?: s where k == 7 a{1}: s where k == 1 } suppress 1d }", events,
                 "\"events\":{\"a\":[{\"k\":1,\"n\":1}]}");
}

static void texts_are_escaped(void **state)
{
    (void)state;
    assert_holds("rule r { title \"{x}\" match by x { a: s } emit { `q\"\\u00e9` = x } }",
                 EVENTS("{\"x\":\"a\\\"b\\\\c\\n\\u0000\\u001f\\u2028\\ud83d\\ude00\"}"),
                 "\"title\":\"a\\\"b\\\\c\\n");
    assert_holds("rule r { match by x { a: s } emit { y = x } }",
                 EVENTS("{\"x\":\"a\\\"b\\\\c\\n\\u0000\\u001f\\t\"}"),
                 "\"key\":{\"x\":\"a\\\"b\\\\c\\n\\u0000\\u001f\\t\"},\"fields\":{\"y\":\"a\\\"b\\\\c\\n\\u0000\\u001f\\t\"}");
}

static void an_empty_title_is_a_title(void **state)
{
    (void)state;
    assert_holds("rule r { title \"{nope}\" match { a: s } }", EVENTS("{}"), "\"title\":\"\",");
    assert_holds("rule r { description \"\" match { a: s } }", EVENTS("{}"), "\"title\":\"r\",");
}

/* The id is of rule, key and positions; not of texts, severity, or when it was made. */
static void an_id_is_of_rule_key_and_positions(void **state)
{
    (void)state;
    static const char *const rules[] = {
        "rule r { match by u within 9s { a: s where k == 1 b: s where k == 2 } }",
        "rule r { title \"x\" severity low match by u within 5s { a: s where k < 2 b: s where k > 1 } emit { x = k } }",
        "rule q { match by u within 9s { a: s where k == 1 b: s where k == 2 } }",
        "rule r { match by k = u ?? 1 within 9s { a: s where k == 1 b: s where k == 2 } }",
        "rule r { match by u within 9s { a: s where k == 1 b: s where k == 2 not c: s where k == 3 } }",
    };
    char *json[5];
    for (int i = 0; i < 5; i++)
        json[i] = json_of(rules[i], EVENTS("{\"u\":1,\"k\":1}", "{\"u\":1,\"k\":2}"));
    assert_memory_equal(json[0], json[1], 40);
    assert_memory_not_equal(json[0], json[2], 40);
    assert_memory_equal(json[0], json[3], 40);
    assert_memory_not_equal(json[0], json[4], 40);
    for (int i = 0; i < 5; i++)
        mem_free(json[i]);
}

/* A deadline's alert and a limit's; rules of one instant in the order of their names. */
static void limits_tell_how_many_they_held(void **state)
{
    (void)state;
    struct fixture fx;
    fixture_open(&fx, "rule z { tags [\"t\"] match { a: s } limit alerts 2 per 10s }\n"
                      "rule a { match { a: s } limit alerts 1 per 10s }");
    for (int i = 0; i < 5; i++)
        fixture_feed(&fx, i, "s", "{}");
    assert_int_equal(fx.out.n, 3);
    fixture_restart(&fx);
    fixture_feed(&fx, 10, "s", "{}"); /* the period's last instant */
    assert_int_equal(fx.out.n, 3);
    fixture_restart(&fx);
    fixture_advance(&fx, 11);
    assert_int_equal(fx.out.n, 5);
    alert_list_sort(&fx.out, 3, fx.prog);
    assert_string_equal(fx.out.alert[3].title, "5 more alerts of a were held back by its limit");
    assert_string_equal(fx.out.alert[4].json + 40,
                        ",\"rule\":\"z\",\"severity\":\"medium\",\"time\":\"1970-01-01T00:00:10Z\","
                        "\"title\":\"4 more alerts of z were held back by its limit\",\"tags\":[\"t\"],"
                        "\"key\":{},\"fields\":{\"limited\":4},\"events\":{},\"revision\":0,\"suppressed\":0}");
    assert_int_equal(fixture_stats(&fx, 1).limited_alerts, 4);
    assert_int_equal(fixture_stats(&fx, 1).alerts, 2);
    fixture_feed(&fx, 20, "s", "{}"); /* a new period */
    assert_int_equal(fx.out.n, 7);
    fixture_end(&fx);
    assert_int_equal(fx.out.n, 7); /* none was held in it */
    fixture_assert_no_state(&fx);
    fixture_close(&fx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(alerts_have_an_order),
        cmocka_unit_test(members_stand_in_their_order),
        cmocka_unit_test(emitted_paths_make_objects),
        cmocka_unit_test(a_step_keeps_so_many_events),
        cmocka_unit_test(texts_are_escaped),
        cmocka_unit_test(an_empty_title_is_a_title),
        cmocka_unit_test(an_id_is_of_rule_key_and_positions),
        cmocka_unit_test(limits_tell_how_many_they_held),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
