// SPDX-License-Identifier: Apache-2.0
/* ast_print_priv - what the printer's three files share. */
#ifndef LANG_AST_PRINT_PRIV_H
#define LANG_AST_PRINT_PRIV_H

#include <stddef.h>
#include <stdint.h>

struct ast_assign;
struct ast_config;
struct ast_expr;
struct ast_key;
struct ast_name;
struct ast_names;
struct ast_window;
struct buf;
struct path_part;

/* Where a name stands decides which words must be back-quoted. */
enum print_place {
    PRINT_NAME,   /* where a field or another name may start */
    PRINT_STEP,   /* a step's or an input's name */
    PRINT_MEMBER, /* behind a dot */
};

void print_word(struct buf *out, const char *text, size_t len, enum print_place place);
void print_name(struct buf *out, const struct ast_name *name);
void print_text(struct buf *out, const struct ast_name *text);        /* "..." */
void print_names(struct buf *out, const struct ast_names *names, const char *open, const char *close);
/* [a, b], or a alone */
void print_targets(struct buf *out, const struct ast_names *names);
void print_parts(struct buf *out, const struct path_part *part, uint32_t n);
void print_duration(struct buf *out, int64_t ns);
void print_size(struct buf *out, int64_t bytes);
void print_exprs(struct buf *out, struct ast_expr *const *items, uint32_t n);
void print_keys(struct buf *out, const char *before, const struct ast_key *keys);
/* `word` and the expression, or nothing if it is NULL. */
void print_clause(struct buf *out, const char *word, const struct ast_expr *expr);
void print_assigns(struct buf *out, const struct ast_assign *fields, int indent);  /* { ... } */
void print_entries(struct buf *out, const struct ast_config *entries, int indent); /* { ... } */
void print_indent(struct buf *out, int indent);

#endif
