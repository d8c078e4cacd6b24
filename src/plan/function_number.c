// SPDX-License-Identifier: Apache-2.0
/*
 * function_number - arithmetic, and functions that give numbers. Integers stay exact as long as
 * they fit int64 and become doubles then; times and durations that leave int64 are missing.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "plan/function.h"
#include "plan/function_priv.h"
#include "plan/operate.h"

static const int64_t NS_PER_SECOND = 1000000000;
static const double TWO_TO_63 = 9223372036854775808.0;

static double to_double(struct value v)
{
    return v.type == VALUE_INT ? (double)v.u.i : v.u.d;
}

static bool both_numbers(struct value x, struct value y)
{
    return value_is_number(x) && value_is_number(y);
}

static bool both_ints(struct value x, struct value y)
{
    return x.type == VALUE_INT && y.type == VALUE_INT;
}

/* A duration of so many ns, to the nearest; missing if it does not fit. */
static struct value duration_of(double ns)
{
    ns = nearbyint(ns);
    if (!(ns >= -TWO_TO_63 && ns < TWO_TO_63))
        return value_missing();
    return value_duration((int64_t)ns);
}

static struct value timelike(enum value_type type, bool overflow, int64_t ns)
{
    if (overflow)
        return value_missing();
    return type == VALUE_TIME ? value_time(ns) : value_duration(ns);
}

struct value operate_add(struct value x, struct value y)
{
    int64_t sum;

    if (both_ints(x, y)) {
        if (!__builtin_add_overflow(x.u.i, y.u.i, &sum))
            return value_int(sum);
        return value_double((double)((__int128)x.u.i + y.u.i));
    }
    if (both_numbers(x, y))
        return value_double(to_double(x) + to_double(y));
    bool overflow = __builtin_add_overflow(x.u.i, y.u.i, &sum);
    if (x.type == VALUE_DURATION && (y.type == VALUE_DURATION || y.type == VALUE_TIME))
        return timelike(y.type, overflow, sum);
    if (x.type == VALUE_TIME && y.type == VALUE_DURATION)
        return timelike(VALUE_TIME, overflow, sum);
    return value_missing();
}

struct value operate_sub(struct value x, struct value y)
{
    int64_t rest;

    if (both_ints(x, y)) {
        if (!__builtin_sub_overflow(x.u.i, y.u.i, &rest))
            return value_int(rest);
        return value_double((double)((__int128)x.u.i - y.u.i));
    }
    if (both_numbers(x, y))
        return value_double(to_double(x) - to_double(y));
    bool overflow = __builtin_sub_overflow(x.u.i, y.u.i, &rest);
    if (x.type == y.type && (x.type == VALUE_TIME || x.type == VALUE_DURATION))
        return timelike(VALUE_DURATION, overflow, rest);
    if (x.type == VALUE_TIME && y.type == VALUE_DURATION)
        return timelike(VALUE_TIME, overflow, rest);
    return value_missing();
}

struct value operate_mul(struct value x, struct value y)
{
    int64_t product;

    if (both_numbers(x, y)) {
        if (!both_ints(x, y))
            return value_double(to_double(x) * to_double(y));
        if (!__builtin_mul_overflow(x.u.i, y.u.i, &product))
            return value_int(product);
        return value_double((double)((__int128)x.u.i * y.u.i));
    }
    if (y.type == VALUE_DURATION) {
        struct value swap = x;
        x = y;
        y = swap;
    }
    if (x.type != VALUE_DURATION)
        return value_missing();
    if (y.type == VALUE_DOUBLE)
        return duration_of((double)x.u.i * y.u.d);
    if (y.type != VALUE_INT)
        return value_missing();
    bool overflow = __builtin_mul_overflow(x.u.i, y.u.i, &product);
    return timelike(VALUE_DURATION, overflow, product);
}

/* Quotient of integers: whole ones stay integers. INT64_MIN / -1 does not fit. */
static struct value quotient(int64_t x, int64_t y)
{
    if (y == 0)
        return value_missing();
    if (y == -1)
        return x == INT64_MIN ? value_double(TWO_TO_63) : value_int(-x);
    if (x % y == 0)
        return value_int(x / y);
    return value_double((double)x / (double)y);
}

struct value operate_div(struct value x, struct value y)
{
    if (both_numbers(x, y)) {
        if (both_ints(x, y))
            return quotient(x.u.i, y.u.i);
        return to_double(y) == 0 ? value_missing() : value_double(to_double(x) / to_double(y));
    }
    if (x.type != VALUE_DURATION)
        return value_missing();
    if (y.type == VALUE_DURATION)
        return quotient(x.u.i, y.u.i);
    if (!value_is_number(y) || to_double(y) == 0)
        return value_missing();
    if (y.type == VALUE_INT && x.u.i % (y.u.i == -1 ? 1 : y.u.i) == 0)
        return x.u.i == INT64_MIN && y.u.i == -1 ? value_missing() : value_duration(x.u.i / y.u.i);
    return duration_of((double)x.u.i / to_double(y));
}

struct value operate_mod(struct value x, struct value y)
{
    if (!both_numbers(x, y) || to_double(y) == 0)
        return value_missing();
    if (both_ints(x, y))
        return value_int(y.u.i == -1 ? 0 : x.u.i % y.u.i);
    return value_double(fmod(to_double(x), to_double(y)));
}

