// SPDX-License-Identifier: Apache-2.0
/* json_trim: at every size the result is JSON, small enough, and what is small is whole. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/utf8.h"
#include "event/json_trim.h"

static void check_trimmed(struct json_view view, size_t max, struct buf *out)
{
    struct json_view made;

    buf_clear(out);
    bool cut = json_add_trimmed(out, view, max);
    assert_int_equal(cut, view.len > max);
    if (out->len > max)
        fail_msg("%zu bytes, more than %zu: %s", out->len, max, out->data);
    if (!json_view_parse(out->data, out->len, &made))
        fail_msg("no JSON at %zu: %s", max, out->data);
}

static const char *trimmed(const char *text, size_t max, struct buf *out)
{
    struct json_view view;

    assert_true(json_view_parse(text, strlen(text), &view));
    check_trimmed(view, max, out);
    return out->data;
}

static void every_size(void **state)
{
    static const char *const texts[] = {
        "\"a\\\"b\\\\\\u00e9\\ud83d\\ude00\xf0\x9f\x98\x80\xc3\xa9 and so on, to the end\"",
        "[1,\"two\",[3,[4]],{\"five\":6,\"seven\":[8,9,\"ten\"]},null,true,123456789012345678901234567890]",
        "{\"id\":\"0123456789abcdef0123456789abcdef\",\"a\":{\"b\":{\"c\":[\"long long long long long text\"]}},"
        "\"n\":12345678901234567890,\"x\":[],\"y\":{},\"\\u0041\\ud83d\\ude00\":\"\\u0000\"}",
        "12345678901234567890", "true", "null", "\"\"", "[]", "{}",
    };
    struct buf out;

    (void)state;
    buf_init(&out);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        for (size_t max = strlen(texts[i]) + 3; max >= 4; max--)
            trimmed(texts[i], max, &out);
    buf_fini(&out);
}

/* One huge member costs the small ones nothing. */
static void what_is_small_stays(void **state)
{
    struct buf text, out;
    struct json_view view;

    (void)state;
    buf_init(&text);
    buf_init(&out);
    buf_adds(&text, "{\"first\":\"whole\",\"huge\":\"");
    for (int i = 0; i < 10000; i++)
        buf_adds(&text, "\xe6\x97\xa5");
    buf_adds(&text, "\",\"list\":[");
    for (int i = 0; i < 2000; i++)
        buf_printf(&text, "%s{\"n\":%d}", i > 0 ? "," : "", i);
    buf_adds(&text, "],\"last\":[1,2,3]}");
    assert_true(json_view_parse(text.data, text.len, &view));
    check_trimmed(view, 5000, &out);
    assert_true(out.len > 4500);
    struct json_view made;
    assert_true(json_view_parse(out.data, out.len, &made));
    assert_true(json_view_is(json_view_member(made, "first", 5), "whole", 5));
    assert_int_equal(json_view_count(json_view_member(made, "last", 4)), 3);
    assert_true(json_view_member(made, "huge", 4).len > 2000);
    struct json_view list = json_view_member(made, "list", 4);
    assert_true(json_view_count(list) > 100); /* elements are whole, the last ones gone */
    assert_int_equal(json_view_element(list, 0).len, strlen("{\"n\":0}"));
    buf_fini(&text);
    buf_fini(&out);
}

static void marks(void **state)
{
    struct buf out;

    (void)state;
    buf_init(&out);
    assert_string_equal(trimmed("\"0123456789\"", 10, &out), "\"01234…\"");
    assert_string_equal(trimmed("\"0123456789\"", 12, &out), "\"0123456789\"");
    assert_string_equal(trimmed("\"0123\\u00e9\\u00e9\"", 14, &out), "\"0123…\"");
    assert_string_equal(trimmed("\"0\\ud83d\\ude00\\ud83d\\ude00\"", 20, &out), "\"0\\ud83d\\ude00…\"");
    assert_string_equal(trimmed("1234567", 5, &out), "null");
    assert_string_equal(trimmed("[1,2,3,4,5,6,7]", 9, &out), "[1,2,3,4]");
    buf_fini(&out);
}

/* Large and deep: no level is looked at for each level above it. */
static void deep(void **state)
{
    struct buf text, out;
    struct json_view view;

    (void)state;
    buf_init(&text);
    buf_init(&out);
    for (int i = 0; i < 1000; i++)
        buf_adds(&text, i % 2 ? "{\"a\":" : "[");
    buf_addc(&text, '"');
    for (int i = 0; i < 3000000; i++)
        buf_addc(&text, 'x');
    buf_addc(&text, '"');
    for (int i = 1000; i-- > 0;)
        buf_addc(&text, i % 2 ? '}' : ']');
    assert_true(json_view_parse(text.data, text.len, &view));
    check_trimmed(view, 100000, &out);
    assert_non_null(strstr(out.data, "\"…\""));
    buf_fini(&text);
    buf_fini(&out);
}

static void levels(void **state)
{
    static const size_t size[] = {10, 1000, 20, 500, 30};

    (void)state;
    assert_true(json_trim_level(size, 5, 1560) == SIZE_MAX);
    assert_int_equal(json_trim_level(size, 5, 1559), 999);
    assert_int_equal(json_trim_level(size, 5, 260), 100);
    assert_int_equal(json_trim_level(size, 5, 50), 10);
    assert_int_equal(json_trim_level(size, 5, 0), 0);
    assert_true(json_trim_level(size, 0, 0) == SIZE_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_size), cmocka_unit_test(what_is_small_stays), cmocka_unit_test(marks),
        cmocka_unit_test(deep),       cmocka_unit_test(levels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
