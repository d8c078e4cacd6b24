// SPDX-License-Identifier: Apache-2.0
#include "lang/parse_hint.h"

#include <string.h>

#include "base/buf.h"
#include "base/suggest.h"
#include "lang/keyword.h"
#include "lang/parse_priv.h"

static const char *const comparisons[] = {
    "==", "!=", "<", "<=", ">", ">=", "in", "not in", "like", "regex", "contains", "contains_all",
    "startswith", "endswith", NULL,
};

bool parse_expects(const struct parse_expected *e, const char *name)
{
    for (int i = 0; i < e->n_all; i++)
        if (strcmp(e->all[i], name) == 0)
            return true;
    return false;
}

bool parse_is_comparison(const char *name)
{
    for (const char *const *one = comparisons; *one; one++)
        if (strcmp(*one, name) == 0)
            return true;
    return false;
}

/* ---- words ---------------------------------------------------------------------------------- */

/* The word that was probably meant, of those that could stand here. */
static const char *nearest(const struct parse_expected *e, const char *written)
{
    struct suggest s;

    suggest_init(&s, written);
    for (int i = 0; i < e->n_all; i++)
        if (keyword_find(e->all[i], strlen(e->all[i])) != KEYWORD_NO)
            suggest_try(&s, e->all[i]);
    return suggest_result(&s);
}

