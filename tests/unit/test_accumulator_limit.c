// SPDX-License-Identifier: Apache-2.0
/* accumulator, limits: what `limit values` refuses, how far top may be off, the sizes that a window
 * pays for. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/arena.h"
#include "base/mem.h"
#include "engine/accumulator.h"

static uint64_t bytes;

struct subject {
    const struct accumulator_ops *ops;
    struct program_aggregate ag;
    uint64_t acc[8];
    uint64_t seq;
};

static struct subject subject(enum window_aggregate_id id, uint32_t n, uint64_t limit)
{
    struct subject s = {.ops = accumulator_ops(id), .ag = {.id = id, .n = n, .limit_values = limit}};
    s.ops->init(s.acc, &s.ag);
    return s;
}

static struct stamp add(struct subject *s, int64_t i)
{
    struct value v[2] = {value_int(i), value_missing()};
    struct stamp at = {0, s->seq++};
    s->ops->add(s->acc, &s->ag, v, at, &bytes);
    return at;
}

static void take(struct subject *s, int64_t i, struct stamp at)
{
    struct value v[2] = {value_int(i), value_missing()};
    s->ops->remove(s->acc, &s->ag, v, at, &bytes);
}

static void end(struct subject *s)
{
    s->ops->fini(s->acc, &s->ag, &bytes);
    assert_int_equal(bytes, 0);
}

static void values_over_the_limit_are_refused_and_counted(void **state)
{
    struct stamp at[20];
    struct subject s = subject(WINDOW_COUNT_DISTINCT, 0, 12);

    (void)state;
    for (int i = 0; i < 20; i++)
        at[i] = add(&s, i);
    assert_int_equal(s.ops->result(s.acc, &s.ag, NULL).u.i, 12);
    assert_int_equal(s.ops->over_limit(s.acc), 8);
    add(&s, 3); /* one that is in is counted on */
    take(&s, 3, at[3]);
    assert_int_equal(s.ops->result(s.acc, &s.ag, NULL).u.i, 12);
    for (int i = 0; i < 20; i++)
        take(&s, i, at[i]);
    assert_int_equal(s.ops->result(s.acc, &s.ag, NULL).u.i, 0);
    assert_int_equal(s.ops->over_limit(s.acc), 0);
    end(&s);
}

/* What left takes no memory, however many different values went through. */
static void memory_follows_the_window(void **state)
{
    static const enum window_aggregate_id ID[] = {WINDOW_COUNT_DISTINCT, WINDOW_TOP, WINDOW_VALUES,
                                                  WINDOW_MIN, WINDOW_FIRST, WINDOW_PERCENTILE};
    enum { WINDOW = 100, MANY = 100000 };

    (void)state;
    for (size_t k = 0; k < sizeof ID / sizeof *ID; k++) {
        struct subject s = subject(ID[k], 5, 0);
        struct stamp at[WINDOW];
        for (int i = 0; i < MANY; i++) {
            if (i >= WINDOW)
                take(&s, i - WINDOW, at[i % WINDOW]);
            at[i % WINDOW] = add(&s, i);
        }
        assert_true(bytes <= WINDOW * 160);
        for (int i = MANY - WINDOW; i < MANY; i++)
            take(&s, i, at[i % WINDOW]);
        assert_int_equal(bytes, 0);
        end(&s);
    }
}

static void values_refused_by_values_come_in_when_others_left(void **state)
{
    struct arena *a = arena_new(1024);
    struct stamp at[6];
    struct subject s = subject(WINDOW_VALUES, 10, 2);

    (void)state;
    for (int i = 0; i < 3; i++)
        at[i] = add(&s, i);
    assert_int_equal(s.ops->over_limit(s.acc), 1);
    take(&s, 0, at[0]);
    at[3] = add(&s, 2);
    take(&s, 1, at[1]);
    take(&s, 2, at[2]); /* the one that was refused */
    struct value v = s.ops->result(s.acc, &s.ag, a);
    assert_int_equal(v.len, 1);
    assert_int_equal(v.u.list[0].u.i, 2);
    take(&s, 2, at[3]);
    assert_int_equal(s.ops->result(s.acc, &s.ag, a).len, 0);
    end(&s);
    arena_free(&a);
}

