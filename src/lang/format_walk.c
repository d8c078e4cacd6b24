// SPDX-License-Identifier: Apache-2.0
/*
 * format_walk - the tokens of a file as the grammar sees them, and the place of each. The text
 * parses, so nothing is checked; whatever comes, each function takes a token or gives back.
 */
#include "lang/format_walk_priv.h"

static bool walk_next_is(struct walk *w, const char *text)
{
    return format_is(w->ft, w->at + 1, text);
}

/* a or [a, b] */
static void targets(struct walk *w)
{
    if (walk_is(w, "["))
        walk_list(w, false);
    else
        walk_take(w);
}

static void take_until(struct walk *w, const char *text)
{
    while (!walk_at_end(w) && !walk_is(w, text))
        walk_take(w);
}

/* `{` at the end of its line. */
static void open_block(struct walk *w)
{
    walk_here(w)->opens = true;
    walk_take(w);
    w->indent += FORMAT_INDENT;
}

static void close_block(struct walk *w)
{
    w->indent -= FORMAT_INDENT;
    if (walk_at_end(w))
        return;
    walk_here(w)->closes = true;
    if (w->at > 0 && w->ft->token[w->at - 1].opens && walk_here(w)->n_comments == 0) {
        walk_here(w)->glue = true; /* {} */
        walk_take(w);
        return;
    }
    walk_line(w, LINE_PLAIN);
    walk_take(w);
}

/* ---- blocks --------------------------------------------------------------------------------- */

static void assigns(struct walk *w)
{
    open_block(w);
    while (!walk_at_end(w) && !walk_is(w, "}")) {
        walk_line(w, LINE_ASSIGN);
        walk_expr(w);
        walk_anchor_here(w);
        w->word = 0;
        walk_take_cell(w);
        walk_expr(w);
    }
    close_block(w);
}

static bool config_one_line(struct walk *w)
{
    uint32_t close = walk_find_close(w);

    return !walk_holds_newline(w, close) && walk_width_to(w, close) < FORMAT_WIDTH;
}

static void block(struct walk *w)
{
    bool one_line = config_one_line(w);

    if (one_line) {
        bool empty = walk_next_is(w, "}");

        walk_take(w);
        walk_here(w)->glue |= empty;
    } else {
        open_block(w);
    }
    while (!walk_at_end(w) && !walk_is(w, "}")) {
        uint32_t key = w->at;

        if (!one_line)
            walk_line(w, LINE_CONFIG);
        walk_take(w);
        while (walk_is(w, ".")) {
            walk_take_glued(w);
            walk_take_glued(w);
        }
        if (walk_is(w, "{")) {
            w->ft->token[key].line = LINE_PLAIN;
            block(w);
            continue;
        }
        walk_here(w)->cell = !one_line;
        walk_operand(w);
    }
    if (one_line)
        walk_take(w);
    else
        close_block(w);
}

static void quantifier(struct walk *w)
{
    if (walk_is(w, "+") || walk_is(w, "*") || walk_is(w, "?")) {
        walk_take_glued(w);
    } else if (walk_is(w, "{")) {
        walk_take_glued(w);
        while (!walk_at_end(w) && !walk_is(w, "}"))
            walk_take_glued(w);
        walk_take_glued(w);
    }
}

/* `where`, `having` and their condition: `and` and `or` end where the word ends. */
static void condition(struct walk *w)
{
    uint32_t anchor = w->anchor;
    uint16_t offset = w->offset;

    walk_take(w);
    w->at--;
    walk_anchor_here(w);
    w->at++;
    walk_expr(w);
    w->anchor = anchor;
    w->offset = offset;
    w->word = 0;
}

static void step_tail(struct walk *w)
{
    for (bool first = true; walk_is(w, "where") || walk_is(w, "by") || walk_is(w, "within"); first = false) {
        walk_here(w)->brk = BREAK_KEEP;
        if (walk_is(w, "where")) {
            walk_here(w)->cell = first;
            condition(w);
        } else if (walk_take_if(w, "by")) {
            walk_keys(w);
        } else {
            walk_take(w);
            walk_take(w);
        }
    }
}

