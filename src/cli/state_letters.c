// SPDX-License-Identifier: Apache-2.0
/* `tocsin state dead-letters`: list, replay, drop. */
#include <inttypes.h>
#include <stdio.h>

#include "base/buf.h"
#include "cli/command.h"
#include "cli/state_priv.h"
#include "state/checkpoint.h"
#include "state/dead_letter.h"
#include "state/space.h"

#define TIMEOUT INT64_C(60000000000) /* ns, of one change */

static int bad_range(const char *text)
{
    return command_usage_error(COMMAND_state, "`%s` names no dead letters: NUMBER, FIRST-LAST or all",
                               text);
}

/* ---- list ------------------------------------------------------------------------------------ */

struct listing {
    struct dead_letter_choice choice;
    struct buf line;
    uint64_t n;
};

/* Nothing was found. That is wrong where a last number was named, or a sink that nobody knows. */
static int judge_none(struct store *st, const struct state_arguments *args, uint64_t last)
{
    int code = EXIT_OK;
    bool found = true;
    struct buf b, why;

    buf_init(&b);
    buf_init(&why);
    if (args->sink) {
        buf_addc(&b, SPACE_SINK);
        buf_adds(&b, args->sink);
        if (store_get(st, b.data, b.len, &found, &why, &why) != STORE_OK)
            code = state_fail(why.data);
    }
    buf_clear(&b);
    if (!found)
        buf_printf(&b, "there is no sink `%s`", args->sink);
    else if (last != UINT64_MAX)
        buf_printf(&b, "there is no such dead letter: %s", args->more);
    if (code == EXIT_OK && b.len > 0)
        code = state_fail(b.data);
    buf_fini(&why);
    buf_fini(&b);
    return code;
}

static bool found_letter(void *ctx, const struct dead_letter *letter, size_t value_len)
{
    struct listing *listing = ctx;
    struct buf *b = &listing->line;

    (void)value_len;
    if (!dead_letter_is_chosen(letter, &listing->choice))
        return letter->seq <= listing->choice.last;
    buf_clear(b);
    dead_letter_add_json(b, letter);
    buf_addc(b, '\n');
    listing->n++;
    return fwrite(b->data, 1, b->len, stdout) == b->len;
}

int state_letters_list(const struct state_arguments *args)
{
    struct database_meta meta;
    struct listing listing = {.choice = {.sink = args->sink, .reason = args->reason}};
    struct buf why;
    int code = EXIT_OK;

    if (!dead_letter_choice_parse(&listing.choice, args->more))
        return bad_range(args->more);
    struct store *st = state_open(args->dir, &meta);
    if (!st)
        return EXIT_FAILED;
    buf_init(&why);
    buf_init(&listing.line);
    if (dead_letter_list(st, listing.choice.first, found_letter, &listing, &why) != STORE_OK)
        code = state_fail(why.data);
    else if (listing.n == 0)
        code = judge_none(st, args, listing.choice.last);
    buf_fini(&listing.line);
    buf_fini(&why);
    store_free(&st);
    return code;
}

/* ---- replay, drop ---------------------------------------------------------------------------- */

static void tell_change(const struct dead_letter_change *did, bool replay)
{
    printf("%" PRIu64 " %s\n", did->removed, replay ? "will be sent again" : "removed");
    if (did->left_no_sink > 0)
        printf("%" PRIu64 " left: they are of no sink\n", did->left_no_sink);
    if (did->left_not_configured > 0)
        printf("%" PRIu64 " left: their sink has no queue here\n", did->left_not_configured);
}

static int change(const struct state_arguments *args, bool replay)
{
    /* their bounds are the daemon's business */
    struct checkpoint_options opt = {.dir = args->dir, .dead_letter_bytes = UINT64_MAX,
                                     .dead_letter_count = UINT64_MAX};
    struct dead_letter_choice choice = {.sink = args->sink, .reason = args->reason};
    struct dead_letter_change did;
    struct buf why;
    int code = EXIT_OK;

    if (!dead_letter_choice_parse(&choice, args->more))
        return bad_range(args->more);
    buf_init(&why);
    struct checkpoint *cp = checkpoint_open(&opt, &why);
    if (!cp) {
        code = state_fail(why.data);
    } else {
        checkpoint_start(cp);
        if (!checkpoint_change_dead_letters(cp, &choice, replay, TIMEOUT, &did, &why))
            code = state_fail(why.data);
        else if (did.removed + did.left == 0)
            code = judge_none(checkpoint_store(cp), args, choice.last);
        if (code == EXIT_OK)
            tell_change(&did, replay);
        checkpoint_free(&cp);
    }
    buf_fini(&why);
    return code;
}

int state_letters_replay(const struct state_arguments *args)
{
    return change(args, true);
}

int state_letters_drop(const struct state_arguments *args)
{
    return change(args, false);
}
