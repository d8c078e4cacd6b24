// SPDX-License-Identifier: Apache-2.0
/*
 * accumulator - the state of one aggregate over some events, and the contract that all aggregates
 * keep: add, remove (or not), merge (or not), result, encode. One table, accumulator_ops(id).
 *
 * Windows build on these three facts about an aggregate:
 *   can_remove  the oldest event's value can be taken out again (count, sum, avg, variance,
 *               count_distinct, ...): a sliding window holds one accumulator and removes
 *   can_merge   two accumulators over adjacent stretches of the order make one (min, max, first,
 *               last, sketches, ...): panes and two-stack queues build on it
 * Every aggregate has at least one of them. Where ag->no_remove is set nothing is ever removed, so
 * that min, first, values ... need not keep what would come forward. Without it values are added in
 * the order of events.
 *
 * Values are given in the order of events unless a window allows late ones; `stamp` orders them
 * (first, last, collect, values). Non-numbers are skipped where numbers are wanted; missing always
 * is (except by count). All memory is charged to *bytes. Sources of the algorithms are in the .c.
 */
#ifndef ENGINE_ACCUMULATOR_H
#define ENGINE_ACCUMULATOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event/value.h"
#include "plan/aggregate.h"

struct arena;
struct buf;
struct reader;

/* The place of an event in the order, as far as aggregates need it. */
struct stamp {
    int64_t time; /* ns */
    uint64_t seq; /* among equal times: the order in which the engine met them */
};

struct accumulator_ops {
    const char *name;
    size_t size;      /* bytes of the inline state, aligned to 8; owned memory hangs from it */
    bool can_remove;
    bool can_merge;
    void (*init)(void *acc, const struct program_aggregate *ag);
    void (*fini)(void *acc, const struct program_aggregate *ag, uint64_t *bytes);
    /* v[0], v[1]: the arguments' values (missing beyond what it takes); copied if kept. */
    void (*add)(void *acc, const struct program_aggregate *ag, const struct value v[2],
                struct stamp stamp, uint64_t *bytes);
    /* Takes out what add() with the same values put in; only the oldest, only if can_remove. */
    void (*remove)(void *acc, const struct program_aggregate *ag, const struct value v[2],
                   struct stamp stamp, uint64_t *bytes);
    /* acc := acc then later; `later` is unchanged. Only if can_merge. */
    void (*merge)(void *acc, const struct program_aggregate *ag, const void *later,
                  uint64_t *bytes);
    /* Lists and texts of the result live in the accumulator or the arena until the next change. */
    struct value (*result)(const void *acc, const struct program_aggregate *ag,
                           struct arena *scratch);
    void (*encode)(const void *acc, const struct program_aggregate *ag, struct buf *out);
    /* acc is initialised. False if the bytes are not one. */
    bool (*decode)(void *acc, const struct program_aggregate *ag, struct reader *r,
                   uint64_t *bytes);
    /* Counts what a limit kept out; NULL: nothing ever is. count_distinct, values: the values not
     * taken since it was last empty; top: how far counts may be too low. */
    uint64_t (*over_limit)(const void *acc);
};

/* Of an aggregate id but WINDOW_PREV, which needs no accumulator. */
const struct accumulator_ops *accumulator_ops(enum window_aggregate_id id);

#endif
