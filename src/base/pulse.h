// SPDX-License-Identifier: Apache-2.0
/*
 * pulse - does a thread get on with its work? It says when it takes up a piece of work and when it
 * rests; whoever watches sees a piece that takes too long. Waiting for work is no work.
 *
 *     for (;;) { pulse_rest(); take ...; pulse_beat(); a piece of work }
 */
#ifndef BASE_PULSE_H
#define BASE_PULSE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"

struct pulse {
    _Atomic int64_t since; /* monotonic ns: when the piece of work began; 0: it rests */
};

static inline void pulse_beat(struct pulse *p)
{
    atomic_store_explicit(&p->since, clock_monotonic(), memory_order_relaxed);
}
static inline void pulse_rest(struct pulse *p)
{
    atomic_store_explicit(&p->since, 0, memory_order_relaxed);
}
/* Any thread: has it been at one piece of work for longer than this (ns)? */
static inline bool pulse_stuck(struct pulse *p, int64_t longest)
{
    int64_t since = atomic_load_explicit(&p->since, memory_order_relaxed);

    return since != 0 && clock_monotonic() - since > longest;
}

#endif
