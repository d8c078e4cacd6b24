// SPDX-License-Identifier: Apache-2.0
/*
 * diag - a list of messages, each about a span of a registered source text.
 *
 * Adding formats the message and makes it safe to print: control characters and bytes that are not
 * UTF-8 come from the rule file, and a terminal or a JSON parser must not see them. Printing
 * (diag_print.c) sorts. A table of line starts per file turns positions into lines.
 *
 * Invariants:
 *   1. `seen` holds a hash of each distinct (level, span, message), kept or not.
 *   2. total[level] counts distinct messages; kept are the first DIAG_MAX_* of each level.
 *   3. `last` is what diag_hint writes to; NULL if the last message was not kept.
 *   4. No message that is kept quotes what is concealed in its file, whichever came first.
 */
#include "base/diag.h"

#include <stdarg.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/diag_priv.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/utf8.h"

struct diag *diag_new(void)
{
    struct diag *d = mem_calloc(1, sizeof *d);

    d->texts = arena_new(0);
    d->seen = hash_index_new();
    d->keeps[DIAG_ERROR] = DIAG_MAX_ERRORS;
    d->keeps[DIAG_WARNING] = DIAG_MAX_WARNINGS;
    return d;
}

void diag_keep_errors(struct diag *d, size_t most)
{
    d->keeps[DIAG_ERROR] = most;
}

void diag_free(struct diag **d)
{
    if (!*d)
        return;
    for (size_t i = 0; i < (*d)->file_n; i++) {
        mem_free((*d)->file[i].line);
        mem_free((*d)->file[i].hidden);
    }
    mem_free((*d)->file);
    mem_free((*d)->message);
    hash_index_free(&(*d)->seen);
    arena_free(&(*d)->texts);
    mem_free(*d);
    *d = NULL;
}

static void find_lines(struct diag_file *f)
{
    f->line = vec_reserve(NULL, &f->line_cap, 1, sizeof *f->line);
    f->line[f->line_n++] = 0;
    for (size_t i = 0; i < f->len; i++) {
        const char *newline = memchr(f->text + i, '\n', f->len - i);
        if (!newline)
            break;
        i = (size_t)(newline - f->text);
        f->line = vec_reserve(f->line, &f->line_cap, f->line_n + 1, sizeof *f->line);
        f->line[f->line_n++] = (uint32_t)i + 1;
    }
}

uint32_t diag_file_add(struct diag *d, const char *name, const char *text, size_t len)
{
    if (len > UINT32_MAX - 1)
        len = UINT32_MAX - 1; /* a span could not reach further */
    d->file = vec_reserve(d->file, &d->file_cap, d->file_n + 1, sizeof *d->file);

    struct diag_file *f = &d->file[d->file_n];
    *f = (struct diag_file){
        .name = arena_strndup(d->texts, name, strlen(name)),
        .text = arena_strndup(d->texts, text, len),
        .len = len,
    };
    find_lines(f);
    return (uint32_t)d->file_n++;
}

const char *diag_file_name(const struct diag *d, uint32_t file)
{
    return file < d->file_n ? d->file[file].name : "?";
}

const char *diag_file_text(const struct diag *d, uint32_t file, size_t *len_out)
{
    *len_out = file < d->file_n ? d->file[file].len : 0;
    return file < d->file_n ? d->file[file].text : "";
}

static bool same_hash(uint64_t value, const void *key, void *ctx)
{
    const uint64_t *want = key;

    (void)ctx;
    return value == *want;
}

/* Remembers the message; false if it was there. 64 bits of hash stand for it. */
static bool is_new(struct diag *d, enum diag_level level, struct span span, const struct buf *text)
{
    uint64_t seed = hash_mix((uint64_t)span.start << 32 | span.end, span.file);
    uint64_t hash = hash64(text->data, text->len, hash_mix(seed, level));
    uint64_t found;

    if (hash_index_get(d->seen, hash, same_hash, &hash, NULL, &found))
        return false;
    hash_index_add(d->seen, hash, hash);
    return true;
}

