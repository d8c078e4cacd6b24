// SPDX-License-Identifier: Apache-2.0
#include "cli/man.h"

#include <stdio.h>

#include "base/page.h"
#include "base/version.h"
#include "cli/command.h"

static const char exit_codes[] =
    ".SH EXIT STATUS\n"
    ".TP\n0\nAll went well.\n"
    ".TP\n1\nAn input could not be read, an output not be written, or a test failed; or a daemon refused.\n"
    ".TP\n2\nA rule does not compile, or the command line is wrong: nothing was run.\n"
    ".TP\n3\nNo daemon could be reached, or what answered is none.\n"
    ".TP\n130, 143\nA replay was interrupted (SIGINT, SIGTERM); what was found by then is written.\n";

static const char examples[] =
    ".SH EXAMPLES\n"
    ".nf\n"
    "tocsin check rules\n"
    "tocsin test rules\n"
    "tocsin replay \\-r my.rule \\-\\-time sshd=timestamp sshd=auth.ndjson.gz >alerts.ndjson\n"
    "zcat auth.ndjson.gz | tocsin replay \\-r my.rule sshd=\\-\n"
    "tocsin modules put \\-\\-watch rules\n"
    "tocsin tail \\-\\-min\\-severity high \\-\\-url https://soc.example:7070 \\-\\-token\\-file ~/.tocsin\\-token\n"
    ".fi\n"
    ".SH ENVIRONMENT\n"
    ".TP\n\\fBTOCSIN_URL\\fR, \\fBTOCSIN_TOKEN\\fR, \\fBTOCSIN_TOKEN_FILE\\fR, \\fBTOCSIN_CA\\fR\n"
    "Where the daemon is, and what it is asked with: see the options.\n"
    ".TP\n\\fBNO_COLOR\\fR\nIf it is set, and not empty, nothing is coloured on a terminal.\n";

static void line(const char *s)
{
    page_roff(s);
    putchar('\n');
}

static void option(const struct option *o)
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
         "events' own times. The language is described in grammar/README.md and the chapters beside it, "
         "in the sources and below share/doc/tocsin.\n"
         "An argument follows its option as the next word or behind `=`; `--` ends the options; "
         "`--help` behind a command prints its help, `tocsin --version` the version.");
    for (int i = 0; i < COMMAND_COUNT; i++) {
        printf(".SS tocsin %s\n", commands[i].name);
        line(*commands[i].about ? commands[i].about : commands[i].summary);
        for (int k = 0; k < ACTION_COUNT; k++)
            if (actions[k].command == (enum command_id)i && actions[k].name[0])
                action(&actions[k]);
        for (size_t k = 0; k < OPTION_COUNT; k++)
            if (options[k].command == (enum command_id)i)
                option(&options[k]);
    }
    puts(".SS Of all commands that ask a daemon");
    line("They ask a daemon that runs, over its HTTP interface: the block `http` of tocsin.conf(5). No proxy is asked, "
         "and certificates are always verified.");
    for (size_t k = 0; k < OPTION_COUNT; k++)
        if (options[k].command == COMMAND_remote)
            option(&options[k]);
    fputs(exit_codes, stdout);
    fputs(examples, stdout);
}
