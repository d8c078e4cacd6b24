// SPDX-License-Identifier: Apache-2.0
/* casefold: whole mappings of Unicode, and the searches against "fold all, then compare bytes". */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/casefold.h"
#include "base/utf8.h"

/* Letters whose folding is odd: it changes the length, meets ASCII, or other letters. */
static const char *const LETTERS[] = {
    "a",            "A",            "k",        "K",            "z",        "Z",
    "[",            "@",            "`",        "{",            "0",
    "\xe2\x84\xaa", /* Kelvin sign */
    "\xc5\xbf",     /* long s */
    "s",            "S",            "\xc3\x9f", /* sharp s */
    "\xe1\xba\x9e", /* capital sharp s */
    "\xc8\xba",     /* A with stroke: two bytes, folds to three */
    "\xe2\xb1\xa5", "\xce\xa3",     "\xcf\x83", "\xcf\x82", /* three sigmas */
    "\xc4\xb0",     "\xc4\xb1",     "i",        "I",        /* dotted, dotless i */
    "\xc3\x84",     "\xc3\xa4",     "\xf0\x90\x90\x80",     "\xf0\x90\x90\xa8", /* Deseret */
};
enum { N_LETTERS = sizeof LETTERS / sizeof LETTERS[0] };

static void add_random(struct buf *b, int max)
{
    for (int n = rand() % (max + 1); n > 0; n--) {
        /* mostly few letters, so that they meet */
        int i = rand() % 3 ? rand() % 6 : rand() % N_LETTERS;
        buf_adds(b, LETTERS[i]);
    }
}

static void folded(struct buf *out, const struct buf *text)
{
    buf_clear(out);
    for (size_t i = 0; i < text->len;) {
        char bytes[4];
        uint32_t cp = casefold_char(utf8_next(text->data, text->len, &i));
        buf_add(out, bytes, utf8_encode(cp, bytes));
    }
    buf_add(out, "", 0);
}

static void known_letters(void **state)
{
    (void)state;
    assert_int_equal(casefold_char('A'), 'a');
    assert_int_equal(casefold_char('Z'), 'z');
    assert_int_equal(casefold_char('@'), '@');
    assert_int_equal(casefold_char('['), '[');
    assert_int_equal(casefold_char(0x212a), 'k');
    assert_int_equal(casefold_char(0x17f), 's');
    assert_int_equal(casefold_char(0x1e9e), 0xdf);
    assert_int_equal(casefold_char(0x3c2), 0x3c3);
    assert_int_equal(casefold_char(0x130), 0x130); /* simple folding leaves it */
    assert_int_equal(casefold_char(0x10400), 0x10428);
}

static void folding_twice_is_folding_once(void **state)
{
    (void)state;
    for (uint32_t cp = 0; cp <= 0x10ffff; cp++)
        assert_int_equal(casefold_char(casefold_char(cp)), casefold_char(cp));
}

static void lower_and_upper(void **state)
{
    struct buf b;

    (void)state;
    buf_init(&b);
    casefold_add_lower(&b, "HELLO World 09[]@`{} \xc3\x84\xce\xa3!", 25);
    casefold_add_upper(&b, "hello World 09[]@`{} \xc3\xa4\xc3\x9f!", 25);
    casefold_add(&b, NULL, 0);
    assert_string_equal(b.data, "hello world 09[]@`{} \xc3\xa4\xcf\x83"
                                "HELLO WORLD 09[]@`{} \xc3\x84\xc3\x9f");
    buf_fini(&b);
}

static void ascii_at_every_length(void **state)
{
    char text[128];
    struct buf b;

    (void)state;
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = (char)i;
    buf_init(&b);
    for (size_t from = 0; from < 128; from++) {
        for (size_t to = from; to <= 128; to++) {
            buf_clear(&b);
            casefold_add(&b, text + from, to - from);
            assert_int_equal(b.len, to - from);
            for (size_t i = from; i < to; i++)
                assert_int_equal(b.data[i - from], i >= 'A' && i <= 'Z' ? i + 32 : i);
        }
    }
    buf_fini(&b);
}

static void random_against_naive(void **state)
{
    struct buf a, b, fa, fb, got;

    (void)state;
    srand(11);
    buf_init(&a);
    buf_init(&b);
    buf_init(&fa);
    buf_init(&fb);
    buf_init(&got);
    for (int i = 0; i < 100000; i++) {
        buf_clear(&a);
        buf_clear(&b);
        buf_clear(&got);
        add_random(&a, i % 3 ? 8 : 30);
        add_random(&b, i % 2 ? 2 : 8);
        if (i % 7 == 0) {
            buf_clear(&b);
            buf_add(&b, a.data, a.len);
        }
        folded(&fa, &a);
        folded(&fb, &b);
        casefold_add(&got, a.data, a.len);
        assert_int_equal(got.len, fa.len);
        assert_memory_equal(got.data, fa.data, fa.len + 1);

        bool equal = fa.len == fb.len && memcmp(fa.data, fb.data, fa.len) == 0;
        bool start = fa.len >= fb.len && memcmp(fa.data, fb.data, fb.len) == 0;
        bool end = fa.len >= fb.len && memcmp(fa.data + fa.len - fb.len, fb.data, fb.len) == 0;
        bool in = fb.len == 0 || memmem(fa.data, fa.len, fb.data, fb.len);
        assert_int_equal(casefold_equal(a.data, a.len, b.data, b.len), equal);
        assert_int_equal(casefold_startswith(a.data, a.len, fb.data, fb.len), start);
        assert_int_equal(casefold_endswith(a.data, a.len, fb.data, fb.len), end);
        assert_int_equal(casefold_contains(a.data, a.len, fb.data, fb.len), in);
    }
    buf_fini(&a);
    buf_fini(&b);
    buf_fini(&fa);
    buf_fini(&fb);
    buf_fini(&got);
}

static void empty_and_long_texts(void **state)
{
    struct buf b;

    (void)state;
    assert_true(casefold_equal(NULL, 0, NULL, 0));
    assert_false(casefold_equal(NULL, 0, "a", 1));
    assert_true(casefold_contains(NULL, 0, NULL, 0));
    assert_false(casefold_contains("", 0, "a", 1));
    assert_true(casefold_startswith("", 0, "", 0));
    assert_true(casefold_endswith("x", 1, "", 0));
    buf_init(&b);
    for (int i = 0; i < 5000; i++)
        buf_addc(&b, 'A');
    buf_adds(&b, "NEEDLE");
    assert_true(casefold_contains(b.data, b.len, "aneedle", 7));
    assert_false(casefold_contains(b.data, b.len, "needles", 7));
    assert_true(casefold_contains(b.data, 1024, "aaaa", 4));
    assert_false(casefold_contains(b.data, 1024, "b", 1));
    buf_fini(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_letters),         cmocka_unit_test(folding_twice_is_folding_once),
        cmocka_unit_test(lower_and_upper),       cmocka_unit_test(ascii_at_every_length),
        cmocka_unit_test(random_against_naive),  cmocka_unit_test(empty_and_long_texts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
