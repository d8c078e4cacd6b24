// SPDX-License-Identifier: Apache-2.0
/*
 * casefold - texts without regard to case: Unicode simple case folding (CaseFolding.txt, C + S).
 *
 * Simple folding maps one code point to one code point, so a folded text has as many code points as
 * the text, though not as many bytes (the Kelvin sign, three bytes, folds to k). ASCII runs are
 * folded eight bytes a step; only other code points ask ICU.
 */
#include "base/casefold.h"

#include <string.h>
#include <unicode/uchar.h>

#include "base/buf.h"
#include "base/utf8.h"

enum { ON_STACK = 1024 }; /* bytes of folded text that need no allocation */

/* One of the three mappings: for code points above ASCII, and the ASCII letters it changes. */
struct mapping {
    UChar32 (*map)(UChar32 cp);
    unsigned char first; /* 'A' or 'a': first of the 26 letters whose bit 0x20 is flipped */
};

static UChar32 fold(UChar32 cp)
{
    return u_foldCase(cp, U_FOLD_CASE_DEFAULT);
}

static const struct mapping FOLD = { fold, 'A' };
static const struct mapping LOWER = { u_tolower, 'A' };
static const struct mapping UPPER = { u_toupper, 'a' };

static const uint64_t ONES = UINT64_C(0x0101010101010101);
static const uint64_t HIGH_BITS = UINT64_C(0x8080808080808080);

/* Flips the case of the letters first..first+25 in eight ASCII bytes: the sums carry into each
 * byte's top bit exactly where the byte is >= first, and > last. */
static uint64_t flip_word(uint64_t w, unsigned char first)
{
    uint64_t from = w + ONES * (0x80u - first);
    uint64_t behind = w + ONES * (0x80u - first - 26);

    return w ^ ((from & ~behind & HIGH_BITS) >> 2);
}

static unsigned char flip_byte(unsigned char c, unsigned char first)
{
    return (unsigned char)(c - first) < 26 ? c ^ 0x20 : c;
}

/* Maps the ASCII bytes at the start of text into out; returns how many. */
static size_t map_ascii(char *out, const char *text, size_t len, unsigned char first)
{
    size_t i = 0;
    uint64_t w;

    for (; len - i >= sizeof w; i += sizeof w) {
        memcpy(&w, text + i, sizeof w);
        if (w & HIGH_BITS)
            break;
        w = flip_word(w, first);
        memcpy(out + i, &w, sizeof w);
    }
    for (; i < len && !(text[i] & 0x80); i++)
        out[i] = (char)flip_byte((unsigned char)text[i], first);
    return i;
}

static void add_mapped(struct buf *out, const char *text, size_t len, const struct mapping *m)
{
    size_t i = 0;

    while (i < len) {
        buf_reserve(out, len - i);
        size_t n = map_ascii(out->data + out->len, text + i, len - i, m->first);
        out->len += n;
        i += n;
        while (i < len && (text[i] & 0x80)) {
            char bytes[4];
            uint32_t cp = utf8_next(text, len, &i);
            buf_add(out, bytes, utf8_encode((uint32_t)m->map((UChar32)cp), bytes));
        }
    }
    buf_add(out, NULL, 0); /* the terminating NUL */
}

uint32_t casefold_char(uint32_t cp)
{
    return cp < 0x80 ? flip_byte((unsigned char)cp, 'A') : (uint32_t)fold((UChar32)cp);
}

void casefold_add(struct buf *out, const char *text, size_t len)
{
    add_mapped(out, text, len, &FOLD);
}

void casefold_add_lower(struct buf *out, const char *text, size_t len)
{
    add_mapped(out, text, len, &LOWER);
}

void casefold_add_upper(struct buf *out, const char *text, size_t len)
{
    add_mapped(out, text, len, &UPPER);
}

/* Does folded a begin with folded b? *used_out: the bytes of a that b's code points took. */
static bool fold_prefix(const char *a, size_t a_len, const char *b, size_t b_len, size_t *used_out)
{
    size_t i = 0, j = 0;
    uint64_t x, y;

    while (j < b_len) {
        if (a_len - i >= sizeof x && b_len - j >= sizeof y) {
            memcpy(&x, a + i, sizeof x);
            memcpy(&y, b + j, sizeof y);
            if (!((x | y) & HIGH_BITS)) {
                if (flip_word(x, 'A') != flip_word(y, 'A'))
                    return false;
                i += sizeof x;
                j += sizeof y;
                continue;
            }
        }
        if (i == a_len)
            return false;
        if (casefold_char(utf8_next(a, a_len, &i)) != casefold_char(utf8_next(b, b_len, &j)))
            return false;
    }
    *used_out = i;
    return true;
}

bool casefold_equal(const char *a, size_t a_len, const char *b, size_t b_len)
{
    size_t used;

    return fold_prefix(a, a_len, b, b_len, &used) && used == a_len;
}

bool casefold_startswith(const char *text, size_t len, const char *needle, size_t needle_len)
{
    size_t used;

    return fold_prefix(text, len, needle, needle_len, &used);
}

bool casefold_endswith(const char *text, size_t len, const char *needle, size_t needle_len)
{
    size_t chars = utf8_length(needle, needle_len);
    size_t at = len, used;

    for (; chars > 0 && at > 0; chars--) {
        do
            at--;
        while (at > 0 && ((unsigned char)text[at] & 0xc0) == 0x80);
    }
    return chars == 0 && fold_prefix(text + at, len - at, needle, needle_len, &used) &&
           used == len - at;
}

bool casefold_contains(const char *text, size_t len, const char *needle, size_t needle_len)
{
    char small[ON_STACK];
    struct buf folded;

    if (needle_len == 0)
        return true;
    /* Fold, then the C library's memmem: linear for any needle, and faster than folding per try. */
    if (len <= sizeof small && map_ascii(small, text, len, 'A') == len)
        return memmem(small, len, needle, needle_len) != NULL;

    buf_init(&folded);
    casefold_add(&folded, text, len);
    bool found = memmem(folded.data, folded.len, needle, needle_len) != NULL;
    buf_fini(&folded);
    return found;
}
