// SPDX-License-Identifier: Apache-2.0
/* options - the command line of tocsind, and its help; the table is option.def. */
#ifndef DAEMON_OPTIONS_H
#define DAEMON_OPTIONS_H

#include <stdbool.h>

enum daemon_exit {
    DAEMON_OK = 0,
    DAEMON_FAILED = 1, /* something outside: files, the state directory */
    DAEMON_WRONG = 2,  /* the command line, the configuration or the rules */
    DAEMON_ENDED = 3,  /* another daemon has taken over */
};

enum daemon_option {
#define OPTION(id, letter, name, argument, help) DAEMON_OPTION_##id,
#include "daemon/option.def"
#undef OPTION
    DAEMON_OPTION_COUNT
};

struct daemon_options {
    const char *config;       /* or NULL; borrowed from argv */
    bool check;
    bool told;                /* help, version or a manual page was wanted, and printed */
};

/* False: the command line is wrong, and a message was printed. */
bool daemon_options_read(struct daemon_options *options_out, int argc, char **argv);

#endif
