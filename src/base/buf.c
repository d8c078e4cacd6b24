// SPDX-License-Identifier: Apache-2.0
/*
 * buf - growing bytes, and the one place that decides how numbers and text look in our output.
 *
 * Invariant: data == NULL and cap == 0, or data[len] == 0 and len < cap.
 * What input can make grow is limited by the caller.
 */
#include "base/buf.h"

#include <endian.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"

enum { BUF_FIRST = 64 }; /* bytes of the first allocation */

static const char HEX[] = "0123456789abcdef";

void buf_init(struct buf *b)
{
    *b = (struct buf){ 0 };
}

void buf_fini(struct buf *b)
{
    mem_free(b->data);
    buf_init(b);
}

void buf_clear(struct buf *b)
{
    b->len = 0;
    if (b->data)
        b->data[0] = '\0';
}

void buf_truncate(struct buf *b, size_t len)
{
    if (len >= b->len)
        return;
    b->len = len;
    b->data[len] = '\0';
}

static __attribute__((noinline)) void grow(struct buf *b, size_t more)
{
    size_t need;

    if (__builtin_add_overflow(b->len, more, &need) || need == SIZE_MAX)
        need = SIZE_MAX - 1; /* not allocable: mem reports it */
    size_t cap = b->cap <= SIZE_MAX / 2 ? b->cap * 2 : b->cap;
    if (cap < need + 1)
        cap = need + 1;
    if (cap < BUF_FIRST)
        cap = BUF_FIRST;
    b->data = mem_realloc(b->data, cap);
    b->cap = cap;
    b->data[b->len] = '\0';
}

void buf_reserve(struct buf *b, size_t more)
{
    if (b->cap - b->len <= more)
        grow(b, more);
}

/* Room for n bytes that the caller fills at the place returned; they count at once. */
static char *extend(struct buf *b, size_t n)
{
    buf_reserve(b, n);
    char *p = b->data + b->len;
    b->len += n;
    p[n] = '\0';
    return p;
}

void buf_add(struct buf *b, const void *data, size_t len)
{
    char *p = extend(b, len);

    if (len)
        memcpy(p, data, len);
}

void buf_adds(struct buf *b, const char *text)
{
    buf_add(b, text, strlen(text));
}

void buf_addc(struct buf *b, char c)
{
    *extend(b, 1) = c;
}

void buf_vprintf(struct buf *b, const char *fmt, va_list args)
{
    va_list again;

    va_copy(again, args);
    buf_reserve(b, 0);
    size_t room = b->cap - b->len;
    int n = vsnprintf(b->data + b->len, room, fmt, args);
    if (n < 0) {
        b->data[b->len] = '\0'; /* only a bad wide character can fail: nothing is added */
    } else {
        if ((size_t)n >= room) {
            buf_reserve(b, (size_t)n);
            vsnprintf(b->data + b->len, (size_t)n + 1, fmt, again);
        }
        b->len += (size_t)n;
    }
    va_end(again);
}

void buf_printf(struct buf *b, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    buf_vprintf(b, fmt, args);
    va_end(args);
}

char *buf_take(struct buf *b)
{
    buf_reserve(b, 0);
    char *data = b->data;
    buf_init(b);
    return data;
}

/* Bytes at the start of text that stand for themselves in a JSON string. */
static size_t plain_run(const char *text, size_t len)
{
    size_t i = 0;

    while (i < len && (unsigned char)text[i] >= 0x20 && text[i] != '"' && text[i] != '\\')
        i++;
    return i;
}

static void add_escape(struct buf *b, char c)
{
    static const char from[] = "\"\\\n\t\r\b\f";
    static const char to[] = "\"\\ntrbf";
    const char *known = c ? strchr(from, c) : NULL;
    char esc[6] = { '\\', 'u', '0', '0', HEX[(unsigned char)c >> 4], HEX[c & 0xf] };

    if (known)
        esc[1] = to[known - from];
    buf_add(b, esc, known ? 2 : 6);
}

static void add_escaped(struct buf *b, const char *text, size_t len)
{
    size_t i = 0;

    while (i < len) {
        size_t run = plain_run(text + i, len - i);
        buf_add(b, text + i, run);
        i += run;
        if (i < len)
            add_escape(b, text[i++]);
    }
}

void buf_add_json_text(struct buf *b, const char *text, size_t len)
{
    buf_reserve(b, len + 2);
    buf_addc(b, '"');
    add_escaped(b, text, len);
    buf_addc(b, '"');
}

