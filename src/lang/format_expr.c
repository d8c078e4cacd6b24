// SPDX-License-Identifier: Apache-2.0
/* format_expr - the place of tokens within a line: expressions, lists, JSON values, keys. */
#include <string.h>

#include "lang/format_walk_priv.h"

struct format_token *walk_here(struct walk *w)
{
    return &w->ft->token[w->at];
}

bool walk_is(struct walk *w, const char *text)
{
    return format_is(w->ft, w->at, text);
}

bool walk_at_end(struct walk *w)
{
    return walk_here(w)->kind == FORMAT_END;
}

/* ---- one token ---------------------------------------------------------------------------- */

void walk_take(struct walk *w)
{
    struct format_token *t = walk_here(w);

    if (t->kind == FORMAT_END)
        return;
    if (t->brk == BREAK_NO || t->brk == BREAK_SOFT || t->brk == BREAK_KEEP) {
        t->indent = (uint16_t)(w->indent + 2 * FORMAT_INDENT + w->open * FORMAT_INDENT);
        if (w->anchor < w->at && t->anchor == FORMAT_NO_ANCHOR && w->open == 0) {
            t->anchor = w->anchor;
            t->offset = w->offset;
        }
    }
    w->at++;
}

void walk_take_glued(struct walk *w)
{
    walk_here(w)->glue = true;
    walk_take(w);
}

void walk_take_cell(struct walk *w)
{
    walk_here(w)->cell = true;
    walk_take(w);
}

bool walk_take_if(struct walk *w, const char *text)
{
    if (!walk_is(w, text))
        return false;
    walk_take(w);
    return true;
}

void walk_line(struct walk *w, enum format_line kind)
{
    walk_here(w)->brk = BREAK_LINE;
    walk_here(w)->line = (uint8_t)kind;
    walk_here(w)->indent = w->indent;
    w->anchor = FORMAT_NO_ANCHOR;
    w->offset = 0;
    w->word = 0;
}

/* Lines that go on with this one stand behind the token here, or, of `and` and `or`, end under it. */
void walk_anchor_here(struct walk *w)
{
    w->anchor = w->at;
    w->word = (uint16_t)(walk_here(w)->end - walk_here(w)->start);
    w->offset = (uint16_t)(w->word + 1);
}

/* ---- words and signs ------------------------------------------------------------------------ */

static bool is_text_operator(const struct format_text *ft, uint32_t token)
{
    static const char *const words[] = {"in", "like", "regex", "contains", "contains_all", "startswith", "endswith"};
    const struct format_token *t = &ft->token[token < ft->n ? token : ft->n - 1];
    size_t len = t->end - t->start;

    if (t->kind != FORMAT_WORD)
        return false;
    if (len > 0 && ft->text[t->end - 1] == '~')
        len--;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i]) == len && memcmp(ft->text + t->start, words[i], len) == 0)
            return true;
    return false;
}

/* Can the token be the end of a value? `(` behind it is a call then, `[` an index, `-` a minus of two. */
static bool ends_value(const struct format_text *ft, uint32_t token)
{
    static const char *const words[] = {"and", "or", "not", "where", "within", "by", "having"};

    if (ft->token[token].kind == FORMAT_SIGN)
        return format_is(ft, token, ")") || format_is(ft, token, "]");
    if (token > 0 && format_is(ft, token - 1, "."))
        return true;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (format_is(ft, token, words[i]))
            return false;
    return !is_text_operator(ft, token);
}

/* ---- brackets ------------------------------------------------------------------------------ */

static bool opens(struct walk *w)
{
    return walk_is(w, "(") || walk_is(w, "[") || walk_is(w, "{");
}

static bool closes(struct walk *w)
{
    return walk_is(w, ")") || walk_is(w, "]") || walk_is(w, "}");
}

