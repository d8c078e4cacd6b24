// SPDX-License-Identifier: Apache-2.0
#include "cli/shown.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/utf8.h"
#include "event/json_doc.h"

/* ---- texts --------------------------------------------------------------------------------------- */

static void add(struct buf *out, const char *text, size_t len, bool lines)
{
    char bytes[4];

    buf_adds(out, "");
    for (size_t i = 0; i < len;) {
        uint32_t cp = utf8_next(text, len, &i); /* of what is no UTF-8: U+FFFD */
        if (lines && (cp == '\n' || cp == '\t')) {
            buf_addc(out, (char)cp);
            continue;
        }
        if (cp == '\n' || cp == '\r' || cp == '\t')
            cp = ' ';
        buf_add(out, bytes, utf8_encode(utf8_is_hidden(cp) ? 0xfffd : cp, bytes));
    }
}

void shown_add(struct buf *out, const char *text, size_t len)
{
    add(out, text, len, false);
}

void shown_adds(struct buf *out, const char *text)
{
    add(out, text, strlen(text), false);
}

void shown_add_lines(struct buf *out, const char *text, size_t len)
{
    add(out, text, len, true);
}

void shown_print_text(const char *text, size_t len)
{
    struct buf b;

    if (!isatty(STDOUT_FILENO)) {
        fwrite(text, 1, len, stdout);
        return;
    }
    buf_init(&b);
    shown_add_lines(&b, text, len);
    fwrite(b.data, 1, b.len, stdout);
    buf_fini(&b);
}

void shown_print_json(const char *text, size_t len)
{
    char bytes[4];
    struct buf b;

    if (!isatty(STDOUT_FILENO)) {
        fwrite(text, 1, len, stdout);
        return;
    }
    buf_init(&b);
    for (size_t i = 0; i < len;) {
        uint32_t cp = utf8_next(text, len, &i);
        if (utf8_is_hidden(cp) && cp != '\n' && cp != '\r' && cp != '\t') /* in a text, or it were no JSON */
            buf_printf(&b, "\\u%04x", (unsigned)cp);
        else
            buf_add(&b, bytes, utf8_encode(cp, bytes));
    }
    fwrite(b.data ? b.data : "", 1, b.len, stdout);
    buf_fini(&b);
}

void shown_add_value(struct buf *out, const struct json_doc *value)
{
    size_t len;
    const char *text = json_doc_text(value, &len);
    struct buf json;

    if (text) {
        shown_add(out, text, len);
        return;
    }
    buf_init(&json);
    json_doc_add(&json, value);
    shown_add(out, json.data, json.len);
    buf_fini(&json);
}

static bool add_part(void *ctx, const char *name, const struct json_doc *value)
{
    struct buf *out = ctx;

    if (out->len > 0)
        buf_adds(out, ", ");
    shown_adds(out, name);
    buf_addc(out, '=');
    shown_add_value(out, value);
    return true;
}

void shown_add_key(struct buf *out, const struct json_doc *key)
{
    struct buf parts;

    if (!key)
        return;
    buf_init(&parts);
    if (json_doc_each(key, add_part, &parts))
        buf_adds(out, parts.len ? parts.data : "");
    else
        shown_add_value(out, key);
    buf_fini(&parts);
}

/* ---- figures ------------------------------------------------------------------------------------- */

void shown_add_time(struct buf *out, const char *time)
{
    const char *dot = strchr(time, '.');
    size_t digits = dot ? strspn(dot + 1, "0123456789") : 0;

    if (digits <= 3) {
        shown_adds(out, time);
        return;
    }
    shown_add(out, time, (size_t)(dot - time) + 4);
    shown_adds(out, dot + 1 + digits);
}

void shown_add_age(struct buf *out, double seconds)
{
    static const struct {
        int64_t size;
        char unit;
    } units[] = {{86400, 'd'}, {3600, 'h'}, {60, 'm'}, {1, 's'}};
    int64_t left;

    if (!(seconds >= 0) || seconds > 9e15) {
        buf_adds(out, seconds < 0 ? "0s" : "?");
        return;
    }
    if (seconds < 10) {
        buf_printf(out, "%.*fs", seconds < 0.1 && seconds > 0 ? 3 : seconds == floor(seconds) ? 0 : 1, seconds);
        return;
    }
    left = (int64_t)(seconds + 0.5);
    for (size_t i = 0; i < 4; i++) {
        if (left < units[i].size)
            continue;
        buf_printf(out, "%" PRId64 "%c", left / units[i].size, units[i].unit);
        if (i == 0 && left >= 10 * units[0].size)
            return;
        left %= units[i].size;
        if (i < 3 && left >= units[i + 1].size)
            buf_printf(out, "%" PRId64 "%c", left / units[i + 1].size, units[i + 1].unit);
        return;
    }
}

void shown_add_bytes(struct buf *out, double n)
{
    static const char *const unit[] = {"", " KiB", " MiB", " GiB", " TiB", " PiB"};
    size_t i = 0;

    for (; n >= 1024 && i < 5; i++)
        n /= 1024;
    buf_printf(out, "%.*f%s", i > 0 && n < 100 ? 1 : 0, n, unit[i]);
}

void shown_add_size(struct buf *out, double n)
{
    shown_add_bytes(out, n);
    if (n < 1024)
        buf_adds(out, n == 1 ? " byte" : " bytes");
}

/* ---- colours ------------------------------------------------------------------------------------- */

/* Is standard output a terminal that shows colours (NO_COLOR)? */
static bool shown_has_colours(void)
{
    const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

    return isatty(STDOUT_FILENO) && !(no && *no) && term && strcmp(term, "dumb") != 0;
}

const char *shown_colour(const char *severity)
{
    static const char *const colour[][2] = {{"critical", "\033[1;31m"}, {"high", "\033[31m"},
                                            {"medium", "\033[33m"},     {"low", "\033[36m"}};

    for (size_t i = 0; shown_has_colours() && i < sizeof colour / sizeof *colour; i++)
        if (strcmp(severity, colour[i][0]) == 0)
            return colour[i][1];
    return "";
}

const char *shown_plain(void)
{
    return shown_has_colours() ? "\033[0m" : "";
}
