/* SPDX-License-Identifier: Apache-2.0 */
/* Test blocks: which pass, and what is said of those that fail. More in tests/cli/test.sh. */
#include "flow/test_run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/diag.h"
#include "plan/program.h"

static const char rules[] = "stream good = s where kind == \"good\"\n"
                            "list bad = [\"a\"]\n"
                            "rule other { match { a: any where v == 1 } }\n"
                            "rule r {\n"
                            "  match by k within 10s { a: s where v in bad  not b: good where v == 1 }\n"
                            "  emit { k = k  v = a.v }\n"
                            "  test \"t\" {\n%s\n}\n"
                            "}\n";

static struct program *compile(const char *test)
{
    char text[2048];
    struct program_source_text source = {.name = "t.rule", .text = text};
    struct program_options opt = {0};
    struct diag *diag = diag_new();
    struct buf out;

    source.len = (size_t)snprintf(text, sizeof text, rules, test);
    assert_true(source.len < sizeof text);
    struct program *prog = program_compile(&source, 1, &opt, diag);
    buf_init(&out);
    diag_print(diag, &out);
    if (!prog)
        fail_msg("%s", out.data);
    buf_fini(&out);
    diag_free(&diag);
    assert_int_equal(prog->n_tests, 1);
    return prog;
}

static void passes(const char *test)
{
    struct program *prog = compile(test);
    struct buf why;

    buf_init(&why);
    if (!test_run(prog, &prog->test[0], &why))
        fail_msg("%s", why.data);
    assert_int_equal(why.len, 0);
    buf_fini(&why);
    program_unref(&prog);
}

static void fails(const char *test, const char *what)
{
    struct program *prog = compile(test);
    struct buf why;

    buf_init(&why);
    assert_false(test_run(prog, &prog->test[0], &why));
    if (!strstr(why.data, what))
        fail_msg("no %s in:\n%s", what, why.data);
    buf_fini(&why);
    program_unref(&prog);
}

static void what_is_expected_passes(void **state)
{
    (void)state;
    passes("0s s {\"k\":1,\"v\":\"a\"} expect alert at 10s {\"k\":1}");
    passes("0s s {\"k\":1,\"v\":\"a\"} 10s good {\"k\":1,\"v\":1,\"kind\":\"good\"} expect none");
    passes("0s s {\"k\":1,\"v\":\"a\"} 1s s {\"k\":2,\"v\":\"a\"} expect alert {\"k\":1} "
           "expect alert at 11s {\"k\":2}");
    passes("0s s {\"k\":1,\"v\":\"a\"} 1s s {\"k\":2,\"v\":\"a\"} expect 2 alerts");
    passes("expect none");
    passes("0s s {\"k\":1,\"v\":\"a\"} expect none until 10s");
    passes("lateness 2s 12s s {\"v\":0} 10s s {\"k\":1,\"v\":\"a\"} expect alert at 20s");
    passes("list bad = [\"z\"] 0s s {\"k\":1,\"v\":\"a\"} 1s s {\"k\":1,\"v\":\"z\"} "
           "expect alert at 11s");
    /* Alerts of other rules are not judged. */
    passes("0s s {\"k\":1,\"v\":1} expect none");
}

static void what_is_not_fails(void **state)
{
    (void)state;
    fails("0s s {\"k\":1,\"v\":\"a\"}", "t.rule:7: 1 alert more than expected");
    fails("0s s {\"k\":1,\"v\":\"a\"} expect none", "t.rule:8: expected no alert, there was 1");
    fails("0s s {\"k\":1,\"v\":\"a\"} expect alert at 11s", "got alert at 10s {\"k\":1,\"v\":\"a\"}");
    fails("0s s {\"k\":1,\"v\":\"a\"} expect alert {\"v\":\"b\"}", "differs at v");
    fails("0s s {\"k\":1,\"v\":\"a\"} expect 2 alerts", "expected 2 alerts, there was 1");
    fails("0s s {\"k\":1,\"v\":\"b\"} expect alert", "# fits no step");
    fails("12s s {\"v\":0} 10s s {\"k\":1,\"v\":\"a\"} expect alert", "# late");
    fails("0s good {\"k\":1} expect none", "does not satisfy the condition of stream good");
    fails("5s s {\"k\":1} expect none until 4s", "comes after `until`");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_expected_passes),
        cmocka_unit_test(what_is_not_fails),
    };

    return cmocka_run_group_tests_name("test_run", tests, NULL, NULL);
}
