// SPDX-License-Identifier: Apache-2.0
/*
 * saved - what the pipeline keeps in the database besides the engines' own records: clocks and
 * positions. Keys and values, versioned, every read bounds-checked.
 *
 *     'c' source                                   now, since, seq, behind of the engines of its group
 *     'p' source NUL partition NUL generation (4)  a position (position.h)
 */
#ifndef FLOW_SAVED_H
#define FLOW_SAVED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/record.h"

struct buf;
struct position;
struct store;
struct store_batch;

enum saved_space {
#define SPACE(name, byte, what) SAVED_##name = byte,
#include "state/space.def"
#undef SPACE
};

void saved_clock_put(struct store_batch *batch, const char *source,
                     const struct engine_clock *clock);
/* The clock of a source's group, if there is one. False and why: the database cannot be read, or it is
 * damaged. */
bool saved_clock_get(struct store *st, const char *source, bool *found_out,
                     struct engine_clock *clock_out, struct buf *why);

void saved_position_put(struct store_batch *batch, const struct position *position);
void saved_position_remove(struct store_batch *batch, const char *source, const char *partition,
                           uint32_t generation);

struct saved_positions { /* embedded: _fini */
    struct position *position; /* owned array, each with what it owns */
    size_t n, cap;
};
/* All there are. False and why: the database cannot be read, or a record is damaged. */
bool saved_positions_read(struct store *st, struct saved_positions *all_out, struct buf *why);
void saved_positions_fini(struct saved_positions *all);

#endif
