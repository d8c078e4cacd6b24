// SPDX-License-Identifier: Apache-2.0
/* utf8: all code points, all two-byte pairs, the classic malformed sequences. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

static void every_code_point(void **state)
{
    (void)state;
    for (uint32_t cp = 0; cp <= 0x10ffff; cp++) {
        char bytes[4];
        size_t pos = 0;
        if (cp >= 0xd800 && cp <= 0xdfff)
            continue;
        size_t n = utf8_encode(cp, bytes);
        assert_int_equal(n, cp < 0x80 ? 1 : cp < 0x800 ? 2 : cp < 0x10000 ? 3 : 4);
        assert_true(utf8_valid(bytes, n, NULL));
        assert_int_equal(utf8_length(bytes, n), 1);
        assert_int_equal(utf8_next(bytes, n, &pos), cp);
        assert_int_equal(pos, n);
        for (size_t cut = 1; cut < n; cut++)
            assert_false(utf8_valid(bytes, cut, NULL));
    }
}

static void encode_never_writes_invalid_text(void **state)
{
    char bytes[4];

    (void)state;
    assert_int_equal(utf8_encode(0xd800, bytes), 3);
    assert_memory_equal(bytes, "\xef\xbf\xbd", 3);
    assert_int_equal(utf8_encode(0x110000, bytes), 3);
    assert_memory_equal(bytes, "\xef\xbf\xbd", 3);
}

static void check_bad(const char *text, size_t len, size_t at)
{
    size_t bad_at = 99999;

    assert_false(utf8_valid(text, len, &bad_at));
    assert_int_equal(bad_at, at);
    /* the same, at each distance from the eight-byte steps */
    for (size_t shift = 1; shift < 20; shift++) {
        char longer[64];
        memset(longer, 'x', sizeof longer);
        memcpy(longer + shift, text, len);
        assert_false(utf8_valid(longer, shift + len, &bad_at));
        assert_int_equal(bad_at, at + shift);
    }
}

static void malformed(void **state)
{
    (void)state;
    check_bad("\x80", 1, 0);
    check_bad("a\xbf", 2, 1);
    check_bad("\xc0\xaf", 2, 0);             /* overlong / */
    check_bad("\xc1\xbf", 2, 0);
    check_bad("\xe0\x80\xaf", 3, 0);
    check_bad("\xe0\x9f\xbf", 3, 0);
    check_bad("\xf0\x80\x80\xaf", 4, 0);
    check_bad("\xf0\x8f\xbf\xbf", 4, 0);
    check_bad("\xed\xa0\x80", 3, 0);         /* surrogates */
    check_bad("\xed\xbf\xbf", 3, 0);
    check_bad("\xf4\x90\x80\x80", 4, 0);     /* above U+10FFFF */
    check_bad("\xf5\x80\x80\x80", 4, 0);
    check_bad("\xff", 1, 0);
    check_bad("\xc3\xa9\xc3", 3, 2);         /* cut */
    check_bad("ok\xe2\x82", 4, 2);
    check_bad("\xe2\x28\xa1", 3, 0);
}

static void empty_text(void **state)
{
    (void)state;
    assert_true(utf8_valid("", 0, NULL));
    assert_true(utf8_valid(NULL, 0, NULL));
    assert_int_equal(utf8_length(NULL, 0), 0);
    assert_true(utf8_valid("\0", 1, NULL));
}

/* On bytes at random utf8_next stays inside, and agrees with utf8_valid on what is valid. */
static void random_bytes(void **state)
{
    (void)state;
    srand(3);
    for (int i = 0; i < 200000; i++) {
        char text[12];
        size_t len = (size_t)rand() % (sizeof text + 1), pos = 0, bad_at = len;
        for (size_t j = 0; j < len; j++)
            text[j] = (char)(rand() % 3 ? 0x80 + rand() % 0x80 : rand() % 0x80);
        bool valid = utf8_valid(text, len, &bad_at);
        size_t points = 0, good = len;
        while (pos < len) {
            size_t before = pos;
            char again[4];
            uint32_t cp = utf8_next(text, len, &pos);
            assert_true(pos > before && pos <= len);
            size_t n = utf8_encode(cp, again);
            if (good == len && (n != pos - before || memcmp(again, text + before, n) != 0))
                good = before;
            points++;
        }
        assert_int_equal(good == len, valid);
        assert_int_equal(good, bad_at);
        if (valid)
            assert_int_equal(points, utf8_length(text, len));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_code_point), cmocka_unit_test(encode_never_writes_invalid_text),
        cmocka_unit_test(malformed),        cmocka_unit_test(empty_text),
        cmocka_unit_test(random_bytes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
