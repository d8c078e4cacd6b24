// SPDX-License-Identifier: Apache-2.0
/* value: order and identity at the edges of numbers, the binary coding (also malformed), copies,
 * printing. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/reader.h"
#include "event/value.h"

static struct value text(const char *s)
{
    return value_text(s, strlen(s));
}

static int order(struct value a, struct value b)
{
    int ab = 77, ba = 77;
    assert_true(value_order(a, b, &ab));
    assert_true(value_order(b, a, &ba));
    assert_int_equal((ab > 0) - (ab < 0), (ba < 0) - (ba > 0));
    return (ab > 0) - (ab < 0);
}

static void numbers_are_ordered_without_losing_integers(void **state)
{
    static const int64_t e53 = INT64_C(1) << 53;

    (void)state;
    assert_int_equal(order(value_int(1), value_double(1.0)), 0);
    assert_int_equal(order(value_int(0), value_double(-0.0)), 0);
    assert_int_equal(order(value_int(1), value_double(1.5)), -1);
    assert_int_equal(order(value_int(-1), value_double(-1.5)), 1);
    assert_int_equal(order(value_int(2), value_double(1.5)), 1);
    assert_int_equal(order(value_int(e53 + 1), value_double((double)e53)), 1);
    assert_int_equal(order(value_int(e53 - 1), value_double((double)e53)), -1);
    assert_int_equal(order(value_int(-e53 - 1), value_double(-(double)e53)), -1);
    assert_int_equal(order(value_int(INT64_MAX), value_double(9223372036854775808.0)), -1);
    assert_int_equal(order(value_int(INT64_MIN), value_double(-9223372036854775808.0)), 0);
    assert_int_equal(order(value_int(INT64_MIN), value_double(-9223372036854777856.0)), 1);
    assert_int_equal(order(value_int(INT64_MAX), value_double(9223372036854774784.0)), 1);
    assert_int_equal(order(value_int(INT64_MIN), value_int(INT64_MAX)), -1);
    assert_int_equal(order(value_int(0), value_double(DBL_TRUE_MIN)), -1);
    assert_int_equal(order(value_double(DBL_MAX), value_int(INT64_MAX)), 1);
    assert_true(value_is_missing(value_double(INFINITY)));
    assert_true(value_is_missing(value_double(NAN)));
}

static void other_scalars_are_ordered_within_their_type(void **state)
{
    int out;

    (void)state;
    assert_int_equal(order(text("a"), text("b")), -1);
    assert_int_equal(order(text("a"), text("ab")), -1);
    assert_int_equal(order(text(""), text("")), 0);
    assert_int_equal(order(value_text(NULL, 0), text("a")), -1);
    assert_int_equal(order(text("\xef\xbf\xbf"), text("\xf0\x90\x80\x80")), -1);
    assert_int_equal(order(value_time(1), value_time(2)), -1);
    assert_int_equal(order(value_duration(5), value_duration(-5)), 1);
    assert_true(value_order(value_bool(true), value_bool(false), &out));
    assert_int_equal(out, 1);
    assert_true(value_order(value_bool(true), value_bool(true), &out));
    assert_int_equal(out, 0);
    assert_false(value_order(value_missing(), value_missing(), &out));
    assert_false(value_order(value_int(1), text("1"), &out));
    assert_false(value_order(value_time(1), value_duration(1), &out));
    assert_false(value_order(value_time(1), value_int(1), &out));
    assert_false(value_order(value_list(NULL, 0), value_list(NULL, 0), &out));
}

/* ---- identity: value_same, value_hash and value_encode say the same ----------------------------
 */

static struct value inner[3];

