// SPDX-License-Identifier: Apache-2.0
/* format - see format.h; what comes out is compared with what went in. */
#include "lang/format.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/diag.h"
#include "base/mem.h"
#include "lang/ast.h"
#include "lang/ast_print.h"
#include "lang/format_priv.h"
#include "lang/parse.h"

/* ---- is it the same? -------------------------------------------------------------------------- */

static bool same_tokens(const struct format_text *a, const struct format_text *b)
{
    if (a->n != b->n)
        return false;
    for (uint32_t i = 0; i < a->n; i++) {
        const struct format_token *x = &a->token[i], *y = &b->token[i];

        if (x->end - x->start != y->end - y->start ||
            memcmp(a->text + x->start, b->text + y->start, x->end - x->start) != 0)
            return false;
    }
    return true;
}

/* They stay in their order, so it is enough to compare them one by one. */
static bool same_comments(const struct format_text *a, const struct format_text *b)
{
    if (a->n_comments != b->n_comments)
        return false;
    for (uint32_t i = 0; i < a->n_comments; i++) {
        const struct format_comment *x = &a->comment[i], *y = &b->comment[i];

        if (x->end - x->start != y->end - y->start ||
            memcmp(a->text + x->start, b->text + y->start, x->end - x->start) != 0)
            return false;
    }
    return true;
}

/* The text as a tree, and that printed; false if it does not parse. */
static bool tree_text(const char *name, const char *text, size_t len, struct diag *diag, struct buf *out)
{
    struct ast_module *module = ast_module_new();
    bool good = parse_file(module, diag, diag_file_add(diag, name, text, len));

    if (good)
        ast_print_module(out, module);
    ast_module_free(&module);
    return good;
}

static bool same_rules(const char *name, const struct format_text *ft, const struct buf *tree, const struct buf *made)
{
    struct diag *diag = diag_new();
    struct format_text again;
    struct buf tree_again;
    bool same;

    buf_init(&tree_again);
    format_lex(&again, made->data, made->len);
    same = same_tokens(ft, &again) && same_comments(ft, &again) &&
           tree_text(name, made->data, made->len, diag, &tree_again) && tree_again.len == tree->len &&
           (tree->len == 0 || memcmp(tree_again.data, tree->data, tree->len) == 0);
    format_fini(&again);
    buf_fini(&tree_again);
    diag_free(&diag);
    return same;
}

/* ---- all of it -------------------------------------------------------------------------------- */

static void make(struct format_text *ft, struct buf *out)
{
    struct format_lines lines;

    format_walk(ft);
    format_emit(&lines, ft);
    format_align(&lines);
    buf_adds(out, ""); /* never NULL */
    format_print(&lines, out);
    buf_fini(&lines.text);
    mem_free(lines.line);
}

enum format_result format_text(const char *name, const char *text, size_t len, struct diag *diag,
                               struct buf *out)
{
    enum format_result result = FORMAT_OK;
    struct format_text ft;
    struct buf tree, made;

    buf_init(&tree);
    buf_init(&made);
    if (!tree_text(name, text, len, diag, &tree)) {
        buf_fini(&tree);
        return FORMAT_SYNTAX;
    }
    if (len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) { /* a byte order mark */
        text += 3;
        len -= 3;
    }
    format_lex(&ft, text, len);
    make(&ft, &made);
    if (same_rules(name, &ft, &tree, &made)) {
        buf_add(out, made.data, made.len);
    } else {
        diag_add(diag, DIAG_ERROR, (struct span){.file = UINT32_MAX},
                 "internal error: %s: the text in its new layout would not be the same rules", name);
        result = FORMAT_INTERNAL;
    }
    format_fini(&ft);
    buf_fini(&tree);
    buf_fini(&made);
    return result;
}
