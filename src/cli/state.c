// SPDX-License-Identifier: Apache-2.0
/* `tocsin state`: looks into the state directory of a stopped daemon. */
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "cli/command.h"
#include "cli/remote.h"
#include "cli/state_priv.h"
#include "state/modules.h"
#include "state/space.h"

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
    if (!strchr("DRPSTW", *kind_out) || key_len < 6)
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
    case ACTION_state_SINK_ENABLE:
        return state_sink_enable(args);
    case ACTION_state_MODULE_LIST:
        return state_module_list(args);
    case ACTION_state_MODULE_GET:
        return state_module_get(args);
    case ACTION_state_MODULE_DROP:
        return state_module_drop(args);
    default:
        return EXIT_USAGE;
    }
}

/* What must stand behind DIR and does not; NULL: nothing must. */
static const char *what_is_missing(enum action_id action)
{
    switch (action) {
    case ACTION_state_IMPORT:
        return "no savepoint is named";
    case ACTION_state_LETTERS_REPLAY:
    case ACTION_state_LETTERS_DROP:
        return "no dead letters are named: NUMBER, FIRST-LAST or all";
    case ACTION_state_SINK_ENABLE:
        return "no sink is named";
    case ACTION_state_MODULE_GET:
    case ACTION_state_MODULE_DROP:
        return "no module is named";
    default:
        return NULL;
    }
}

/* Has it what it needs, and nothing else? */
static int check_arguments(enum action_id action, const struct state_arguments *args, int n_words)
{
    bool letters = action == ACTION_state_LETTERS_LIST || action == ACTION_state_LETTERS_REPLAY ||
                   action == ACTION_state_LETTERS_DROP;
    const char *missing = what_is_missing(action);

    if (n_words == 0)
        return command_usage_error(COMMAND_state, "no state directory is named");
    if (missing && n_words == 1)
        return command_usage_error(COMMAND_state, "%s", missing);
    if (n_words > (missing || letters ? 2 : 1))
        return command_usage_error(COMMAND_state, "too many arguments");
    if ((args->sink || args->reason) && !letters)
        return command_usage_error(COMMAND_state, "--sink and --reason are for `dead-letters`");
    if (args->rule && action != ACTION_state_INSPECT)
        return command_usage_error(COMMAND_state, "--rule is for `inspect`");
    if (args->key && !args->rule)
        return command_usage_error(COMMAND_state, "--key needs --rule");
    if (args->output && action != ACTION_state_EXPORT)
        return command_usage_error(COMMAND_state, "--output is for `export`");
    return EXIT_OK;
}

static int run_offline(const struct remote *r, enum action_id action)
{
    struct state_arguments args = {.rule = r->option[OPTION_state_RULE],
                                   .key = r->option[OPTION_state_KEY],
                                   .output = r->option[OPTION_state_OUTPUT],
                                   .sink = r->option[OPTION_state_SINK],
                                   .reason = r->option[OPTION_state_REASON]};

    for (int i = 0; i < OPTION_COUNT; i++)
        if (r->option[i] && (options[i].command == COMMAND_remote || i == OPTION_state_LIMIT || i == OPTION_state_FROM))
            return command_usage_error(COMMAND_state, "--%s is for `show`, which asks a daemon; `%s` works on a directory",
                                       options[i].name, actions[action].name);
    args.dir = r->n_words > 0 ? r->word[0] : NULL;
    args.more = r->n_words > 1 ? r->word[1] : NULL;
    int code = check_arguments(action, &args, r->n_words);
    return code == EXIT_OK ? act(action, &args) : code;
}

int run_state(int argc, char **argv)
{
    enum action_id action;
    struct remote r;
    int code = remote_read(&r, COMMAND_state, argc, argv, &action);

    if (action < ACTION_COUNT)
        code = actions[action].ask ? remote_ask(&r) : run_offline(&r, action);
    else if (code == EXIT_USAGE && r.words[0])
        fputs("what a rule of a daemon that runs keeps: `tocsin state show RULE`\n", stderr);
    remote_fini(&r);
    return code;
}
