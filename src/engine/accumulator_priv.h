// SPDX-License-Identifier: Apache-2.0
/*
 * accumulator_priv - what the aggregates share: charged memory, values that they own, stamps, and
 * the tables of operations that accumulator.c puts in one.
 */
#ifndef ENGINE_ACCUMULATOR_PRIV_H
#define ENGINE_ACCUMULATOR_PRIV_H

#include "engine/accumulator.h"

/* Memory that is charged to *bytes; sizes are the caller's to remember. */
void *charged_alloc(size_t size, uint64_t *bytes); /* zeroed */
void *charged_resize(void *p, size_t old_size, size_t size, uint64_t *bytes);
void charged_free(void *p, size_t size, uint64_t *bytes);

/* A deep copy that the accumulator owns, and its end. Scalars own nothing. */
struct value value_keep(struct value v, uint64_t *bytes);
void value_drop(struct value v, uint64_t *bytes);

static inline int stamp_order(struct stamp a, struct stamp b)
{
    if (a.time != b.time)
        return a.time < b.time ? -1 : 1;
    return (a.seq > b.seq) - (a.seq < b.seq);
}

void stamp_encode(struct buf *out, struct stamp at);
struct stamp stamp_decode(struct reader *r);

/* The integer that a number is the same value as, if there is one: 2.0 is 2, as it is everywhere
 * else [tag:value-identity]; what was added as 2.0 may be removed as 2 after a restart. */
bool number_integer(struct value v, int64_t *int_out);
double number_double(struct value v);

extern const struct accumulator_ops accumulator_sum, accumulator_avg, accumulator_variance,
    accumulator_stddev, accumulator_min, accumulator_max, accumulator_first, accumulator_last,
    accumulator_collect, accumulator_count_distinct, accumulator_top, accumulator_values,
    accumulator_approx_count_distinct, accumulator_percentile;

#endif
