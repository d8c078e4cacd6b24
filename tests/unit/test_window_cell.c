// SPDX-License-Identifier: Apache-2.0
/* Cells of windows: merging, coding, what the limits count, kept events, values before. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <unit/window_fixture.h>

#define EACH(i, list) size_t i = 0; i < sizeof list / sizeof *list; i++

#include "base/buf.h"
#include "base/reader.h"
#include "engine/window_priv.h"

static const char rule[] = "rule r { window tumbling 10s by k { a: s } emit { " ALL_AGGREGATES " } keep 3 "
                           "limit values 5 per key }";

/* Values for each aggregate: text, number or missing. */
static void some(struct taken *taken, uint32_t n, uint64_t *seed)
{
    static const char *const texts[] = {"a", "b", "a longer text that is copied", "c", "d", "e", "f", "g"};
    for (uint32_t i = 0; i < n; i++) {
        taken[i].takes = fixture_below(seed, 5) > 0;
        const char *text = texts[fixture_below(seed, 8)];
        switch (fixture_below(seed, 4)) {
        case 0: taken[i].v[0] = value_text(text, (uint32_t)strlen(text)); break;
        case 1: taken[i].v[0] = value_missing(); break;
        default: taken[i].v[0] = value_double((double)fixture_below(seed, 999) / 7); break;
        }
        taken[i].v[1] = value_int(fixture_below(seed, 3));
    }
}

static void bytes_of(struct buf *out, const struct rule_state *rs, const struct cell *cell)
{
    buf_clear(out);
    cell_encode(out, rs, cell);
}

/* A clone is the same in bytes, and what was decoded too; every byte is given back. */
static void cells_go_out_and_in(void **state)
{
    struct fixture fx;
    struct buf one, two;
    uint64_t seed = 1;
    (void)state;
    fixture_open(&fx, rule);
    struct rule_state *rs = &fx.en->rule[0];
    uint32_t n = rs->rule->window->n_aggregates;
    struct taken taken[64];
    assert_true(n > 10 && n <= 64);
    buf_init(&one);
    buf_init(&two);
    for (int round = 0; round < 50; round++) {
        struct cell *cell = cell_new(rs);
        for (int i = 0; i < round; i++) {
            some(taken, n, &seed);
            cell_add(rs, cell, taken, (struct stamp){.time = i, .seq = (uint64_t)i + 1});
        }
        struct cell *back = cell_new(rs);
        bytes_of(&one, rs, cell);
        struct reader r;
        reader_init(&r, one.data, one.len);
        assert_true(cell_decode(rs, back, &r));
        bytes_of(&two, rs, back);
        assert_int_equal(one.len, two.len);
        assert_memory_equal(one.data, two.data, one.len);
        for (size_t cut = 0; cut < one.len; cut += 3) {
            struct cell *bad = cell_new(rs);
            char *copy = mem_alloc(cut + 1);
            memcpy(copy, one.data, cut);
            reader_init(&r, copy, cut);
            assert_false(cell_decode(rs, bad, &r));
            mem_free(copy);
            cell_free(rs, &bad);
        }
        cell_free(rs, &cell);
        cell_free(rs, &back);
        assert_int_equal(rs->stats.bytes, 0);
    }
    buf_fini(&one);
    buf_fini(&two);
    fixture_close(&fx);
}

static void what_a_limit_keeps_out_is_counted(void **state)
{
    struct fixture fx;
    char json[60];
    (void)state;
    fixture_open(&fx, "rule r { window tumbling 10s { a: s } emit { d = count_distinct(v) } limit values 5 per key }");
    for (int i = 0; i < 20; i++) {
        snprintf(json, sizeof json, "{\"v\":\"value %d\"}", i % 10);
        fixture_feed(&fx, 1, "s", json);
    }
    assert_int_equal(fixture_stats(&fx, 0).limited_values, 10); /* five values, twice */
    fixture_restart(&fx);
    assert_int_equal(fixture_stats(&fx, 0).limited_values, 10);
    fixture_end(&fx);
    assert_int_equal(fixture_stats(&fx, 0).limited_values, 10);
    assert_non_null(strstr(fx.out.alert[0].json, "\"d\":5"));
    fixture_assert_no_state(&fx);
    fixture_close(&fx);
}

/* The last three, in order, however they arrive; bytes are charged and given back. */
static void kept_events_are_the_last_in_order(void **state)
{
    struct fixture fx;
    uint64_t seed = 6;
    (void)state;
    fixture_open(&fx, rule);
    struct rule_state *rs = &fx.en->rule[0];
    for (int round = 0; round < 100; round++) {
        struct keep_list keep = {0};
        int64_t newest[3] = {-1, -1, -1};
        for (int i = 0; i < 10; i++) {
            int64_t time = fixture_below(&seed, 1000) * 16 + i;
            struct event ev = fixture_event(&fx, time, "s", "{\"k\":1}");
            struct event *kept = event_keep(&ev);
            keep_add(rs, &keep, kept, 0);
            event_unref(kept);
            int64_t in = time;
            for (int p = 0; p < 3; p++) {
                if (in > newest[p]) {
                    int64_t out = newest[p];
                    newest[p] = in;
                    in = out;
                }
            }
        }
        assert_int_equal(keep.n, 3);
        for (int p = 0; p < 3; p++)
            assert_int_equal(keep.entry[2 - p].ev->time, newest[p]);
        keep_clear(rs, &keep);
        assert_int_equal(rs->stats.bytes, 0);
    }
    fixture_close(&fx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_go_out_and_in),
        cmocka_unit_test(what_a_limit_keeps_out_is_counted),
        cmocka_unit_test(kept_events_are_the_last_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
