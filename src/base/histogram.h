// SPDX-License-Identifier: Apache-2.0
/*
 * histogram - how many of some times were at most how long: fixed bounds, so that those of all parts, and of all
 * daemons, can be added up. One thread at a time, or its owner's lock.
 */
#ifndef BASE_HISTOGRAM_H
#define BASE_HISTOGRAM_H

#include <stdint.h>

enum { HISTOGRAM_BOUNDS = 16 };
extern const int64_t histogram_bound[HISTOGRAM_BOUNDS]; /* ns, rising */

struct histogram {
    uint64_t count[HISTOGRAM_BOUNDS + 1]; /* each above the bound before, at most its own; the last: above all */
    uint64_t sum;                         /* ns */
};

void histogram_add(struct histogram *h, int64_t ns, uint64_t n); /* n of them; less than nothing is nothing */
void histogram_add_all(struct histogram *to, const struct histogram *from);
uint64_t histogram_count(const struct histogram *h);

#endif
