// SPDX-License-Identifier: Apache-2.0
/* The functions of function.def at their bounds: long texts, far times, arguments of any kind. */

#include <unit/function_fixture.h>

#include <float.h>
#include <string.h>

#include "base/utf8.h"
#include "lang/resolve.h"

/* n times the piece, in the arena. */
static struct value repeated(const char *piece, size_t n)
{
    size_t len = strlen(piece);
    char *p = arena_alloc_raw(a, n * len + 1);

    for (size_t i = 0; i < n; i++)
        memcpy(p + i * len, piece, len);
    return value_text(p, n * len);
}

static struct value call(uint32_t id, struct value x, struct value y, struct value z, uint32_t n)
{
    const struct value arg[] = { x, y, z };

    return function_call(&op, id, arg, n);
}

static void long_texts(void **state)
{
    const struct value none = value_missing();
    struct value many = repeated("a,", 12000), large = repeated("0123456789abcdef", 1 << 20);
    struct value parts = call(FUNCTION_SPLIT, many, text(","), none, 2);

    (void)state;
    assert_int_equal(parts.len, 10000);
    assert_int_equal(parts.u.list[9998].len, 1);
    assert_int_equal(parts.u.list[9999].len, 2 * 2001);
    is_value(call(FUNCTION_SPLIT, many, text(","), value_int(11999), 3), text("a"), 0);
    is_value(call(FUNCTION_SPLIT, many, text(","), value_int(-1), 3), text(""), 1);
    is_value(call(FUNCTION_SPLIT, many, text(","), value_int(INT64_MIN), 3), none, 2);
    is_value(call(FUNCTION_SPLIT, many, text(","), value_int(INT64_MAX), 3), none, 3);
    assert_int_equal(large.len, FUNCTION_MAX_TEXT);
    char *rare = arena_memdup(a, large.u.text, large.len);
    for (size_t i = 0; i < 16; i++)
        rare[i << 20] = '~';
    struct value x = value_text(rare, large.len);
    is_value(call(FUNCTION_REPLACE, x, text("~"), text("~~"), 3), none, 4);
    assert_int_equal(call(FUNCTION_REPLACE, x, text("~"), text(""), 3).len, large.len - 16);
    const struct value twice[] = { large, large };
    is_value(call(FUNCTION_JOIN, value_list(twice, 2), text(""), none, 2), none, 5);
    is_value(call(FUNCTION_BASE64_DECODE, repeated("/", 12 << 20), none, none, 1), none, 6);
    is_value(call(FUNCTION_URL_DECODE, repeated("%ff", 6 << 20), none, none, 1), none, 7);
    is_value(call(FUNCTION_ENTROPY, large, none, none, 1), value_double(4), 8);
    is_value(call(FUNCTION_LEVENSHTEIN, large, text("a"), none, 2), none, 9);
    is_value(call(FUNCTION_LEVENSHTEIN, repeated("ab", 512), repeated("ba", 512), none, 2),
             value_int(2), 10);
}

