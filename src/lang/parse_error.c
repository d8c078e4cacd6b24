// SPDX-License-Identifier: Apache-2.0
/*
 * Syntax errors in words.
 *
 * The parser says which token it found and which it could have taken. As almost any word is a name
 * and an expression may go on in many ways, the bare list would be dozens of tokens long; it is
 * folded ("an expression", "a name") and shown only when it is short. Otherwise the message says
 * what is wrong, and a hint what was probably meant.
 */
#include <string.h>

#include "base/suggest.h"
#include "lang/keyword.h"
#include "lang/parse_priv.h"

enum { MAX_SHOWN = 4, MAX_EXPECTED = 200 };

struct expectation {
    const char *all[MAX_EXPECTED]; /* as the parser has it */
    int n_all;
    const char *shown[MAX_EXPECTED]; /* folded */
    int n;
};

static bool has(const struct expectation *e, const char *name)
{
    for (int i = 0; i < e->n_all; i++)
        if (strcmp(e->all[i], name) == 0)
            return true;
    return false;
}

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
static const char *const comparisons[] = {
    "==", "!=", "<", "<=", ">", ">=", "in", "not in", "like", "regex", "contains", "contains_all",
    "startswith", "endswith", NULL,
};

/* Whole sets that one phrase stands for; gives whether this name is in one of them. */
static bool in_phrase(const struct expectation *e, const char *name)
{
    bool declaration = has(e, "exception") && !has(e, "a name");
    bool clause = has(e, "on_reload") && !has(e, "a name");

    return (declaration || clause) && (is_free_word(name) || strcmp(name, "end of file") == 0);
}

