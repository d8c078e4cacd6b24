// SPDX-License-Identifier: Apache-2.0
#include "cli/completion.h"

#include <stdio.h>
#include <string.h>

#include "cli/command.h"

/* The first words of its actions, each once: those that share it stand together. */
static void print_actions(enum command_id command)
{
    for (int i = 0; i < ACTION_COUNT; i++) {
        size_t len = strcspn(actions[i].name, " ");
        bool again = i > 0 && actions[i - 1].command == command && strncmp(actions[i - 1].name, actions[i].name, len) == 0 &&
                     strchr(" ", actions[i - 1].name[len]);
        if (actions[i].command == command && len > 0 && !again)
            printf(" %.*s", (int)len, actions[i].name);
    }
}

static void print_options(enum command_id command)
{
    for (int i = 0; i < OPTION_COUNT; i++)
        if (option_is_of((enum option_id)i, command))
            printf(" --%s", options[i].name);
    fputs(" --help", stdout);
}

/* Actions that have two words: the second. */
static void print_second_words(enum command_id command)
{
    const char *first = "";

    for (int i = 0; i < ACTION_COUNT; i++) {
        const char *name = actions[i].name, *blank = strchr(name, ' ');
        if (actions[i].command != command || !blank)
            continue;
        if (strncmp(first, name, (size_t)(blank - name) + 1) != 0)
            printf("%s    %s\\ %.*s) words=\"$words", *first ? "\" ;;\n" : "", commands[command].name,
                   (int)(blank - name), name);
        fputs(blank, stdout);
        first = name;
    }
    if (*first)
        puts("\" ;;");
}

void completion_bash(void)
{
    puts("# bash completion for tocsin; `tocsin --completion` prints it\n"
         "_tocsin() {\n"
         "    local cur=${COMP_WORDS[COMP_CWORD]} words=\n"
         "    case $COMP_CWORD:${COMP_WORDS[1]} in");
    fputs("    1:*) words=\"--help --version", stdout);
    for (int i = 0; i < COMMAND_COUNT; i++)
        printf(" %s", commands[i].name);
    puts("\" ;;");
    for (int i = 0; i < COMMAND_COUNT; i++) {
        printf("    2:%s) words=\"", commands[i].name);
        print_actions((enum command_id)i);
        print_options((enum command_id)i);
        puts("\" ;;");
        printf("    *:%s) words=\"", commands[i].name);
        print_options((enum command_id)i);
        puts("\" ;;");
    }
    puts("    esac\n"
         "    [ \"$COMP_CWORD\" -ne 3 ] || case \"${COMP_WORDS[1]} ${COMP_WORDS[2]}\" in");
    for (int i = 0; i < COMMAND_COUNT; i++)
        print_second_words((enum command_id)i);
    puts("    esac\n"
         "    # options where one is begun; else words, and files where there are none\n"
         "    [[ $cur == -* ]] || words=$(printf '%s\\n' $words | grep -v '^-')\n"
         "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\")\n"
         "}\n"
         "complete -o default -F _tocsin tocsin");
}
