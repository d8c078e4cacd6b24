// SPDX-License-Identifier: Apache-2.0
/*
 * What may be a secret in the text of a configuration, found without its meaning: a diagnostic shows the
 * line that it is about, and that may be one that does not parse. So it goes by what is shown:
 *
 *     texts behind a key of option.def that has no secrets      all of it
 *     NAME in env("NAME"), file("NAME")                         all of it
 *     texts behind `webhook`, `proxy`                           scheme, host and port
 *     what stands in `headers { }`, `options { }`               names: where one may stand
 *     texts behind anything else, and whatever is behind        nothing
 *     `secret` or `routing_key`
 */
#include <string.h>

#include "config/config_priv.h"

enum mode { SHOWN, URL, TEXTS, ALL };

struct scan {
    struct diag *diag;
    uint32_t file;
    const char *text;
    size_t len, at;
    enum mode mode;     /* of what stands behind the last key */
    bool headers;       /* in the block, or before it */
    bool calls;         /* in the brackets of env or file */
    bool first;         /* here stands a key, if anything does */
};

static void hide(struct scan *sc, size_t from, size_t to)
{
    struct span span = {.file = sc->file, .start = (uint32_t)from, .end = (uint32_t)to};

    if (to > from)
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

/* The option that a word is the key of; NULL: of none. */
static const struct config_option *option_of(const char *word, size_t len)
{
    for (int i = 0; i < CONFIG_OPTION_COUNT; i++)
        if (is(word, len, config_options[i].key))
            return &config_options[i];
    return NULL;
}

static enum mode mode_of(const struct config_option *o)
{
    switch (o->type) {
    case CONFIG_TYPE_SECRET:
    case CONFIG_TYPE_SECRETS: return ALL;
    case CONFIG_TYPE_PROPERTIES:
    case CONFIG_TYPE_HEADERS: return TEXTS;
    case CONFIG_TYPE_URL:
    case CONFIG_TYPE_PROXY: return URL;
    default: return SHOWN;
    }
}

static void take_word(struct scan *sc, size_t from)
{
    const char *word = sc->text + from;
    size_t len = sc->at - from;
    const struct config_option *o = option_of(word, len);

    if ((is(word, len, "env") || is(word, len, "file")) && sc->at < sc->len &&
        sc->text[sc->at] == '(') {
        sc->calls = true;
    } else if (sc->headers) {
        if (!sc->first)
            hide(sc, from, sc->at);
    } else if (o) {
        sc->mode = mode_of(o);
        sc->headers = o->type == CONFIG_TYPE_HEADERS || o->type == CONFIG_TYPE_PROPERTIES;
    } else if (sc->mode == ALL) {
        hide(sc, from, sc->at);
    } else if (is(word, len, "default_to")) {
        sc->mode = SHOWN;
    } else if (sc->mode != SHOWN || sc->first) { /* a value that is a word, or a key that is none */
        sc->mode = TEXTS;
    }
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
            break;
        }
}

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
    if (sc->calls || (sc->mode == SHOWN && !sc->headers))
        return;
    end -= end > from + 1 && sc->text[end - 1] == sc->text[from];
    if (sc->mode == URL)
        hide_url(sc, from + 1, end);
    else
        hide(sc, from + 1, end);
}

static void take_comment(struct scan *sc)
{
    size_t from = sc->at;

    while (sc->at < sc->len && sc->text[sc->at] != '\n')
        sc->at++;
    if (sc->mode == ALL || sc->headers)
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

    if (c == ')')
        sc->calls = false;
    if (c == '}') {
        sc->headers = false;
        sc->mode = SHOWN;
    }
    if (c == '{' || c == '}' || c == '\n')
        sc->first = true;
}

void config_conceal(struct diag *diag, uint32_t file, const char *text, size_t len)
{
    struct scan sc = {.diag = diag, .file = file, .text = text, .len = len, .first = true};

    while (sc.at < len) {
        size_t from = sc.at;
        char c = text[from];
        if (c == '"' || c == '\'') {
            take_text(&sc);
        } else if (c == '#') {
            take_comment(&sc);
        } else if (c == '`') {
            take_name_in_quotes(&sc);
        } else if (is_name_char(c)) {
            while (sc.at < len && (is_name_char(text[sc.at]) || (sc.headers && text[sc.at] == '.')))
                sc.at++;
            take_word(&sc, from);
        } else {
            take_other(&sc);
        }
        if (sc.headers && (c == '"' || c == '\'' || c == ')'))
            sc.first = true; /* a name is next */
        else if (!strchr(" \t\r\n{}", c))
            sc.first = false;
    }
}