static void step(struct walk *w)
{
    walk_line(w, LINE_STEP);
    while (walk_is(w, "not") || walk_is(w, "next") || walk_is(w, "until"))
        walk_take(w);
    if ((walk_is(w, "any") || walk_is(w, "all"))) {
        w->ft->token[w->at].line = LINE_PLAIN;
        take_until(w, "{");
        open_block(w);
        while (!walk_at_end(w) && !walk_is(w, "}"))
            step(w);
        close_block(w);
        return;
    }
    walk_take(w);
    quantifier(w);
    walk_take_glued(w); /* : */
    walk_anchor_here(w);
    w->offset = w->word = 0;
    walk_here(w)->cell = true;
    targets(w);
    step_tail(w);
}

static void fire(struct walk *w)
{
    walk_take(w);
    walk_take(w);
    if (walk_is(w, "every"))
        walk_take(w);
    walk_take(w);
    walk_take_if(w, "reset");
}

/* match, window, join, novel */
static void body(struct walk *w)
{
    walk_take(w);
    while (!walk_at_end(w) && !walk_is(w, "{")) {
        if (walk_take_if(w, "by"))
            walk_keys(w);
        else if (!walk_take_if(w, ","))
            walk_operand(w);
        if (walk_is(w, "..")) {
            walk_take_glued(w);
            walk_here(w)->glue = true;
            walk_operand(w);
        }
    }
    open_block(w);
    while (!walk_at_end(w) && !walk_is(w, "}")) {
        if (walk_is(w, "having")) {
            walk_line(w, LINE_PLAIN);
            condition(w);
        } else if (walk_is(w, "fire") || walk_is(w, "allow")) {
            walk_line(w, LINE_PLAIN);
            if (walk_is(w, "fire"))
                fire(w);
            else
                for (int i = 0; i < 3; i++)
                    walk_take(w);
        } else {
            step(w);
        }
    }
    close_block(w);
}

/* ---- tests ---------------------------------------------------------------------------------- */

static void test_item(struct walk *w)
{
    if (walk_here(w)->kind == FORMAT_NUMBER) {
        walk_line(w, LINE_EVENT);
        walk_take(w);
        walk_take_cell(w);
        walk_here(w)->cell = true;
        walk_list(w, true);
        return;
    }
    walk_line(w, LINE_PLAIN);
    if (walk_is(w, "list") || walk_is(w, "table")) {
        bool json = walk_is(w, "table");

        for (int i = 0; i < 3; i++)
            walk_take(w);
        walk_list(w, json);
    } else if (walk_take_if(w, "expect")) {
        walk_take(w);
        if (walk_is(w, "alert") || walk_is(w, "alerts"))
            walk_take(w);
        if (walk_take_if(w, "at"))
            walk_take(w);
        if (walk_is(w, "{"))
            walk_list(w, true);
    } else { /* until, lateness */
        walk_take(w);
        walk_take(w);
    }
}

static void test(struct walk *w)
{
    walk_take(w);
    walk_take(w);
    open_block(w);
    while (!walk_at_end(w) && !walk_is(w, "}"))
        test_item(w);
    close_block(w);
}

/* ---- clauses -------------------------------------------------------------------------------- */

static void head_clause(struct walk *w)
{
    bool is_list = walk_is(w, "tags");

    w->ft->token[w->at].line = LINE_HEAD;
    walk_take(w);
    walk_here(w)->cell = true;
    walk_anchor_here(w);
    w->offset = w->word = 0;
    if (is_list)
        walk_list(w, false);
    else
        walk_expr(w);
}

static void limit(struct walk *w)
{
    walk_take(w);
    bool is_state = walk_is(w, "state");

    for (int i = is_state ? 2 : 4; i > 0; i--)
        walk_take(w);
}

static void suppress(struct walk *w)
{
    walk_take(w);
    walk_take(w);
    if (walk_take_if(w, "by"))
        walk_keys(w);
    walk_take_if(w, "summary");
}

