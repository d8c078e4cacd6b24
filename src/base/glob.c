// SPDX-License-Identifier: Apache-2.0
/*
 * glob - a `like` pattern as the pieces between its stars.
 *
 *     "ab*c?d*e"  ->  first "ab", middle "c?d", last "e"
 *
 * Each piece has a fixed number of code points. The first is anchored at the start and the last at
 * the end (either may be empty); each piece between them takes the leftmost place where it fits. No
 * choice is ever taken back: a place further to the right leaves less for the rest. So a match
 * costs at most text x longest piece, and text alone for pieces without `?` (memmem).
 *
 * Most patterns in rules have one of five simple shapes and never come to that.
 * Pattern and text are valid UTF-8. In a piece the byte ANY_CHAR, which UTF-8 never uses, is a `?`.
 */
#include "base/glob.h"

#include <string.h>

#include "base/buf.h"
#include "base/casefold.h"
#include "base/mem.h"
#include "base/utf8.h"

static const char ANY_CHAR = (char)0xff;

enum shape { LITERAL, PREFIX, SUFFIX, CONTAINS, ANYTHING, GENERAL };

struct piece {
    size_t start;  /* byte of glob.text */
    size_t len;    /* bytes */
    size_t chars;  /* code points that it matches */
    bool literal;  /* no `?` in it */
};

struct glob {
    enum shape shape;
    bool fold;
    char *text;          /* owned: the pieces one after the other, folded if fold */
    size_t len;          /* bytes of text */
    size_t prefix_len;   /* bytes of text that every match starts with */
    struct piece *piece; /* owned, at least one; n pieces have n - 1 stars between them */
    size_t n;
    size_t cap;
};

static void piece_begin(struct glob *g, size_t start)
{
    g->piece = vec_reserve(g->piece, &g->cap, g->n + 1, sizeof *g->piece);
    g->piece[g->n++] = (struct piece){ .start = start, .literal = true };
}

/* `[*]`, `[?]`, `[[]` at p, n bytes left? */
static bool is_escape(const char *p, size_t n)
{
    return n >= 3 && p[0] == '[' && p[2] == ']' && (p[1] == '*' || p[1] == '?' || p[1] == '[');
}

static void split(struct glob *g, const char *pattern, size_t len, struct buf *text)
{
    size_t i = 0;

    piece_begin(g, 0);
    while (i < len) {
        char c = pattern[i];
        if (c == '*') {
            piece_begin(g, text->len);
            while (i < len && pattern[i] == '*')
                i++;
        } else if (c == '?') {
            buf_addc(text, ANY_CHAR);
            g->piece[g->n - 1].literal = false;
            g->piece[g->n - 1].chars++;
            i++;
        } else {
            bool escape = is_escape(pattern + i, len - i);
            size_t from = i + escape, to = from;
            utf8_next(pattern, len, &to);
            if (g->fold)
                casefold_add(text, pattern + from, to - from);
            else
                buf_add(text, pattern + from, to - from);
            g->piece[g->n - 1].chars++;
            i = escape ? i + 3 : to;
        }
        g->piece[g->n - 1].len = text->len - g->piece[g->n - 1].start;
    }
}

static enum shape shape_of(const struct glob *g)
{
    const struct piece *p = g->piece;

    if (memchr(g->text, ANY_CHAR, g->len))
        return GENERAL;
    if (g->n == 1)
        return LITERAL;
    if (g->n == 2 && p[1].len == 0)
        return p[0].len ? PREFIX : ANYTHING;
    if (g->n == 2 && p[0].len == 0)
        return SUFFIX;
    if (g->n == 3 && p[0].len == 0 && p[2].len == 0)
        return CONTAINS;
    return GENERAL;
}

struct glob *glob_new(const char *pattern, size_t len, bool fold)
{
    struct glob *g = mem_calloc(1, sizeof *g);
    struct buf text;

    buf_init(&text);
    g->fold = fold;
    split(g, pattern, len, &text);
    g->len = text.len;
    g->text = buf_take(&text);
    g->shape = shape_of(g);

    const char *any = memchr(g->text, ANY_CHAR, g->piece[0].len);
    g->prefix_len = any ? (size_t)(any - g->text) : g->piece[0].len;
    return g;
}

void glob_free(struct glob **g)
{
    if (!*g)
        return;
    mem_free((*g)->text);
    mem_free((*g)->piece);
    mem_free(*g);
    *g = NULL;
}

