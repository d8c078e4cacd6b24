// SPDX-License-Identifier: Apache-2.0
/* regex: matching, groups, errors with their offset, and that every limit is reached safely. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/regex.h"

static struct regex *compiled(const char *pattern, bool fold)
{
    char *error = NULL;
    size_t offset;
    struct regex *re = regex_new(pattern, strlen(pattern), fold, &error, &offset);

    assert_non_null(re);
    assert_null(error);
    return re;
}

static enum regex_result match(const char *pattern, bool fold, const char *text)
{
    struct regex *re = compiled(pattern, fold);
    struct regex_scratch *rs = regex_scratch_new();
    enum regex_result result = regex_match(re, rs, text, strlen(text));

    regex_free(&re);
    regex_scratch_free(&rs);
    assert_null(re);
    assert_null(rs);
    return result;
}

static void matches(void **state)
{
    (void)state;
    assert_int_equal(match("b+", false, "abbc"), REGEX_YES); /* unanchored */
    assert_int_equal(match("^b", false, "ab"), REGEX_NO);
    assert_int_equal(match("", false, ""), REGEX_YES);
    assert_int_equal(match("a", false, ""), REGEX_NO);
    assert_int_equal(match("ABC", false, "abc"), REGEX_NO);
    assert_int_equal(match("ABC", true, "abc"), REGEX_YES);
    assert_int_equal(match("\xc3\x84", true, "\xc3\xa4"), REGEX_YES);
    assert_int_equal(match("^.$", false, "\xf0\x9f\x9a\xa8"), REGEX_YES); /* UTF */
    assert_int_equal(match("^..$", false, "\xc3\xa4"), REGEX_NO);
    assert_int_equal(match("\\d{3}-\\d{4}", false, "call 555-1234"), REGEX_YES);
    assert_int_equal(match("(?<=x)y", false, "xy"), REGEX_YES);
    assert_int_equal(match("(a)\\1", false, "aa"), REGEX_YES);
    assert_int_equal(match("(*NO_JIT)b+", false, "abbc"), REGEX_YES);
    assert_int_equal(match("^b$", false, "a\nb"), REGEX_NO);
    assert_int_equal(match("a.b", false, "a\rb"), REGEX_YES); /* only LF is a newline */
    assert_int_equal(match("a.b", false, "a\nb"), REGEX_NO);
}

static void refuses(const char *pattern, size_t len, size_t at)
{
    char *error = NULL;
    size_t offset = 12345;

    assert_null(regex_new(pattern, len, false, &error, &offset));
    assert_non_null(error);
    assert_true(strlen(error) > 0);
    assert_int_equal(offset, at);
    mem_free(error);
}

static void bad_patterns(void **state)
{
    (void)state;
    refuses("a(b", 3, 3);
    refuses("a)b", 3, 1);
    refuses("[a", 2, 2);
    refuses("*", 1, 0);
    refuses("a\\C", 3, 3); /* one byte would split a code point */
    refuses("\xff", 1, 0);
    refuses("((a{1000}){1000}){1000}", 23, 23);

    size_t len = 70000;
    char *pattern = mem_alloc(len);
    memset(pattern, 'a', len);
    refuses(pattern, len, 0);
    mem_free(pattern);
}

static void groups(void **state)
{
    struct regex *re = compiled("(\\w+)@(?:(x)|(\\w+))", false);
    struct regex_scratch *rs = regex_scratch_new();
    const char *text = "to: ann@corp!";
    size_t start, len;

    (void)state;
    assert_int_equal(regex_groups(re), 3);
    assert_int_equal(regex_group(re, rs, text, 13, 0, &start, &len), REGEX_YES);
    assert_int_equal(start, 4);
    assert_int_equal(len, 8);
    assert_int_equal(regex_group(re, rs, text, 13, 1, &start, &len), REGEX_YES);
    assert_int_equal(start, 4);
    assert_int_equal(len, 3);
    assert_int_equal(regex_group(re, rs, text, 13, 2, &start, &len), REGEX_NO);
    assert_int_equal(regex_group(re, rs, text, 13, 3, &start, &len), REGEX_YES);
    assert_int_equal(start, 8);
    assert_int_equal(len, 4);
    assert_int_equal(regex_group(re, rs, text, 13, 4, &start, &len), REGEX_NO);
    assert_int_equal(regex_group(re, rs, "nothing", 7, 0, &start, &len), REGEX_NO);
    regex_free(&re);
    regex_scratch_free(&rs);
}

static void more_groups_than_a_scratch_has_room_for(void **state)
{
    struct regex *re = compiled("(a)(b)(c)(d)(e)(f)(g)(h)(i)(j)(k)(l)(m)(n)", false);
    struct regex *small = compiled("(z)", false);
    struct regex_scratch *rs = regex_scratch_new();
    size_t start, len;

    (void)state;
    assert_int_equal(regex_match(re, rs, "abcdefghijklmn", 14), REGEX_YES);
    for (unsigned n = 1; n <= 14; n++) {
        assert_int_equal(regex_group(re, rs, "abcdefghijklmn", 14, n, &start, &len), REGEX_YES);
        assert_int_equal(start, n - 1);
        assert_int_equal(len, 1);
    }
    assert_int_equal(regex_group(small, rs, "yz", 2, 1, &start, &len), REGEX_YES);
    assert_int_equal(start, 1);
    regex_free(&re);
    regex_free(&small);
    regex_free(&small);
    regex_scratch_free(&rs);
    regex_scratch_free(&rs);
}

static void limits(void **state)
{
    static const char *const evil[] = { "(a+)+$", "(*NO_JIT)(a+)+$", "(a|a)*b|(x+x+)+y",
                                        "(*NO_JIT)^(a|aa)+$", "^(?:(a|aa)+)+b" };
    char text[64];

    (void)state;
    memset(text, 'a', sizeof text);
    text[sizeof text - 2] = '!';
    text[sizeof text - 1] = '\0';
    for (size_t i = 0; i < sizeof evil / sizeof evil[0]; i++)
        assert_int_not_equal(match(evil[i], false, text), REGEX_YES);
    assert_int_equal(match(evil[0], false, text), REGEX_LIMIT);
    assert_int_equal(match(evil[1], false, text), REGEX_LIMIT);
    assert_int_equal(match("(?R)", false, "a"), REGEX_LIMIT); /* recursion without end */
}

/* Deep recursion ends in the JIT's or the interpreter's limit, not in a crash. */
static void deep_recursion(void **state)
{
    size_t n = 4 * 1000 * 1000;
    char *text = mem_alloc(n + 1);

    (void)state;
    memset(text, '(', n);
    text[n] = '\0';
    assert_int_equal(match("^(\\((?1)*\\))+$", false, text), REGEX_LIMIT);
    assert_int_equal(match("(*NO_JIT)^(\\((?1)*\\))+$", false, text), REGEX_LIMIT);
    mem_free(text);
}

static void null_text(void **state)
{
    struct regex *re = compiled("^$", false);
    struct regex_scratch *rs = regex_scratch_new();

    (void)state;
    assert_int_equal(regex_match(re, rs, NULL, 0), REGEX_YES);
    regex_free(&re);
    regex_scratch_free(&rs);
    assert_true(regex_version()[0] == '1');
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matches), cmocka_unit_test(bad_patterns),
        cmocka_unit_test(groups),  cmocka_unit_test(more_groups_than_a_scratch_has_room_for),
        cmocka_unit_test(limits),  cmocka_unit_test(deep_recursion),
        cmocka_unit_test(null_text),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