static size_t samples(struct value *v)
{
    size_t n = 0;
    static const double doubles[] = {0.0,
                                     -0.0,
                                     1.0,
                                     0.5,
                                     -0.5,
                                     1e300,
                                     -1e300,
                                     9007199254740992.0,
                                     9223372036854775808.0,
                                     -9223372036854775808.0,
                                     18446744073709551616.0,
                                     DBL_TRUE_MIN,
                                     9223372036854774784.0};
    static const int64_t ints[] = {0,
                                   1,
                                   -1,
                                   63,
                                   64,
                                   -64,
                                   -65,
                                   INT64_C(9007199254740992),
                                   INT64_C(9007199254740993),
                                   INT64_MAX,
                                   INT64_MIN,
                                   INT64_C(9223372036854774784)};

    v[n++] = value_missing();
    v[n++] = value_bool(false);
    v[n++] = value_bool(true);
    for (size_t i = 0; i < sizeof doubles / sizeof *doubles; i++)
        v[n++] = value_double(doubles[i]);
    for (size_t i = 0; i < sizeof ints / sizeof *ints; i++) {
        v[n++] = value_int(ints[i]);
        v[n++] = value_time(ints[i]);
        v[n++] = value_duration(ints[i]);
    }
    v[n++] = text("");
    v[n++] = text("1");
    v[n++] = text("{}");
    v[n++] = text("{}");
    v[n - 1].type = VALUE_OBJECT;
    v[n++] = value_text("a\0b", 3);
    inner[0] = value_int(1);
    inner[1] = value_double(1.0);
    inner[2] = value_missing();
    v[n++] = value_list(NULL, 0);
    v[n++] = value_list(inner, 1);
    v[n++] = value_list(inner + 1, 1);
    v[n++] = value_list(inner, 2);
    v[n++] = value_list(inner + 1, 2);
    v[n++] = value_list(inner + 2, 1);
    return n;
}

static void identity_hash_and_code_agree(void **state)
{
    struct value v[100];
    size_t n = samples(v);
    struct buf a, b;

    (void)state;
    buf_init(&a);
    buf_init(&b);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            bool same = value_same(v[i], v[j]);
            buf_clear(&a);
            buf_clear(&b);
            value_encode(&a, v[i]);
            value_encode(&b, v[j]);
            assert_int_equal(same, a.len == b.len && memcmp(a.data, b.data, a.len) == 0);
            assert_int_equal(same, value_hash(v[i], 7) == value_hash(v[j], 7));
            assert_int_equal(same, value_same(v[j], v[i]));
        }
        assert_true(value_same(v[i], v[i]));
        assert_true(value_hash(v[i], 1) != value_hash(v[i], 2));
    }
    buf_fini(&a);
    buf_fini(&b);
}

static void codes_read_back(void **state)
{
    struct value v[100];
    size_t n = samples(v);
    struct buf b;
    struct reader r;
    struct arena *arena = arena_new(0);

    (void)state;
    buf_init(&b);
    for (size_t i = 0; i < n; i++)
        value_encode(&b, v[i]);
    reader_init(&r, b.data, b.len);
    for (size_t i = 0; i < n; i++) {
        struct value back = value_decode(&r, arena);
        assert_false(r.bad);
        assert_true(value_same(back, v[i]));
        assert_true(value_same(value_copy(v[i], arena), v[i]));
    }
    assert_int_equal(reader_left(&r), 0);
    value_decode(&r, arena);
    assert_true(r.bad);
    arena_free(&arena);
    buf_fini(&b);
}

static struct value nested(struct arena *a, int depth)
{
    struct value v = value_int(7);
    for (int i = 0; i < depth; i++)
        v = value_list(arena_memdup(a, &v, sizeof v), 1);
    return v;
}

