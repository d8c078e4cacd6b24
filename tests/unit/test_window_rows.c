// SPDX-License-Identifier: Apache-2.0
/* window_rows: a window for each row of a table, with events or without, over snapshots, to its end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <unit/engine_fixture.h>

static char folder[] = "/tmp/tocsin_rows_XXXXXX";

static const char rules[] =
    "table hosts = file \"hosts.csv\" key host\n"
    "rule silent { window tumbling 10s by host in hosts { s: s having count() == 0 } }\n"
    "rule busy { window tumbling 10s by host in hosts { s: s having count() > 0 } emit { n = count() } }\n"
    "rule fires { window tumbling 10s by host in hosts { s: s having count() >= 2 fire on match } }\n";

static struct program *compile(void)
{
    char name[200];
    snprintf(name, sizeof name, "%s/hosts.csv", folder);
    FILE *f = fopen(name, "w");
    assert_non_null(f);
    fputs("host\na\nb\nc\n", f);
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

/* time rule key, one a line */
static char *told(struct fixture *fx)
{
    struct buf out;
    buf_init(&out);
    alert_list_sort(&fx->out, 0, fx->prog);
    for (size_t i = 0; i < fx->out.n; i++) {
        const struct alert *al = &fx->out.alert[i];
        buf_printf(&out, "%lld %s %s\n", (long long)(al->time / SECOND), fx->prog->rule[al->rule].name,
                   al->key);
    }
    return buf_take(&out);
}

static char *run(bool restarts)
{
    static const struct { int64_t at; const char *json; } events[] = {
        {3, "{\"host\":\"a\"}"}, {4, "{\"host\":\"other\"}"}, {12, "{\"host\":\"b\"}"},
        {13, "{\"host\":\"b\"}"}, {41, "{\"host\":\"c\"}"}};
    struct fixture fx;
    fixture_open_program(&fx, compile());
    for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
        fixture_feed(&fx, events[i].at, "s", events[i].json);
        if (restarts)
            fixture_restart(&fx);
    }
    fixture_end(&fx);
    fixture_assert_no_state(&fx);
    char *text = told(&fx);
    fixture_close(&fx);
    return text;
}

static void each_row_has_its_windows(void **state)
{
    (void)state;
    char *plain = run(false), *restored = run(true);
    assert_string_equal(plain, "10 busy {\"host\":\"a\"}\n"
                               "10 silent {\"host\":\"b\"}\n10 silent {\"host\":\"c\"}\n"
                               "13 fires {\"host\":\"b\"}\n"
                               "20 busy {\"host\":\"b\"}\n"
                               "20 silent {\"host\":\"a\"}\n20 silent {\"host\":\"c\"}\n"
                               "30 silent {\"host\":\"a\"}\n30 silent {\"host\":\"b\"}\n"
                               "30 silent {\"host\":\"c\"}\n"
                               "40 silent {\"host\":\"a\"}\n40 silent {\"host\":\"b\"}\n"
                               "40 silent {\"host\":\"c\"}\n"
                               "50 busy {\"host\":\"c\"}\n"
                               "50 silent {\"host\":\"a\"}\n50 silent {\"host\":\"b\"}\n");
    assert_string_equal(plain, restored);
    free(plain);
    free(restored);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_row_has_its_windows)};
    char name[200];
    if (mkdtemp(folder) == NULL)
        return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    snprintf(name, sizeof name, "%s/hosts.csv", folder);
    unlink(name);
    rmdir(folder);
    return failed;
}