/* 200,000 values, most of them seen once or twice, 20 of them 200 times and more. */
static void top_finds_what_is_frequent_among_many(void **state)
{
    enum { MANY = 200000, HEAVY = 20 };
    struct arena *a = arena_new(1024);
    struct subject s = subject(WINDOW_TOP, HEAVY, 0), other = subject(WINDOW_TOP, HEAVY, 0);
    uint64_t n = 0;

    (void)state;
    for (int i = 0; i < MANY; i++) {
        add(i % 2 ? &s : &other, 1000 + i * INT64_C(7919) % 150000);
        n++;
        for (int k = 0; k < HEAVY; k++) {
            if (i % (100 + 40 * k) == 0) {
                add(&s, k);
                n++;
            }
        }
    }
    s.ops->merge(s.acc, &s.ag, other.acc, &bytes);
    struct value v = s.ops->result(s.acc, &s.ag, a);
    assert_int_equal(v.len, HEAVY);
    assert_true(s.ops->over_limit(s.acc) > 0);
    assert_true(s.ops->over_limit(s.acc) <= 2 * n / 10000);
    /* 2,000, 1,429, 1,112 ... times: far enough apart for a bound of 40 */
    for (int k = 0; k < 5; k++)
        assert_int_equal(v.u.list[k].u.i, k);
    uint64_t before = bytes;
    other.ops->fini(other.acc, &other.ag, &bytes);
    assert_true(before - bytes < 1500000);
    assert_true(bytes < 1500000);
    end(&s);
    arena_free(&a);
}

static void top_of_a_few_by_a_small_limit(void **state)
{
    struct arena *a = arena_new(1024);
    struct subject s = subject(WINDOW_TOP, 2, 1);

    (void)state;
    for (int i = 0; i < 50; i++)
        add(&s, i % 3 == 0 ? i : 7);
    struct value v = s.ops->result(s.acc, &s.ag, a);
    assert_true(v.len <= 1);
    end(&s);
    arena_free(&a);
}

static void a_window_pays_little(void **state)
{
    static const size_t MOST[WINDOW_AGGREGATE_COUNT] = {
        [WINDOW_COUNT] = 8, [WINDOW_SUM] = 24, [WINDOW_AVG] = 24, [WINDOW_MIN] = 40,
        [WINDOW_MAX] = 40, [WINDOW_STDDEV] = 48, [WINDOW_VARIANCE] = 48, [WINDOW_FIRST] = 40,
        [WINDOW_LAST] = 40, [WINDOW_COUNT_DISTINCT] = 8, [WINDOW_APPROX_COUNT_DISTINCT] = 8,
        [WINDOW_PERCENTILE] = 24, [WINDOW_COLLECT] = 40, [WINDOW_VALUES] = 8, [WINDOW_TOP] = 8,
    };
    (void)state;
    for (int id = 0; id < WINDOW_PREV; id++)
        assert_true(accumulator_ops((enum window_aggregate_id)id)->size <= MOST[id]);

    /* min and max of a window that does not slide keep one value, whatever comes. */
    struct subject s = subject(WINDOW_MAX, 0, 0);
    s.ag.no_remove = true;
    for (int i = 0; i < 1000; i++)
        add(&s, i % 10 - i);
    assert_int_equal(bytes, 0);
    end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_over_the_limit_are_refused_and_counted),
        cmocka_unit_test(memory_follows_the_window),
        cmocka_unit_test(values_refused_by_values_come_in_when_others_left),
        cmocka_unit_test(top_finds_what_is_frequent_among_many),
        cmocka_unit_test(top_of_a_few_by_a_small_limit),
        cmocka_unit_test(a_window_pays_little),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
