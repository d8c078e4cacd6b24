/* SPDX-License-Identifier: Apache-2.0 */
/* The order stage against a sort: random streams, random interleavings, every lateness. */
#include "flow/order.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "event/event.h"

enum { MAX_EVENTS = 3000, MAX_PARTITIONS = 7, NS_S = 1000000000 };

static const uint32_t one_fit[] = {0};

struct input {
    struct event ev[MAX_EVENTS]; /* of one partition, in the order in which they are read */
    size_t n, at;
    bool ended;
};

struct fixture {
    struct origin origin[MAX_PARTITIONS];
    struct input input[MAX_PARTITIONS];
    uint32_t n_partitions;
    int64_t lateness;
    struct order *order;
    /* what the sink got */
    struct event given[MAX_EVENTS];
    size_t n_given, n_scratch;
    int64_t frontier, first;
    size_t n_advances;
    /* what it should get */
    struct event want[MAX_EVENTS];
    size_t n_want, n_late, want_late;
    int64_t lowest;
};

static uint64_t seed;

static uint32_t random_below(uint32_t n)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (uint32_t)((seed >> 20) % n);
}

static void take_event(void *ctx, struct event *ev)
{
    struct fixture *f = ctx;

    assert_true(f->n_advances > 0);
    assert_true(ev->time >= f->frontier);
    assert_true(ev->n_fits > 0);
    assert_true(f->n_given < MAX_EVENTS);
    f->n_scratch += ev->refs == 0;
    f->given[f->n_given++] = *ev;
    f->frontier = ev->time;
}

static void take_frontier(void *ctx, int64_t frontier)
{
    struct fixture *f = ctx;

    if (f->n_advances++ == 0)
        f->first = frontier;
    else
        assert_true(frontier > f->frontier);
    f->frontier = frontier;
}

static int by_order(const void *a, const void *b)
{
    return event_order(a, b);
}

static void make_origins(struct fixture *f, uint32_t n)
{
    static const char *const source[] = {"b", "a", "a", "c", "b", "c", "d"};
    static const char *const partition[] = {"x", "z", "y", "x", "w", "x2", "q"};

    f->n_partitions = n;
    for (uint32_t i = 0; i < n; i++)
        f->origin[i] = (struct origin){.source = source[i], .partition = partition[i]};
}

static void make_order(struct fixture *f, int64_t lateness, uint64_t max_bytes)
{
    struct order_options opt = {.max_bytes = max_bytes, .end = INT64_MAX};
    struct order_partition_options partition = {.lateness = lateness};
    struct order_sink sink = {.event = take_event, .advance = take_frontier, .ctx = f};

    f->lateness = lateness;
    f->frontier = INT64_MIN;
    f->order = order_new(&opt, &sink);
    for (uint32_t i = 0; i < f->n_partitions; i++)
        assert_int_equal(order_partition(f->order, &f->origin[i], &partition), i);
}

static void add_input(struct fixture *f, uint32_t p, int64_t time, bool fits)
{
    struct input *in = &f->input[p];

    in->ev[in->n] = (struct event){.time = time,
                                   .origin = &f->origin[p],
                                   .offset = in->n * 10,
                                   .raw = "",
                                   .fits = one_fit,
                                   .n_fits = fits};
    in->n++;
}

/* What must come out: judged a partition at a time, so independent of any interleaving. */
static void expect(struct fixture *f)
{
    f->lowest = INT64_MAX;
    for (uint32_t p = 0; p < f->n_partitions; p++) {
        int64_t highest = INT64_MIN;
        for (size_t i = 0; i < f->input[p].n; i++) {
            struct event *ev = &f->input[p].ev[i];
            if (f->lateness != ORDER_WHOLE && highest != INT64_MIN &&
                ev->time < highest - f->lateness) {
                f->want_late++;
                continue;
            }
            if (ev->time > highest)
                highest = ev->time;
            if (ev->time < f->lowest)
                f->lowest = ev->time;
            if (ev->n_fits)
                f->want[f->n_want++] = *ev;
        }
    }
    qsort(f->want, f->n_want, sizeof *f->want, by_order);
}

/* Reads one event, or the end, of a partition. */
static void read_one(struct fixture *f, uint32_t p)
{
    struct input *in = &f->input[p];

    if (in->at == in->n) {
        in->ended = true;
        order_end(f->order, p);
        return;
    }
    enum order_verdict verdict = order_add(f->order, p, &in->ev[in->at++], 0, 0, false);
    assert_int_not_equal(verdict, ORDER_FULL);
    f->n_late += verdict == ORDER_LATE;
}

