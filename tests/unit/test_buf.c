// SPDX-License-Identifier: Apache-2.0
/* buf: growth, and how numbers and JSON text look. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"

static void grows_and_ends_with_nul(void **state)
{
    struct buf b;

    (void)state;
    buf_init(&b);
    assert_null(b.data);
    buf_clear(&b);
    for (size_t i = 0; i < 10000; i++) {
        buf_addc(&b, (char)('a' + i % 26));
        assert_int_equal(b.data[b.len], '\0');
    }
    assert_int_equal(b.len, 10000);
    assert_int_equal(b.data[27], 'b');
    buf_clear(&b);
    assert_string_equal(b.data, "");
    buf_adds(&b, "");
    buf_add(&b, NULL, 0);
    assert_int_equal(b.len, 0);
    buf_fini(&b);
    assert_null(b.data);
}

static void take_gives_text_even_if_empty(void **state)
{
    struct buf b;

    (void)state;
    buf_init(&b);
    char *empty = buf_take(&b);
    assert_string_equal(empty, "");
    buf_adds(&b, "x");
    char *x = buf_take(&b);
    assert_string_equal(x, "x");
    assert_null(b.data);
    mem_free(empty);
    mem_free(x);
    buf_fini(&b);
}

static void printf_of_every_length(void **state)
{
    struct buf b;
    char text[300];

    (void)state;
    memset(text, 'y', sizeof text);
    buf_init(&b);
    for (int n = 0; n < 300; n++) {
        size_t before = b.len;
        buf_printf(&b, "%.*s", n, text);
        assert_int_equal(b.len, before + (size_t)n);
        assert_int_equal(strlen(b.data), b.len);
    }
    buf_fini(&b);
}

static void check_json(const char *text, size_t len, const char *want)
{
    struct buf b;

    buf_init(&b);
    buf_add_json_text(&b, text, len);
    assert_string_equal(b.data, want);
    assert_int_equal(b.len, strlen(want));
    buf_fini(&b);
}

static void json_text(void **state)
{
    (void)state;
    check_json("", 0, "\"\"");
    check_json(NULL, 0, "\"\"");
    check_json("plain", 5, "\"plain\"");
    check_json("a\"b\\c/", 6, "\"a\\\"b\\\\c/\"");
    check_json("\n\t\r\b\f", 5, "\"\\n\\t\\r\\b\\f\"");
    check_json("\0\x01\x1f\x7f", 4, "\"\\u0000\\u0001\\u001f\x7f\"");
    check_json("gr\xc3\xbc \xf0\x9f\x9a\xa8", 9, "\"gr\xc3\xbc \xf0\x9f\x9a\xa8\"");
}

static void check_json_bytes(const char *bytes, size_t len, const char *want)
{
    struct buf b;

    buf_init(&b);
    buf_add_json_bytes(&b, bytes, len);
    assert_string_equal(b.data, want);
    buf_fini(&b);
}

static void json_bytes(void **state)
{
    (void)state;
    check_json_bytes(NULL, 0, "\"\"");
    check_json_bytes("gr\xc3\xbc \"\x01", 7, "\"gr\xc3\xbc \\\"\\u0001\"");
    check_json_bytes("\xff", 1, "\"\xef\xbf\xbd\"");
    check_json_bytes("a\xfe\xc3\n\xed\xa0\x80z\xc3", 9,
                     "\"a\xef\xbf\xbd\xef\xbf\xbd\\n\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbdz\xef\xbf\xbd\"");
}

static void check_double(double d, const char *want)
{
    struct buf b;

    buf_init(&b);
    buf_add_double(&b, d);
    assert_string_equal(b.data, want);
    buf_fini(&b);
}

static void doubles(void **state)
{
    (void)state;
    check_double(0, "0");
    check_double(-0.0, "-0");
    check_double(1, "1");
    check_double(-1, "-1");
    check_double(0.1, "0.1");
    check_double(-0.5, "-0.5");
    check_double(0.05, "0.05");
    check_double(0.000001, "0.000001");
    check_double(1.0000001, "1.0000001");
    check_double(0.1 + 0.2, "0.30000000000000004");
    check_double(1.0 / 3, "0.3333333333333333");
    check_double(123456.789, "123456.789");
    check_double(999999999999999, "999999999999999");
    check_double(1e15, "1e+15");
    check_double(9007199254740992, "9007199254740992");
    check_double(1e300, "1e+300");
    check_double(5e-324, "5e-324");
    check_double(DBL_MAX, "1.7976931348623157e+308");
    check_double(DBL_MIN, "2.2250738585072014e-308");
}

static void doubles_read_back(void **state)
{
    struct buf b;

    (void)state;
    srand(1);
    buf_init(&b);
    for (int i = 0; i < 200000; i++) {
        double d = 0;
        uint64_t bits = (uint64_t)rand() << 42 ^ (uint64_t)rand() << 21 ^ (uint64_t)rand();
        if (i % 3 == 0)
            memcpy(&d, &bits, sizeof d);
        else
            d = (double)(int64_t)(bits >> (i % 50)) / (i % 3 == 1 ? 100 : 8192);
        if (!isfinite(d))
            continue;
        buf_clear(&b);
        buf_add_double(&b, d);
        assert_true(strtod(b.data, NULL) == d);
        if (fabs(d) < 1e15 && d == floor(d))
            assert_null(strpbrk(b.data, ".e"));
    }
    buf_fini(&b);
}

static void integers_and_hex(void **state)
{
    struct buf b;

    (void)state;
    buf_init(&b);
    buf_add_int(&b, 0);
    buf_addc(&b, ' ');
    buf_add_int(&b, INT64_MIN);
    buf_addc(&b, ' ');
    buf_add_int(&b, INT64_MAX);
    buf_addc(&b, ' ');
    buf_add_hex(&b, "\x00\xab\x7f", 3);
    buf_add_hex(&b, NULL, 0);
    assert_string_equal(b.data, "0 -9223372036854775808 9223372036854775807 00ab7f");
    buf_fini(&b);
}

static void binary_is_little_endian(void **state)
{
    struct buf b;

    (void)state;
    buf_init(&b);
    buf_add_u8(&b, 0xfe);
    buf_add_u32(&b, 0x01020304);
    buf_add_u64(&b, UINT64_C(0x0102030405060708));
    buf_add_varint(&b, 0);
    buf_add_varint(&b, 127);
    buf_add_varint(&b, 128);
    buf_add_bytes(&b, "xyz", 3);
    static const char want[] = "\xfe\x04\x03\x02\x01\x08\x07\x06\x05\x04\x03\x02\x01"
                               "\x00\x7f\x80\x01\x03xyz";
    assert_int_equal(b.len, sizeof want - 1);
    assert_memory_equal(b.data, want, sizeof want - 1);
    buf_fini(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grows_and_ends_with_nul), cmocka_unit_test(take_gives_text_even_if_empty),
        cmocka_unit_test(printf_of_every_length),  cmocka_unit_test(json_text), cmocka_unit_test(json_bytes),
        cmocka_unit_test(doubles),                 cmocka_unit_test(doubles_read_back),
        cmocka_unit_test(integers_and_hex),        cmocka_unit_test(binary_is_little_endian),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
