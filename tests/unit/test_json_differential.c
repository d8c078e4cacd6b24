// SPDX-License-Identifier: Apache-2.0
/*
 * json_decode held against jansson: thousands of mutated documents and random numbers; both must
 * accept or both refuse, and the values must be equal.
 *
 * The known differences, each told apart by known_difference():
 *   - the top level is an array: jansson takes it, an event must be an object;
 *   - an integer outside int64: jansson refuses it, the language makes it a double;
 *   - \u0000 in a member's name: jansson cannot hold it;
 *   - nested deeper than DECODER_MAX_DEPTH: jansson goes to 2048;
 *   - a NUL byte right behind a number or a word: jansson 2.14 puts it back and loses it.
 * Of duplicate names jansson keeps the last, so values are compared only where there are none;
 * test_json_walk has the duplicates.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "event/json_decode.h"
#include "event/schema.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mutated_documents_agree_with_jansson),
        cmocka_unit_test(random_numbers_agree_with_jansson),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
