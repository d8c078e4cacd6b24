// SPDX-License-Identifier: Apache-2.0
/*
 * accumulator_exact - see accumulator_exact.h.
 *
 * Inline: Knuth's TwoSum gives a + b as the rounded sum and what the rounding lost, both doubles.
 * Wide: the "small superaccumulator" of R. Neal, Fast exact summation using small and large
 * superaccumulators (arXiv:1505.05571): digits of 32 bits in integers of 64, so that carries need
 * moving only once in 2^30 additions.
 *
 * Invariants: inline, hi = hi + lo rounded; wide, |chunk| < 2^32 (1 + since).
 */
#include "engine/accumulator_exact.h"

#include <math.h>
#include <string.h>

#include "base/buf.h"
#include "base/reader.h"
#include "engine/accumulator_priv.h"

#define EXACT_WIDE UINT64_C(0x7ff8746f6373696e)

enum { CHUNK_BITS = 32, LEAST_EXPONENT = -1074 };

static bool is_wide(const struct exact_sum *e)
{
    return e->b.mark == EXACT_WIDE;
}

static double two_sum(double a, double b, double *lost_out)
{
    double s = a + b;
    double t = s - a;
    *lost_out = (a - (s - t)) + (b - t);
    return s;
}

/* ---- wide ------------------------------------------------------------------------------------- */

/* Moves carries up: all digits but the highest become 0 .. 2^32 - 1. */
static void wide_carry(struct exact_wide *w)
{
    int64_t carry = 0;

    for (size_t i = 0; i + 1 < EXACT_CHUNKS; i++) {
        int64_t digit = w->chunk[i] + carry;
        w->chunk[i] = digit & INT64_C(0xffffffff);
        carry = digit >> CHUNK_BITS;
    }
    w->chunk[EXACT_CHUNKS - 1] += carry;
    w->since = 0;
}

void exact_wide_add(struct exact_wide *w, double x)
{
    uint64_t bits;

    memcpy(&bits, &x, sizeof bits);
    unsigned exponent = (unsigned)(bits >> 52) & 0x7ff;
    uint64_t mantissa = bits & ((UINT64_C(1) << 52) - 1);
    if (exponent)
        mantissa |= UINT64_C(1) << 52;
    unsigned at = exponent ? exponent - 1 : 0;
    unsigned __int128 shifted = (unsigned __int128)mantissa << (at % CHUNK_BITS);
    int64_t sign = bits >> 63 ? -1 : 1;
    int64_t *chunk = &w->chunk[at / CHUNK_BITS];
    chunk[0] += sign * (int64_t)(uint32_t)shifted;
    chunk[1] += sign * (int64_t)(uint32_t)(shifted >> 32);
    chunk[2] += sign * (int64_t)(uint32_t)(shifted >> 64);
    if (++w->since >= UINT32_C(1) << 30)
        wide_carry(w);
}

void exact_wide_add_product(struct exact_wide *w, double x, double y)
{
    double product = x * y;

    exact_wide_add(w, product);
    exact_wide_add(w, fma(x, y, -product));
}

/* Its absolute value with carries moved; true if it was negative. */
static bool wide_absolute(const struct exact_wide *w, struct exact_wide *out)
{
    *out = *w;
    wide_carry(out);
    if (out->chunk[EXACT_CHUNKS - 1] >= 0)
        return false;
    for (size_t i = 0; i < EXACT_CHUNKS; i++)
        out->chunk[i] = -out->chunk[i];
    wide_carry(out);
    return true;
}

static size_t wide_parts(const struct exact_wide *w, double part[EXACT_PARTS])
{
    struct exact_wide abs;
    bool negative = wide_absolute(w, &abs);
    size_t n = 0;

    for (size_t i = EXACT_CHUNKS; i-- > 0;) {
        if (abs.chunk[i] == 0)
            continue;
        double d = ldexp((double)abs.chunk[i], (int)i * CHUNK_BITS + LEAST_EXPONENT);
        part[n++] = negative ? -d : d;
    }
    return n;
}

/* times 2^exponent */
static double wide_round(const struct exact_wide *w, int exponent)
{
    struct exact_wide abs;
    bool negative = wide_absolute(w, &abs);
    size_t top = EXACT_CHUNKS - 1;

    while (top > 0 && abs.chunk[top] == 0)
        top--;
    size_t low = top > 2 ? top - 2 : 0;
    unsigned __int128 digits = 0;
    for (size_t i = top + 1; i-- > low;)
        digits = digits << CHUNK_BITS | (uint64_t)abs.chunk[i];
    /* 65 bits or more: one bit for all that is below decides whether a half is more than a half. */
    for (size_t i = 0; i < low; i++)
        digits |= abs.chunk[i] != 0;
    double d = ldexp((double)digits, (int)low * CHUNK_BITS + LEAST_EXPONENT + exponent);
    return negative ? -d : d;
}

double exact_wide_round(const struct exact_wide *w)
{
    return wide_round(w, 0);
}

/* ---- inline ----------------------------------------------------------------------------------- */

void exact_init(struct exact_sum *e)
{
    e->a.hi = 0;
    e->b.lo = 0;
}

void exact_fini(struct exact_sum *e, uint64_t *bytes)
{
    if (is_wide(e))
        charged_free(e->a.wide, sizeof *e->a.wide, bytes);
    exact_init(e);
}

static struct exact_wide *widen(struct exact_sum *e, uint64_t *bytes)
{
    if (is_wide(e))
        return e->a.wide;
    struct exact_wide *w = charged_alloc(sizeof *w, bytes);
    exact_wide_add(w, e->a.hi);
    exact_wide_add(w, e->b.lo);
    e->a.wide = w;
    e->b.mark = EXACT_WIDE;
    return w;
}

