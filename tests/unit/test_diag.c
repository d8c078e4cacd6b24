// SPDX-License-Identifier: Apache-2.0
/* diag: order, carets, cut lines exactly as printed; limits; nothing unsafe is shown. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/diag.h"
#include "base/utf8.h"

static struct diag *diag_of(const char *text)
{
    struct diag *d = diag_new();

    assert_int_equal(diag_file_add(d, "f.rule", text, strlen(text)), 0);
    return d;
}

static struct span span(uint32_t start, uint32_t end)
{
    return (struct span){ 0, start, end };
}

/* Prints, compares, frees. */
static void expect(struct diag *d, const char *want)
{
    struct buf out;

    buf_init(&out);
    diag_print(d, &out);
    buf_add(&out, "", 0);
    assert_string_equal(out.data, want);
    buf_fini(&out);
    diag_free(&d);
    assert_null(d);
    diag_free(&d);
}

static void caret_and_hint(void **state)
{
    struct diag *d = diag_of("rule x {\n  where usr == 1\n}\n");

    (void)state;
    diag_add(d, DIAG_ERROR, span(17, 20), "unknown field \"%s\"", "usr");
    diag_hint(d, "did you mean \"%s\"?", "user");
    expect(d, "f.rule:2:9: error: unknown field \"usr\"\n"
              "      where usr == 1\n"
              "            ^~~ did you mean \"user\"?\n");
}

static void nothing_to_print(void **state)
{
    struct diag *d = diag_of("x");

    (void)state;
    diag_hint(d, "no message to give it to");
    assert_int_equal(diag_errors(d), 0);
    assert_int_equal(diag_warnings(d), 0);
    expect(d, "");
}

static void tabs_and_wide_text_line_up(void **state)
{
    struct diag *d = diag_of("\t\xc3\xa4\t= \xc3\xbc\xc3\xbc\r\nnext");

    (void)state;
    diag_add(d, DIAG_WARNING, span(6, 10), "w");
    expect(d, "f.rule:1:6: warning: w\n"
              "    \t\xc3\xa4\t= \xc3\xbc\xc3\xbc\n"
              "    \t \t  ^~\n");
}

static void spans_at_borders(void **state)
{
    struct diag *d = diag_of("one\ntwo");

    (void)state;
    diag_add(d, DIAG_ERROR, span(0, 0), "empty span");
    diag_add(d, DIAG_ERROR, span(3, 3), "at the newline");
    diag_add(d, DIAG_ERROR, span(1, 6), "over two lines");
    diag_add(d, DIAG_ERROR, span(4, 7), "up to the end");
    diag_add(d, DIAG_ERROR, span(7, 7), "at the end");
    diag_add(d, DIAG_ERROR, span(100, 50), "outside");
    expect(d, "f.rule:1:1: error: empty span\n    one\n    ^\n"
              "f.rule:1:2: error: over two lines\n    one\n     ^~\n"
              "f.rule:1:4: error: at the newline\n    one\n       ^\n"
              "f.rule:2:1: error: up to the end\n    two\n    ^~~\n"
              "f.rule:2:4: error: at the end\n    two\n       ^\n"
              "f.rule:2:4: error: outside\n    two\n       ^\n");
}

static void empty_text_and_empty_line(void **state)
{
    struct diag *d = diag_of("");

    (void)state;
    diag_add(d, DIAG_ERROR, span(0, 0), "cannot be read");
    diag_hint(d, "is it there?");
    expect(d, "f.rule:1:1: error: cannot be read\n    is it there?\n");
    d = diag_of("x\n\n");
    diag_add(d, DIAG_ERROR, span(2, 2), "a");
    diag_add(d, DIAG_ERROR, span(3, 3), "b");
    expect(d, "f.rule:2:1: error: a\nf.rule:3:1: error: b\n");
}

static void without_a_place(void **state)
{
    struct diag *d = diag_new();

    (void)state;
    diag_add(d, DIAG_ERROR, span(0, 0), "no rules");
    diag_hint(d, "name a file");
    expect(d, "error: no rules\n    name a file\n");
}