static void clause(struct walk *w)
{
    walk_line(w, LINE_PLAIN);
    if (walk_is(w, "title") || walk_is(w, "description") || walk_is(w, "severity") || walk_is(w, "risk") || walk_is(w, "tags")) {
        head_clause(w);
    } else if (walk_is(w, "match") || walk_is(w, "window") || walk_is(w, "join") || walk_is(w, "novel")) {
        body(w);
    } else if (walk_is(w, "emit")) {
        take_until(w, "{");
        assigns(w);
    } else if (walk_is(w, "meta")) {
        walk_take(w);
        block(w);
    } else if (walk_is(w, "suppress")) {
        suppress(w);
    } else if (walk_is(w, "limit")) {
        limit(w);
    } else if (walk_is(w, "test")) {
        test(w);
    } else if (walk_is(w, "to")) {
        walk_take(w);
        targets(w);
    } else if (walk_is(w, "keep") || walk_is(w, "on_reload")) {
        walk_take(w);
        walk_take(w);
    } else { /* disabled */
        walk_take(w);
    }
}

/* ---- declarations --------------------------------------------------------------------------- */

static void opt_where(struct walk *w)
{
    if (!walk_is(w, "where"))
        return;
    walk_here(w)->brk = BREAK_KEEP;
    condition(w);
}

static void stream(struct walk *w)
{
    walk_line(w, LINE_STREAM);
    walk_take(w);
    walk_take(w);
    walk_take_cell(w); /* = */
    do
        walk_take(w);
    while (walk_take_if(w, ","));
    opt_where(w);
    if (walk_is(w, "{"))
        assigns(w);
    if (!walk_is(w, "expect"))
        return;
    walk_here(w)->brk = BREAK_KEEP;
    condition(w);
    walk_take(w); /* else */
    walk_take_if(w, "quarantine");
    walk_take(w);
}

static void named_list(struct walk *w)
{
    walk_line(w, LINE_LIST);
    walk_take(w);
    walk_take(w);
    walk_take_cell(w);
    if (!walk_is(w, "[") && !walk_is(w, "file"))
        walk_take(w);
    if (walk_take_if(w, "file"))
        walk_take(w);
    else
        walk_list(w, false);
}

static void table(struct walk *w)
{
    walk_line(w, LINE_TABLE);
    walk_take(w);
    walk_take(w);
    walk_take_cell(w);
    if (walk_take_if(w, "kafka")) {
        block(w);
    } else {
        walk_take(w);
        walk_take(w);
    }
    walk_take(w); /* key */
    walk_operand(w);
    if (walk_take_if(w, "keep"))
        walk_take(w);
}

static void def(struct walk *w)
{
    walk_line(w, LINE_PLAIN);
    walk_take(w);
    walk_take(w);
    walk_here(w)->glue = true;
    walk_group(w, 1);
    walk_take(w);
    walk_expr(w);
}

static void exception(struct walk *w)
{
    walk_line(w, LINE_PLAIN);
    for (int i = 0; i < 3; i++)
        walk_take(w);
    targets(w);
    if (walk_take_if(w, "until"))
        walk_take(w);
    opt_where(w);
}

static void declaration(struct walk *w)
{
    if (walk_is(w, "stream")) {
        stream(w);
    } else if (walk_is(w, "list")) {
        named_list(w);
    } else if (walk_is(w, "table")) {
        table(w);
    } else if (walk_is(w, "def")) {
        def(w);
    } else if (walk_is(w, "exception")) {
        exception(w);
    } else if (walk_is(w, "rule")) {
        walk_line(w, LINE_PLAIN);
        walk_here(w)->apart = true;
        walk_take(w);
        walk_take(w);
        open_block(w);
        while (!walk_at_end(w) && !walk_is(w, "}"))
            clause(w);
        close_block(w);
        walk_here(w)->apart = !walk_at_end(w);
    } else {
        walk_line(w, LINE_PLAIN);
        bool is_default = walk_is(w, "default_to");

        walk_take(w);
        if (is_default) {
            targets(w);
            return;
        }
        if (!walk_is(w, "{"))
            walk_take(w);
        block(w);
    }
}

void format_walk(struct format_text *ft)
{
    struct walk w = {.ft = ft, .anchor = FORMAT_NO_ANCHOR};

    while (!walk_at_end(&w))
        declaration(&w);
    walk_line(&w, LINE_PLAIN);
    walk_glue_signs(ft);
}
