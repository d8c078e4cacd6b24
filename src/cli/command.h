// SPDX-License-Identifier: Apache-2.0
/*
 * command - the subcommands of `tocsin` and how their command lines are read.
 *
 * All is driven by tables: command.def, option.def, and action.def for subcommands that are several. `--name=V`,
 * `--name V`, `-nV` and `-n V` give an option its argument; `--` ends the options; they may stand behind other
 * arguments.
 */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include <stdbool.h>
#include <stdint.h>

enum exit_code {
    EXIT_OK = 0,
    EXIT_FAILED = 1, /* input, output, a test, or a daemon that refused */
    EXIT_USAGE = 2,  /* the rules or the command line */
    EXIT_UNREACHABLE = 3, /* no daemon answered */
};

enum command_id {
#define COMMAND(id, name, synopsis, summary, about) COMMAND_##id,
#define REMOTE(id, name, synopsis, summary, about) COMMAND_##id,
#include "cli/command.def"
#undef COMMAND
#undef REMOTE
    COMMAND_COUNT,
    COMMAND_remote, /* whose options those are that all have which ask a daemon */
};

enum option_id {
#define OPTION(command, id, letter, name, argument, help) OPTION_##command##_##id,
#define REMOTE(id, letter, name, argument, help) OPTION_remote_##id,
#include "cli/option.def"
#undef OPTION
#undef REMOTE
    OPTION_COUNT,
    /* what else command_line_next may give */
    OPTION_OTHER, /* an argument that is no option */
    OPTION_HELP,  /* --help: it was printed */
    OPTION_BAD,   /* a message was printed */
    OPTION_END,
};

enum action_id {
#define ACTION(command, id, name, synopsis, help) ACTION_##command##_##id,
#define REMOTE(command, id, name, synopsis, help) ACTION_##command##_##id,
#include "cli/action.def"
#undef ACTION
#undef REMOTE
    ACTION_COUNT,
    ACTION_BAD, /* a message was printed */
};

struct remote;
typedef int remote_fn(struct remote *r); /* an exit code */

#define ACTION(command, id, name, synopsis, help)
#define REMOTE(command, id, name, synopsis, help) remote_fn remote_##command##_##id;
#include "cli/action.def"
#undef ACTION
#undef REMOTE

struct action {
    enum command_id command;
    const char *name, *synopsis, *help;
    remote_fn *ask; /* NULL: it needs no daemon */
};
extern const struct action actions[ACTION_COUNT];

typedef int command_run_fn(int argc, char **argv);

#define COMMAND(id, name, synopsis, summary, about) command_run_fn run_##id;
#define REMOTE(id, name, synopsis, summary, about) command_run_fn run_##id;
#include "cli/command.def"
#undef COMMAND
#undef REMOTE

struct command {
    const char *name, *synopsis, *summary, *about;
    command_run_fn *run;
    bool is_remote; /* all that it does is asked of a daemon */
};
extern const struct command commands[COMMAND_COUNT];

struct option {
    enum command_id command;
    char letter;      /* or 0 */
    const char *name, *argument, *help; /* argument: NULL: it takes none */
};
extern const struct option options[OPTION_COUNT];
/* Has it an action that is asked of a daemon? */
bool command_asks(enum command_id command);
bool option_is_of(enum option_id option, enum command_id command);

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
