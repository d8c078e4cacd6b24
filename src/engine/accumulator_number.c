// SPDX-License-Identifier: Apache-2.0
/*
 * accumulator_number - sum, avg, variance, stddev.
 *
 * All stand on exact sums (accumulator_exact): of x and, for the variance, of x * x. So removing and
 * merging are exact, results do not depend on the order, and a window that slides for years does not
 * drift. What is left is the rounding of the result: sum the nearest double (or the very integer),
 * avg within 1 unit of the last place, variance and stddev within 1e-15 of themselves: the sum of
 * (x - m)^2 is formed from the exact sums, in exact arithmetic, around m = the mean rounded.
 *
 * Numbers or durations (sum, avg): the kind first seen is the accumulator's for good, the other is
 * skipped; of two that merge the earlier one's. Numbers that are integral count as integers, 2.0
 * too (accumulator_priv.h).
 * Variance: while a value beyond 2^500 is in, it is missing; squares below 2^-960 count as 0.
 */
#include <math.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/reader.h"
#include "engine/accumulator_exact.h"
#include "engine/accumulator_priv.h"

enum kind { KIND_NONE, KIND_NUMBER, KIND_DURATION };

/* sum and avg. */
struct total {
    struct exact_sum x;
    uint64_t n : 62;   /* avg: values; sum: those of them that are no integers */
    uint64_t kind : 2; /* enum kind, of what is in x */
};

static void total_init(void *acc, const struct program_aggregate *ag)
{
    (void)ag;
    struct total *t = acc;
    exact_init(&t->x);
    t->n = 0;
    t->kind = KIND_NONE;
}

static void total_fini(void *acc, const struct program_aggregate *ag, uint64_t *bytes)
{
    (void)ag;
    exact_fini(&((struct total *)acc)->x, bytes);
}

static enum kind kind_of(struct value v)
{
    if (value_is_number(v))
        return KIND_NUMBER;
    return v.type == VALUE_DURATION ? KIND_DURATION : KIND_NONE;
}

/* Adds (sign 1) or takes out (-1); count_all: n counts all values, not those with a fraction. */
static void total_change(struct total *t, struct value v, int sign, bool count_all, uint64_t *bytes)
{
    enum kind kind = kind_of(v);
    int64_t i;

    if (kind == KIND_NONE || (t->kind != KIND_NONE && t->kind != kind))
        return;
    t->kind = kind;
    bool integral = true;
    if (kind == KIND_DURATION)
        exact_add_int(&t->x, v.u.i, sign, bytes);
    else if (number_integer(v, &i))
        exact_add_int(&t->x, i, sign, bytes);
    else {
        integral = false;
        exact_add(&t->x, sign * v.u.d, bytes);
    }
    if (count_all || !integral)
        t->n += (uint64_t)(int64_t)sign;
}

static void sum_add(void *acc, const struct program_aggregate *ag, const struct value v[2],
                    struct stamp stamp, uint64_t *bytes)
{
    (void)ag;
    (void)stamp;
    total_change(acc, v[0], 1, false, bytes);
}

static void sum_remove(void *acc, const struct program_aggregate *ag, const struct value v[2],
                       struct stamp stamp, uint64_t *bytes)
{
    (void)ag;
    (void)stamp;
    total_change(acc, v[0], -1, false, bytes);
}

static void avg_add(void *acc, const struct program_aggregate *ag, const struct value v[2],
                    struct stamp stamp, uint64_t *bytes)
{
    (void)ag;
    (void)stamp;
    total_change(acc, v[0], 1, true, bytes);
}

static void avg_remove(void *acc, const struct program_aggregate *ag, const struct value v[2],
                       struct stamp stamp, uint64_t *bytes)
{
    (void)ag;
    (void)stamp;
    total_change(acc, v[0], -1, true, bytes);
}

static void total_merge(void *acc, const struct program_aggregate *ag, const void *later,
                        uint64_t *bytes)
{
    (void)ag;
    struct total *t = acc;
    const struct total *other = later;

    if (other->kind == KIND_NONE || (t->kind != KIND_NONE && t->kind != other->kind))
        return;
    t->kind = other->kind;
    t->n += other->n;
    exact_merge(&t->x, &other->x, bytes);
}

static bool fits(__int128 i)
{
    return i >= INT64_MIN && i <= INT64_MAX;
}

