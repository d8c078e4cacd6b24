// SPDX-License-Identifier: Apache-2.0
/* json_decode: which lines are refused and why, what scalars become, the limits, and that every
 * line of the real logs decodes. test_json_differential holds it against jansson. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/gunzip.h"
#include "base/mem.h"
#include "event/json_decode.h"
#include "event/schema.h"
#include "event/time_format.h"

static const char *const names[] = {"a", "b", "c", "d", "user", "list", "o"};
enum { N_NAMES = sizeof names / sizeof *names };

struct fixture {
    struct schema *schema;
    struct decoder *de;
    struct event ev;
    const char *why;
};

static void fixture_init(struct fixture *f, size_t max_line)
{
    uint32_t slot;

    memset(f, 0, sizeof *f);
    f->schema = schema_new();
    for (size_t i = 0; i < N_NAMES; i++)
        assert_true(schema_slot_text(f->schema, names[i], &slot));
    schema_seal(f->schema);
    f->de = decoder_new(f->schema, max_line);
}

static void fixture_fini(struct fixture *f)
{
    decoder_free(&f->de);
    schema_unref(&f->schema);
}

static bool run(struct fixture *f, const char *text, size_t len)
{
    f->why = "";
    return decoder_run_copy(f->de, text, len, &f->ev, &f->why);
}

/* ---- by hand ------------------------------------------------------------------------------------
 */

static void refused(const char *text, size_t len, const char *why)
{
    struct fixture f;

    fixture_init(&f, 1 << 20);
    if (run(&f, text, len))
        fail_msg("accepted: %s", text);
    assert_string_equal(f.why, why);
    fixture_fini(&f);
}

static void refuse(const char *text, const char *why)
{
    refused(text, strlen(text), why);
}

static void broken_lines_are_refused_with_a_reason(void **state)
{
    (void)state;
    refuse("", "empty line");
    refuse(" \t ", "empty line");
    refuse("[1]", "not a JSON object");
    refuse("\"a\"", "not a JSON object");
    refuse("12", "not a JSON object");
    refuse("null", "not a JSON object");
    refuse("\xef\xbb\xbf{}", "byte order mark");
    refuse("{}x", "text behind the end of the object");
    refuse("{} {}", "text behind the end of the object");
    refuse("{\"a\":1}}", "text behind the end of the object");
    refuse("{\"a\":1", "the object has no end");
    refuse("{\"a\":[1}", "the object has no end");
    refuse("{\"a\":", "the object has no end");
    refuse("{", "the object has no end");
    refuse("}", "broken JSON");
    refuse("{\"a\" 1}", "broken JSON");
    refuse("{\"a\":1,}", "broken JSON");
    refuse("{a:1}", "broken JSON");
    refuse("{\"a\":+1}", "broken JSON");
    refuse("{\"a", "text without an end quote");
    refuse("{\"a\":tru}", "a word that is not true, false or null");
    refuse("{\"a\":falsey}", "a word that is not true, false or null");
    refuse("{\"a\":nul}", "a word that is not true, false or null");
    refuse("{\"a\":NaN}", "broken JSON");
    refuse("{\"a\":\"\x01\"}", "control character in text");
    refuse("{\"a\":\"x\ty\"}", "control character in text");
    refuse("{\"a\":\"\\x\"}", "bad escape or lone surrogate in text");
    refuse("{\"a\":\"\\u12g4\"}", "bad escape or lone surrogate in text");
    refuse("{\"a\":\"\\ud800\"}", "bad escape or lone surrogate in text");
    refuse("{\"a\":\"\\udc00\"}", "bad escape or lone surrogate in text");
    refuse("{\"a\":\"\\ud800\\ud800\"}", "bad escape or lone surrogate in text");
    refuse("{\"a\":\"\\ud800\\u0041\"}", "bad escape or lone surrogate in text");
    refuse("{\"a\":\"\\udc00\\ud800\"}", "bad escape or lone surrogate in text");
    refuse("{\"\\ud800\":1}", "bad escape or lone surrogate in text");
    refuse("{\"a\":\"\xff\"}", "invalid UTF-8");
    refuse("{\"a\":\"\xc0\xaf\"}", "invalid UTF-8");
    refuse("{\"a\":\"\xed\xa0\x80\"}", "invalid UTF-8");
    refuse("{\"a\":\"\xf4\x90\x80\x80\"}", "invalid UTF-8");
    refuse("{\"a\":\"\xe2\x82\"}", "invalid UTF-8");
    refused("{\"a\":\"x\0y\"}", 11, "NUL byte");
    refused("{\"a\":1\0}", 8, "NUL byte");
    refused("{}\0", 3, "NUL byte");
}

