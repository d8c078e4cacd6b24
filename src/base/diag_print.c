// SPDX-License-Identifier: Apache-2.0
/*
 * diag_print - messages for people (with the source line and a caret) and for programs (JSON).
 *
 *     rules.toc:3:9: error: unknown field "usr"
 *         where usr == "root"
 *               ^~~ did you mean "user"?
 *
 * Line and caret line go through the same steps, code point by code point, so they line up: tabs
 * stay tabs in both, whatever the terminal makes of them. A line longer than WINDOW columns is cut
 * to a window that shows the span.
 */
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/diag.h"
#include "base/diag_priv.h"
#include "base/mem.h"
#include "base/utf8.h"

enum { WINDOW = 120, BEFORE = 40 }; /* columns: of a cut line, of those before the span */

static const char INDENT[] = "    ";
static const char CUT[] = "...";
static const char *const LEVEL[] = { [DIAG_ERROR] = "error", [DIAG_WARNING] = "warning" };

/* The first line of a span. Columns count code points of the line, from 0. */
struct excerpt {
    const char *text; /* the line without its end */
    size_t len;       /* bytes */
    size_t from;      /* first column of the window */
    size_t to;        /* behind the last one */
    size_t columns;   /* of the line */
    size_t mark;      /* first column of the span */
    size_t mark_end;  /* behind its last on this line, and > mark */
};

void diag_add_shown(struct buf *out, uint32_t cp)
{
    char bytes[4];

    if (cp == '\n' || cp == '\r' || cp == '\t')
        cp = ' ';
    /* the bidirectional ones would show a rule that is not there */
    buf_add(out, bytes, utf8_encode(utf8_is_hidden(cp) ? 0xfffd : cp, bytes));
}

