// SPDX-License-Identifier: Apache-2.0
/*
 * utf8 - UTF-8 as The Unicode Standard, table 3-7 ("well-formed byte sequences") defines it.
 *
 * Text is validated once, where it enters (JSON, rule files); everything behind that steps over it
 * without checks. utf8_next still never leaves the text: on a malformed byte it gives U+FFFD and
 * moves one byte, so that diagnostics can show a file that is not valid.
 */
#include "base/utf8.h"

#include <string.h>

static const uint64_t HIGH_BITS = UINT64_C(0x8080808080808080);

static bool is_tail(unsigned char c)
{
    return (c & 0xc0) == 0x80;
}

/* Length of the well-formed sequence at p (n bytes left, n > 0), 0 if there is none. */
static size_t sequence_length(const unsigned char *p, size_t n)
{
    unsigned char lead = p[0];

    if (lead < 0x80)
        return 1;
    if (lead < 0xc2 || lead > 0xf4)
        return 0; /* a tail, an overlong form, or above U+10FFFF */
    if (lead < 0xe0)
        return n >= 2 && is_tail(p[1]) ? 2 : 0;
    if (n < 3 || !is_tail(p[1]) || !is_tail(p[2]))
        return 0;
    if (lead < 0xf0) {
        if (lead == 0xe0 && p[1] < 0xa0)
            return 0; /* overlong */
        if (lead == 0xed && p[1] > 0x9f)
            return 0; /* surrogate */
        return 3;
    }
    if (n < 4 || !is_tail(p[3]))
        return 0;
    if (lead == 0xf0 && p[1] < 0x90)
        return 0; /* overlong */
    if (lead == 0xf4 && p[1] > 0x8f)
        return 0; /* above U+10FFFF */
    return 4;
}

bool utf8_valid(const char *text, size_t len, size_t *bad_at_out)
{
    const unsigned char *p = (const unsigned char *)text;
    size_t i = 0;

    while (i < len) {
        uint64_t word;
        /* most logs are ASCII: eight bytes a step */
        if (len - i >= sizeof word) {
            memcpy(&word, p + i, sizeof word);
            if (!(word & HIGH_BITS)) {
                i += sizeof word;
                continue;
            }
        }
        size_t n = sequence_length(p + i, len - i);
        if (n == 0) {
            if (bad_at_out)
                *bad_at_out = i;
            return false;
        }
        i += n;
    }
    return true;
}

uint32_t utf8_next(const char *text, size_t len, size_t *pos)
{
    const unsigned char *p = (const unsigned char *)text + *pos;
    size_t n = sequence_length(p, len - *pos);

    *pos += n ? n : 1;
    switch (n) {
    case 1:
        return p[0];
    case 2:
        return (uint32_t)(p[0] & 0x1f) << 6 | (p[1] & 0x3f);
    case 3:
        return (uint32_t)(p[0] & 0x0f) << 12 | (uint32_t)(p[1] & 0x3f) << 6 | (p[2] & 0x3f);
    case 4:
        return (uint32_t)(p[0] & 0x07) << 18 | (uint32_t)(p[1] & 0x3f) << 12 |
               (uint32_t)(p[2] & 0x3f) << 6 | (p[3] & 0x3f);
    default:
        return 0xfffd;
    }
}

size_t utf8_encode(uint32_t cp, char out[4])
{
    if (cp < 0x80) {
        out[0] = (char)cp;
        return 1;
    }
    if (cp < 0x800) {
        out[0] = (char)(0xc0 | cp >> 6);
        out[1] = (char)(0x80 | (cp & 0x3f));
        return 2;
    }
    if ((cp >= 0xd800 && cp <= 0xdfff) || cp > 0x10ffff)
        cp = 0xfffd; /* what we write must be valid */
    if (cp < 0x10000) {
        out[0] = (char)(0xe0 | cp >> 12);
        out[1] = (char)(0x80 | (cp >> 6 & 0x3f));
        out[2] = (char)(0x80 | (cp & 0x3f));
        return 3;
    }
    out[0] = (char)(0xf0 | cp >> 18);
    out[1] = (char)(0x80 | (cp >> 12 & 0x3f));
    out[2] = (char)(0x80 | (cp >> 6 & 0x3f));
    out[3] = (char)(0x80 | (cp & 0x3f));
    return 4;
}

size_t utf8_length(const char *text, size_t len)
{
    size_t n = 0;

    for (size_t i = 0; i < len; i++)
        n += !is_tail((unsigned char)text[i]);
    return n;
}

bool utf8_is_hidden(uint32_t cp)
{
    return cp < 0x20 || (cp >= 0x7f && cp < 0xa0) || (cp >= 0x202a && cp <= 0x202e) ||
           (cp >= 0x2066 && cp <= 0x2069) || cp == 0x2028 || cp == 0x2029;
}