static struct value sum_result(const void *acc, const struct program_aggregate *ag,
                               struct arena *scratch)
{
    (void)ag;
    (void)scratch;
    const struct total *t = acc;
    __int128 i;

    bool whole = t->n == 0 && exact_integer(&t->x, &i) && fits(i);
    if (t->kind == KIND_DURATION)
        return whole ? value_duration((int64_t)i) : value_missing();
    return whole ? value_int((int64_t)i) : value_double(exact_round(&t->x));
}

/* The sum may be out of the range of doubles although the mean is not. */
static double mean_of(const struct exact_sum *x, uint64_t n)
{
    double sum = exact_round(x);

    if (isfinite(sum))
        return sum / (double)n;
    return ldexp(exact_round_scaled(x, -64) / (double)n, 64);
}

static struct value avg_result(const void *acc, const struct program_aggregate *ag,
                               struct arena *scratch)
{
    (void)ag;
    (void)scratch;
    const struct total *t = acc;
    __int128 i;

    if (t->n == 0)
        return value_missing();
    if (t->kind != KIND_DURATION)
        return value_double(mean_of(&t->x, t->n));
    if (!exact_integer(&t->x, &i) || !fits(i / (__int128)t->n))
        return value_missing();
    return value_duration((int64_t)(i / (__int128)t->n));
}

static void total_encode(const void *acc, const struct program_aggregate *ag, struct buf *out)
{
    (void)ag;
    const struct total *t = acc;
    buf_add_u8(out, t->kind);
    buf_add_varint(out, t->n);
    exact_encode(&t->x, out);
}

static bool total_decode(void *acc, const struct program_aggregate *ag, struct reader *r,
                         uint64_t *bytes)
{
    (void)ag;
    struct total *t = acc;
    uint8_t kind = reader_u8(r);
    uint64_t n = reader_varint(r);

    if (r->bad || kind > KIND_DURATION || n >> 62 || (kind == KIND_NONE && n > 0))
        return false;
    t->kind = kind;
    t->n = n;
    return exact_decode(&t->x, r, bytes);
}

/* ---- variance --------------------------------------------------------------------------------- */

struct variance {
    struct exact_sum x, xx; /* of the values, of their squares */
    uint64_t n;
    uint64_t n_huge; /* of n: those that are not in the sums */
};

static void variance_init(void *acc, const struct program_aggregate *ag)
{
    (void)ag;
    struct variance *s = acc;
    exact_init(&s->x);
    exact_init(&s->xx);
    s->n = s->n_huge = 0;
}

static void variance_fini(void *acc, const struct program_aggregate *ag, uint64_t *bytes)
{
    (void)ag;
    struct variance *s = acc;
    exact_fini(&s->x, bytes);
    exact_fini(&s->xx, bytes);
}

static void variance_change(struct variance *s, struct value v, int sign, uint64_t *bytes)
{
    static const double huge = 0x1p500, tiny = 0x1p-480;
    static const int64_t exact_to = INT64_C(1) << 53;
    int64_t i;

    if (!value_is_number(v))
        return;
    s->n += (uint64_t)(int64_t)sign;
    double x = number_double(v);
    if (fabs(x) > huge) {
        s->n_huge += (uint64_t)(int64_t)sign;
    } else if (number_integer(v, &i) && !(i >= -exact_to && i <= exact_to)) {
        double low = (double)(i & INT64_C(0xffffffff));
        double high = (double)(i - (i & INT64_C(0xffffffff)));
        exact_add_int(&s->x, i, sign, bytes);
        exact_add_product(&s->xx, sign * high, high, bytes);
        exact_add_product(&s->xx, sign * high, 2 * low, bytes);
        exact_add_product(&s->xx, sign * low, low, bytes);
    } else {
        exact_add(&s->x, sign * x, bytes);
        if (fabs(x) >= tiny)
            exact_add_product(&s->xx, sign * x, x, bytes);
    }
}

static void variance_add(void *acc, const struct program_aggregate *ag, const struct value v[2],
                         struct stamp stamp, uint64_t *bytes)
{
    (void)ag;
    (void)stamp;
    variance_change(acc, v[0], 1, bytes);
}

static void variance_remove(void *acc, const struct program_aggregate *ag,
                            const struct value v[2], struct stamp stamp, uint64_t *bytes)
{
    (void)ag;
    (void)stamp;
    variance_change(acc, v[0], -1, bytes);
}

