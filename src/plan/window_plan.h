// SPDX-License-Identifier: Apache-2.0
/*
 * window_plan - a `window` body as planned: its kind, its inputs, its aggregates, when it fires.
 *
 * Inputs are the rule's steps (probes with step = input number), so streams, unary conditions and
 * keys are what every rule has. Times are ns.
 */
#ifndef PLAN_WINDOW_PLAN_H
#define PLAN_WINDOW_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "plan/aggregate.h"

struct code;
struct zone;

enum window_kind { WINDOW_TUMBLING, WINDOW_HOPPING, WINDOW_SESSION, WINDOW_SLIDING, WINDOW_GLOBAL };
enum window_fire { FIRE_ON_CLOSE, FIRE_ON_MATCH, FIRE_ON_MATCH_RESET, FIRE_ON_EVERY_MATCH,
                   FIRE_ON_CHANGE };

struct window_plan {
    enum window_kind kind;
    enum window_fire fire;
    int64_t size;        /* tumbling, hopping, sliding; session: the gap; global: expire */
    int64_t every;       /* hopping; tumbling: size */
    int64_t offset;      /* tumbling */
    int64_t max;         /* session: longest */
    int64_t late;        /* allow late; -1: none */
    const struct zone *zone; /* tumbling calendar days; NULL: UTC */
    const struct program_aggregate *aggregate;
    uint32_t n_aggregates;
    const struct code *having; /* NULL: always true */
    int64_t reach;       /* sliding: the longest reach of its size and its aggregates' own */
    uint32_t in_table;   /* `by k in table`: number of the table, or UINT32_MAX */
};

#endif
