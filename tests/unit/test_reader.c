// SPDX-License-Identifier: Apache-2.0
/* reader: reads what buf writes; any cut or malformed input ends in `bad`, never outside. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/reader.h"

static const uint64_t VALUES[] = { 0,          1,          127,        128,
                                   16383,      16384,      UINT32_MAX, UINT64_C(1) << 32,
                                   UINT64_MAX, INT64_MAX,  UINT64_C(1) << 63 };
enum { N_VALUES = sizeof VALUES / sizeof VALUES[0] };

static void write_all(struct buf *b)
{
    for (size_t i = 0; i < N_VALUES; i++) {
        buf_add_u8(b, (uint8_t)VALUES[i]);
        buf_add_u32(b, (uint32_t)VALUES[i]);
        buf_add_u64(b, VALUES[i]);
        buf_add_varint(b, VALUES[i]);
        buf_add_bytes(b, "some bytes", i);
    }
}

static void reads_back(void **state)
{
    struct buf b;
    struct reader r;
    size_t len;

    (void)state;
    buf_init(&b);
    write_all(&b);
    reader_init(&r, b.data, b.len);
    for (size_t i = 0; i < N_VALUES; i++) {
        assert_int_equal(reader_u8(&r), (uint8_t)VALUES[i]);
        assert_int_equal(reader_u32(&r), (uint32_t)VALUES[i]);
        assert_true(reader_u64(&r) == VALUES[i]);
        assert_true(reader_varint(&r) == VALUES[i]);
        const char *bytes = reader_bytes(&r, &len);
        assert_int_equal(len, i);
        assert_memory_equal(bytes, "some bytes", i);
    }
    assert_false(r.bad);
    assert_int_equal(reader_left(&r), 0);
    buf_fini(&b);
}

static void every_cut_is_bad(void **state)
{
    struct buf b;
    size_t len;

    (void)state;
    buf_init(&b);
    write_all(&b);
    for (size_t cut = 0; cut < b.len; cut++) {
        /* a copy of its own, so that the sanitizer sees a read behind it */
        char *copy = mem_strndup(b.data, cut);
        copy = mem_realloc(copy, cut);
        struct reader r;
        reader_init(&r, copy, cut);
        for (size_t i = 0; i < N_VALUES; i++) {
            reader_u8(&r);
            reader_u32(&r);
            reader_u64(&r);
            reader_varint(&r);
            reader_bytes(&r, &len);
        }
        assert_true(r.bad);
        mem_free(copy);
    }
    buf_fini(&b);
}

static void bad_is_sticky(void **state)
{
    struct reader r;
    size_t len = 7;

    (void)state;
    reader_init(&r, "\x05\x06\x07", 3);
    assert_int_equal(reader_u32(&r), 0);
    assert_true(r.bad);
    assert_int_equal(reader_left(&r), 3);
    assert_int_equal(reader_u8(&r), 0);
    assert_true(reader_varint(&r) == 0);
    assert_null(reader_bytes(&r, &len));
    assert_int_equal(len, 0);
    assert_int_equal(reader_left(&r), 3);
}

static void check_varint(const char *bytes, size_t n, bool bad, uint64_t want)
{
    struct reader r;

    reader_init(&r, bytes, n);
    assert_true(reader_varint(&r) == want);
    assert_int_equal(r.bad, bad);
    assert_int_equal(reader_left(&r), bad ? n : 0);
}

static void varints(void **state)
{
    (void)state;
    check_varint("", 0, true, 0);
    check_varint(NULL, 0, true, 0);
    check_varint("\x80", 1, true, 0);
    check_varint("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 10, false, UINT64_MAX);
    check_varint("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", 10, true, 0);
    check_varint("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x81\x00", 11, true, 0);
    check_varint("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", 12, true, 0);
}

/* A number has one form. */
static void longer_than_need_be(void **state)
{
    struct reader r;
    size_t len;

    (void)state;
    check_varint("\x00", 1, false, 0);
    check_varint("\x80\x01", 2, false, 128);
    check_varint("\x80\x00", 2, true, 0);
    check_varint("\x85\x00", 2, true, 0);
    check_varint("\xff\x80\x00", 3, true, 0);
    check_varint("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00", 10, true, 0);
    reader_init(&r, "\x82\x00zz", 4);
    assert_null(reader_bytes(&r, &len));
    assert_true(r.bad);
}

static void length_larger_than_the_rest(void **state)
{
    struct reader r;
    size_t len;

    (void)state;
    reader_init(&r, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01zz", 12);
    assert_null(reader_bytes(&r, &len));
    assert_true(r.bad);
    reader_init(&r, "\x00", 1);
    assert_non_null(reader_bytes(&r, &len));
    assert_int_equal(len, 0);
    assert_false(r.bad);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_back),    cmocka_unit_test(every_cut_is_bad),
        cmocka_unit_test(bad_is_sticky), cmocka_unit_test(varints),
        cmocka_unit_test(longer_than_need_be),
        cmocka_unit_test(length_larger_than_the_rest),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
