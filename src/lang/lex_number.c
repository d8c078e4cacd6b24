// SPDX-License-Identifier: Apache-2.0
/*
 * What begins with a digit: whole numbers, decimals, durations, sizes, dates and times.
 *
 * Durations and sizes are exact: `1.5h` is 5,400,000,000,000 ns; what is finer than a nanosecond
 * or a byte is an error, not rounded.
 */
#include "lang/lex.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/diag.h"
#include "event/time_format.h"

struct unit {
    const char *text;
    int64_t n;
};

static const struct unit durations[] = { /* from large to small */
    {"w", INT64_C(604800000000000)}, {"d", INT64_C(86400000000000)}, {"h", INT64_C(3600000000000)},
    {"m", INT64_C(60000000000)}, {"s", 1000000000}, {"ms", 1000000}, {"us", 1000}, {"ns", 1}, {NULL, 0},
};

static const struct unit sizes[] = {
    {"TiB", INT64_C(1) << 40}, {"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10},
    {"TB", INT64_C(1000000000000)}, {"GB", 1000000000}, {"MB", 1000000}, {"KB", 1000}, {"B", 1}, {NULL, 0},
};

/* What people write instead, for the hint. */
static const struct {
    const char *wrong, *right;
} other_units[] = {
    {"sec", "s"}, {"secs", "s"}, {"second", "s"}, {"seconds", "s"}, {"S", "s"},
    {"min", "m"}, {"mins", "m"}, {"minute", "m"}, {"minutes", "m"},
    {"hr", "h"}, {"hrs", "h"}, {"hour", "h"}, {"hours", "h"}, {"H", "h"},
    {"day", "d"}, {"days", "d"}, {"D", "d"}, {"week", "w"}, {"weeks", "w"}, {"W", "w"},
    {"msec", "ms"}, {"msecs", "ms"}, {"millis", "ms"}, {"usec", "us"}, {"micros", "us"},
    {"nsec", "ns"}, {"nanos", "ns"}, {"b", "B"}, {"bytes", "B"},
    {"k", "KiB"}, {"K", "KiB"}, {"kb", "KB"}, {"kB", "KB"}, {"Kb", "KB"}, {"kib", "KiB"}, {"kiB", "KiB"},
    {"M", "MiB"}, {"mb", "MB"}, {"Mb", "MB"}, {"mib", "MiB"}, {"g", "GiB"}, {"G", "GiB"},
    {"gb", "GB"}, {"Gb", "GB"}, {"gib", "GiB"}, {"t", "TiB"}, {"T", "TiB"}, {"tb", "TB"}, {"tib", "TiB"},
};

static bool digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '@';
}

/* "12" or "1.5" at *at: the number times unit, exactly. The unit is found by the caller in
 * between, so this reads the digits (scan) and then multiplies (scaled). */
struct decimal {
    uint64_t whole;    /* digits before the point */
    uint64_t fraction; /* digits behind it, */
    uint64_t scale;    /* over this power of ten */
    bool good;         /* fits */
};

static struct decimal scan(const char *text, size_t len, size_t *at)
{
    struct decimal d = {.scale = 1, .good = true};

    for (; *at < len && digit(text[*at]); ++*at) {
        if (d.whole > UINT64_MAX / 10 - 1)
            d.good = false;
        else
            d.whole = d.whole * 10 + (uint64_t)(text[*at] - '0');
    }
    if (*at + 1 >= len || text[*at] != '.' || !digit(text[*at + 1]))
        return d;
    for (++*at; *at < len && digit(text[*at]); ++*at) {
        if (d.scale >= UINT64_C(1000000000000000000)) {
            d.good = d.good && text[*at] == '0';
        } else {
            d.fraction = d.fraction * 10 + (uint64_t)(text[*at] - '0');
            d.scale *= 10;
        }
    }
    return d;
}

enum scaled { SCALED, TOO_LARGE, TOO_FINE };

static enum scaled scaled(struct decimal d, int64_t unit, int64_t *sum)
{
    __extension__ typedef unsigned __int128 wide;
    wide part = (wide)d.fraction * (uint64_t)unit;
    wide total = (wide)d.whole * (uint64_t)unit + part / d.scale + (uint64_t)*sum;

    if (part % d.scale != 0)
        return TOO_FINE;
    if (!d.good || total > (wide)INT64_MAX)
        return TOO_LARGE;
    *sum = (int64_t)total;
    return SCALED;
}

static size_t letters(const char *text, size_t len, size_t at)
{
    size_t n = 0;

    while (at + n < len && letter(text[at + n]))
        n++;
    return n;
}

