// SPDX-License-Identifier: Apache-2.0
/* line_diff: hunks as diff -u writes them; random texts, put together again by what it says. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/line_diff.h"

static void is(const char *a, const char *b, const char *want)
{
    struct buf out;

    buf_init(&out);
    buf_adds(&out, "");
    line_diff(&out, "a", a, strlen(a), "b", b, strlen(b));
    assert_string_equal(out.data, want);
    buf_fini(&out);
}

static void test_hunks(void **state)
{
    (void)state;
    is("", "", "");
    is("x\ny\n", "x\ny\n", "");
    is("", "x\n", "--- a\n+++ b\n@@ -0,0 +1,1 @@\n+x\n");
    is("x\n", "", "--- a\n+++ b\n@@ -1,1 +0,0 @@\n-x\n");
    is("x", "x\n", "--- a\n+++ b\n@@ -1,1 +1,1 @@\n-x\n\\ No newline at end of file\n+x\n");
    is("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nX\n6\n7\n8\n9\n",
       "--- a\n+++ b\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+X\n 6\n 7\n 8\n");
    is("1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n", "A\n2\n3\n4\n5\n6\n7\n8\n9\nB\n",
       "--- a\n+++ b\n@@ -1,4 +1,4 @@\n-1\n+A\n 2\n 3\n 4\n@@ -7,4 +7,4 @@\n 7\n 8\n 9\n-10\n+B\n");
}

/* Puts b together from a and the diff. */
static void apply(const char *a, const char *diff, struct buf *out)
{
    size_t line = 0; /* of a, that were taken */
    const char *at = diff ? strstr(diff, "@@") : NULL;

    while (at && *at) {
        if (at[0] == '@') {
            size_t begin = strtoul(strchr(at, '-') + 1, NULL, 10);
            size_t n = strtoul(strchr(at, ',') + 1, NULL, 10);
            for (size_t before = n ? begin - 1 : begin; line < before; line++) {
                size_t len = strcspn(a, "\n") + 1;
                buf_add(out, a, len);
                a += len;
            }
        } else {
            size_t len = strcspn(at + 1, "\n") + 1;
            if (at[0] != '+') {
                assert_memory_equal(at + 1, a, len);
                a += len;
                line++;
            }
            if (at[0] != '-')
                buf_add(out, at + 1, len);
        }
        at = strchr(at, '\n') + 1;
    }
    buf_adds(out, a);
}

static void random_text(struct buf *out, unsigned *seed, int lines)
{
    buf_clear(out);
    buf_adds(out, "");
    for (int i = 0; i < lines; i++)
        buf_printf(out, "%d\n", rand_r(seed) % 8);
}

static void test_random(void **state)
{
    struct buf a, b, diff, again;
    unsigned seed = 7;

    (void)state;
    buf_init(&a);
    buf_init(&b);
    buf_init(&diff);
    buf_init(&again);
    for (int i = 0; i < 3000; i++) {
        random_text(&a, &seed, rand_r(&seed) % 40);
        random_text(&b, &seed, rand_r(&seed) % 40);
        buf_clear(&diff);
        buf_clear(&again);
        buf_adds(&again, "");
        line_diff(&diff, "a", a.data, a.len, "b", b.data, b.len);
        apply(a.data, diff.len ? diff.data : NULL, &again);
        assert_string_equal(again.data, b.data);
    }
    /* too much for a table: the middle is replaced */
    random_text(&a, &seed, 3000);
    random_text(&b, &seed, 3000);
    buf_clear(&diff);
    buf_clear(&again);
    line_diff(&diff, "a", a.data, a.len, "b", b.data, b.len);
    apply(a.data, diff.data, &again);
    assert_string_equal(again.data, b.data);
    buf_fini(&a);
    buf_fini(&b);
    buf_fini(&diff);
    buf_fini(&again);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_hunks), cmocka_unit_test(test_random)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
