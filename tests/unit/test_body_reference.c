/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of grammar/webhooks.md are those of body.def and its like. If not, it prints those that should be. */
#include "io/body_reference.h"

#include <unit/text_fixture.h>

static void the_reference_has_the_tables(void **state)
{
    static void (*const tables[])(struct buf *out) = {body_reference_kinds, body_reference_names,
                                                      body_reference_filters};
    struct buf want;
    bool has = true;

    (void)state;
    buf_init(&want);
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        buf_clear(&want);
        tables[i](&want);
        has &= text_has_table("grammar/webhooks.md", want.data);
    }
    assert_true(has);
    buf_fini(&want);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_reference_has_the_tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