static void bad_numbers_are_refused(void **state)
{
    (void)state;
    refuse("{\"a\":1e999}", "number out of range");
    refuse("{\"a\":-1e999}", "number out of range");
    refuse("{\"a\":123456789012345678901234567890,\"b\":1e309}", "number out of range");
    refuse("{\"a\":01}", "malformed number");
    refuse("{\"a\":-}", "malformed number");
    refuse("{\"a\":1.}", "malformed number");
    refuse("{\"a\":1.e5}", "malformed number");
    refuse("{\"a\":1e}", "malformed number");
    refuse("{\"a\":1e+}", "malformed number");
    refuse("{\"a\":0x10}", "malformed number");
    refuse("{\"a\":123456789012345678901234567890x}", "malformed number");
    refuse("{\"a\":0123456789012345678901234567890}", "malformed number");
    refuse("{\"a\":--123456789012345678901234567890}", "malformed number");
    refuse("{\"a\":12345678901234567890123,\"b\":1.}", "malformed number");
    refuse("{\"a\":12345678901234567890123", "the object has no end");
    refuse("{\"a\":12345678901234567890123,\"b\":\"\\q\"}", "bad escape or lone surrogate in text");
    refuse("[123456789012345678901234567890]", "not a JSON object");
    refuse("123456789012345678901234567890", "not a JSON object");
}

static void number_is(const char *digits, struct value want)
{
    struct fixture f;
    char line[1000];

    fixture_init(&f, 1 << 20);
    int len = snprintf(line, sizeof line, "{\"b\":\"1\\\"2\",\"a\":%s}", digits);
    if (!run(&f, line, (size_t)len))
        fail_msg("%s: %s", digits, f.why);
    assert_int_equal(f.ev.slot[0].type, want.type);
    assert_true(value_same(f.ev.slot[0], want));
    assert_true(value_same(f.ev.slot[1], value_text("1\"2", 3)));
    /* raw is the text as given, also when a patched copy was parsed. */
    assert_int_equal(f.ev.raw_len, len);
    assert_memory_equal(f.ev.raw, line, (size_t)len);
    fixture_fini(&f);
}

static void integers_stay_integers_as_long_as_they_fit(void **state)
{
    char digits[401];

    (void)state;
    number_is("0", value_int(0));
    number_is("-0", value_int(0));
    number_is("-0.0", value_double(-0.0));
    number_is("1.0", value_double(1));
    number_is("1e2", value_double(100));
    number_is("9007199254740993", value_int(INT64_C(9007199254740993)));
    number_is("9223372036854775807", value_int(INT64_MAX));
    number_is("9223372036854775808", value_double(9223372036854775808.0));
    number_is("-9223372036854775808", value_int(INT64_MIN));
    number_is("-9223372036854775809", value_double(-9223372036854775808.0));
    number_is("-9223372036854777857", value_double(-9223372036854777856.0));
    number_is("-10000000000000000000", value_double(-1e19));
    number_is("18446744073709551615", value_double(18446744073709551615.0));
    number_is("18446744073709551616", value_double(18446744073709551616.0));
    number_is("20000000000000000000", value_double(2e19));
    number_is("123456789012345678901234567890", value_double(123456789012345678901234567890.0));
    /* 2^53 + 1 times 2^64: a tie, to even. */
    number_is("166153499473114502559719956244594688", value_double(0x1p117));
    number_is("166153499473114502559719956244594689", value_double(0x1.0000000000001p117));
    number_is("[18446744073709551616]", value_list((struct value[]){value_double(0x1p64)}, 1));
    number_is("5e-324", value_double(5e-324));
    number_is("1e-400", value_double(0));
    number_is("0e999", value_double(0));
    number_is("1.7976931348623157e308", value_double(1.7976931348623157e308));

    memset(digits, '9', 400);
    digits[308] = 0;
    number_is(digits, value_double(1e308));
    char line[500];
    digits[308] = '9';
    digits[400] = 0;
    snprintf(line, sizeof line, "{\"a\":%s}", digits);
    refuse(line, "number out of range");
}

