// SPDX-License-Identifier: Apache-2.0
/* `tocsin check`: compiles rules and says what is wrong with them. */
#include <stdbool.h>
#include <stdio.h>
#include <time.h>

#include "base/buf.h"
#include "base/diag.h"
#include "cli/command.h"
#include "config/rule_files.h"
#include "plan/program.h"

static void say_fine(const struct program *prog, size_t warnings)
{
    printf("%u rule%s, %u test%s: no errors", prog->n_rules, prog->n_rules == 1 ? "" : "s",
           prog->n_tests, prog->n_tests == 1 ? "" : "s");
    if (warnings)
        printf(", %zu warning%s", warnings, warnings == 1 ? "" : "s");
    putchar('\n');
}

static int check(const struct rule_files *files, bool json)
{
    struct program_options opt = {.now = (int64_t)time(NULL) * 1000000000};
    struct diag *diag = diag_new();
    struct program *prog = rule_files_compile(files, &opt, diag);
    bool fine = prog && !files->failed;
    struct buf out;

    buf_init(&out);
    if (json) {
        diag_print_json(diag, &out);
        printf("%s\n", out.data);
    } else {
        diag_print(diag, &out);
        fputs(out.len ? out.data : "", stderr);
        if (fine)
            say_fine(prog, diag_warnings(diag));
    }
    buf_fini(&out);
    diag_free(&diag);
    if (prog)
        program_unref(&prog);
    return fine ? EXIT_OK : EXIT_USAGE;
}

int run_check(int argc, char **argv)
{
    struct command_line line;
    struct rule_files files;
    enum option_id option;
    const char *value;
    bool json = false;
    int code;

    rule_files_init(&files);
    command_line_init(&line, COMMAND_check, argc, argv);
    while ((option = command_line_next(&line, &value)) < OPTION_HELP) {
        if (option == OPTION_check_JSON)
            json = true;
        else
            rule_files_add(&files, value);
    }
    if (option == OPTION_HELP)
        code = EXIT_OK;
    else if (option == OPTION_BAD)
        code = EXIT_USAGE;
    else if (files.n == 0)
        code = files.failed ? EXIT_USAGE
                            : command_usage_error(COMMAND_check, "no rules are named");
    else
        code = check(&files, json);
    rule_files_fini(&files);
    return code;
}
