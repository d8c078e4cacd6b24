// SPDX-License-Identifier: Apache-2.0
/*
 * json_decode: which lines are accepted and what scalars become, held against jansson.
 *
 * Thousands of mutated documents: both must accept or both refuse, and the values must be equal.
 * The known differences, each told apart by known_difference():
 *   - the top level is an array: jansson takes it, an event must be an object;
 *   - an integer outside int64: jansson refuses it, the language makes it a double;
 *   - \u0000 in a member's name: jansson cannot hold it;
 *   - nested deeper than DECODER_MAX_DEPTH: jansson goes to 2048;
 *   - a NUL byte right behind a number or a word: jansson 2.14 puts it back and loses it.
 * Of duplicate names jansson keeps the last, so values are compared only where there are none;
 * test_json_walk has the duplicates. Then every line of the real logs must decode.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <fcntl.h>
#include <jansson.h>
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

/* ---- against jansson ----------------------------------------------------------------------------
 */

static bool same(struct value v, const json_t *json);

static bool same_list(struct value v, const json_t *json)
{
    if (v.type != VALUE_LIST || v.len != json_array_size(json))
        return false;
    for (uint32_t i = 0; i < v.len; i++)
        if (!same(v.u.list[i], json_array_get(json, i)))
            return false;
    return true;
}

/* Objects as a whole, by jansson itself; but numbers by value. */
static bool same_json(const json_t *a, const json_t *b)
{
    const char *name;
    json_t *member;

    if (json_is_number(a) && json_is_number(b))
        return json_number_value(a) == json_number_value(b);
    if (json_is_array(a) && json_is_array(b)) {
        for (size_t i = 0; i < json_array_size(a); i++)
            if (!same_json(json_array_get(a, i), json_array_get(b, i)))
                return false;
        return json_array_size(a) == json_array_size(b);
    }
    if (!json_is_object(a) || !json_is_object(b))
        return json_equal(a, b);
    json_object_foreach((json_t *)(uintptr_t)a, name,
                        member) if (!json_object_get(b, name) ||
                                    !same_json(member, json_object_get(b, name))) return false;
    return json_object_size(a) == json_object_size(b);
}

static bool same_object(struct value v, const json_t *json)
{
    json_t *mine = v.type == VALUE_OBJECT
                       ? json_loadb(v.u.text, v.len, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL)
                       : NULL;
    bool ok = mine && same_json(mine, json);
    json_decref(mine);
    return ok;
}

static bool same(struct value v, const json_t *json)
{
    if (!json)
        return value_is_missing(v);
    switch (json_typeof(json)) {
    case JSON_NULL: return value_is_missing(v);
    case JSON_TRUE: return v.type == VALUE_BOOL && v.u.b;
    case JSON_FALSE: return v.type == VALUE_BOOL && !v.u.b;
    case JSON_INTEGER: return v.type == VALUE_INT && v.u.i == json_integer_value(json);
    case JSON_REAL: return v.type == VALUE_DOUBLE && v.u.d == json_real_value(json);
    case JSON_STRING:
        return v.type == VALUE_TEXT && v.len == json_string_length(json) &&
               memcmp(v.u.text, json_string_value(json), v.len) == 0;
    case JSON_ARRAY: return v.type == VALUE_OBJECT ? same_object(v, json) : same_list(v, json);
    case JSON_OBJECT: return same_object(v, json);
    }
    return false;
}

static bool known_difference(const struct fixture *f, bool ok, const json_t *json,
                             const json_error_t *error)
{
    if (!ok)
        return strcmp(f->why, json_is_array(json) ? "not a JSON object" : "nested too deep") == 0 ||
               strcmp(f->why, "NUL byte") == 0;
    return ok && (json_error_code(error) == json_error_numeric_overflow ||
                  json_error_code(error) == json_error_null_byte_in_key);
}

struct counts {
    unsigned accepted, refused, differing, compared;
};

static void hold_against_jansson(struct fixture *f, const char *text, size_t len,
                                 struct counts *counts)
{
    json_error_t error;
    json_t *json = json_loadb(text, len, JSON_ALLOW_NUL, &error);
    bool ok = run(f, text, len);