/* The formatted text, safe to print on one line. The caller frees it. */
static void format(struct buf *clean, const char *fmt, va_list args)
{
    struct buf raw;

    buf_init(&raw);
    buf_vprintf(&raw, fmt, args);
    buf_init(clean);
    buf_reserve(clean, raw.len);
    for (size_t i = 0; i < raw.len;)
        diag_add_shown(clean, utf8_next(raw.data, raw.len, &i));
    buf_fini(&raw);
}

/* ---- what is concealed ------------------------------------------------------------------------- */

/* Does what is quoted hold what is concealed? both: or is it a piece of it (it may be cut: "abc...")? */
static bool is_piece(const char *quoted, size_t len, const char *hidden, size_t hidden_len, bool both)
{
    const char *end = quoted + len;

    if ((both || hidden_len >= 3) && memmem(quoted, len, hidden, hidden_len))
        return true;
    while (quoted < end && (*quoted == '"' || *quoted == '\''))
        quoted++;
    while (end > quoted && (end[-1] == '"' || end[-1] == '\'' || end[-1] == '.'))
        end--;
    return both && end > quoted && memmem(hidden, hidden_len, quoted, (size_t)(end - quoted));
}

/* Back quotes within what is quoted: nobody knows where a quotation ends. */
static bool is_tangled(const char *text)
{
    size_t marks = 0;

    for (const char *c = text; *c; c++)
        marks += *c == '`';
    return marks % 2 != 0 || strstr(text, "``");
}

static void conceal_anywhere(struct diag *d, const char **text, const char *hidden, size_t hidden_len)
{
    const char *at = *text, *found;
    struct buf b;

    buf_init(&b);
    for (; (found = memmem(at, strlen(at), hidden, hidden_len)); at = found + hidden_len)
        buf_printf(&b, "%.*s***", (int)(found - at), at);
    buf_adds(&b, at);
    *text = arena_strndup(d->texts, b.data, b.len);
    buf_fini(&b);
}

/* "unexpected `what`" -> "unexpected `***`" */
static void conceal_quoted(struct diag *d, const char **text, const char *hidden, size_t hidden_len, bool both)
{
    const char *at = *text, *from, *to;
    bool changed = false;
    struct buf b;

    if (!at)
        return;
    if (is_tangled(at)) {
        conceal_anywhere(d, text, hidden, hidden_len);
        at = *text;
    }
    buf_init(&b);
    while ((from = strchr(at, '`')) && (to = strchr(from + 1, '`'))) {
        if (memchr(hidden, '`', hidden_len)) /* then nobody knows where a quotation ends */
            to = strrchr(from + 1, '`');
        bool piece = is_piece(from + 1, (size_t)(to - from - 1), hidden, hidden_len, both);
        buf_add(&b, at, (size_t)(from - at));
        buf_printf(&b, "`%.*s`", piece ? 3 : (int)(to - from - 1), piece ? "***" : from + 1);
        changed = changed || piece;
        at = to + 1;
    }
    buf_adds(&b, at);
    if (changed)
        *text = arena_strndup(d->texts, b.data, b.len);
    buf_fini(&b);
}

/* Does a message hold what is concealed? Of less than three bytes nobody could tell. */
static bool quotes(const char *hidden, size_t len, const char *text)
{
    return len >= 3 && memmem(text, strlen(text), hidden, len) != NULL;
}

/* before: it was added before that was concealed. */
static void conceal_in(struct diag *d, struct diag_message *m, struct span hidden, bool before)
{
    const char *text = d->file[hidden.file].original + hidden.start;
    size_t len = hidden.end - hidden.start;
    bool about = m->span.start < hidden.end && m->span.end > hidden.start;
    bool within = m->span.start >= hidden.start && m->span.end <= hidden.end;

    if (m->span.file != hidden.file || (!about && !quotes(text, len, m->text)))
        return;
    conceal_quoted(d, &m->text, text, len, before || within);
    conceal_quoted(d, &m->hint, text, len, before || within);
}

