// SPDX-License-Identifier: Apache-2.0
/* accumulator_sketch - approx_count_distinct (sketch_distinct) and percentile (sketch_quantile). */
#include "base/arena.h"
#include "engine/accumulator_priv.h"
#include "engine/sketch_distinct.h"
#include "engine/sketch_quantile.h"

/* ---- approx_count_distinct -------------------------------------------------------------------- */

/* In snapshots lie hashes of values: value_hash and this seed must not change. */
#define APPROX_SEED UINT64_C(0x617070726f78)

static void approx_init(void *acc, const struct program_aggregate *ag)
{
    (void)ag;
    *(struct sketch_distinct **)acc = NULL;
}

static void approx_fini(void *acc, const struct program_aggregate *ag, uint64_t *bytes)
{
    (void)ag;
    sketch_distinct_free(acc, bytes);
}

static void approx_add(void *acc, const struct program_aggregate *ag, const struct value v[2],
                       struct stamp at, uint64_t *bytes)
{
    (void)at;
    if (value_is_missing(v[0]) || (ag->arg[1] && value_is_missing(v[1])))
        return;
    uint64_t hash = value_hash(v[0], APPROX_SEED);
    if (ag->arg[1])
        hash = value_hash(v[1], hash);
    sketch_distinct_add(acc, hash, bytes);
}

static void approx_merge(void *acc, const struct program_aggregate *ag, const void *later,
                         uint64_t *bytes)
{
    (void)ag;
    sketch_distinct_merge(acc, *(struct sketch_distinct *const *)later, bytes);
}

static struct value approx_result(const void *acc, const struct program_aggregate *ag,
                                  struct arena *scratch)
{
    (void)ag;
    (void)scratch;
    return value_int((int64_t)sketch_distinct_count(*(struct sketch_distinct *const *)acc));
}

static void approx_encode(const void *acc, const struct program_aggregate *ag, struct buf *out)
{
    (void)ag;
    sketch_distinct_encode(*(struct sketch_distinct *const *)acc, out);
}

static bool approx_decode(void *acc, const struct program_aggregate *ag, struct reader *r,
                          uint64_t *bytes)
{
    (void)ag;
    return sketch_distinct_decode(acc, r, bytes);
}

const struct accumulator_ops accumulator_approx_count_distinct = {
    .name = "approx_count_distinct",
    .size = sizeof(struct sketch_distinct *),
    .can_merge = true,
    .init = approx_init,
    .fini = approx_fini,
    .add = approx_add,
    .merge = approx_merge,
    .result = approx_result,
    .encode = approx_encode,
    .decode = approx_decode,
};

/* ---- percentile ------------------------------------------------------------------------------- */

static void percentile_init(void *acc, const struct program_aggregate *ag)
{
    (void)ag;
    sketch_quantile_init(acc);
}

static void percentile_fini(void *acc, const struct program_aggregate *ag, uint64_t *bytes)
{
    (void)ag;
    sketch_quantile_fini(acc, bytes);
}

static void percentile_add(void *acc, const struct program_aggregate *ag, const struct value v[2],
                           struct stamp at, uint64_t *bytes)
{
    (void)ag;
    (void)at;
    if (value_is_number(v[0]))
        sketch_quantile_add(acc, number_double(v[0]), bytes);
}

static void percentile_remove(void *acc, const struct program_aggregate *ag,
                              const struct value v[2], struct stamp at, uint64_t *bytes)
{
    (void)ag;
    (void)at;
    if (value_is_number(v[0]))
        sketch_quantile_remove(acc, number_double(v[0]), bytes);
}

static void percentile_merge(void *acc, const struct program_aggregate *ag, const void *later,
                             uint64_t *bytes)
{
    (void)ag;
    sketch_quantile_merge(acc, later, bytes);
}

static struct value percentile_result(const void *acc, const struct program_aggregate *ag,
                                      struct arena *scratch)
{
    (void)scratch;
    const struct sketch_quantile *s = acc;
    return s->n ? value_double(sketch_quantile_at(s, ag->quantile)) : value_missing();
}

static void percentile_encode(const void *acc, const struct program_aggregate *ag, struct buf *out)
{
    (void)ag;
    sketch_quantile_encode(acc, out);
}

static bool percentile_decode(void *acc, const struct program_aggregate *ag, struct reader *r,
                              uint64_t *bytes)
{
    (void)ag;
    return sketch_quantile_decode(acc, r, bytes);
}

const struct accumulator_ops accumulator_percentile = {
    .name = "percentile",
    .size = sizeof(struct sketch_quantile),
    .can_remove = true,
    .can_merge = true,
    .init = percentile_init,
    .fini = percentile_fini,
    .add = percentile_add,
    .remove = percentile_remove,
    .merge = percentile_merge,
    .result = percentile_result,
    .encode = percentile_encode,
    .decode = percentile_decode,
};