struct value operate_neg(struct value x)
{
    switch (x.type) {
    case VALUE_INT: return x.u.i == INT64_MIN ? value_double(TWO_TO_63) : value_int(-x.u.i);
    case VALUE_DOUBLE: return value_double(-x.u.d);
    case VALUE_DURATION:
        return x.u.i == INT64_MIN ? value_missing() : value_duration(-x.u.i);
    default: return value_missing();
    }
}

struct value function_abs(struct value x)
{
    bool negative = x.type == VALUE_DOUBLE ? x.u.d < 0 : x.u.i < 0;

    if (!value_is_number(x) && x.type != VALUE_DURATION)
        return value_missing();
    return negative ? operate_neg(x) : x;
}

struct value function_seconds(struct value x)
{
    if (x.type != VALUE_DURATION)
        return value_missing();
    if (x.u.i % NS_PER_SECOND == 0)
        return value_int(x.u.i / NS_PER_SECOND);
    return value_double((double)x.u.i / 1e9);
}

/* A double without a fraction as an integer, if it fits. */
static struct value whole(double d)
{
    return d >= -TWO_TO_63 && d < TWO_TO_63 ? value_int((int64_t)d) : value_double(d);
}

struct value function_floor(struct value x)
{
    return x.type == VALUE_DOUBLE ? whole(floor(x.u.d)) : value_is_number(x) ? x : value_missing();
}

struct value function_ceil(struct value x)
{
    return x.type == VALUE_DOUBLE ? whole(ceil(x.u.d)) : value_is_number(x) ? x : value_missing();
}

/* 10^n, n at most 15 */
static int64_t power_of_ten(int64_t n)
{
    int64_t power = 1;

    while (n-- > 0)
        power *= 10;
    return power;
}

/* An integer to the tens, hundreds ... */
static struct value round_int(int64_t i, int64_t unit)
{
    int64_t rest = i % unit, down = i - rest, up;

    if (rest < unit - unit / 2 && rest > unit / 2 - unit)
        return value_int(down);
    if (__builtin_add_overflow(down, i < 0 ? -unit : unit, &up))
        return value_double((double)down + (double)(i < 0 ? -unit : unit));
    return value_int(up);
}

struct value function_round(const struct value *arg, uint32_t n)
{
    struct value x = arg[0];
    int64_t digits = 0;

    if (!value_is_number(x) || (n > 1 && !function_whole(arg[1], &digits)) || digits < -15 ||
        digits > 15)
        return value_missing();
    if (x.type == VALUE_INT)
        return digits < 0 ? round_int(x.u.i, power_of_ten(-digits)) : x;
    if (digits == 0)
        return whole(round(x.u.d));
    double unit = (double)power_of_ten(digits < 0 ? -digits : digits);
    if (digits < 0)
        return whole(round(x.u.d / unit) * unit);
    double scaled = x.u.d * unit; /* above 2^52 there is no fraction left to round */
    return fabs(scaled) < 4503599627370496.0 ? value_double(round(scaled) / unit + 0.0) : x;
}

/* The first of equal ones. */
struct value function_extreme(const struct value *arg, uint32_t n, bool greatest)
{
    struct value best = arg[0];
    int order;

    if (best.type == VALUE_BOOL)
        return value_missing();
    for (uint32_t i = 0; i < n; i++) {
        if (!value_order(arg[i], best, &order))
            return value_missing();
        if (greatest ? order > 0 : order < 0)
            best = arg[i];
    }
    return best;
}

static size_t skip_digits(const char *text, size_t len, size_t i)
{
    while (i < len && text[i] >= '0' && text[i] <= '9')
        i++;
    return i;
}

/* [+-] digits [. digits] [e [+-] digits], and nothing else; *whole_out: digits only. */
static bool is_decimal(const char *text, size_t len, bool *whole_out)
{
    size_t i = len && (text[0] == '-' || text[0] == '+'), from = i;

    i = skip_digits(text, len, i);
    if (i == from)
        return false;
    *whole_out = i == len;
    if (i < len && text[i] == '.') {
        from = ++i;
        i = skip_digits(text, len, i);
        if (i == from)
            return false;
    }
    if (i < len && (text[i] == 'e' || text[i] == 'E')) {
        i++;
        if (i < len && (text[i] == '-' || text[i] == '+'))
            i++;
        from = i;
        i = skip_digits(text, len, i);
        if (i == from)
            return false;
    }
    return i == len;
}

static struct value parse_number(const struct operate *op, struct value x)
{
    char small[64];
    bool whole = false;

    x = function_trim(x);
    if (!is_decimal(x.u.text, x.len, &whole))
        return value_missing();
    char *text = small;
    if (x.len >= sizeof small)
        text = arena_strndup(op->arena, x.u.text, x.len);
    else {
        memcpy(small, x.u.text, x.len);
        small[x.len] = '\0';
    }
    if (whole) {
        errno = 0;
        long long i = strtoll(text, NULL, 10);
        if (errno == 0)
            return value_int(i);
    }
    return value_double(strtod(text, NULL));
}

struct value function_number(const struct operate *op, struct value x)
{
    switch (x.type) {
    case VALUE_INT:
    case VALUE_DOUBLE: return x;
    case VALUE_BOOL: return value_int(x.u.b);
    case VALUE_DURATION: return function_seconds(x);
    case VALUE_TEXT: return parse_number(op, x);
    default: return value_missing();
    }
}
