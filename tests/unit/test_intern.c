// SPDX-License-Identifier: Apache-2.0
/* intern: one number and one pointer per text, in order of first sight. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/intern.h"

static void numbers_in_order_of_first_sight(void **state)
{
    struct intern *in = intern_new();
    uint32_t id;

    (void)state;
    assert_int_equal(intern_count(in), 0);
    assert_false(intern_find(in, "a", 1, &id));
    assert_int_equal(intern_add(in, "a", 1), 0);
    assert_int_equal(intern_add(in, "b", 1), 1);
    assert_int_equal(intern_add(in, "a", 1), 0);
    assert_int_equal(intern_add(in, "abc", 1), 0);
    assert_int_equal(intern_count(in), 2);
    assert_true(intern_find(in, "b", 1, &id));
    assert_int_equal(id, 1);
    intern_free(&in);
    assert_null(in);
    intern_free(&in);
}

static void empty_text_and_nul_bytes(void **state)
{
    struct intern *in = intern_new();

    (void)state;
    assert_int_equal(intern_add(in, "", 0), 0);
    assert_int_equal(intern_add(in, NULL, 0), 0);
    assert_int_equal(intern_add(in, "a\0b", 3), 1);
    assert_int_equal(intern_add(in, "a\0c", 3), 2);
    assert_int_equal(intern_add(in, "a", 1), 3);
    assert_string_equal(intern_text(in, 0), "");
    assert_memory_equal(intern_text(in, 2), "a\0c", 4);
    intern_free(&in);
}

static void pointers_stay_while_it_grows(void **state)
{
    enum { N = 20000 };
    static const char *pointer[N];
    struct intern *in = intern_new();
    char text[32];

    (void)state;
    for (uint32_t i = 0; i < N; i++) {
        int n = snprintf(text, sizeof text, "field.%u", i);
        assert_int_equal(intern_add(in, text, (size_t)n), i);
        pointer[i] = intern_text(in, i);
    }
    for (uint32_t i = 0; i < N; i++) {
        uint32_t id;
        int n = snprintf(text, sizeof text, "field.%u", i);
        assert_true(intern_find(in, text, (size_t)n, &id));
        assert_int_equal(id, i);
        assert_ptr_equal(intern_text(in, i), pointer[i]);
        assert_string_equal(pointer[i], text);
    }
    intern_free(&in);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_in_order_of_first_sight),
        cmocka_unit_test(empty_text_and_nul_bytes),
        cmocka_unit_test(pointers_stay_while_it_grows),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