static const struct unit *unit_named(const struct unit *all, const char *text, size_t len)
{
    for (const struct unit *u = all; u->text; u++)
        if (strlen(u->text) == len && memcmp(u->text, text, len) == 0)
            return u;
    return NULL;
}

enum compound { COMPOUND_GOOD, COMPOUND_LARGE, COMPOUND_FINE, COMPOUND_ORDER, COMPOUND_NO };

/* "1h30m": each unit once, from large to small. */
static enum compound read_duration(const char *text, size_t len, int64_t *ns_out)
{
    const struct unit *last = NULL;
    enum compound result = COMPOUND_GOOD;

    *ns_out = 0;
    if (len == 0)
        return COMPOUND_NO;
    for (size_t at = 0; at < len;) {
        struct decimal d;
        const struct unit *unit;
        size_t n;
        enum scaled fit;

        if (!digit(text[at]))
            return COMPOUND_NO;
        d = scan(text, len, &at);
        n = letters(text, len, at);
        unit = unit_named(durations, text + at, n);
        if (!unit)
            return COMPOUND_NO;
        if (last && unit <= last)
            result = COMPOUND_ORDER;
        last = unit;
        at += n;
        fit = scaled(d, unit->n, ns_out);
        if (fit != SCALED)
            result = fit == TOO_FINE ? COMPOUND_FINE : COMPOUND_LARGE;
    }
    return result;
}

bool parse_duration(const char *text, int64_t *ns_out)
{
    return read_duration(text, strlen(text), ns_out) == COMPOUND_GOOD;
}

static void duration_mistake(struct lex *lex, struct span span, enum compound found)
{
    if (found == COMPOUND_LARGE) {
        diag_add(lex->diag, DIAG_ERROR, span, "the duration is too long: it has at most 106751 days");
    } else if (found == COMPOUND_FINE) {
        diag_add(lex->diag, DIAG_ERROR, span, "the duration is finer than a nanosecond");
    } else if (found == COMPOUND_ORDER) {
        diag_add(lex->diag, DIAG_ERROR, span, "a duration's units stand from large to small, each once");
        diag_hint(lex->diag, "such as `1h30m`");
    }
}

static struct ast_expr *duration(struct lex *lex, struct span span, int64_t ns)
{
    return ast_literal(lex->arena, span, value_duration(ns), AST_FORM_PLAIN);
}

/* "64KiB"; false if it is none. */
static bool read_size(struct lex *lex, struct span span, struct ast_expr **expr_out)
{
    const char *text = lex->text + span.start;
    size_t len = span.end - span.start, at = 0;
    struct decimal d = scan(text, len, &at);
    const struct unit *unit = unit_named(sizes, text + at, len - at);
    int64_t bytes = 0;
    enum scaled fit;

    if (!unit)
        return false;
    fit = scaled(d, unit->n, &bytes);
    if (fit == TOO_FINE)
        diag_add(lex->diag, DIAG_ERROR, span, "the size is not a whole number of bytes");
    else if (fit == TOO_LARGE)
        diag_add(lex->diag, DIAG_ERROR, span, "the size is too large");
    *expr_out = ast_literal(lex->arena, span, value_int(bytes), AST_FORM_SIZE);
    return true;
}

const char *lex_unit_meant(const char *text, size_t len)
{
    const struct unit *unit = unit_named(durations, text, len);

    for (size_t i = 0; !unit && i < sizeof other_units / sizeof *other_units; i++)
        if (strlen(other_units[i].wrong) == len && memcmp(other_units[i].wrong, text, len) == 0)
            unit = unit_named(durations, other_units[i].right, strlen(other_units[i].right));
    return unit ? unit->text : NULL;
}

/* 5min, 10.0.0.1, 0x1f, 1_000. */
static enum lex_number no_number(struct lex *lex, struct span span, struct ast_expr **expr_out)
{
    const char *text = lex->text + span.start;
    size_t len = span.end - span.start, at = 0, n, more;
    int shown = len > 40 ? 40 : (int)len;
    bool dots = memchr(text, '.', len) != NULL;

