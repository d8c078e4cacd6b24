// SPDX-License-Identifier: Apache-2.0
/*
 * rule_clock - the clock that a thread lends to what estimates the cost of rules (engine/piece_timer.h): the
 * monotonic one. When a piece took suspiciously long, what the thread waited for a processor since the last mark is
 * taken out of it. That costs a look at the thread's own time for each mark, so there is at most one a millisecond.
 */
#ifndef FLOW_RULE_CLOCK_H
#define FLOW_RULE_CLOCK_H

#include "engine/piece_timer.h"

struct rule_clock {
    struct piece_clock piece; /* its ctx is this: it may not be moved */
    int64_t mark, work;       /* monotonic, and the thread's own time then */
};

void rule_clock_init(struct rule_clock *rc);
/* The thread whose pieces are timed, before it takes up work that it may have waited for. */
void rule_clock_mark(struct rule_clock *rc);

#endif
