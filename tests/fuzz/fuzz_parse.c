// SPDX-License-Identifier: Apache-2.0
/* Any text to the parser; what it accepts is printed, read again, and printed the same. */
#include <fuzz/fuzz.h>

#include <string.h>

#include "base/buf.h"
#include "base/diag.h"
#include "lang/ast.h"
#include "lang/ast_print.h"
#include "lang/parse.h"

static bool printed(const char *text, size_t len, struct buf *out)
{
    struct diag *diag = diag_new();
    struct ast_module *module = ast_module_new();
    bool good = parse_file(module, diag, diag_file_add(diag, "fuzz", text, len));

    if (good != (diag_errors(diag) == 0))
        fuzz_fail("parse_file says %d, with %zu errors", good, diag_errors(diag));
    if (good) {
        ast_print_module(out, module);
    } else {
        diag_print(diag, out);
        diag_print_json(diag, out);
    }
    ast_module_free(&module);
    diag_free(&diag);
    return good;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct buf once, twice;

    buf_init(&once);
    buf_init(&twice);
    if (printed((const char *)data, size, &once) && once.len > 0) {
        if (!printed(once.data, once.len, &twice))
            fuzz_fail("what was printed is not read again:\n%s\n%s", once.data, twice.data);
        if (once.len != twice.len || memcmp(once.data, twice.data, once.len) != 0)
            fuzz_fail("not printed the same:\n%s\nand then\n%s", once.data, twice.data);
    }
    buf_fini(&once);
    buf_fini(&twice);
    return 0;
}
