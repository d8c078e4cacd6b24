/* SPDX-License-Identifier: Apache-2.0 */
/* The marker of a sink of kafka and its position: as bytes, and what is made of them. */
#include "io/sink_kafka_marker.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"

#define ONE "000102030405060708090a0b0c0d0e0f"
#define TWO "ffffffffffffffffffffffffffffffff"

static void test_marker(void **state)
{
    struct kafka_marker m = {.seq = 41, .last = "00ff.0"}, back;
    struct buf text;

    (void)state;
    for (uint8_t i = 0; i < KAFKA_ID_BYTES; i++) {
        m.identity[i] = i;
        m.session[i] = 0xff;
    }
    buf_init(&text);
    kafka_marker_encode(&m, &text);
    assert_int_equal(text.len, strlen("tocsin-1 " ONE " " TWO " 00ff.0"));
    assert_memory_equal(text.data, "tocsin-1 " ONE " " TWO " 00ff.0", text.len);
    assert_true(kafka_marker_decode(42, text.data, text.len, &back));
    assert_int_equal(back.seq, 41);
    assert_memory_equal(back.identity, m.identity, KAFKA_ID_BYTES);
    assert_memory_equal(back.session, m.session, KAFKA_ID_BYTES);
    assert_string_equal(back.last, "00ff.0");
    assert_false(kafka_marker_decode(0, text.data, text.len, &back));
    for (size_t len = 0; len < text.len - 5; len++)
        assert_false(kafka_marker_decode(42, text.data, len, &back));
    buf_fini(&text);
}

static void assert_none(const char *text)
{
    struct kafka_marker m;

    assert_false(kafka_marker_decode(1, text, strlen(text), &m));
}

static void test_others(void **state)
{
    struct kafka_marker m;
    char text[256];

    (void)state;
    assert_true(kafka_marker_decode(1, "tocsin-1 " ONE " " TWO " -", 76, &m));
    assert_int_equal(m.seq, 0);
    assert_string_equal(m.last, "");
    assert_none("");
    assert_none("tocsin-2 " ONE " " TWO " -");
    assert_none("tocsin-1 " ONE "_" TWO " -");
    assert_none("tocsin-1 " ONE " " TWO);
    assert_none("tocsin-1 " ONE " " TWO " ");
    assert_none("tocsin-1 " ONE " " TWO " a b");
    assert_none("tocsin-1 0001020304050607_8090a0b0c0d0e0f " TWO " -");
    memset(text, 'x', sizeof text);
    memcpy(text, "tocsin-1 " ONE " " TWO " ", 75);
    assert_true(kafka_marker_decode(1, text, 75 + KAFKA_LAST_MAX - 1, &m));
    assert_false(kafka_marker_decode(1, text, 75 + KAFKA_LAST_MAX - 0, &m));
}

static void test_place(void **state)
{
    struct kafka_place place = {.identity = {1, 2, 3}, .sent = 7, .ahead = 9}, back;
    struct buf b;

    (void)state;
    buf_init(&b);
    kafka_place_encode(&place, &b);
    assert_true(kafka_place_decode(b.data, b.len, &back));
    assert_memory_equal(back.identity, place.identity, KAFKA_ID_BYTES);
    assert_int_equal(back.sent, 7);
    assert_int_equal(back.ahead, 9);
    for (size_t len = 0; len < b.len; len++)
        assert_false(kafka_place_decode(b.data, len, &back));
    buf_addc(&b, 0);
    assert_false(kafka_place_decode(b.data, b.len, &back));
    buf_fini(&b);
}

static void test_verdict(void **state)
{
    struct kafka_place own = {.identity = {1}};
    struct kafka_marker m = {.seq = 40, .identity = {1}};

    (void)state;
    assert_int_equal(kafka_marker_judge(false, NULL, &own, 0), KAFKA_MARKER_NONE);
    assert_int_equal(kafka_marker_judge(true, NULL, &own, 100), KAFKA_MARKER_FOREIGN);
    assert_int_equal(kafka_marker_judge(true, &m, &own, 39), KAFKA_MARKER_AHEAD);
    assert_int_equal(kafka_marker_judge(true, &m, &own, 40), KAFKA_MARKER_OURS);
    own.ahead = 40; /* it was ahead: it stays so, however much comes */
    assert_int_equal(kafka_marker_judge(true, &m, &own, 1000), KAFKA_MARKER_AHEAD);
    m.seq = 41;
    assert_int_equal(kafka_marker_judge(true, &m, &own, 1000), KAFKA_MARKER_OURS);
    own.identity[15] = 1;
    assert_int_equal(kafka_marker_judge(true, &m, &own, 1000), KAFKA_MARKER_FOREIGN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_marker),
        cmocka_unit_test(test_others),
        cmocka_unit_test(test_place),
        cmocka_unit_test(test_verdict),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
