// SPDX-License-Identifier: Apache-2.0
/* base64: the vectors of RFC 4648, what is refused, and random bytes there and back. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>


#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/buf.h"

static void vectors(void **state)
{
    static const char *const PAIR[][2] = {{"", ""}, {"f", "Zg=="}, {"fo", "Zm8="}, {"foo", "Zm9v"}, {"foob", "Zm9vYg=="},
                                          {"fooba", "Zm9vYmE="}, {"foobar", "Zm9vYmFy"}, {"\xff\xfe\xfd", "//79"}};
    struct buf b;

    (void)state;
    for (size_t i = 0; i < sizeof PAIR / sizeof PAIR[0]; i++) {
        buf_init(&b);
        buf_adds(&b, "");
        base64_add(&b, PAIR[i][0], strlen(PAIR[i][0]));
        assert_int_equal(b.len, strlen(PAIR[i][1]));
        assert_memory_equal(b.data, PAIR[i][1], b.len);
        buf_clear(&b);
        assert_true(base64_decode(PAIR[i][1], strlen(PAIR[i][1]), &b));
        assert_int_equal(b.len, strlen(PAIR[i][0]));
        assert_memory_equal(b.data, PAIR[i][0], b.len);
        buf_fini(&b);
    }
}

static void refused(void **state)
{
    static const char *const BAD[] = {"A", "AAAAA", "AA=", "AA===", "=", "====", "A===", "AA=A", "AA A", "A-==", "Zh==", "Zm9=", "AAAA=", "AA\n="};
    struct buf b;

    (void)state;
    buf_init(&b);
    buf_adds(&b, "kept");
    for (size_t i = 0; i < sizeof BAD / sizeof BAD[0]; i++) {
        if (base64_decode(BAD[i], strlen(BAD[i]), &b))
            fail_msg("`%s' is taken", BAD[i]);
        assert_int_equal(b.len, 4);
    }
    assert_true(base64_decode("Zm8", 3, &b)); /* without padding */
    assert_memory_equal(b.data, "keptfo", 6);
    buf_fini(&b);
}

static void there_and_back(void **state)
{
    struct buf text, back;
    char data[100];

    (void)state;
    srand(7);
    buf_init(&text);
    buf_init(&back);
    for (size_t len = 0; len < sizeof data; len++) {
        for (size_t i = 0; i < len; i++)
            data[i] = (char)rand();
        buf_clear(&text);
        buf_clear(&back);
        base64_add(&text, data, len);
        assert_true(base64_decode(text.data ? text.data : "", text.len, &back));
        assert_int_equal(back.len, len);
        assert_true(len == 0 || memcmp(back.data, data, len) == 0);
    }
    buf_fini(&text);
    buf_fini(&back);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(vectors), cmocka_unit_test(refused),
                                       cmocka_unit_test(there_and_back)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