/* Bytes of the code point at text[at]; at < len. */
static size_t char_length(const char *text, size_t len, size_t at)
{
    size_t next = at + 1;

    while (next < len && ((unsigned char)text[next] & 0xc0) == 0x80)
        next++;
    return next - at;
}

/* Does the piece fit at text[at]? *end_out: behind it. */
static bool piece_fits(const struct glob *g, const struct piece *p, const char *text, size_t len,
                       size_t at, size_t *end_out)
{
    const char *want = g->text + p->start;

    if (p->literal) {
        *end_out = at + p->len;
        return len - at >= p->len && memcmp(text + at, want, p->len) == 0;
    }
    for (size_t i = 0; i < p->len; i++) {
        if (at == len || (want[i] != ANY_CHAR && want[i] != text[at]))
            return false;
        at += want[i] == ANY_CHAR ? char_length(text, len, at) : 1;
    }
    *end_out = at;
    return true;
}

/* The leftmost place at or after text[at] where the piece fits; moves *at behind it. */
static bool piece_find(const struct glob *g, const struct piece *p, const char *text, size_t len,
                       size_t *at)
{
    if (p->literal) {
        const char *hit = memmem(text + *at, len - *at, g->text + p->start, p->len);
        if (hit)
            *at = (size_t)(hit - text) + p->len;
        return hit;
    }
    for (size_t i = *at; i < len; i += char_length(text, len, i)) {
        if (piece_fits(g, p, text, len, i, at))
            return true;
    }
    return false;
}

/* Where the last `chars` code points of text[at..] begin; false if there are fewer. */
static bool step_back(const char *text, size_t len, size_t at, size_t chars, size_t *start_out)
{
    size_t i = len;

    for (; chars > 0; chars--) {
        if (i <= at)
            return false;
        do
            i--;
        while (i > at && ((unsigned char)text[i] & 0xc0) == 0x80);
    }
    *start_out = i;
    return true;
}

/* The text is folded already if g folds. */
static bool match_pieces(const struct glob *g, const char *text, size_t len)
{
    const struct piece *last = &g->piece[g->n - 1];
    size_t at = 0, start, end;

    if (!piece_fits(g, &g->piece[0], text, len, 0, &at))
        return false;
    if (g->n == 1)
        return at == len;
    /* the cheap test of the end before the search for the pieces between */
    if (!step_back(text, len, at, last->chars, &start) ||
        !piece_fits(g, last, text, len, start, &end))
        return false;
    for (size_t i = 1; i + 1 < g->n; i++) {
        if (!piece_find(g, &g->piece[i], text, start, &at))
            return false;
    }
    return end == len;
}

static bool match_exact(const struct glob *g, const char *text, size_t len)
{
    switch (g->shape) {
    case ANYTHING:
        return true;
    case LITERAL:
        return len == g->len && memcmp(text, g->text, len) == 0;
    case PREFIX:
        return len >= g->len && memcmp(text, g->text, g->len) == 0;
    case SUFFIX:
        return len >= g->len && memcmp(text + len - g->len, g->text, g->len) == 0;
    case CONTAINS:
        return memmem(text, len, g->text, g->len) != NULL;
    case GENERAL:
        break;
    }
    return match_pieces(g, text, len);
}

static bool match_folded(const struct glob *g, const char *text, size_t len)
{
    struct buf folded;

    switch (g->shape) {
    case ANYTHING:
        return true;
    case LITERAL:
        return casefold_equal(text, len, g->text, g->len);
    case PREFIX:
        return casefold_startswith(text, len, g->text, g->len);
    case SUFFIX:
        return casefold_endswith(text, len, g->text, g->len);
    case CONTAINS:
        return casefold_contains(text, len, g->text, g->len);
    case GENERAL:
        break;
    }
    /* most texts fail here, before anything is folded or allocated */
    if (!casefold_startswith(text, len, g->text, g->prefix_len))
        return false;
    buf_init(&folded);
    casefold_add(&folded, text, len);
    bool found = match_pieces(g, folded.data, folded.len);
    buf_fini(&folded);
    return found;
}

bool glob_match(const struct glob *g, const char *text, size_t len)
{
    if (len == 0)
        text = ""; /* NULL is fine for an empty text */
    return g->fold ? match_folded(g, text, len) : match_exact(g, text, len);
}
