// SPDX-License-Identifier: Apache-2.0
/* explain_report - see explain_report.h. */
#include "explain/explain_report.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "event/value.h"
#include "plan/code.h"

enum { WIDTH = 98, LINE_INDENT = 4, MORE_INDENT = 6 };

void report_init(struct report *r, const struct program *prog, struct buf *out, bool json)
{
    *r = (struct report){.out = out, .prog = prog, .json = json};
}

static void value_begins(struct report *r, const char *key)
{
    if (r->follows[r->depth])
        buf_addc(r->out, ',');
    r->follows[r->depth] = true;
    if (key) {
        buf_add_json_text(r->out, key, strlen(key));
        buf_addc(r->out, ':');
    }
}

void report_begin(struct report *r, const char *key, const char *title, char bracket)
{
    if (!r->json) {
        if (title)
            buf_printf(r->out, "  %s\n", title);
        return;
    }
    value_begins(r, key);
    buf_addc(r->out, bracket);
    r->depth++;
    r->close[r->depth] = bracket == '[' ? ']' : '}';
    r->follows[r->depth] = false;
}

void report_end(struct report *r)
{
    if (r->json)
        buf_addc(r->out, r->close[r->depth--]);
}

/* ---- lines ----------------------------------------------------------------------------------- */

/* Words, lines at most WIDTH long; the further ones further in. What stands in quotes may be cut too. */
static void wrap(struct buf *out, const char *text)
{
    size_t column = 0, indent = LINE_INDENT;

    while (*text) {
        size_t len = strcspn(text, " ");

        if (column > 0 && column + 1 + len > WIDTH) {
            buf_addc(out, '\n');
            column = 0;
            indent = MORE_INDENT;
        }
        if (column == 0)
            buf_printf(out, "%*s", (int)indent, "");
        else
            buf_addc(out, ' ');
        buf_add(out, text, len);
        column = column == 0 ? indent + len : column + 1 + len;
        text += len + (text[len] != '\0');
    }
    buf_addc(out, '\n');
}

static void put_line(struct report *r, const char *fmt, va_list args)
{
    struct buf text;

    buf_init(&text);
    buf_vprintf(&text, fmt, args);
    if (r->json) {
        value_begins(r, NULL);
        buf_add_json_text(r->out, text.data, text.len);
    } else {
        wrap(r->out, text.data);
    }
    buf_fini(&text);
}

void report_line(struct report *r, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    put_line(r, fmt, args);
    va_end(args);
}

void report_say(struct report *r, const char *fmt, ...)
{
    va_list args;

    if (r->json)
        return;
    va_start(args, fmt);
    put_line(r, fmt, args);
    va_end(args);
}

/* ---- fields ----------------------------------------------------------------------------------- */

void report_field(struct report *r, const char *key, const char *fmt, ...)
{
    struct buf text;
    va_list args;

    if (!r->json)
        return;
    buf_init(&text);
    buf_adds(&text, ""); /* never NULL */
    va_start(args, fmt);
    buf_vprintf(&text, fmt, args);
    va_end(args);
    value_begins(r, key);
    buf_add_json_text(r->out, text.data, text.len);
    buf_fini(&text);
}

void report_number(struct report *r, const char *key, uint64_t n)
{
    if (!r->json)
        return;
    value_begins(r, key);
    buf_printf(r->out, "%" PRIu64, n);
}

void report_flag(struct report *r, const char *key, bool flag)
{
    if (!r->json)
        return;
    value_begins(r, key);
    buf_adds(r->out, flag ? "true" : "false");
}

void report_code(struct report *r, const char *key, const struct code *code)
{
    struct buf text;

    buf_init(&text);
    code_print(&text, r->prog, code);
    report_begin(r, key, NULL, '[');
    for (const char *at = text.data; at && *at;) {
        size_t len = strcspn(at, "\n");

        if (r->json)
            report_line(r, "%.*s", (int)len, at);
        else
            buf_printf(r->out, "    %.*s\n", (int)len, at);
        at += len + (at[len] == '\n');
    }
    report_end(r);
    buf_fini(&text);
}

/* ---- numbers ---------------------------------------------------------------------------------- */

void report_add_duration(struct buf *out, int64_t ns)
{
    value_add_text(out, value_duration(ns));
}

void report_add_count(struct buf *out, uint64_t n)
{
    char digits[24];
    int len = snprintf(digits, sizeof digits, "%" PRIu64, n);

    for (int i = 0; i < len; i++) {
        if (i > 0 && (len - i) % 3 == 0)
            buf_addc(out, ',');
        buf_addc(out, digits[i]);
    }
}

void report_add_bytes(struct buf *out, uint64_t n)
{
    static const char *const units[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double scaled = (double)n / 1024;
    size_t unit = 0;

    if (n < 10000) {
        report_add_count(out, n);
        buf_adds(out, n == 1 ? " byte" : " bytes");
        return;
    }
    for (; scaled >= 1024 && unit < 5; unit++)
        scaled /= 1024;
    if (scaled >= 100 || scaled == (double)(uint64_t)scaled)
        buf_printf(out, "%.0f %s", scaled, units[unit]);
    else
        buf_printf(out, "%.1f %s", scaled, units[unit]);
}
