// SPDX-License-Identifier: Apache-2.0
/* format_emit - tokens that know their place, and comments, to lines of cells. */
#include <string.h>

#include "base/mem.h"
#include "lang/format_priv.h"

enum { MAX_BLOCKS = 512, NO_COMMENT = UINT32_MAX };

struct place { /* of a token that is in a line */
    uint32_t line, cell, in_cell; /* columns from the cell's beginning */
    uint32_t column;              /* before cells are aligned */
};

struct emit {
    struct format_lines *lines;
    const struct format_text *ft;
    struct place *place; /* [ft->n] */
    uint32_t column;     /* of the end of the last line */
    uint32_t in_cell;    /* the same, from the beginning of its last cell */
    uint32_t section[MAX_BLOCKS];
    uint32_t depth, n_sections;
    bool forced;         /* a comment was last: nothing may follow it */
    bool opened;         /* a bracket or block was opened last: no blank line */
};

static struct format_out *last_line(struct emit *e)
{
    return &e->lines->line[e->lines->n - 1];
}

/* ---- lines ---------------------------------------------------------------------------------- */

static struct format_out *add_line(struct emit *e, bool blank_before)
{
    struct format_lines *lines = e->lines;
    struct format_out *out;

    if (blank_before)
        e->section[e->depth] = ++e->n_sections;
    lines->line = vec_reserve(lines->line, &lines->cap, (size_t)lines->n + 1, sizeof *lines->line);
    out = &lines->line[lines->n++];
    *out = (struct format_out){.section = e->section[e->depth], .blank_before = blank_before,
                               .anchor = FORMAT_NO_ANCHOR, .comment = NO_COMMENT};
    return out;
}

/* A line that stands at `indent`. */
static struct format_out *add_main(struct emit *e, uint32_t indent, bool blank_before)
{
    struct format_out *out = add_line(e, blank_before);

    out->column = e->column = indent;
    return out;
}

/* One that goes on where token t may stand. */
static struct format_out *add_more(struct emit *e, const struct format_token *t)
{
    struct format_out *out = add_line(e, false);

    out->continues = true;
    out->column = e->column = t->indent;
    if (t->anchor != FORMAT_NO_ANCHOR) {
        const struct place *at = &e->place[t->anchor];

        out->anchor = at->line;
        out->anchor_cell = at->cell;
        out->column = at->in_cell + t->offset;
        e->column = at->column + t->offset;
    }
    return out;
}

static void add_text(struct emit *e, const char *text, size_t len, bool new_cell, bool blank)
{
    struct format_out *out = last_line(e);
    struct buf *to = &e->lines->text;

    if (out->n_cells == 0 || (new_cell && out->n_cells < FORMAT_MAX_CELLS && !out->continues)) {
        e->column += out->n_cells > 0;
        out->cell[out->n_cells++].start = (uint32_t)to->len;
        e->in_cell = 0;
    } else if (blank) {
        buf_addc(to, ' ');
        e->column++;
        e->in_cell++;
    }
    buf_add(to, text, len);
    uint32_t columns = format_columns(text, len);
    bool spans = memchr(text, '\n', len) != NULL;
    e->column = spans ? columns : e->column + columns;
    e->in_cell = spans ? columns : e->in_cell + columns;
    out->cell[out->n_cells - 1].end = (uint32_t)to->len;
}

/* ---- comments ------------------------------------------------------------------------------- */

/* A line that begins there stands at its indentation. */
static bool is_indented(const struct format_token *t)
{
    return t->brk == BREAK_LINE || t->brk == BREAK_ITEM || t->brk == BREAK_MEMBER || t->brk == BREAK_INSIDE;
}

static bool ends_lines(const struct emit *e, uint32_t token)
{
    const struct format_token *t = &e->ft->token[token];

    return (t->brk == BREAK_LINE && t->closes) ||
           (t->brk == BREAK_INSIDE && (format_is(e->ft, token, "]") || format_is(e->ft, token, "}")));
}

