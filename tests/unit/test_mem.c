// SPDX-License-Identifier: Apache-2.0
/* mem: nothing returns NULL; arrays double. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "base/mem.h"

static void size_zero_is_served(void **state)
{
    void *p = mem_alloc(0), *q = mem_calloc(0, 8), *r = mem_realloc(NULL, 0);

    (void)state;
    assert_non_null(p);
    assert_non_null(q);
    assert_non_null(r);
    mem_free(p);
    mem_free(q);
    mem_free(r);
    mem_free(NULL);
}

static void calloc_is_zeroed(void **state)
{
    unsigned char *p = mem_calloc(100, 3);

    (void)state;
    for (size_t i = 0; i < 300; i++)
        assert_int_equal(p[i], 0);
    mem_free(p);
}

static void strndup_copies_and_ends(void **state)
{
    char *p = mem_strndup("abcdef", 3), *q = mem_strndup(NULL, 0), *r = mem_strndup("a\0b", 3);

    (void)state;
    assert_string_equal(p, "abc");
    assert_string_equal(q, "");
    assert_memory_equal(r, "a\0b", 4);
    mem_free(p);
    mem_free(q);
    mem_free(r);
}

static void array_grows_by_doubling(void **state)
{
    int *v = NULL;
    size_t cap = 0, moves = 0;

    (void)state;
    for (size_t n = 0; n < 100000; n++) {
        size_t before = cap;
        v = vec_reserve(v, &cap, n + 1, sizeof *v);
        moves += cap != before;
        v[n] = (int)n;
    }
    assert_true(moves < 20);
    for (size_t n = 0; n < 100000; n++)
        assert_int_equal(v[n], n);
    v = vec_reserve(v, &cap, 1000000, sizeof *v);
    assert_true(cap >= 1000000);
    mem_free(v);
}

static void array_of_nothing_exists(void **state)
{
    size_t cap = 0;
    char *v = vec_reserve(NULL, &cap, 0, 1);

    (void)state;
    assert_non_null(v);
    mem_free(v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(size_zero_is_served),     cmocka_unit_test(calloc_is_zeroed),
        cmocka_unit_test(strndup_copies_and_ends), cmocka_unit_test(array_grows_by_doubling),
        cmocka_unit_test(array_of_nothing_exists),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