static void text_is(const char *json, const char *want, size_t len)
{
    struct fixture f;
    char line[200];

    fixture_init(&f, 1 << 20);
    int n = snprintf(line, sizeof line, "{\"a\":\"%s\"}", json);
    if (!run(&f, line, (size_t)n))
        fail_msg("%s: %s", json, f.why);
    assert_true(value_same(f.ev.slot[0], value_text(want, len)));
    fixture_fini(&f);
}

static void texts_are_unescaped(void **state)
{
    (void)state;
    text_is("", "", 0);
    text_is("\\\"\\\\\\/\\b\\f\\n\\r\\t", "\"\\/\b\f\n\r\t", 8);
    text_is("\\u0000", "", 1);
    text_is("\\u00e9\\u20AC", "\xc3\xa9\xe2\x82\xac", 5);
    text_is("\\ud83d\\ude00", "\xf0\x9f\x98\x80", 4);
    text_is("\\uDBFF\\uDFFF", "\xf4\x8f\xbf\xbf", 4);
    text_is("\\uFFFF", "\xef\xbf\xbf", 3);
    text_is("\x7f", "\x7f", 1);
    text_is("{\\\"a\\\":1e999}", "{\"a\":1e999}", 11);
}

static bool nested(struct fixture *f, size_t depth, char open, char close)
{
    struct buf b;

    buf_init(&b);
    buf_adds(&b, "{\"a\":");
    for (size_t i = 1; i < depth; i++)
        buf_adds(&b, open == '[' ? "[" : "{\"a\":");
    buf_addc(&b, '1');
    for (size_t i = 1; i < depth; i++)
        buf_addc(&b, close);
    buf_addc(&b, '}');
    bool ok = run(f, b.data, b.len);
    buf_fini(&b);
    return ok;
}

static void depth_and_length_are_limited(void **state)
{
    struct fixture f;
    size_t huge = 100 * 1000 * 1000;

    (void)state;
    fixture_init(&f, 16 << 20);
    assert_true(nested(&f, DECODER_MAX_DEPTH, '[', ']'));
    assert_true(nested(&f, DECODER_MAX_DEPTH, '{', '}'));
    assert_false(nested(&f, DECODER_MAX_DEPTH + 1, '[', ']'));
    assert_string_equal(f.why, "nested too deep");
    assert_false(nested(&f, DECODER_MAX_DEPTH + 1, '{', '}'));
    assert_false(nested(&f, 1000000, '[', ']'));
    assert_string_equal(f.why, "nested too deep");
    assert_false(nested(&f, 1000000, '{', '}'));

    /* Never parsed: it is not even JSON. */
    char *text = mem_calloc(huge, 1);
    assert_false(run(&f, text, huge));
    assert_string_equal(f.why, "line too long");
    assert_false(run(&f, text, (16 << 20) + 1));
    assert_string_equal(f.why, "line too long");

    /* Up to the limit, also when it is patched, and whatever was decoded before. */
    memset(text, ' ', 16 << 20);
    memcpy(text, "{\"a\":123456789012345678901234567890", 35);
    text[(16 << 20) - 1] = '}';
    assert_true(run(&f, text, 16 << 20));
    assert_int_equal(f.ev.slot[0].type, VALUE_DOUBLE);
    assert_true(run(&f, "{\"a\":1}", 7));
    assert_true(value_same(f.ev.slot[0], value_int(1)));
    mem_free(text);
    fixture_fini(&f);

    fixture_init(&f, 10);
    assert_true(run(&f, "{\"a\":1000}", 10));
    assert_false(run(&f, "{\"a\":10000}", 11));
    assert_string_equal(f.why, "line too long");
    fixture_fini(&f);
}

/* The worst lines for growing buffers: nothing but short tokens, nothing but big integers. */
static void dense_lines(void **state)
{
    struct fixture f;
    struct buf b;

    (void)state;
    fixture_init(&f, 1 << 20);
    buf_init(&b);
    for (int kind = 0; kind < 3; kind++) {
        buf_clear(&b);
        buf_adds(&b, "{\"a\":[0");
        while (b.len < (1 << 20) - 60)
            buf_adds(&b, kind == 0 ? ",0" : kind == 1 ? ",\"\"" : ",-9223372036854775809");
        buf_adds(&b, "]}");
        assert_true(run(&f, b.data, b.len));
        assert_int_equal(f.ev.slot[0].type, VALUE_LIST);
    }
    buf_fini(&b);
    fixture_fini(&f);
}

