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

/* RFC 4231, test cases 1, 2, 6 (a key longer than a block). */
static void hmac(void **state)
{
    static const uint8_t ONE[] = {0xb0, 0x34, 0x4c, 0x61, 0xd8, 0xdb, 0x38, 0x53, 0x5c, 0xa8, 0xaf,
                                  0xce, 0xaf, 0x0b, 0xf1, 0x2b, 0x88, 0x1d, 0xc2, 0x00, 0xc9, 0x83,
                                  0x3d, 0xa7, 0x26, 0xe9, 0x37, 0x6c, 0x2e, 0x32, 0xcf, 0xf7};
    static const uint8_t TWO[] = {0x5b, 0xdc, 0xc1, 0x46, 0xbf, 0x60, 0x75, 0x4e, 0x6a, 0x04, 0x24,
                                  0x26, 0x08, 0x95, 0x75, 0xc7, 0x5a, 0x00, 0x3f, 0x08, 0x9d, 0x27,
                                  0x39, 0x83, 0x9d, 0xec, 0x58, 0xb9, 0x64, 0xec, 0x38, 0x43};
    static const uint8_t SIX[] = {0x60, 0xe4, 0x31, 0x59, 0x1e, 0xe0, 0xb6, 0x7f, 0x0d, 0x8a, 0x26,
                                  0xaa, 0xcb, 0xf5, 0xb7, 0x7f, 0x8e, 0x0b, 0xc6, 0x21, 0x37, 0x28,
                                  0xc5, 0x14, 0x05, 0x46, 0x04, 0x0f, 0x0e, 0xe3, 0x7f, 0x54};
    const struct digest_part hi[] = {{"Hi", 2}, {" ", 1}, {"There", 5}};
    const struct digest_part want[] = {{"what do ya want ", 16}, {"", 0}, {"for nothing?", 12}};
    const struct digest_part large[] = {{"Test Using Larger Than Block-Size Key - Hash Key First", 54}};
    uint8_t key[131], out[32];

    (void)state;
    memset(key, 0x0b, 20);
    digest_hmac(key, 20, hi, 3, out);
    assert_memory_equal(out, ONE, 32);
    digest_hmac("Jefe", 4, want, 3, out);
    assert_memory_equal(out, TWO, 32);
    memset(key, 0xaa, sizeof key);
    digest_hmac(key, sizeof key, large, 1, out);
    assert_memory_equal(out, SIX, 32);
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
        cmocka_unit_test(hmac),
        cmocka_unit_test(threads),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
