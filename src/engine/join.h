// SPDX-License-Identifier: Apache-2.0
/*
 * join - pairs of two sides within a time bound (language section 5).
 *
 * Each side of a key keeps its events in time order for as long as a partner may still come:
 *   a until time(a) + high, b until time(b) - low      (low <= time(b) - time(a) <= high)
 * An event looks its partners up by time (binary search), so each pair is found once: when its
 * later event, in the order, comes.
 *
 *   a comes --> pairs with b in [t + low, t + high] --> kept --deadline t + high--> gone, or, when
 *                                                       `b` is optional or `not` and none paired: told
 * Invariants:
 *  1. entries of a side are in the order of events; their deadlines are in the same order.
 *  2. an entry is in its side's array until its deadline has passed.
 */
#ifndef ENGINE_JOIN_H
#define ENGINE_JOIN_H

struct body_ops;

extern const struct body_ops join_ops;

#endif
