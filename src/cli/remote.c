// SPDX-License-Identifier: Apache-2.0
/* The command line of what asks a daemon: words, options, where it is, the token. */
#include "cli/remote.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "cli/shown.h"
#include "lang/parse.h"

#define DEFAULT_URL "http://127.0.0.1:7070"
#define SECOND INT64_C(1000000000)
#define DEFAULT_TIMEOUT (60 * SECOND)
#define MOST_TIMEOUT (86400 * SECOND)
enum { LONGEST_TOKEN = 4096, DEFAULT_ANSWER = 64 << 20 };

#define COMMAND(id, name, synopsis, summary, about)
#define REMOTE(id, name, synopsis, summary, about) \
    int run_##id(int argc, char **argv)            \
    {                                              \
        enum action_id action;                     \
        struct remote r;                           \
        int code = remote_read(&r, COMMAND_##id, argc, argv, &action); \
                                                   \
        if (action < ACTION_COUNT)                 \
            code = remote_ask(&r);                 \
        remote_fini(&r);                           \
        return code;                               \
    }
#include "cli/command.def"
#undef COMMAND
#undef REMOTE

int remote_read(struct remote *r, enum command_id command, int argc, char **argv, enum action_id *action_out)
{
    struct command_line line;
    enum option_id option;
    const char *value;
    int n = 0, used = 0;

    *r = (struct remote){.command = command};
    *action_out = ACTION_BAD;
    r->words = mem_calloc((size_t)argc + 1, sizeof *r->words);
    command_line_init(&line, command, argc, argv);
    while ((option = command_line_next(&line, &value)) < OPTION_HELP) {
        if (option < OPTION_COUNT)
            r->option[option] = options[option].argument ? value : "";
        else
            r->words[n++] = value;
    }
    if (option != OPTION_END)
        return option == OPTION_HELP ? EXIT_OK : EXIT_USAGE;
    *action_out = r->action = command_action(command, r->words, n, &used);
    if (r->action == ACTION_BAD)
        return EXIT_USAGE;
    r->word = r->words + used;
    r->n_words = n - used;
    r->json = r->option[OPTION_remote_JSON] != NULL;
    return EXIT_OK;
}

void remote_fini(struct remote *r)
{
    http_client_free(&r->client);
    mem_free(r->words);
    mem_free(r->token);
}

/* ---- options ------------------------------------------------------------------------------------- */

const char *remote_option(const struct remote *r, const char *name)
{
    for (int i = 0; i < OPTION_COUNT; i++)
        if (option_is_of((enum option_id)i, r->command) && strcmp(options[i].name, name) == 0)
            return r->option[i];
    return NULL;
}

bool remote_words(const struct remote *r, int least, int most, const char *missing)
{
    if (r->n_words < least)
        command_usage_error(r->command, "%s", missing);
    else if (most >= 0 && r->n_words > most)
        command_usage_error(r->command, "too many arguments: `%s`", r->word[most]);
    else
        return true;
    return false;
}

/* `--name` as a whole word of the synopsis. */
static bool synopsis_has(const char *synopsis, const char *name)
{
    size_t len = strlen(name);

    for (const char *at = strstr(synopsis, "--"); at; at = strstr(at + 2, "--"))
        if (strncmp(at + 2, name, len) == 0 && strchr(" ]", at[2 + len]))
            return true;
    return false;
}

static bool check_options(const struct remote *r)
{
    const struct action *action = &actions[r->action];

    for (int i = 0; i < OPTION_COUNT; i++)
        if (r->option[i] && options[i].command == r->command && !synopsis_has(action->synopsis, options[i].name)) {
            command_usage_error(r->command, "--%s is not for `%s%s%s`", options[i].name, commands[r->command].name,
                                action->name[0] ? " " : "", action->name);
            return false;
        }
    return true;
}

bool remote_duration(const struct remote *r, const char *name, int64_t otherwise, int64_t *ns_out)
{
    const char *text = remote_option(r, name);

    *ns_out = otherwise;
    if (!text || (parse_duration(text, ns_out) && *ns_out > 0))
        return true;
    command_usage_error(r->command, "--%s %s: not a duration like 30s or 5m", name, text);
    return false;
}

bool remote_size(const struct remote *r, const char *name, uint64_t *size_out)
{
    const char *text = remote_option(r, name);

    *size_out = DEFAULT_ANSWER;
    if (!text || (parse_size(text, size_out) && *size_out > 0))
        return true;
    command_usage_error(r->command, "--%s %s: not a size like 64MiB", name, text);
    return false;
}

bool remote_number(const struct remote *r, const char *name, uint64_t otherwise, uint64_t *n_out)
{
    const char *text = remote_option(r, name);
    char *end = NULL;

    *n_out = otherwise;
    if (!text)
        return true;
    errno = 0;
    *n_out = strtoull(text, &end, 10);
    if (*text >= '0' && *text <= '9' && !*end && errno == 0)
        return true;
    command_usage_error(r->command, "--%s %s: not a number", name, text);
    return false;
}

/* ---- where it is, and the token ------------------------------------------------------------------ */

static const char *from_environment(const char *name)
{
    const char *value = getenv(name);

    return value && *value ? value : NULL;
}

/* The first line of a file; NULL: a message was printed. */
static char *read_token(const char *path)
{
    char line[LONGEST_TOKEN];
    FILE *file = fopen(path, "re");
    bool ok = file && fgets(line, sizeof line, file);

    if (!ok)
        remote_fail(EXIT_USAGE, "%s: %s", path, file ? "there is no token in it" : strerror(errno));
    if (file)
        fclose(file);
    if (!ok)
        return NULL;
    line[strcspn(line, " \t\r\n")] = '\0';
    return mem_strndup(line, strlen(line));
}

static bool find_token(struct remote *r)
{
    const char *path = r->option[OPTION_remote_TOKEN_FILE], *token = from_environment("TOCSIN_TOKEN");

    if (!path && token) {
        r->token = mem_strndup(token, strlen(token));
        return true;
    }
    if (!path)
        path = from_environment("TOCSIN_TOKEN_FILE");
    r->token = path ? read_token(path) : NULL;
    return !path || r->token;
}

static int connect_to(struct remote *r)
{
    const char *url = r->option[OPTION_remote_URL], *ca = r->option[OPTION_remote_CA];
    struct http_client_settings s = {.plain_token = r->option[OPTION_remote_PLAIN_TOKEN] != NULL};
    uint64_t most;
    struct buf why;

    if (!remote_size(r, "max-answer", &most) || !remote_duration(r, "timeout", DEFAULT_TIMEOUT, &s.timeout) || !find_token(r))
        return EXIT_USAGE;
    if (s.timeout > MOST_TIMEOUT)
        s.timeout = MOST_TIMEOUT;
    url = url ? url : from_environment("TOCSIN_URL");
    s.url = url ? url : DEFAULT_URL;
    s.ca = ca ? ca : from_environment("TOCSIN_CA");
    s.token = r->token;
    s.max_answer = (size_t)most;
    buf_init(&why);
    r->client = http_client_new(&s, &why);
    int code = r->client ? EXIT_OK : remote_fail(EXIT_USAGE, "%s", why.data);
    buf_fini(&why);
    return code;
}

int remote_ask(struct remote *r)
{
    int code = check_options(r) ? connect_to(r) : EXIT_USAGE;

    return code == EXIT_OK ? actions[r->action].ask(r) : code;
}

int remote_fail(int code, const char *fmt, ...)
{
    struct buf text, safe;
    va_list args;

    buf_init(&text);
    buf_init(&safe);
    va_start(args, fmt);
    buf_vprintf(&text, fmt, args);
    va_end(args);
    shown_add(&safe, text.data, text.len);
    fprintf(stderr, "tocsin: %s\n", safe.data);
    buf_fini(&text);
    buf_fini(&safe);
    return code;
}
