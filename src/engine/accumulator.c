// SPDX-License-Identifier: Apache-2.0
/* accumulator - the table of the aggregates, count, and what they share (accumulator_priv.h). */
#include "engine/accumulator.h"

#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/reader.h"
#include "engine/accumulator_priv.h"

/* ---- count ------------------------------------------------------------------------------------ */

static bool counts(const struct program_aggregate *ag, struct value v)
{
    return !ag->arg[0] || (v.type == VALUE_BOOL && v.u.b);
}

static void count_init(void *acc, const struct program_aggregate *ag)
{
    (void)ag;
    *(uint64_t *)acc = 0;
}

static void count_fini(void *acc, const struct program_aggregate *ag, uint64_t *bytes)
{
    (void)acc;
    (void)ag;
    (void)bytes;
}

static void count_add(void *acc, const struct program_aggregate *ag, const struct value v[2],
                      struct stamp stamp, uint64_t *bytes)
{
    (void)stamp;
    (void)bytes;
    *(uint64_t *)acc += counts(ag, v[0]);
}

static void count_remove(void *acc, const struct program_aggregate *ag, const struct value v[2],
                         struct stamp stamp, uint64_t *bytes)
{
    (void)stamp;
    (void)bytes;
    *(uint64_t *)acc -= counts(ag, v[0]) && *(uint64_t *)acc > 0;
}

static void count_merge(void *acc, const struct program_aggregate *ag, const void *later,
                        uint64_t *bytes)
{
    (void)ag;
    (void)bytes;
    *(uint64_t *)acc += *(const uint64_t *)later;
}

static struct value count_result(const void *acc, const struct program_aggregate *ag,
                                 struct arena *scratch)
{
    (void)ag;
    (void)scratch;
    return value_int((int64_t)*(const uint64_t *)acc);
}

static void count_encode(const void *acc, const struct program_aggregate *ag, struct buf *out)
{
    (void)ag;
    buf_add_varint(out, *(const uint64_t *)acc);
}

static bool count_decode(void *acc, const struct program_aggregate *ag, struct reader *r,
                         uint64_t *bytes)
{
    (void)ag;
    (void)bytes;
    uint64_t n = reader_varint(r);
    if (r->bad || n > INT64_MAX)
        return false;
    *(uint64_t *)acc = n;
    return true;
}

static const struct accumulator_ops accumulator_count = {
    .name = "count",
    .size = sizeof(uint64_t),
    .can_remove = true,
    .can_merge = true,
    .init = count_init,
    .fini = count_fini,
    .add = count_add,
    .remove = count_remove,
    .merge = count_merge,
    .result = count_result,
    .encode = count_encode,
    .decode = count_decode,
};

/* ---- the table -------------------------------------------------------------------------------- */

const struct accumulator_ops *accumulator_ops(enum window_aggregate_id id)
{
    static const struct accumulator_ops *const table[WINDOW_AGGREGATE_COUNT] = {
        [WINDOW_COUNT] = &accumulator_count,
        [WINDOW_SUM] = &accumulator_sum,
        [WINDOW_AVG] = &accumulator_avg,
        [WINDOW_MIN] = &accumulator_min,
        [WINDOW_MAX] = &accumulator_max,
        [WINDOW_STDDEV] = &accumulator_stddev,
        [WINDOW_VARIANCE] = &accumulator_variance,
        [WINDOW_FIRST] = &accumulator_first,
        [WINDOW_LAST] = &accumulator_last,
        [WINDOW_COUNT_DISTINCT] = &accumulator_count_distinct,
        [WINDOW_APPROX_COUNT_DISTINCT] = &accumulator_approx_count_distinct,
        [WINDOW_PERCENTILE] = &accumulator_percentile,
        [WINDOW_COLLECT] = &accumulator_collect,
        [WINDOW_VALUES] = &accumulator_values,
        [WINDOW_TOP] = &accumulator_top,
    };
    return (size_t)id < WINDOW_AGGREGATE_COUNT ? table[id] : NULL;
}

/* ---- shared ----------------------------------------------------------------------------------- */

void *charged_alloc(size_t size, uint64_t *bytes)
{
    *bytes += size;
    return mem_calloc(1, size);
}

void *charged_resize(void *p, size_t old_size, size_t size, uint64_t *bytes)
{
    *bytes += size;
    *bytes -= old_size;
    return mem_realloc(p, size);
}

void charged_free(void *p, size_t size, uint64_t *bytes)
{
    *bytes -= size;
    mem_free(p);
}

struct value value_keep(struct value v, uint64_t *bytes)
{
    size_t size = value_copy_size(v);

    if (size == 0) {
        if (v.type == VALUE_TEXT || v.type == VALUE_OBJECT)
            v.u.text = "";
        return v;
    }
    char *mem = mem_alloc(size);
    *bytes += size;
    return value_copy_to(v, &mem); /* the copy begins with the outermost text or list */
}

void value_drop(struct value v, uint64_t *bytes)
{
    size_t size = value_copy_size(v);

    if (size == 0)
        return;
    *bytes -= size;
    char *mem;
    memcpy(&mem, &v.u, sizeof mem);
    mem_free(mem);
}

void stamp_encode(struct buf *out, struct stamp at)
{
    buf_add_u64(out, (uint64_t)at.time);
    buf_add_varint(out, at.seq);
}

struct stamp stamp_decode(struct reader *r)
{
    struct stamp at = {.time = (int64_t)reader_u64(r)};
    at.seq = reader_varint(r);
    return at;
}

bool number_integer(struct value v, int64_t *int_out)
{
    static const double two_to_63 = 9223372036854775808.0;

    if (v.type == VALUE_INT) {
        *int_out = v.u.i;
        return true;
    }
    if (v.type != VALUE_DOUBLE || !(v.u.d >= -two_to_63 && v.u.d < two_to_63))
        return false;
    *int_out = (int64_t)v.u.d;
    return (double)*int_out == v.u.d;
}

double number_double(struct value v)
{
    return v.type == VALUE_INT ? (double)v.u.i : v.u.d;
}
