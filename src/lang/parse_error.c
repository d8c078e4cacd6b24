// SPDX-License-Identifier: Apache-2.0
/*
 * Syntax errors in words.
 *
 * The parser says which token it found and which it could have taken. As almost any word is a name
 * and an expression may go on in many ways, the bare list would be dozens of tokens long; it is
 * folded ("an expression", "a name") and shown only when it is short. Otherwise the message says
 * what is wrong, and a hint what was probably meant (parse_hint.c).
 */
#include <string.h>

#include "lang/keyword.h"
#include "lang/parse_hint.h"
#include "lang/parse_priv.h"

enum { MAX_SHOWN = 4 };

static bool is_one_of(const char *name, const char *const *set)
{
    for (; *set; set++)
        if (strcmp(*set, name) == 0)
            return true;
    return false;
}

/* A word that is also a name. */
static bool is_free_word(const char *name)
{
    enum keyword_id id = keyword_find(name, strlen(name));

    return id != KEYWORD_NO && keyword_kind(id) != KEYWORD_RESERVED;
}

/* What begins an expression, and what goes on after an operand. */
static const char *const beginnings[] = {
    "a text", "a raw text", "a whole number", "a decimal number", "a duration", "a size", "a time",
    "a name", "(", "[", "-", "not", "any", "all", "true", "false", "null", NULL,
};
static const char *const operators[] = {
    "==", "!=", "<", "<=", ">", ">=", "in", "not in", "like", "regex", "contains", "contains_all",
    "startswith", "endswith", "and", "or", "+", "-", "*", "/", "%", "\?\?", ".", "[", "(", NULL,
};
static const char *const json_beginnings[] = {
    "a text", "a whole number", "a decimal number", "{", "[", "-", "true", "false", "null", NULL,
};
/* Whole sets that one phrase stands for; gives whether this name is in one of them. */
static bool in_phrase(const struct parse_expected *e, const char *name)
{
    bool declaration = parse_expects(e, "exception") && !parse_expects(e, "a name");
    bool clause = parse_expects(e, "on_reload") && !parse_expects(e, "a name");

    return (declaration || clause) && (is_free_word(name) || strcmp(name, "end of file") == 0);
}

static void fold(struct parse_expected *e)
{
    bool names = parse_expects(e, "a name");
    bool expression = names && parse_expects(e, "a time") && parse_expects(e, "true");
    bool json = !names && parse_expects(e, "a text") && parse_expects(e, "true") && parse_expects(e, "{");
    bool text = parse_expects(e, "a text") && parse_expects(e, "a raw text") && !expression;
    bool count = parse_expects(e, ":") && parse_expects(e, "*") && !parse_expects(e, "=="); /* behind a step's name */

    e->n = 0;
    if (expression)
        e->shown[e->n++] = "an expression";
    if (json)
        e->shown[e->n++] = "a JSON value";
    if (!names && parse_expects(e, "exception"))
        e->shown[e->n++] = "a declaration";
    if (!names && parse_expects(e, "on_reload"))
        e->shown[e->n++] = "a clause of the rule";
    for (int i = 0; i < e->n_all; i++) {
        const char *name = e->all[i];

        if ((names && is_free_word(name)) || in_phrase(e, name) || (expression && is_one_of(name, beginnings)) ||
            (json && is_one_of(name, json_beginnings)) || (text && strcmp(name, "a raw text") == 0))
            continue;
        if (count && strchr("{+*?", name[0]))
            continue;
        if ((parse_expects(e, "==") || parse_expects(e, "and")) && is_one_of(name, operators))
            continue;
        e->shown[e->n++] = name;
    }
}

/* ---- words -------------------------------------------------------------------------------- */

static void put(char *out, size_t size, const char *text)
{
    size_t n = strlen(out);

    for (; *text && n + 1 < size; text++)
        out[n++] = *text;
    out[n] = '\0';
}

static void put_name(char *out, size_t size, const char *name)
{
    bool described = strncmp(name, "a ", 2) == 0 || strncmp(name, "an ", 3) == 0 || strcmp(name, "end of file") == 0;

    put(out, size, described ? "" : "`");
    put(out, size, strcmp(name, "end of file") == 0 ? "the end of the file" : name);
    put(out, size, described ? "" : "`");
}

/* The source text of a span, cut to one short line. */
static void put_source(char *out, size_t size, const struct parse *p, struct span span)
{
    char text[64];
    size_t n = 0;

    if (span.start >= p->lex.len || span.end <= span.start) {
        put(out, size, "the end of the file");
        return;
    }
    while (n < 40 && span.start + n < span.end && p->lex.text[span.start + n] != '\n')
        n++;
    while (n > 0 && span.start + n < p->lex.len && ((unsigned char)p->lex.text[span.start + n] & 0xc0) == 0x80)
        n--; /* not in the middle of a character */
    memcpy(text, p->lex.text + span.start, n);
    text[n] = '\0';
    put(out, size, "`");
    put(out, size, text);
    put(out, size, span.start + n < span.end ? "...`" : "`");
}

