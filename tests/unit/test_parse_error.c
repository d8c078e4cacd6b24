// SPDX-License-Identifier: Apache-2.0
/*
 * What the parser says to mistakes: message, place and hint of each, and where it takes up again.
 * The cases are in parse_error.t; here are those that no text file can hold.
 */
#include "lang/parse.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <unit/text_fixture.h>

#include "base/buf.h"
#include "base/diag.h"
#include "lang/ast.h"

/* ---- from diag's text to the lines of a case ------------------------------------------------- */

static const char *line_end(const char *at)
{
    const char *end = strchr(at, '\n');

    return end ? end : at + strlen(at);
}

/* Of a caret line "    ^~~~ hint": the number of its marks, and where the hint is. */
static size_t caret_length(const char *at, const char *end, const char **hint_out)
{
    const char *caret = at + strspn(at, " \t");
    size_t length = caret < end && *caret == '^' ? 1 + strspn(caret + 1, "~") : 0;

    *hint_out = caret + length;
    while (*hint_out < end && **hint_out == ' ')
        ++*hint_out;
    return length;
}

/* "t:1:8: error: message", source line, caret line -> "1:8+3 message [hint]". */
static void compress(struct buf *out, const char *text)
{
    while (*text) {
        const char *source = line_end(text) + 1, *caret = line_end(source) + 1;
        const char *message = strstr(text, ": error: "), *hint;
        size_t length = caret_length(caret, line_end(caret), &hint);

        assert_non_null(message);
        buf_add(out, text + 2, (size_t)(message - text) - 2);
        buf_printf(out, "+%zu ", length);
        message += strlen(": error: ");
        buf_add(out, message, (size_t)(line_end(message) - message));
        if (hint < line_end(caret)) {
            buf_adds(out, " [");
            buf_add(out, hint, (size_t)(line_end(caret) - hint));
            buf_addc(out, ']');
        }
        buf_addc(out, '\n');
        text = line_end(caret);
        text += *text == '\n';
    }
}

/* Parses the text; gives what was said, and how many rules there are. */
static size_t said(const char *text, size_t len, struct buf *out)
{
    struct diag *diag = diag_new();
    struct ast_module *module = ast_module_new();
    uint32_t file = diag_file_add(diag, "t", text, len);
    bool good = parse_file(module, diag, file);
    struct buf print;
    size_t rules = 0;

    assert_int_equal(good, diag_errors(diag) == 0);
    buf_init(&print);
    diag_print(diag, &print);
    if (print.len > 0)
        compress(out, print.data);
    buf_fini(&print);
    for (const struct ast_rule *rule = module->rules; rule; rule = rule->next)
        rules++;
    ast_module_free(&module);
    diag_free(&diag);
    return rules;
}

static void says_of(const char *text, size_t len, const char *expected)
{
    struct buf out;

    buf_init(&out);
    said(text, len, &out);
    if (strcmp(out.len ? out.data : "", expected) != 0)
        printf("of: %.300s\n", text);
    assert_string_equal(out.len ? out.data : "", expected);
    buf_fini(&out);
}

static void says(const char *text, const char *expected)
{
    says_of(text, strlen(text), expected);
}

/* ---- the cases of the file ------------------------------------------------------------------- */

static void around(struct buf *out, const char *kind, const char *text, size_t len)
{
    static const struct {
        const char *kind, *before, *after;
    } form[] = {
        {"file", "", ""}, {"expr", "rule r { match { a: S where ", " } }"}, {"body", "rule r { match { ", " } }"},
        {"clause", "rule r { match { a: S }\n", "\n}"},
    };

    for (size_t i = 0; i < sizeof form / sizeof *form; i++) {
        if (strncmp(kind, form[i].kind, strlen(form[i].kind)) != 0)
            continue;
        buf_adds(out, form[i].before);
        buf_add(out, text, len);
        buf_adds(out, form[i].after);
        return;
    }
    fail_msg("an unknown kind of case: %.20s", kind);
}

