/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of grammar/README.md are those of option.def. If they are not, it prints those that should be. */
#include "config/reference.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"

static void the_readme_has_the_tables(void **state)
{
    const char *top = getenv("top_srcdir");
    struct buf name, text, want;
    char block[4096];
    size_t n;
    FILE *file;

    (void)state;
    buf_init(&name);
    buf_init(&text);
    buf_init(&want);
    buf_printf(&name, "%s/grammar/README.md", top ? top : ".");
    file = fopen(name.data, "rb");
    assert_non_null(file);
    while ((n = fread(block, 1, sizeof block, file)) > 0)
        buf_add(&text, block, n);
    fclose(file);
    config_reference_markdown(&want);
    if (!strstr(text.data, want.data)) {
        printf("%s", want.data);
        fail_msg("grammar/README.md does not have these tables");
    }
    buf_fini(&name);
    buf_fini(&text);
    buf_fini(&want);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_readme_has_the_tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
