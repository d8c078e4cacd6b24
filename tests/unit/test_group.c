/* SPDX-License-Identifier: Apache-2.0 */
/* group: sources that rules read together, directly, through streams, rules and tables. */
#include "flow/group.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/diag.h"
#include "plan/program.h"

static const char *const sources[] = {"a", "b", "c", "d", "e"};
enum { N_SOURCES = 5 };

static struct program *compile(const char *text)
{
    struct diag *diag = diag_new();
    struct program_source_text from = {.name = "r.rule", .text = text, .len = strlen(text)};
    struct program_options opt = {0};
    struct program *prog = program_compile(&from, 1, &opt, diag);

    assert_non_null(prog);
    diag_free(&diag);
    return prog;
}

/* The groups as "00.1-": of each source; '-': none. */
static struct group_map *groups(const char *const *text, size_t n, const char *want)
{
    struct program *prog[2];
    char got[N_SOURCES + 1] = "";

    for (size_t i = 0; i < n; i++)
        prog[i] = compile(text[i]);
    struct group_map *map =
        group_map_new((const struct program *const *)prog, n, sources, N_SOURCES);
    for (size_t i = 0; i < N_SOURCES; i++)
        got[i] = map->source[i] == GROUP_NONE ? '-' : (char)('0' + map->source[i]);
    assert_string_equal(got, want);
    for (size_t i = 0; i < n; i++)
        program_unref(&prog[i]);
    return map;
}

static void check(const char *text, const char *want)
{
    struct group_map *map = groups(&text, 1, want);

    for (uint32_t i = 0; i < map->n_groups; i++)
        assert_true(strchr(want, '0' + (int)i) != NULL);
    group_map_free(&map);
    assert_null(map);
}

static void what_a_rule_reads_is_together(void **state)
{
    (void)state;
    check("rule r { match { x: a } }", "0----");
    check("rule r { match { x: c } } rule q { match { x: b } }", "-01--");
    check("rule r { match within 1s { x: a  not y: d } } rule q { match { x: b } }", "01-0-");
    check("rule r { match within 1s { x: [a, c] } }", "0-0--");
    check("rule r { join within 1s { x: e by u  y: b by u } }", "-0--0");
    check("rule r { match { x: any } }", "00000");
    check("rule r { match { x: other } }", "-----");
}

static void streams_are_what_they_read(void **state)
{
    (void)state;
    check("stream s = a, c where k == 1 rule r { match { x: s } }", "0-0--");
    check("stream s = a, c rule r { match { x: b } }", "-0---"); /* nobody reads it */
    check("stream s = a, c stream t = s, e rule r { match { x: t } }", "0-0-0");
    check("stream s = any where k == 1 rule r { match { x: s } }", "00000");
}

static void rules_that_read_rules(void **state)
{
    (void)state;
    check("rule r { match { x: a } } rule q { match within 1s { x: r  y: d } }", "0--0-");
    check("rule r { match { x: a } emit into made { k = 1 } }\n"
          "rule s { match { x: b } emit into made { k = 1 } }\n"
          "rule t { match { x: made } }\n"
          "rule u { match { x: c } }",
          "001--");
    /* nobody reads what they make */
    check("rule r { match { x: a } emit into made { k = 1 } }\n"
          "rule s { match { x: b } emit into made { k = 1 } }",
          "01---");
}

static void tables_that_events_feed(void **state)
{
    (void)state;
    check("table t = from c key host rule r { match { x: a where h in t } }", "0-0--");
    check("table t = from c key host rule r { match { x: a } emit { o = t[h].owner } }", "0-0--");
    check("table t = from c key host\n"
          "rule r { match { x: a where h in t } } rule q { match { x: e } emit { o = t[h].owner } }",
          "0-0-0");
    check("table t = from c key host rule r { match { x: a } }", "0-1--"); /* nobody reads it */
    check("table t = from c key host rule r { window tumbling 1m by h { x: d having count() > 1 } "
          "emit { o = t[h].owner } }",
          "--00-");
}

static void disabled_rules_do_not_count(void **state)
{
    (void)state;
    check("rule r { match within 1s { x: a  y: b } disabled } rule q { match { x: a } }", "0----");
}

static void several_programs_count_together(void **state)
{
    static const char *const text[] = {"rule r { match within 1s { x: a  y: b } }",
                                       "rule q { match within 1s { x: b  y: c } } rule s { match { x: e } }"};
    struct group_map *map = groups(text, 2, "000-1");

    (void)state;
    assert_int_equal(map->rule[0][0], 0);
    assert_int_equal(map->rule[1][0], 0);
    assert_int_equal(map->rule[1][1], 1);
    group_map_free(&map);
}

static void tables_and_rules_have_groups(void **state)
{
    static const char *const text = "table t = from c key host\n"
                                    "rule q { match { x: other } } rule r { match { x: c where h in t } }";
    struct group_map *map = groups(&text, 1, "--0--");

    (void)state;
    assert_int_equal(map->table[0][0], 0);
    assert_int_equal(map->rule[0][0], GROUP_NONE);
    assert_int_equal(map->rule[0][1], 0);
    group_map_free(&map);
    group_map_free(&map);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_rule_reads_is_together),
        cmocka_unit_test(streams_are_what_they_read),
        cmocka_unit_test(rules_that_read_rules),
        cmocka_unit_test(tables_that_events_feed),
        cmocka_unit_test(disabled_rules_do_not_count),
        cmocka_unit_test(several_programs_count_together),
        cmocka_unit_test(tables_and_rules_have_groups),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
