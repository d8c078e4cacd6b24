// SPDX-License-Identifier: Apache-2.0
/*
 * template - see template.h. Here: reading a template along the grammar of what it makes. The template's
 * own text goes to `own`; each placeholder notes how much of that stands before it.
 */
#include "io/template.h"

#include <stdarg.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "io/template_priv.h"

enum { MAX_NESTING = 64 };

bool template_fail(struct template_reader *r, const char *at, const char *format, ...)
{
    size_t line = 1, column = 1;
    va_list args;

    if (r->failed)
        return false;
    r->failed = true;
    for (size_t i = 0; r->text + i < at;) {
        bool newline = r->text[i] == '\n';
        (void)utf8_next(r->text, (size_t)(r->end - r->text), &i);
        line += newline;
        column = newline ? 1 : column + 1;
    }
    buf_printf(r->why, "line %zu, column %zu: ", line, column);
    va_start(args, format);
    buf_vprintf(r->why, format, args);
    va_end(args);
    return false;
}

/* ---- text ------------------------------------------------------------------------------------ */

static void copy_own(struct template_reader *r, size_t n)
{
    buf_add(&r->t->own, r->at, n);
    r->at += n;
}

/* At an `{` of a text: a placeholder, or the brace that `{{` stands for. */
static bool read_brace(struct template_reader *r, bool in_text)
{
    if (template_place_begins(r->at, r->end))
        return template_read_place(r, in_text);
    if (r->end - r->at < 2 || r->at[1] != '{')
        return template_fail(r, r->at, "an `{` in a text is written `{{`; a placeholder is `{title}`");
    r->at++;
    copy_own(r, 1);
    return true;
}

