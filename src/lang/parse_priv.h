// SPDX-License-Identifier: Apache-2.0
/*
 * parse_priv - one parse in progress, and what the build_*.c files share.
 *
 * A declaration is added to the module when it is complete and no error was found in it; the heads
 * of the module's chains are walked once, at the start, and then `tails` point to their ends.
 */
#ifndef LANG_PARSE_PRIV_H
#define LANG_PARSE_PRIV_H

#include "base/arena.h"
#include "base/diag.h"
#include "lang/ast.h"
#include "lang/build.h"
#include "lang/lex.h"
#include "lang/parse.h"

struct build_list {
    void **item;
    uint32_t n, cap;
};

struct parse_tails {
    struct ast_stream **stream;
    struct ast_list **list;
    struct ast_table **table;
    struct ast_def **def;
    struct ast_exception **exception;
    struct ast_rule **rule;
    struct ast_config_decl **config;
};

struct parse {
    struct lex lex;
    struct ast_module *module;
    struct arena *arena;        /* the module's */
    struct diag *diag;
    struct parse_tails tails;
    struct ast_expr *result;    /* parse_expr's */
    struct build_path *free_path; /* used up, to be used again; build_expr.c */

    struct ast_rule *rule;      /* that is being read; NULL outside */
    size_t rule_errors;         /* errors before it began */
    struct ast_limit **limit_tail;
    struct ast_test **test_tail;
    bool has_meta;
};

/* Reports; `hint` may be NULL. */
void parse_error_at(struct parse *p, struct span span, const char *hint, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* The value of a whole number between low and high; reports others as "NAME is ...", gives low. */
int64_t parse_number(struct parse *p, const struct ast_expr *n, int64_t low, int64_t high, const char *name);
/* The list's items, each of which begins with its `next` pointer, as a chain. */
void *parse_chain(const struct build_list *list);
/* A clause or modifier that is there already. */
void parse_twice(struct parse *p, struct span span, const char *what);

#endif