/* Of a message that is new, or has a new hint. */
static void conceal_all_in(struct diag *d, struct diag_message *m)
{
    const struct diag_file *f = m->span.file < d->file_n ? &d->file[m->span.file] : NULL;

    for (size_t i = 0; f && i < f->hidden_n; i++)
        conceal_in(d, m, f->hidden[i], false);
}

void diag_conceal(struct diag *d, struct span span)
{
    if (span.file >= d->file_n)
        return;
    struct diag_file *f = &d->file[span.file];
    span.end = span.end < f->len ? span.end : (uint32_t)f->len;
    if (span.end <= span.start)
        return;
    if (!f->original)
        f->original = arena_strndup(d->texts, f->text, f->len);
    f->hidden = vec_reserve(f->hidden, &f->hidden_cap, f->hidden_n + 1, sizeof *f->hidden);
    f->hidden[f->hidden_n++] = span;
    for (size_t i = 0; i < d->message_n; i++)
        conceal_in(d, &d->message[i], span, true);
    char *text = (char *)(uintptr_t)f->text; /* a copy of our own */
    for (size_t i = span.start; i < span.end; i++)
        if (text[i] != '\n')
            text[i] = '*';
}

/* ---- adding -------------------------------------------------------------------------------------- */

void diag_add(struct diag *d, enum diag_level level, struct span span, const char *fmt, ...)
{
    struct buf text;
    va_list args;

    va_start(args, fmt);
    format(&text, fmt, args);
    va_end(args);

    d->last = NULL;
    if (is_new(d, level, span, &text) && d->total[level]++ < d->keeps[level]) {
        d->message =
            vec_reserve(d->message, &d->message_cap, d->message_n + 1, sizeof *d->message);
        d->last = &d->message[d->message_n];
        *d->last = (struct diag_message){
            .level = level,
            .span = span,
            .order = d->message_n++,
            .text = arena_strndup(d->texts, text.data, text.len),
        };
        conceal_all_in(d, d->last);
    }
    buf_fini(&text);
}

void diag_hint(struct diag *d, const char *fmt, ...)
{
    struct buf text;
    va_list args;

    if (!d->last)
        return;
    va_start(args, fmt);
    format(&text, fmt, args);
    va_end(args);
    d->last->hint = text.len ? arena_strndup(d->texts, text.data, text.len) : NULL;
    conceal_all_in(d, d->last);
    buf_fini(&text);
}

size_t diag_errors(const struct diag *d)
{
    return d->total[DIAG_ERROR];
}

size_t diag_warnings(const struct diag *d)
{
    return d->total[DIAG_WARNING];
}

size_t diag_line_of(const struct diag_file *f, size_t at)
{
    size_t low = 0, high = f->line_n;

    /* invariant: line[low] <= at < line[high] */
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (f->line[middle] <= at)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Code points, each byte that is not UTF-8 counted as one: as diag_add_shown prints them. */
size_t diag_columns(const char *text, size_t len)
{
    size_t n = 0;

    for (size_t i = 0; i < len; n++)
        utf8_next(text, len, &i);
    return n;
}

void diag_locate(const struct diag *d, struct span span, uint32_t *line_out, uint32_t *column_out)
{
    *line_out = *column_out = 1;
    if (span.file >= d->file_n)
        return;

    const struct diag_file *f = &d->file[span.file];
    size_t at = span.start < f->len ? span.start : f->len;
    size_t line = diag_line_of(f, at);
    *line_out = (uint32_t)line + 1;
    *column_out = (uint32_t)diag_columns(f->text + f->line[line], at - f->line[line]) + 1;
}
