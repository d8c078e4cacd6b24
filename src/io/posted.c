// SPDX-License-Identifier: Apache-2.0
#include "io/posted.h"

#include <string.h>

static bool is_white(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static void skip_white(struct posted *p)
{
    while (p->at < p->len && is_white(p->text[p->at]))
        p->at++;
}

void posted_init(struct posted *p, const char *text, size_t len, bool is_json)
{
    *p = (struct posted){.text = text, .len = len};
    if (len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
        p->at = 3;
    size_t begin = p->at;
    skip_white(p);
    if (p->at < len && text[p->at] == '[')
        p->form = POSTED_ARRAY;
    else
        p->form = is_json ? POSTED_VALUES : POSTED_LINES;
    if (p->form == POSTED_LINES) /* blank lines have numbers */
        p->at = begin;
}

/* ---- lines ----------------------------------------------------------------------------------- */

static enum posted_got next_line(struct posted *p, const char **text_out, size_t *len_out)
{
    while (p->at < p->len) {
        const char *line = p->text + p->at;
        const char *end = memchr(line, '\n', p->len - p->at);
        size_t len = end ? (size_t)(end - line) : p->len - p->at;
        size_t blank = 0;

        p->at += len + (end != NULL);
        p->number++;
        if (len > 0 && line[len - 1] == '\r')
            len--;
        while (blank < len && is_white(line[blank]))
            blank++;
        if (blank == len)
            continue;
        *text_out = line;
        *len_out = len;
        return POSTED_EVENT;
    }
    return POSTED_END;
}

/* ---- values ---------------------------------------------------------------------------------- */

/* Behind the text that begins at `at`; len: it has no end. */
static size_t text_end(const struct posted *p, size_t at)
{
    for (at++; at < p->len && p->text[at] != '"'; at++)
        at += p->text[at] == '\\';
    return at < p->len ? at + 1 : p->len;
}

/* Behind the value that begins at p->at, whatever is in it; SIZE_MAX: it is not closed. */
static size_t value_end(const struct posted *p)
{
    size_t depth = 0, at = p->at;

    while (at < p->len) {
        char c = p->text[at];
        if (c == '"') {
            at = text_end(p, at);
        } else if (c == '{' || c == '[') {
            depth++;
            at++;
        } else if (c == '}' || c == ']') {
            at++;
            if (depth <= 1)
                return at;
            depth--;
            continue;
        } else if (depth > 0) {
            at++;
            continue;
        } else {
            while (at < p->len && !is_white(p->text[at]) && !strchr(",]}[{\"", p->text[at]))
                at++;
            return at > p->at ? at : at + 1;
        }
        if (depth == 0)
            return at;
    }
    return SIZE_MAX;
}

static enum posted_got broken(const char *why, const char **why_out)
{
    *why_out = why;
    return POSTED_BROKEN;
}

static enum posted_got end_array(struct posted *p, const char **why_out)
{
    p->at++;
    skip_white(p);
    return p->at == p->len ? POSTED_END : broken("something stands behind the array", why_out);
}

static enum posted_got next_element(struct posted *p, const char **text_out, size_t *len_out,
                                    const char **why_out)
{
    bool first = !p->begun;

    if (first)
        p->at++; /* the [ */
    p->begun = true;
    skip_white(p);
    if (p->at < p->len && p->text[p->at] == ']')
        return end_array(p, why_out);
    if (!first) {
        if (p->at >= p->len || p->text[p->at] != ',')
            return broken(p->at < p->len ? "`,` or `]` is missing" : "the array has no end", why_out);
        p->at++;
        skip_white(p);
    }
    if (p->at >= p->len)
        return broken("the array has no end", why_out);
    if (strchr(",]}", p->text[p->at]))
        return broken("a value is missing", why_out);
    size_t end = value_end(p);
    if (end == SIZE_MAX)
        return broken("what begins here has no end", why_out);
    *text_out = p->text + p->at;
    *len_out = end - p->at;
    p->at = end;
    p->number++;
    return POSTED_EVENT;
}

static enum posted_got next_value(struct posted *p, const char **text_out, size_t *len_out)
{
    skip_white(p);
    if (p->at == p->len)
        return POSTED_END;
    size_t end = value_end(p);
    if (end > p->len)
        end = p->len; /* who reads it says what is wrong */
    *text_out = p->text + p->at;
    *len_out = end - p->at;
    p->at = end;
    p->number++;
    return POSTED_EVENT;
}

enum posted_got posted_next(struct posted *p, const char **text_out, size_t *len_out,
                            const char **why_out)
{
    switch (p->form) {
    case POSTED_LINES: return next_line(p, text_out, len_out);
    case POSTED_ARRAY: return next_element(p, text_out, len_out, why_out);
    case POSTED_VALUES: return next_value(p, text_out, len_out);
    }
    return POSTED_END;
}
