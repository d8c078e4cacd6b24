// SPDX-License-Identifier: Apache-2.0
/*
 * format_walk - the tokens of a file as the grammar sees them, and the place of each. The text
 * parses, so nothing is checked; whatever comes, each function takes a token or gives back.
 */
#include <string.h>

#include "lang/format_priv.h"

struct walk {
    struct format_text *ft;
    uint32_t at;
    uint16_t indent;   /* of the line that is being read */
    uint32_t anchor;   /* where lines that go on stand: behind this token, */
    uint16_t offset;   /* by so much; */
    uint16_t word;     /* its length, for `and` and `or`, which end where it ends */
    uint16_t open;     /* lists spread over lines that are open here */
};

static struct format_token *here(struct walk *w)
{
    return &w->ft->token[w->at];
}

static bool is(struct walk *w, const char *text)
{
    return format_is(w->ft, w->at, text);
}

static bool next_is(struct walk *w, const char *text)
{
    return format_is(w->ft, w->at + 1, text);
}

static bool at_end(struct walk *w)
{
    return here(w)->kind == FORMAT_END;
}

/* ---- one token ---------------------------------------------------------------------------- */

static void take(struct walk *w)
{
    struct format_token *t = here(w);

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

static void take_glued(struct walk *w)
{
    here(w)->glue = true;
    take(w);
}

static void take_cell(struct walk *w)
{
    here(w)->cell = true;
    take(w);
}

static bool take_if(struct walk *w, const char *text)
{
    if (!is(w, text))
        return false;
    take(w);
    return true;
}

static void line(struct walk *w, enum format_line kind)
{
    here(w)->brk = BREAK_LINE;
    here(w)->line = (uint8_t)kind;
    here(w)->indent = w->indent;
    w->anchor = FORMAT_NO_ANCHOR;
    w->offset = 0;
    w->word = 0;
}

/* Lines that go on with this one stand behind the token here, or, of `and` and `or`, end under it. */
static void anchor_here(struct walk *w)
{
    w->anchor = w->at;
    w->word = (uint16_t)(here(w)->end - here(w)->start);
    w->offset = (uint16_t)(w->word + 1);
}

/* `{` at the end of its line. */
static void open_block(struct walk *w)
{
    here(w)->opens = true;
    take(w);
    w->indent += FORMAT_INDENT;
}

static void close_block(struct walk *w)
{
    w->indent -= FORMAT_INDENT;
    if (at_end(w))
        return;
    here(w)->closes = true;
    if (w->at > 0 && w->ft->token[w->at - 1].opens && here(w)->n_comments == 0) {
        here(w)->glue = true; /* {} */
        take(w);
        return;
    }
    line(w, LINE_PLAIN);
    take(w);
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
    return is(w, "(") || is(w, "[") || is(w, "{");
}

static bool closes(struct walk *w)
{
    return is(w, ")") || is(w, "]") || is(w, "}");
}

/* The token that closes the bracket here. */
static uint32_t find_close(struct walk *w)
{
    struct walk ahead = *w;
    int depth = 0;

    for (; !at_end(&ahead); ahead.at++) {
        depth += opens(&ahead) ? 1 : closes(&ahead) ? -1 : 0;
        if (depth == 0)
            break;
    }
    return ahead.at;
}

static bool holds_comment(struct walk *w, uint32_t close)
{
    for (uint32_t i = w->at + 1; i <= close; i++)
        if (w->ft->token[i].n_comments > 0)
            return true;
    return false;
}

static bool holds_newline(struct walk *w, uint32_t close)
{
    for (uint32_t i = w->at + 1; i <= close; i++)
        if (w->ft->token[i].newline_before || w->ft->token[i].n_comments > 0)
            return true;
    return false;
}

/* About how wide it is in one line: whatever blanks the author put there. */
static uint32_t width_to(struct walk *w, uint32_t close)
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
    struct format_token *t = here(w);
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

static void list(struct walk *w, bool json);

static void group(struct walk *w, int depth);

/* A bracket within brackets: of a call, an index, a list. */
static void inner(struct walk *w, int depth, bool json)
{
    bool behind_value = !json && ends_value(w->ft, w->at - 1);

    here(w)->glue |= behind_value;
    if (is(w, "(") || (is(w, "[") && behind_value))
        group(w, depth);
    else
        list(w, json);
}

/* What stands in ( ) or in the [ ] of an index; `any(x in y: cond)` too. */
static void group(struct walk *w, int depth)
{
    bool first = true;

    for (take(w); !at_end(w) && !closes(w); first = false) {
        here(w)->glue |= first;
        if (opens(w)) {
            inner(w, depth + 1, false);
            continue;
        }
        if ((is(w, "and") || is(w, "or")) && !format_is(w->ft, w->at - 1, "."))
            soft(w, depth);
        take(w);
    }
    if (!at_end(w))
        take_glued(w);
}

static bool is_open(struct walk *w, uint32_t close, bool json)
{
    bool broken = w->at + 1 < w->ft->n && w->ft->token[w->at + 1].newline_before;

    if (close == w->at + 1 && !holds_comment(w, close))
        return false;
    return broken || holds_comment(w, close) || (!json && width_to(w, close) > FORMAT_WIDTH);
}

/* [ ] with values in it, or a JSON object. */
static void list(struct walk *w, bool json)
{
    bool spread = is_open(w, find_close(w), json);
    bool first = true;

    take(w);
    w->open += spread;
    for (; !at_end(w) && !closes(w); first = false) {
        struct format_token *t = here(w);
        bool behind_comma = format_is(w->ft, w->at - 1, ",");

        if (spread && (first || behind_comma)) {
            t->brk = first ? BREAK_INSIDE : json ? BREAK_MEMBER : BREAK_ITEM;
            t->indent = (uint16_t)(w->indent + FORMAT_INDENT * w->open);
        }
        t->glue |= first || (json && format_is(w->ft, w->at - 1, ":"));
        if (opens(w))
            inner(w, 1, json);
        else
            take(w);
    }
    w->open -= spread;
    if (at_end(w))
        return;
    if (spread) {
        here(w)->brk = BREAK_INSIDE;
        here(w)->indent = (uint16_t)(w->indent + FORMAT_INDENT * w->open);
    }
    take_glued(w);
}

/* ---- expressions ---------------------------------------------------------------------------- */

static bool is_operator(struct walk *w)
{
    static const char *const signs[] = {"==", "==~", "!=", "!=~", "<", "<=", ">", ">=", "??", "+", "-", "*", "/", "%"};

    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (is(w, signs[i]))
            return true;
    return is_text_operator(w->ft, w->at);
}

/* A value and what is glued to it: a.b[0](c).d; with `-` and `not` before it. */
static void operand(struct walk *w)
{
    while (is(w, "-") || is(w, "not")) {
        bool minus = is(w, "-");

        take(w);
        here(w)->glue |= minus;
    }
    if (is(w, "(")) {
        group(w, 1);
        return;
    }
    if (is(w, "[")) {
        list(w, false);
        return;
    }
    take(w);
    for (;;) {
        if (is(w, ".")) {
            take_glued(w);
            take_glued(w);
        } else if (is(w, "(") || is(w, "[")) {
            here(w)->glue = true;
            group(w, 1);
        } else {
            return;
        }
    }
}

static void expr(struct walk *w)
{
    operand(w);
    for (;;) {
        if (is(w, "and") || is(w, "or")) {
            soft(w, 0);
            take(w);
        } else if (is(w, "not") && is_text_operator(w->ft, w->at + 1)) {
            take(w);
            take(w);
        } else if (is_operator(w)) {
            /* A long sum: its signs stand below the `=`. Conditions are broken at `and` and `or` alone. */
            if (w->word == 0 && w->anchor != FORMAT_NO_ANCHOR && (is(w, "+") || is(w, "-"))) {
                soft(w, 0);
                here(w)->offset = 0;
            }
            take(w);
        } else {
            return;
        }
        operand(w);
    }
}

/* a, b.c, ?d, e = f */
static void keys(struct walk *w)
{
    do {
        if (take_if(w, "?"))
            here(w)->glue = true;
        expr(w);
        if (take_if(w, "="))
            expr(w);
    } while (take_if(w, ","));
}

/* a or [a, b] */
static void targets(struct walk *w)
{
    if (is(w, "["))
        list(w, false);
    else
        take(w);
}

static void take_until(struct walk *w, const char *text)
{
    while (!at_end(w) && !is(w, text))
        take(w);
}

/* ---- blocks --------------------------------------------------------------------------------- */

static void assigns(struct walk *w)
{
    open_block(w);
    while (!at_end(w) && !is(w, "}")) {
        line(w, LINE_ASSIGN);
        expr(w);
        anchor_here(w);
        w->word = 0;
        take_cell(w);
        expr(w);
    }
    close_block(w);
}

static bool config_one_line(struct walk *w)
{
    uint32_t close = find_close(w);

    return !holds_newline(w, close) && width_to(w, close) < FORMAT_WIDTH;
}

static void block(struct walk *w)
{
    bool one_line = config_one_line(w);

    if (one_line) {
        bool empty = next_is(w, "}");

        take(w);
        here(w)->glue |= empty;
    } else {
        open_block(w);
    }
    while (!at_end(w) && !is(w, "}")) {
        uint32_t key = w->at;

        if (!one_line)
            line(w, LINE_CONFIG);
        take(w);
        while (is(w, ".")) {
            take_glued(w);
            take_glued(w);
        }
        if (is(w, "{")) {
            w->ft->token[key].line = LINE_PLAIN;
            block(w);
            continue;
        }
        here(w)->cell = !one_line;
        operand(w);
    }
    if (one_line)
        take(w);
    else
        close_block(w);
}

static void quantifier(struct walk *w)
{
    if (is(w, "+") || is(w, "*") || is(w, "?")) {
        take_glued(w);
    } else if (is(w, "{")) {
        take_glued(w);
        while (!at_end(w) && !is(w, "}"))
            take_glued(w);
        take_glued(w);
    }
}

/* `where`, `having` and their condition: `and` and `or` end where the word ends. */
static void condition(struct walk *w)
{
    uint32_t anchor = w->anchor;
    uint16_t offset = w->offset;

    take(w);
    w->at--;
    anchor_here(w);
    w->at++;
    expr(w);
    w->anchor = anchor;
    w->offset = offset;
    w->word = 0;
}

static void step_tail(struct walk *w)
{
    for (bool first = true; is(w, "where") || is(w, "by") || is(w, "within"); first = false) {
        here(w)->brk = BREAK_KEEP;
        if (is(w, "where")) {
            here(w)->cell = first;
            condition(w);
        } else if (take_if(w, "by")) {
            keys(w);
        } else {
            take(w);
            take(w);
        }
    }
}

static void step(struct walk *w)
{
    line(w, LINE_STEP);
    while (is(w, "not") || is(w, "next") || is(w, "until"))
        take(w);
    if ((is(w, "any") || is(w, "all"))) {
        w->ft->token[w->at].line = LINE_PLAIN;
        take_until(w, "{");
        open_block(w);
        while (!at_end(w) && !is(w, "}"))
            step(w);
        close_block(w);
        return;
    }
    take(w);
    quantifier(w);
    take_glued(w); /* : */
    anchor_here(w);
    w->offset = w->word = 0;
    here(w)->cell = true;
    targets(w);
    step_tail(w);
}

static void fire(struct walk *w)
{
    take(w);
    take(w);
    if (is(w, "every"))
        take(w);
    take(w);
    take_if(w, "reset");
}

/* match, window, join, novel */
static void body(struct walk *w)
{
    take(w);
    while (!at_end(w) && !is(w, "{")) {
        if (take_if(w, "by"))
            keys(w);
        else if (!take_if(w, ","))
            operand(w);
        if (is(w, "..")) {
            take_glued(w);
            here(w)->glue = true;
            operand(w);
        }
    }
    open_block(w);
    while (!at_end(w) && !is(w, "}")) {
        if (is(w, "having")) {
            line(w, LINE_PLAIN);
            condition(w);
        } else if (is(w, "fire") || is(w, "allow")) {
            line(w, LINE_PLAIN);
            if (is(w, "fire"))
                fire(w);
            else
                for (int i = 0; i < 3; i++)
                    take(w);
        } else {
            step(w);
        }
    }
    close_block(w);
}

/* ---- tests ---------------------------------------------------------------------------------- */

static void test_item(struct walk *w)
{
    if (here(w)->kind == FORMAT_NUMBER) {
        line(w, LINE_EVENT);
        take(w);
        take_cell(w);
        here(w)->cell = true;
        list(w, true);
        return;
    }
    line(w, LINE_PLAIN);
    if (is(w, "list") || is(w, "table")) {
        bool json = is(w, "table");

        for (int i = 0; i < 3; i++)
            take(w);
        list(w, json);
    } else if (take_if(w, "expect")) {
        take(w);
        if (is(w, "alert") || is(w, "alerts"))
            take(w);
        if (take_if(w, "at"))
            take(w);
        if (is(w, "{"))
            list(w, true);
    } else { /* until, lateness */
        take(w);
        take(w);
    }
}

static void test(struct walk *w)
{
    take(w);
    take(w);
    open_block(w);
    while (!at_end(w) && !is(w, "}"))
        test_item(w);
    close_block(w);
}

/* ---- clauses -------------------------------------------------------------------------------- */

static void head_clause(struct walk *w)
{
    bool is_list = is(w, "tags");

    w->ft->token[w->at].line = LINE_HEAD;
    take(w);
    here(w)->cell = true;
    anchor_here(w);
    w->offset = w->word = 0;
    if (is_list)
        list(w, false);
    else
        expr(w);
}

static void limit(struct walk *w)
{
    take(w);
    bool is_state = is(w, "state");

    for (int i = is_state ? 2 : 4; i > 0; i--)
        take(w);
}

static void suppress(struct walk *w)
{
    take(w);
    take(w);
    if (take_if(w, "by"))
        keys(w);
    take_if(w, "summary");
}

static void clause(struct walk *w)
{
    line(w, LINE_PLAIN);
    if (is(w, "title") || is(w, "description") || is(w, "severity") || is(w, "risk") || is(w, "tags")) {
        head_clause(w);
    } else if (is(w, "match") || is(w, "window") || is(w, "join") || is(w, "novel")) {
        body(w);
    } else if (is(w, "emit")) {
        take_until(w, "{");
        assigns(w);
    } else if (is(w, "meta")) {
        take(w);
        block(w);
    } else if (is(w, "suppress")) {
        suppress(w);
    } else if (is(w, "limit")) {
        limit(w);
    } else if (is(w, "test")) {
        test(w);
    } else if (is(w, "to")) {
        take(w);
        targets(w);
    } else if (is(w, "keep") || is(w, "on_reload")) {
        take(w);
        take(w);
    } else { /* disabled */
        take(w);
    }
}

/* ---- declarations --------------------------------------------------------------------------- */

static void opt_where(struct walk *w)
{
    if (!is(w, "where"))
        return;
    here(w)->brk = BREAK_KEEP;
    condition(w);
}

static void stream(struct walk *w)
{
    line(w, LINE_STREAM);
    take(w);
    take(w);
    take_cell(w); /* = */
    do
        take(w);
    while (take_if(w, ","));
    opt_where(w);
    if (is(w, "{"))
        assigns(w);
    if (!is(w, "expect"))
        return;
    here(w)->brk = BREAK_KEEP;
    condition(w);
    take(w); /* else */
    take_if(w, "quarantine");
    take(w);
}

static void named_list(struct walk *w)
{
    line(w, LINE_LIST);
    take(w);
    take(w);
    take_cell(w);
    if (!is(w, "[") && !is(w, "file"))
        take(w);
    if (take_if(w, "file"))
        take(w);
    else
        list(w, false);
}

static void table(struct walk *w)
{
    line(w, LINE_TABLE);
    take(w);
    take(w);
    take_cell(w);
    if (take_if(w, "kafka")) {
        block(w);
    } else {
        take(w);
        take(w);
    }
    take(w); /* key */
    operand(w);
    if (take_if(w, "keep"))
        take(w);
}

static void def(struct walk *w)
{
    line(w, LINE_PLAIN);
    take(w);
    take(w);
    here(w)->glue = true;
    group(w, 1);
    take(w);
    expr(w);
}

static void exception(struct walk *w)
{
    line(w, LINE_PLAIN);
    for (int i = 0; i < 3; i++)
        take(w);
    targets(w);
    if (take_if(w, "until"))
        take(w);
    opt_where(w);
}

static void declaration(struct walk *w)
{
    if (is(w, "stream")) {
        stream(w);
    } else if (is(w, "list")) {
        named_list(w);
    } else if (is(w, "table")) {
        table(w);
    } else if (is(w, "def")) {
        def(w);
    } else if (is(w, "exception")) {
        exception(w);
    } else if (is(w, "rule")) {
        line(w, LINE_PLAIN);
        here(w)->apart = true;
        take(w);
        take(w);
        open_block(w);
        while (!at_end(w) && !is(w, "}"))
            clause(w);
        close_block(w);
        here(w)->apart = !at_end(w);
    } else {
        line(w, LINE_PLAIN);
        bool is_default = is(w, "default_to");

        take(w);
        if (is_default) {
            targets(w);
            return;
        }
        if (!is(w, "{"))
            take(w);
        block(w);
    }
}

/* What stands close to its neighbours whatever they are. */
static void glue_signs(struct format_text *ft)
{
    for (uint32_t i = 1; i < ft->n; i++) {
        struct format_token *t = &ft->token[i];

        t->glue |= format_is(ft, i, ",") || format_is(ft, i, ")") || format_is(ft, i, "]") ||
                   format_is(ft, i, ".") || format_is(ft, i, ":") || format_is(ft, i - 1, "(") ||
                   format_is(ft, i - 1, "[") || format_is(ft, i - 1, ".") ||
                   (i > 1 && format_is(ft, i - 1, "-") && !ends_value(ft, i - 2));
    }
}

void format_walk(struct format_text *ft)
{
    struct walk w = {.ft = ft, .anchor = FORMAT_NO_ANCHOR};

    while (!at_end(&w))
        declaration(&w);
    line(&w, LINE_PLAIN);
    glue_signs(ft);
}