static void far_times(void **state)
{
    static const char *const units[] = { "second", "minute", "hour", "day", "week", "month",
                                         "quarter", "year" };
    const struct value zone = text("Australia/Lord_Howe"), first = value_time(INT64_MIN);
    const struct value last = value_time(INT64_MAX);

    (void)state;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        is_value(call(FUNCTION_DATE_TRUNC, text(units[i]), first, zone, 2), value_missing(), i);
        is_value(call(FUNCTION_DATE_TRUNC, text(units[i]), first, zone, 3), value_missing(), i);
        assert_int_equal(call(FUNCTION_DATE_TRUNC, text(units[i]), last, zone, 3).type, VALUE_TIME);
    }
    is_value(call(FUNCTION_HOUR, first, zone, zone, 1), value_int(0), 0);
    is_value(call(FUNCTION_HOUR, last, zone, zone, 1), value_int(23), 1);
    is_value(call(FUNCTION_HOUR, last, text("No/Where"), zone, 2), value_missing(), 2);
    is_value(call(FUNCTION_PARSE_TIME, text("2262-04-11 23:47:16.854775807"),
                  text("%Y-%m-%d %H:%M:%S.%f"), zone, 2), last, 3);
    is_value(call(FUNCTION_PARSE_TIME, text("2262-04-11 23:47:16.854775808"),
                  text("%Y-%m-%d %H:%M:%S.%f"), zone, 2), value_missing(), 4);
    is_value(call(FUNCTION_PARSE_TIME, text("1677-09-21 00:12:43.145224192 -0000"),
                  text("%Y-%m-%d %H:%M:%S.%f %z"), zone, 2), first, 5);
    is_value(call(FUNCTION_PARSE_TIME, text("1677-09-21 00:12:43.145224192 +0001"),
                  text("%Y-%m-%d %H:%M:%S.%f %z"), zone, 2), value_missing(), 6);
    is_value(call(FUNCTION_PARSE_TIME, text("99999999999999999999"), text("%s"), zone, 2),
             value_missing(), 7);
}

/* Whatever is given, nothing breaks, and what comes out is text if it says so. */
static void any_arguments(void **state)
{
    const struct value inner[] = { text("a,b"), value_int(7), value_missing() };
    struct value object = text("{}");
    object.type = VALUE_OBJECT;
    const struct value pool[] = {
        value_missing(), value_bool(true), value_int(0), value_int(INT64_MIN), value_int(INT64_MAX),
        value_double(-0.5), value_double(DBL_MAX), value_double(1e15), value_text(NULL, 0),
        text("%"), text("2027-01-01T00:00:00Z"), text("a,b"), text("\xf0\x9f\x98\x80=="),
        text("utf16le"), text("day"), text("Europe/Paris"), text("%Y-%m-%dT%H:%M:%S%z"),
        text("%s%"), value_time(INT64_MIN), value_time(INT64_MAX), value_duration(INT64_MIN),
        value_list(inner, 3), value_list(NULL, 0), object,
    };
    enum { N = sizeof pool / sizeof *pool };

    (void)state;
    for (uint32_t id = 0; id < function_count(); id++) {
        for (size_t i = 0; i < 2 * N * N; i++) {
            const struct value arg[] = { pool[i % N], pool[i / N % N], pool[i * 7 / 3 % N],
                                         pool[(i + 3) % N] };
            struct value v = function_call(&op, id, arg, 1 + (uint32_t)(i * 5 / 4) % 4);
            if (v.type == VALUE_TEXT && !utf8_valid(v.u.text ? v.u.text : "", v.len, NULL))
                fail_msg("%s, row %zu: no text", function_name(id), i);
            if (i % 100 == 0)
                arena_reset(a);
        }
    }
}

/* Decoding anything gives text. */
static void decoded_bytes_are_text(void **state)
{
    static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    uint64_t x = 1;
    char in[40];

    (void)state;
    for (int i = 0; i < 20000; i++) {
        size_t len = (size_t)i % 8 * 4 + 4;
        for (size_t k = 0; k < len; k++) {
            x = x * UINT64_C(6364136223846793005) + 1442695040888963407u;
            in[k] = alphabet[x >> 58];
        }
        for (uint32_t n = 1; n <= 2; n++) {
            struct value v = call(FUNCTION_BASE64_DECODE, value_text(in, len), text("utf16le"),
                                  value_missing(), n);
            assert_int_equal(v.type, VALUE_TEXT);
            assert_true(utf8_valid(v.u.text, v.len, NULL));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(long_texts, setup, teardown),
        cmocka_unit_test_setup_teardown(far_times, setup, teardown),
        cmocka_unit_test_setup_teardown(any_arguments, setup, teardown),
        cmocka_unit_test_setup_teardown(decoded_bytes_are_text, setup, teardown),
    };

    return cmocka_run_group_tests_name("function at its bounds", tests, NULL, NULL);
}
