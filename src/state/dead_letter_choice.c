// SPDX-License-Identifier: Apache-2.0
/* dead_letter - which ones are meant, and what people are told of one. */
#include "state/dead_letter.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "event/time_format.h"

static bool is_text(const char *text, const char *is, size_t len)
{
    return strlen(text) == len && memcmp(text, is, len) == 0;
}

/* "source partition generation offset": the whole of it, or the words it begins with. */
static bool begins_with(const struct dead_letter *letter, const char *origin)
{
    size_t len = strlen(origin);

    return letter->origin_len >= len && memcmp(letter->origin, origin, len) == 0 &&
           (letter->origin_len == len || letter->origin[len] == ' ');
}

bool dead_letter_is_chosen(const struct dead_letter *letter, const struct dead_letter_choice *choice)
{
    if (letter->seq < choice->first || letter->seq > choice->last)
        return false;
    if (choice->sink &&
        !(letter->of_sink && is_text(choice->sink, letter->origin, letter->origin_len)))
        return false;
    if (choice->origin && (letter->of_sink || !begins_with(letter, choice->origin)))
        return false;
    return !choice->reason || memmem(letter->reason, letter->reason_len, choice->reason,
                                     strlen(choice->reason)) != NULL;
}

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

bool dead_letter_choice_parse(struct dead_letter_choice *choice, const char *numbers)
{
    uint64_t *first_out = &choice->first, *last_out = &choice->last;
    const char *end;

    *first_out = 0;
    *last_out = UINT64_MAX;
    if (!numbers || strcmp(numbers, "all") == 0)
        return true;
    if (!parse_number(numbers, first_out, &end))
        return false;
    *last_out = *first_out;
    if (*end != '-')
        return !*end;
    *last_out = UINT64_MAX;
    return !end[1] || (parse_number(end + 1, last_out, &end) && !*end && *last_out >= *first_out);
}

void dead_letter_add_json(struct buf *out, const struct dead_letter *letter)
{
    buf_printf(out, "{\"number\":%" PRIu64 ",\"time\":\"", letter->seq);
    time_add_text(out, letter->time);
    buf_printf(out, "\",\"%s\":", letter->of_sink ? "sink" : "origin");
    buf_add_json_bytes(out, letter->origin, letter->origin_len);
    buf_adds(out, ",\"reason\":");
    buf_add_json_bytes(out, letter->reason, letter->reason_len);
    buf_adds(out, ",\"text\":");
    buf_add_json_bytes(out, letter->text, letter->len);
    buf_addc(out, '}');
}
