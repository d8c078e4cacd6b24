// SPDX-License-Identifier: Apache-2.0
/* accumulator, numbers: the edges of the range, kinds, and that nothing of what left stays behind. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "engine/accumulator.h"
#include "engine/accumulator_exact.h"

static uint64_t seed = 42;
static uint64_t bytes;

static uint64_t rnd(void)
{
    seed += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = seed;
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

struct subject {
    const struct accumulator_ops *ops;
    struct program_aggregate ag;
    uint64_t acc[8];
};

static struct subject subject(enum window_aggregate_id id)
{
    struct subject s = {.ops = accumulator_ops(id), .ag = {.id = id}};
    assert_true(s.ops->size <= sizeof s.acc);
    s.ops->init(s.acc, &s.ag);
    return s;
}

static void add(struct subject *s, struct value x)
{
    struct value v[2] = {x, value_missing()};
    s->ops->add(s->acc, &s->ag, v, (struct stamp){0, 0}, &bytes);
}

static void take(struct subject *s, struct value x)
{
    struct value v[2] = {x, value_missing()};
    s->ops->remove(s->acc, &s->ag, v, (struct stamp){0, 0}, &bytes);
}

static struct value result(const struct subject *s)
{
    return s->ops->result(s->acc, &s->ag, NULL);
}

static void end(struct subject *s)
{
    s->ops->fini(s->acc, &s->ag, &bytes);
    assert_int_equal(bytes, 0);
}

static void assert_int(struct value v, int64_t i)
{
    assert_int_equal(v.type, VALUE_INT);
    assert_int_equal(v.u.i, i);
}

static void assert_near(struct value v, double d, double relative)
{
    assert_int_equal(v.type, VALUE_DOUBLE);
    if (fabs(v.u.d - d) > relative * fabs(d))
        fprintf(stderr, "%.17g instead of %.17g\n", v.u.d, d);
    assert_true(fabs(v.u.d - d) <= relative * fabs(d));
}

static void sums_of_integers_leave_their_range_and_come_back(void **state)
{
    (void)state;
    struct subject s = subject(WINDOW_SUM);
    add(&s, value_int(INT64_MAX));
    assert_int(result(&s), INT64_MAX);
    add(&s, value_int(1));
    assert_near(result(&s), 9223372036854775808.0, 0);
    assert_int_equal(result(&s).type, VALUE_DOUBLE);
    for (int i = 0; i < 1000; i++)
        add(&s, value_int(INT64_MAX - i));
    for (int i = 0; i < 1000; i++)
        take(&s, value_int(INT64_MAX - i));
    take(&s, value_int(2));
    assert_int(result(&s), INT64_MAX - 1);
    add(&s, value_int(INT64_MIN));
    add(&s, value_int(INT64_MIN));
    assert_near(result(&s), -9223372036854775808.0, 1e-15);
    add(&s, value_int(1));
    add(&s, value_int(1));
    assert_int(result(&s), INT64_MIN);
    end(&s);
}

static void a_sum_is_an_integer_again_when_the_fractions_have_left(void **state)
{
    (void)state;
    struct subject s = subject(WINDOW_SUM);
    add(&s, value_int((INT64_C(1) << 60) + 1));
    add(&s, value_double(0.1));
    assert_int_equal(result(&s).type, VALUE_DOUBLE);
    add(&s, value_double(1e300));
    add(&s, value_double(2.0)); /* is 2 */
    take(&s, value_double(0.1));
    take(&s, value_double(1e300));
    assert_int(result(&s), (INT64_C(1) << 60) + 3);
    take(&s, value_int(2));
    take(&s, value_int((INT64_C(1) << 60) + 1));
    assert_int(result(&s), 0);
    end(&s);
}