static void read_at_random(struct fixture *f)
{
    uint32_t left = f->n_partitions;

    while (left > 0) {
        uint32_t p = random_below(f->n_partitions);
        uint32_t burst = 1 + random_below(4);
        while (burst-- > 0 && !f->input[p].ended) {
            read_one(f, p);
            left -= f->input[p].ended;
        }
    }
    assert_int_equal(order_next(f->order), ORDER_NONE);
}

static void read_in_turn(struct fixture *f)
{
    uint32_t p;

    while ((p = order_next(f->order)) != ORDER_NONE)
        read_one(f, p);
}

static void check(struct fixture *f)
{
    assert_int_equal(f->n_late, f->want_late);
    assert_int_equal(f->n_given, f->n_want);
    for (size_t i = 0; i < f->n_want; i++) {
        assert_ptr_equal(f->given[i].origin, f->want[i].origin);
        assert_int_equal(f->given[i].offset, f->want[i].offset);
        assert_int_equal(f->given[i].time, f->want[i].time);
    }
    assert_int_equal(f->frontier, INT64_MAX);
    if (f->lowest != INT64_MAX)
        assert_int_equal(f->first, f->lowest);
    assert_true(order_peak_bytes(f->order) >= order_bytes(f->order));
}

static struct fixture *fixture_new(uint32_t partitions)
{
    struct fixture *f = calloc(1, sizeof *f);

    assert_non_null(f);
    make_origins(f, partitions);
    return f;
}

static void fixture_free(struct fixture *f)
{
    order_free(&f->order);
    assert_null(f->order);
    free(f);
}

/* Times that mostly go up, with steps back; few different ones, so many are equal. */
static void make_random_input(struct fixture *f, uint32_t disorder)
{
    for (uint32_t p = 0; p < f->n_partitions; p++) {
        size_t n = random_below(5) == 0 ? 0 : random_below(MAX_EVENTS / MAX_PARTITIONS);
        int64_t time = (int64_t)random_below(50) * NS_S;
        for (size_t i = 0; i < n; i++) {
            time += (int64_t)random_below(3) * NS_S;
            add_input(f, p, time - (int64_t)random_below(disorder + 1) * NS_S,
                      random_below(4) != 0);
        }
    }
}

static void random_streams_are_sorted(void **state)
{
    static const int64_t lateness[] = {0, NS_S, 5 * (int64_t)NS_S, 100 * (int64_t)NS_S,
                                       ORDER_WHOLE - 1, ORDER_WHOLE};

    (void)state;
    for (uint64_t round = 1; round <= 240; round++) {
        seed = round * UINT64_C(0x9e3779b97f4a7c15);
        struct fixture *f = fixture_new(1 + random_below(MAX_PARTITIONS));
        make_random_input(f, random_below(12));
        make_order(f, lateness[round % 6], UINT64_MAX);
        /* expect() would overflow with ORDER_WHOLE - 1; both mean that nothing is late. */
        f->lateness = round % 6 >= 4 ? ORDER_WHOLE : f->lateness;
        expect(f);
        if (round / 6 % 2)
            read_at_random(f);
        else
            read_in_turn(f);
        check(f);
        fixture_free(f);
    }
}

static void one_partition_in_order_waits_for_nothing(void **state)
{
    struct fixture *f = fixture_new(1);

    (void)state;
    for (int i = 0; i < 1000; i++)
        add_input(f, 0, i / 3, true);
    make_order(f, 0, 0); /* no memory at all */
    expect(f);
    for (size_t i = 0; i < 1000; i++) {
        read_one(f, 0);
        assert_int_equal(f->n_given, i + 1);
    }
    read_one(f, 0);
    check(f);
    assert_int_equal(f->n_scratch, 1000);
    assert_int_equal(order_peak_bytes(f->order), 0);
    fixture_free(f);
}

static void late_is_below_the_own_watermark(void **state)
{
    struct fixture *f = fixture_new(2);

    (void)state;
    make_order(f, 5 * (int64_t)NS_S, UINT64_MAX);
    add_input(f, 0, 100 * (int64_t)NS_S, true);
    add_input(f, 0, 95 * (int64_t)NS_S, true);     /* at the watermark: not late */
    add_input(f, 0, 95 * (int64_t)NS_S - 1, true); /* 1 ns below: late */
    add_input(f, 1, 10 * (int64_t)NS_S, true);     /* another partition: has a watermark of its own */
    add_input(f, 1, 5 * (int64_t)NS_S, false);     /* fits nothing: moves no time back */
    add_input(f, 1, 4 * (int64_t)NS_S, false);     /* late all the same */
    expect(f);
    for (int i = 0; i < 4; i++)
        read_one(f, 0);
    assert_int_equal(f->n_late, 1);
    for (int i = 0; i < 4; i++)
        read_one(f, 1);
    assert_int_equal(f->n_late, 2);
    check(f);
    fixture_free(f);
}

