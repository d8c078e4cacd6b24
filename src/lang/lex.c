// SPDX-License-Identifier: Apache-2.0
/* The lexer's brackets, names, operators, and the mistakes that are seen in single characters. */
#include "lang/lex.h"

#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/diag.h"
#include "base/utf8.h"
#include "lang/keyword.h"

static struct ast_name too_long(struct lex *lex, struct span span, struct ast_name name)
{
    diag_add(lex->diag, DIAG_ERROR, span, "a name has at most %d bytes", (int)PARSE_MAX_NAME);
    name.len = 1;
    name.text = arena_strndup(lex->arena, lex->text + span.start, 1);
    return name;
}

struct ast_name lex_name(struct lex *lex, struct span span)
{
    struct ast_name name = {.len = span.end - span.start, .span = span};

    if (name.len > PARSE_MAX_NAME)
        return too_long(lex, span, name);
    name.text = arena_strndup(lex->arena, lex->text + span.start, name.len);
    return name;
}

struct ast_name lex_quoted(struct lex *lex, struct span span, bool closed)
{
    struct ast_name name = {.text = "", .span = span};
    const char *from = lex->text + span.start + 1;
    uint32_t n = span.end - span.start - (closed ? 2 : 1);
    char *to;

    if (!closed) {
        diag_add(lex->diag, DIAG_ERROR, span, "the back-quoted name is not closed");
        diag_hint(lex->diag, "a ` is missing at its end");
    } else if (n == 0) {
        diag_add(lex->diag, DIAG_ERROR, span, "a back-quoted name is not empty");
    }
    if (n > PARSE_MAX_NAME)
        return too_long(lex, span, name);
    to = arena_strndup(lex->arena, from, n);
    name.text = to;
    for (uint32_t i = 0; i < n; i++) {
        to[name.len++] = from[i];
        if (from[i] == '`') /* doubled */
            i++;
    }
    to[name.len] = '\0';
    return name;
}

struct ast_expr *lex_bool(struct lex *lex, struct span span, bool b)
{
    return ast_literal(lex->arena, span, value_bool(b), AST_FORM_PLAIN);
}

struct ast_expr *lex_null(struct lex *lex, struct span span)
{
    return ast_literal(lex->arena, span, value_missing(), AST_FORM_PLAIN);
}

enum ast_op lex_operator(const char *text, size_t len, bool negated)
{
    static const struct {
        const char *text;
        enum ast_op op;
    } all[] = {
#define OPERATOR(id, text, arity, precedence, doc) {text, AST_OP_##id},
#include "lang/operator.def"
#undef OPERATOR
    };

    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const char *have = all[i].text;

        if (negated) {
            if (strncmp(have, "not ", 4) != 0)
                continue;
            have += 4;
        }
        if (strlen(have) == len && memcmp(have, text, len) == 0)
            return all[i].op;
    }
    return AST_OP_COUNT;
}

/* ---- what has no place -------------------------------------------------------------------- */

void lex_dashed(struct lex *lex, struct span span)
{
    int len = (int)(span.end - span.start);
    const char *text = lex->text + span.start;

    if (len > 60) {
        diag_add(lex->diag, DIAG_ERROR, span, "a name holds no `-`");
        diag_hint(lex->diag, "put the name into back quotes, or blanks around `-`");
        return;
    }
    diag_add(lex->diag, DIAG_ERROR, span, "`%.*s` is neither a name nor a difference", len, text);
    diag_hint(lex->diag, "put the name into back quotes, or blanks around `-`");
}

static const char *foreign_hint(uint32_t cp)
{
    switch (cp) {
    case 0x201c:
    case 0x201d:
    case 0x201e:
    case 0xab:
    case 0xbb:
        return "a text stands in straight quotes, \"...\"";
    case 0x2018:
    case 0x2019:
        return "a raw text stands in straight quotes, '...'";
    case 0xa0:
    case 0x2007:
    case 0x202f:
        return "this is a no-break space: put a blank there";
    case 0x200b:
    case 0xfeff:
        return "this character cannot be seen: take it away";
    case 0x2212:
    case 0x2013:
    case 0x2014:
        return "minus is `-`";
    case 0x2260:
        return "write `!=`";
    case 0x2264:
        return "write `<=`";
    case 0x2265:
        return "write `>=`";
    default:
        return NULL;
    }
}

