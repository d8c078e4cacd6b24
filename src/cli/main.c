/* SPDX-License-Identifier: Apache-2.0 */
/* The command line of `tocsin'. */
#include "base/version.h"

#include <stdio.h>
#include <string.h>

enum { EXIT_USAGE = 2 };

static void usage(FILE *to)
{
    fputs("usage: tocsin --version | --help\n", to);
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--version") == 0) {
        printf("tocsin %s\n", version_string());
        return 0;
    }
    if (argc == 2 && strcmp(argv[1], "--help") == 0) {
        usage(stdout);
        return 0;
    }
    usage(stderr);
    return EXIT_USAGE;
}
