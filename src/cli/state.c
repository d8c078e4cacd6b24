// SPDX-License-Identifier: Apache-2.0
/* `tocsin state`: looks into the state directory of a stopped daemon. */
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "cli/command.h"
#include "cli/state_priv.h"
#include "state/modules.h"
#include "state/space.h"

enum { MAX_WORDS = 8 };

int state_fail(const char *message)
{
    fprintf(stderr, "tocsin: %s\n", message);
    return EXIT_FAILED;
}

struct store *state_open(const char *dir, struct database_meta *meta_out)
{
    struct store_options opt = {.read_only = true};
    struct buf why;

    buf_init(&why);
    struct store *st = database_open(dir, &opt, meta_out, &why);
    if (!st)
        state_fail(why.data);
    buf_fini(&why);
    return st;
}

struct finding {
    struct modules *mods;
    bool damaged;
};

static bool found_modules(void *ctx, const void *key, size_t key_len, const void *value, size_t len)
{
    struct finding *finding = ctx;

    (void)key, (void)key_len;
    modules_fini(finding->mods);
    finding->damaged = !modules_decode(value, len, finding->mods);
    return false;
}

bool state_modules(struct store *st, struct modules *mods_out, struct buf *why)
{
    static const uint8_t space = SPACE_MODULES;
    struct finding finding = {mods_out, false};

    modules_init(mods_out);
    return store_read(st, &space, 1, found_modules, &finding, why) == STORE_OK && !finding.damaged;
}

bool state_engine_key(const void *key, size_t key_len, char *kind_out, uint32_t *incarnation_out)
{
    const uint8_t *bytes = key;

    *incarnation_out = 0;
    if (key_len < 2)
        return false;
    *kind_out = (char)bytes[1];
    if (*kind_out == 'X')
        return true;
    if (!strchr("RPSTW", *kind_out) || key_len < 6)
        return false;
    *incarnation_out = key_get_u32(bytes + 2);
    return true;
}

/* ---- command line ---------------------------------------------------------------------------- */

static int act(enum action_id action, const struct state_arguments *args)
{
    switch (action) {
    case ACTION_state_INSPECT:
        return state_inspect(args);
    case ACTION_state_VERIFY:
        return state_verify(args);
    case ACTION_state_EXPORT:
        return state_export(args);
    case ACTION_state_IMPORT:
        return state_import(args);
    case ACTION_state_LETTERS_LIST:
        return state_letters_list(args);
    case ACTION_state_LETTERS_REPLAY:
        return state_letters_replay(args);
    case ACTION_state_LETTERS_DROP:
        return state_letters_drop(args);
    default:
        return EXIT_USAGE;
    }
}

/* Has it what it needs, and nothing else? */
static int check_arguments(enum action_id action, const struct state_arguments *args, int n_words)
{
    bool more = action == ACTION_state_IMPORT || action == ACTION_state_LETTERS_REPLAY ||
                action == ACTION_state_LETTERS_DROP;
    bool may = more || action == ACTION_state_LETTERS_LIST;

    if (n_words == 0)
        return command_usage_error(COMMAND_state, "no state directory is named");
    if (more && n_words == 1)
        return command_usage_error(COMMAND_state, action == ACTION_state_IMPORT
                                                      ? "no savepoint is named"
                                                      : "no dead letters are named: NUMBER, "
                                                        "FIRST-LAST or all");
    if (n_words > (may ? 2 : 1))
        return command_usage_error(COMMAND_state, "too many arguments");
    if (args->rule && action != ACTION_state_INSPECT)
        return command_usage_error(COMMAND_state, "--rule is for `inspect'");
    if (args->key && !args->rule)
        return command_usage_error(COMMAND_state, "--key needs --rule");
    if (args->output && action != ACTION_state_EXPORT)
        return command_usage_error(COMMAND_state, "--output is for `export'");
    return EXIT_OK;
}

int run_state(int argc, char **argv)
{
    struct state_arguments args = {0};
    struct command_line line;
    const char *word[MAX_WORDS], *value;
    enum option_id option;
    int n = 0, used;

    command_line_init(&line, COMMAND_state, argc, argv);
    while ((option = command_line_next(&line, &value)) < OPTION_HELP) {
        if (option == OPTION_state_RULE)
            args.rule = value;
        else if (option == OPTION_state_KEY)
            args.key = value;
        else if (option == OPTION_state_OUTPUT)
            args.output = value;
        else if (n < MAX_WORDS)
            word[n++] = value;
    }
    if (option != OPTION_END)
        return option == OPTION_HELP ? EXIT_OK : EXIT_USAGE;
    enum action_id action = command_action(COMMAND_state, word, n, &used);
    if (action == ACTION_BAD)
        return EXIT_USAGE;
    args.dir = used < n ? word[used] : NULL;
    args.more = used + 1 < n ? word[used + 1] : NULL;
    int code = check_arguments(action, &args, n - used);
    return code == EXIT_OK ? act(action, &args) : code;
}
