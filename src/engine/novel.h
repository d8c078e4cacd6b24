// SPDX-License-Identifier: Apache-2.0
/*
 * novel - first seen: a value (or tuple) that a key has not shown for `within` (language section 6).
 *
 * A key remembers its values in order of their last sighting. Old ones are forgotten when the key
 * is next touched, all of them when the key has had no event for `within`: so one deadline a key is
 * enough, and it only ever moves to the end of its queue.
 * Invariants:
 *  1. values are sorted by last sighting; no value is in twice.
 *  2. the key's deadline is its newest event + within.
 */
#ifndef ENGINE_NOVEL_H
#define ENGINE_NOVEL_H

struct body_ops;

extern const struct body_ops novel_ops;

#endif
