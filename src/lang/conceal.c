// SPDX-License-Identifier: Apache-2.0
#include "lang/conceal.h"

#include <string.h>

#include "base/diag.h"
#include "base/mem.h"
#include "lang/table_kafka.h"

struct scan {
    struct diag *diag;
    uint32_t file;
    const char *text;
    size_t len, at;
    conceal_key_fn *key_of;
    enum conceal_mode mode; /* of what stands behind the last key */
    uint32_t depth;     /* blocks that are open */
    uint32_t lists;     /* and brackets in the innermost */
    bool naive;         /* quotation marks and comments mean nothing */
    bool calls;         /* in the brackets of env or file */
    bool first;         /* here stands a key, if anything does */
    bool value_ended;   /* now */
    bool named;         /* CONCEAL_NAMED: the last word was a name */
    bool line_begins;   /* nothing stood in this line yet */
    bool tables;        /* only in tables of Kafka, */
    bool in_table;      /* in one of which we are, */
    bool in_options;    /* or in what seems to be a part of one */
    char last;          /* that was no blank */
};

static void hide(struct scan *sc, size_t from, size_t to)
{
    struct span span = {.file = sc->file, .start = (uint32_t)from, .end = (uint32_t)to};

    if (to > from && (!sc->tables || sc->in_table))
        diag_conceal(sc->diag, span);
}

static bool is_name_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '@' || c == '-';
}

static bool is(const char *word, size_t len, const char *what)
{
    return strlen(what) == len && memcmp(word, what, len) == 0;
}

/* ---- tables of Kafka in rules ------------------------------------------------------------------ */

static bool is_declaration(const char *word, size_t len)
{
    static const char *const words[] = {"rule", "stream", "list", "table", "def", "exception"};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (is(word, len, words[i]))
            return true;
    return false;
}

/* `options {`: nothing else in rules begins so, and what stands before it may be what is wrong. */
static bool is_options(const struct scan *sc, const char *word, size_t len)
{
    size_t at = sc->at;

    while (at < sc->len && strchr(" \t\r\n", sc->text[at]))
        at++;
    return is(word, len, "options") && at < sc->len && sc->text[at] == '{';
}

/* True: the word is where a table of Kafka begins, or behind its end. */
static bool goes_in_or_out(struct scan *sc, const char *word, size_t len)
{
    if (!sc->tables)
        return false;
    if (sc->in_table && ((sc->line_begins && is_declaration(word, len)) || (sc->depth == 0 && is(word, len, "key")))) {
        sc->in_table = false;
    } else if (!sc->in_table && sc->last == '=' && is(word, len, "kafka")) {
        sc->in_table = true;
        sc->in_options = false;
        sc->depth = 0;
        sc->mode = CONCEAL_NOTHING;
    } else if (!sc->in_table && is_options(sc, word, len)) {
        sc->in_table = sc->in_options = true;
        sc->depth = 1;
    }
    return !sc->in_table || is(word, len, "kafka");
}

static bool key_of_table(const char *word, size_t len, enum conceal_mode *mode_out)
{
    static const char *const keys[] = {
#define TABLE_KAFKA(id, key, value, doc) [TABLE_KAFKA_##id] = (key),
#include "lang/table_kafka.def"
#undef TABLE_KAFKA
    };

    for (int i = 0; i < TABLE_KAFKA_COUNT; i++)
        if (is(word, len, keys[i])) {
            *mode_out = i == TABLE_KAFKA_options ? CONCEAL_NAMED : CONCEAL_NOTHING;
            return true;
        }
    return false;
}

/* A key has one value: behind it the next has to come. */
static void end_value(struct scan *sc)
{
    if (sc->mode == CONCEAL_NAMED || sc->lists > 0 || sc->calls || (sc->naive && sc->mode == CONCEAL_ALL))
        return;
    sc->mode = CONCEAL_TEXTS;
    sc->value_ended = true;
}

/* ---- words --------------------------------------------------------------------------------------- */

/* Does something stand behind what may be a name, in its line, and not glued to it? */
static bool is_followed(const struct scan *sc)
{
    size_t at = sc->at;

    if (at < sc->len && (sc->text[at] == '"' || sc->text[at] == '\''))
        return false;
    while (at < sc->len && (sc->text[at] == ' ' || sc->text[at] == '\t'))
        at++;
    return at < sc->len && sc->text[at] != '}' && sc->text[at] != '\n' && sc->text[at] != '#';
}