static void padding_is_not_read_as_text(void **state)
{
    struct fixture f;
    char block[200];

    (void)state;
    fixture_init(&f, 1000);
    memset(block, '7', sizeof block);
    memcpy(block, "{\"a\":1}", 7);
    assert_true(decoder_padding() >= 32 && decoder_padding() < sizeof block - 7);
    assert_true(decoder_run(f.de, block, 7, &f.ev, &f.why));
    assert_true(value_same(f.ev.slot[0], value_int(1)));
    assert_ptr_equal(f.ev.raw, block);
    assert_false(decoder_run(f.de, block, 6, &f.ev, &f.why));
    assert_int_equal(strncmp(decoder_version(), "simdjson ", 9), 0);
    fixture_fini(&f);
}

/* ---- the real logs ------------------------------------------------------------------------------
 */

static const char *const time_fields[] = {"@timestamp", "timestamp",       "eventTime",
                                          "ts",         "EVENT_TIMESTAMP", "InvoiceDate"};
enum { N_TIMES = sizeof time_fields / sizeof *time_fields };

static void decode_line(struct decoder *de, const char *file, size_t number, const char *text,
                        size_t len)
{
    struct event ev = {.time = 0};
    const char *why;
    int64_t ns;

    if (!decoder_run(de, text, len, &ev, &why))
        fail_msg("%s:%zu: %s", file, number, why);
    for (uint32_t i = 0; i < N_TIMES; i++)
        if (time_read(ev.slot[i], TIME_ALL, 0, &ns))
            return;
    fail_msg("%s:%zu: no time", file, number);
}

static size_t decode_file(struct decoder *de, const char *path)
{
    enum { BLOCK = 1 << 20 };
    int fd = open(path, O_RDONLY);
    assert_true(fd >= 0);
    struct gunzip *gz = gunzip_new(fd);
    char *block = mem_alloc(BLOCK + decoder_padding());
    size_t have = 0, lines = 0;
    ssize_t n;

    while ((n = gunzip_read(gz, block + have, BLOCK - have)) > 0) {
        char *line = block;
        char *end;
        have += (size_t)n;
        while ((end = memchr(line, '\n', (size_t)(block + have - line)))) {
            decode_line(de, path, ++lines, line, (size_t)(end - line));
            line = end + 1;
        }
        have -= (size_t)(line - block);
        memmove(block, line, have);
        assert_true(have < BLOCK);
    }
    if (n < 0)
        fail_msg("%s: %s", path, gunzip_error(gz));
    if (have)
        decode_line(de, path, ++lines, block, have);
    mem_free(block);
    gunzip_free(&gz);
    return lines;
}

static DIR *open_logs(char *path, size_t size)
{
    const char *top = getenv("top_srcdir");
    const char *data = getenv("TOCSIN_DATA");

    if (data)
        snprintf(path, size, "%s", data);
    else
        snprintf(path, size, "%s/../shared/data", top ? top : ".");
    return opendir(path);
}

static void every_line_of_the_real_logs_decodes(void **state)
{
    char folder[2000], path[4000];
    DIR *dir = open_logs(folder, sizeof folder);
    size_t lines = 0, files = 0;
    uint32_t slot;

    (void)state;
    struct schema *schema = schema_new();
    for (size_t i = 0; i < N_TIMES; i++)
        assert_true(schema_slot_text(schema, time_fields[i], &slot));
    schema_want_texts(schema);
    schema_seal(schema);
    struct decoder *de = decoder_new(schema, 1 << 20);
    for (struct dirent *e; dir && (e = readdir(dir));) {
        if (!strstr(e->d_name, ".ndjson"))
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        lines += decode_file(de, path);
        files++;
    }
    if (dir)
        closedir(dir);
    decoder_free(&de);
    schema_unref(&schema);
    if (files) {
        print_message("%zu lines of %zu real logs\n", lines, files);
        return;
    }
    print_message("\n***\n*** REAL LOGS NOT FOUND in %s (set TOCSIN_DATA)\n***\n\n", folder);
    const char *ci = getenv("CI");
    if (ci && strcmp(ci, "true") == 0)
        fail_msg("REAL LOGS NOT FOUND");
    skip();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(broken_lines_are_refused_with_a_reason),
        cmocka_unit_test(bad_numbers_are_refused),
        cmocka_unit_test(integers_stay_integers_as_long_as_they_fit),
        cmocka_unit_test(texts_are_unescaped),
        cmocka_unit_test(depth_and_length_are_limited),
        cmocka_unit_test(dense_lines),
        cmocka_unit_test(padding_is_not_read_as_text),
        cmocka_unit_test(every_line_of_the_real_logs_decodes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