static void cases_of_the_file(void **state)
{
    char *all = text_of("tests/unit/parse_error.t");
    size_t n = 0;

    (void)state;
    for (const char *at = strstr(all, "\n--- "); at; n++) {
        const char *kind = at + 5;
        const char *text = line_end(kind) + 1;
        const char *arrow = strstr(text - 1, "\n->\n");
        const char *expected, *comment;
        struct buf source, want;

        assert_non_null(arrow);
        expected = arrow + 4;
        at = strstr(expected - 1, "\n--- ");
        buf_init(&source);
        buf_init(&want);
        around(&source, kind, text, (size_t)(arrow - text));
        buf_add(&want, expected, at && at >= expected ? (size_t)(at + 1 - expected) : strlen(expected));
        comment = strstr(want.data, "\n# ");
        if (comment)
            want.data[comment - want.data] = '\0';
        says(source.data, want.data);
        buf_fini(&source);
        buf_fini(&want);
    }
    assert_true(n > 250);
    free(all);
}

/* ---- others ---------------------------------------------------------------------------------- */

static void whole_files(void **state)
{
    struct buf large;

    (void)state;
    says("", "");
    says("\xef\xbb\xbf# a byte order mark", "");
    says_of("list a = [\"\0\"]", 14, "1:12+1 the file holds a NUL byte: it is no text\n");
    says("list a = [\"\xc3(\"]", "1:12+1 the byte 0xC3 here is not valid UTF-8\n");
    says("list a = \x01[\"a\"]", "1:10+1 the control character U+0001 has no place here\n");
    says("list a = 1\r\nlist b = 2\r\n", "1:10+1 unexpected `1`\n2:10+1 unexpected `2`\n");
    says("# comment\n// comment\nlist a = [] # comment", "");
    buf_init(&large);
    while (large.len <= PARSE_MAX_BYTES)
        buf_adds(&large, "# a comment that goes on and on and on and on and on and on and on and on\n");
    says_of(large.data, large.len, "1:1+1 the file has more than 16 MiB\n");
    buf_fini(&large);
}

static void repeat(struct buf *out, size_t n, const char *text)
{
    for (size_t i = 0; i < n; i++)
        buf_adds(out, text);
}

/* before, n times text, middle, n times end. */
static void nested(size_t n, const char *before, const char *text, const char *middle, const char *end,
                   const char *expected)
{
    struct buf b;

    buf_init(&b);
    buf_adds(&b, before);
    repeat(&b, n, text);
    buf_adds(&b, middle);
    repeat(&b, n, end);
    says(b.data, expected);
    buf_fini(&b);
}

static void depth(void **state)
{
    (void)state;
    nested(199, "def f() = ", "(", "a", ")", "");
    nested(201, "def f() = ", "(", "a", ")", "1:211+1 brackets are nested deeper than 200\n");
    nested(100000, "def f() = ", "(", "a", ")", "1:211+1 brackets are nested deeper than 200\n");
    nested(199, "def f() = ", "[", "", "]", "");
    nested(100000, "def f() = ", "[", "", "]", "1:211+1 brackets are nested deeper than 200\n");
    nested(100000, "def f() = ", "f(", "a", ")", "1:412+1 brackets are nested deeper than 200\n");
    nested(100000, "engine { ", "a { ", "", "}", "1:808+1 brackets are nested deeper than 200\n");
    nested(199, "def f() = ", "not ", "a", "", "");
    nested(200, "def f() = ", "not ", "a", "", "1:11+110 the expression is nested deeper than 200\n");
    nested(100000, "def f() = ", "not ", "a", "", "1:31971+3 nested too deeply: at most 200 levels\n");
    nested(100000, "def f() = ", "- ", "a", "", "1:15991+1 nested too deeply: at most 200 levels\n");
    nested(199, "def f() = a", " + a", "", "", "");
    nested(200, "def f() = a", " + a", "", "", "1:11+110 the expression is nested deeper than 200\n");
    /* chains of `and` and `or` are no depth */
    nested(20000, "def f() = a", " and a", "", "", "");
    nested(20000, "def f() = a", " or a == 1 and b", "", "", "");
    nested(300, "rule r { match { a: S } test \"t\" { 0s S {\"a\": ", "[", "1", "]",
           "1:244+1 brackets are nested deeper than 200\n");
}