/* Is the word a part of what stands before it? */
static bool is_glued(const struct scan *sc, size_t from)
{
    if (from > 0 && sc->text[from - 1] == '{')
        from--;
    return from > 0 && !strchr(" \t\r\n", sc->text[from - 1]);
}

/* "half of a "text": it holds a quotation mark that was not escaped. */
static bool is_behind_text(const struct scan *sc, size_t from)
{
    return from > 0 && (sc->text[from - 1] == '"' || sc->text[from - 1] == '\'');
}

/* All but scheme, host and port. */
static void hide_url(struct scan *sc, size_t from, size_t to)
{
    const char *url = sc->text + from;
    const char *scheme = memmem(url, to - from, "://", 3);
    size_t host = scheme ? (size_t)(scheme - sc->text) + 3 : from, end = host;

    while (end < to && !strchr("/?#", sc->text[end]))
        end++;
    hide(sc, end, to);
    for (size_t at = end; at > host; at--)
        if (sc->text[at - 1] == '@') {
            hide(sc, host, at - 1);
            host = at;
            break;
        }
    const char *colon = host < end && sc->text[host] == '[' ? NULL : memchr(sc->text + host, ':', end - host);
    size_t port = colon ? (size_t)(colon - sc->text) + 1 : end;
    while (port < end && sc->text[port] >= '0' && sc->text[port] <= '9')
        port++;
    if (port < end) /* no port: a password without an @ */
        hide(sc, host, end);
}

static void take_word(struct scan *sc, size_t from)
{
    const char *word = sc->text + from;
    size_t len = sc->at - from;
    enum conceal_mode mode;
    bool is_digit = *word >= '0' && *word <= '9';

    if (goes_in_or_out(sc, word, len))
        return;
    if ((is(word, len, "env") || is(word, len, "file")) && sc->at < sc->len && sc->text[sc->at] == '(') {
        sc->calls = true;
    } else if (sc->mode == CONCEAL_NAMED) {
        bool dotted = !is_digit && memchr(word, '.', len);
        if (!(sc->first || (dotted && !sc->named)) || !is_followed(sc))
            hide(sc, from, sc->at);
        sc->named = !sc->named && (sc->first || dotted);
    } else if (sc->key_of(word, len, &mode)) {
        if (mode > sc->mode || !is_glued(sc, from)) /* `ssl.key` is another than `key` */
            sc->mode = mode;
        else if (sc->mode == CONCEAL_NOTHING)
            sc->mode = CONCEAL_TEXTS;
    } else if (sc->mode == CONCEAL_ALL) {
        hide(sc, from, sc->at);
    } else if (sc->mode == CONCEAL_TEXTS && sc->first && sc->last == '.') { /* a value goes on */
        end_value(sc);
    } else if (sc->mode == CONCEAL_TEXTS && (is_digit || (!sc->first && sc->last != '.'))) {
        if (sc->depth > is_digit)
            hide(sc, from, sc->at);
        end_value(sc);
    } else if (sc->mode != CONCEAL_NOTHING) { /* a key that is none */
        if (sc->depth > is_digit && sc->last != '.' && (!is_followed(sc) || is_behind_text(sc, from)))
            hide(sc, from, sc->at);
        sc->mode = CONCEAL_TEXTS;
    } else {
        end_value(sc);
    }
}

/* ---- texts --------------------------------------------------------------------------------------- */

/* Behind the text in quotes that begins at `from`. */
static size_t text_end(const struct scan *sc, size_t from)
{
    char quote = sc->text[from];
    size_t at = from + 1;

    for (; at < sc->len && sc->text[at] != quote; at++) {
        if (quote == '"' && sc->text[at] == '\n')
            return at;
        if (quote == '"' && sc->text[at] == '\\' && at + 1 < sc->len)
            at++;
    }
    return at < sc->len ? at + 1 : at;
}

static void take_text(struct scan *sc)
{
    size_t from = sc->at, end = text_end(sc, from);

    sc->at = end;
    enum conceal_mode mode = sc->calls ? CONCEAL_NOTHING : sc->mode;
    if (!sc->calls)
        end_value(sc);
    sc->calls = false;
    end -= end > from + 1 && sc->text[end - 1] == sc->text[from];
    if (mode == CONCEAL_URL)
        hide_url(sc, from + 1, end);
    else if (mode != CONCEAL_NOTHING)
        hide(sc, from + 1, end);
}

