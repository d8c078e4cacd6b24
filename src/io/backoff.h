// SPDX-License-Identifier: Apache-2.0
/*
 * backoff - how long to wait before something that failed is tried again: exponential, with full
 * jitter (https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/). After n
 * failures in a row any time from 0 to min(most, least * 2^(n-1)), each as likely: those that failed
 * together do not come back together.
 */
#ifndef IO_BACKOFF_H
#define IO_BACKOFF_H

#include <stdint.h>

struct backoff {
    int64_t least, most; /* ns: the longest wait after the first failure, and after any */
    uint64_t random;     /* state of the generator */
    uint32_t failures;   /* in a row */
};

/* least > 0; most is raised to least. Any seed; different ones for what may fail together. */
void backoff_init(struct backoff *b, int64_t least, int64_t most, uint64_t seed);
int64_t backoff_next(struct backoff *b); /* it failed once more: ns to wait */
/* The same for a thing that had so many failures (1, 2, ...): b's own are not looked at. */
int64_t backoff_wait(struct backoff *b, uint32_t failures);
static inline void backoff_reset(struct backoff *b)
{
    b->failures = 0;
}

#endif