static void variance_merge(void *acc, const struct program_aggregate *ag, const void *later,
                           uint64_t *bytes)
{
    (void)ag;
    struct variance *s = acc;
    const struct variance *other = later;
    s->n += other->n;
    s->n_huge += other->n_huge;
    exact_merge(&s->x, &other->x, bytes);
    exact_merge(&s->xx, &other->xx, bytes);
}

/*
 * With any m: sum of (x - m)^2 = sum of x^2 - 2 m sum of x + n m^2, and
 * n * variance = sum of (x - m)^2 - d^2 / n where d = sum of x - n m.
 * The first two are formed exactly; with m near the mean d is next to nothing.
 */
static double variance_of(const struct variance *s)
{
    struct exact_wide squares = {{0}, 0}, rest = {{0}, 0};
    double part[EXACT_PARTS], n = (double)s->n;

    if (s->n < 2)
        return 0;
    double m = exact_round(&s->x) / n;
    size_t parts = exact_parts(&s->xx, part);
    for (size_t k = 0; k < parts; k++)
        exact_wide_add(&squares, part[k]);
    parts = exact_parts(&s->x, part);
    for (size_t k = 0; k < parts; k++) {
        exact_wide_add_product(&squares, -2 * m, part[k]);
        exact_wide_add(&rest, part[k]);
    }
    double mm = m * m, lost = fma(m, m, -mm);
    exact_wide_add_product(&squares, n, mm);
    exact_wide_add_product(&squares, n, lost);
    exact_wide_add_product(&rest, -n, m);
    double d = exact_wide_round(&rest);
    double variance = (exact_wide_round(&squares) - d / n * d) / n;
    return variance > 0 ? variance : 0;
}

static struct value variance_result(const void *acc, const struct program_aggregate *ag,
                                    struct arena *scratch)
{
    (void)ag;
    (void)scratch;
    const struct variance *s = acc;
    return s->n == 0 || s->n_huge > 0 ? value_missing() : value_double(variance_of(s));
}

static struct value stddev_result(const void *acc, const struct program_aggregate *ag,
                                  struct arena *scratch)
{
    (void)ag;
    (void)scratch;
    const struct variance *s = acc;
    return s->n == 0 || s->n_huge > 0 ? value_missing() : value_double(sqrt(variance_of(s)));
}

static void variance_encode(const void *acc, const struct program_aggregate *ag, struct buf *out)
{
    (void)ag;
    const struct variance *s = acc;
    buf_add_varint(out, s->n);
    buf_add_varint(out, s->n_huge);
    exact_encode(&s->x, out);
    exact_encode(&s->xx, out);
}

static bool variance_decode(void *acc, const struct program_aggregate *ag, struct reader *r,
                            uint64_t *bytes)
{
    (void)ag;
    struct variance *s = acc;
    s->n = reader_varint(r);
    s->n_huge = reader_varint(r);
    if (r->bad || s->n > INT64_MAX || s->n_huge > s->n)
        return false;
    return exact_decode(&s->x, r, bytes) && exact_decode(&s->xx, r, bytes) &&
           fabs(exact_round(&s->x)) <= (double)s->n * 0x1p501 &&
           fabs(exact_round(&s->xx)) < 0x1p1020; /* or results would overflow on the way */
}

#define TOTAL_OPS(text, verb)                                                                     \
    {                                                                                             \
        .name = text, .size = sizeof(struct total), .can_remove = true, .can_merge = true,        \
        .init = total_init, .fini = total_fini, .add = verb##_add, .remove = verb##_remove,       \
        .merge = total_merge, .result = verb##_result, .encode = total_encode,                    \
        .decode = total_decode,                                                                   \
    }
#define VARIANCE_OPS(text, verb)                                                                  \
    {                                                                                             \
        .name = text, .size = sizeof(struct variance), .can_remove = true, .can_merge = true,     \
        .init = variance_init, .fini = variance_fini, .add = variance_add,                        \
        .remove = variance_remove, .merge = variance_merge, .result = verb##_result,              \
        .encode = variance_encode, .decode = variance_decode,                                     \
    }

const struct accumulator_ops accumulator_sum = TOTAL_OPS("sum", sum);
const struct accumulator_ops accumulator_avg = TOTAL_OPS("avg", avg);
const struct accumulator_ops accumulator_variance = VARIANCE_OPS("variance", variance);
const struct accumulator_ops accumulator_stddev = VARIANCE_OPS("stddev", stddev);
