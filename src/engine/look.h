// SPDX-License-Identifier: Apache-2.0
/*
 * look - what a rule keeps of one key, as JSON, for people who ask: open runs with the events that they
 * have bound, where they stand and when they die; windows with their bounds; events that wait in a join, values
 * that novel has seen; what `suppress` holds.
 * Changes nothing but what is in memory: a key that is in the store alone is loaded, as for an event.
 */
#ifndef ENGINE_LOOK_H
#define ENGINE_LOOK_H

#include <stdbool.h>
#include <stdint.h>

struct buf;
struct engine;
struct value;

enum { LOOK_LIMIT = 100, LOOK_MOST = 1000, LOOK_BYTES = 4 << 20 };

/* Of runs, panes, sessions, events that wait, values: those from this one on (0), at most so many, and fewer
 * where they are long (LOOK_BYTES). All are counted. */
struct look_page {
    uint64_t from;
    uint32_t limit;
};

/* Does the engine run the rule? key: [rule->n_keys]. Appends one JSON object, with `next` if there are more. */
bool engine_look(struct engine *en, uint32_t rule, const struct value *key,
                 const struct look_page *page, struct buf *out);

#endif
