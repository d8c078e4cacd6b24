// SPDX-License-Identifier: Apache-2.0
/* arena: alignment, zeroing, objects larger than a chunk, reset. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "base/arena.h"

static void objects_are_aligned_and_apart(void **state)
{
    struct arena *a = arena_new(256);
    unsigned char *object[500];

    (void)state;
    for (size_t i = 0; i < 500; i++) {
        size_t size = i % 97;
        object[i] = arena_alloc_raw(a, size);
        assert_int_equal((uintptr_t)object[i] % 16, 0);
        memset(object[i], (int)i, size);
    }
    for (size_t i = 0; i < 500; i++) {
        for (size_t j = 0; j < i % 97; j++)
            assert_int_equal(object[i][j], (unsigned char)i);
    }
    arena_free(&a);
    assert_null(a);
    arena_free(&a);
}

static void alloc_is_zeroed_after_reset_too(void **state)
{
    struct arena *a = arena_new(1024);

    (void)state;
    for (int round = 0; round < 3; round++) {
        unsigned char *p = arena_alloc(a, 500);
        for (size_t i = 0; i < 500; i++)
            assert_int_equal(p[i], 0);
        memset(p, 0xff, 500);
        arena_reset(a);
    }
    arena_free(&a);
}

static void object_larger_than_a_chunk(void **state)
{
    struct arena *a = arena_new(64);
    char *small = arena_strndup(a, "small", 5);
    char *large = arena_alloc(a, 100000);
    char *after = arena_strndup(a, "after", 5);

    (void)state;
    memset(large, 'x', 100000);
    assert_string_equal(small, "small");
    assert_string_equal(after, "after");
    arena_free(&a);
}

static void used_counts_and_reset_clears(void **state)
{
    struct arena *a = arena_new(0);

    (void)state;
    assert_int_equal(arena_used(a), 0);
    void *first = arena_alloc(a, 1);
    assert_true(arena_used(a) >= 1);
    for (int i = 0; i < 1000; i++)
        arena_alloc(a, 1000);
    assert_true(arena_used(a) >= 1000000);
    arena_reset(a);
    assert_int_equal(arena_used(a), 0);
    /* the first chunk is kept */
    assert_ptr_equal(arena_alloc(a, 1), first);
    arena_free(&a);
}

static void copies(void **state)
{
    struct arena *a = arena_new(0);

    (void)state;
    assert_string_equal(arena_strndup(a, "abcdef", 3), "abc");
    assert_string_equal(arena_strndup(a, NULL, 0), "");
    assert_memory_equal(arena_memdup(a, "a\0b", 3), "a\0b", 3);
    assert_non_null(arena_memdup(a, NULL, 0));
    assert_non_null(arena_alloc(a, 0));
    arena_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(objects_are_aligned_and_apart),
        cmocka_unit_test(alloc_is_zeroed_after_reset_too),
        cmocka_unit_test(object_larger_than_a_chunk),
        cmocka_unit_test(used_counts_and_reset_clears),
        cmocka_unit_test(copies),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
