// SPDX-License-Identifier: Apache-2.0
/*
 * What resolve makes of streams: those that rules make, and how deep rules stand.
 *
 * As in test_resolve.c a case is a text and all that is said about it.
 */
#include "lang/resolve.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/diag.h"
#include "lang/parse.h"

struct fixture {
    struct diag *diag;
    struct ast_module *module;
    struct lang_unit unit;
};

static void open_text(struct fixture *f, const char *text, const struct lang_options *opt)
{
    f->diag = diag_new();
    f->module = ast_module_new();
    parse_file(f->module, f->diag, diag_file_add(f->diag, "t", text, strlen(text)));
    if (resolve_module(f->module, opt, f->diag, &f->unit))
        typecheck_module(&f->unit, f->diag);
}

static void drop(struct fixture *f)
{
    lang_unit_fini(&f->unit);
    ast_module_free(&f->module);
    diag_free(&f->diag);
}

/* All that is said holds `want`; nothing is said if that is NULL. */
static void says(const char *text, const char *want, const struct lang_options *opt)
{
    struct fixture f;
    struct buf out;
    buf_init(&out);
    open_text(&f, text, opt);
    diag_print(f.diag, &out);
    const char *got = out.len > 0 ? out.data : "";
    if (want == NULL ? got[0] != '\0' : strstr(got, want) == NULL)
        fail_msg("of: %s\nwanted: %s\ngot: %s", text, want != NULL ? want : "nothing", got);
    buf_fini(&out);
    drop(&f);
}

static const struct ast_rule *rule_of(const struct fixture *f, const char *name)
{
    for (uint32_t i = 0; i < f->unit.n_rules; i++) {
        if (strcmp(f->unit.rule[i]->name.text, name) == 0)
            return f->unit.rule[i];
    }
    fail_msg("no rule %s", name);
    return NULL;
}

static const char *stream_name(const struct fixture *f, uint32_t number)
{
    return number < f->unit.n_streams ? f->unit.stream[number].name : "";
}

static void test_depths(void **state)
{
    struct fixture f;
    (void)state;
    open_text(&f,
              "stream d = c, s\n"
              "rule a { match { x: s } }\n"
              "rule b { match { x: a } emit into made { v = 1 } }\n"
              "rule c { match within 1s { x: s y: made } }\n"
              "rule e { match { x: d } emit into unread { v = 1 } }\n"
              "rule f { match { x: any } emit into made { v = 1 } to [sink] }\n",
              NULL);
    assert_int_equal(diag_errors(f.diag), 0);
    static const struct {
        const char *name, *own, *into;
        uint32_t depth;
    } want[] = {{"a", "a", "", 0},     {"b", "", "made", 1}, {"c", "c", "", 2},
                {"e", "", "", 3},      {"f", "", "made", 0}};
    for (size_t i = 0; i < sizeof want / sizeof want[0]; i++) {
        const struct ast_rule *rule = rule_of(&f, want[i].name);
        assert_int_equal(rule->depth, want[i].depth);
        assert_string_equal(stream_name(&f, rule->stream_own), want[i].own);
        assert_string_equal(stream_name(&f, rule->stream_into), want[i].into);
    }
    for (uint32_t i = 0; i < f.unit.n_streams; i++) {
        const struct lang_stream *s = &f.unit.stream[i];
        assert_false(s->is_source && s->is_derived);
        assert_int_equal(s->is_source, strcmp(s->name, "s") == 0);
    }
    drop(&f);
}

static void test_sources(void **state)
{
    static const char *const source[] = {"auth", "iam"};
    const struct lang_options opt = {.source = source, .n_sources = 2};
    (void)state;
    says("rule brute { match { x: auth } }\nrule r { match { x: brut } }\n",
         "did you mean `brute`?", &opt);
    says("rule q { match { x: auth } emit into creds { v = 1 } }\nrule r { match { x: cred } }\n",
         "did you mean `creds`?", &opt);
    says("rule q { match { x: auth } emit into iam { v = 1 } }\n",
         "error: `emit into iam`: that is a source", &opt);
    says("rule iam { match { x: auth } }\n", "error: rule `iam` is named like a source", &opt);
    says("rule q { match { x: auth } emit into m { v = 1 } }\nrule r { match { x: m } }\n", NULL,
         &opt);
}

