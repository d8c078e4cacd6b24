// SPDX-License-Identifier: Apache-2.0
/*
 * format_lex - tokens and comments of a text that is known to parse: only their bounds matter, so
 * this is less than grammar/rule.l. If the two ever differ, format.c sees it: what it gives is
 * parsed again.
 */
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "lang/format_priv.h"

struct scan {
    const char *text;
    size_t len, at;
};

static char at(const struct scan *s, size_t i)
{
    return i < s->len ? s->text[i] : '\0';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '@';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f';
}

static bool starts_comment(const struct scan *s)
{
    return at(s, s->at) == '#' || (at(s, s->at) == '/' && at(s, s->at + 1) == '/');
}

/* ---- one token ---------------------------------------------------------------------------- */

static size_t end_of_quoted(const struct scan *s)
{
    char quote = s->text[s->at];
    size_t i = s->at + 1;

    for (; i < s->len; i++) {
        if (quote == '"' && s->text[i] == '\\')
            i++;
        else if (s->text[i] == quote && (quote == '"' || at(s, i + 1) != quote))
            return i + 1;
        else if (s->text[i] == quote)
            i++; /* doubled */
    }
    return s->len;
}

/* `2027-01-01`, with a time behind it or not; 0 if it is none. */
static size_t end_of_date(const struct scan *s)
{
    static const char form[] = "dddd-dd-dd";
    size_t i = s->at;

    for (const char *f = form; *f; f++, i++)
        if (*f == 'd' ? !is_digit(at(s, i)) : at(s, i) != *f)
            return 0;
    if ((at(s, i) != 'T' && at(s, i) != 't') || !is_digit(at(s, i + 1)))
        return i;
    for (i++; is_digit(at(s, i)) || at(s, i) == ':' || (at(s, i) == '.' && is_digit(at(s, i + 1)));)
        i++;
    if (at(s, i) == 'Z' || at(s, i) == 'z')
        return i + 1;
    if ((at(s, i) == '+' || at(s, i) == '-') && is_digit(at(s, i + 1)))
        for (i++; is_digit(at(s, i)) || at(s, i) == ':';)
            i++;
    return i;
}

static size_t end_of_number(const struct scan *s)
{
    size_t i = end_of_date(s);

    if (i > 0)
        return i;
    for (i = s->at; is_digit(at(s, i)) || (at(s, i) == '.' && is_digit(at(s, i + 1)));)
        i++;
    if ((at(s, i) == 'e' || at(s, i) == 'E') && (at(s, i + 1) == '+' || at(s, i + 1) == '-') &&
        is_digit(at(s, i + 2)))
        for (i += 2; is_digit(at(s, i));)
            i++;
    while (is_digit(at(s, i)) || is_letter(at(s, i)) || (at(s, i) == '.' && is_digit(at(s, i + 1))))
        i++;
    return i;
}

static size_t end_of_sign(const struct scan *s)
{
    static const char *const signs[] = {"==~", "!=~", "==", "!=", "<=", ">=", "??", ".."};

    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        size_t n = strlen(signs[i]);

        if (s->len - s->at >= n && memcmp(s->text + s->at, signs[i], n) == 0)
            return s->at + n;
    }
    return s->at + 1;
}

static size_t end_of_word(const struct scan *s)
{
    size_t i = s->at;

    while (is_letter(at(s, i)) || is_digit(at(s, i)))
        i++;
    return at(s, i) == '~' ? i + 1 : i;
}

static enum format_kind scan_token(const struct scan *s, size_t *end_out)
{
    char c = s->text[s->at];

    if (is_letter(c)) {
        *end_out = end_of_word(s);
        return FORMAT_WORD;
    }
    if (is_digit(c)) {
        *end_out = end_of_number(s);
        return FORMAT_NUMBER;
    }
    if (c == '"' || c == '\'' || c == '`') {
        *end_out = end_of_quoted(s);
        return c == '`' ? FORMAT_QUOTED : FORMAT_TEXT;
    }
    *end_out = end_of_sign(s);
    return FORMAT_SIGN;
}

/* ---- all of them -------------------------------------------------------------------------- */

static uint32_t skip_blanks(struct scan *s)
{
    uint32_t newlines = 0;

    for (; s->at < s->len && is_blank(s->text[s->at]); s->at++)
        newlines += s->text[s->at] == '\n';
    return newlines;
}

static void add_comment(struct format_text *ft, struct scan *s, uint32_t newlines, bool first)
{
    const char *stop = memchr(s->text + s->at, '\n', s->len - s->at);
    size_t next = stop ? (size_t)(stop - s->text) : s->len, end = next;

    while (end > s->at && is_blank(s->text[end - 1]))
        end--;
    ft->comment = vec_reserve(ft->comment, &ft->cap_comments, (size_t)ft->n_comments + 1,
                              sizeof *ft->comment);
    ft->comment[ft->n_comments++] = (struct format_comment){
        .start = (uint32_t)s->at, .end = (uint32_t)end, .own_line = newlines > 0 || first,
        .blank_before = newlines > 1};
    s->at = next;
}

void format_lex(struct format_text *ft, const char *text, size_t len)
{
    struct scan s = {text, len, 0};
    enum format_kind kind;

    *ft = (struct format_text){.text = text, .len = len};
    do {
        uint32_t newlines = skip_blanks(&s), first_comment = ft->n_comments;
        size_t end = len;

        while (s.at < len && starts_comment(&s)) {
            add_comment(ft, &s, newlines, s.at == 0 || (ft->n == 0 && ft->n_comments == 0));
            newlines = skip_blanks(&s);
        }
        kind = s.at < len ? scan_token(&s, &end) : FORMAT_END;
        ft->token = vec_reserve(ft->token, &ft->cap, (size_t)ft->n + 1, sizeof *ft->token);
        ft->token[ft->n++] = (struct format_token){
            .start = (uint32_t)s.at, .end = (uint32_t)end, .kind = (uint8_t)kind,
            .first_comment = first_comment, .n_comments = ft->n_comments - first_comment,
            .newline_before = newlines > 0, .blank_before = newlines > 1,
            .anchor = FORMAT_NO_ANCHOR};
        s.at = end;
    } while (kind != FORMAT_END);
}

void format_fini(struct format_text *ft)
{
    mem_free(ft->token);
    mem_free(ft->comment);
    *ft = (struct format_text){0};
}

bool format_is(const struct format_text *ft, uint32_t token, const char *text)
{
    const struct format_token *t = &ft->token[token < ft->n ? token : ft->n - 1];
    size_t n = strlen(text);

    return (t->kind == FORMAT_WORD || t->kind == FORMAT_SIGN) && t->end - t->start == n &&
           memcmp(ft->text + t->start, text, n) == 0;
}

uint32_t format_columns(const char *text, size_t len)
{
    uint32_t n = 0;

    for (size_t i = 0; i < len;) {
        n = text[i] == '\n' ? 0 : n + 1;
        utf8_next(text, len, &i);
    }
    return n;
}
