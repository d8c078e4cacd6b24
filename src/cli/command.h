// SPDX-License-Identifier: Apache-2.0
/*
 * command - the subcommands of `tocsin` and how their command lines are read.
 *
 * All is driven by tables: command.def, option.def, and action.def for subcommands that are several. `--name=V`, `--name V`, `-nV` and `-n V`
 * give an option its argument; `--` ends the options; they may stand behind other arguments.
 */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include <stdbool.h>
#include <stdint.h>

enum exit_code {
    EXIT_OK = 0,
    EXIT_FAILED = 1, /* input, output, or a test */
    EXIT_USAGE = 2,  /* the rules or the command line */
};

enum command_id {
#define COMMAND(id, name, synopsis, summary, about) COMMAND_##id,
#include "cli/command.def"
#undef COMMAND
    COMMAND_COUNT
};

enum option_id {
#define OPTION(command, id, letter, name, argument, help) OPTION_##command##_##id,
#include "cli/option.def"
#undef OPTION
    OPTION_COUNT,
    /* what else command_line_next may give */
    OPTION_OTHER, /* an argument that is no option */
    OPTION_HELP,  /* --help: it was printed */
    OPTION_BAD,   /* a message was printed */
    OPTION_END,
};

enum action_id {
#define ACTION(command, id, name, synopsis, help) ACTION_##command##_##id,
#include "cli/action.def"
#undef ACTION
    ACTION_COUNT,
    ACTION_BAD, /* a message was printed */
};

struct action {
    enum command_id command;
    const char *name, *synopsis, *help;
};
extern const struct action actions[ACTION_COUNT];

typedef int command_run_fn(int argc, char **argv);

#define COMMAND(id, name, synopsis, summary, about) command_run_fn run_##id;
#include "cli/command.def"
#undef COMMAND

struct command {
    const char *name, *synopsis, *summary, *about;
    command_run_fn *run;
};
extern const struct command commands[COMMAND_COUNT];

struct command_line { /* embedded */
    enum command_id command;
    int argc;
    char **argv;
    int at;           /* next of argv */
    bool no_options;  /* behind `--` */
};

/* argv[0] is the subcommand's name. */
void command_line_init(struct command_line *line, enum command_id command, int argc, char **argv);
/* The next option; *value_out is its argument, or of OPTION_OTHER the text. */
enum option_id command_line_next(struct command_line *line, const char **value_out);

/* The action that word[0..n) begin with; *used_out: how many of them are its name. */
enum action_id command_action(enum command_id command, const char *const *word, int n,
                              int *used_out);
/* Prints "tocsin: MESSAGE" and where help is; gives EXIT_USAGE. */
int command_usage_error(enum command_id command, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* Flushes standard output; EXIT_FAILED if what was printed there could not be written. */
int command_flush(int code);

/* "64KiB", "4GiB", "1000", "10M": K, M, G, T with or without iB are powers of 1024, with B of 1000.
 * False if it is none, or does not fit. */
bool parse_size(const char *text, uint64_t *size_out);

#endif
