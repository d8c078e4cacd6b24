// SPDX-License-Identifier: Apache-2.0
/* glob: the vectors of `like`, and all shapes against a naive backtracking matcher. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/casefold.h"
#include "base/glob.h"
#include "base/utf8.h"

static bool like(const char *text, const char *pattern, bool fold)
{
    struct glob *g = glob_new(pattern, strlen(pattern), fold);
    bool match = glob_match(g, text, strlen(text));

    glob_free(&g);
    assert_null(g);
    return match;
}

static void literals_and_stars(void **state)
{
    (void)state;
    assert_true(like("", "", false));
    assert_false(like("a", "", false));
    assert_true(like("", "*", false));
    assert_true(like("", "***", false));
    assert_false(like("", "?", false));
    assert_true(like("abc", "abc", false));
    assert_false(like("ABC", "abc", false));
    assert_false(like("abcd", "abc", false));
    assert_true(like("abcd", "abc*", false));
    assert_true(like("abc", "abc*", false));
    assert_true(like("xabc", "*abc", false));
    assert_true(like("xabcx", "*abc*", false));
    assert_false(like("xabx", "*abc*", false));
    assert_true(like("aXbXc", "a*b*c", false));
    assert_false(like("ab", "ab*b", false)); /* pieces do not overlap */
    assert_true(like("abb", "ab*b", false));
    assert_true(like("aaa", "a*a*a", false));
    assert_false(like("aa", "a*a*a", false));
}

static void question_mark_is_one_code_point(void **state)
{
    (void)state;
    assert_true(like("a", "?", false));
    assert_true(like("\xc3\xa4", "?", false));
    assert_true(like("\xf0\x9f\x9a\xa8", "?", false));
    assert_false(like("\xc3\xa4", "??", false));
    assert_true(like("x\xf0\x9f\x9a\xa8y", "x?y", false));
    assert_true(like("\xf0\x9f\x9a\xa8\xc3\xa4", "*?\xc3\xa4", false));
    assert_false(like("\xc3\xa4", "*?\xc3\xa4", false));
    assert_true(like("abc", "?*?", false));
    assert_false(like("a", "?*?", false));
}

static void brackets_escape(void **state)
{
    (void)state;
    assert_true(like("a*b", "a[*]b", false));
    assert_false(like("axb", "a[*]b", false));
    assert_true(like("a?b", "a[?]b", false));
    assert_true(like("a[b", "a[[]b", false));
    assert_true(like("[*]", "[[][*]]", false));
    /* anything else in brackets is itself */
    assert_true(like("[a]", "[a]", false));
    assert_false(like("a", "[a]", false));
    assert_true(like("[]", "[]", false));
    assert_true(like("[xx", "[*", false));
    assert_true(like("C:\\Windows\\x.exe", "C:\\Windows\\*.exe", false));
    assert_true(like("\\", "\\", false));
}

static void folding(void **state)
{
    (void)state;
    assert_true(like("ABC", "abc", true));
    assert_true(like("POWERSHELL.EXE -Enc", "*powershell*-ENC*", true));
    assert_true(like("\xe2\x84\xaa", "k", true));
    assert_true(like("x\xe2\x84\xaax", "?K?", true));
    assert_true(like("STRA\xe1\xba\x9e" "E", "*stra\xc3\x9f*", true));
    assert_false(like("abd", "ABC*", true));
}

/* The definition, over decoded code points: -1 is `?`, -2 is `*`. */
static bool naive(const int32_t *p, size_t pn, const int32_t *t, size_t tn)
{
    if (pn == 0)
        return tn == 0;
    if (p[0] == -2)
        return naive(p + 1, pn - 1, t, tn) || (tn > 0 && naive(p, pn, t + 1, tn - 1));
    return tn > 0 && (p[0] == -1 || p[0] == t[0]) && naive(p + 1, pn - 1, t + 1, tn - 1);
}

static size_t decode(const struct buf *text, bool fold, int32_t *out)
{
    size_t n = 0;

    for (size_t i = 0; i < text->len; n++) {
        uint32_t cp = utf8_next(text->data, text->len, &i);
        out[n] = (int32_t)(fold ? casefold_char(cp) : cp);
    }
    return n;
}

static void random_against_naive(void **state)
{
    static const char *const letters[] = { "a", "b", "A", "\xc3\xa4", "\xc3\x84", "[", "]" };
    static const char *const special[] = { "*", "?", "[*]", "[?]", "[[]" };
    static const int32_t meaning[] = { -2, -1, '*', '?', '[' };
    struct buf pattern, text;
    int matches = 0;

    (void)state;
    srand(13);
    buf_init(&pattern);
    buf_init(&text);
    for (int i = 0; i < 200000; i++) {
        int32_t p[16], t[16];
        size_t pn = 0;
        bool fold = i & 1;
        buf_clear(&pattern);
        buf_clear(&text);
        for (int n = rand() % 8; n > 0; n--) {
            int k = rand() % 2 ? rand() % 2 : rand() % 5;
            if (rand() % 2) {
                buf_adds(&pattern, special[k]);
                p[pn++] = meaning[k];
            } else {
                /* no brackets here, which could make an escape by chance */
                const char *c = letters[rand() % 2 ? rand() % 2 : rand() % 5];
                size_t at = 0;
                uint32_t cp = utf8_next(c, strlen(c), &at);
                buf_adds(&pattern, c);
                p[pn++] = (int32_t)(fold ? casefold_char(cp) : cp);
            }
        }
        for (int n = rand() % 10; n > 0; n--)
            buf_adds(&text, rand() % 12 ? letters[rand() % 2 ? rand() % 2 : rand() % 7] : "*");
        size_t tn = decode(&text, fold, t);
        struct glob *g = glob_new(pattern.data, pattern.len, fold);
        bool want = naive(p, pn, t, tn);
        assert_int_equal(glob_match(g, text.data, text.len), want);
        matches += want;
        glob_free(&g);
    }
    assert_in_range(matches, 10000, 190000);
    buf_fini(&pattern);
    buf_fini(&text);
}

static void no_pattern_is_exponential(void **state)
{
    enum { N = 20000 };
    static char text[N + 1];
    struct buf pattern;

    (void)state;
    memset(text, 'a', N);
    buf_init(&pattern);
    for (int i = 0; i < 100; i++)
        buf_adds(&pattern, i % 2 ? "*a?" : "*aa");
    buf_adds(&pattern, "*b*");
    assert_false(like(text, pattern.data, false));
    assert_false(like(text, pattern.data, true));
    buf_fini(&pattern);
}

static void nul_bytes_and_null(void **state)
{
    struct glob *g = glob_new("a\0*", 3, false);

    (void)state;
    assert_true(glob_match(g, "a\0b", 3));
    assert_false(glob_match(g, "ab", 2));
    assert_false(glob_match(g, NULL, 0));
    glob_free(&g);
    glob_free(&g);
    g = glob_new(NULL, 0, true);
    assert_true(glob_match(g, NULL, 0));
    glob_free(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(literals_and_stars),   cmocka_unit_test(question_mark_is_one_code_point),
        cmocka_unit_test(brackets_escape),      cmocka_unit_test(folding),
        cmocka_unit_test(random_against_naive), cmocka_unit_test(nul_bytes_and_null),
        cmocka_unit_test(no_pattern_is_exponential),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
