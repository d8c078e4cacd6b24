// SPDX-License-Identifier: Apache-2.0
#include "io/web_answer.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/utf8.h"
#include "io/http_date.h"
#include "io/web_url.h"

#define SECOND INT64_C(1000000000)
enum { SHORTEST_HIDDEN = 4, MOST_SAID = 120 };

enum web_outcome web_outcome_of(int status)
{
    if (status >= 200 && status < 300)
        return WEB_DONE;
    if (status == 410)
        return WEB_GONE;
    if (status >= 400 && status < 500 && status != 408 && status != 425 && status != 429)
        return WEB_REFUSED;
    return WEB_AGAIN;
}

/* ---- Retry-After ----------------------------------------------------------------------------- */

static int64_t bounded(int64_t seconds)
{
    if (seconds < 0)
        return 0;
    return seconds < WEB_MOST_RETRY_AFTER / SECOND ? seconds * SECOND : WEB_MOST_RETRY_AFTER;
}

int64_t web_retry_after(const char *text, int64_t now)
{
    size_t len = strlen(text), digits = strspn(text, "0123456789");
    int64_t then, seconds = 0;

    if (len == 0)
        return -1;
    if (digits < len)
        return http_date_read(text, len, now, &then) ? bounded(then - now) : -1;
    for (size_t i = 0; i < len && bounded(seconds) < WEB_MOST_RETRY_AFTER; i++)
        seconds = seconds * 10 + (text[i] - '0');
    return bounded(seconds);
}

/* ---- texts from outside ------------------------------------------------------------------------ */

/* How many bytes at the start of the text are one of the hidden ones, or a cut one; 0: none. */
static size_t hidden_at(const char *text, size_t len, const struct buf *hidden, size_t n)
{
    size_t most = 0;

    for (size_t i = 0; i < n; i++) {
        size_t l = hidden[i].len < len ? hidden[i].len : len;
        if (l >= SHORTEST_HIDDEN && l > most && memcmp(text, hidden[i].data, l) == 0)
            most = l;
    }
    return most;
}

static void hide(struct buf *out, const char *text, size_t len, const struct buf *hidden, size_t n)
{
    for (size_t i = 0; i < len;) {
        size_t skip = hidden_at(text + i, len - i, hidden, n);
        if (skip > 0)
            buf_adds(out, "***");
        else
            buf_addc(out, text[i]);
        i += skip > 0 ? skip : 1;
    }
}

static void make_printable(struct buf *out, const char *text, size_t len)
{
    for (size_t i = 0; i < len;) {
        unsigned char c = (unsigned char)text[i];
        size_t step = c < 0x80 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
        bool good = i + step <= len && utf8_valid(text + i, step, NULL) && c > 0x20 && c != 0x7f;
        if (good)
            buf_add(out, text + i, step);
        else if (out->len > 0 && out->data[out->len - 1] != ' ')
            buf_addc(out, ' ');
        i += good ? step : 1;
    }
}

/* As it came, and again as it is shown: blanks in a row are one by then. */
void web_add_hiding(struct buf *out, const char *text, size_t len, const struct buf *hidden,
                    size_t n)
{
    struct buf raw, shown, again;

    buf_init(&raw);
    buf_init(&shown);
    buf_init(&again);
    hide(&raw, text, len, hidden, n);
    make_printable(&shown, raw.data, raw.len);
    hide(&again, shown.data, shown.len, hidden, n);
    make_printable(out, again.data, again.len); /* a secret that is no text may have cut a character */
    buf_fini(&raw);
    buf_fini(&shown);
    buf_fini(&again);
}

/* Cuts to at most `most` bytes, between characters. */
static void cut(struct buf *b, size_t most)
{
    if (b->len <= most)
        return;
    while (most > 0 && ((unsigned char)b->data[most] & 0xc0) == 0x80)
        most--;
    b->len = most;
    b->data[most] = '\0';
}

/* ---- what it means ------------------------------------------------------------------------------ */

static void say_status(struct buf *out, const struct web_reply *reply, const struct buf *hidden,
                       size_t n)
{
    struct buf where;

    buf_printf(out, "HTTP %d", reply->status);
    if (reply->status < 300 || reply->status >= 400 || reply->location[0] == '\0')
        return;
    buf_init(&where);
    buf_adds(out, ": redirects are not followed; it leads to ");
    web_url_add_shown(&where, reply->location);
    web_add_hiding(out, where.data, where.len, hidden, n);
    buf_fini(&where);
}

void web_answer_fill(struct web_answer *answer, const struct web_reply *reply, int64_t now,
                     const struct buf *hidden, size_t n)
{
    struct buf said, why;

    answer->outcome = reply->whole ? web_outcome_of(reply->status) : WEB_AGAIN;
    answer->status = reply->whole ? reply->status : 0;
    answer->retry_after = reply->whole ? web_retry_after(reply->retry_after, now) : -1;
    answer->took = reply->took;
    answer->why[0] = '\0';
    if (answer->outcome == WEB_DONE)
        return;
    buf_init(&said);
    buf_init(&why);
    if (reply->whole) {
        say_status(&why, reply, hidden, n);
        web_add_hiding(&said, reply->text, reply->text_len, hidden, n);
        cut(&said, MOST_SAID);
        if (said.len > 0)
            buf_printf(&why, ": %s", said.data);
    } else {
        web_add_hiding(&why, reply->failure, strlen(reply->failure), hidden, n);
    }
    buf_adds(&why, "");
    cut(&why, sizeof answer->why - 1);
    memcpy(answer->why, why.data, why.len + 1);
    buf_fini(&said);
    buf_fini(&why);
}
