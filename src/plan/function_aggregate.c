// SPDX-License-Identifier: Apache-2.0
/*
 * function_aggregate - sum, avg, min, max, values ... over the values that a loop's events have.
 *
 * Lists count element by element, null is passed over. sum and avg take numbers; only if there is
 * none, durations. min and max keep to the type of the first value that has an order. Sums of
 * integers are exact (128 bits); sums of doubles are compensated (Neumaier 1974), so the order of
 * the events does not matter to the digits that a double shows.
 */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "lang/resolve.h"
#include "plan/function.h"
#include "plan/operate.h"

static const char *const NAMES[] = {
#define AGGREGATE(id, name, needs_field, types, over_nothing, doc) name,
#include "lang/aggregate.def"
#undef AGGREGATE
};

const char *function_aggregate_name(uint32_t id)
{
    return id < AGGREGATE_COUNT_OF ? NAMES[id] : "?";
}

uint32_t function_aggregate_count(void)
{
    return AGGREGATE_COUNT_OF;
}

/* The scalars and objects of value[n], flat: all of them if out is NULL, only counted. */
static size_t flatten(const struct value *value, size_t n, struct value *out)
{
    size_t found = 0;

    for (size_t i = 0; i < n; i++) {
        if (value[i].type == VALUE_LIST) {
            found += flatten(value[i].u.list, value[i].len, out ? out + found : NULL);
        } else if (value[i].type != VALUE_MISSING) {
            if (out)
                out[found] = value[i];
            found++;
        }
    }
    return found;
}

struct sum {
    __int128 ints;
    double doubles, lost; /* Neumaier: what the additions rounded away */
    size_t n_ints, n_doubles;
};

static void sum_double(struct sum *s, double d)
{
    double t = s->doubles + d;

    if (fabs(s->doubles) >= fabs(d))
        s->lost += (s->doubles - t) + d;
    else
        s->lost += (d - t) + s->doubles;
    s->doubles = t;
}

static void sum_type(struct sum *s, const struct value *value, size_t n, bool durations)
{
    *s = (struct sum){ 0 };
    for (size_t i = 0; i < n; i++) {
        if (value[i].type == (durations ? VALUE_DURATION : VALUE_INT)) {
            s->ints += value[i].u.i;
            s->n_ints++;
        } else if (!durations && value[i].type == VALUE_DOUBLE) {
            sum_double(s, value[i].u.d);
            s->n_doubles++;
        }
    }
}

static bool fits(__int128 i)
{
    return i >= INT64_MIN && i <= INT64_MAX;
}

/* The double nearest to i / n, without rounding i first. */
static double divided(__int128 i, size_t n)
{
    __int128 count = (__int128)n;

    return (double)(i / count) + (double)(i % count) / (double)n;
}

static double whole_sum(const struct sum *s)
{
    double sum = s->doubles + s->lost;

    return isfinite(sum) ? sum + (double)s->ints : s->doubles + (double)s->ints;
}

static struct value sum_of(const struct value *value, size_t n, bool mean)
{
    struct sum s;

    sum_type(&s, value, n, false);
    if (s.n_doubles)
        return value_double(mean ? whole_sum(&s) / (double)(s.n_ints + s.n_doubles)
                                 : whole_sum(&s));
    if (s.n_ints && mean)
        return value_double(divided(s.ints, s.n_ints));
    if (s.n_ints)
        return fits(s.ints) ? value_int((int64_t)s.ints) : value_double((double)s.ints);
    sum_type(&s, value, n, true);
    if (s.n_ints && mean)
        s.ints /= (__int128)s.n_ints;
    return s.n_ints && fits(s.ints) ? value_duration((int64_t)s.ints) : value_missing();
}

static struct value extreme(const struct value *value, size_t n, bool greatest)
{
    struct value best = value_missing();
    int order;

    for (size_t i = 0; i < n; i++) {
        if (value[i].type == VALUE_BOOL || value[i].type == VALUE_OBJECT)
            continue;
        if (best.type == VALUE_MISSING)
            best = value[i];
        else if (value_order(value[i], best, &order) && (greatest ? order > 0 : order < 0))
            best = value[i];
    }
    return best;
}

/* Moves the different values to the front, in order of first sight; returns how many. */
static size_t distinct(struct arena *a, struct value *value, size_t n)
{
    size_t mask = 15, found = 0;

    while (mask < 2 * n)
        mask = mask * 2 + 1;
    uint32_t *bucket = arena_alloc(a, (mask + 1) * sizeof *bucket); /* number + 1; 0: free */
    for (size_t i = 0; i < n; i++) {
        size_t at = value_hash(value[i], 0) & mask;
        while (bucket[at] && !value_same(value[bucket[at] - 1], value[i]))
            at = (at + 1) & mask;
        if (bucket[at])
            continue;
        value[found++] = value[i];
        bucket[at] = (uint32_t)found;
    }
    return found;
}

struct value function_aggregate(const struct operate *op, uint32_t id, const struct value *value,
                                uint32_t n)
{
    if (id == AGGREGATE_FIRST)
        return n ? value[0] : value_missing();
    if (id == AGGREGATE_LAST)
        return n ? value[n - 1] : value_missing();

    size_t count = flatten(value, n, NULL);
    if (id == AGGREGATE_COUNT)
        return value_int((int64_t)count);
    if (count == 0 || count > UINT32_MAX / sizeof *value)
        return value_missing();
    struct value *flat = arena_alloc_raw(op->arena, count * sizeof *flat);
    flatten(value, n, flat);
    switch (id) {
    case AGGREGATE_SUM: return sum_of(flat, count, false);
    case AGGREGATE_AVG: return sum_of(flat, count, true);
    case AGGREGATE_MIN: return extreme(flat, count, false);
    case AGGREGATE_MAX: return extreme(flat, count, true);
    case AGGREGATE_VALUES: return value_list(flat, distinct(op->arena, flat, count));
    case AGGREGATE_COUNT_DISTINCT:
        return value_int((int64_t)distinct(op->arena, flat, count));
    default: return value_missing();
    }
}