static void fold(struct expectation *e)
{
    bool names = has(e, "a name");
    bool expression = names && has(e, "a time") && has(e, "true");
    bool json = !names && has(e, "a text") && has(e, "true") && has(e, "{");
    bool text = has(e, "a text") && has(e, "a raw text") && !expression;
    bool count = has(e, ":") && has(e, "*") && !has(e, "=="); /* behind a step's name */

    e->n = 0;
    if (expression)
        e->shown[e->n++] = "an expression";
    if (json)
        e->shown[e->n++] = "a JSON value";
    if (!names && has(e, "exception"))
        e->shown[e->n++] = "a declaration";
    if (!names && has(e, "on_reload"))
        e->shown[e->n++] = "a clause of the rule";
    for (int i = 0; i < e->n_all; i++) {
        const char *name = e->all[i];

        if ((names && is_free_word(name)) || in_phrase(e, name) || (expression && is_one_of(name, beginnings)) ||
            (json && is_one_of(name, json_beginnings)) || (text && strcmp(name, "a raw text") == 0))
            continue;
        if (count && strchr("{+*?", name[0]))
            continue;
        if ((has(e, "==") || has(e, "and")) && is_one_of(name, operators))
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

static void put_expected(char *out, size_t size, const struct expectation *e)
{
    for (int i = 0; i < e->n; i++) {
        put(out, size, i == 0 ? "" : i + 1 < e->n ? ", " : " or ");
        put_name(out, size, e->shown[i]);
    }
}

/* ---- hints -------------------------------------------------------------------------------- */

/* The word that was probably meant, of those that could stand here. */
static const char *nearest(const struct expectation *e, const char *written)
{
    struct suggest s;

    suggest_init(&s, written);
    for (int i = 0; i < e->n_all; i++)
        if (keyword_find(e->all[i], strlen(e->all[i])) != KEYWORD_NO)
            suggest_try(&s, e->all[i]);
    return suggest_result(&s);
}

/* `whre x`: the word before was taken for a step's name. */
static const char *nearest_before(const struct expectation *e, const char *written)
{
    static const char *const words[] = {"where", "within", "by", "until", "next", "having", "fire", "allow", "select", "and",
                                        "or", "in", "like", "regex", "contains", "startswith", "endswith", NULL};
    struct suggest s;

    if (!has(e, ":") || strlen(written) < 3 || keyword_find(written, strlen(written)) != KEYWORD_NO)
        return NULL;
    suggest_init(&s, written);
    for (int i = 0; words[i]; i++)
        suggest_try(&s, words[i]);
    return suggest_result(&s);
}

static void word_at(char *out, size_t size, const struct parse *p, struct span span)
{
    uint32_t n = span.end - span.start;

    out[0] = '\0';
    if (n == 0 || n >= size || span.end > p->lex.len || !keyword_name_plain(p->lex.text + span.start, n))
        return;
    memcpy(out, p->lex.text + span.start, n);
    out[n] = '\0';
}

/* Behind the key of a configuration. */
static bool add_value_hint(struct parse *p, const char *key, const char *found)
{
    if (strcmp(found, "/") == 0)
        diag_hint(p->diag, "text stands in quotes, paths too");
    else if (strcmp(found, ":") == 0 || strcmp(found, "=") == 0)
        diag_hint(p->diag, "nothing stands between a key and its value: `%s \"...\"`", key);
    else if (strcmp(found, "}") == 0 && (strcmp(key, "stdin") == 0 || strcmp(key, "stdout") == 0))
        diag_hint(p->diag, "write `%s {}`", key);
    else
        return false;
    return true;
}

static void add_hint(struct parse *p, const struct expectation *e, struct span span, const char *found)
{
    char word[64], before[64];
    const char *best = NULL;
    enum keyword_id id, id_before;

    word_at(word, sizeof word, p, span);
    word_at(before, sizeof before, p, p->lex.before.span);
    id = keyword_find(word, strlen(word));
    id_before = keyword_find(before, strlen(before));
    if (word[0] && (id == KEYWORD_NO || keyword_kind(id) != KEYWORD_RESERVED))
        best = nearest(e, word);
    if (!best && before[0])
        best = nearest_before(e, before);
    if (best)
        diag_hint(p->diag, "did you mean `%s`?", best);
    else if (strcmp(found, "=") == 0 && has(e, "=="))
        diag_hint(p->diag, "equality is `==`");
    else if (strcmp(found, "(") == 0 && has(e, "=") && has(e, ","))
        diag_hint(p->diag, "a key that is computed is named: `name = lower(x)`");
    else if (strcmp(found, "(") == 0 && has(e, "after"))
        diag_hint(p->diag, "`novel` takes fields: compute one in a stream, `stream s = a { x = lower(y) }`");
    else if ((id == KEYWORD_STARTSWITH || id == KEYWORD_ENDSWITH || id == KEYWORD_CONTAINS) && has(e, "("))
        diag_hint(p->diag, "it stands between two values: `a %s \"b\"`", word);
    else if (has(e, "a name") && id != KEYWORD_NO && keyword_kind(id) != KEYWORD_WORD)
        diag_hint(p->diag, "`%s` is a word of the language: as a name it is back-quoted", word);
    else if (strcmp(found, ":") == 0 && id_before != KEYWORD_NO && keyword_kind(id_before) != KEYWORD_WORD)
        diag_hint(p->diag, "`%s` is a word of the language: as a name it is back-quoted", before);
    else if ((id_before == KEYWORD_ANY || id_before == KEYWORD_ALL) && has(e, "("))
        diag_hint(p->diag, "`%s` is a word of the language: as a name it is back-quoted", before);
    else if (id == KEYWORD_HAVING && has(e, "{"))
        diag_hint(p->diag, "`having` stands behind the inputs: `{ a: s having count() > 5 }`");
    else if (has(e, "a text") && has(e, "{") && has(e, ".") && add_value_hint(p, before, found))
        return;
    else if (has(e, "a text") && !has(e, "true") && strcmp(found, "a name") == 0)
        diag_hint(p->diag, "text stands in quotes");
    else if (has(e, "a duration") && !has(e, "true") && strcmp(found, "a whole number") == 0)
        diag_hint(p->diag, "a duration has a unit, such as `30s` or `1h30m`");
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
static bool taken_for_name(const struct expectation *e)
{
    return !has(e, "a name") && !has(e, "a text") && e->n_all > 1;
}

static bool early(struct parse *p, const struct expectation *e, struct span span)
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
    struct expectation e = {.n_all = 0};
    char message[400] = "";

    if (p->lex.too_deep)
        return; /* reported; what was read of the text ends there */
    for (int i = 0; i < n && i < MAX_EXPECTED; i++)
        e.all[e.n_all++] = expected[i];
    if (early(p, &e, span))
        return;
    if (p->lex.forgotten.c) {
        forgotten(p, found);
        return;
    }
    if (is_one_of(found, comparisons) && has(&e, "and") && !has(&e, "==")) {
        diag_add(p->diag, DIAG_ERROR, span, "comparisons do not chain");
        diag_hint(p->diag, "write `a < b and b < c`");
        return;
    }
    fold(&e);
    if (e.n > 0 && e.n <= MAX_SHOWN && !has(&e, "==") && !has(&e, "and")) {
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
    add_hint(p, &e, span, found);
}

void build_too_deep(struct parse *p, struct span span)
{
    if (!p->lex.too_deep)
        parse_error_at(p, span, NULL, "nested too deeply: at most %d levels", (int)PARSE_MAX_DEPTH);
}
