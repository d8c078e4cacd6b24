// SPDX-License-Identifier: Apache-2.0
#include "base/histogram.h"

#define MS INT64_C(1000000)

const int64_t histogram_bound[HISTOGRAM_BOUNDS] = {
    MS / 2,   MS,       5 * MS / 2, 5 * MS,    10 * MS,   25 * MS,   50 * MS,    100 * MS,
    250 * MS, 500 * MS, 1000 * MS,  2500 * MS, 5000 * MS, 10000 * MS, 30000 * MS, 60000 * MS};

void histogram_add(struct histogram *h, int64_t ns, uint64_t n)
{
    int at = 0;

    while (at < HISTOGRAM_BOUNDS && ns > histogram_bound[at])
        at++;
    h->count[at] += n;
    h->sum += ns > 0 ? (uint64_t)ns * n : 0;
}

void histogram_add_all(struct histogram *to, const struct histogram *from)
{
    for (int i = 0; i <= HISTOGRAM_BOUNDS; i++)
        to->count[i] += from->count[i];
    to->sum += from->sum;
}

uint64_t histogram_count(const struct histogram *h)
{
    uint64_t n = 0;

    for (int i = 0; i <= HISTOGRAM_BOUNDS; i++)
        n += h->count[i];
    return n;
}
