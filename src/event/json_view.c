// SPDX-License-Identifier: Apache-2.0
/*
 * json_view - see json_view.h. The first half reads text that may be anything and looks at every byte;
 * the second goes through text that is known to be good, by brackets and quotes alone.
 */
#include "event/json_view.h"

#include <string.h>

#include "base/buf.h"
#include "base/hex.h"
#include "base/utf8.h"

/* ---- checking -------------------------------------------------------------------------------- */

struct check {
    const char *at, *end;
};

static void skip_blanks(struct check *c)
{
    while (c->at < c->end && (*c->at == ' ' || *c->at == '\n' || *c->at == '\t' || *c->at == '\r'))
        c->at++;
}

static bool take(struct check *c, char want)
{
    if (c->at == c->end || *c->at != want)
        return false;
    c->at++;
    return true;
}

static bool take_word(struct check *c, const char *word)
{
    size_t len = strlen(word);

    if ((size_t)(c->end - c->at) < len || memcmp(c->at, word, len) != 0)
        return false;
    c->at += len;
    return true;
}

/* The four digits at p, or -1. */
static int32_t hex4(const char *p, const char *end)
{
    int32_t value = 0;

    if (end - p < 4)
        return -1;
    for (int i = 0; i < 4; i++) {
        int digit = hex_digit(p[i]);
        if (digit < 0)
            return -1;
        value = value << 4 | digit;
    }
    return value;
}

static bool is_high(int32_t unit)
{
    return unit >= 0xd800 && unit < 0xdc00;
}

static bool is_low(int32_t unit)
{
    return unit >= 0xdc00 && unit < 0xe000;
}

/* Behind "\u". */
static bool check_unicode(struct check *c)
{
    int32_t unit = hex4(c->at, c->end);

    if (unit < 0 || is_low(unit))
        return false;
    c->at += 4;
    if (!is_high(unit))
        return true;
    if (!take_word(c, "\\u") || !is_low(hex4(c->at, c->end)))
        return false;
    c->at += 4;
    return true;
}

static bool check_text(struct check *c)
{
    if (!take(c, '"'))
        return false;
    while (c->at < c->end) {
        unsigned char byte = (unsigned char)*c->at++;
        if (byte == '"')
            return true;
        if (byte < 0x20)
            return false;
        if (byte != '\\')
            continue;
        if (c->at == c->end || !strchr("\"\\/bfnrtu", *c->at) || *c->at == '\0')
            return false;
        if (*c->at++ == 'u' && !check_unicode(c))
            return false;
    }
    return false;
}

static bool check_digits(struct check *c)
{
    const char *from = c->at;

    while (c->at < c->end && *c->at >= '0' && *c->at <= '9')
        c->at++;
    return c->at > from;
}

static bool check_number(struct check *c)
{
    (void)take(c, '-');
    if (!take(c, '0') && !check_digits(c))
        return false;
    if (take(c, '.') && !check_digits(c))
        return false;
    if (!take(c, 'e') && !take(c, 'E'))
        return true;
    if (!take(c, '+'))
        (void)take(c, '-');
    return check_digits(c);
}

static bool check_value(struct check *c, int depth);

static bool check_member(struct check *c, bool named, int depth)
{
    if (named) {
        skip_blanks(c);
        if (!check_text(c))
            return false;
        skip_blanks(c);
        if (!take(c, ':'))
            return false;
    }
    return check_value(c, depth);
}

static bool check_members(struct check *c, char close, int depth)
{
    c->at++;
    skip_blanks(c);
    if (take(c, close))
        return true;
    if (depth == JSON_VIEW_DEPTH)
        return false;
    do {
        if (!check_member(c, close == '}', depth + 1))
            return false;
        skip_blanks(c);
    } while (take(c, ','));
    return take(c, close);
}

static bool check_value(struct check *c, int depth)
{
    skip_blanks(c);
    if (c->at == c->end)
        return false;
    switch (*c->at) {
    case '{': return check_members(c, '}', depth);
    case '[': return check_members(c, ']', depth);
    case '"': return check_text(c);
    case 't': return take_word(c, "true");
    case 'f': return take_word(c, "false");
    case 'n': return take_word(c, "null");
    default: return check_number(c);
    }
}

bool json_view_parse(const char *text, size_t len, struct json_view *view_out)
{
    struct check c = {text, text + len};

    *view_out = (struct json_view){0};
    skip_blanks(&c);
    const char *from = c.at;
    if (!check_value(&c, 0))
        return false;
    const char *behind = c.at;
    skip_blanks(&c);
    if (c.at != c.end || !utf8_valid(text, len, NULL))
        return false;
    *view_out = (struct json_view){from, (size_t)(behind - from)};
    return true;
}

/* ---- looking --------------------------------------------------------------------------------- */