void exact_add(struct exact_sum *e, double x, uint64_t *bytes)
{
    static const double huge = 0x1p1000; /* two_sum must not overflow */
    double lost_lo, lost_hi, rest;

    if (is_wide(e)) {
        exact_wide_add(e->a.wide, x);
        return;
    }
    if (!(fabs(x) < huge && fabs(e->a.hi) < huge)) {
        exact_wide_add(widen(e, bytes), x);
        return;
    }
    if (e->b.lo == 0) { /* as with integers, always */
        e->a.hi = two_sum(e->a.hi, x, &e->b.lo);
        return;
    }
    double lo = two_sum(e->b.lo, x, &lost_lo);
    double hi = two_sum(e->a.hi, lo, &lost_hi);
    lo = two_sum(lost_hi, lost_lo, &rest);
    if (rest != 0) {
        exact_wide_add(widen(e, bytes), x);
        return;
    }
    e->a.hi = two_sum(hi, lo, &e->b.lo);
}

void exact_add_int(struct exact_sum *e, int64_t i, int sign, uint64_t *bytes)
{
    static const int64_t exact_to = INT64_C(1) << 53;

    if (i >= -exact_to && i <= exact_to) {
        exact_add(e, sign * (double)i, bytes);
        return;
    }
    int64_t low = i & INT64_C(0xffffffff);
    exact_add(e, sign * (double)(i - low), bytes);
    exact_add(e, sign * (double)low, bytes);
}

void exact_add_product(struct exact_sum *e, double x, double y, uint64_t *bytes)
{
    double product = x * y;
    double lost = fma(x, y, -product);

    exact_add(e, product, bytes);
    if (lost != 0)
        exact_add(e, lost, bytes);
}

void exact_merge(struct exact_sum *e, const struct exact_sum *other, uint64_t *bytes)
{
    if (!is_wide(other)) {
        exact_add(e, other->a.hi, bytes);
        exact_add(e, other->b.lo, bytes);
        return;
    }
    struct exact_wide *w = widen(e, bytes), abs;
    bool negative = wide_absolute(other->a.wide, &abs);
    wide_carry(w);
    for (size_t i = 0; i < EXACT_CHUNKS; i++)
        w->chunk[i] += negative ? -abs.chunk[i] : abs.chunk[i];
    w->since = 1;
}

size_t exact_parts(const struct exact_sum *e, double part[EXACT_PARTS])
{
    if (is_wide(e))
        return wide_parts(e->a.wide, part);
    size_t n = 0;
    if (e->a.hi != 0)
        part[n++] = e->a.hi;
    if (e->b.lo != 0)
        part[n++] = e->b.lo;
    return n;
}

double exact_round(const struct exact_sum *e)
{
    return is_wide(e) ? exact_wide_round(e->a.wide) : e->a.hi;
}

double exact_round_scaled(const struct exact_sum *e, int exponent)
{
    return is_wide(e) ? wide_round(e->a.wide, exponent) : ldexp(e->a.hi, exponent);
}

bool exact_integer(const struct exact_sum *e, __int128 *int_out)
{
    double part[EXACT_PARTS];
    size_t n = exact_parts(e, part);

    *int_out = 0;
    for (size_t i = 0; i < n; i++) {
        if (fabs(part[i]) >= 0x1p125 || part[i] != floor(part[i]))
            return false;
        *int_out += (__int128)part[i];
    }
    return true;
}

/* ---- coding: a count of doubles, or WIDE_CODE, a sign and digits ------------------------------- */

enum { WIDE_CODE = 3 };

void exact_encode(const struct exact_sum *e, struct buf *out)
{
    if (!is_wide(e)) {
        double part[EXACT_PARTS];
        size_t n = exact_parts(e, part);
        buf_add_u8(out, (uint8_t)n);
        for (size_t i = 0; i < n; i++) {
            uint64_t bits;
            memcpy(&bits, &part[i], sizeof bits);
            buf_add_u64(out, bits);
        }
        return;
    }
    struct exact_wide abs;
    buf_add_u8(out, WIDE_CODE);
    buf_add_u8(out, wide_absolute(e->a.wide, &abs));
    uint8_t n = 0;
    for (size_t i = 0; i < EXACT_CHUNKS; i++)
        n += abs.chunk[i] != 0;
    buf_add_u8(out, n);
    for (size_t i = 0; i < EXACT_CHUNKS; i++) {
        if (abs.chunk[i] == 0)
            continue;
        buf_add_u8(out, (uint8_t)i);
        buf_add_u32(out, (uint32_t)abs.chunk[i]);
    }
}

static bool decode_wide(struct exact_wide *w, struct reader *r)
{
    uint8_t negative = reader_u8(r);
    uint8_t n = reader_u8(r);

    for (int before = -1; n > 0; n--) {
        uint8_t i = reader_u8(r);
        uint32_t digit = reader_u32(r);
        if (r->bad || i <= before || i >= EXACT_CHUNKS)
            return false;
        w->chunk[i] = negative ? -(int64_t)digit : (int64_t)digit;
        before = i;
    }
    w->since = 1;
    return !r->bad && negative <= 1;
}

bool exact_decode(struct exact_sum *e, struct reader *r, uint64_t *bytes)
{
    uint8_t n = reader_u8(r);

    if (n == WIDE_CODE)
        return decode_wide(widen(e, bytes), r);
    if (r->bad || n > 2)
        return false;
    for (; n > 0; n--) {
        uint64_t bits = reader_u64(r);
        double d;
        memcpy(&d, &bits, sizeof d);
        if (r->bad || !isfinite(d))
            return false;
        exact_add(e, d, bytes);
    }
    return true;
}
