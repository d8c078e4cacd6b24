// SPDX-License-Identifier: Apache-2.0
/*
 * function_text - functions that give text, or measure it. Results lie in the arena, or are parts
 * of their argument. Characters are code points; text is valid UTF-8.
 */
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/casefold.h"
#include "base/utf8.h"
#include "plan/function.h"
#include "plan/function_priv.h"
#include "plan/operate.h"

enum { SCALAR_TEXT = 128 }; /* bytes that a number, bool, time or duration takes at most */

struct buf function_buf(const struct operate *op, size_t cap)
{
    return (struct buf){ .data = arena_alloc_raw(op->arena, cap), .cap = cap };
}

/* A simple mapping takes at most 3 bytes for 2, and casefold reserves what is left before each run
 * of ASCII: twice the length is enough. */
static struct value mapped(const struct operate *op, struct value x,
                           void (*map)(struct buf *out, const char *text, size_t len))
{
    if (x.type != VALUE_TEXT || x.len > FUNCTION_MAX_TEXT)
        return value_missing();
    struct buf b = function_buf(op, 2 * (size_t)x.len + 16);
    map(&b, x.u.text, x.len);
    return value_text(b.data, b.len);
}

struct value function_lower(const struct operate *op, struct value x)
{
    return mapped(op, x, casefold_add_lower);
}

struct value function_upper(const struct operate *op, struct value x)
{
    return mapped(op, x, casefold_add_upper);
}

struct value function_length(struct value x)
{
    switch (x.type) {
    case VALUE_TEXT: return value_int((int64_t)utf8_length(x.u.text, x.len));
    case VALUE_LIST: return value_int(x.len);
    default: return value_missing();
    }
}

bool function_whole(struct value v, int64_t *i_out)
{
    if (v.type == VALUE_DOUBLE && v.u.d >= -1e15 && v.u.d <= 1e15 &&
        v.u.d == (double)(int64_t)v.u.d) {
        *i_out = (int64_t)v.u.d;
        return true;
    }
    *i_out = v.u.i;
    return v.type == VALUE_INT;
}

/* Byte where code point n starts, counted from byte `at`; the length if there are fewer. */
static size_t skip_chars(struct value x, size_t at, int64_t n)
{
    while (n-- > 0 && at < x.len)
        utf8_next(x.u.text, x.len, &at);
    return at;
}

struct value function_substring(const struct value *arg, uint32_t n)
{
    struct value x = arg[0];
    int64_t start, length = INT64_MAX;

    if (x.type != VALUE_TEXT || n < 2 || !function_whole(arg[1], &start))
        return value_missing();
    if (n > 2 && (!function_whole(arg[2], &length) || length < 0))
        return value_missing();
    if (start < 0) {
        int64_t chars = (int64_t)utf8_length(x.u.text, x.len);
        start = start < -chars ? 0 : chars + start;
    }
    size_t from = skip_chars(x, 0, start);
    size_t to = skip_chars(x, from, length);
    return value_text(x.u.text + from, to - from);
}

struct value function_string(const struct operate *op, struct value x)
{
    switch (x.type) {
    case VALUE_TEXT: return x;
    case VALUE_MISSING:
    case VALUE_LIST:
    case VALUE_OBJECT: return value_missing();
    default: break;
    }
    struct buf b = function_buf(op, SCALAR_TEXT);
    value_add_text(&b, x);
    return value_text(b.data, b.len);
}

struct value function_concat(const struct operate *op, const struct value *arg, uint32_t n)
{
    struct value piece[FUNCTION_MAX_ARGS];
    size_t len = 0;

    if (n > FUNCTION_MAX_ARGS)
        return value_missing();
    for (uint32_t i = 0; i < n; i++) {
        piece[i] = function_string(op, arg[i]);
        if (piece[i].type != VALUE_TEXT)
            return value_missing();
        len += piece[i].len;
    }
    if (len > FUNCTION_MAX_TEXT)
        return value_missing();
    char *text = arena_alloc_raw(op->arena, len + 1);
    char *at = text;
    for (uint32_t i = 0; i < n; i++) {
        if (piece[i].len)
            memcpy(at, piece[i].u.text, piece[i].len);
        at += piece[i].len;
    }
    return value_text(text, len);
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

struct value function_trim(struct value x)
{
    if (x.type != VALUE_TEXT)
        return value_missing();
    while (x.len && is_blank(x.u.text[x.len - 1]))
        x.len--;
    while (x.len && is_blank(x.u.text[0])) {
        x.u.text++;
        x.len--;
    }
    return x;
}