static void deep_lists_are_coded_as_text(void **state)
{
    struct arena *arena = arena_new(0);
    struct buf b;
    struct reader r;

    (void)state;
    buf_init(&b);
    value_encode(&b, nested(arena, VALUE_MAX_NESTING));
    reader_init(&r, b.data, b.len);
    assert_true(value_same(value_decode(&r, arena), nested(arena, VALUE_MAX_NESTING)));
    assert_false(r.bad);

    buf_clear(&b);
    value_encode(&b, nested(arena, VALUE_MAX_NESTING + 1));
    reader_init(&r, b.data, b.len);
    struct value v = value_decode(&r, arena);
    assert_false(r.bad);
    for (int i = 0; i < VALUE_MAX_NESTING; i++) {
        assert_int_equal(v.type, VALUE_LIST);
        v = v.u.list[0];
    }
    assert_int_equal(v.type, VALUE_OBJECT);
    assert_int_equal(v.len, 3);
    assert_memory_equal(v.u.text, "[7]", 3);

    /* Handmade deeper ones are refused. */
    buf_clear(&b);
    for (int i = 0; i < 100000; i++)
        buf_add(&b, "\x07\x01", 2);
    reader_init(&r, b.data, b.len);
    value_decode(&r, arena);
    assert_true(r.bad);
    arena_free(&arena);
    buf_fini(&b);
}

static void bad(const char *code, size_t len)
{
    struct arena *arena = arena_new(0);
    struct reader r;

    reader_init(&r, code, len);
    assert_true(value_is_missing(value_decode(&r, arena)));
    assert_true(r.bad);
    arena_free(&arena);
}

