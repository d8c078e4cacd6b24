// SPDX-License-Identifier: Apache-2.0
/*
 * parse - text of a file to declarations of a module. No meaning is given here.
 *
 * Mistakes go to `diag` with spans; the parser recovers at the next declaration, so every syntax
 * error of a file is reported in one go. What did parse is added to the module.
 */
#ifndef LANG_PARSE_H
#define LANG_PARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ast_expr;
struct ast_module;
struct diag;

/* Limits on what a text may hold; beyond each is an error with the limit in its message. */
enum {
    PARSE_MAX_BYTES = 16 << 20,  /* of one file */
    PARSE_MAX_DEPTH = 200,       /* nesting of expressions, lists, blocks, JSON */
    PARSE_MAX_TEXT = 1 << 20,    /* bytes of one literal or name */
    PARSE_MAX_ITEMS = 100000,    /* elements of one list, entries of one block */
};

/* Parses file number `file` of diag, and conceals there what may be a secret (conceal.h). False if there was any error
 * in it. */
bool parse_file(struct ast_module *module, struct diag *diag, uint32_t file);
/* One expression alone (tests, templates' `{path}`); NULL and diag on errors. */
struct ast_expr *parse_expr(struct ast_module *module, struct diag *diag, uint32_t file);
/* "30s", "1h30m", "500ms" to ns; false if it is no duration. For command lines. */
bool parse_duration(const char *text, int64_t *ns_out);

#endif
