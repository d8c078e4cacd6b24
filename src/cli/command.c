// SPDX-License-Identifier: Apache-2.0
#include "cli/command.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/suggest.h"
#include "cli/help.h"

const struct command commands[COMMAND_COUNT] = {
#define COMMAND(id, name, synopsis, summary, about) \
    [COMMAND_##id] = {name, synopsis, summary, about, run_##id, false},
#define REMOTE(id, name, synopsis, summary, about) \
    [COMMAND_##id] = {name, synopsis, summary, about, run_##id, true},
#include "cli/command.def"
#undef COMMAND
#undef REMOTE
};

const struct option options[OPTION_COUNT] = {
#define OPTION(command, id, letter, name, argument, help) \
    [OPTION_##command##_##id] = {COMMAND_##command, letter, name, argument, help},
#define REMOTE(id, letter, name, argument, help) \
    [OPTION_remote_##id] = {COMMAND_remote, letter, name, argument, help},
#include "cli/option.def"
#undef OPTION
#undef REMOTE
};

const struct action actions[ACTION_COUNT] = {
#define ACTION(command, id, name, synopsis, help) \
    [ACTION_##command##_##id] = {COMMAND_##command, name, synopsis, help, NULL},
#define REMOTE(command, id, name, synopsis, help) \
    [ACTION_##command##_##id] = {COMMAND_##command, name, synopsis, help, remote_##command##_##id},
#include "cli/action.def"
#undef ACTION
#undef REMOTE
};

bool command_asks(enum command_id command)
{
    for (int i = 0; i < ACTION_COUNT; i++)
        if (actions[i].command == command && actions[i].ask)
            return true;
    return false;
}

bool option_is_of(enum option_id option, enum command_id command)
{
    return options[option].command == command ||
           (options[option].command == COMMAND_remote && command_asks(command));
}

void command_line_init(struct command_line *line, enum command_id command, int argc, char **argv)
{
    *line = (struct command_line){.command = command, .argc = argc, .argv = argv, .at = 1};
}

int command_usage_error(enum command_id command, const char *fmt, ...)
{
    va_list args;

    fputs("tocsin: ", stderr);
    va_start(args, fmt);
    vfprintf(stderr, fmt, args);
    va_end(args);
    fprintf(stderr, "\n`tocsin %s --help` tells how it is used\n", commands[command].name);
    return EXIT_USAGE;
}

/* How many of the words are the name; 0: it is another one. */
static int words_of(const char *name, const char *const *word, int n)
{
    int used = 0;

    while (*name && used < n) {
        size_t len = strlen(word[used]);
        if (strncmp(name, word[used], len) != 0 || (name[len] && name[len] != ' '))
            return 0;
        used++;
        if (!name[len])
            return used;
        name += len + 1;
    }
    return 0;
}

enum action_id command_action(enum command_id command, const char *const *word, int n,
                              int *used_out)
{
    const char *meant = NULL;
    struct suggest s;
    struct buf said;

    for (int i = 0; i < ACTION_COUNT; i++)
        if (actions[i].command == command && (*used_out = words_of(actions[i].name, word, n)))
            return (enum action_id)i;
    for (int i = 0; i < ACTION_COUNT; i++) /* without a word; a list needs none */
        if (actions[i].command == command &&
            (!actions[i].name[0] || (n == 0 && strcmp(actions[i].name, "list") == 0)))
            return (enum action_id)i;
    if (n == 0) {
        command_usage_error(command, "no action is named");
        return ACTION_BAD;
    }
    buf_init(&said);
    size_t len = strlen(word[0]);
    for (int i = 0; i < ACTION_COUNT; i++)
        if (actions[i].command == command && strncmp(actions[i].name, word[0], len) == 0 &&
            actions[i].name[len] == ' ')
            buf_printf(&said, "%s%s", said.len ? " | " : "", actions[i].name + len + 1);
    if (said.len > 0 && n == 1) {
        command_usage_error(command, "%s what? %s", word[0], said.data);
        buf_fini(&said);
        return ACTION_BAD;
    }
    buf_clear(&said);
    for (int i = 0; i < n && i < 2 && !meant; i++) { /* names have one word or two */
        buf_printf(&said, "%s%s", i ? " " : "", word[i]);
        suggest_init(&s, said.data);
        for (int k = 0; k < ACTION_COUNT; k++)
            if (actions[k].command == command)
                suggest_try(&s, actions[k].name);
        meant = suggest_result(&s);
    }
    if (meant)
        command_usage_error(command, "unknown action `%s`, did you mean `%s`?", said.data, meant);
    else
        command_usage_error(command, "unknown action `%s`", word[0]);
    buf_fini(&said);
    return ACTION_BAD;
}

int command_flush(int code)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return code;
    if (errno != EPIPE)
        fprintf(stderr, "tocsin: standard output: cannot write: %s\n", strerror(errno));
    return code == EXIT_OK ? EXIT_FAILED : code;
}

/* ---- options --------------------------------------------------------------------------------- */

static enum option_id unknown(const struct command_line *line, const char *text, size_t len)
{
    struct suggest s;
    char name[64];

    snprintf(name, sizeof name, "%.*s", (int)(len < sizeof name ? len : sizeof name - 1), text);
    suggest_init(&s, name + 2);
    suggest_try(&s, "help");
    for (int i = 0; i < OPTION_COUNT; i++)
        if (option_is_of((enum option_id)i, line->command))
            suggest_try(&s, options[i].name);
    if (suggest_result(&s))
        command_usage_error(line->command, "unknown option %s, did you mean --%s?", name,
                            suggest_result(&s));
    else
        command_usage_error(line->command, "unknown option %s", name);
    return OPTION_BAD;
}

/* The argument of an option: what is joined to it, or else the next word. */
static enum option_id with_argument(struct command_line *line, int option, const char *joined,
                                    const char **value_out)
{
    *value_out = joined;
    if (options[option].argument && !joined) {
        if (line->at == line->argc) {
            command_usage_error(line->command, "--%s needs an argument", options[option].name);
            return OPTION_BAD;
        }
        *value_out = line->argv[line->at++];
    } else if (!options[option].argument && joined) {
        command_usage_error(line->command, "--%s takes no argument", options[option].name);
        return OPTION_BAD;
    }
    return (enum option_id)option;
}

static enum option_id long_option(struct command_line *line, const char *text,
                                  const char **value_out)
{
    size_t len = strcspn(text, "=");

    for (int i = 0; i < OPTION_COUNT; i++)
        if (option_is_of((enum option_id)i, line->command) && strlen(options[i].name) == len - 2 &&
            memcmp(options[i].name, text + 2, len - 2) == 0)
            return with_argument(line, i, text[len] ? text + len + 1 : NULL, value_out);
    return unknown(line, text, len);
}

static enum option_id short_option(struct command_line *line, const char *text,
                                   const char **value_out)
{
    for (int i = 0; i < OPTION_COUNT; i++)
        if (option_is_of((enum option_id)i, line->command) && options[i].letter == text[1])
            return with_argument(line, i, text[2] ? text + 2 : NULL, value_out);
    command_usage_error(line->command, "unknown option %s", text);
    return OPTION_BAD;
}

enum option_id command_line_next(struct command_line *line, const char **value_out)
{
    if (line->at == line->argc)
        return OPTION_END;

    const char *text = line->argv[line->at++];
    *value_out = text;
    if (line->no_options || text[0] != '-' || !text[1])
        return OPTION_OTHER;
    if (strcmp(text, "--") == 0) {
        line->no_options = true;
        return command_line_next(line, value_out);
    }
    if (strcmp(text, "--help") == 0 || strcmp(text, "-h") == 0) {
        help_command(line->command);
        return OPTION_HELP;
    }
    return text[1] == '-' ? long_option(line, text, value_out)
                          : short_option(line, text, value_out);
}

/* ---- sizes ----------------------------------------------------------------------------------- */

/* What a unit stands for; 0 if it is none. */
static uint64_t unit_size(const char *unit)
{
    static const char letters[] = "KMGT";
    const char *letter = *unit ? strchr(letters, *unit & ~0x20) : NULL;
    uint64_t size = 1;

    if (!*unit || strcmp(unit, "B") == 0)
        return 1;
    if (!letter)
        return 0;
    bool decimal = strcmp(unit + 1, "B") == 0;
    if (!decimal && unit[1] && strcmp(unit + 1, "iB") != 0)
        return 0;
    for (const char *l = letters; l <= letter; l++)
        size *= decimal ? 1000 : 1024;
    return size;
}

bool parse_size(const char *text, uint64_t *size_out)
{
    char *end;

    if (*text < '0' || *text > '9')
        return false;
    errno = 0;
    unsigned long long n = strtoull(text, &end, 10);
    uint64_t unit = unit_size(end);
    return errno == 0 && unit != 0 && !__builtin_mul_overflow((uint64_t)n, unit, size_out);
}