static void malformed_codes_are_refused(void **state)
{
    (void)state;
    bad("", 0);
    bad("\x09", 1);
    bad("\x01\x02", 2);                 /* bool 2 */
    bad("\x02\x80", 2);                 /* cut varint */
    bad("\x03\0\0\0\0\0\0\0\0", 9);     /* a double that is an integer */
    bad("\x03\0\0\0\0\0\0\xf0\x7f", 9); /* infinity */
    bad("\x04\x05"
        "abc",
        5);                                              /* cut text */
    bad("\x04\x02\xc0\x80", 4);                          /* not UTF-8 */
    bad("\x08\x01\xff", 3);                              /* not UTF-8 */
    bad("\x07\xff\xff\xff\xff\xff\xff\xff\xff\x7f", 10); /* a huge list */
    bad("\x07\x02\x00", 3);                              /* an element is missing */
    bad("\x04\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11);
}

/* Random bytes, and codes with random changes: never a crash; what is read is a value that codes
 * and reads back. */
static void random_codes_do_no_harm(void **state)
{
    struct value v[100];
    size_t n = samples(v);
    struct buf b, again;
    unsigned good = 0;

    (void)state;
    srand(1);
    buf_init(&b);
    buf_init(&again);
    for (int round = 0; round < 50000; round++) {
        struct arena *arena = arena_new(1024);
        struct reader r;
        buf_clear(&b);
        if (round % 2) {
            value_encode(&b, v[(size_t)rand() % n]);
            b.data[(size_t)rand() % b.len] = (char)rand();
        } else {
            for (int i = rand() % 40; i >= 0; i--)
                buf_addc(&b, (char)(rand() % 2 ? rand() % 10 : rand()));
        }
        /* Memory of its own size, so that the sanitizer sees a read too far. */
        char *exact = mem_alloc(b.len);
        memcpy(exact, b.data, b.len);
        reader_init(&r, exact, b.len);
        struct value got = value_decode(&r, arena);
        if (!r.bad) {
            good++;
            buf_clear(&again);
            value_encode(&again, got);
            struct reader r2;
            reader_init(&r2, again.data, again.len);
            assert_true(value_same(value_decode(&r2, arena), got));
            assert_false(r2.bad);
        }
        mem_free(exact);
        arena_free(&arena);
    }
    assert_true(good > 1000);
    buf_fini(&b);
    buf_fini(&again);
}

static void copies_fit_in_their_size(void **state)
{
    struct value v[100];
    size_t n = samples(v);
    struct value all = value_list(v, n);
    struct value two[2] = {all, text("odd")};
    struct value deep = value_list(two, 2);

    (void)state;
    size_t size = value_copy_size(deep);
    char *block = mem_alloc(size);
    char *mem = block;
    struct value copy = value_copy_to(deep, &mem);
    assert_ptr_equal(mem, block + size);
    assert_true(value_same(copy, deep));
    assert_true((const char *)copy.u.list == block);
    mem_free(block);
    assert_int_equal(value_copy_size(value_int(1)), 0);
}

/* ---- printing ---------------------------------------------------------------------------------
 */

static void json_is(struct value v, const char *want)
{
    struct buf b;
    buf_init(&b);
    value_add_json(&b, v);
    assert_string_equal(b.data, want);
    buf_fini(&b);
}

static void text_is(struct value v, const char *want)
{
    struct buf b;
    buf_init(&b);
    value_add_text(&b, v);
    assert_string_equal(b.data ? b.data : "", want);
    buf_fini(&b);
}

static void printing(void **state)
{
    struct value list[4] = {text("a\"b"), value_missing(), value_int(-3), value_list(NULL, 0)};
    struct value object = text("{\"x\":1}");
    object.type = VALUE_OBJECT;

    (void)state;
    json_is(value_missing(), "null");
    json_is(value_bool(true), "true");
    json_is(value_int(INT64_MIN), "-9223372036854775808");
    json_is(value_double(0.1), "0.1");
    json_is(text("\x01\n"), "\"\\u0001\\n\"");
    json_is(value_time(0), "\"1970-01-01T00:00:00Z\"");
    json_is(value_duration(90500000000), "90.5");
    json_is(value_list(list, 4), "[\"a\\\"b\",null,-3,[]]");
    json_is(object, "{\"x\":1}");

    text_is(value_missing(), "");
    text_is(value_bool(false), "false");
    text_is(text("a\"b"), "a\"b");
    text_is(value_duration(5400000000000), "1h30m");
    text_is(value_time(1500000000), "1970-01-01T00:00:01.500Z");
    text_is(value_list(list, 3), "a\"b, , -3");
    text_is(object, "{\"x\":1}");
    assert_string_equal(value_type_name(VALUE_INT), "integer");
    assert_string_equal(value_type_name(VALUE_OBJECT), "object");
}

/* value_encode is canonical, value_encode_exact keeps doubles as they are. */
static void exact_coding_keeps_doubles(void **state)
{
    (void)state;
    struct arena *a = arena_new(0);
    struct value items[2] = {value_double(1.66e17), value_double(0.5)};
    struct value v[] = {value_double(2.0), value_double(-1e300), value_double(0.25), value_int(7),
                        value_list(items, 2)};
    for (size_t i = 0; i < sizeof v / sizeof *v; i++) {
        struct buf exact, canonical, again;
        struct reader r;
        buf_init(&exact);
        buf_init(&canonical);
        buf_init(&again);
        value_encode_exact(&exact, v[i]);
        reader_init(&r, exact.data, exact.len);
        struct value back = value_decode(&r, a);
        assert_false(r.bad);
        assert_int_equal(reader_left(&r), 0);
        assert_int_equal(back.type, v[i].type);
        assert_true(value_same(back, v[i]));
        value_encode(&canonical, v[i]);
        value_encode(&again, back);
        assert_int_equal(canonical.len, again.len);
        assert_memory_equal(canonical.data, again.data, again.len);
        buf_fini(&exact);
        buf_fini(&canonical);
        buf_fini(&again);
    }
    arena_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_coding_keeps_doubles),
        cmocka_unit_test(numbers_are_ordered_without_losing_integers),
        cmocka_unit_test(other_scalars_are_ordered_within_their_type),
        cmocka_unit_test(identity_hash_and_code_agree),
        cmocka_unit_test(codes_read_back),
        cmocka_unit_test(deep_lists_are_coded_as_text),
        cmocka_unit_test(malformed_codes_are_refused),
        cmocka_unit_test(random_codes_do_no_harm),
        cmocka_unit_test(copies_fit_in_their_size),
        cmocka_unit_test(printing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
