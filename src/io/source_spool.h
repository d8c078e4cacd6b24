// SPDX-License-Identifier: Apache-2.0
/*
 * source_spool - a spool as a source of one partition, generation 0, from a saved position.
 *
 * Gives what is durable; arrival is what the spool's writer said. After spool_end: ENDED, FINISHED.
 * A saved position that is `ended` is no end: what was appended since is behind `read`, and is given.
 * Damage: STALLED with what is broken where, tried again each second. source_release lets the spool
 * remove what lies before `resume`.
 */
#ifndef IO_SOURCE_SPOOL_H
#define IO_SOURCE_SPOOL_H

#include <stddef.h>

#include "io/source.h"

struct spool;

/* Borrows spool. saved: NULL if there is no position (all that the spool has is read). */
struct source *source_spool_new(const char *name, const char *partition, struct spool *spool,
                                const struct source_position *saved, size_t padding);

#endif
