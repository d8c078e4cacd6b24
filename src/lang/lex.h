// SPDX-License-Identifier: Apache-2.0
/*
 * lex - the lexer's state, and how the text of a token becomes its value.
 *
 * grammar/rule.l holds the patterns; what a literal means is here, so that rule.l only says which
 * function reads which pattern. These functions report mistakes themselves and always give
 * something usable, so that one bad literal does not hide the mistakes behind it.
 */
#ifndef LANG_LEX_H
#define LANG_LEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lang/ast.h"
#include "lang/parse.h"

struct buf;

enum { PARSE_MAX_NAME = 1024 }; /* bytes of one name */

/* Where the parser takes up again after a syntax error. */
enum lex_recovery { LEX_NO_RECOVERY, LEX_AT_DECLARATION, LEX_AT_CLAUSE };

/* What the grammar is to read; each is a token that comes before the text. */
enum lex_start { LEX_FILE, LEX_EXPR, LEX_STARTED };

/* Is a syntax error where a declaration begins too early? */
enum lex_early {
    LEX_NOT_EARLY,
    LEX_EARLY_LAST,   /* at the token that does not fit: inside a bracket, in the first column, or the end */
    LEX_EARLY_BEFORE, /* at the one before, in the first column; it may have been taken for a name */
};

struct lex_bracket {
    char c;      /* ( [ { */
    uint32_t at; /* byte offset */
};

struct lex_token {
    int token;
    struct span span;
    struct ast_name value; /* whatever the token's value is: it is the largest of them */
};

struct lex {
    struct arena *arena; /* the module's; owns all names and literals */
    struct diag *diag;
    uint32_t file;       /* its number in diag */
    const char *text;    /* borrows until the parse ends; not NUL-terminated */
    uint32_t len;
    uint32_t pos;        /* behind the last token */
    void *scanner;       /* flex's */
    enum lex_start start;
    bool after_dot;      /* the last token was `.`: any word is a name */
    bool too_deep;       /* reported; the rest is read as if it were not there */

    /* The last token that was given to the parser, and the one before: for messages and recovery. */
    struct lex_token last, before;
    enum lex_recovery recovery; /* wanted at the next call */
    enum lex_early early;       /* of the last syntax error */
    struct lex_token again[3];  /* tokens to be given (once more) before the text goes on */
    uint32_t n_again, i_again;

    uint32_t n_open;     /* brackets that are open behind the last token */
    struct lex_bracket open[PARSE_MAX_DEPTH];
    struct lex_bracket forgotten; /* the last token closed a bracket over this one; c 0 if not */
};

/* ---- literals: `text` is the token as written, with its quotes ------------------------------ */

struct ast_expr *lex_text(struct lex *lex, struct span span, bool closed);
struct ast_expr *lex_raw(struct lex *lex, struct span span, bool closed);
struct ast_name lex_name(struct lex *lex, struct span span);
struct ast_name lex_quoted(struct lex *lex, struct span span, bool closed);
struct ast_expr *lex_bool(struct lex *lex, struct span span, bool b);
struct ast_expr *lex_null(struct lex *lex, struct span span);

enum lex_number { LEX_INT, LEX_DOUBLE, LEX_DURATION, LEX_SIZE };
/* All that begins with a digit but dates: 5, 1.5e3, 1h30m, 64KiB. */
enum lex_number lex_number(struct lex *lex, struct span span, struct ast_expr **expr_out);
/* The unit of a duration that a word means, `m` of `min` and `m`; NULL: none. */
const char *lex_unit_meant(const char *text, size_t len);
struct ast_expr *lex_time(struct lex *lex, struct span span); /* dates and RFC 3339 times */

/* The operator of operator.def whose text this is: "in", "not in". */
enum ast_op lex_operator(const char *text, size_t len, bool negated);

/* Decodes the inside of a "text" at `span` (without quotes) to the end of out. False if an escape
 * is wrong: the first is reported unless quiet. */
bool lex_decode(struct lex *lex, struct span span, bool quiet, struct buf *out);

/* ---- what has no place -------------------------------------------------------------------- */

void lex_dashed(struct lex *lex, struct span span);        /* x-y */
void lex_foreign(struct lex *lex, struct span span);       /* bytes that begin no token */
void lex_instead(struct lex *lex, struct span span, const char *use); /* && and its like */
void lex_between(struct lex *lex, struct span span);       /* -> */

/* ---- brackets and lines ------------------------------------------------------------------- */

void lex_open(struct lex *lex, struct span span);          /* ( [ { */
void lex_close(struct lex *lex, struct span span);         /* ) ] }; forgets what it does not fit */
bool lex_first_in_line(const struct lex *lex, struct span span);
bool lex_first_column(const struct lex *lex, struct span span); /* at the very start of a line */

#endif