    if (ok != !!json) {
        if (!known_difference(f, ok, json, &error))
            fail_msg("%.*s\nwe: %s; jansson: %s", (int)len, text, ok ? "accepted" : f->why,
                     json ? "accepted" : error.text);
        counts->differing++;
    } else if (!ok) {
        counts->refused++;
    } else {
        counts->accepted++;
        json_t *unique = json_loadb(text, len, JSON_ALLOW_NUL | JSON_REJECT_DUPLICATES, NULL);
        for (size_t i = 0; unique && i < N_NAMES; i++) {
            counts->compared++;
            if (!same(f->ev.slot[i], json_object_get(json, names[i])))
                fail_msg("%.*s\n%s differs", (int)len, text, names[i]);
        }
        json_decref(unique);
    }
    json_decref(json);
}

static const char *const seeds[] = {
    "{}",
    "{\"a\":1,\"b\":\"two\",\"c\":[1,2.5,null,true,{\"x\":\"y\"}],\"d\":{\"e\":{\"f\":[]}}}",
    "{\"a\":\"\\u00e9\\ud83d\\ude00\\n\\\\\\\"\",\"b\":9223372036854775807,\"c\":-"
    "9223372036854775808}",
    "{\"a\":1e308,\"b\":-1.5e-300,\"c\":0.1,\"d\":123456789.123456789,\"o\":-0}",
    "{\"user\":{\"id\":\"u1\",\"n\":18446744073709551615},\"list\":[[1],[2,[3,[4]]]],\"o\":false}",
    "{\"a\":\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\",\"\xc3\xa9\":1, \"b\" : null ,\t\"c\":[ ]}",
    "{\"user\":\"\",\"list\":[\"a\",\"b\",\"\\u0000\"],\"a\":4.9e-324,\"b\":"
    "12345678901234567890123}",
    "[{\"a\":1},2]",
};

static const char *const pieces[] = {
    "\"",
    "\\",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "null",
    "true",
    "1e999",
    "1e308",
    "-",
    "0",
    ".",
    "e",
    "E+",
    "\\u",
    "\\ud8",
    "\\udc00",
    "\\u0000",
    "\\ud83d\\ude00",
    "\xc3",
    "\xa9",
    "\xed\xa0\x80",
    "\xf0\x9f",
    "9223372036854775808",
    "18446744073709551616",
    "-9223372036854775809",
    "\"a\":",
    "\"b\":1,",
    " ",
    "\t",
    "\n",
    "\r",
    "\x01",
    "\x7f",
    "\xef\xbb\xbf",
    "//",
    "'",
    "{\"a\":{\"b\":",
    "]]]]",
    "0.1",
    "1E400",
    "0e-999",
    "00",
    "-0.0",
    "\"\\/\"",
    "4.9e-324",
};

static const char *const values[] = {
    "0",
    "-0",
    "1e-7",
    "-12.50",
    "9223372036854775807",
    "-9223372036854775808",
    "1e308",
    "4.9e-324",
    "123456789012345678.9",
    "null",
    "true",
    " false ",
    "[]",
    "{}",
    "[1, [2.0,\"x\"]]",
    "{\"a\":{\"b\":[null]}}",
    "\"\"",
    "\"\\ud83d\\ude00\"",
    "\"\\u0000\"",
    "\"\xf0\x9f\x98\x80\"",
    "\"\\/\\b\\f\"",
    "\"\x7f\"",
    "\t7\r",
    "9223372036854775808",
    "1e400",
    "\"\\ud800\"",
};

/* Puts a value in the place of what follows some colon; leaves the document well-formed, mostly. */
static void exchange_value(struct buf *b)
{
    struct buf out;
    const char *piece = values[(size_t)rand() % (sizeof values / sizeof *values)];
    size_t at = b->len ? (size_t)rand() % b->len : 0;

    while (at < b->len && b->data[at] != ':')
        at++;
    if (at == b->len)
        return;
    size_t end = ++at;
    while (end < b->len && !strchr(",}]", b->data[end]))
        end++;
    buf_init(&out);
    buf_add(&out, b->data, at);
    buf_adds(&out, piece);
    buf_add(&out, b->data + end, b->len - end);
    buf_clear(b);
    buf_add(b, out.data, out.len);
    buf_fini(&out);
}