static void put_expected(char *out, size_t size, const struct parse_expected *e)
{
    for (int i = 0; i < e->n; i++) {
        put(out, size, i == 0 ? "" : i + 1 < e->n ? ", " : " or ");
        put_name(out, size, e->shown[i]);
    }
}

/* ---- the message --------------------------------------------------------------------------- */

static char closing(char open)
{
    return open == '(' ? ')' : open == '[' ? ']' : '}';
}

/* A bracket is open while a declaration begins or the file ends. */
static void unclosed(struct parse *p, struct span span)
{
    struct lex_bracket open = p->lex.open[p->lex.n_open - 1];
    struct span at = {span.file, open.at, open.at + 1};
    uint32_t line, column;

    diag_locate(p->diag, span, &line, &column);
    diag_add(p->diag, DIAG_ERROR, at, "this `%c` is not closed", open.c);
    if (span.start >= p->lex.len)
        diag_hint(p->diag, "the file ends before `%c`", closing(open.c));
    else
        diag_hint(p->diag, "a declaration begins in line %u, before `%c`", (unsigned)line, closing(open.c));
}

/* `f(x }` */
static void forgotten(struct parse *p, const char *found)
{
    struct lex_bracket open = p->lex.forgotten;
    struct span at = {p->lex.file, open.at, open.at + 1};

    diag_add(p->diag, DIAG_ERROR, at, "this `%c` is not closed", open.c);
    diag_hint(p->diag, "`%s` comes before `%c`", found, closing(open.c));
}

/* The declaration before the last one is cut short: its end took the next one's first word for a name. */
static void cut_short(struct parse *p, struct span span)
{
    diag_add(p->diag, DIAG_ERROR, span, "a declaration begins here, but the one before is not complete");
}

/* After a declaration's own first word there must be a name, a text or one certain token; if there
 * could be something else, the word was taken for a name. */
static bool taken_for_name(const struct parse_expected *e)
{
    return !parse_expects(e, "a name") && !parse_expects(e, "a text") && e->n_all > 1;
}

static bool early(struct parse *p, const struct parse_expected *e, struct span span)
{
    struct lex *lex = &p->lex;
    struct span at = lex->early == LEX_EARLY_BEFORE ? lex->before.span : span;

    if (lex->early == LEX_EARLY_BEFORE && !taken_for_name(e))
        lex->early = LEX_NOT_EARLY;
    if (lex->early == LEX_NOT_EARLY)
        return false;
    if (lex->n_open > 0 && lex->open[lex->n_open - 1].at == lex->last.span.start)
        lex->n_open--; /* the last token's own bracket does not count */
    if (lex->n_open > 0)
        unclosed(p, at);
    else
        cut_short(p, at);
    return true;
}

void build_syntax_error(struct parse *p, struct span span, const char *found, const char **expected, int n)
{
    struct parse_expected e = {.n_all = 0};
    char message[400] = "";

    if (p->lex.too_deep)
        return; /* reported; what was read of the text ends there */
    for (int i = 0; i < n && i < PARSE_MAX_EXPECTED; i++)
        e.all[e.n_all++] = expected[i];
    if (early(p, &e, span))
        return;
    if (p->lex.forgotten.c) {
        forgotten(p, found);
        return;
    }
    if (parse_is_comparison(found) && parse_expects(&e, "and") && !parse_expects(&e, "==")) {
        diag_add(p->diag, DIAG_ERROR, span, "comparisons do not chain");
        diag_hint(p->diag, "write `a < b and b < c`");
        return;
    }
    fold(&e);
    if (e.n > 0 && e.n <= MAX_SHOWN && !parse_expects(&e, "==") && !parse_expects(&e, "and")) {
        put(message, sizeof message, "expected ");
        put_expected(message, sizeof message, &e);
        if (p->lex.before.span.end > 0) {
            put(message, sizeof message, " after ");
            put_source(message, sizeof message, p, p->lex.before.span);
        }
        put(message, sizeof message, ", found ");
    } else if (strcmp(found, "end of file") == 0) {
        put(message, sizeof message, "the file ends too early");
    } else {
        put(message, sizeof message, "unexpected ");
    }
    if (message[0] != 't')
        put_source(message, sizeof message, p, span);
    diag_add(p->diag, DIAG_ERROR, span, "%s", message);
    parse_hint(p, &e, span, found);
}

void build_too_deep(struct parse *p, struct span span)
{
    if (!p->lex.too_deep)
        parse_error_at(p, span, NULL, "nested too deeply: at most %d levels", (int)PARSE_MAX_DEPTH);
}