/* The token that closes the bracket here. */
uint32_t walk_find_close(struct walk *w)
{
    struct walk ahead = *w;
    int depth = 0;

    for (; !walk_at_end(&ahead); ahead.at++) {
        depth += opens(&ahead) ? 1 : closes(&ahead) ? -1 : 0;
        if (depth == 0)
            break;
    }
    return ahead.at;
}

static bool walk_holds_comment(struct walk *w, uint32_t close)
{
    for (uint32_t i = w->at + 1; i <= close; i++)
        if (w->ft->token[i].n_comments > 0)
            return true;
    return false;
}

bool walk_holds_newline(struct walk *w, uint32_t close)
{
    for (uint32_t i = w->at + 1; i <= close; i++)
        if (w->ft->token[i].newline_before || w->ft->token[i].n_comments > 0)
            return true;
    return false;
}

/* About how wide it is in one line: whatever blanks the author put there. */
uint32_t walk_width_to(struct walk *w, uint32_t close)
{
    uint32_t width = 0;

    for (uint32_t i = w->at; i <= close; i++) {
        const struct format_token *t = &w->ft->token[i];

        width += t->end - t->start + (t->kind != FORMAT_SIGN);
    }
    return width;
}

static void soft(struct walk *w, int depth)
{
    struct format_token *t = walk_here(w);
    uint16_t len = (uint16_t)(t->end - t->start);

    t->brk = BREAK_SOFT;
    t->newline_before |= w->ft->token[w->at + 1].newline_before && w->ft->token[w->at + 1].n_comments == 0;
    if (w->anchor == FORMAT_NO_ANCHOR || w->open > 0)
        return;
    t->anchor = w->anchor;
    t->offset = w->offset;
    if (depth == 0 && w->word > len)
        t->offset = (uint16_t)(w->word - len);
    else if (depth > 1)
        t->offset = (uint16_t)(w->offset + FORMAT_INDENT * (depth - 1));
}

/* A bracket within brackets: of a call, an index, a list. */
static void inner(struct walk *w, int depth, bool json)
{
    bool behind_value = !json && ends_value(w->ft, w->at - 1);

    walk_here(w)->glue |= behind_value;
    if (walk_is(w, "(") || (walk_is(w, "[") && behind_value))
        walk_group(w, depth);
    else
        walk_list(w, json);
}

/* What stands in ( ) or in the [ ] of an index; `any(x in y: cond)` too. */
void walk_group(struct walk *w, int depth)
{
    bool first = true;

    for (walk_take(w); !walk_at_end(w) && !closes(w); first = false) {
        walk_here(w)->glue |= first;
        if (opens(w)) {
            inner(w, depth + 1, false);
            continue;
        }
        if ((walk_is(w, "and") || walk_is(w, "or")) && !format_is(w->ft, w->at - 1, "."))
            soft(w, depth);
        walk_take(w);
    }
    if (!walk_at_end(w))
        walk_take_glued(w);
}

static bool is_open(struct walk *w, uint32_t close, bool json)
{
    bool broken = w->at + 1 < w->ft->n && w->ft->token[w->at + 1].newline_before;

    if (close == w->at + 1 && !walk_holds_comment(w, close))
        return false;
    return broken || walk_holds_comment(w, close) || (!json && walk_width_to(w, close) > FORMAT_WIDTH);
}

/* [ ] with values in it, or a JSON object. */
void walk_list(struct walk *w, bool json)
{
    bool spread = is_open(w, walk_find_close(w), json);
    bool first = true;

    walk_take(w);
    w->open += spread;
    for (; !walk_at_end(w) && !closes(w); first = false) {
        struct format_token *t = walk_here(w);
        bool behind_comma = format_is(w->ft, w->at - 1, ",");

        if (spread && (first || behind_comma)) {
            t->brk = first ? BREAK_INSIDE : json ? BREAK_MEMBER : BREAK_ITEM;
            t->indent = (uint16_t)(w->indent + FORMAT_INDENT * w->open);
        }
        t->glue |= first || (json && format_is(w->ft, w->at - 1, ":"));
        if (opens(w))
            inner(w, 1, json);
        else
            walk_take(w);
    }
    w->open -= spread;
    if (walk_at_end(w))
        return;
    if (spread) {
        walk_here(w)->brk = BREAK_INSIDE;
        walk_here(w)->indent = (uint16_t)(w->indent + FORMAT_INDENT * w->open);
    }
    walk_take_glued(w);
}

