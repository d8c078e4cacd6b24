// SPDX-License-Identifier: Apache-2.0
/*
 * sketch_quantile - see sketch_quantile.h.
 *
 * Bin k > 0 holds (g^(i-1), g^i] with i = k - OFFSET and g = 1.01 / 0.99, bin -k the same below 0,
 * bin 0 the zero; so bins and values have the same order. 2 g^i / (g + 1) stands for all of a bin.
 */
#include "engine/sketch_quantile.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/buf.h"
#include "base/reader.h"
#include "engine/accumulator_priv.h"

enum { OFFSET = 40000, MOST_KEY = 2 * OFFSET, FIRST_CAP = 4 };

#define ACCURACY 0.01

enum { MOST_ROOM = 16 }; /* there is room for so many times what is in it at most */

struct bin {
    int32_t key;
    uint64_t n; /* at least 1 */
};

static bool in_bins(const struct sketch_quantile *s)
{
    return s->cap & 1;
}

static size_t cap_of(const struct sketch_quantile *s)
{
    return s->cap & ~UINT32_C(1);
}

static size_t item_size(const struct sketch_quantile *s)
{
    return in_bins(s) ? sizeof(struct bin) : sizeof(double);
}

void sketch_quantile_init(struct sketch_quantile *s)
{
    *s = (struct sketch_quantile){.n = 0};
}

void sketch_quantile_fini(struct sketch_quantile *s, uint64_t *bytes)
{
    charged_free(s->u.value, cap_of(s) * item_size(s), bytes);
    sketch_quantile_init(s);
}

static void resize(struct sketch_quantile *s, size_t cap, uint64_t *bytes)
{
    s->u.value = charged_resize(s->u.value, cap_of(s) * item_size(s), cap * item_size(s), bytes);
    s->cap = (uint32_t)cap | (s->cap & 1);
}

static double log_growth(void)
{
    return log1p(2 * ACCURACY / (1 - ACCURACY));
}

static int32_t key_of(double x)
{
    if (x == 0)
        return 0;
    int32_t key = (int32_t)ceil(log(fabs(x)) / log_growth()) + OFFSET;
    return x < 0 ? -key : key;
}

static double value_of_key(int32_t key)
{
    if (key == 0)
        return 0;
    int32_t i = (key < 0 ? -key : key) - OFFSET;
    double x = exp(i * log_growth()) * (1 - ACCURACY); /* 2 / (g + 1) = 1 - ACCURACY */
    if (!isfinite(x))
        x = DBL_MAX;
    return key < 0 ? -x : x;
}

/* The first bin that is not below the key. */
static uint32_t bin_find(const struct sketch_quantile *s, int32_t key)
{
    uint32_t from = 0, to = s->len;

    while (from < to) {
        uint32_t mid = from + (to - from) / 2;
        if (s->u.bin[mid].key < key)
            from = mid + 1;
        else
            to = mid;
    }
    return from;
}

static void bin_add(struct sketch_quantile *s, int32_t key, uint64_t n, uint64_t *bytes)
{
    uint32_t i = bin_find(s, key);

    s->n += n;
    if (i < s->len && s->u.bin[i].key == key) {
        s->u.bin[i].n += n;
        return;
    }
    if (s->len == cap_of(s))
        resize(s, cap_of(s) ? cap_of(s) * 2 : FIRST_CAP, bytes);
    memmove(&s->u.bin[i + 1], &s->u.bin[i], (s->len - i) * sizeof *s->u.bin);
    s->u.bin[i] = (struct bin){key, n};
    s->len++;
}

static void make_bins(struct sketch_quantile *s, uint64_t *bytes)
{
    struct sketch_quantile old = *s;

    sketch_quantile_init(s);
    s->cap = 1;
    for (uint32_t i = 0; i < old.len; i++)
        bin_add(s, key_of(old.u.value[i]), 1, bytes);
    sketch_quantile_fini(&old, bytes);
}

static uint32_t value_find(const struct sketch_quantile *s, double x)
{
    uint32_t from = 0, to = s->len;

    while (from < to) {
        uint32_t mid = from + (to - from) / 2;
        if (s->u.value[mid] < x)
            from = mid + 1;
        else
            to = mid;
    }
    return from;
}

void sketch_quantile_add(struct sketch_quantile *s, double x, uint64_t *bytes)
{
    if (!in_bins(s) && s->len == QUANTILE_EXACT)
        make_bins(s, bytes);
    if (in_bins(s)) {
        bin_add(s, key_of(x), 1, bytes);
        return;
    }
    if (s->len == cap_of(s))
        resize(s, cap_of(s) ? cap_of(s) * 2 : FIRST_CAP, bytes);
    uint32_t i = value_find(s, x);
    memmove(&s->u.value[i + 1], &s->u.value[i], (s->len - i) * sizeof x);
    s->u.value[i] = x;
    s->len++;
    s->n++;
}

