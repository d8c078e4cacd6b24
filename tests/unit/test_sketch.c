// SPDX-License-Identifier: Apache-2.0
/* sketch_distinct and sketch_quantile: their stated errors, merging, removing, coding, damage. */
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

#include "base/buf.h"
#include "base/mem.h"
#include "base/reader.h"
#include "engine/sketch_distinct.h"
#include "engine/sketch_quantile.h"
#include "event/value.h"

static uint64_t seed = 7;
static uint64_t bytes;

static uint64_t rnd(void)
{
    seed += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = seed;
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static double off(const struct sketch_distinct *s, uint64_t n)
{
    return (double)sketch_distinct_count(s) / (double)n - 1;
}

/* Integers from different places, 10^2 .. 10^7 (in the last run), as aggregates hash them. */
static void distinct_is_within_two_percent(void **state)
{
    double squares = 0, worst = 0;
    int measured = 0;

    (void)state;
    for (int run = 0; run < 20; run++) {
        struct sketch_distinct *s = NULL;
        uint64_t to = run == 0 ? 10000000 : 300000, check = 100, step = run % 2 ? 1 : 1000003;
        for (uint64_t n = 1; n <= to; n++) {
            struct value v = value_int((int64_t)(n * step + (uint64_t)run * (UINT64_C(1) << 40)));
            sketch_distinct_add(&s, value_hash(v, 5), &bytes);
            if (n != check)
                continue;
            double error = off(s, n);
            if (n <= 1792)
                assert_true(error == 0);
            else {
                squares += error * error;
                measured++;
            }
            worst = fabs(error) > worst ? fabs(error) : worst;
            check += check < 1000 ? 100 : check / 2;
        }
        assert_true(bytes <= 16384 + 64);
        sketch_distinct_free(&s, &bytes);
        assert_int_equal(bytes, 0);
    }
    double rms = sqrt(squares / measured);
    printf("distinct: %d counts, rms error %.2f %%, worst %.2f %%\n", measured, rms * 100, worst * 100);
    assert_true(worst <= 0.02);
    assert_true(rms <= 0.0059 * 1.3);
}

static void distinct_texts(void **state)
{
    struct sketch_distinct *s = NULL;
    char text[32];

    (void)state;
    for (int i = 0; i < 100000; i++) {
        int len = snprintf(text, sizeof text, "user-%d", i);
        struct value v = value_text(text, (size_t)len);
        sketch_distinct_add(&s, value_hash(v, 5), &bytes);
        sketch_distinct_add(&s, value_hash(v, 5), &bytes);
    }
    assert_true(fabs(off(s, 100000)) <= 0.02);
    sketch_distinct_free(&s, &bytes);
}

static void encode(const struct sketch_distinct *s, struct buf *out)
{
    buf_clear(out);
    sketch_distinct_encode(s, out);
}

static void distinct_merges_to_what_one_would_hold(void **state)
{
    static const uint64_t SIZE[] = {0, 3, 1400, 1800, 5000, 100000};
    struct buf a, b;

    (void)state;
    buf_init(&a);
    buf_init(&b);
    for (size_t i = 0; i < 36; i++) {
        struct sketch_distinct *one = NULL, *two = NULL, *both = NULL, *again = NULL;
        uint64_t common = rnd();
        for (uint64_t n = 0; n < SIZE[i % 6] + SIZE[i / 6]; n++) {
            uint64_t hash = n % 5 == 0 ? common : rnd();
            sketch_distinct_add(n < SIZE[i % 6] ? &one : &two, hash, &bytes);
            sketch_distinct_add(&both, hash, &bytes);
        }
        sketch_distinct_merge(&one, two, &bytes);
        encode(one, &a);
        encode(both, &b);
        /* Of hashes that would still fit one form may be the other: the count tells. */
        if (a.len == b.len)
            assert_memory_equal(a.data, b.data, a.len);
        uint64_t n = sketch_distinct_count(both), m = sketch_distinct_count(one);
        assert_true((n > m ? n - m : m - n) <= n * 2 / 100 + (n < 1793 ? 36 : 0));
        struct reader r;
        reader_init(&r, a.data, a.len);
        assert_true(sketch_distinct_decode(&again, &r, &bytes));
        assert_int_equal(sketch_distinct_count(again), m);
        for (int k = 0; k < 30 && a.len; k++) {
            struct sketch_distinct *bad = NULL;
            a.data[rnd() % a.len] = (char)rnd();
            reader_init(&r, a.data, rnd() % 2 ? a.len : rnd() % a.len);
            if (sketch_distinct_decode(&bad, &r, &bytes)) {
                sketch_distinct_count(bad);
                sketch_distinct_merge(&bad, two, &bytes);
                sketch_distinct_add(&bad, rnd(), &bytes);
                sketch_distinct_count(bad);
            }
            sketch_distinct_free(&bad, &bytes);
        }
        sketch_distinct_free(&one, &bytes);
        sketch_distinct_free(&two, &bytes);
        sketch_distinct_free(&both, &bytes);
        sketch_distinct_free(&again, &bytes);
        assert_int_equal(bytes, 0);
    }
    buf_fini(&a);
    buf_fini(&b);
}

/* ---- quantiles -------------------------------------------------------------------------------- */

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void check_quantiles(const struct sketch_quantile *s, const double *x, size_t n)
{
    static const double Q[] = {0, 0.001, 0.01, 0.25, 0.5, 0.55, 0.9, 0.95, 0.99, 0.999, 1};
    double *sorted = mem_alloc(n * sizeof *sorted);

    memcpy(sorted, x, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, by_size);
    assert_int_equal(s->n, n);
    for (size_t i = 0; i < sizeof Q / sizeof *Q; i++) {
        size_t rank = (size_t)ceill((long double)Q[i] * (long double)n - 1e-9L);
        double want = sorted[rank == 0 ? 0 : rank - 1], is = sketch_quantile_at(s, Q[i]);
        bool good = n <= 256 ? is == want : fabs(is - want) <= 0.0100001 * fabs(want) + DBL_TRUE_MIN;
        if (!good)
            fprintf(stderr, "quantile %g of %zu: %g instead of %g\n", Q[i], n, is, want);
        assert_true(good);
    }
    mem_free(sorted);
}

static double draw(int kind)
{
    double u = (double)((rnd() >> 11) + 1) / 0x1p53;
    uint64_t bits = rnd();
    double any;

    switch (kind) {
    case 0: return u * 1000;
    case 1: return -log(u) * 50 - 20;             /* some below 0 */
    case 2: return pow(u, -1.2);                  /* a long tail */
    case 3: return (double)(rnd() % 5) - 2;       /* few values, 0 among them */
    case 4: return ldexp(u - 0.5, (int)(rnd() % 200) - 100);
    default:
        memcpy(&any, &bits, sizeof bits);
        return isfinite(any) ? any : DBL_MAX;
    }
}

static void quantiles_are_within_one_percent(void **state)
{
    enum { N = 20000 };
    static double x[N];

    (void)state;
    for (int kind = 0; kind < 6; kind++) {
        struct sketch_quantile s, half[2];
        sketch_quantile_init(&s);
        sketch_quantile_init(&half[0]);
        sketch_quantile_init(&half[1]);
        size_t n = 0;
        for (size_t next = 1; next <= N; next = next < 256 ? next + 15 : next * 3 / 2) {
            for (; n < next; n++) {
                x[n] = draw(kind);
                sketch_quantile_add(&s, x[n], &bytes);
                sketch_quantile_add(&half[n % 2], x[n], &bytes);
            }
            check_quantiles(&s, x, n);
        }
        sketch_quantile_merge(&half[0], &half[1], &bytes);
        check_quantiles(&half[0], x, n);
        size_t gone = n / 2;
        for (size_t i = 0; i < gone; i++)
            sketch_quantile_remove(&s, x[i], &bytes);
        check_quantiles(&s, x + gone, n - gone);
        for (size_t i = gone; i < n; i++)
            sketch_quantile_remove(&s, x[i], &bytes);
        assert_int_equal(s.n, 0);
        sketch_quantile_fini(&half[0], &bytes);
        sketch_quantile_fini(&half[1], &bytes);
        assert_int_equal(bytes, 0); /* nothing left in s */
        for (int i = 0; i < 200; i++)
            sketch_quantile_add(&s, i, &bytes);
        assert_true(sketch_quantile_at(&s, 0.5) == 99); /* exact anew */
        sketch_quantile_fini(&s, &bytes);
        assert_int_equal(bytes, 0);
    }
}

static void quantiles_are_coded(void **state)
{
    struct buf out;
    struct reader r;

    (void)state;
    buf_init(&out);
    for (int round = 0; round < 400; round++) {
        struct sketch_quantile s, again;
        sketch_quantile_init(&s);
        sketch_quantile_init(&again);
        for (uint64_t n = rnd() % (round % 2 ? 600 : 200); n > 0; n--)
            sketch_quantile_add(&s, draw(round % 6), &bytes);
        buf_clear(&out);
        sketch_quantile_encode(&s, &out);
        reader_init(&r, out.data, out.len);
        assert_true(sketch_quantile_decode(&again, &r, &bytes));
        assert_int_equal(reader_left(&r), 0);
        assert_int_equal(again.n, s.n);
        if (s.n)
            assert_true(sketch_quantile_at(&s, 0.9) == sketch_quantile_at(&again, 0.9));
        for (int k = 0; k < 20; k++) {
            sketch_quantile_fini(&again, &bytes);
            out.data[k % 2 ? 0 : rnd() % out.len] = (char)rnd();
            out.data[rnd() % out.len] = (char)rnd();
            reader_init(&r, out.data, rnd() % 2 ? out.len : rnd() % out.len);
            if (sketch_quantile_decode(&again, &r, &bytes) && again.n) {
                sketch_quantile_at(&again, 0.99);
                sketch_quantile_merge(&again, &s, &bytes);
                sketch_quantile_at(&again, 0.01);
            }
        }
        sketch_quantile_fini(&again, &bytes);
        sketch_quantile_fini(&s, &bytes);
        assert_int_equal(bytes, 0);
    }
    buf_fini(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distinct_is_within_two_percent),
        cmocka_unit_test(distinct_texts),
        cmocka_unit_test(distinct_merges_to_what_one_would_hold),
        cmocka_unit_test(quantiles_are_within_one_percent),
        cmocka_unit_test(quantiles_are_coded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
