// SPDX-License-Identifier: Apache-2.0
/*
 * template_place - reading one placeholder: `{` path (`|` filter [`(` argument, ... `)`])* `}`.
 * Blanks may stand between its parts. An argument is what stands between the commas, or 'text' (a quote in
 * it is written twice); neither needs double quotes, so that it can stand inside a JSON text.
 */
#include <string.h>

#include "base/mem.h"
#include "base/suggest.h"
#include "io/template_priv.h"

static bool starts_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '@' || c == '`';
}

static bool in_name(char c)
{
    return starts_name(c) || (c >= '0' && c <= '9') || c == '-' || c == '$';
}

bool template_place_begins(const char *p, const char *end)
{
    return end - p >= 2 && *p == '{' && starts_name(p[1]);
}

static void skip_blanks(struct template_reader *r)
{
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\t'))
        r->at++;
}

static bool take(struct template_reader *r, char c)
{
    if (r->at == r->end || *r->at != c)
        return false;
    r->at++;
    return true;
}

/* ---- path ------------------------------------------------------------------------------------ */

struct steps {
    struct template_step *step;
    size_t n, cap;
};

static void add_step(struct steps *s, char *name, size_t len, int64_t index)
{
    s->step = vec_reserve(s->step, &s->cap, s->n + 1, sizeof *s->step);
    s->step[s->n++] = (struct template_step){name, len, index};
}

/* `any name`, in which `` is a backtick. */
static bool read_quoted_name(struct template_reader *r, struct steps *s)
{
    const char *open = r->at++;
    struct buf name;

    buf_init(&name);
    for (;;) {
        if (r->at == r->end || (unsigned char)*r->at < 0x20) {
            buf_fini(&name);
            return template_fail(r, open, "this name does not end: a backtick is missing");
        }
        if (*r->at == '`' && !(r->end - r->at >= 2 && r->at[1] == '`'))
            break;
        r->at += *r->at == '`';
        buf_addc(&name, *r->at++);
    }
    r->at++;
    size_t len = name.len;
    add_step(s, buf_take(&name), len, 0);
    return true;
}

static bool read_name(struct template_reader *r, struct steps *s)
{
    const char *from = r->at;

    if (r->at == r->end || !in_name(*r->at))
        return template_fail(r, r->at, "a name is expected here");
    if (*r->at == '`')
        return read_quoted_name(r, s);
    while (r->at < r->end && in_name(*r->at) && *r->at != '`')
        r->at++;
    add_step(s, mem_strndup(from, (size_t)(r->at - from)), (size_t)(r->at - from), 0);
    return true;
}

/* Digits, perhaps with a minus; at most 9 of them. */
static bool read_number(struct template_reader *r, int64_t *number_out)
{
    const char *from = r->at;
    bool minus = take(r, '-');
    int64_t number = 0;
    int digits = 0;

    for (; r->at < r->end && *r->at >= '0' && *r->at <= '9' && digits < 9; digits++)
        number = number * 10 + (*r->at++ - '0');
    *number_out = minus ? -number : number;
    return digits > 0 || template_fail(r, from, "a number is expected here");
}

static bool read_steps(struct template_reader *r, struct steps *s)
{
    if (!read_name(r, s))
        return false;
    for (;;) {
        const char *from = r->at;
        int64_t index;
        if (take(r, '.')) {
            if (!read_name(r, s))
                return false;
        } else if (take(r, '[')) {
            if (!read_number(r, &index))
                return false;
            if (!take(r, ']'))
                return template_fail(r, r->at, "`]` is expected here");
            add_step(s, NULL, 0, index);
        } else {
            return true;
        }
        if (s->n > TEMPLATE_MAX_STEPS)
            return template_fail(r, from, "a path has at most %d names", TEMPLATE_MAX_STEPS);
    }
}

static bool read_path(struct template_reader *r, struct template_place *place)
{
    const char *from = r->at;
    struct steps s = {0};
    bool good = read_steps(r, &s);

    place->path.at = (size_t)(from - r->text);
    place->path.written = mem_strndup(from, (size_t)(r->at - from));
    place->path.step = s.step;
    place->path.n_steps = s.n;
    return good;
}

/* ---- filters --------------------------------------------------------------------------------- */

/* 'text'; a quote in it is written twice. */
static bool read_quoted(struct template_reader *r, struct buf *text)
{
    const char *open = r->at++;

    for (;; r->at++) {
        if (r->at == r->end || (unsigned char)*r->at < 0x20)
            return template_fail(r, open, "this argument does not end: a ' is missing");
        if (*r->at == '"' || *r->at == '\\')
            return template_fail(r, r->at, "no double quote or backslash in an argument");
        if (*r->at == '\'' && !(r->end - r->at >= 2 && r->at[1] == '\''))
            break;
        r->at += *r->at == '\'';
        buf_addc(text, *r->at);
    }
    r->at++;
    return true;
}

