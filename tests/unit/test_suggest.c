// SPDX-License-Identifier: Apache-2.0
/* suggest: against a naive recursive distance; what is near enough. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* The definition, over the first i and j letters. */
static size_t naive(const char *a, size_t i, const char *b, size_t j)
{
    if (i == 0 || j == 0)
        return i + j;
    size_t d = naive(a, i - 1, b, j - 1) + (a[i - 1] != b[j - 1]);
    d = least(d, naive(a, i - 1, b, j) + 1);
    d = least(d, naive(a, i, b, j - 1) + 1);
    if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d = least(d, naive(a, i - 2, b, j - 2) + 1);
    return d;
}

static void random_word(char *word, size_t max)
{
    size_t len = (size_t)rand() % (max + 1);

    for (size_t i = 0; i < len; i++)
        word[i] = (char)('a' + rand() % 3);
    word[len] = '\0';
}

static void distance_is_the_definition(void **state)
{
    (void)state;
    srand(5);
    for (int i = 0; i < 3000; i++) {
        char a[8], b[8];
        struct suggest s;
        random_word(a, 6);
        random_word(b, 6);
        suggest_init(&s, a);
        suggest_try(&s, b);
        assert_int_equal(s.best_distance, naive(a, strlen(a), b, strlen(b)));
    }
}

static const char *nearest(const char *want, const char *const *names)
{
    struct suggest s;

    suggest_init(&s, want);
    for (; *names; names++)
        suggest_try(&s, *names);
    return suggest_result(&s);
}

static void gives_the_nearest(void **state)
{
    const char *const names[] = { "source.ip", "user.name", "user.id", "window", "where", NULL };

    (void)state;
    assert_string_equal(nearest("wehre", names), "where");
    assert_string_equal(nearest("WINDOW", names), "window");
    assert_string_equal(nearest("windw", names), "window");
    assert_string_equal(nearest("soruce.ip", names), "source.ip");
    assert_string_equal(nearest("username", names), "user.name");
    assert_null(nearest("completely_else", names));
    assert_null(nearest("", names));
}

static void near_enough(void **state)
{
    const char *const one[] = { "abcdef", NULL }, *const none[] = { NULL };

    (void)state;
    assert_string_equal(nearest("abcdxx", one), "abcdef");
    assert_null(nearest("abcxxx", one));
    assert_null(nearest("abcdef", none));
    assert_string_equal(nearest("ab", (const char *const[]){ "abc", NULL }), "abc");
    assert_null(nearest("ab", (const char *const[]){ "abcd", NULL }));
}

static void first_of_equals_wins(void **state)
{
    (void)state;
    assert_string_equal(nearest("cat", (const char *const[]){ "bat", "hat", NULL }), "bat");
}

static void very_long_names_are_passed_over(void **state)
{
    char name[5000];

    (void)state;
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    assert_null(nearest("x", (const char *const[]){ name, NULL }));
    assert_null(nearest(name, (const char *const[]){ "x", NULL }));
    name[100] = '\0';
    assert_ptr_equal(nearest(name, (const char *const[]){ name, NULL }), name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distance_is_the_definition),
        cmocka_unit_test(gives_the_nearest),
        cmocka_unit_test(near_enough),
        cmocka_unit_test(first_of_equals_wins),
        cmocka_unit_test(very_long_names_are_passed_over),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