void sketch_quantile_remove(struct sketch_quantile *s, double x, uint64_t *bytes)
{
    uint32_t i;

    if (in_bins(s)) {
        i = bin_find(s, key_of(x));
        if (i == s->len || s->u.bin[i].key != key_of(x))
            return;
        if (--s->u.bin[i].n == 0) {
            s->len--;
            memmove(&s->u.bin[i], &s->u.bin[i + 1], (s->len - i) * sizeof *s->u.bin);
        }
    } else {
        i = value_find(s, x);
        if (i == s->len || s->u.value[i] != x)
            return;
        s->len--;
        memmove(&s->u.value[i], &s->u.value[i + 1], (s->len - i) * sizeof x);
    }
    if (--s->n == 0)
        sketch_quantile_fini(s, bytes);
    else if (cap_of(s) > 16 && s->len < cap_of(s) / 8)
        resize(s, cap_of(s) / 2, bytes);
}

void sketch_quantile_merge(struct sketch_quantile *s, const struct sketch_quantile *other,
                           uint64_t *bytes)
{
    if (in_bins(other) && !in_bins(s))
        make_bins(s, bytes);
    for (uint32_t i = 0; i < other->len; i++) {
        if (in_bins(other))
            bin_add(s, other->u.bin[i].key, other->u.bin[i].n, bytes);
        else
            sketch_quantile_add(s, other->u.value[i], bytes);
    }
}

double sketch_quantile_at(const struct sketch_quantile *s, double q)
{
    /* 0.55 * 100 is a little more than 55 in doubles; the rank is 55. */
    double rank = ceil(q * (double)s->n * (1 - 4 * DBL_EPSILON));
    uint64_t want = rank < 1 ? 1 : rank >= (double)s->n ? s->n : (uint64_t)rank;

    if (!in_bins(s))
        return s->u.value[want - 1];
    uint32_t i = 0;
    for (uint64_t below = s->u.bin[0].n; below < want && i + 1 < s->len; below += s->u.bin[i].n)
        i++;
    return value_of_key(s->u.bin[i].key);
}

/* ---- coding ----------------------------------------------------------------------------------- */

void sketch_quantile_encode(const struct sketch_quantile *s, struct buf *out)
{
    buf_add_u8(out, in_bins(s));
    buf_add_varint(out, s->len);
    buf_add_varint(out, cap_of(s));
    for (uint32_t i = 0; i < s->len; i++) {
        uint64_t bits;
        if (in_bins(s)) {
            buf_add_varint(out, (uint64_t)(s->u.bin[i].key + MOST_KEY));
            buf_add_varint(out, s->u.bin[i].n);
        } else {
            memcpy(&bits, &s->u.value[i], sizeof bits);
            buf_add_u64(out, bits);
        }
    }
}

static bool decode_value(struct sketch_quantile *s, struct reader *r, uint64_t *bytes)
{
    uint64_t bits = reader_u64(r);
    double x;

    memcpy(&x, &bits, sizeof x);
    if (r->bad || !isfinite(x) || (s->len && x < s->u.value[s->len - 1]))
        return false;
    sketch_quantile_add(s, x, bytes);
    return true;
}

static bool decode_bin(struct sketch_quantile *s, struct reader *r, uint64_t *bytes)
{
    uint64_t key = reader_varint(r);
    uint64_t n = reader_varint(r);

    if (r->bad || key > 2 * MOST_KEY || n == 0 || n > (uint64_t)INT64_MAX - s->n)
        return false;
    int32_t k = (int32_t)key - MOST_KEY;
    if (s->len && k <= s->u.bin[s->len - 1].key)
        return false;
    bin_add(s, k, n, bytes);
    return true;
}

bool sketch_quantile_decode(struct sketch_quantile *s, struct reader *r, uint64_t *bytes)
{
    uint8_t bins = reader_u8(r);
    uint64_t len = reader_varint(r), cap = reader_varint(r), n = len;

    if (r->bad || (cap & 1) || cap < len || cap > MOST_ROOM * (len + 1) || bins > 1 || len > (bins ? reader_left(r) : QUANTILE_EXACT) || (bins && !len))
        return false;
    if (bins)
        make_bins(s, bytes);
    for (; len > 0; len--)
        if (!(bins ? decode_bin : decode_value)(s, r, bytes))
            return false;
    if (n > 0 && cap != cap_of(s)) /* what it is charged is as it was */
        resize(s, cap, bytes);
    return true;
}
