// SPDX-License-Identifier: Apache-2.0
/* digest: vectors of FIPS 180-4, and threads that come and go. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <pthread.h>
#include <string.h>

#include "base/digest.h"

static const uint8_t EMPTY[32] = {
    0xe3, 0xb0, 0xc4, 0x42, 0x98, 0xfc, 0x1c, 0x14, 0x9a, 0xfb, 0xf4, 0xc8, 0x99, 0x6f, 0xb9, 0x24,
    0x27, 0xae, 0x41, 0xe4, 0x64, 0x9b, 0x93, 0x4c, 0xa4, 0x95, 0x99, 0x1b, 0x78, 0x52, 0xb8, 0x55,
};
static const uint8_t ABC[32] = {
    0xba, 0x78, 0x16, 0xbf, 0x8f, 0x01, 0xcf, 0xea, 0x41, 0x41, 0x40, 0xde, 0x5d, 0xae, 0x22, 0x23,
    0xb0, 0x03, 0x61, 0xa3, 0x96, 0x17, 0x7a, 0x9c, 0xb4, 0x10, 0xff, 0x61, 0xf2, 0x00, 0x15, 0xad,
};

static void vectors(void **state)
{
    uint8_t full[32], id[16];

    (void)state;
    for (int again = 0; again < 3; again++) {
        digest_sha256("abc", 3, full);
        assert_memory_equal(full, ABC, 32);
        digest_sha256(NULL, 0, full);
        assert_memory_equal(full, EMPTY, 32);
        digest_id("abc", 3, id);
        assert_memory_equal(id, ABC, 16);
    }
    assert_non_null(strstr(digest_version(), "SSL"));
}

static void *many(void *wrong)
{
    uint8_t id[16];

    for (int i = 0; i < 1000; i++) {
        digest_id("abc", 3, id);
        if (memcmp(id, ABC, 16) != 0)
            ++*(int *)wrong;
    }
    return NULL;
}

static void threads(void **state)
{
    pthread_t thread[8];
    int wrong[8] = { 0 };

    (void)state;
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 8; i++)
            assert_int_equal(pthread_create(&thread[i], NULL, many, &wrong[i]), 0);
        for (int i = 0; i < 8; i++) {
            pthread_join(thread[i], NULL);
            assert_int_equal(wrong[i], 0);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vectors),
        cmocka_unit_test(threads),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
