// SPDX-License-Identifier: Apache-2.0
/* pool: blocks do not overlap, come back warm, are aligned; large ones too. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/pool.h"

static void given_last_taken_first(void **state)
{
    (void)state;
    struct pool *pool = pool_new();
    void *a = pool_alloc(pool, 100), *b = pool_alloc(pool, 100);
    assert_ptr_not_equal(a, b);
    pool_give(pool, a, 100);
    pool_give(pool, b, 100);
    void *c = pool_alloc(pool, 97), *d = pool_alloc(pool, 128), *e = pool_alloc(pool, 129);
    if (POOL_LARGEST > 0) { /* under AddressSanitizer it is malloc */
        assert_ptr_equal(c, b); /* the same class */
        assert_ptr_equal(d, a);
        assert_ptr_not_equal(e, a);
    }
    pool_give(pool, c, 97);
    pool_give(pool, d, 128);
    pool_give(pool, e, 129);
    pool_free(&pool);
    assert_null(pool);
    pool_free(&pool);
}

static void blocks_keep_what_is_in_them(void **state)
{
    (void)state;
    enum { N = 500 };
    struct pool *pool = pool_new();
    unsigned char *block[N] = {0};
    size_t size[N] = {0};
    srand(1);
    for (int round = 0; round < 20000; round++) {
        int i = rand() % N;
        if (block[i] != NULL) {
            for (size_t k = 0; k < size[i]; k++)
                assert_int_equal(block[i][k], (unsigned char)i);
            pool_give(pool, block[i], size[i]);
            block[i] = NULL;
            continue;
        }
        size[i] = (size_t)rand() % (rand() % 10 == 0 ? 5000 : 700);
        block[i] = pool_alloc(pool, size[i]);
        assert_int_equal((uintptr_t)block[i] % 16, 0);
        memset(block[i], i, size[i]);
    }
    for (int i = 0; i < N; i++) {
        if (block[i] != NULL)
            pool_give(pool, block[i], size[i]);
    }
    pool_free(&pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(given_last_taken_first),
        cmocka_unit_test(blocks_keep_what_is_in_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
