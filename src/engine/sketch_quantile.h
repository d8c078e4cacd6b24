// SPDX-License-Identifier: Apache-2.0
/*
 * sketch_quantile - quantiles of numbers; values can be removed, sketches merged.
 *
 * The quantile q of n values is the one of rank ceil(q n), at least 1, in ascending order (nearest
 * rank, no interpolation: a value that occurred). Up to 256 values all are kept and it is exact.
 * Beyond, it is a DDSketch (C. Masson, J. Rim, H. Lee, DDSketch, VLDB 2019): values are counted in
 * bins that are 1 % wide to each side, so ranks are exact and the value is within 1 % of the one
 * asked for, above and below 0, and 0 is 0. Bins are never collapsed, which keeps that true of all
 * quantiles and lets values be removed exactly; a factor of 1000 between the least and the greatest
 * is 346 bins (16 bytes each). Once it counts in bins it does so until it is empty.
 */
#ifndef ENGINE_SKETCH_QUANTILE_H
#define ENGINE_SKETCH_QUANTILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;
struct reader;
struct bin;

enum { QUANTILE_EXACT = 256 };

struct sketch_quantile {
    union {
        double *value;   /* sorted */
        struct bin *bin; /* sorted; none is empty */
    } u;                 /* owned */
    uint64_t n;          /* values in */
    uint32_t len, cap;   /* of u; in bins if cap's lowest bit is set */
};

void sketch_quantile_init(struct sketch_quantile *s);
void sketch_quantile_fini(struct sketch_quantile *s, uint64_t *bytes);
void sketch_quantile_add(struct sketch_quantile *s, double x, uint64_t *bytes);
void sketch_quantile_remove(struct sketch_quantile *s, double x, uint64_t *bytes);
void sketch_quantile_merge(struct sketch_quantile *s, const struct sketch_quantile *other,
                           uint64_t *bytes);
double sketch_quantile_at(const struct sketch_quantile *s, double q); /* n > 0; q is 0 .. 1 */
void sketch_quantile_encode(const struct sketch_quantile *s, struct buf *out);
bool sketch_quantile_decode(struct sketch_quantile *s, struct reader *r, uint64_t *bytes);

#endif
