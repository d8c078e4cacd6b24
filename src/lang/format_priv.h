// SPDX-License-Identifier: Apache-2.0
/*
 * format_priv - what the files of the formatter share.
 *
 *   text --format_lex--> tokens, comments --format_walk--> tokens that know their place
 *        --format_emit--> lines of cells --format_align--> text
 *
 * format_walk goes over the tokens as the grammar would (they are known to parse), and says of each:
 * does it begin a line, a cell that is aligned with those of the lines around, is it glued to the
 * token before. format_emit decides where long lines are broken, and puts the comments in.
 */
#ifndef LANG_FORMAT_PRIV_H
#define LANG_FORMAT_PRIV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "lang/format.h"

enum { FORMAT_NO_ANCHOR = UINT32_MAX, FORMAT_INDENT = 2, FORMAT_MAX_CELLS = 4 };

enum format_kind { FORMAT_WORD, FORMAT_QUOTED, FORMAT_TEXT, FORMAT_NUMBER, FORMAT_SIGN, FORMAT_END };

/* May a line begin at this token? */
enum format_break {
    BREAK_NO,     /* only behind a comment */
    BREAK_LINE,   /* it does */
    BREAK_SOFT,   /* `and`, `or`: where the author had it, and where the line gets too long */
    BREAK_KEEP,   /* where the author had it */
    BREAK_ITEM,   /* in a list that is spread over lines: like BREAK_SOFT */
    BREAK_MEMBER, /* in such a JSON value: like BREAK_KEEP */
    BREAK_INSIDE, /* behind and before the brackets of such a list: it does */
};

/* Lines of one block and one kind have their cells aligned. */
enum format_line { LINE_PLAIN, LINE_HEAD, LINE_STEP, LINE_ASSIGN, LINE_EVENT, LINE_CONFIG, LINE_STREAM,
                   LINE_LIST, LINE_TABLE };

struct format_comment {
    uint32_t start, end; /* bytes of the text, without blanks at its end */
    bool own_line;       /* nothing but blanks before it in its line */
    bool blank_before;   /* a blank line before it */
};

struct format_token {
    uint32_t start, end;
    uint32_t first_comment, n_comments; /* those before it */
    uint8_t kind;       /* enum format_kind */
    bool newline_before; /* a line break between it and what is before, comment or token */
    bool blank_before;
    /* format_walk */
    uint8_t brk;        /* enum format_break */
    uint8_t line;       /* BREAK_LINE: enum format_line */
    bool glue;          /* no blank before it */
    bool cell;          /* a cell begins */
    bool apart;         /* BREAK_LINE: a blank line before it in any case */
    bool opens, closes; /* a block of lines */
    uint16_t indent;    /* in columns: not BREAK_NO, BREAK_SOFT, BREAK_KEEP; else of a line that begins
                           here and has no anchor */
    uint32_t anchor;    /* a line that begins here stands `offset` behind this token */
    uint16_t offset;
};

struct format_text {
    const char *text;
    size_t len;
    struct format_token *token; /* owned; the last is FORMAT_END */
    uint32_t n;
    size_t cap;
    struct format_comment *comment; /* owned */
    uint32_t n_comments;
    size_t cap_comments;
};

/* Of a text that parses. */
void format_lex(struct format_text *ft, const char *text, size_t len);
void format_fini(struct format_text *ft);
bool format_is(const struct format_text *ft, uint32_t token, const char *text);
/* What a terminal shows of a text that spans no lines; of one that does, of its last line. */
uint32_t format_columns(const char *text, size_t len);

void format_walk(struct format_text *ft);

struct format_cell {
    uint32_t start, end; /* of lines.text */
};
struct format_out { /* a line */
    uint32_t section;    /* lines of one section, kind and indentation are aligned */
    uint8_t kind;        /* enum format_line */
    bool continues;      /* it goes on with the line before */
    bool blank_before;
    uint8_t n_cells;
    uint32_t anchor, anchor_cell; /* line that its beginning is aligned with, or FORMAT_NO_ANCHOR */
    uint32_t column;     /* its indentation, or columns behind the anchor */
    uint32_t comment;    /* behind it; UINT32_MAX: none */
    struct format_cell cell[FORMAT_MAX_CELLS];
    /* format_align */
    uint32_t at[FORMAT_MAX_CELLS]; /* column of each cell */
    uint32_t comment_at;
};
struct format_lines {
    const struct format_text *ft;
    struct buf text;
    struct format_out *line; /* owned */
    uint32_t n;
    size_t cap;
};

void format_emit(struct format_lines *lines, const struct format_text *ft);
/* Sets the columns. */
void format_align(struct format_lines *lines);
void format_print(const struct format_lines *lines, struct buf *out);

#endif