static void comments(struct emit *e, uint32_t token)
{
    const struct format_token *t = &e->ft->token[token];
    bool apart = t->apart;
    uint32_t indent = t->indent + (ends_lines(e, token) ? (uint32_t)FORMAT_INDENT : 0);

    for (uint32_t i = 0; i < t->n_comments; i++) {
        const struct format_comment *c = &e->ft->comment[t->first_comment + i];
        bool blank = (c->blank_before || apart) && !e->opened && e->lines->n > 0;

        if (!c->own_line && e->lines->n > 0) {
            last_line(e)->comment = t->first_comment + i;
            e->forced = true;
            continue;
        }
        if (is_indented(t))
            add_main(e, indent, blank);
        else
            add_more(e, t);
        add_text(e, e->ft->text + c->start, c->end - c->start, false, false);
        e->forced = true;
        e->opened = apart = false;
    }
}

/* ---- tokens --------------------------------------------------------------------------------- */

static bool stays(const struct format_token *t)
{
    return t->brk == BREAK_NO || (t->brk == BREAK_KEEP && !t->newline_before);
}

/* Of the tokens from here up to where the line may be broken, or is. */
static uint32_t width_of(const struct emit *e, uint32_t token)
{
    uint32_t width = 0;

    for (uint32_t i = token; i == token || (i < e->ft->n && stays(&e->ft->token[i])); i++) {
        const struct format_token *t = &e->ft->token[i];

        width += format_columns(e->ft->text + t->start, t->end - t->start) + !t->glue;
        if (i > token && t->n_comments > 0)
            break;
    }
    return width;
}

static bool breaks(const struct emit *e, uint32_t token)
{
    const struct format_token *t = &e->ft->token[token];

    switch ((enum format_break)t->brk) {
    case BREAK_LINE:
    case BREAK_INSIDE: return true;
    case BREAK_SOFT:
    case BREAK_ITEM:
        return t->newline_before || e->forced || e->column + width_of(e, token) > FORMAT_WIDTH;
    case BREAK_MEMBER:
    case BREAK_KEEP: return t->newline_before || e->forced;
    case BREAK_NO: break;
    }
    return e->forced;
}

/* Does this token, or a comment before it, begin what a blank line may set apart? */
static bool blank_before(const struct emit *e, const struct format_token *t)
{
    bool own_line = false;

    for (uint32_t i = 0; i < t->n_comments; i++)
        own_line |= e->ft->comment[t->first_comment + i].own_line;
    return (t->blank_before || (t->apart && !own_line)) && !e->opened && !t->closes && e->lines->n > 0;
}

static void new_line(struct emit *e, uint32_t token)
{
    const struct format_token *t = &e->ft->token[token];

    if (t->brk == BREAK_LINE) {
        if (t->closes && e->depth > 0)
            e->depth--;
        add_main(e, t->indent, blank_before(e, t))->kind = t->line;
    } else if (is_indented(t)) {
        add_main(e, t->indent, t->brk != BREAK_INSIDE && blank_before(e, t));
    } else {
        add_more(e, t);
    }
}

static void put(struct emit *e, uint32_t token)
{
    const struct format_token *t = &e->ft->token[token];
    const char *text = e->ft->text + t->start;
    bool begins = e->lines->n == 0 || breaks(e, token);
    struct place *at = &e->place[token];

    if (begins)
        new_line(e, token);
    else if (t->closes && e->depth > 0)
        e->depth--;
    add_text(e, text, t->end - t->start, t->cell, !t->glue);
    at->line = e->lines->n - 1;
    at->cell = last_line(e)->n_cells - 1u;
    uint32_t own = format_columns(text, t->end - t->start);
    at->in_cell = e->in_cell > own ? e->in_cell - own : 0;
    at->column = e->column > own ? e->column - own : 0;
    e->forced = false;
    e->opened = t->opens || (t->kind == FORMAT_SIGN && (*text == '[' || *text == '{'));
    if (t->opens && e->depth + 1 < MAX_BLOCKS)
        e->section[++e->depth] = ++e->n_sections;
}

void format_emit(struct format_lines *lines, const struct format_text *ft)
{
    struct emit *e = mem_calloc(1, sizeof *e);

    *lines = (struct format_lines){.ft = ft};
    buf_init(&lines->text);
    e->lines = lines;
    e->ft = ft;
    e->place = mem_calloc(ft->n, sizeof *e->place);
    for (uint32_t i = 0; i < ft->n; i++) {
        comments(e, i);
        if (ft->token[i].kind != FORMAT_END)
            put(e, i);
    }
    mem_free(e->place);
    mem_free(e);
}