static int compare(const void *a, const void *b)
{
    const struct diag_message *const *pa = a, *const *pb = b;
    const struct diag_message *x = *pa, *y = *pb;

    if (x->span.file != y->span.file)
        return x->span.file < y->span.file ? -1 : 1;
    if (x->span.start != y->span.start)
        return x->span.start < y->span.start ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

/* By file, position, order of adding. Returns owned. */
static const struct diag_message **sorted(const struct diag *d)
{
    const struct diag_message **list = mem_calloc(d->message_n, sizeof(struct diag_message *));

    for (size_t i = 0; i < d->message_n; i++)
        list[i] = &d->message[i];
    if (d->message_n > 1)
        qsort(list, d->message_n, sizeof(struct diag_message *), compare);
    return list;
}

static void clamp(const struct diag_file *f, struct span span, size_t *start_out, size_t *end_out)
{
    *start_out = span.start < f->len ? span.start : f->len;
    *end_out = span.end < f->len ? span.end : f->len;
    if (*end_out < *start_out)
        *end_out = *start_out;
}

static struct excerpt excerpt_of(const struct diag_file *f, struct span span)
{
    size_t start, end;
    clamp(f, span, &start, &end);

    size_t line_start = f->line[diag_line_of(f, start)];
    const char *text = f->text + line_start;
    const char *newline = memchr(text, '\n', f->len - line_start);
    size_t len = newline ? (size_t)(newline - text) : f->len - line_start;
    if (len > 0 && text[len - 1] == '\r')
        len--;
    start -= line_start;
    end -= line_start;
    if (start > len)
        start = len;
    if (end > len)
        end = len;

    struct excerpt e = { .text = text, .len = len };
    e.columns = diag_columns(text, len);
    e.mark = diag_columns(text, start);
    e.mark_end = e.mark + (end > start ? diag_columns(text + start, end - start) : 1);
    e.to = e.columns;
    if (e.columns > WINDOW) {
        e.from = e.mark > BEFORE ? e.mark - BEFORE : 0;
        if (e.from > e.columns - WINDOW)
            e.from = e.columns - WINDOW;
        e.to = e.from + WINDOW;
    }
    return e;
}

static void add_line(struct buf *out, const struct excerpt *e)
{
    size_t column = 0;

    buf_adds(out, INDENT);
    if (e->from > 0)
        buf_adds(out, CUT);
    for (size_t i = 0; i < e->len && column < e->to; column++) {
        uint32_t cp = utf8_next(e->text, e->len, &i);
        if (column < e->from)
            continue;
        if (cp == '\t')
            buf_addc(out, '\t');
        else
            diag_add_shown(out, cp);
    }
    if (e->to < e->columns)
        buf_adds(out, CUT);
    buf_addc(out, '\n');
}

static void add_caret(struct buf *out, const struct excerpt *e, const char *hint)
{
    size_t column = 0;
    /* the end of a line that is cut at the window, or of a span behind the last character */
    size_t last = e->mark_end <= e->to || e->mark >= e->to ? e->mark_end : e->to;

    buf_adds(out, INDENT);
    if (e->from > 0)
        buf_adds(out, "   ");
    for (size_t i = 0; i < e->len && column < e->mark; column++) {
        uint32_t cp = utf8_next(e->text, e->len, &i);
        if (column >= e->from)
            buf_addc(out, cp == '\t' ? '\t' : ' ');
    }
    buf_addc(out, '^');
    for (size_t i = e->mark + 1; i < last; i++)
        buf_addc(out, '~');
    if (hint)
        buf_printf(out, " %s", hint);
    buf_addc(out, '\n');
}

static void add_place(struct buf *out, const struct diag *d, struct span span)
{
    uint32_t line, column;
    const char *name = diag_file_name(d, span.file);

    diag_locate(d, span, &line, &column);
    for (size_t i = 0, len = strlen(name); i < len;)
        diag_add_shown(out, utf8_next(name, len, &i));
    buf_printf(out, ":%u:%u: ", line, column);
}

static void add_brief(struct buf *out, const struct diag *d, const struct diag_message *m)
{
    if (m->span.file < d->file_n)
        add_place(out, d, m->span);
    buf_printf(out, "%s: %s", LEVEL[m->level], m->text);
    if (m->hint)
        buf_printf(out, " (%s)", m->hint);
    buf_addc(out, '\n');
}

static void add_message(struct buf *out, const struct diag *d, const struct diag_message *m)
{
    bool located = m->span.file < d->file_n;
    struct excerpt e = { 0 };

    if (located) {
        add_place(out, d, m->span);
        e = excerpt_of(&d->file[m->span.file], m->span);
    }
    buf_printf(out, "%s: %s\n", LEVEL[m->level], m->text);
    if (e.len > 0) {
        add_line(out, &e);
        add_caret(out, &e, m->hint);
    } else if (m->hint) {
        buf_printf(out, "%s%s\n", INDENT, m->hint);
    }
}

static void add_rest(struct buf *out, size_t total, size_t kept, enum diag_level level)
{
    if (total > kept)
        buf_printf(out, "and %zu more %s%s\n", total - kept, LEVEL[level],
                   total - kept == 1 ? "" : "s");
}

static void print_with(const struct diag *d, struct buf *out,
                       void add(struct buf *, const struct diag *, const struct diag_message *))
{
    const struct diag_message **list = sorted(d);

    for (size_t i = 0; i < d->message_n; i++)
        add(out, d, list[i]);
    mem_free(list);
    add_rest(out, d->total[DIAG_ERROR], d->keeps[DIAG_ERROR], DIAG_ERROR);
    add_rest(out, d->total[DIAG_WARNING], d->keeps[DIAG_WARNING], DIAG_WARNING);
}

void diag_print(const struct diag *d, struct buf *out)
{
    print_with(d, out, add_message);
}

void diag_print_brief(const struct diag *d, struct buf *out)
{
    print_with(d, out, add_brief);
}

/* A hint may name a place, as FILE:LINE: the file is called as it is elsewhere, without the prefix. */
static const char *place_in(const char *hint, const struct diag *d, const char *prefix)
{
    for (size_t i = 0; i < d->file_n; i++) {
        const char *name = d->file[i].name, *at = strstr(hint, name);
        if (at && at[strlen(name)] == ':' && strncmp(name, prefix, strlen(prefix)) == 0)
            return at;
    }
    return NULL;
}

static void add_json_hint(struct buf *out, const struct diag *d, const char *hint, const char *prefix)
{
    const char *place = place_in(hint, d, prefix);
    struct buf told;

    buf_init(&told);
    buf_adds(&told, "");
    if (place)
        buf_add(&told, hint, (size_t)(place - hint));
    buf_adds(&told, place ? place + strlen(prefix) : hint);
    buf_add_json_text(out, told.data, told.len);
    buf_fini(&told);
}

static void add_json(struct buf *out, const struct diag *d, const struct diag_message *m,
                     const char *prefix)
{
    buf_printf(out, "{\"level\":\"%s\"", LEVEL[m->level]);
    if (m->span.file < d->file_n) {
        const struct diag_file *f = &d->file[m->span.file];
        size_t skip = strncmp(f->name, prefix, strlen(prefix)) == 0 ? strlen(prefix) : 0;
        struct buf name;
        size_t start, end;
        uint32_t line, column;

        clamp(f, m->span, &start, &end);
        diag_locate(d, m->span, &line, &column);
        buf_init(&name);
        buf_adds(&name, "");
        for (size_t i = skip, len = strlen(f->name); i < len;)
            diag_add_shown(&name, utf8_next(f->name, len, &i));
        buf_adds(out, ",\"file\":");
        buf_add_json_text(out, name.data, name.len);
        buf_printf(out, ",\"line\":%u,\"column\":%u,\"length\":%zu", line, column,
                   diag_columns(f->text + start, end - start));
        buf_fini(&name);
    } else {
        buf_adds(out, ",\"file\":null,\"line\":null,\"column\":null,\"length\":null");
    }
    buf_adds(out, ",\"message\":");
    buf_add_json_text(out, m->text, strlen(m->text));
    buf_adds(out, ",\"hint\":");
    if (m->hint)
        add_json_hint(out, d, m->hint, prefix);
    else
        buf_adds(out, "null");
    buf_addc(out, '}');
}

static bool is_in(const struct diag *d, const struct diag_message *m, const char *file)
{
    return m->span.file < d->file_n && strcmp(d->file[m->span.file].name, file) == 0;
}

size_t diag_errors_in(const struct diag *d, const char *file)
{
    size_t n = 0;

    for (size_t i = 0; i < d->message_n; i++)
        n += d->message[i].level == DIAG_ERROR && is_in(d, &d->message[i], file);
    return n;
}

void diag_print_json_in(const struct diag *d, const char *file, const char *prefix, bool errors,
                        bool warnings, struct buf *out)
{
    const struct diag_message **list = sorted(d);
    size_t told[2] = {0};

    buf_addc(out, '[');
    for (size_t i = 0; i < d->message_n; i++) {
        if ((list[i]->level == DIAG_ERROR ? !errors : !warnings) || (file && !is_in(d, list[i], file)))
            continue;
        if (told[list[i]->level]++ >= (list[i]->level == DIAG_ERROR ? DIAG_MAX_ERRORS : DIAG_MAX_WARNINGS))
            continue;
        if (told[DIAG_ERROR] + told[DIAG_WARNING] > 1)
            buf_addc(out, ',');
        add_json(out, d, list[i], prefix);
    }
    buf_addc(out, ']');
    mem_free(list);
}

void diag_print_json_below(const struct diag *d, const char *prefix, bool errors, bool warnings,
                           struct buf *out)
{
    diag_print_json_in(d, NULL, prefix, errors, warnings, out);
}

void diag_print_json(const struct diag *d, struct buf *out)
{
    diag_print_json_below(d, "", true, true, out);
}
