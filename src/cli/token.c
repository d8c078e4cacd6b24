// SPDX-License-Identifier: Apache-2.0
/* `tocsin token`: tokens of the daemon's HTTP interface. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "http/auth.h"

/* To a file that is not there yet, which its owner alone can read. */
static int write_token(const char *path, const char *token)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
    bool good = file && fprintf(file, "%s\n", token) > 0;
    int error = errno;

    if (file && fclose(file) != 0)
        error = errno, good = false;
    else if (!file && fd >= 0)
        close(fd);
    if (good)
        return EXIT_OK;
    fprintf(stderr, "tocsin: %s: %s\n", path, strerror(error));
    if (fd >= 0)
        unlink(path); /* half of one is none */
    return EXIT_FAILED;
}

/* output NULL: the token is printed, too. */
static int make(const char *name, const char *role_name, const char *output)
{
    char token[HTTP_TOKEN_SIZE], hash[65];
    enum http_role role;

    if (!role_name)
        return command_usage_error(COMMAND_token, "--role is missing: read, rules, ingest or admin");
    if (!http_role_named(role_name, strlen(role_name), &role))
        return command_usage_error(COMMAND_token, "%s is no role: read, rules, ingest or admin",
                                   role_name);
    if (!http_token_name_ok(name))
        return command_usage_error(COMMAND_token, "a name has 1 to %d of A-Z a-z 0-9 . _ - @",
                                   (int)HTTP_TOKEN_NAME);
    http_token_make(token, hash);
    if (output && write_token(output, token) != EXIT_OK)
        return EXIT_FAILED;
    if (!output)
        printf("token, for the client; it is not kept anywhere:\n%s\nline for the daemon's tokens file:\n", token);
    printf("%s %s %s\n", name, http_role_name(role), hash);
    return EXIT_OK;
}

int run_token(int argc, char **argv)
{
    const char *word[4], *value, *name = NULL, *role = NULL, *output = NULL;
    struct command_line line;
    enum option_id option;
    int n = 0, used;

    command_line_init(&line, COMMAND_token, argc, argv);
    while ((option = command_line_next(&line, &value)) < OPTION_HELP) {
        if (option == OPTION_token_ROLE)
            role = value;
        else if (option == OPTION_token_NAME)
            name = value;
        else if (option == OPTION_token_OUTPUT)
            output = value;
        else if (n < 4)
            word[n++] = value;
    }
    if (option == OPTION_HELP)
        return EXIT_OK;
    if (option == OPTION_BAD || command_action(COMMAND_token, word, n, &used) == ACTION_BAD)
        return EXIT_USAGE;
    if (n > used)
        return command_usage_error(COMMAND_token, "too many arguments");
    return make(name ? name : role ? role : "token", role, output);
}
