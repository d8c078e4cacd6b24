/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of grammar/configuration.md are those of option.def, that of grammar/tables.md table_kafka.def's. If they are not, it prints those that should be. */
#include "config/reference.h"
#include "lang/table_kafka.h"

#include <unit/text_fixture.h>

static void the_reference_has_the_tables(void **state)
{
    struct buf want;

    (void)state;
    buf_init(&want);
    config_reference_markdown(&want);
    assert_true(text_has_table("grammar/configuration.md", want.data));
    buf_fini(&want);
}

static void tables_have_theirs(void **state)
{
    struct buf want;

    (void)state;
    buf_init(&want);
    table_kafka_markdown(&want);
    assert_true(text_has_table("grammar/tables.md", want.data));
    buf_fini(&want);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_reference_has_the_tables),
        cmocka_unit_test(tables_have_theirs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