static void sorted_by_file_and_place(void **state)
{
    struct diag *d = diag_of("abc");

    (void)state;
    assert_int_equal(diag_file_add(d, "g.rule", "xyz", 3), 1);
    diag_add(d, DIAG_ERROR, (struct span){ 1, 1, 2 }, "5");
    diag_add(d, DIAG_ERROR, (struct span){ 1, 0, 1 }, "4");
    diag_add(d, DIAG_ERROR, span(2, 3), "3");
    diag_add(d, DIAG_WARNING, span(0, 3), "1");
    diag_add(d, DIAG_ERROR, span(0, 1), "2");
    expect(d, "f.rule:1:1: warning: 1\n    abc\n    ^~~\n"
              "f.rule:1:1: error: 2\n    abc\n    ^\n"
              "f.rule:1:3: error: 3\n    abc\n      ^\n"
              "g.rule:1:1: error: 4\n    xyz\n    ^\n"
              "g.rule:1:2: error: 5\n    xyz\n     ^\n");
}

static void told_once(void **state)
{
    struct diag *d = diag_of("abc");

    (void)state;
    diag_add(d, DIAG_ERROR, span(0, 1), "bad %d", 1);
    diag_hint(d, "first");
    diag_add(d, DIAG_ERROR, span(0, 1), "bad 1");
    diag_hint(d, "second"); /* of a message that is not kept: nobody's */
    diag_add(d, DIAG_ERROR, span(0, 2), "bad 1");
    diag_add(d, DIAG_WARNING, span(0, 1), "bad 1");
    assert_int_equal(diag_errors(d), 2);
    assert_int_equal(diag_warnings(d), 1);
    expect(d, "f.rule:1:1: error: bad 1\n    abc\n    ^ first\n"
              "f.rule:1:1: error: bad 1\n    abc\n    ^~\n"
              "f.rule:1:1: warning: bad 1\n    abc\n    ^\n");
}

static void limits(void **state)
{
    struct diag *d = diag_new();
    struct buf out;

    (void)state;
    for (int again = 0; again < 2; again++) {
        for (int i = 0; i < 27; i++)
            diag_add(d, DIAG_ERROR, span(0, 0), "error %d", i);
        diag_hint(d, "of one that is not kept");
        for (int i = 0; i < 101; i++)
            diag_add(d, DIAG_WARNING, span(0, 0), "warning %d", i);
    }
    assert_int_equal(diag_errors(d), 27);
    assert_int_equal(diag_warnings(d), 101);
    buf_init(&out);
    diag_print(d, &out);
    assert_non_null(strstr(out.data, "error 19\n"));
    assert_null(strstr(out.data, "error 20\n"));
    assert_non_null(strstr(out.data, "\nand 7 more errors\nand 1 more warning\n"));
    assert_null(strstr(out.data, "not kept"));
    buf_clear(&out);
    diag_print_brief(d, &out);
    assert_non_null(strstr(out.data, "\nerror: error 19\n"));
    assert_null(strchr(out.data, '^'));
    assert_non_null(strstr(out.data, "\nand 7 more errors\nand 1 more warning\n"));
    buf_fini(&out);
    diag_free(&d);
}

/* What is printed of a line of `columns` letters, all x but the span. */
static void check_window(size_t columns, uint32_t start, uint32_t end, size_t before, size_t shown,
                         size_t marked, bool cut_left, bool cut_right)
{
    char text[1000], want[1000];
    size_t n;

    memset(text, 'x', columns);
    text[columns] = '\0';
    memset(text + start, 'S', end - start);
    struct diag *d = diag_of(text);
    diag_add(d, DIAG_ERROR, span(start, end), "m");
    n = (size_t)snprintf(want, sizeof want, "f.rule:1:%u: error: m\n    %s%.*s%s\n    %s",
                         start + 1, cut_left ? "..." : "", (int)shown, text + start - before,
                         cut_right ? "..." : "", cut_left ? "   " : "");
    memset(want + n, ' ', before);
    want[n + before] = '^';
    memset(want + n + before + 1, '~', marked - 1);
    snprintf(want + n + before + marked, 2, "\n");
    expect(d, want);
}

static void long_lines_are_cut_around_the_span(void **state)
{
    (void)state;
    check_window(120, 100, 110, 100, 120, 10, false, false);
    check_window(121, 0, 3, 0, 120, 3, false, true);
    check_window(500, 10, 20, 10, 120, 10, false, true);
    check_window(500, 300, 310, 40, 120, 10, true, true);
    check_window(500, 490, 500, 110, 120, 10, true, false);
    check_window(500, 300, 480, 40, 120, 80, true, true);
}

