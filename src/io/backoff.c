// SPDX-License-Identifier: Apache-2.0
#include "io/backoff.h"

#include "base/hash.h"

void backoff_init(struct backoff *b, int64_t least, int64_t most, uint64_t seed)
{
    *b = (struct backoff){.least = least, .most = most < least ? least : most, .random = seed};
}

int64_t backoff_wait(struct backoff *b, uint32_t failures)
{
    int64_t bound = b->least;

    for (uint32_t i = 1; i < failures && bound < b->most; i++)
        bound = bound > b->most / 2 ? b->most : bound * 2;
    b->random += UINT64_C(0x9e3779b97f4a7c15);
    return (int64_t)(hash_mix(b->random, 0) % ((uint64_t)bound + 1));
}

int64_t backoff_next(struct backoff *b)
{
    if (b->failures < UINT32_MAX)
        b->failures++;
    return backoff_wait(b, b->failures);
}
