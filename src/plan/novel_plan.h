// SPDX-License-Identifier: Apache-2.0
/* novel_plan - a `novel` body as planned: the value or tuple, how long it is remembered. */
#ifndef PLAN_NOVEL_PLAN_H
#define PLAN_NOVEL_PLAN_H

#include <stdint.h>

struct code;

struct novel_plan {
    const struct code *const *value; /* the tuple's parts, over the candidate */
    uint32_t n_values;
    int64_t within;                  /* ns: seen longer ago than this is new again */
    int64_t after;                   /* ns: told only once the key has been known for this; -1 */
};

#endif