static void test_messages(void **state)
{
    (void)state;
    says("rule q { match { x: s } emit into m { v = 1 } suppress 5m }\n",
         "warning: `suppress` has no effect here", NULL);
    says("rule q { match { x: s } emit into m { v = 1 } suppress 5m to [a] }\n", NULL, NULL);
    /* one cycle is told, others are found when that one is gone */
    says("rule a { match { x: b } }\nrule b { match { x: c } }\nrule c { match { x: b } }\n",
         "error: rule `b` reads itself: b -> c -> b", NULL);
}

static void test_deep(void **state)
{
    struct buf text;
    (void)state;
    buf_init(&text);
    buf_adds(&text, "rule r000 { match { x: s } }\n");
    for (int i = 1; i < 100; i++)
        buf_printf(&text, "rule r%03d { match { x: r%03d } }\n", i, i - 1);
    says(text.data, NULL, NULL);
    for (int i = 100; i < 300; i++)
        buf_printf(&text, "rule r%03d { match { x: r%03d } }\n", i, i - 1);
    says(text.data, "nested more than 100 deep", NULL);
    buf_clear(&text);
    for (int i = 0; i < 300; i++)
        buf_printf(&text, "rule r%03d { match { x: r%03d } }\n", i, i + 1);
    says(text.data, "nested more than 100 deep", NULL);
    buf_fini(&text);
}

static void test_exceptions(void **state)
{
    static const char rule[] = "rule brute_force { match { a: s } emit { x = 1 } }\n";
    struct lang_options opt = {.now = INT64_C(1798761600000000000)}; /* 2027-01-01 */
    char text[400];
    static const struct {
        const char *exception, *want;
    } cases[] = {
        {"exception \"e\" for brute_force where x == 1 and a.y == 2 and z == 3", NULL},
        {"exception \"e\" for brute_force until 2027-01-01T00:00:00.000000001Z where x == 1", NULL},
        {"exception \"e\" for brute_force until 2027-01-01 where x == 1",
         "warning: exception `e` expired at 2027-01-01T00:00:00Z"},
        {"exception \"e\" for brute_forse where x == 1", "did you mean `brute_force`?"},
        {"exception \"e\" for [brute_force, brute_force] where x == 1",
         "error: rule `brute_force` is named twice"},
        {"exception \"e\" for brute_force where y", NULL},
        {"exception \"e\" for brute_force where count(a)", "a condition is true or false"},
        {"exception \"e\" for brute_force where nosuch(x) == 1", "unknown function `nosuch`"},
        {"exception \"e\" for brute_force where x == 1\n"
         "exception \"e\" for brute_force where x == 2", "error: exception `e` is declared twice"},
        {"rule q { match { a: s } emit into m { v = 1 } }\nexception \"e\" for q where v == 1",
         "warning: rule `q` makes no alerts"},
        {"rule w { window tumbling 1m { a: s } }\nexception \"e\" for w where v == 1",
         "error: `v` is no key, and the window holds many events"},
        {"rule w { window tumbling 1m { a: s } }\nexception \"e\" for w where count() > 1", NULL},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        snprintf(text, sizeof text, "%s%s\n", rule, cases[i].exception);
        says(text, cases[i].want, &opt);
    }
    says("rule r { match { a: s } }\nexception \"e\" for r until 2020-01-01 where x == 1\n", NULL,
         NULL); /* without a clock nothing has expired */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_depths),
        cmocka_unit_test(test_sources),
        cmocka_unit_test(test_messages),
        cmocka_unit_test(test_deep),
        cmocka_unit_test(test_exceptions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