void lex_foreign(struct lex *lex, struct span span)
{
    const char *text = lex->text + span.start;
    size_t at = 0;
    uint32_t cp = utf8_next(text, span.end - span.start, &at);
    const char *hint = foreign_hint(cp);

    span.end = span.start + (uint32_t)at;
    if (cp < 0x20 || cp == 0x7f)
        diag_add(lex->diag, DIAG_ERROR, span, "the control character U+%04X has no place here", (unsigned)cp);
    else if (cp < 0x80)
        diag_add(lex->diag, DIAG_ERROR, span, "`%c` has no place here", (int)cp);
    else
        diag_add(lex->diag, DIAG_ERROR, span, "the character `%.*s` (U+%04X) has no place here", (int)at, text, (unsigned)cp);
    if (hint)
        diag_hint(lex->diag, "%s", hint);
    else if (cp == ';')
        diag_hint(lex->diag, "take it away: nothing stands between elements or clauses");
    else if (cp == '~')
        diag_hint(lex->diag, "`~` stands directly behind a text operator: `==~ in~ like~`");
    else if (cp == '|')
        diag_hint(lex->diag, "an operator stands between two values, `CommandLine contains \"...\"`; either of two conditions is `or`");
    else if (cp == '$' || cp == '\\' || cp >= 0x80)
        diag_hint(lex->diag, "text stands in quotes, a name with such characters in back quotes");
}

void lex_instead(struct lex *lex, struct span span, const char *use)
{
    diag_add(lex->diag, DIAG_ERROR, span, "`%.*s` is no operator of this language",
             (int)(span.end - span.start), lex->text + span.start);
    diag_hint(lex->diag, "write `%s`", use);
}

void lex_between(struct lex *lex, struct span span)
{
    diag_add(lex->diag, DIAG_ERROR, span, "`%.*s` has no place here", (int)(span.end - span.start), lex->text + span.start);
    diag_hint(lex->diag, "take it away: nothing stands between two steps, each comes after the one before");
}

/* ---- brackets and lines ------------------------------------------------------------------- */

void lex_open(struct lex *lex, struct span span)
{
    if (lex->n_open == PARSE_MAX_DEPTH) {
        if (!lex->too_deep)
            diag_add(lex->diag, DIAG_ERROR, span, "brackets are nested deeper than %d", (int)PARSE_MAX_DEPTH);
        lex->too_deep = true;
        return;
    }
    lex->open[lex->n_open].c = lex->text[span.start];
    lex->open[lex->n_open].at = span.start;
    lex->n_open++;
}

void lex_close(struct lex *lex, struct span span)
{
    char c = lex->text[span.start];
    char want = c == ')' ? '(' : c == ']' ? '[' : '{';
    uint32_t n = lex->n_open;

    /* A brace closes what was forgotten inside it; a parenthesis never reaches over a brace. */
    while (n > 0 && lex->open[n - 1].c != want && (want == '{' || lex->open[n - 1].c != '{'))
        n--;
    if (n == 0 || lex->open[n - 1].c != want)
        return;
    if (n < lex->n_open)
        lex->forgotten = lex->open[lex->n_open - 1];
    lex->n_open = n - 1;
}

bool lex_first_in_line(const struct lex *lex, struct span span)
{
    uint32_t at = span.start;

    while (at > 0 && (lex->text[at - 1] == ' ' || lex->text[at - 1] == '\t'))
        at--;
    return at == 0 || lex->text[at - 1] == '\n';
}

bool lex_first_column(const struct lex *lex, struct span span)
{
    return span.start == 0 || lex->text[span.start - 1] == '\n';
}
