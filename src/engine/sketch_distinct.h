// SPDX-License-Identifier: Apache-2.0
/*
 * sketch_distinct - about how many different 64-bit hashes were added.
 *
 * Up to 1,792 the hashes themselves (exact), then 16 KiB: an UltraLogLog of 2^14 registers (O. Ertl,
 * UltraLogLog: A Practical and More Space-Efficient Alternative to HyperLogLog for Approximate
 * Distinct Counting, VLDB 2024) with the maximum likelihood estimate: standard error 0.59 % (a
 * HyperLogLog needs 23 KiB for that), so within 2 % in 9993 of 10000 cases. (With half the memory it
 * would be 98 of 100.) Merging gives what adding all to one gives, in any order.
 */
#ifndef ENGINE_SKETCH_DISTINCT_H
#define ENGINE_SKETCH_DISTINCT_H

#include <stdbool.h>
#include <stdint.h>

struct buf;
struct reader;
struct sketch_distinct;

/* *sketch is NULL while nothing was added. Memory is charged to *bytes. */
void sketch_distinct_add(struct sketch_distinct **sketch, uint64_t hash, uint64_t *bytes);
void sketch_distinct_merge(struct sketch_distinct **sketch, const struct sketch_distinct *other,
                           uint64_t *bytes);
uint64_t sketch_distinct_count(const struct sketch_distinct *sketch);
void sketch_distinct_free(struct sketch_distinct **sketch, uint64_t *bytes);

void sketch_distinct_encode(const struct sketch_distinct *sketch, struct buf *out);
bool sketch_distinct_decode(struct sketch_distinct **sketch, struct reader *r, uint64_t *bytes);

#endif