/* `whre x`: the word before was taken for a step's name. */
static const char *nearest_before(const struct parse_expected *e, const char *written)
{
    static const char *const words[] = {"where", "within", "by", "until", "next", "having", "fire", "allow", "select", "and",
                                        "or", "in", "like", "regex", "contains", "startswith", "endswith", NULL};
    struct suggest s;

    if (!parse_expects(e, ":") || strlen(written) < 3 || keyword_find(written, strlen(written)) != KEYWORD_NO)
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

/* ---- the text in front of a mistake ------------------------------------------------------------- */

/* What stands right before `at`: the path that a mistake is about, "x" if there is none. */
static void path_before(char *out, size_t size, const struct parse *p, uint32_t at)
{
    static const char in_path[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@.`[]-";
    const char *text = p->lex.text;
    uint32_t end;

    while (at > 0 && (text[at - 1] == ' ' || text[at - 1] == '\t' || text[at - 1] == '\n' || text[at - 1] == '\r'))
        at--;
    end = at;
    while (at > 0 && text[at - 1] != '\0' && strchr(in_path, text[at - 1]))
        at--;
    if (at == end || end - at >= size || keyword_find(text + at, end - at) != KEYWORD_NO) {
        memcpy(out, "x", 2);
        return;
    }
    memcpy(out, text + at, end - at);
    out[end - at] = '\0';
}

static bool is_written(const struct parse *p, struct span span, const char *text)
{
    size_t len = strlen(text);

    return span.end - span.start == len && span.end <= p->lex.len && memcmp(p->lex.text + span.start, text, len) == 0;
}

/* ---- habits ------------------------------------------------------------------------------------- */

struct habit {
    const char *before, *found, *expects, *lacks, *hint;
};

static const struct habit habits[] = {
#define HABIT(before, found, expects, lacks, hint) {before, found, expects, lacks, hint},
#include "lang/habit.def"
};

static bool is_habit(const struct parse *p, const struct habit *h, const struct parse_expected *e, struct span span,
                     const char *found)
{
    if (*h->before && !is_written(p, p->lex.before.span, h->before))
        return false;
    if (*h->found && strcmp(h->found, found) != 0 && !is_written(p, span, h->found))
        return false;
    return (!*h->expects || parse_expects(e, h->expects)) && (!*h->lacks || !parse_expects(e, h->lacks));
}

/* vague: those that any name fits. */
static bool add_habit(struct parse *p, const struct parse_expected *e, struct span span, const char *found, bool vague)
{
    char path[200], before[64];
    const struct habit *h = habits, *end = habits + sizeof habits / sizeof *habits;
    struct buf hint;

    while (h < end && (vague != (strcmp(h->found, "a name") == 0) || !is_habit(p, h, e, span, found)))
        h++;
    if (h == end)
        return false;
    path_before(path, sizeof path, p, p->lex.before.span.start);
    word_at(before, sizeof before, p, p->lex.before.span);
    buf_init(&hint);
    for (const char *at = h->hint; *at;) {
        bool is_path = strncmp(at, "{x}", 3) == 0;

        if (is_path || strncmp(at, "{b}", 3) == 0) {
            buf_adds(&hint, is_path ? path : *before ? before : "a");
            at += 3;
        } else {
            buf_addc(&hint, *at++);
        }
    }
    diag_hint(p->diag, "%s", hint.data);
    buf_fini(&hint);
    return true;
}

/* `x.startswith("a")`, `x.lower()` */
static bool add_method(struct parse *p, const char *before, const char *found)
{
    uint32_t at = p->lex.before.span.start;
    char path[200];

    if (strcmp(found, "(") != 0 || !*before || at == 0 || p->lex.text[at - 1] != '.')
        return false;
    path_before(path, sizeof path, p, at - 1);
    if (parse_is_comparison(before))
        diag_hint(p->diag, "it stands between two values: `%s %s \"...\"`", path, before);
    else
        diag_hint(p->diag, "a function has its values in brackets: `%s(%s)`", before, path);
    return true;
}

/* `10 min` */
static bool add_unit(struct parse *p, struct span span)
{
    const char *text = p->lex.text + span.start;
    uint32_t end = p->lex.len - span.start, n = span.end - span.start, at = n, letters = 0;
    const char *unit;

    while (at < end && (text[at] == ' ' || text[at] == '\t'))
        at++;
    while (at + letters < end && ((text[at + letters] | 0x20) >= 'a' && (text[at + letters] | 0x20) <= 'z'))
        letters++;
    unit = lex_unit_meant(text + at, letters);
    if (!unit || n > 20)
        return false;
    diag_hint(p->diag, "did you mean `%.*s%s`?", (int)n, text, unit);
    return true;
}

/* Of a step: its name, the `:`, its stream; `exists x` and `NOT x`, of which x was taken for a step. */
static bool add_step(struct parse *p, const struct parse_expected *e, const char *before, const char *word,
                     const char *found)
{
    char front[200];

    if (!parse_expects(e, ":") || !parse_expects(e, "+"))
        return false;
    path_before(front, sizeof front, p, p->lex.before.span.start);
    if (*before && (strcmp(front, "exists") == 0 || strcmp(front, "lower") == 0 || strcmp(front, "upper") == 0))
        diag_hint(p->diag, "a function has its values in brackets: `%s(%s)`", front, before);
    else if (*before && strcmp(front, "NOT") == 0)
        diag_hint(p->diag, "words of the language are small: `not %s`", before);
    else if (*before && strcmp(word, "where") == 0)
        diag_hint(p->diag, "a step has a name: `a: %s where ...`", before);
    else if (*before && *word && strcmp(found, "a name") == 0)
        diag_hint(p->diag, "`:` stands between a step's name and its stream: `%s: %s`", before, word);
    else
        return false;
    return true;
}

/* ---- the hint ----------------------------------------------------------------------------------- */

/* A word of the language where a name is wanted, or the other way round. */
static bool add_word(struct parse *p, const struct parse_expected *e, const char *before, const char *word,
                     const char *found)
{
    enum keyword_id id = keyword_find(word, strlen(word)), id_before = keyword_find(before, strlen(before));
    bool is_clause = id_before != KEYWORD_NO && keyword_kind(id_before) == KEYWORD_WORD && p->rule;
    bool is_word = id != KEYWORD_NO && keyword_kind(id) != KEYWORD_WORD;
    bool was_word = id_before != KEYWORD_NO && keyword_kind(id_before) != KEYWORD_WORD;

    if ((id == KEYWORD_STARTSWITH || id == KEYWORD_ENDSWITH || id == KEYWORD_CONTAINS) && parse_expects(e, "("))
        diag_hint(p->diag, "it stands between two values: `a %s \"b\"`", word);
    else if (is_word && parse_expects(e, "a name"))
        diag_hint(p->diag, "`%s` is a word of the language: as a name it is back-quoted", word);
    else if ((was_word && strcmp(found, ":") == 0) ||
             ((id_before == KEYWORD_ANY || id_before == KEYWORD_ALL) && parse_expects(e, "(")))
        diag_hint(p->diag, "`%s` is a word of the language: as a name it is back-quoted", before);
    else if (is_clause && (strcmp(found, ":") == 0 || strcmp(found, "=") == 0) && !parse_expects(e, ":") && !parse_expects(e, "="))
        diag_hint(p->diag, "nothing stands between `%s` and what it says", before);
    else
        return false;
    return true;
}

void parse_hint(struct parse *p, const struct parse_expected *e, struct span span, const char *found)
{
    char word[64], before[64];
    const char *best = NULL;
    enum keyword_id id;

    word_at(word, sizeof word, p, span);
    word_at(before, sizeof before, p, p->lex.before.span);
    if (add_method(p, before, found) || add_habit(p, e, span, found, false))
        return;
    id = keyword_find(word, strlen(word));
    if (word[0] && (id == KEYWORD_NO || keyword_kind(id) != KEYWORD_RESERVED))
        best = nearest(e, word);
    if (!best && before[0])
        best = nearest_before(e, before);
    if (best)
        diag_hint(p->diag, "did you mean `%s`?", best);
    else if (add_habit(p, e, span, found, true))
        return;
    else if (strcmp(found, "(") == 0 && parse_expects(e, "=") && parse_expects(e, ","))
        diag_hint(p->diag, "a key that is computed is named: `name = lower(x)`");
    else if (strcmp(found, "(") == 0 && parse_expects(e, "after"))
        diag_hint(p->diag, "`novel` takes fields: compute one in a stream, `stream s = a { x = lower(y) }`");
    else if (add_word(p, e, before, word, found) || add_step(p, e, before, word, found))
        return;
    else if (parse_expects(e, "a text") && parse_expects(e, "{") && parse_expects(e, ".") && add_value_hint(p, before, found))
        return;
    else if (parse_expects(e, "a text") && !parse_expects(e, "true") && strcmp(found, "a name") == 0)
        diag_hint(p->diag, "text stands in quotes");
    else if (parse_expects(e, "a duration") && !parse_expects(e, "true") && strcmp(found, "a whole number") == 0 &&
             (parse_expects(e, "expect") || !add_unit(p, span))) /* in a test a stream comes behind it */
        diag_hint(p->diag, "a duration has a unit, such as `30s` or `1h30m`");
    else if (before[0] && strcmp(found, ":") == 0 && parse_expects(e, "{"))
        diag_hint(p->diag, "what belongs to it stands in braces: `%s { ... }`", before);
}
