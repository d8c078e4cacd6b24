// SPDX-License-Identifier: Apache-2.0
#include "cli/man.h"

#include <stdio.h>

#include "base/page.h"
#include "base/version.h"
#include "cli/command.h"

struct option_man {
    enum command_id command;
    char letter;
    const char *name, *argument, *help;
};

static const struct option_man options[] = {
#define OPTION(command, id, letter, name, argument, help) \
    {COMMAND_##command, letter, name, argument, help},
#include "cli/option.def"
#undef OPTION
};

static const char exit_codes[] =
    ".SH EXIT STATUS\n"
    ".TP\n0\nAll went well.\n"
    ".TP\n1\nAn input could not be read, an output not be written, or a test failed.\n"
    ".TP\n2\nA rule does not compile, or the command line is wrong: nothing was run.\n"
    ".TP\n130, 143\nA replay was interrupted (SIGINT, SIGTERM); what was found by then is written.\n";

static const char examples[] =
    ".SH EXAMPLES\n"
    ".nf\n"
    "tocsin check rules\n"
    "tocsin test rules\n"
    "tocsin replay \\-r my.rule \\-\\-time sshd=timestamp sshd=auth.ndjson.gz >alerts.ndjson\n"
    "zcat auth.ndjson.gz | tocsin replay \\-r my.rule sshd=\\-\n"
    ".fi\n";

static void line(const char *s)
{
    page_roff(s);
    putchar('\n');
}

static void option(const struct option_man *o)
{
    fputs(".TP\n\\fB", stdout);
    if (o->letter)
        printf("\\-%c\\fR, \\fB", o->letter);
    page_roff("--");
    page_roff(o->name);
    fputs("\\fR", stdout);
    if (o->argument)
        printf(" \\fI%s\\fR", o->argument);
    putchar('\n');
    line(o->help);
}

static void action(const struct action *a)
{
    fputs(".TP\n\\fB", stdout);
    page_roff(a->name);
    fputs("\\fR ", stdout);
    line(a->synopsis);
    line(a->help);
}

void man_page(void)
{
    printf(".TH TOCSIN 1 \"\" \"tocsin %s\" \"User Commands\"\n", version_string());
    puts(".SH NAME\ntocsin \\- find patterns of events: rules over JSON lines\n.SH SYNOPSIS");
    for (int i = 0; i < COMMAND_COUNT; i++) {
        printf("%s.B tocsin %s\n", i ? ".br\n" : "", commands[i].name);
        line(commands[i].synopsis);
    }
    puts(".SH DESCRIPTION");
    line("Rules say which events mean something together: so many of a kind within a minute, one "
         "thing after another, something that should have followed and did not. All goes by the "
         "events' own times. The language is described in grammar/README.md of the sources.\n"
         "An argument follows its option as the next word or behind `=`; `--` ends the options; "
         "`--help` behind a command prints its help, `tocsin --version` the version.");
    for (int i = 0; i < COMMAND_COUNT; i++) {
        printf(".SS tocsin %s\n", commands[i].name);
        line(commands[i].about);
        for (int k = 0; k < ACTION_COUNT; k++)
            if (actions[k].command == (enum command_id)i)
                action(&actions[k]);
        for (size_t k = 0; k < sizeof options / sizeof *options; k++)
            if (options[k].command == (enum command_id)i)
                option(&options[k]);
    }
    fputs(exit_codes, stdout);
    fputs(examples, stdout);
}