static void limits(void **state)
{
    struct buf b;

    (void)state;
    nested(PARSE_MAX_ITEMS - 1, "def f() = [a", ",a", "]", "", "");
    nested(PARSE_MAX_ITEMS, "def f() = [a", ",a", "]", "", "1:200013+1 more than 100000 items in one list or block\n");
    nested(31, "def f() = a", ".b", "", "", "");
    nested(32, "def f() = a", ".b", "", "", "1:75+1 a path has at most 32 parts\n");
    nested(1024, "def f() = ", "a", "", "", "");
    nested(1025, "def f() = ", "a", "", "", "1:11+110 a name has at most 1024 bytes\n");
    nested(1025, "def f() = `", "a", "`", "", "1:11+110 a name has at most 1024 bytes\n");
    nested(401, "def f() = ", "1", "", "", "1:11+110 a number has at most 400 characters\n");
    buf_init(&b);
    buf_adds(&b, "def f() = \"");
    repeat(&b, PARSE_MAX_TEXT, "a");
    buf_adds(&b, "\"");
    says(b.data, "");
    b.len--;
    buf_adds(&b, "a\"");
    says(b.data, "1:11+110 a text has at most 1048576 bytes\n");
    b.data[10] = b.data[b.len - 1] = '\'';
    says(b.data, "1:11+110 a raw text has at most 1048576 bytes\n");
    buf_fini(&b);
}

/* A broken rule is left out, what stands around it is there. */
static void the_others_are_kept(void **state)
{
    static const char text[] = "rule a { match { s: S } }\n"
                               "rule b { match { s: S where x == } }\n"
                               "rule c { title \"x\" title \"y\" match { s: S } }\n"
                               "rule d { match { s: S } \n"
                               "rule e { match { s: S } }\n";
    struct buf out;

    (void)state;
    buf_init(&out);
    assert_int_equal(said(text, strlen(text), &out), 2); /* a and e */
    assert_string_equal(out.data, "2:34+1 expected an expression after `==`, found `}`\n"
                                  "3:20+9 `title` is given twice [take one of them away]\n"
                                  "4:8+1 this `{` is not closed [a declaration begins in line 5, before `}`]\n");
    buf_fini(&out);
}

/* Is the longest piece of a hint between {x} and {b} in the cases? */
static bool is_told(const char *cases, const char *hint)
{
    const char *best = hint;
    size_t best_len = 0;
    char piece[400];

    for (const char *at = hint; *at;) {
        size_t len = 0;
        while (at[len] && strncmp(at + len, "{x}", 3) != 0 && strncmp(at + len, "{b}", 3) != 0)
            len++;
        if (len > best_len)
            best = at, best_len = len;
        at += at[len] ? len + 3 : len;
    }
    assert_true(best_len < sizeof piece);
    memcpy(piece, best, best_len);
    piece[best_len] = '\0';
    return strstr(cases, piece) != NULL;
}

static void each_habit_has_a_case(void **state)
{
    static const char *const hints[] = {
#define HABIT(before, found, expects, lacks, hint) hint,
#define HABIT_CALL(name, hint) hint,
#include "lang/habit.def"
    };
    char *cases = text_of("tests/golden/cases/habits.t");

    (void)state;
    for (size_t i = 0; i < sizeof hints / sizeof *hints; i++)
        if (!is_told(cases, hints[i]))
            fail_msg("no case of habits.t is told: %s", hints[i]);
    mem_free(cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_habit_has_a_case),
        cmocka_unit_test(cases_of_the_file), cmocka_unit_test(whole_files), cmocka_unit_test(depth),
        cmocka_unit_test(limits), cmocka_unit_test(the_others_are_kept),
    };

    return cmocka_run_group_tests_name("parse_error", tests, NULL, NULL);
}
