// SPDX-License-Identifier: Apache-2.0
/* The command line of `tocsin`: finds the subcommand. Read next: command.def, then its file. */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/suggest.h"
#include "cli/command.h"
#include "cli/completion.h"
#include "cli/help.h"
#include "cli/man.h"

static int unknown_command(const char *name)
{
    struct suggest s;

    suggest_init(&s, name);
    suggest_try(&s, "--help");
    suggest_try(&s, "--version");
    for (int i = 0; i < COMMAND_COUNT; i++)
        suggest_try(&s, commands[i].name);
    fprintf(stderr, "tocsin: unknown %s %s", name[0] == '-' ? "option" : "command", name);
    if (suggest_result(&s))
        fprintf(stderr, ", did you mean `tocsin %s`?", suggest_result(&s));
    fputs("\n\n", stderr);
    help_all(stderr);
    return EXIT_USAGE;
}

int main(int argc, char **argv)
{
    /* A reader that has gone is an error of the write, not the end of the process. */
    signal(SIGPIPE, SIG_IGN);
    if (argc < 2) {
        help_all(stderr);
        return EXIT_USAGE;
    }
    if (strcmp(argv[1], "--version") == 0) {
        help_version();
        return command_flush(EXIT_OK);
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        help_all(stdout);
        return command_flush(EXIT_OK);
    }
    if (strcmp(argv[1], "--man") == 0) {
        man_page();
        return command_flush(EXIT_OK);
    }
    if (strcmp(argv[1], "--completion") == 0) {
        completion_bash();
        return command_flush(EXIT_OK);
    }
    for (int i = 0; i < COMMAND_COUNT; i++)
        if (strcmp(argv[1], commands[i].name) == 0)
            return command_flush(commands[i].run(argc - 1, argv + 1));
    return unknown_command(argv[1]);
}
