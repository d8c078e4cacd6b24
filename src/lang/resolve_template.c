// SPDX-License-Identifier: Apache-2.0
/*
 * resolve_template - a title or description as pieces: text, and {path} where a value goes.
 * `{{` and `}}` are braces, and so is a `}` alone. A path is written as in an expression: names,
 * back-quoted names, indexes.
 */
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/diag.h"
#include "event/schema.h"
#include "lang/resolve_priv.h"

struct template
{
    const struct scope *sc;
    const struct ast_expr *whole;
    const char *text; /* the literal's value */
    size_t len;
    bool plain; /* the source between the quotes is the value: places can be told */
    struct ast_piece **end;
    struct buf literal; /* text since the last piece */
};

/* The place of bytes [from, to) of the text; the whole literal if it was written with escapes. */
static struct span span_of(const struct template *t, size_t from, size_t to)
{
    struct span span = t->whole->span;
    if (t->plain) {
        span.end = span.start + 1 + (uint32_t)to;
        span.start += 1 + (uint32_t)from;
    }
    return span;
}

static bool is_plain(const struct template *t)
{
    size_t len;
    const char *source = diag_file_text(t->sc->r->diag, t->whole->span.file, &len);
    struct span span = t->whole->span;
    return span.end <= len && span.end - span.start == t->len + 2 &&
           memcmp(source + span.start + 1, t->text, t->len) == 0;
}

static void add_piece(struct template *t, struct ast_expr *expr)
{
    struct arena *a = t->sc->r->arena;
    if (t->literal.len > 0) {
        struct ast_piece *piece = arena_alloc(a, sizeof *piece);
        piece->text = arena_strndup(a, t->literal.data, t->literal.len);
        piece->len = (uint32_t)t->literal.len;
        *t->end = piece;
        t->end = &piece->next;
        buf_clear(&t->literal);
    }
    if (expr != NULL) {
        struct ast_piece *piece = arena_alloc(a, sizeof *piece);
        piece->expr = expr;
        *t->end = piece;
        t->end = &piece->next;
    }
}

/* ---- paths --------------------------------------------------------------------------------- */

struct path_text {
    const char *at, *end;
    struct path_part part[SCHEMA_MAX_PARTS];
    bool quoted[SCHEMA_MAX_PARTS];
    uint32_t n;
};

static bool is_name_byte(char c, bool first)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '@' ||
           (!first && c >= '0' && c <= '9');
}

static bool read_name(struct path_text *p, struct arena *a)
{
    const char *from = p->at;
    bool quoted = p->at < p->end && *p->at == '`';
    if (quoted) {
        from = ++p->at;
        while (p->at < p->end && *p->at != '`')
            p->at++;
        if (p->at == p->end)
            return false;
    } else {
        while (p->at < p->end && is_name_byte(*p->at, p->at == from))
            p->at++;
    }
    size_t len = (size_t)(p->at - from);
    p->at += quoted;
    if (len == 0)
        return false;
    p->quoted[p->n] = quoted;
    p->part[p->n++] = (struct path_part){
        .name = arena_strndup(a, from, len),
        .len = (uint32_t)len,
    };
    return true;
}

static bool read_index(struct path_text *p)
{
    p->at++; /* [ */
    bool minus = p->at < p->end && *p->at == '-';
    p->at += minus;
    int32_t index = 0;
    const char *from = p->at;
    while (p->at < p->end && *p->at >= '0' && *p->at <= '9' && index < 100000000)
        index = index * 10 + (*p->at++ - '0');
    if (p->at == from || p->at == p->end || *p->at != ']')
        return false;
    p->at++;
    p->part[p->n++] = (struct path_part){.index = minus ? -index : index};
    return true;
}

static bool read_path(struct path_text *p, struct arena *a)
{
    if (!read_name(p, a))
        return false;
    while (p->at < p->end) {
        if (p->n == SCHEMA_MAX_PARTS)
            return false;
        if (*p->at == '[') {
            if (!read_index(p))
                return false;
        } else if (*p->at == '.') {
            p->at++;
            if (!read_name(p, a))
                return false;
        } else {
            return false;
        }
    }
    return true;
}

/* text[from, to) stands between braces. */
static void add_path(struct template *t, size_t from, size_t to)
{
    struct resolver *r = t->sc->r;
    struct span span = span_of(t, from, to);
    while (from < to && (t->text[from] == ' ' || t->text[from] == '\t'))
        from++;
    while (from < to && (t->text[to - 1] == ' ' || t->text[to - 1] == '\t'))
        to--;
    struct path_text p = {.at = t->text + from, .end = t->text + to};
    if (!read_path(&p, r->arena)) {
        diag_add(r->diag, DIAG_ERROR, span, "`{%.*s}` is not a field path", (int)(to - from),
                 t->text + from);
        diag_hint(r->diag, "a brace itself is written `{{`");
        return;
    }
    struct ast_expr *expr =
        ast_path(r->arena, span, arena_memdup(r->arena, p.part, p.n * sizeof p.part[0]),
                 arena_memdup(r->arena, p.quoted, p.n * sizeof p.quoted[0]), p.n);
    resolve_expr(t->sc, expr);
    add_piece(t, expr);
}

static void split(struct template *t)
{
    for (size_t i = 0; i < t->len; i++) {
        char c = t->text[i];
        if (c == '}' || c != '{') {
            i += c == '}' && i + 1 < t->len && t->text[i + 1] == '}';
            buf_addc(&t->literal, c);
            continue;
        }
        if (i + 1 < t->len && t->text[i + 1] == '{') {
            buf_addc(&t->literal, '{');
            i++;
            continue;
        }
        const char *close = memchr(t->text + i, '}', t->len - i);
        if (close == NULL) {
            diag_add(t->sc->r->diag, DIAG_ERROR, span_of(t, i, i + 1), "`{` has no `}`");
            diag_hint(t->sc->r->diag, "a brace itself is written `{{`");
            return;
        }
        size_t end = (size_t)(close - t->text);
        add_path(t, i + 1, end);
        i = end;
    }
}

struct ast_piece *resolve_template(const struct scope *sc, const struct ast_expr *text)
{
    struct ast_piece *first = NULL;
    if (text->kind != AST_LITERAL || text->value.type != VALUE_TEXT) {
        diag_add(sc->r->diag, DIAG_ERROR, text->span, "a text in quotes is expected here");
        return NULL;
    }
    struct template t = {
        .sc = sc,
        .whole = text,
        .text = text->value.u.text,
        .len = text->value.len,
        .end = &first,
    };
    buf_init(&t.literal);
    t.plain = is_plain(&t);
    split(&t);
    add_piece(&t, NULL);
    buf_fini(&t.literal);
    return first;
}
