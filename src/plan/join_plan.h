// SPDX-License-Identifier: Apache-2.0
/* join_plan - a `join` body as planned: two sides (steps 0 and 1), bounds on time(b) - time(a). */
#ifndef PLAN_JOIN_PLAN_H
#define PLAN_JOIN_PLAN_H

#include <stdbool.h>
#include <stdint.h>

struct code;

struct join_side {
    const char *name;
    bool optional;           /* `a?:` outer: told alone when nothing can pair with it any more */
    bool negated;            /* `not b:` only the unpaired other is told */
    const struct code *cross; /* what compares with the other side (bound); NULL: none */
};

struct join_plan {
    struct join_side side[2];
    int64_t low, high;       /* ns: low <= time(b) - time(a) <= high */
    uint64_t matches;        /* `limit matches n per event` */
};

#endif
