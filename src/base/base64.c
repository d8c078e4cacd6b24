// SPDX-License-Identifier: Apache-2.0
#include "base/base64.h"

#include <stdint.h>

#include "base/buf.h"

static const char ALPHABET[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void base64_add(struct buf *out, const void *data, size_t len)
{
    const uint8_t *p = data;

    buf_reserve(out, (len + 2) / 3 * 4);
    for (; len > 0; p += 3, len -= len < 3 ? len : 3) {
        uint32_t v = (uint32_t)p[0] << 16 | (len > 1 ? (uint32_t)p[1] << 8 : 0) | (len > 2 ? p[2] : 0);
        buf_addc(out, ALPHABET[v >> 18]);
        buf_addc(out, ALPHABET[v >> 12 & 63]);
        buf_addc(out, len > 1 ? ALPHABET[v >> 6 & 63] : '=');
        buf_addc(out, len > 2 ? ALPHABET[v & 63] : '=');
    }
}

static int value_of(char c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* The number of characters without the padding; false if there is too much or too little of it. */
static bool unpadded(const char *text, size_t *len)
{
    size_t n = *len;

    while (n > 0 && *len - n < 2 && text[n - 1] == '=')
        n--;
    if (n % 4 == 1 || (n < *len && *len % 4 != 0))
        return false;
    *len = n;
    return true;
}

bool base64_decode(const char *text, size_t len, struct buf *out)
{
    size_t before = out->len;
    uint32_t v = 0;
    unsigned bits = 0;

    if (!unpadded(text, &len))
        return false;
    for (size_t i = 0; i < len; i++) {
        int six = value_of(text[i]);
        if (six < 0) {
            buf_truncate(out, before);
            return false;
        }
        v = (v << 6 | (uint32_t)six) & 0xffffff;
        bits += 6;
        if (bits >= 8) {
            bits -= 8;
            buf_addc(out, (char)(v >> bits & 0xff));
        }
    }
    if ((v & ((UINT32_C(1) << bits) - 1)) != 0) { /* bits that say nothing are 0 */
        buf_truncate(out, before);
        return false;
    }
    return true;
}