static void sums_of_doubles_are_the_nearest(void **state)
{
    (void)state;
    struct subject s = subject(WINDOW_SUM);
    for (int i = 0; i < 10; i++)
        add(&s, value_double(0.1));
    assert_near(result(&s), 1.0, 0);
    add(&s, value_double(1e100));
    add(&s, value_double(5e-324));
    add(&s, value_double(-1e100));
    take(&s, value_double(5e-324));
    assert_near(result(&s), 1.0, 0);
    add(&s, value_double(DBL_MAX));
    add(&s, value_double(DBL_MAX));
    assert_true(value_is_missing(result(&s)));
    take(&s, value_double(DBL_MAX));
    assert_near(result(&s), DBL_MAX, 0);
    take(&s, value_double(DBL_MAX));
    assert_near(result(&s), 1.0, 0);
    end(&s);

    s = subject(WINDOW_SUM);
    add(&s, value_int(1));
    add(&s, value_double(0x1p-53)); /* half of the last place: to even, unless there is more */
    assert_near(result(&s), 1.0, 0);
    add(&s, value_double(5e-324));
    assert_near(result(&s), 1.0 + 0x1p-52, 0);
    end(&s);

    s = subject(WINDOW_AVG);
    for (int i = 0; i < 3; i++)
        add(&s, value_double(-DBL_MAX));
    assert_near(result(&s), -DBL_MAX, 1e-15);
    end(&s);
}

static void the_kind_first_seen_stays(void **state)
{
    (void)state;
    struct subject s = subject(WINDOW_SUM), a = subject(WINDOW_AVG);
    struct subject n = subject(WINDOW_SUM);
    add(&s, value_text("x", 1));
    add(&s, value_bool(true));
    assert_int(result(&s), 0);
    add(&s, value_duration(5));
    add(&s, value_int(7));
    add(&s, value_duration(-2));
    assert_int_equal(result(&s).type, VALUE_DURATION);
    assert_int_equal(result(&s).u.i, 3);
    take(&s, value_int(7));
    assert_int_equal(result(&s).u.i, 3);
    add(&n, value_int(1));
    n.ops->merge(n.acc, &n.ag, s.acc, &bytes);
    assert_int(result(&n), 1);
    s.ops->merge(s.acc, &s.ag, n.acc, &bytes);
    assert_int_equal(result(&s).u.i, 3);
    add(&s, value_duration(INT64_MAX));
    assert_true(value_is_missing(result(&s)));

    add(&a, value_duration(INT64_MAX));
    add(&a, value_duration(INT64_MAX));
    add(&a, value_duration(INT64_MAX - 3));
    add(&a, value_double(1.5));
    assert_int_equal(result(&a).type, VALUE_DURATION);
    assert_int_equal(result(&a).u.i, INT64_MAX - 1);
    n.ops->fini(n.acc, &n.ag, &bytes);
    a.ops->fini(a.acc, &a.ag, &bytes);
    end(&s);
}

static void variances_at_the_edges(void **state)
{
    (void)state;
    struct subject s = subject(WINDOW_VARIANCE);
    add(&s, value_double(1e9 + 4));
    assert_near(result(&s), 0, 0);
    add(&s, value_int(1000000007));
    add(&s, value_double(1e9 + 13));
    add(&s, value_double(1e9 + 16));
    assert_near(result(&s), 22.5, 1e-15);
    add(&s, value_double(1e200));
    assert_true(value_is_missing(result(&s)));
    take(&s, value_double(1e200));
    assert_near(result(&s), 22.5, 1e-15);
    end(&s);

    s = subject(WINDOW_STDDEV); /* large integers, one apart */
    for (int i = 0; i < 1000; i++) {
        add(&s, value_int(INT64_MAX));
        add(&s, value_int(INT64_MAX - 2));
    }
    assert_near(result(&s), 1, 1e-15);
    end(&s);

    s = subject(WINDOW_STDDEV); /* all the same: exactly 0 */
    for (int i = 0; i < 1000; i++)
        add(&s, value_double(0.1));
    assert_near(result(&s), 0, 0);
    end(&s);
}

/* ---- drift ------------------------------------------------------------------------------------ */

/* Mixed magnitudes: 1e-6 .. 1e12, now and then 1e18 or 1e-12. */
static double mixed(void)
{
    static const double SCALE[] = {1e-6, 1e-3, 1, 1e3, 1e6, 1e9, 1e12, 1};
    double d = ((double)(rnd() >> 11) / 0x1p53 - 0.3) * SCALE[rnd() % 8];
    uint64_t odd = rnd() % 1000;
    return odd == 0 ? d * 1e18 : odd == 1 ? d * 1e-12 : d;
}

enum { WINDOW = 1000, PAIRS = 1000000 };

