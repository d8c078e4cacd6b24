/* SPDX-License-Identifier: Apache-2.0 */
/*
 * resolve_fixture - rule files, and all that is said about them.
 *
 * A case is a text, and a line a message:
 *     LINE:COLUMN: LEVEL: MESSAGE (HINT)
 */
#ifndef UNIT_RESOLVE_FIXTURE_H
#define UNIT_RESOLVE_FIXTURE_H

#include "lang/resolve.h"

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
#include "lang/parse.h"

struct text_case {
    const char *text, *want;
};

struct fixture {
    struct diag *diag;
    struct ast_module *module;
    struct lang_unit unit;
};

static inline void read_text(struct fixture *f, const char *name, const char *text,
                      const struct lang_options *opt)
{
    f->diag = diag_new();
    f->module = ast_module_new();
    parse_file(f->module, f->diag, diag_file_add(f->diag, name, text, strlen(text)));
    if (resolve_module(f->module, opt, f->diag, &f->unit))
        typecheck_module(&f->unit, f->diag);
}

static inline void drop(struct fixture *f)
{
    lang_unit_fini(&f->unit);
    ast_module_free(&f->module);
    diag_free(&f->diag);
}

/* What diag_print writes: message, source line, caret line, over and over; shortened. */
static inline void add_messages(const struct diag *diag, struct buf *out)
{
    struct buf full;
    buf_init(&full);
    diag_print(diag, &full);
    const char *line = full.len > 0 ? full.data : "";
    for (int n = 0; *line != '\0'; n++) {
        size_t len = strcspn(line, "\n");
        if (n % 3 == 0) {
            buf_add(out, line + strlen("t:"), len - strlen("t:"));
        } else if (n % 3 == 2) {
            const char *hint = line + strspn(line, " ^~");
            if (hint < line + len)
                buf_printf(out, " (%.*s)", (int)(line + len - hint), hint);
            buf_addc(out, '\n');
        }
        line += len + (line[len] == '\n');
    }
    buf_fini(&full);
}

static inline void expect(const char *text, const char *want, const struct lang_options *opt)
{
    struct fixture f;
    struct buf got;
    buf_init(&got);
    read_text(&f, "t", text, opt);
    add_messages(f.diag, &got);
    if (strcmp(got.len > 0 ? got.data : "", want) != 0)
        print_error("of: %s", text);
    assert_string_equal(got.len > 0 ? got.data : "", want);
    buf_fini(&got);
    drop(&f);
}

/* opt NULL: those of everybody. */
static inline void check_cases(const struct text_case *c, size_t n, const struct lang_options *opt)
{
    for (size_t i = 0; i < n; i++)
        expect(c[i].text, c[i].want, opt);
}

#endif