static void mutate(struct buf *b)
{
    struct buf out;
    size_t at = b->len ? (size_t)rand() % b->len : 0;
    size_t n = b->len - at < 12 ? b->len - at : (size_t)rand() % 12;
    const char *piece = pieces[(size_t)rand() % (sizeof pieces / sizeof *pieces)];

    buf_init(&out);
    buf_add(&out, b->data, at);
    switch (rand() % 6) {
    case 0:
        buf_addc(&out, (char)rand());
        n = b->len > at;
        break;     /* another byte */
    case 1: break; /* bytes gone */
    case 2:
        buf_adds(&out, piece);
        n = 0;
        break;                            /* a piece put in */
    case 3: buf_adds(&out, piece); break; /* in place of bytes */
    case 4:
        buf_add(&out, b->data + at, n);
        n = 0;
        break; /* bytes twice */
    default:
        buf_addc(&out, b->len > at ? (char)(b->data[at] ^ 1 << rand() % 8) : '0');
        n = b->len > at;
    }
    buf_add(&out, b->data + at + n, b->len - at - n);
    buf_clear(b);
    buf_add(b, out.data, out.len);
    buf_fini(&out);
}

static void mutated_documents_agree_with_jansson(void **state)
{
    struct fixture f;
    struct counts counts = {0};
    struct buf b;

    (void)state;
    srand(11);
    fixture_init(&f, 1 << 20);
    buf_init(&b);
    for (int round = 0; round < 60000; round++) {
        buf_clear(&b);
        buf_adds(&b, seeds[(size_t)round % (sizeof seeds / sizeof *seeds)]);
        for (int i = rand() % 4; i >= 0; i--) {
            if (rand() % 4)
                exchange_value(&b);
            else
                mutate(&b);
        }
        hold_against_jansson(&f, b.data ? b.data : "", b.len, &counts);
    }
    for (size_t i = 0; i < sizeof seeds / sizeof *seeds; i++)
        hold_against_jansson(&f, seeds[i], strlen(seeds[i]), &counts);
    print_message("%u accepted, %u refused by both, %u known differences, %u values compared\n",
                  counts.accepted, counts.refused, counts.differing, counts.compared);
    assert_true(counts.accepted > 5000 && counts.refused > 20000 && counts.compared > 20000);
    buf_fini(&b);
    fixture_fini(&f);
}

/* Numbers made of digits at random: the value must be what strtod, through jansson, says. */
static void random_numbers_agree_with_jansson(void **state)
{
    struct fixture f;
    struct counts counts = {0};
    struct buf b;

    (void)state;
    srand(13);
    fixture_init(&f, 1 << 20);
    buf_init(&b);
    for (int round = 0; round < 60000; round++) {
        buf_clear(&b);
        buf_adds(&b, rand() % 2 ? "{\"a\":-" : "{\"a\":");
        for (int i = rand() % (rand() % 3 ? 22 : 40); i >= 0; i--)
            buf_addc(&b, (char)('0' + rand() % 10));
        if (rand() % 2) {
            buf_addc(&b, '.');
            for (int i = rand() % 25; i >= 0; i--)
                buf_addc(&b, (char)('0' + rand() % 10));
        }
        if (rand() % 2)
            buf_printf(&b, "e%d", rand() % 700 - 350);
        buf_addc(&b, '}');
        hold_against_jansson(&f, b.data, b.len, &counts);
    }
    assert_true(counts.compared > 20000);
    buf_fini(&b);
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
        cmocka_unit_test(mutated_documents_agree_with_jansson),
        cmocka_unit_test(random_numbers_agree_with_jansson),
        cmocka_unit_test(every_line_of_the_real_logs_decodes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
