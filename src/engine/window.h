// SPDX-License-Identifier: Apache-2.0
/*
 * window - aggregates over time for one key (language section 4).
 *
 *   window_pane.c     tumbling, hopping: panes of `every`, so the cost of an event does not depend on
 *                     how many windows overlap; a window's value is its panes merged
 *   window_session.c  session: grows with its events, closes at last + gap or start + max
 *   window_sliding.c  sliding: one cell, values leave it one by one; global: nothing leaves
 *   window_cell.c     the accumulators of all aggregates of a rule, as one block
 *   window_fire.c     `having`, when an alert is told, what it says
 */
#ifndef ENGINE_WINDOW_H
#define ENGINE_WINDOW_H

struct body_ops;

extern const struct body_ops pane_ops;
extern const struct body_ops session_ops;
extern const struct body_ops sliding_ops; /* and global */

#endif
