// SPDX-License-Identifier: Apache-2.0
/* function_measure - numbers that say something about texts and places. */
#include <math.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/utf8.h"
#include "plan/function.h"
#include "plan/function_priv.h"
#include "plan/operate.h"

enum { ASCII = 128, LEVENSHTEIN_MAX = 1024 /* characters */ };

/* ---- entropy --------------------------------------------------------------------------------- */

struct tally {
    uint32_t cp; /* 0: free; U+0000 is counted with ASCII */
    uint32_t count;
};

static double share(uint32_t count, size_t all)
{
    double p = (double)count / (double)all;

    return count ? -p * log2(p) : 0;
}

/* Characters beyond ASCII: `n` of them, counted in a table that is at most half full. */
static double entropy_beyond(struct arena *a, struct value x, size_t n, size_t all)
{
    size_t mask = 15;
    double sum = 0;

    while (mask < 2 * n)
        mask = mask * 2 + 1;
    struct tally *table = arena_alloc(a, (mask + 1) * sizeof *table);
    for (size_t pos = 0; pos < x.len;) {
        uint32_t cp = utf8_next(x.u.text, x.len, &pos);
        if (cp < ASCII)
            continue;
        size_t at = hash_mix(cp, 0) & mask;
        while (table[at].cp != 0 && table[at].cp != cp)
            at = (at + 1) & mask;
        table[at].cp = cp;
        table[at].count++;
    }
    for (size_t i = 0; i <= mask; i++)
        sum += share(table[i].count, all);
    return sum;
}

struct value function_entropy(const struct operate *op, struct value x)
{
    uint32_t count[ASCII] = { 0 };
    size_t all = 0, beyond = 0;
    double sum = 0;

    if (x.type != VALUE_TEXT || x.len > FUNCTION_MAX_TEXT)
        return value_missing();
    for (size_t pos = 0; pos < x.len; all++) {
        uint32_t cp = utf8_next(x.u.text, x.len, &pos);
        if (cp < ASCII)
            count[cp]++;
        else
            beyond++;
    }
    for (size_t i = 0; i < ASCII && all > 0; i++)
        sum += share(count[i], all);
    if (beyond > 0)
        sum += entropy_beyond(op->arena, x, beyond, all);
    return value_double(sum);
}

/* ---- levenshtein ----------------------------------------------------------------------------- */

/* False if there are too many. */
static bool characters(struct value x, uint32_t cp[LEVENSHTEIN_MAX], size_t *n_out)
{
    size_t n = 0;

    for (size_t pos = 0; pos < x.len; n++) {
        if (n == LEVENSHTEIN_MAX)
            return false;
        cp[n] = utf8_next(x.u.text, x.len, &pos);
    }
    *n_out = n;
    return true;
}

static uint32_t least(uint32_t x, uint32_t y)
{
    return x < y ? x : y;
}

/* One row of the matrix (Wagner and Fischer 1974), written over from left to right. */
static uint32_t distance(const uint32_t *a, size_t a_len, const uint32_t *b, size_t b_len,
                         uint32_t *row)
{
    for (size_t j = 0; j <= b_len; j++)
        row[j] = (uint32_t)j;
    for (size_t i = 0; i < a_len; i++) {
        uint32_t corner = row[0];
        row[0] = (uint32_t)i + 1;
        for (size_t j = 0; j < b_len; j++) {
            uint32_t replaced = corner + (a[i] != b[j]);
            corner = row[j + 1];
            row[j + 1] = least(replaced, least(corner, row[j]) + 1);
        }
    }
    return row[b_len];
}

struct value function_levenshtein(const struct operate *op, struct value a, struct value b)
{
    size_t a_len, b_len, size = LEVENSHTEIN_MAX * sizeof(uint32_t);

    if (a.type != VALUE_TEXT || b.type != VALUE_TEXT)
        return value_missing();
    uint32_t *x = arena_alloc_raw(op->arena, size), *y = arena_alloc_raw(op->arena, size);
    if (!characters(a, x, &a_len) || !characters(b, y, &b_len))
        return value_missing();
    uint32_t *row = arena_alloc_raw(op->arena, size + sizeof *row);
    return value_int(distance(x, a_len, y, b_len, row));
}

/* ---- places ---------------------------------------------------------------------------------- */

/* Degrees as radians; false if it is no number up to `max` either way. */
static bool radians(struct value v, double max, double *out)
{
    double degrees = v.type == VALUE_INT ? (double)v.u.i : v.u.d;

    if (!value_is_number(v) || !(fabs(degrees) <= max))
        return false;
    *out = degrees * (3.14159265358979323846 / 180);
    return true;
}

struct value function_geo_distance_km(const struct value *arg)
{
    static const double mean_radius = 6371.0088; /* km; IUGG */
    double lat1, lon1, lat2, lon2;

    if (!radians(arg[0], 90, &lat1) || !radians(arg[1], 180, &lon1) ||
        !radians(arg[2], 90, &lat2) || !radians(arg[3], 180, &lon2))
        return value_missing();
    double north = sin((lat2 - lat1) / 2), east = sin((lon2 - lon1) / 2);
    double h = north * north + cos(lat1) * cos(lat2) * east * east;
    return value_double(2 * mean_radius * asin(sqrt(h > 1 ? 1 : h)));
}

/* ---- hash64 ---------------------------------------------------------------------------------- */

struct value function_hash64(const struct operate *op, struct value x)
{
    x = function_string(op, x);
    if (x.type != VALUE_TEXT)
        return value_missing();
    return value_int((int64_t)(hash64(x.u.text, x.len, 0) & INT64_MAX));
}