static bool read_plain(struct template_reader *r)
{
    while (r->at < r->end) {
        if (*r->at == '{' && !read_brace(r, false))
            return false;
        const char *brace = r->at < r->end ? memchr(r->at, '{', (size_t)(r->end - r->at)) : NULL;
        copy_own(r, (size_t)((brace ? brace : r->end) - r->at));
    }
    return true;
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void read_blanks(struct template_reader *r)
{
    size_t n = 0;

    while (r->at + n < r->end && strchr(" \t\r\n", r->at[n]) && r->at[n])
        n++;
    copy_own(r, n);
}

static bool at_char(const struct template_reader *r, char c)
{
    return r->at < r->end && *r->at == c;
}

/* What is there, for messages. */
static void expected(struct template_reader *r, const char *what)
{
    size_t n = 0;

    if (r->at == r->end) {
        template_fail(r, r->at, "the template ends where %s is expected", what);
        return;
    }
    (void)utf8_next(r->at, (size_t)(r->end - r->at), &n);
    template_fail(r, r->at, "%s is expected here, not `%.*s`", what, (int)n, r->at);
}

static bool read_escape(struct template_reader *r)
{
    size_t n = r->end - r->at < 2 ? 0 : r->at[1] == 'u' ? 6 : 2;

    if (n == 0 || !strchr("\"\\/bfnrtu", r->at[1]) || (size_t)(r->end - r->at) < n)
        return template_fail(r, r->at, "JSON has no such escape");
    for (size_t i = 2; i < n; i++)
        if (!strchr("0123456789abcdefABCDEF", r->at[i]) || !r->at[i])
            return template_fail(r, r->at, "four hex digits follow \\u");
    if (n == 6 && (r->at[2] | 0x20) == 'd' && r->at[3] >= '8')
        return template_fail(r, r->at, "surrogates are not taken; write the character itself");
    copy_own(r, n);
    return true;
}

static bool read_json_text(struct template_reader *r)
{
    const char *open = r->at;

    copy_own(r, 1);
    while (r->at < r->end) {
        unsigned char c = (unsigned char)*r->at;
        if (c == '"') {
            copy_own(r, 1);
            return true;
        }
        if (c < 0x20)
            return template_fail(r, r->at, c == '\n' ? "the text that is open here needs a `\"`, and "
                                                       "a new line in it is \\n"
                                                     : "a control character in a text is \\u00XX");
        if (c == '\\' ? !read_escape(r) : c == '{' ? !read_brace(r, true) : (copy_own(r, 1), false))
            return false;
    }
    return template_fail(r, open, "this text does not end");
}

static bool read_json_value(struct template_reader *r, int depth);

static bool read_json_member(struct template_reader *r, char close, int depth)
{
    read_blanks(r);
    if (close == '}') {
        if (template_place_begins(r->at, r->end))
            return template_fail(r, r->at, "a member's name is a text: write \"{...}\", with quotes");
        if (!at_char(r, '"')) {
            expected(r, "the name of a member, in quotes,");
            return false;
        }
        if (!read_json_text(r))
            return false;
        read_blanks(r);
        if (!at_char(r, ':')) {
            expected(r, "`:`");
            return false;
        }
        copy_own(r, 1);
    }
    return read_json_value(r, depth + 1);
}

static bool read_json_members(struct template_reader *r, char close, int depth)
{
    if (depth == MAX_NESTING)
        return template_fail(r, r->at, "deeper than %d levels", MAX_NESTING);
    copy_own(r, 1);
    read_blanks(r);
    if (at_char(r, close)) {
        copy_own(r, 1);
        return true;
    }
    for (;;) {
        if (!read_json_member(r, close, depth))
            return false;
        read_blanks(r);
        bool more = at_char(r, ',');
        if (!more && !at_char(r, close)) {
            expected(r, close == '}' ? "`,` or `}`" : "`,` or `]`");
            return false;
        }
        copy_own(r, 1);
        if (!more)
            return true;
    }
}

static bool read_json_scalar(struct template_reader *r)
{
    struct json_view view;
    size_t n = 0;

    while (r->at + n < r->end && r->at[n] && !strchr(",:{}[]\" \t\r\n", r->at[n]))
        n++;
    if (n == 0 || !json_view_parse(r->at, n, &view)) {
        expected(r, "a value (an object, array, text in quotes, number, true, false, null, or a "
                    "placeholder)");
        return false;
    }
    copy_own(r, n);
    return true;
}

static bool read_json_value(struct template_reader *r, int depth)
{
    read_blanks(r);
    if (template_place_begins(r->at, r->end))
        return template_read_place(r, false);
    switch (r->at < r->end ? *r->at : '\0') {
    case '{': return read_json_members(r, '}', depth);
    case '[': return read_json_members(r, ']', depth);
    case '"': return read_json_text(r);
    default: return read_json_scalar(r);
    }
}

static bool read_json(struct template_reader *r)
{
    if (!read_json_value(r, 0))
        return false;
    read_blanks(r);
    if (r->at < r->end)
        return template_fail(r, r->at, "something follows the JSON value");
    return true;
}

/* Values one a line; none goes over several. */
static bool read_json_lines(struct template_reader *r)
{
    const char *end = r->end;

    do {
        const char *newline = memchr(r->at, '\n', (size_t)(end - r->at));
        r->end = newline ? newline : end;
        if (!read_json(r))
            return false;
        r->end = end;
        copy_own(r, newline != NULL);
    } while (r->at < end);
    if (r->t->own.len == 0 || r->t->own.data[r->t->own.len - 1] != '\n' ||
        (r->t->n_places > 0 && r->t->tail_from == r->t->own.len))
        buf_addc(&r->t->own, '\n');
    return true;
}

/* ---- beginning and end ----------------------------------------------------------------------- */

static bool ends_with(const char *text, size_t len, const char *end)
{
    size_t n = strlen(end);

    return len >= n && strncasecmp(text + len - n, end, n) == 0;
}

static bool is_type(const char *text, size_t len, const char *type)
{
    return len == strlen(type) && strncasecmp(text, type, len) == 0;
}

enum template_mode template_mode_of(const char *content_type)
{
    size_t len = strcspn(content_type, "; \t");

    if (is_type(content_type, len, "application/x-ndjson") ||
        is_type(content_type, len, "application/jsonl"))
        return TEMPLATE_JSON_LINES;
    if (is_type(content_type, len, "application/x-www-form-urlencoded"))
        return TEMPLATE_FORM;
    if (ends_with(content_type, len, "/json") || ends_with(content_type, len, "+json"))
        return TEMPLATE_JSON;
    if (ends_with(content_type, len, "/html") || ends_with(content_type, len, "/xml") ||
        ends_with(content_type, len, "+xml"))
        return TEMPLATE_MARKUP;
    return TEMPLATE_TEXT;
}

struct template *template_new(const char *text, size_t len, enum template_mode mode, struct buf *why)
{
    struct template *t = mem_calloc(1, sizeof *t);
    struct template_reader r = {.t = t, .text = text, .at = text, .end = text + len, .why = why};
    size_t bad;

    t->mode = mode;
    buf_adds(&t->own, ""); /* never NULL */
    if (len > TEMPLATE_MAX_BYTES)
        template_fail(&r, text, "a template has at most %d bytes", TEMPLATE_MAX_BYTES);
    else if (!utf8_valid(text, len, &bad))
        template_fail(&r, text + bad, "not UTF-8");
    else if (mode == TEMPLATE_JSON)
        (void)read_json(&r);
    else if (mode == TEMPLATE_JSON_LINES)
        (void)read_json_lines(&r);
    else
        (void)read_plain(&r);
    if (r.failed)
        template_free(&t);
    return t;
}

static void free_place(struct template_place *place)
{
    for (size_t i = 0; i < place->n_filters; i++) {
        for (size_t k = 0; k < place->filter[i].n_arguments; k++)
            mem_free(place->filter[i].argument[k].text);
        mem_free(place->filter[i].argument);
    }
    mem_free(place->filter);
    for (size_t i = 0; i < place->path.n_steps; i++)
        mem_free((void *)(uintptr_t)place->path.step[i].name);
    mem_free((void *)(uintptr_t)place->path.step);
    mem_free((void *)(uintptr_t)place->path.written);
}

void template_free(struct template **t)
{
    struct template *old = *t;

    *t = NULL;
    if (!old)
        return;
    for (size_t i = 0; i < old->n_places; i++)
        free_place(&old->place[i]);
    mem_free(old->place);
    buf_fini(&old->own);
    mem_free(old);
}

size_t template_own_bytes(const struct template *t)
{
    return t->own.len;
}

size_t template_count(const struct template *t)
{
    return t->n_places;
}

const struct template_path *template_path(const struct template *t, size_t i)
{
    return &t->place[i].path;
}