/* ---- expressions ---------------------------------------------------------------------------- */

static bool is_operator(struct walk *w)
{
    static const char *const signs[] = {"==", "==~", "!=", "!=~", "<", "<=", ">", ">=", "??", "+", "-", "*", "/", "%"};

    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (walk_is(w, signs[i]))
            return true;
    return is_text_operator(w->ft, w->at);
}

/* A value and what is glued to it: a.b[0](c).d; with `-` and `not` before it. */
void walk_operand(struct walk *w)
{
    while (walk_is(w, "-") || walk_is(w, "not")) {
        bool minus = walk_is(w, "-");

        walk_take(w);
        walk_here(w)->glue |= minus;
    }
    if (walk_is(w, "(")) {
        walk_group(w, 1);
        return;
    }
    if (walk_is(w, "[")) {
        walk_list(w, false);
        return;
    }
    walk_take(w);
    for (;;) {
        if (walk_is(w, ".")) {
            walk_take_glued(w);
            walk_take_glued(w);
        } else if (walk_is(w, "(") || walk_is(w, "[")) {
            walk_here(w)->glue = true;
            walk_group(w, 1);
        } else {
            return;
        }
    }
}

/* An operator. A long sum is broken at its signs, which stand below the `=`; conditions are broken at
 * `and` and `or`, elsewhere only where the author did. */
static void sign(struct walk *w)
{
    struct format_token *t = walk_here(w);

    if (w->anchor == FORMAT_NO_ANCHOR)
        return;
    soft(w, 0);
    if (w->word == 0 && (walk_is(w, "+") || walk_is(w, "-"))) {
        t->offset = 0;
        return;
    }
    t->brk = BREAK_KEEP;
    if (t->anchor != FORMAT_NO_ANCHOR)
        t->offset = (uint16_t)(w->offset + (w->word > 0 ? FORMAT_INDENT : 0));
}

void walk_expr(struct walk *w)
{
    walk_operand(w);
    for (;;) {
        if (walk_is(w, "and") || walk_is(w, "or")) {
            soft(w, 0);
            walk_take(w);
        } else if (walk_is(w, "not") && is_text_operator(w->ft, w->at + 1)) {
            walk_take(w);
            walk_take(w);
        } else if (is_operator(w)) {
            sign(w);
            walk_take(w);
        } else {
            return;
        }
        walk_operand(w);
    }
}

/* a, b.c, ?d, e = f */
void walk_keys(struct walk *w)
{
    do {
        if (walk_take_if(w, "?"))
            walk_here(w)->glue = true;
        walk_expr(w);
        if (walk_take_if(w, "="))
            walk_expr(w);
    } while (walk_take_if(w, ","));
}

/* ---- signs ---------------------------------------------------------------------------------- */

/* What stands close to its neighbours whatever they are. */
void walk_glue_signs(struct format_text *ft)
{
    for (uint32_t i = 1; i < ft->n; i++) {
        struct format_token *t = &ft->token[i];

        t->glue |= format_is(ft, i, ",") || format_is(ft, i, ")") || format_is(ft, i, "]") ||
                   format_is(ft, i, ".") || format_is(ft, i, ":") || format_is(ft, i - 1, "(") ||
                   format_is(ft, i - 1, "[") || format_is(ft, i - 1, ".") ||
                   (i > 1 && format_is(ft, i - 1, "-") && !ends_value(ft, i - 2));
    }
}