    (void)scan(text, len, &at);
    n = len - at;
    more = letters(text, len, at);
    *expr_out = ast_literal(lex->arena, span, value_int(0), AST_FORM_PLAIN);
    if (more == 0 && dots) {
        diag_add(lex->diag, DIAG_ERROR, span, "`%.*s` is no number", shown, text);
        diag_hint(lex->diag, "an address stands in quotes: \"%.*s\"", shown, text);
        return LEX_INT;
    }
    diag_add(lex->diag, DIAG_ERROR, span, "`%.*s` is no number, duration or size", shown, text);
    for (size_t i = 0; i < sizeof other_units / sizeof *other_units; i++) {
        const char *right = other_units[i].right;

        if (strlen(other_units[i].wrong) != n || memcmp(other_units[i].wrong, text + at, n) != 0)
            continue;
        if (n == 1 && text[at] == 'M')
            diag_hint(lex->diag, "did you mean `%.*sm` or `%.*sMiB`?", (int)at, text, (int)at, text);
        else
            diag_hint(lex->diag, "did you mean `%.*s%s`?", (int)at, text, right);
        *expr_out = duration(lex, span, 1);
        return right[strlen(right) - 1] == 'B' ? LEX_SIZE : LEX_DURATION;
    }
    if (more == n && text[at] != '_')
        diag_hint(lex->diag, "units of time are ns us ms s m h d w, of size B KiB MiB GiB TiB KB MB GB TB");
    return LEX_INT;
}

/* 5, 1.5, 1e3; false if it is none. */
static bool read_plain(struct lex *lex, struct span span, struct value *value_out)
{
    const char *text = lex->text + span.start;
    size_t len = span.end - span.start, at = 0;
    struct decimal d = scan(text, len, &at);
    bool whole = memchr(text, '.', at) == NULL;
    char *copy;
    double number;

    if (at < len && (text[at] == 'e' || text[at] == 'E')) {
        whole = false;
        at++;
        if (at < len && (text[at] == '+' || text[at] == '-'))
            at++;
        if (at == len)
            return false;
        while (at < len && digit(text[at]))
            at++;
    }
    if (at < len)
        return false;
    if (text[0] == '0' && len > 1 && digit(text[1])) {
        diag_add(lex->diag, DIAG_ERROR, span, "a number has no zeros before it");
        diag_hint(lex->diag, "take them away, or put it into quotes if it is a text");
    }
    if (whole && d.good && d.whole <= (uint64_t)INT64_MAX) {
        *value_out = value_int((int64_t)d.whole);
        return true;
    }
    copy = arena_strndup(lex->arena, text, len);
    number = strtod(copy, NULL);
    *value_out = value_double(number);
    if (value_is_missing(*value_out)) {
        diag_add(lex->diag, DIAG_ERROR, span, "the number is too large");
        *value_out = value_int(0);
    }
    return true;
}

enum lex_number lex_number(struct lex *lex, struct span span, struct ast_expr **expr_out)
{
    const char *text = lex->text + span.start;
    size_t len = span.end - span.start;
    struct value value;
    enum compound found;
    int64_t ns;

    if (len > 400) {
        diag_add(lex->diag, DIAG_ERROR, span, "a number has at most 400 characters");
        *expr_out = ast_literal(lex->arena, span, value_int(0), AST_FORM_PLAIN);
        return LEX_INT;
    }
    if (read_plain(lex, span, &value)) {
        *expr_out = ast_literal(lex->arena, span, value, AST_FORM_PLAIN);
        return value.type == VALUE_INT ? LEX_INT : LEX_DOUBLE;
    }
    found = read_duration(text, len, &ns);
    if (found != COMPOUND_NO) {
        duration_mistake(lex, span, found);
        *expr_out = duration(lex, span, ns);
        return LEX_DURATION;
    }
    if (read_size(lex, span, expr_out))
        return LEX_SIZE;
    return no_number(lex, span, expr_out);
}

struct ast_expr *lex_time(struct lex *lex, struct span span)
{
    const char *text = lex->text + span.start;
    size_t len = span.end - span.start;
    int year = (text[0] - '0') * 1000 + (text[1] - '0') * 100 + (text[2] - '0') * 10 + (text[3] - '0');
    int month = (text[5] - '0') * 10 + (text[6] - '0');
    int day = (text[8] - '0') * 10 + (text[9] - '0');
    int64_t ns = 0;
    bool date = len == 10;
    bool good = date ? time_from_civil(year, month, day, 0, 0, 0, 0, &ns)
                     : time_read(value_text(text, len), TIME_RFC3339, 0, &ns);

    if (!good) {
        diag_add(lex->diag, DIAG_ERROR, span, "`%.*s` is no %s", len > 40 ? 40 : (int)len, text,
                 date ? "date" : "time");
        diag_hint(lex->diag, date ? "a date is YYYY-MM-DD, between 1678 and 2262"
                                  : "a time is like 2027-01-01T12:00:00Z or 2027-01-01T12:00:00+01:00");
    }
    return ast_literal(lex->arena, span, value_time(ns), date ? AST_FORM_DATE : AST_FORM_TIME);
}
