// SPDX-License-Identifier: Apache-2.0
/* format_fixture - what always holds of the formatter, for test_format and test_format_random. */
#ifndef UNIT_FORMAT_FIXTURE_H
#define UNIT_FORMAT_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/diag.h"
#include "lang/ast.h"
#include "lang/ast_print.h"
#include "lang/format.h"
#include "lang/format_priv.h"
#include "lang/parse.h"

static uint64_t seed;

static inline uint32_t roll(uint32_t n)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (uint32_t)(seed >> 33) % n;
}

/* ---- what always holds ------------------------------------------------------------------------ */

static inline bool tree_of(const char *text, size_t len, struct buf *out)
{
    struct diag *diag = diag_new();
    struct ast_module *module = ast_module_new();
    bool good = parse_file(module, diag, diag_file_add(diag, "t", text, len));

    buf_adds(out, "");
    if (good)
        ast_print_module(out, module);
    ast_module_free(&module);
    diag_free(&diag);
    return good;
}

static inline int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* All comments, sorted: nothing of how the formatter compares them. */
static inline void comments_of(const char *text, size_t len, struct buf *out)
{
    struct format_text ft;
    char **all;

    format_lex(&ft, text, len);
    all = calloc(ft.n_comments + 1, sizeof *all);
    for (uint32_t i = 0; i < ft.n_comments; i++)
        all[i] = strndup(text + ft.comment[i].start, ft.comment[i].end - ft.comment[i].start);
    qsort(all, ft.n_comments, sizeof *all, by_text);
    for (uint32_t i = 0; i < ft.n_comments; i++) {
        buf_printf(out, "%s\n", all[i]);
        free(all[i]);
    }
    buf_adds(out, "");
    free(all);
    format_fini(&ft);
}

static inline void formatted(const char *text, size_t len, struct buf *out)
{
    struct diag *diag = diag_new();
    struct buf why;

    buf_init(&why);
    buf_adds(out, "");
    if (format_text("t", text, len, diag, out) != FORMAT_OK) {
        diag_print(diag, &why);
        fail_msg("%s\n%.*s", why.data, (int)len, text);
    }
    buf_fini(&why);
    diag_free(&diag);
}

static inline void no_blanks_at_ends(const struct buf *text)
{
    for (size_t i = 1; i < text->len; i++) {
        if (text->data[i] == '\n' && (text->data[i - 1] == ' ' || text->data[i - 1] == '\t') && !strchr(text->data, '\''))
            fail_msg("blanks at the end of a line:\n%s", text->data);
    }
    assert_true(text->len == 0 || text->data[text->len - 1] == '\n');
}

/* Returns false, and checks nothing, if the text is no rule file. */
static inline bool holds(const char *text, size_t len)
{
    struct buf tree, once, twice, tree_after, comments, comments_after;
    bool good;

    buf_init(&tree);
    buf_init(&once);
    buf_init(&twice);
    buf_init(&tree_after);
    buf_init(&comments);
    buf_init(&comments_after);
    good = tree_of(text, len, &tree);
    if (good) {
        formatted(text, len, &once);
        formatted(once.data, once.len, &twice);
        if (strcmp(once.data, twice.data) != 0)
            fail_msg("formatting twice is another thing:\n%.*s\n---\n%s\n---\n%s", (int)len, text, once.data, twice.data);
        assert_true(tree_of(once.data, once.len, &tree_after));
        assert_string_equal(tree_after.data, tree.data);
        comments_of(text, len, &comments);
        comments_of(once.data, once.len, &comments_after);
        assert_string_equal(comments_after.data, comments.data);
        no_blanks_at_ends(&once);
    }
    buf_fini(&tree);
    buf_fini(&once);
    buf_fini(&twice);
    buf_fini(&tree_after);
    buf_fini(&comments);
    buf_fini(&comments_after);
    return good;
}

/* The same tokens in another layout, comments in between. */
static inline void mess(const char *text, size_t len, struct buf *out)
{
    struct format_text ft;
    uint32_t often = 1 + roll(30);

    format_lex(&ft, text, len);
    for (uint32_t i = 0; i < ft.n; i++) {
        const struct format_token *t = &ft.token[i];
        bool touches = i > 0 && t->n_comments == 0 && ft.token[i - 1].end == t->start;

        for (uint32_t c = 0; c < t->n_comments; c++) {
            const struct format_comment *comment = &ft.comment[t->first_comment + c];

            buf_adds(out, comment->own_line ? "\n" : "  ");
            buf_add(out, text + comment->start, comment->end - comment->start);
            buf_adds(out, roll(3) ? "\n" : " \t\n\n\n");
        }
        if (roll(often) == 0)
            buf_printf(out, "%s%s%u%s", roll(2) ? " " : "\n", roll(2) ? "# c" : "//", (unsigned)roll(1000), roll(4) ? "\n" : " \r\n\n\n");
        else if (roll(often) == 0)
            buf_adds(out, roll(3) ? "\n" : "\n\n\n");
        else if (!touches || roll(4) == 0)
            buf_adds(out, roll(5) ? " " : "\t  ");
        buf_add(out, text + t->start, t->end - t->start);
    }
    format_fini(&ft);
}

static inline bool holds_in_any_layout(const char *text, size_t len, int times)
{
    if (!holds(text, len))
        return false;
    for (; times > 0; times--) {
        struct buf other;

        buf_init(&other);
        buf_adds(&other, "");
        mess(text, len, &other);
        if (!holds(other.data, other.len))
            fail_msg("in this layout it is not read any more:\n%s", other.data);
        buf_fini(&other);
    }
    return true;
}

#endif
