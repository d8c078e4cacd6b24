// SPDX-License-Identifier: Apache-2.0
/* json_view: what is JSON and what is not; members, elements, texts, integers. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "event/json_view.h"

static const char *const GOOD[] = {
    "{}", "[]", " {} ", "\n[ ]\t", "0", "-0", "12", "1.5", "1e9", "1E+9", "-1.25e-3", "\"\"", "true",
    "false", "null", "[1,2,3]", "[ 1 , 2 ]", "{\"a\":1}", "{ \"a\" : 1 , \"b\" : [ ] }", "\"\\u0041\"",
    "\"\\ud83d\\ude00\"", "\"\xf0\x9f\x98\x80\"", "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\u0000\"",
    "123456789012345678901234567890", "{\"a\":{\"b\":{\"c\":[[[]]]}}}", "1e999", "\"\x7f\"",
};

static const char *const BAD[] = {
    "", " ", "{", "}", "[", "]", "[1,]", "[,1]", "{,}", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{a:1}",
    "{1:1}", "01", "-", "+1", ".5", "1.", "1e", "1e+", "0x10", "NaN", "nul", "tru", "truee", "'a'",
    "\"", "\"\\\"", "\"\\x\"", "\"\\u12\"", "\"\\u12g4\"", "\"\\ud800\"", "\"\\udc00\"",
    "\"\\ud800\\u0041\"", "\"\\ud800x\"", "\"a\nb\"", "\"\t\"", "1 2", "{} {}", "[1 2]", "{\"a\" 1}",
    "\"\xff\"", "\"\xc0\x80\"", "\"\xed\xa0\x80\"", "[1}", "{\"a\":1]", "\xef\xbb\xbf{}", "[\"a\\\"]",
};

/* A copy of just these bytes, so that a sanitizer sees what reads behind them. */
static bool parses(const char *text, size_t len)
{
    char *exact = malloc(len + !len);
    struct json_view view;

    memcpy(exact, text, len);
    bool good = json_view_parse(exact, len, &view);
    assert_int_equal(good, view.len > 0);
    free(exact);
    return good;
}

static void grammar(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof GOOD / sizeof GOOD[0]; i++)
        if (!parses(GOOD[i], strlen(GOOD[i])))
            fail_msg("refused: %s", GOOD[i]);
    for (size_t i = 0; i < sizeof BAD / sizeof BAD[0]; i++)
        if (parses(BAD[i], strlen(BAD[i])))
            fail_msg("taken: %s", BAD[i]);
    assert_false(parses("\"a\0b\"", 5));
    assert_false(parses("{}\0", 3));
}

/* Whatever is cut off is no JSON any more (objects, arrays, texts). */
static void cut_short(void **state)
{
    static const char text[] = "{\"a\\u00e9\":[1.5e3,true,{\"b\":\"\\ud83d\\ude00\xc3\xa9\"}],\"c\":null}";

    (void)state;
    assert_true(parses(text, strlen(text)));
    for (size_t len = 0; len < strlen(text); len++)
        assert_false(parses(text, len));
}

static void depth(void **state)
{
    struct buf b;

    (void)state;
    buf_init(&b);
    for (int levels = JSON_VIEW_DEPTH; levels <= JSON_VIEW_DEPTH + 1; levels++) {
        buf_clear(&b);
        for (int i = 0; i < levels; i++)
            buf_adds(&b, i % 2 ? "{\"a\":" : "[");
        buf_addc(&b, '1');
        for (int i = levels; i-- > 0;)
            buf_addc(&b, i % 2 ? '}' : ']');
        assert_int_equal(parses(b.data, b.len), levels == JSON_VIEW_DEPTH);
    }
    buf_clear(&b);
    for (int i = 0; i < 1000000; i++)
        buf_addc(&b, '[');
    assert_false(parses(b.data, b.len));
    buf_fini(&b);
}

static struct json_view view_of(const char *text)
{
    struct json_view view;

    if (!json_view_parse(text, strlen(text), &view))
        fail_msg("refused: %s", text);
    return view;
}