enum json_view_type json_view_type(struct json_view view)
{
    if (view.len == 0)
        return JSON_VIEW_NONE;
    switch (view.text[0]) {
    case '{': return JSON_VIEW_OBJECT;
    case '[': return JSON_VIEW_ARRAY;
    case '"': return JSON_VIEW_TEXT;
    case 't': return JSON_VIEW_TRUE;
    case 'f': return JSON_VIEW_FALSE;
    case 'n': return JSON_VIEW_NULL;
    default: return JSON_VIEW_NUMBER;
    }
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

/* Behind the text that begins at p: the first quote with an even number of backslashes before it. */
static const char *text_end(const char *p, const char *end)
{
    const char *open = p;

    for (;;) {
        const char *quote = memchr(p + 1, '"', (size_t)(end - p - 1));
        size_t escapes = 0;
        while (quote - escapes - 1 > open && quote[-(ptrdiff_t)escapes - 1] == '\\')
            escapes++;
        if (escapes % 2 == 0)
            return quote + 1;
        p = quote;
    }
}

/* Behind the value that begins at p. */
static const char *value_end(const char *p, const char *end)
{
    if (*p == '"')
        return text_end(p, end);
    if (*p != '{' && *p != '[') {
        while (p < end && *p != ',' && *p != '}' && *p != ']' && !is_blank(*p))
            p++;
        return p;
    }
    for (size_t depth = 0;;) {
        switch (*p) {
        case '"': p = text_end(p, end); continue;
        case '{':
        case '[': depth++; break;
        case '}':
        case ']':
            if (--depth == 0)
                return p + 1;
        }
        p++;
    }
}

static const char *behind_blanks(const char *p)
{
    while (is_blank(*p))
        p++;
    return p;
}

struct json_view_walk json_view_begin(struct json_view view)
{
    enum json_view_type type = json_view_type(view);

    if (type != JSON_VIEW_ARRAY && type != JSON_VIEW_OBJECT)
        return (struct json_view_walk){0};
    return (struct json_view_walk){behind_blanks(view.text + 1), view.text + view.len - 1,
                                   type == JSON_VIEW_OBJECT};
}

bool json_view_next(struct json_view_walk *walk, struct json_view *name_out,
                    struct json_view *value_out)
{
    struct json_view name = {0};

    if (walk->at >= walk->end)
        return false;
    const char *p = walk->at;
    if (walk->names) {
        const char *behind = text_end(p, walk->end);
        name = (struct json_view){p, (size_t)(behind - p)};
        p = behind_blanks(behind_blanks(behind) + 1); /* the colon */
    }
    const char *behind = value_end(p, walk->end);
    *value_out = (struct json_view){p, (size_t)(behind - p)};
    if (name_out)
        *name_out = name;
    p = behind_blanks(behind);
    walk->at = p < walk->end ? behind_blanks(p + 1) : p; /* the comma */
    return true;
}

size_t json_view_count(struct json_view view)
{
    struct json_view_walk walk = json_view_begin(view);
    struct json_view value;
    size_t n = 0;

    while (json_view_next(&walk, NULL, &value))
        n++;
    return n;
}

struct json_view json_view_member(struct json_view object, const char *name, size_t len)
{
    struct json_view_walk walk = json_view_begin(object);
    struct json_view found, value;

    while (walk.names && json_view_next(&walk, &found, &value))
        if (json_view_is(found, name, len))
            return value;
    return (struct json_view){0};
}

struct json_view json_view_element(struct json_view array, int64_t index)
{
    struct json_view_walk walk = json_view_begin(array);
    struct json_view value;

    if (index < 0 && !walk.names)
        index += (int64_t)json_view_count(array);
    while (!walk.names && index >= 0 && json_view_next(&walk, NULL, &value))
        if (index-- == 0)
            return value;
    return (struct json_view){0};
}

/* ---- values ---------------------------------------------------------------------------------- */

/* What the escape at p (a backslash) stands for, as UTF-8; moves *p behind it. */
static size_t unescape(const char **p, const char *end, char bytes[4])
{
    static const char from[] = "bfnrt";
    static const char to[] = "\b\f\n\r\t";
    char kind = (*p)[1];
    const char *known = strchr(from, kind);

    *p += 2;
    if (kind != 'u') {
        bytes[0] = known ? to[known - from] : kind;
        return 1;
    }
    int32_t unit = hex4(*p, end);
    *p += 4;
    if (!is_high(unit))
        return utf8_encode((uint32_t)unit, bytes);
    int32_t low = hex4(*p + 2, end);
    *p += 6;
    return utf8_encode((uint32_t)(0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00)), bytes);
}

bool json_view_is(struct json_view view, const char *text, size_t len)
{
    if (json_view_type(view) != JSON_VIEW_TEXT)
        return false;
    const char *p = view.text + 1, *end = view.text + view.len - 1;
    if ((size_t)(end - p) == len && memcmp(p, text, len) == 0)
        return memchr(p, '\\', len) == NULL;
    size_t at = 0;
    while (p < end && at < len) {
        char bytes[4] = {*p};
        size_t n = *p == '\\' ? unescape(&p, end, bytes) : (p++, 1);
        if (n > len - at || memcmp(bytes, text + at, n) != 0)
            return false;
        at += n;
    }
    return p == end && at == len;
}

void json_view_add_text(struct json_view view, struct buf *out)
{
    if (json_view_type(view) != JSON_VIEW_TEXT) {
        buf_add(out, view.text, view.len);
        return;
    }
    const char *p = view.text + 1, *end = view.text + view.len - 1;
    while (p < end) {
        const char *escape = memchr(p, '\\', (size_t)(end - p));
        char bytes[4];
        buf_add(out, p, (size_t)((escape ? escape : end) - p));
        p = escape ? escape : end;
        if (escape)
            buf_add(out, bytes, unescape(&p, end, bytes));
    }
}

bool json_view_int(struct json_view view, int64_t *i_out)
{
    int64_t value = 0;
    size_t i = 0;

    if (json_view_type(view) != JSON_VIEW_NUMBER)
        return false;
    bool negative = view.text[0] == '-';
    for (i = negative; i < view.len; i++) {
        int digit = view.text[i] - '0';
        if (digit < 0 || digit > 9 || __builtin_mul_overflow(value, 10, &value) ||
            __builtin_sub_overflow(value, digit, &value))
            return false;
    }
    if (!negative && value == INT64_MIN)
        return false;
    *i_out = negative ? value : -value;
    return true;
}
