// SPDX-License-Identifier: Apache-2.0
/* `tocsin state dead-letters`: list, replay, drop. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "cli/command.h"
#include "cli/state_priv.h"
#include "event/time_format.h"
#include "state/checkpoint.h"
#include "state/dead_letter.h"

#define TIMEOUT INT64_C(60000000000) /* ns, of one change */

/* A number; *end_out is what comes behind it. */
static bool parse_number(const char *text, uint64_t *number_out, const char **end_out)
{
    char *end;

    if (*text < '0' || *text > '9')
        return false;
    errno = 0;
    *number_out = strtoull(text, &end, 10);
    *end_out = end;
    return errno == 0;
}

/* "all", "17", "17-20", "17-". */
static bool parse_range(const char *text, uint64_t *first_out, uint64_t *last_out)
{
    const char *end;

    *first_out = 0;
    *last_out = UINT64_MAX;
    if (!text || strcmp(text, "all") == 0)
        return true;
    if (!parse_number(text, first_out, &end))
        return false;
    *last_out = *first_out;
    if (*end != '-')
        return !*end;
    *last_out = UINT64_MAX;
    return !end[1] || (parse_number(end + 1, last_out, &end) && !*end && *last_out >= *first_out);
}

static int bad_range(const char *text)
{
    return command_usage_error(COMMAND_state, "`%s' names no dead letters: NUMBER, FIRST-LAST or all",
                               text);
}

/* ---- list ------------------------------------------------------------------------------------ */

struct listing {
    uint64_t last;
    struct buf line;
};

static bool found_letter(void *ctx, const struct dead_letter *letter, size_t value_len)
{
    struct listing *listing = ctx;
    struct buf *b = &listing->line;

    (void)value_len;
    if (letter->seq > listing->last)
        return false;
    buf_clear(b);
    buf_printf(b, "{\"number\":%" PRIu64 ",\"time\":\"", letter->seq);
    time_add_text(b, letter->time);
    buf_printf(b, "\",\"%s\":", letter->of_sink ? "sink" : "origin");
    buf_add_json_text(b, letter->origin, letter->origin_len);
    buf_adds(b, ",\"reason\":");
    buf_add_json_text(b, letter->reason, letter->reason_len);
    buf_adds(b, ",\"text\":");
    buf_add_json_text(b, letter->text, letter->len);
    buf_adds(b, "}\n");
    return fwrite(b->data, 1, b->len, stdout) == b->len;
}

int state_letters_list(const struct state_arguments *args)
{
    struct database_meta meta;
    struct listing listing;
    uint64_t first;
    struct buf why;
    int code = EXIT_OK;

    if (!parse_range(args->more, &first, &listing.last))
        return bad_range(args->more);
    struct store *st = state_open(args->dir, &meta);
    if (!st)
        return EXIT_FAILED;
    buf_init(&why);
    buf_init(&listing.line);
    if (dead_letter_list(st, first, found_letter, &listing, &why) != STORE_OK)
        code = state_fail(why.data);
    buf_fini(&listing.line);
    buf_fini(&why);
    store_free(&st);
    return code;
}

/* ---- replay, drop ---------------------------------------------------------------------------- */

static int change(const struct state_arguments *args, bool replay)
{
    /* their bounds are the daemon's business */
    struct checkpoint_options opt = {.dir = args->dir, .dead_letter_bytes = UINT64_MAX,
                                     .dead_letter_count = UINT64_MAX};
    struct dead_letter_change did;
    uint64_t first, last;
    struct buf why;

    if (!parse_range(args->more, &first, &last))
        return bad_range(args->more);
    buf_init(&why);
    struct checkpoint *cp = checkpoint_open(&opt, &why);
    bool ok = cp != NULL;
    if (cp) {
        checkpoint_start(cp);
        ok = checkpoint_change_dead_letters(cp, first, last, replay, TIMEOUT, &did, &why);
        checkpoint_free(&cp);
    }
    if (ok) {
        printf("%" PRIu64 " %s\n", did.removed, replay ? "will be sent again" : "removed");
        if (did.left > 0)
            printf("%" PRIu64 " left: they are of no sink\n", did.left);
    } else {
        state_fail(why.data);
    }
    buf_fini(&why);
    return ok ? EXIT_OK : EXIT_FAILED;
}

int state_letters_replay(const struct state_arguments *args)
{
    return change(args, true);
}

int state_letters_drop(const struct state_arguments *args)
{
    return change(args, false);
}