/* What was taken out of use by it may be a secret all the same. */
static void take_comment(struct scan *sc)
{
    size_t from = sc->at;

    while (sc->at < sc->len && sc->text[sc->at] != '\n')
        sc->at++;
    hide(sc, from + 1, sc->at);
}

static void take_name_in_quotes(struct scan *sc)
{
    sc->at++;
    while (sc->at < sc->len && sc->text[sc->at] != '`' && sc->text[sc->at] != '\n')
        sc->at++;
    sc->at += sc->at < sc->len;
}

static void take_other(struct scan *sc)
{
    char c = sc->text[sc->at++];

    if (strchr(")]},\n", c))
        sc->calls = false;
    if (c == '}')
        sc->mode = CONCEAL_TEXTS; /* a key has to come first */
    if (c == '{')
        sc->depth++;
    else if (c == '}' && sc->depth > 0)
        sc->depth--;
    if (c == '}' && sc->in_options && sc->depth == 0)
        sc->in_table = sc->in_options = false;
    if (c == '[')
        sc->lists++;
    else if (c == '{' || c == '}')
        sc->lists = 0;
    else if (c == ']' && sc->lists > 0)
        sc->lists--;
    if (c == ']' || c == ')')
        end_value(sc);
    if (c == '{' || c == '}' || c == '\n')
        sc->first = true;
}

/* ---- the whole ------------------------------------------------------------------------------------- */

static void take_one(struct scan *sc)
{
    const char *at = sc->text + sc->at;
    size_t from = sc->at;
    bool comment = *at == '#' || (*at == '/' && from + 1 < sc->len && at[1] == '/');

    if (*at == '"' || *at == '\'') {
        take_text(sc);
    } else if (comment) {
        take_comment(sc);
    } else if (*at == '`') {
        take_name_in_quotes(sc);
    } else if (is_name_char(*at)) {
        while (sc->at < sc->len &&
               (is_name_char(sc->text[sc->at]) || (sc->mode == CONCEAL_NAMED && sc->text[sc->at] == '.')))
            sc->at++;
        take_word(sc, from);
    } else {
        take_other(sc);
    }
}

/* The same without quotation marks. */
static void take_piece(struct scan *sc)
{
    size_t from = sc->at;

    while (sc->at < sc->len && !strchr(" \t\r\n\"'`{}[](),=", sc->text[sc->at]))
        sc->at++;
    if (sc->at == from)
        take_other(sc);
    else if (sc->mode == CONCEAL_URL && memmem(sc->text + from, sc->at - from, "://", 3))
        hide_url(sc, from, sc->at);
    else if (sc->calls)
        sc->calls = false;
    else
        take_word(sc, from);
}

static void scan(struct scan *sc)
{
    sc->first = sc->line_begins = true;
    while (sc->at < sc->len) {
        char c = sc->text[sc->at];
        if (sc->naive)
            take_piece(sc);
        else
            take_one(sc);
        if (sc->mode == CONCEAL_NAMED && !sc->naive && (c == '"' || c == '\'' || c == ')'))
            sc->first = true; /* a name is next */
        else if (sc->value_ended)
            sc->first = true;
        else if (!strchr(" \t\r\n{}.", c))
            sc->first = false;
        sc->value_ended = false;
        sc->line_begins = c == '\n' || (sc->line_begins && strchr(" \t\r", c));
        if (!strchr(" \t\r\n", c))
            sc->last = c;
    }
}

static void scan_both(struct scan *sc, bool parses)
{
    struct scan again = *sc;

    scan(sc);
    again.naive = true;
    if (!parses)
        scan(&again);
}

void conceal_text(struct diag *diag, uint32_t file, const char *text, size_t len, bool parses, conceal_key_fn *key_of)
{
    struct scan sc = {.diag = diag, .file = file, .text = text, .len = len, .key_of = key_of};

    scan_both(&sc, parses);
}

void conceal_tables(struct diag *diag, uint32_t file, bool parses)
{
    size_t len;
    const char *own = diag_file_text(diag, file, &len);
    bool any = memmem(own, len, "kafka", 5) || memmem(own, len, "options", 7);
    char *text = any ? mem_strndup(own, len) : NULL;
    struct scan sc = {.diag = diag, .file = file, .text = text, .len = len, .key_of = key_of_table, .tables = true};

    if (text)
        scan_both(&sc, parses);
    mem_free(text);
}
