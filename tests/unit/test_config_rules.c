/* SPDX-License-Identifier: Apache-2.0 */
/* The rules of a configuration: their names, what they may name, what is said if they cannot be read. */
#include "config/rules.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/diag.h"
#include "base/mem.h"
#include "config/config.h"
#include "plan/program.h"

static void write_file(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");

    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static struct config *config_of(const char *text)
{
    struct diag *diag = diag_new();
    struct config *c = config_read_text("t.conf", text, strlen(text), diag);

    assert_non_null(c);
    diag_free(&diag);
    return c;
}

/* Compiles; what is said must hold each of the texts. Returns the number of rules, or -1. */
static int compile(const char *config, const char *const *says, size_t n_says)
{
    struct config *c = config_of(config);
    struct diag *diag = diag_new();
    struct program *prog = config_compile(c, 0, diag);
    int n = prog ? (int)prog->n_rules : -1;
    struct buf said;

    buf_init(&said);
    buf_adds(&said, "");
    diag_print(diag, &said);
    for (size_t i = 0; i < n_says; i++)
        if (!strstr(said.data, says[i]))
            fail_msg("no \"%s\" in: %s", says[i], said.data);
    if (n_says == 0)
        assert_string_equal(said.data, "");
    if (prog)
        program_unref(&prog);
    buf_fini(&said);
    diag_free(&diag);
    config_free(&c);
    return n;
}

static void modules_are_read(void **state)
{
    struct config *c = config_of("engine { rules \"./rules/\" }");
    struct diag *diag = diag_new();
    struct config_rules rules;
    char *path;

    (void)state;
    assert_true(config_rules_read(c, &rules, diag));
    assert_int_equal(rules.n, 3);
    assert_string_equal(rules.module[0].name, "a.rule");
    assert_string_equal(rules.module[0].text, "rule a { match { x: s where f == 1 } to out }\n");
    assert_string_equal(rules.module[1].name, "a/b.rule");
    assert_string_equal(rules.module[1].path, "rules/a/b.rule");
    assert_string_equal(rules.module[2].name, "c.rule");
    path = config_rules_path(c, "a/b.rule");
    assert_string_equal(path, "rules/a/b.rule");
    mem_free(path);
    config_rules_fini(&rules);
    config_free(&c);

    c = config_of("engine { rules \"rules/a/b.rule\" }");
    assert_true(config_rules_read(c, &rules, diag));
    assert_int_equal(rules.n, 1);
    assert_string_equal(rules.module[0].name, "b.rule");
    path = config_rules_path(c, "b.rule");
    assert_string_equal(path, "rules/a/b.rule");
    mem_free(path);
    config_rules_fini(&rules);
    config_free(&c);
    diag_free(&diag);
}

static void sources_and_sinks_are_known(void **state)
{
    static const char *const no_source[] = {"rules/c.rule:1:12: error: unknown stream or source `s`"};
    static const char *const no_sink[] = {"rules/a.rule:1:41: error: unknown sink `out`",
                                          "the configuration declares sinks: sink out { ... }",
                                          "rules/c.rule:1:56: error: unknown sink `bda`",
                                          "did you mean `bad`?"};

    (void)state;
    assert_int_equal(compile("source s { file \"e\" } sink out { file \"o\" } sink bda { file \"b\" }",
                             NULL, 0), 2);
    assert_int_equal(compile("source ss { file \"e\" } sink out { file \"o\" } sink bda { file \"b\" }",
                             no_source, 1), -1);
    assert_int_equal(compile("source s { file \"e\" } sink alerts { file \"o\" } sink bad { file \"b\" }",
                             no_sink, 4), -1);
}

static void rules_must_be_there(void **state)
{
    static const char *const none[] = {"error: empty: there is no *.rule file below it"};
    static const char *const missing[] = {"error: nowhere: No such file or directory",
                                          "`rules` of the block `engine` says where the rules are"};

    (void)state;
    assert_int_equal(compile("engine { rules \"empty\" }", none, 1), -1);
    assert_int_equal(compile("engine { rules \"nowhere\" }", missing, 2), -1);
}

/* A pipe below a directory would be waited for, perhaps for ever. */
static void pipes_are_not_read(void **state)
{
    static const char *const pipe[] = {"error: pipes/a.rule: a pipe, which may never end"};

    (void)state;
    assert_int_equal(compile("engine { rules \"pipes\" }", pipe, 1), -1);
}

/* Time fields and order_by of sources have slots. */
static void fields_of_sources(void **state)
{
    (void)state;
    assert_int_equal(compile("engine { rules \"rules/a/b.rule\" }\n"
                             "source s { file \"e\" time deep.down order_by n }", NULL, 0), 1);
}

static int prepare(void **state)
{
    static char dir[] = "/tmp/test_config_rules.XXXXXX";

    if (!mkdtemp(dir) || chdir(dir) != 0)
        return -1;
    mkdir("rules", 0777);
    mkdir("rules/a", 0777);
    mkdir("empty", 0777);
    mkdir("pipes", 0777);
    if (mkfifo("pipes/a.rule", 0666) != 0)
        return -1;
    write_file("rules/a.rule", "rule a { match { x: s where f == 1 } to out }\n");
    write_file("rules/a/b.rule", "rule b { match { x: s where f == 2 } }\n");
    write_file("rules/c.rule", "stream t = s where f == 1 expect g > 1 else quarantine bda\n");
    *state = dir;
    return 0;
}

static int clean(void **state)
{
    static const char *const name[] = {"rules/a.rule", "rules/a/b.rule", "rules/c.rule",
                                       "rules/a", "rules", "empty", "pipes/a.rule", "pipes"};

    for (size_t i = 0; i < sizeof name / sizeof *name; i++)
        remove(name[i]);
    return chdir("/") != 0 || rmdir(*state) != 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(modules_are_read),
        cmocka_unit_test(sources_and_sinks_are_known),
        cmocka_unit_test(rules_must_be_there), cmocka_unit_test(pipes_are_not_read),
        cmocka_unit_test(fields_of_sources),
    };
    return cmocka_run_group_tests(tests, prepare, clean);
}
