// SPDX-License-Identifier: Apache-2.0
/* `tocsin explain`: what rules do and what they cost. */
#include "cli/command.h"

int run_explain(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    return command_usage_error(COMMAND_explain, "not yet");
}
