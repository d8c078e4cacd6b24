// SPDX-License-Identifier: Apache-2.0
#include "io/template_escape.h"

#include <string.h>

#include "base/buf.h"

#define ELLIPSIS "\xe2\x80\xa6"
#define WORD_JOINER "\xe2\x81\xa0"

size_t escape_none(const char *p, size_t n, const char *end, char *bytes)
{
    (void)end;
    memcpy(bytes, p, n);
    return n;
}

size_t escape_text(const char *p, size_t n, const char *end, char *bytes)
{
    static const char REPLACEMENT[] = "\xef\xbf\xbd";

    if (*p != '\0')
        return escape_none(p, n, end, bytes);
    memcpy(bytes, REPLACEMENT, sizeof REPLACEMENT - 1);
    return sizeof REPLACEMENT - 1;
}

size_t escape_line(const char *p, size_t n, const char *end, char *bytes)
{
    if ((unsigned char)*p >= 0x20)
        return escape_none(p, n, end, bytes);
    bytes[0] = ' ';
    return 1;
}

static bool unreserved(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '.' || c == '_' || c == '~';
}

size_t escape_url(const char *p, size_t n, const char *end, char *bytes)
{
    static const char HEX[] = "0123456789ABCDEF";

    (void)end;
    if (n == 1 && unreserved(*p)) {
        bytes[0] = *p;
        return 1;
    }
    for (size_t i = 0; i < n; i++) {
        bytes[3 * i] = '%';
        bytes[3 * i + 1] = HEX[(unsigned char)p[i] >> 4];
        bytes[3 * i + 2] = HEX[(unsigned char)p[i] & 15];
    }
    return 3 * n;
}

static size_t put(char *bytes, const char *text)
{
    size_t n = strlen(text);

    memcpy(bytes, text, n);
    return n;
}

size_t escape_markup(const char *p, size_t n, const char *end, char *bytes)
{
    unsigned char c = (unsigned char)*p;

    switch (c) {
    case '&': return put(bytes, "&amp;");
    case '<': return put(bytes, "&lt;");
    case '>': return put(bytes, "&gt;");
    case '"': return put(bytes, "&quot;");
    case '\'': return put(bytes, "&#39;");
    }
    if (c < 0x20 && c != '\n' && c != '\t' && c != '\r') /* XML has none of these at all */
        return put(bytes, "\xef\xbf\xbd");
    return escape_none(p, n, end, bytes);
}

static bool begins(const char *p, const char *end, const char *word)
{
    size_t n = strlen(word);

    return (size_t)(end - p) >= n && memcmp(p, word, n) == 0;
}

size_t escape_slack(const char *p, size_t n, const char *end, char *bytes)
{
    switch (*p) {
    case '&': return put(bytes, "&amp;");
    case '<': return put(bytes, "&lt;");
    case '>': return put(bytes, "&gt;");
    case '@':
        if (begins(p, end, "@here") || begins(p, end, "@channel") || begins(p, end, "@everyone"))
            return put(bytes, "@" WORD_JOINER);
    }
    return *p == '\n' || *p == '\t' ? escape_none(p, n, end, bytes) : escape_line(p, n, end, bytes);
}

static size_t char_len(const char *p)
{
    unsigned char c = (unsigned char)*p;

    return c < 0x80 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
}

/* UTF-16 units of what stands in bytes: those of four bytes take two. */
static size_t units_of(const char *bytes, size_t n)
{
    size_t units = 0;

    for (size_t i = 0; i < n; i += char_len(bytes + i))
        units += char_len(bytes + i) == 4 ? 2 : 1;
    return units;
}

static bool add(struct buf *out, const char *text, size_t len, size_t max, bool by_units,
                size_t (*escape)(const char *p, size_t n, const char *end, char *bytes))
{
    size_t ellipsis = by_units ? 1 : sizeof ELLIPSIS - 1;
    if (len == 0) /* text may be NULL */
        return false;
    const char *p = text, *end = text + len;
    size_t used = 0, keep = out->len; /* where it can be cut so that the ellipsis fits */

    while (p < end) {
        char bytes[ESCAPE_MAX];
        size_t from = char_len(p), n = escape(p, from, end, bytes);
        size_t more = by_units ? units_of(bytes, n) : n;
        if (used + more > max) {
            out->len = keep;
            if (max >= ellipsis && escape == escape_url)
                buf_adds(out, by_units || max >= 9 ? "%E2%80%A6" : "");
            else if (max >= ellipsis)
                buf_adds(out, ELLIPSIS);
            return true;
        }
        used += more;
        buf_add(out, bytes, n);
        if (used + ellipsis <= max && (escape != escape_url || used + 9 <= max))
            keep = out->len;
        p += from;
    }
    return false;
}

bool escape_add(struct buf *out, const char *text, size_t len, size_t max,
                size_t (*escape)(const char *p, size_t n, const char *end, char *bytes))
{
    if (escape == escape_none && len <= max) {
        buf_add(out, text, len);
        return false;
    }
    return add(out, text, len, max, false, escape);
}

bool escape_add_units(struct buf *out, const char *text, size_t len, size_t max,
                      size_t (*escape)(const char *p, size_t n, const char *end, char *bytes))
{
    return add(out, text, len, max, true, escape);
}