static void what_fits_nothing_moves_time(void **state)
{
    struct fixture *f = fixture_new(1);

    (void)state;
    make_order(f, 0, UINT64_MAX);
    add_input(f, 0, 3, false);
    add_input(f, 0, 7, false);
    read_one(f, 0);
    assert_int_equal(f->frontier, 3);
    read_one(f, 0);
    assert_int_equal(f->frontier, 7);
    assert_int_equal(order_peak_bytes(f->order), 0);
    read_one(f, 0);
    assert_int_equal(f->frontier, INT64_MAX);
    assert_int_equal(f->first, 3);
    fixture_free(f);
}

static void an_ended_partition_holds_nobody_back(void **state)
{
    struct fixture *f = fixture_new(3);

    (void)state;
    make_order(f, 0, UINT64_MAX);
    add_input(f, 0, 50, true);
    add_input(f, 1, 10, true);
    read_one(f, 0);
    read_one(f, 1);
    assert_int_equal(f->n_given, 0); /* 2 has shown nothing */
    read_one(f, 2);
    assert_int_equal(f->n_given, 1);
    assert_int_equal(f->frontier, 10);
    read_one(f, 1);
    assert_int_equal(f->n_given, 2);
    assert_int_equal(f->frontier, 50);
    read_one(f, 0);
    assert_int_equal(f->frontier, INT64_MAX);
    fixture_free(f);
}

/* Two long files with one lateness: read in turn, only what lies within it waits. */
static void reading_in_turn_keeps_little(void **state)
{
    struct fixture *f = fixture_new(2);

    (void)state;
    for (int i = 0; i < 1400; i++) {
        add_input(f, 0, 10 * i, true);
        add_input(f, 1, 10 * i + 5, true);
    }
    make_order(f, 100, UINT64_MAX);
    expect(f);
    read_in_turn(f);
    check(f);
    assert_true(order_peak_bytes(f->order) < 60 * (sizeof(struct event) + 100));
    fixture_free(f);
}

static void memory_is_bounded(void **state)
{
    static const int64_t lateness[] = {ORDER_WHOLE, 1 << 30};

    (void)state;
    for (int i = 0; i < 2; i++) {
        struct fixture *f = fixture_new(1);
        size_t taken = 0;
        struct event ev = {.origin = &f->origin[0], .raw = "", .fits = one_fit, .n_fits = 1};

        make_order(f, lateness[i], 100000);
        while (order_add(f->order, 0, &ev, 0, 0, false) == ORDER_TAKEN) {
            ev.time = (int64_t)(++taken);
            ev.offset++;
            assert_true(order_bytes(f->order) <= 2 * 100000);
            assert_true(taken < 10000);
        }
        assert_true(taken > 100);
        ev.n_fits = 0; /* what is not kept needs no room */
        assert_int_equal(order_add(f->order, 0, &ev, 0, 0, false), ORDER_TAKEN);
        fixture_free(f);
    }
}

static void nothing_at_all(void **state)
{
    struct fixture *f = fixture_new(2);

    (void)state;
    make_order(f, ORDER_WHOLE, UINT64_MAX);
    expect(f);
    read_in_turn(f);
    check(f);
    assert_int_equal(f->n_advances, 1);
    fixture_free(f);

    f = fixture_new(0);
    make_order(f, 0, UINT64_MAX);
    assert_int_equal(order_next(f->order), ORDER_NONE);
    fixture_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_streams_are_sorted),
        cmocka_unit_test(one_partition_in_order_waits_for_nothing),
        cmocka_unit_test(late_is_below_the_own_watermark),
        cmocka_unit_test(what_fits_nothing_moves_time),
        cmocka_unit_test(an_ended_partition_holds_nobody_back),
        cmocka_unit_test(reading_in_turn_keeps_little),
        cmocka_unit_test(memory_is_bounded),
        cmocka_unit_test(nothing_at_all),
    };

    return cmocka_run_group_tests_name("order", tests, NULL, NULL);
}
