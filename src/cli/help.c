// SPDX-License-Identifier: Apache-2.0
#include "cli/help.h"

#include "base/digest.h"
#include "base/gunzip.h"
#include "base/page.h"
#include "base/regex.h"
#include "base/version.h"
#include "event/json_decode.h"

enum { OPTION_INDENT = 6 };

struct option_help {
    enum command_id command;
    char letter;
    const char *name, *argument, *help;
};

static const struct option_help options[] = {
#define OPTION(command, id, letter, name, argument, help) \
    {COMMAND_##command, letter, name, argument, help},
#include "cli/option.def"
#undef OPTION
};

void help_all(FILE *to)
{
    fputs("usage: tocsin COMMAND [ARGUMENT...]\n"
          "       tocsin --help | --version\n\n"
          "Finds patterns of events: rules over JSON lines, by the events' own times.\n\n",
          to);
    for (int i = 0; i < COMMAND_COUNT; i++)
        fprintf(to, "  %-8s %s\n", commands[i].name, commands[i].summary);
    fputs("\n`tocsin COMMAND --help` tells more.\n", to);
}

static void help_option(const struct option_help *option)
{
    if (option->letter)
        printf("  -%c, --%s", option->letter, option->name);
    else
        printf("  --%s", option->name);
    printf("%s%s\n", option->argument ? " " : "", option->argument ? option->argument : "");
    page_wrap(option->help, OPTION_INDENT);
}

void help_command(enum command_id command)
{
    const struct command *c = &commands[command];

    printf("usage: tocsin %s %s\n\n", c->name, c->synopsis);
    page_wrap(c->about, 0);
    putchar('\n');
    for (int i = 0; i < ACTION_COUNT; i++)
        if (actions[i].command == command) {
            printf("  %s %s\n", actions[i].name, actions[i].synopsis);
            page_wrap(actions[i].help, OPTION_INDENT);
        }
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (options[i].command == command)
            help_option(&options[i]);
    puts("  -h, --help");
    page_wrap("print this", OPTION_INDENT);
    puts("\nAn argument follows its option as the next word or behind `=`; `--` ends the options.");
}

void help_version(void)
{
    printf("tocsin %s\n", version_string());
    printf("  simdjson  %s\n", decoder_version());
    printf("  pcre2     %s\n", regex_version());
    printf("  zlib      %s\n", gunzip_version());
    printf("  libcrypto %s\n", digest_version());
}
