// SPDX-License-Identifier: Apache-2.0
/*
 * probe_counts - what a reader's thread found out about rules while it asked which steps events fit, on its way to
 * the engine thread, which keeps it with the rules' other counters. Neither waits for the other.
 */
#ifndef FLOW_PROBE_COUNTS_H
#define FLOW_PROBE_COUNTS_H

#include "engine/probe.h"

struct engine;
struct probe_counts;

struct probe_counts *probe_counts_new(uint32_t n_rules);
void probe_counts_free(struct probe_counts **pc);
/* The reader's thread: adds what the scratch counted since the last time. */
void probe_counts_add(struct probe_counts *pc, const struct probe_scratch *ps);
/* The engine's thread: what was added since the last time goes to the engine. */
void probe_counts_take(struct probe_counts *pc, struct engine *en);

#endif