static void unsafe_text_is_not_printed(void **state)
{
    struct diag *d = diag_of("a\x1b[31m\xff\xe2\x80\xae" "b");
    struct buf out;

    (void)state;
    diag_add(d, DIAG_ERROR, span(10, 11), "bad \x1b%s\xfe\nsecond\tline", "\x07");
    diag_hint(d, "one\ntwo");
    buf_init(&out);
    diag_print(d, &out);
    assert_string_equal(out.data, "f.rule:1:9: error: bad \xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd "
                                  "second line\n"
                                  "    a\xef\xbf\xbd[31m\xef\xbf\xbd\xef\xbf\xbd" "b\n"
                                  "            ^ one two\n");
    buf_clear(&out);
    diag_print_json(d, &out);
    assert_true(utf8_valid(out.data, out.len, NULL));
    buf_fini(&out);
    diag_free(&d);
}

static void json(void **state)
{
    struct diag *d = diag_of("\xc3\xa4 \"b\"\n");
    struct buf out;

    (void)state;
    buf_init(&out);
    diag_print_json(d, &out);
    assert_string_equal(out.data, "[]");
    buf_clear(&out);
    diag_add(d, DIAG_WARNING, (struct span){ 9, 0, 0 }, "nowhere");
    diag_add(d, DIAG_ERROR, span(3, 6), "say \"%s\"", "c");
    diag_hint(d, "h");
    diag_print_json(d, &out);
    assert_string_equal(
        out.data,
        "[{\"level\":\"error\",\"file\":\"f.rule\",\"line\":1,\"column\":3,\"length\":3,"
        "\"message\":\"say \\\"c\\\"\",\"hint\":\"h\"},"
        "{\"level\":\"warning\",\"file\":null,\"line\":null,\"column\":null,\"length\":null,"
        "\"message\":\"nowhere\",\"hint\":null}]");
    buf_fini(&out);
    diag_free(&d);
}

/* Below a directory: in places that a hint names, too. */
static void json_below(void **state)
{
    struct diag *d = diag_new();
    struct buf out;

    (void)state;
    diag_file_add(d, "rules/new", "a\n", 2);
    diag_file_add(d, "rules/old", "a\n", 2);
    diag_add(d, DIAG_ERROR, span(0, 1), "twice");
    diag_hint(d, "first declared at rules/old:1");
    diag_add(d, DIAG_ERROR, span(1, 1), "other");
    diag_hint(d, "see rules/oldest:1");
    buf_init(&out);
    diag_print_json_below(d, "rules/", true, false, &out);
    assert_non_null(strstr(out.data, "\"file\":\"new\""));
    assert_non_null(strstr(out.data, "\"hint\":\"first declared at old:1\""));
    assert_non_null(strstr(out.data, "\"hint\":\"see rules/oldest:1\""));
    buf_fini(&out);
    diag_free(&d);
}

static void files(void **state)
{
    struct diag *d = diag_new();
    uint32_t line, column;
    char name[16] = "a", text[16] = "one\n\n\nfour";
    size_t len;

    (void)state;
    for (uint32_t i = 0; i < 50; i++)
        assert_int_equal(diag_file_add(d, name, text, 10), i);
    name[0] = text[0] = '?'; /* both were copied */
    assert_string_equal(diag_file_name(d, 0), "a");
    assert_string_equal(diag_file_text(d, 49, &len), "one\n\n\nfour");
    assert_int_equal(len, 10);
    assert_string_equal(diag_file_text(d, 50, &len), "");
    assert_int_equal(len, 0);
    static const uint32_t want[][3] = { { 0, 1, 1 }, { 3, 1, 4 }, { 4, 2, 1 },  { 5, 3, 1 },
                                        { 6, 4, 1 }, { 9, 4, 4 }, { 10, 4, 5 }, { 99, 4, 5 } };
    for (size_t i = 0; i < sizeof want / sizeof want[0]; i++) {
        diag_locate(d, (struct span){ 7, want[i][0], want[i][0] }, &line, &column);
        assert_int_equal(line, want[i][1]);
        assert_int_equal(column, want[i][2]);
    }
    diag_free(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(caret_and_hint),
        cmocka_unit_test(nothing_to_print),
        cmocka_unit_test(tabs_and_wide_text_line_up),
        cmocka_unit_test(spans_at_borders),
        cmocka_unit_test(empty_text_and_empty_line),
        cmocka_unit_test(without_a_place),
        cmocka_unit_test(sorted_by_file_and_place),
        cmocka_unit_test(told_once),
        cmocka_unit_test(limits),
        cmocka_unit_test(long_lines_are_cut_around_the_span),
        cmocka_unit_test(unsafe_text_is_not_printed),
        cmocka_unit_test(json),
        cmocka_unit_test(json_below),
        cmocka_unit_test(files),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
