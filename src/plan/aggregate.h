// SPDX-License-Identifier: Apache-2.0
/*
 * aggregate - one aggregate call of a window rule, as planned: what it reads and what it keeps.
 *
 * Equal calls of one rule (`count(x)` in `having` and in `emit`) are one program_aggregate. The VM
 * asks for its value by number (OP_WINDOW_AGGREGATE).
 */
#ifndef PLAN_AGGREGATE_H
#define PLAN_AGGREGATE_H

#include <stdbool.h>
#include <stdint.h>

struct code;

enum window_aggregate_id {
#define WINDOW_AGGREGATE(id, name, min_args, max_args, types, nothing, doc) WINDOW_##id,
#include "lang/window_aggregate.def"
#undef WINDOW_AGGREGATE
    WINDOW_AGGREGATE_COUNT
};

enum { AGGREGATE_ALL_INPUTS = UINT32_MAX };

struct program_aggregate {
    enum window_aggregate_id id;
    uint32_t input;             /* number of the input whose events it takes; AGGREGATE_ALL_INPUTS */
    const struct code *arg[2];  /* over the candidate; NULL: none (count) */
    const struct code *where;   /* NULL: every event of the input */
    int64_t reach;              /* sliding: ns, its own `within`; -1: the window's size */
    double quantile;            /* percentile: 0..1 */
    uint32_t n;                 /* collect, values, top: how many */
    uint64_t limit_values;      /* `limit values n per key`: distinct values kept at most; 0: no limit */
    bool no_remove;             /* nothing is taken out again (all windows but those that slide) */
};

const char *program_aggregate_name(enum window_aggregate_id id); /* "count_distinct" */

#endif
