// SPDX-License-Identifier: Apache-2.0
/*
 * receiver - answers 204 to each POST on loopback, from a thread of its own, as fast as it can; counts
 * them, and how long ago was what they tell of: the first `"sent":NS` of a body, monotonic time.
 */
#ifndef BENCH_RECEIVER_H
#define BENCH_RECEIVER_H

#include <stddef.h>
#include <stdint.h>

/* Listens, at a port of the kernel's choice if port is 0; returns the port. Once in a process. */
uint16_t receiver_start(uint16_t port);

struct receiver_stats {
    uint64_t requests, connections;
    int64_t p50, p99, most; /* ns since `sent`; 0: none had one */
};
void receiver_stats(struct receiver_stats *stats_out); /* since the last call */

#endif
