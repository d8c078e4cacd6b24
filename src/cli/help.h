// SPDX-License-Identifier: Apache-2.0
/* help - what `--help` and `--version` print, from command.def and option.def. */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include <stdio.h>

#include "cli/command.h"

void help_all(FILE *to);
void help_command(enum command_id command); /* to standard output */
void help_version(void);                    /* with those of the libraries; to standard output */

#endif
