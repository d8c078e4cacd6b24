// SPDX-License-Identifier: Apache-2.0
/* event: keeping copies everything, references, the order, the position code. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "event/event.h"
#include "event/json_decode.h"
#include "event/schema.h"

static struct value text(const char *t)
{
    return value_text(t, strlen(t));
}

static void a_kept_event_outlives_its_decoder(void **state)
{
    static const struct origin o = {.source = "web", .partition = "a.ndjson"};
    static const uint32_t fits[] = {3, 9, 4000};
    const char *line = "{\"a\":\"text\",\"b\":[1,[\"x\",null],{\"k\":\"v\"}],\"c\":{\"d\":1.5}}";
    struct schema *s = schema_new();
    struct event ev = {.time = 77, .origin = &o, .offset = 123, .order_by = text("ord")};
    const char *why;
    uint32_t slot;

    (void)state;
    assert_true(schema_slot_text(s, "a", &slot) && schema_slot_text(s, "b", &slot) &&
                schema_slot_text(s, "c", &slot) && schema_slot_text(s, "none", &slot));
    schema_want_texts(s);
    schema_seal(s);
    struct decoder *de = decoder_new(s, 1000);
    char *copy = mem_strndup(line, strlen(line));
    assert_true(decoder_run_copy(de, copy, strlen(line), &ev, &why));
    ev.fits = fits;
    ev.n_fits = 3;

    struct event *kept = event_keep(&ev);
    assert_true(decoder_run_copy(de, "{\"a\":\"overwritten overwritten\"}", 31, &ev, &why));
    decoder_free(&de);
    mem_free(copy);

    assert_int_equal(kept->time, 77);
    assert_ptr_equal(kept->origin, &o);
    assert_int_equal(kept->offset, 123);
    assert_int_equal(kept->n_slots, 4);
    assert_true(value_same(kept->slot[0], text("text")));
    struct buf b;
    buf_init(&b);
    value_add_json(&b, kept->slot[1]);
    assert_string_equal(b.data, "[1,[\"x\",null],{\"k\":\"v\"}]");
    buf_clear(&b);
    value_add_json(&b, kept->slot[2]);
    assert_string_equal(b.data, "{\"d\":1.5}");
    buf_fini(&b);
    assert_true(value_is_missing(kept->slot[3]));
    assert_int_equal(kept->raw_len, strlen(line));
    assert_memory_equal(kept->raw, line, strlen(line));
    assert_int_equal(kept->n_texts, 3);
    assert_true(value_same(kept->texts[0], text("text")));
    assert_true(value_same(kept->texts[2], text("v")));
    assert_true(value_same(kept->order_by, text("ord")));
    assert_int_equal(kept->n_fits, 3);
    assert_memory_equal(kept->fits, fits, sizeof fits);
    assert_true(event_bytes(kept) >= sizeof *kept + 4 * 16 + 3 * 16 + sizeof fits + strlen(line));

    assert_ptr_equal(event_keep(kept), kept);
    assert_ptr_equal(event_ref(kept), kept);
    assert_int_equal(kept->refs, 3);
    event_unref(kept);
    event_unref(kept);
    event_unref(kept);
    event_unref(NULL);
    schema_unref(&s);
}

static void an_empty_event_is_kept(void **state)
{
    struct event ev;

    (void)state;
    memset(&ev, 0, sizeof ev);
    struct event *kept = event_keep(&ev);
    assert_int_equal(kept->n_slots, 0);
    assert_int_equal(kept->raw_len, 0);
    assert_int_equal(event_bytes(kept), sizeof *kept);
    event_unref(kept);
}

static int order(const struct event *a, const struct event *b)
{
    int ab = event_order(a, b);
    int ba = event_order(b, a);
    assert_int_equal((ab > 0) - (ab < 0), (ba < 0) - (ba > 0));
    return (ab > 0) - (ab < 0);
}

/* Each is less than the next: every part of the order decides once, against all later parts. */
static void the_order_is_as_the_language_says(void **state)
{
    static const struct origin a0 = {"a", "p", 9, 0}, a1 = {"a", "p", 8, 1}, aq = {"a", "q", 7, 0},
                               b0 = {"b", "a", 0, 0}, same_a0 = {"a", "p", 9, 0};
    struct event e[] = {
        {.time = 1, .origin = &b0, .offset = 9, .order_by = value_int(5)},
        {.time = 2, .origin = &b0, .offset = 9},
        {.time = 2, .origin = &b0, .offset = 9, .order_by = value_bool(false)},
        {.time = 2, .origin = &a0, .offset = 9, .order_by = value_bool(true)},
        {.time = 2, .origin = &b0, .offset = 8, .order_by = value_int(-1)},
        {.time = 2, .origin = &b0, .offset = 8, .order_by = value_double(-0.5)},
        {.time = 2, .origin = &b0, .offset = 8, .order_by = value_int(0)},
        {.time = 2, .origin = &b0, .offset = 7, .order_by = text("a")},
        {.time = 2, .origin = &a0, .offset = 6, .order_by = text("b")},
        {.time = 3, .origin = &a0, .offset = 5},
        {.time = 3, .origin = &a0, .offset = 6},
        {.time = 3, .origin = &a1, .offset = 4},
        {.time = 3, .origin = &aq, .offset = 3},
        {.time = 3, .origin = &b0, .offset = 2},
        {.time = 3, .origin = &a0, .offset = 1, .order_by = value_list(NULL, 0)},
    };
    size_t n = sizeof e / sizeof *e;

    (void)state;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            assert_int_equal(order(&e[i], &e[j]), (i > j) - (i < j));
    struct event copy = e[9];
    copy.origin = &same_a0;
    assert_int_equal(order(&copy, &e[9]), 0);
    struct event object = e[14];
    object.order_by.type = VALUE_OBJECT;
    assert_int_equal(order(&object, &e[14]), 0);
}

static void positions_have_codes(void **state)
{
    static const struct origin o1 = {"ab", "c", 0, 0}, o2 = {"a", "bc", 0, 0},
                               o3 = {"ab", "c", 5, 1};
    struct event e1 = {.origin = &o1, .offset = 7}, e2 = {.origin = &o2, .offset = 7};
    struct event e3 = {.origin = &o3, .offset = 7};
    struct buf b, c;

    (void)state;
    buf_init(&b);
    buf_init(&c);
    event_encode_position(&b, &e1);
    /* These bytes are part of alert ids: they may never change. */
    assert_int_equal(b.len, 7);
    assert_memory_equal(b.data,
                        "\x02"
                        "ab"
                        "\x01"
                        "c"
                        "\x00"
                        "\x07",
                        7);
    event_encode_position(&c, &e2);
    assert_true(b.len != c.len || memcmp(b.data, c.data, b.len) != 0);
    buf_clear(&c);
    event_encode_position(&c, &e3);
    assert_true(memcmp(b.data, c.data, b.len) != 0);
    buf_fini(&b);
    buf_fini(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_kept_event_outlives_its_decoder),
        cmocka_unit_test(an_empty_event_is_kept),
        cmocka_unit_test(the_order_is_as_the_language_says),
        cmocka_unit_test(positions_have_codes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
