// SPDX-License-Identifier: Apache-2.0
/*
 * Texts: "with escapes" and 'raw'.
 *
 * The escapes are those of JSON (\" \\ \/ \b \f \n \r \t \uXXXX, pairs of surrogates for what is
 * above U+FFFF), so the texts of a JSON object in a test are read by the same function.
 */
#include "lang/lex.h"

#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/diag.h"
#include "base/hex.h"
#include "base/utf8.h"

/* The four digits behind \u at text[at]; false if there are no four. */
static bool hex_four(const char *text, size_t len, size_t at, uint32_t *unit_out)
{
    *unit_out = 0;
    if (at + 4 > len)
        return false;
    for (size_t i = 0; i < 4; i++) {
        int digit = hex_digit(text[at + i]);

        if (digit < 0)
            return false;
        *unit_out = *unit_out * 16 + (uint32_t)digit;
    }
    return true;
}

/* Reads \uXXXX[\uXXXX] at text[at]; gives the bytes read, 0 if it is wrong. */
static size_t unicode_escape(const char *text, size_t len, size_t at, uint32_t *cp_out)
{
    uint32_t high, low;

    if (!hex_four(text, len, at + 2, &high))
        return 0;
    *cp_out = high;
    if (high < 0xd800 || high > 0xdfff)
        return 6;
    if (high > 0xdbff || at + 8 > len || text[at + 6] != '\\' || text[at + 7] != 'u' ||
        !hex_four(text, len, at + 8, &low) || low < 0xdc00 || low > 0xdfff)
        return 0;
    *cp_out = 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
    return 12;
}

/* The byte that a one-letter escape stands for, or -1. */
static int simple_escape(char c)
{
    switch (c) {
    case '"':
    case '\\':
    case '/':
        return c;
    case 'b':
        return '\b';
    case 'f':
        return '\f';
    case 'n':
        return '\n';
    case 'r':
        return '\r';
    case 't':
        return '\t';
    default:
        return -1;
    }
}

static void wrong_escape(struct lex *lex, struct span span, size_t at, size_t len)
{
    const char *text = lex->text + span.start;
    struct span here = {span.file, span.start + (uint32_t)at, 0};
    size_t end = at + 1;

    if (end < len)
        utf8_next(text, len, &end);
    if (text[at + 1] == 'u')
        while (end < len && end < at + 6 && hex_digit(text[end]) >= 0)
            end++;
    here.end = span.start + (uint32_t)end;
    if (text[at + 1] == 'u' && end == at + 6) {
        diag_add(lex->diag, DIAG_ERROR, here, "`%.*s` is half of a surrogate pair", 6, text + at);
        diag_hint(lex->diag, "write both halves, or the character itself");
    } else if (text[at + 1] == 'u') {
        diag_add(lex->diag, DIAG_ERROR, here, "four hexadecimal digits follow `\\u`");
    } else {
        diag_add(lex->diag, DIAG_ERROR, here, "unknown escape `%.*s`", (int)(end - at), text + at);
        diag_hint(lex->diag, "a backslash is `\\\\`; in 'raw text' it stands for itself");
    }
}

bool lex_decode(struct lex *lex, struct span span, bool quiet, struct buf *out)
{
    const char *text = lex->text + span.start;
    size_t len = span.end - span.start;
    bool good = true;

    for (size_t at = 0; at < len;) {
        const char *stop = memchr(text + at, '\\', len - at);
        size_t plain = stop ? (size_t)(stop - text) - at : len - at;
        uint32_t cp;
        char bytes[4];
        size_t n = 0;
        int byte;

        buf_add(out, text + at, plain);
        at += plain;
        if (at + 1 >= len)
            break; /* the end, or the backslash of an unclosed text */
        byte = simple_escape(text[at + 1]);
        if (byte >= 0) {
            buf_addc(out, (char)byte);
            at += 2;
            continue;
        }
        if (text[at + 1] == 'u')
            n = unicode_escape(text, len, at, &cp);
        if (n > 0) {
            buf_add(out, bytes, utf8_encode(cp, bytes));
            at += n;
            continue;
        }
        if (good && !quiet)
            wrong_escape(lex, span, at, len);
        good = false;
        at++; /* the rest as it stands */
    }
    return good;
}

/* The span of what is inside the quotes, cut to the limit. */
static struct span inside(struct lex *lex, struct span span, bool closed, const char *what)
{
    struct span in = {span.file, span.start + 1, closed ? span.end - 1 : span.end};

    if (in.end - in.start > PARSE_MAX_TEXT) {
        diag_add(lex->diag, DIAG_ERROR, span, "a %s has at most %d bytes", what, (int)PARSE_MAX_TEXT);
        in.end = in.start;
    }
    return in;
}

struct ast_expr *lex_text(struct lex *lex, struct span span, bool closed)
{
    struct span in = inside(lex, span, closed, "text");
    size_t len = in.end - in.start;
    struct value value;
    struct buf out;

    if (!closed) {
        diag_add(lex->diag, DIAG_ERROR, span, "the text is not closed at the end of the line");
        diag_hint(lex->diag, "a `\"` is missing; a text that spans lines stands in 'raw quotes'");
    }
    if (!memchr(lex->text + in.start, '\\', len)) {
        value = value_text(arena_strndup(lex->arena, lex->text + in.start, len), len);
        return ast_literal(lex->arena, span, value, AST_FORM_PLAIN);
    }
    buf_init(&out);
    lex_decode(lex, in, false, &out);
    value = value_text(arena_strndup(lex->arena, out.len ? out.data : "", out.len), out.len);
    buf_fini(&out);
    return ast_literal(lex->arena, span, value, AST_FORM_PLAIN);
}

struct ast_expr *lex_raw(struct lex *lex, struct span span, bool closed)
{
    struct span in = inside(lex, span, closed, "raw text");
    const char *from = lex->text + in.start;
    size_t n = in.end - in.start, len = 0;
    char *to = arena_strndup(lex->arena, from, n);

    if (!closed) {
        struct span at = {span.file, span.start, span.start + 1};

        diag_add(lex->diag, DIAG_ERROR, at, "the raw text that begins here is not closed");
        diag_hint(lex->diag, "a `'` is missing at its end; inside it `''` is one quote");
    }
    for (size_t i = 0; i < n; i++) {
        to[len++] = from[i];
        if (from[i] == '\'') /* doubled */
            i++;
    }
    to[len] = '\0';
    return ast_literal(lex->arena, span, value_text(to, len), AST_FORM_RAW_TEXT);
}
