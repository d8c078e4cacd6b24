// SPDX-License-Identifier: Apache-2.0
/*
 * exception - alerts that are held back: `exception "title" for rule until T where P`.
 *
 * An alert that fits is none: it is not told, and neither `suppress` nor `limit alerts` counts it.
 * What the rule makes for other rules is made all the same. The first exception that fits counts.
 */
#ifndef ENGINE_EXCEPTION_H
#define ENGINE_EXCEPTION_H

#include <stdbool.h>
#include <stdint.h>

struct buf;
struct engine;
struct reader;
struct rule_state;
struct value;

/* Does one hold back this match? The vm is that of the match (render_emitted). */
bool exception_holds(struct engine *en, struct rule_state *rs, const struct value *emitted,
                     int64_t time);
/* How many of the rule's each held back, by title. */
void exceptions_encode(struct buf *out, const struct engine *en, const struct rule_state *rs);
bool exceptions_decode(const struct engine *en, struct rule_state *rs, struct reader *r);

#endif