static void check_span(struct json_view view, const char *want)
{
    if (view.len != strlen(want) || memcmp(view.text, want, view.len) != 0)
        fail_msg("want %s, have %.*s", want, (int)view.len, view.text);
}

static void members(void **state)
{
    struct json_view v = view_of(" { \"a\" : 1 , \"b\":[ 1,{\"x\":\"}\\\"]\"} , \"t\" ],\"\":{},\"a\":2,"
                                 "\"e\\u00e9\\n\":-1.50,\"big\":123456789012345678901 } ");

    (void)state;
    assert_int_equal(json_view_type(v), JSON_VIEW_OBJECT);
    assert_int_equal(json_view_count(v), 6);
    check_span(json_view_member(v, "a", 1), "1");
    check_span(json_view_member(v, "", 0), "{}");
    check_span(json_view_member(v, "big", 3), "123456789012345678901");
    check_span(json_view_member(v, "e\xc3\xa9\n", 4), "-1.50");
    assert_int_equal(json_view_member(v, "x", 1).len, 0);
    struct json_view b = json_view_member(v, "b", 1);
    assert_int_equal(json_view_type(b), JSON_VIEW_ARRAY);
    assert_int_equal(json_view_count(b), 3);
    check_span(json_view_element(b, 0), "1");
    check_span(json_view_element(b, 1), "{\"x\":\"}\\\"]\"}");
    check_span(json_view_element(b, -1), "\"t\"");
    assert_int_equal(json_view_element(b, 3).len, 0);
    assert_int_equal(json_view_element(b, -4).len, 0);
    assert_int_equal(json_view_element(v, 0).len, 0);
    assert_int_equal(json_view_member(b, "x", 1).len, 0);
    assert_int_equal(json_view_count(view_of("3")), 0);
    assert_int_equal(json_view_count(view_of("[ ]")), 0);
    assert_int_equal(json_view_type((struct json_view){0}), JSON_VIEW_NONE);
}

static void texts(void **state)
{
    struct buf b;

    (void)state;
    buf_init(&b);
    json_view_add_text(view_of("\"a\\n\\u00e9\\ud83d\\ude00\\\\\\/\\\"\\b\\f\\r\\tz\""), &b);
    assert_string_equal(b.data, "a\n\xc3\xa9\xf0\x9f\x98\x80\\/\"\b\f\r\tz");
    buf_clear(&b);
    json_view_add_text(view_of("{\"a\":1.50}"), &b);
    assert_string_equal(b.data, "{\"a\":1.50}");
    assert_true(json_view_is(view_of("\"abc\""), "abc", 3));
    assert_false(json_view_is(view_of("\"abc\""), "abcd", 4));
    assert_false(json_view_is(view_of("\"abc\""), "ab", 2));
    assert_true(json_view_is(view_of("\"a\\u0062c\""), "abc", 3));
    assert_true(json_view_is(view_of("\"\\u0000\""), "\0", 1));
    assert_false(json_view_is(view_of("\"\\n\""), "\\n", 2));
    assert_false(json_view_is(view_of("1"), "1", 1));
    buf_fini(&b);
}

static void integers(void **state)
{
    int64_t i;

    (void)state;
    assert_true(json_view_int(view_of("0"), &i) && i == 0);
    assert_true(json_view_int(view_of("-12"), &i) && i == -12);
    assert_true(json_view_int(view_of("9223372036854775807"), &i) && i == INT64_MAX);
    assert_true(json_view_int(view_of("-9223372036854775808"), &i) && i == INT64_MIN);
    assert_false(json_view_int(view_of("9223372036854775808"), &i));
    assert_false(json_view_int(view_of("-9223372036854775809"), &i));
    assert_false(json_view_int(view_of("1.0"), &i));
    assert_false(json_view_int(view_of("1e3"), &i));
    assert_false(json_view_int(view_of("\"1\""), &i));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grammar), cmocka_unit_test(cut_short), cmocka_unit_test(depth),
        cmocka_unit_test(members), cmocka_unit_test(texts),     cmocka_unit_test(integers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
