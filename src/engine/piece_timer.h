// SPDX-License-Identifier: Apache-2.0
/*
 * piece_timer - what rules cost in time, estimated from few looks at a clock.
 *
 * The engine has no clock: who owns it lends one (struct piece_clock), and what the engine does is the same
 * with and without it. What is done for one rule in one go is a *piece*: an event that is offered to it, a
 * deadline of it that is decided, a match of it that is told. Pieces are not nested.
 *
 *   pieces  | . . . x . . . . | . x . . . . . . | . . . . . . x . |   x: timed; counts for a whole block
 *
 * Invariants:
 *  1. of each PIECE_BLOCK pieces in a row exactly one is timed, at a place that is drawn anew for each block:
 *     each piece has the same chance, whatever the order in which rules come, so what is summed up (the time of
 *     the timed one, PIECE_BLOCK times) is right on average for each rule. Of n pieces of a rule it is right to
 *     about one part in sqrt(n / PIECE_BLOCK).
 *  2. no sum ever goes down.
 */
#ifndef ENGINE_PIECE_TIMER_H
#define ENGINE_PIECE_TIMER_H

#include <stdbool.h>
#include <stdint.h>

enum { PIECE_BLOCK = 256 };
#define PIECE_UNTIMED INT64_MIN

struct piece_clock {
    int64_t (*now)(void *ctx); /* ns, never back */
    /* Of a piece that took very long (0.1 ms): what of it the thread had a processor for. NULL: all. */
    int64_t (*own)(void *ctx, int64_t begin, int64_t end);
    int64_t cost;              /* ns that one look adds to what lies between two */
    uint64_t seed;             /* not 0 */
    void *ctx;
};

struct piece_timer {
    const struct piece_clock *clock; /* borrowed; NULL: nothing is timed */
    uint64_t left;                   /* pieces until one is timed, with it */
    uint64_t place;                  /* of that one in its block */
    uint64_t random;
};

void piece_timer_init(struct piece_timer *pt, const struct piece_clock *clock); /* or NULL */
int64_t piece_timer_read(const struct piece_timer *pt);
/* The timed piece has ended: what it stands for, ns. */
uint64_t piece_timer_take(struct piece_timer *pt, int64_t began);

static inline int64_t piece_begin(struct piece_timer *pt)
{
    return __builtin_expect(--pt->left != 0, 1) ? PIECE_UNTIMED : piece_timer_read(pt);
}

/* ns: of whose piece it was. */
static inline void piece_end(struct piece_timer *pt, int64_t began, uint64_t *ns)
{
    if (__builtin_expect(began != PIECE_UNTIMED, 0))
        *ns += piece_timer_take(pt, began);
}

#endif