static void exactly(const double *x, int n, struct value *sum, struct value *variance)
{
    struct exact_wide total = {{0}, 0};
    for (int i = 0; i < n; i++)
        exact_wide_add(&total, x[i]);
    *sum = value_double(exact_wide_round(&total));
    __float128 mean = 0, squares = 0;
    for (int i = 0; i < n; i++)
        mean += x[i];
    mean /= n;
    for (int i = 0; i < n; i++)
        squares += (x[i] - mean) * (x[i] - mean);
    *variance = value_double((double)(squares / n));
}

/* TOCSIN_DRIFT_PAIRS: more of them; 10^7 give the same bounds. */
static void a_sliding_window_does_not_drift(void **state)
{
    static double ring[WINDOW];
    const char *more = getenv("TOCSIN_DRIFT_PAIRS");
    long pairs = more ? strtol(more, NULL, 10) : PAIRS;
    struct subject sum = subject(WINDOW_SUM), avg = subject(WINDOW_AVG);
    struct subject var = subject(WINDOW_VARIANCE);
    struct value want_sum, want_var;

    (void)state;
    for (long i = 0; i < pairs + WINDOW; i++) {
        struct value old = value_double(ring[i % WINDOW]);
        /* In the end only small ones, which what had been large must not have touched. */
        double x = i < pairs ? mixed() : 1e-3 * (double)(rnd() % 1000000) / 7;
        if (i >= WINDOW) {
            take(&sum, old);
            take(&avg, old);
            take(&var, old);
        }
        ring[i % WINDOW] = x;
        add(&sum, value_double(x));
        add(&avg, value_double(x));
        add(&var, value_double(x));
        if (i == pairs / 2 || i == pairs + WINDOW - 1) {
            exactly(ring, WINDOW, &want_sum, &want_var);
            assert_near(result(&sum), want_sum.u.d, 0);
            assert_near(result(&avg), want_sum.u.d / WINDOW, 3e-16);
            assert_near(result(&var), want_var.u.d, 1e-15);
        }
    }
    avg.ops->fini(avg.acc, &avg.ag, &bytes);
    var.ops->fini(var.acc, &var.ag, &bytes);
    end(&sum);
}

/* Sums of any doubles: the order, and what was there between, change nothing. */
static void exact_sums_do_not_depend_on_the_order(void **state)
{
    enum { N = 60 };
    double x[N];

    (void)state;
    for (int round = 0; round < 3000; round++) {
        struct exact_sum a, b, half;
        struct exact_wide wide = {{0}, 0};
        exact_init(&a);
        exact_init(&b);
        exact_init(&half);
        for (int i = 0; i < N; i++) {
            uint64_t bits = rnd();
            if (round % 3 == 1)
                bits = (bits & UINT64_C(0x800fffffffffffff)) | (UINT64_C(1000) + bits % 100) << 52;
            memcpy(&x[i], &bits, sizeof bits);
            if (!isfinite(x[i]))
                x[i] = 0;
            if (round % 3 == 2)
                x[i] = ldexp((double)(bits % 1000), (int)(bits % 60));
            exact_add(&a, x[i], &bytes);
            exact_wide_add(&wide, x[i]);
        }
        for (int i = N; i-- > 0;)
            exact_add(i % 2 ? &b : &half, x[i], &bytes);
        exact_merge(&b, &half, &bytes);
        assert_true(exact_round(&a) == exact_wide_round(&wide));
        assert_true(exact_round(&a) == exact_round(&b));
        for (int i = 1; i < N; i++)
            exact_add(&a, -x[i], &bytes);
        assert_true(exact_round(&a) == x[0]);
        exact_add(&a, -x[0], &bytes);
        assert_true(exact_round(&a) == 0);
        exact_fini(&a, &bytes);
        exact_fini(&b, &bytes);
        exact_fini(&half, &bytes);
        assert_int_equal(bytes, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_of_integers_leave_their_range_and_come_back),
        cmocka_unit_test(a_sum_is_an_integer_again_when_the_fractions_have_left),
        cmocka_unit_test(sums_of_doubles_are_the_nearest),
        cmocka_unit_test(the_kind_first_seen_stays),
        cmocka_unit_test(variances_at_the_edges),
        cmocka_unit_test(a_sliding_window_does_not_drift),
        cmocka_unit_test(exact_sums_do_not_depend_on_the_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
