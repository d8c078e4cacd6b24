// SPDX-License-Identifier: Apache-2.0
/*
 * function_decode - base64 (RFC 4648) and percent-encoding (RFC 3986). What comes out of them need
 * not be text: each byte that belongs to no valid UTF-8, and each lone half of a surrogate pair,
 * becomes U+FFFD. So one stray byte cannot hide the rest from a rule.
 */
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/hex.h"
#include "base/utf8.h"
#include "plan/function.h"
#include "plan/function_priv.h"
#include "plan/operate.h"

static const char REPLACEMENT[] = "\xef\xbf\xbd";
enum { REPLACEMENT_LEN = 3 };

/* Where the first byte at or behind `from` is that is not valid; the length if all are. */
static size_t next_bad(const char *bytes, size_t len, size_t from)
{
    size_t bad;

    return utf8_valid(bytes + from, len - from, &bad) ? len : from + bad;
}

static struct value text_of_utf8(const struct operate *op, const char *bytes, size_t len)
{
    size_t n = 0, at = 0;

    for (size_t bad = next_bad(bytes, len, 0); bad < len; bad = next_bad(bytes, len, bad + 1))
        n++;
    if (n == 0)
        return value_text(bytes, len);
    if (len + n * (REPLACEMENT_LEN - 1) > FUNCTION_MAX_TEXT)
        return value_missing();
    struct buf b = function_buf(op, len + n * (REPLACEMENT_LEN - 1) + 1);
    while (at < len) {
        size_t bad = next_bad(bytes, len, at);
        buf_add(&b, bytes + at, bad - at);
        if (bad < len)
            buf_add(&b, REPLACEMENT, REPLACEMENT_LEN);
        at = bad + 1;
    }
    return value_text(b.data, b.len);
}

static uint32_t utf16_unit(const char *bytes, size_t at)
{
    return (uint32_t)(unsigned char)bytes[at] | (uint32_t)(unsigned char)bytes[at + 1] << 8;
}

/* Little endian, as PowerShell's -EncodedCommand has it. */
static struct value text_of_utf16(const struct operate *op, const char *bytes, size_t len)
{
    char code[4];
    size_t at = 0;

    if (len / 2 * REPLACEMENT_LEN > FUNCTION_MAX_TEXT)
        return value_missing();
    struct buf b = function_buf(op, (len / 2 + 1) * REPLACEMENT_LEN + 1);
    for (; at + 1 < len; at += 2) {
        uint32_t cp = utf16_unit(bytes, at), low = 0;
        if (cp >= 0xd800 && cp < 0xdc00 && at + 3 < len)
            low = utf16_unit(bytes, at + 2);
        if (low >= 0xdc00 && low < 0xe000) {
            cp = 0x10000 + ((cp - 0xd800) << 10) + (low - 0xdc00);
            at += 2;
        } else if (cp >= 0xd800 && cp < 0xe000) {
            cp = 0xfffd;
        }
        buf_add(&b, code, utf8_encode(cp, code));
    }
    if (at < len)
        buf_add(&b, REPLACEMENT, REPLACEMENT_LEN);
    return value_text(b.data, b.len);
}

bool function_encoding_named(struct value name, bool *utf16_out)
{
    *utf16_out = name.type == VALUE_TEXT && name.len == 7 && memcmp(name.u.text, "utf16le", 7) == 0;
    return *utf16_out ||
           (name.type == VALUE_TEXT && name.len == 4 && memcmp(name.u.text, "utf8", 4) == 0);
}

/* The standard alphabet and the one for URLs; -1: none of its characters. */
static int digit64(char c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    return c == '+' || c == '-' ? 62 : c == '/' || c == '_' ? 63 : -1;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* False if it is no base64. Blanks are passed over; `=` may be left out, but not be too many. */
static bool decode64(struct value x, char *out, size_t *len_out)
{
    uint32_t bits = 0;
    size_t n = 0, digits = 0, padding = 0;

    for (size_t i = 0; i < x.len; i++) {
        char c = x.u.text[i];
        int digit = digit64(c);
        if (is_blank(c))
            continue;
        if (c == '=') {
            padding++;
            continue;
        }
        if (digit < 0 || padding > 0)
            return false;
        bits = bits << 6 | (uint32_t)digit;
        if (++digits % 4 != 1)
            out[n++] = (char)(bits >> (6 - 2 * ((digits - 1) % 4)) & 0xff);
    }
    *len_out = n;
    return digits % 4 != 1 && (padding == 0 || (padding <= 2 && digits % 4 + padding == 4));
}

struct value function_base64_decode(const struct operate *op, const struct value *arg, uint32_t n)
{
    bool utf16 = false;
    size_t len;

    if (arg[0].type != VALUE_TEXT || arg[0].len > FUNCTION_MAX_TEXT ||
        (n > 1 && !function_encoding_named(arg[1], &utf16)))
        return value_missing();
    char *bytes = arena_alloc_raw(op->arena, (size_t)arg[0].len / 4 * 3 + 4);
    if (!decode64(arg[0], bytes, &len))
        return value_missing();
    return utf16 ? text_of_utf16(op, bytes, len) : text_of_utf8(op, bytes, len);
}

struct value function_url_decode(const struct operate *op, struct value x)
{
    size_t n = 0;

    if (x.type != VALUE_TEXT || x.len > FUNCTION_MAX_TEXT)
        return value_missing();
    if (x.len == 0 || !memchr(x.u.text, '%', x.len))
        return x;
    char *bytes = arena_alloc_raw(op->arena, x.len);
    for (size_t i = 0; i < x.len; i++) {
        const char *p = x.u.text + i;
        if (*p == '%' && x.len - i > 2 && hex_digit(p[1]) >= 0 && hex_digit(p[2]) >= 0) {
            bytes[n++] = (char)(hex_digit(p[1]) << 4 | hex_digit(p[2]));
            i += 2;
        } else {
            bytes[n++] = *p;
        }
    }
    return text_of_utf8(op, bytes, n);
}