void buf_add_json_bytes(struct buf *b, const char *bytes, size_t len)
{
    size_t bad;

    buf_reserve(b, len + 2);
    buf_addc(b, '"');
    while (!utf8_valid(bytes, len, &bad)) {
        add_escaped(b, bytes, bad);
        buf_adds(b, "\xEF\xBF\xBD");
        bytes += bad + 1;
        len -= bad + 1;
    }
    add_escaped(b, bytes, len);
    buf_addc(b, '"');
}

/* Decimal digits of v, without leading zeros, at the end of digits[20]; returns how many. */
static size_t to_digits(uint64_t v, char digits[20])
{
    size_t n = 0;

    do {
        digits[19 - n++] = (char)('0' + v % 10);
        v /= 10;
    } while (v);
    return n;
}

void buf_add_int(struct buf *b, int64_t i)
{
    char digits[20];
    size_t n = to_digits(i < 0 ? 0 - (uint64_t)i : (uint64_t)i, digits);

    if (i < 0)
        buf_addc(b, '-');
    buf_add(b, digits + 20 - n, n);
}

/*
 * Values with up to six decimals and 15 digits, which is nearly all of them. m and 10^k are exact
 * as doubles and division rounds correctly, so m / 10^k == d proves that "m / 10^k" reads back as
 * d; the smallest such k has no trailing zero. Measured: 40 ns, with printf and strtod 560 ns.
 */
static bool add_short_decimal(struct buf *b, double d)
{
    static const double powers[] = { 1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6 };
    double size = fabs(d);

    for (size_t k = 0; k < sizeof powers / sizeof powers[0]; k++) {
        double scaled = size * powers[k];
        if (scaled >= 1e15)
            return false;
        uint64_t m = (uint64_t)(scaled + 0.5);
        if ((double)m / powers[k] != size)
            continue;
        char digits[20];
        size_t n = to_digits(m, digits);
        while (n <= k)
            digits[19 - n++] = '0'; /* 0.05 */
        if (signbit(d))
            buf_addc(b, '-');
        buf_add(b, digits + 20 - n, n - k);
        if (k) {
            buf_addc(b, '.');
            buf_add(b, digits + 20 - k, k);
        }
        return true;
    }
    return false;
}

void buf_add_double(struct buf *b, double d)
{
    char text[40];

    if (add_short_decimal(b, d))
        return;
    /* 15 digits survive any double that is not subnormal, so fewer need not be tried there. (46
     * powers of two, all below 1e-6 or above 1e15, get a 17th digit that they could do without.) */
    for (int digits = fabs(d) < 2.3e-308 ? 1 : 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, d);
        if (strtod(text, NULL) == d)
            break;
    }
    buf_adds(b, text);
}

void buf_add_hex(struct buf *b, const void *data, size_t len)
{
    const uint8_t *p = data;
    char *out = extend(b, len * 2);

    for (size_t i = 0; i < len; i++) {
        out[2 * i] = HEX[p[i] >> 4];
        out[2 * i + 1] = HEX[p[i] & 0xf];
    }
}

void buf_add_u8(struct buf *b, uint8_t v)
{
    *extend(b, 1) = (char)v;
}

void buf_add_u32(struct buf *b, uint32_t v)
{
    v = htole32(v);
    memcpy(extend(b, sizeof v), &v, sizeof v);
}

void buf_add_u64(struct buf *b, uint64_t v)
{
    v = htole64(v);
    memcpy(extend(b, sizeof v), &v, sizeof v);
}

void buf_add_varint(struct buf *b, uint64_t v)
{
    if (v < 0x80) { /* most are */
        *extend(b, 1) = (char)v;
        return;
    }
    buf_reserve(b, 10);
    char *p = b->data + b->len;
    while (v >= 0x80) {
        *p++ = (char)(v | 0x80);
        v >>= 7;
    }
    *p++ = (char)v;
    *p = '\0';
    b->len = (size_t)(p - b->data);
}

void buf_add_bytes(struct buf *b, const void *p, size_t n)
{
    buf_add_varint(b, n);
    buf_add(b, p, n);
}

void buf_add_kind(struct buf *b, const char *kind, uint8_t version)
{
    buf_add_bytes(b, kind, strlen(kind));
    buf_add_u8(b, version);
}