/* Whatever stands there up to the next `,` or `)`, without blanks around it. */
static bool read_bare(struct template_reader *r, struct buf *text)
{
    const char *from = r->at;

    while (r->at < r->end && (unsigned char)*r->at >= 0x20 && !strchr(",)(\"'\\|{}`", *r->at))
        r->at++;
    buf_add(text, from, (size_t)(r->at - from));
    while (text->len > 0 && text->data[text->len - 1] == ' ')
        text->len--;
    return text->len > 0 ||
           template_fail(r, from, "an argument is expected here: a number, a word, or 'any text'");
}

/* Digits, perhaps with a minus, at most 9 of them. */
static bool is_number(const struct buf *text, int64_t *number_out)
{
    bool minus = text->data[0] == '-';
    int64_t number = 0;

    if (text->len == minus || text->len - minus > 9)
        return false;
    for (size_t i = minus; i < text->len; i++) {
        if (text->data[i] < '0' || text->data[i] > '9')
            return false;
        number = number * 10 + (text->data[i] - '0');
    }
    *number_out = minus ? -number : number;
    return true;
}

static bool read_argument(struct template_reader *r, struct template_filter *filter, size_t *cap)
{
    bool quoted = r->at < r->end && *r->at == '\'';
    struct template_argument argument = {0};
    struct buf text;

    buf_init(&text);
    if (!(quoted ? read_quoted(r, &text) : read_bare(r, &text))) {
        buf_fini(&text);
        return false;
    }
    buf_adds(&text, "");
    argument.is_number = !quoted && is_number(&text, &argument.number);
    argument.len = text.len;
    argument.text = buf_take(&text);
    filter->argument = vec_reserve(filter->argument, cap, filter->n_arguments + 1,
                                   sizeof *filter->argument);
    filter->argument[filter->n_arguments++] = argument;
    return true;
}

static bool read_arguments(struct template_reader *r, struct template_filter *filter)
{
    size_t cap = 0;

    skip_blanks(r);
    while (!take(r, ')')) {
        if (filter->n_arguments > 0 && !take(r, ','))
            return template_fail(r, r->at, "`,` or `)` is expected here");
        skip_blanks(r);
        if (!read_argument(r, filter, &cap))
            return false;
        skip_blanks(r);
    }
    return true;
}

static bool read_filter_name(struct template_reader *r, struct template_filter *filter)
{
    static const char *const names[] = {
#define FILTER(name, least, most, doc) #name,
#include "io/template.def"
#undef FILTER
    };
    const char *from = r->at;

    while (r->at < r->end && in_name(*r->at) && *r->at != '`')
        r->at++;
    if (r->at == from)
        return template_fail(r, from, "a filter is expected here");
    if (template_filter_named(from, (size_t)(r->at - from), &filter->name))
        return true;
    char *want = mem_strndup(from, (size_t)(r->at - from));
    struct suggest near;
    suggest_init(&near, want);
    for (size_t i = 0; i < TEMPLATE_N_FILTERS; i++)
        suggest_try(&near, names[i]);
    const char *best = suggest_result(&near);
    template_fail(r, from, "there is no filter `%s`%s%s%s", want, best ? "; did you mean `" : "",
                  best ? best : "", best ? "`?" : "");
    mem_free(want);
    return false;
}

static bool read_filter(struct template_reader *r, struct template_place *place)
{
    const char *from = r->at;

    if (place->n_filters == TEMPLATE_MAX_FILTERS)
        return template_fail(r, from, "a placeholder has at most %d filters", TEMPLATE_MAX_FILTERS);
    if (place->filter == NULL)
        place->filter = mem_calloc(TEMPLATE_MAX_FILTERS, sizeof *place->filter);
    struct template_filter *filter = &place->filter[place->n_filters];
    if (!read_filter_name(r, filter))
        return false;
    place->n_filters++; /* from here on it is freed with the place */
    if (take(r, '(') && !read_arguments(r, filter))
        return false;
    place->path.has_default |= filter->name == TEMPLATE_FILTER_default;
    return template_filter_check(r, from, filter);
}

/* ---- the whole ------------------------------------------------------------------------------- */

static bool read_rest(struct template_reader *r, struct template_place *place)
{
    if (!read_path(r, place))
        return false;
    for (;;) {
        skip_blanks(r);
        if (take(r, '}'))
            return true;
        if (!take(r, '|'))
            return template_fail(r, r->at, r->at == r->end ? "a placeholder does not end: `}` is missing"
                                                           : "`|` or `}` is expected here");
        skip_blanks(r);
        if (!read_filter(r, place))
            return false;
    }
}

bool template_read_place(struct template_reader *r, bool in_text)
{
    struct template *t = r->t;

    if (t->n_places == TEMPLATE_MAX_PLACES)
        return template_fail(r, r->at, "more than %d placeholders", TEMPLATE_MAX_PLACES);
    t->place = vec_reserve(t->place, &t->cap_places, t->n_places + 1, sizeof *t->place);
    struct template_place *place = &t->place[t->n_places++];
    *place = (struct template_place){.text_from = t->tail_from,
                                     .text_len = t->own.len - t->tail_from,
                                     .in_text = in_text};
    t->tail_from = t->own.len;
    r->at++;
    return read_rest(r, place);
}
