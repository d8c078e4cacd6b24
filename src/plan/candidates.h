// SPDX-License-Identifier: Apache-2.0
/*
 * candidates - which probes does an event fit? Cost follows how many rules could match, not how
 * many there are.
 *
 * Each probe's unary condition implies a necessary one (plan/necessary.h): a field equals one of
 * some constants, or exists. Probes are filed under (slot, value) or (source); an event looks its
 * own few values up and runs bytecode only for what it finds. The engine's vm verifies; this folder
 * only finds. So the result is a superset, in ascending order, without duplicates.
 */
#ifndef PLAN_CANDIDATES_H
#define PLAN_CANDIDATES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;
struct event;
struct necessary;
struct program;

struct candidates;

/* necessary[n_probes]; sources[n_probes]: bitmap text of streams is found from the program itself.
 * With index == false every probe is a candidate of every event (--no-opt). */
const struct candidates *candidates_build(const struct program *prog,
                                          const struct necessary *necessary, bool index,
                                          struct arena *a);
/* Appends candidate probes of the event to found[0..max); returns how many there are. `found` has
 * room for n_probes. `seen` is scratch of (n_probes + 63) / 64 words, all 0 before and after. */
uint32_t candidates_find(const struct candidates *ca, const struct event *ev, uint64_t *seen,
                         uint32_t *found);

#endif
