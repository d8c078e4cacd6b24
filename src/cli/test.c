// SPDX-License-Identifier: Apache-2.0
/* `tocsin test`: runs the test blocks of rules. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/buf.h"
#include "cli/command.h"
#include "config/rule_files.h"
#include "flow/test_run.h"
#include "plan/program.h"

/* One line, and what is wrong below it. */
static bool run_one(struct program *prog, const struct program_test *test)
{
    struct buf why;
    bool passed;

    buf_init(&why);
    passed = test_run(prog, test, &why);
    printf("%s %s: %s", passed ? "ok  " : "FAIL", prog->rule[test->rule].name, test->title);
    if (!passed)
        printf(" (%s:%" PRIu32 ")\n  %s", test->file, test->line, why.data);
    else
        putchar('\n');
    buf_fini(&why);
    return passed;
}

static int run_all(const struct rule_files *files)
{
    struct program_options opt = {0};
    struct program *prog = rule_files_compile_loud(files, &opt);
    uint32_t passed = 0, failed = 0;

    if (!prog)
        return EXIT_USAGE;
    for (uint32_t i = 0; i < prog->n_tests; i++) {
        if (run_one(prog, &prog->test[i]))
            passed++;
        else
            failed++;
    }
    printf("%" PRIu32 " passed, %" PRIu32 " failed\n", passed, failed);
    if (prog->n_tests == 0)
        fputs("tocsin: no rule has a `test` block\n", stderr);
    program_unref(&prog);
    return failed ? EXIT_FAILED : EXIT_OK;
}

int run_test(int argc, char **argv)
{
    struct command_line line;
    struct rule_files files;
    enum option_id option;
    const char *value;
    int code;

    rule_files_init(&files);
    command_line_init(&line, COMMAND_test, argc, argv);
    while ((option = command_line_next(&line, &value)) < OPTION_HELP)
        rule_files_add(&files, value);
    if (option == OPTION_HELP)
        code = EXIT_OK;
    else if (option == OPTION_BAD)
        code = EXIT_USAGE;
    else if (files.n == 0)
        code = files.failed ? EXIT_USAGE
                            : command_usage_error(COMMAND_test, "no rules are named");
    else
        code = run_all(&files);
    rule_files_fini(&files);
    return code;
}
