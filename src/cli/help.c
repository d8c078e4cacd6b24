// SPDX-License-Identifier: Apache-2.0
#include "cli/help.h"

#include "base/buf.h"
#include "base/digest.h"
#include "base/gunzip.h"
#include "base/page.h"
#include "base/regex.h"
#include "base/version.h"
#include "event/json_decode.h"
#include "io/http_client.h"

enum { ACTION_INDENT = 2, OPTION_INDENT = 6 };

static void help_commands(FILE *to, bool remote)
{
    for (int i = 0; i < COMMAND_COUNT; i++)
        if (commands[i].is_remote == remote)
            fprintf(to, "  %-12s %s\n", commands[i].name, commands[i].summary);
}

void help_all(FILE *to)
{
    fputs("usage: tocsin COMMAND [ARGUMENT...]\n"
          "       tocsin --help | --version\n\n"
          "Finds patterns of events: rules over JSON lines, by the events' own times.\n\n",
          to);
    help_commands(to, false);
    fputs("\nOf a daemon that runs (--url or TOCSIN_URL; http://127.0.0.1:7070 without):\n\n", to);
    help_commands(to, true);
    fputs("\n`tocsin COMMAND --help` tells more.\n", to);
}

static void help_option(const struct option *option)
{
    if (option->letter)
        printf("  -%c, --%s", option->letter, option->name);
    else
        printf("  --%s", option->name);
    printf("%s%s\n", option->argument ? " " : "", option->argument ? option->argument : "");
    page_wrap(option->help, OPTION_INDENT);
}

static void help_actions(enum command_id command, bool remote)
{
    for (int i = 0; i < ACTION_COUNT; i++)
        if (actions[i].command == command && (actions[i].ask != NULL) == remote && actions[i].name[0]) {
            struct buf head;
            buf_init(&head);
            buf_printf(&head, "%s %s", actions[i].name, actions[i].synopsis);
            page_wrap(head.data, ACTION_INDENT);
            page_wrap(actions[i].help, OPTION_INDENT);
            buf_fini(&head);
        }
}

/* Those of the command, or of all that ask a daemon. */
static void help_options(enum command_id command)
{
    for (int i = 0; i < OPTION_COUNT; i++)
        if (options[i].command == command)
            help_option(&options[i]);
}

static void help_usage(enum command_id command)
{
    const char *synopsis = commands[command].synopsis;
    struct buf b;

    for (int i = 0; i < ACTION_COUNT; i++) /* one without a name is the whole command */
        if (actions[i].command == command && !actions[i].name[0])
            synopsis = actions[i].synopsis;
    buf_init(&b);
    buf_printf(&b, "usage: tocsin %s %s", commands[command].name, synopsis);
    page_wrap(b.data, 0);
    putchar('\n');
    buf_fini(&b);
}

void help_command(enum command_id command)
{
    const struct command *c = &commands[command];
    bool asks = command_asks(command), both = asks && !c->is_remote;

    help_usage(command);
    page_wrap(*c->about ? c->about : c->summary, 0);
    putchar('\n');
    if (both)
        puts("Of a daemon that runs:");
    help_actions(command, true);
    if (both)
        puts("Of a state directory:");
    help_actions(command, false);
    help_options(command);
    puts("  -h, --help");
    page_wrap("print this", OPTION_INDENT);
    if (asks) {
        puts("\nOf all commands that ask a daemon (exit: 1 it refused, 3 it could not be reached):");
        help_options(COMMAND_remote);
    }
    puts("\nAn argument follows its option as the next word or behind `=`; `--` ends the options.");
}

void help_version(void)
{
    printf("tocsin %s\n", version_string());
    printf("  simdjson  %s\n", decoder_version());
    printf("  pcre2     %s\n", regex_version());
    printf("  zlib      %s\n", gunzip_version());
    printf("  libcrypto %s\n", digest_version());
    printf("  libcurl   %s\n", http_client_version());
}
