// SPDX-License-Identifier: Apache-2.0
/* table_source - the sources that tables from Kafka have: of the daemon, and of a replay. */
#ifndef CONFIG_TABLE_SOURCE_H
#define CONFIG_TABLE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;
struct config;
struct program;
struct program_table;
struct source;
struct source_position;

enum { TABLE_SOURCE_MAX_LINE = 16 << 20 };             /* bytes of a value */
#define TABLE_SOURCE_FUTURE (INT64_C(300) * 1000000000) /* ns that a record may be ahead of its arrival */

/* Tables from Kafka in the order of their numbers: how many, and which is the `at`th (NULL: there are no more). */
size_t table_sources(const struct program *prog);
const struct program_table *table_source_at(const struct program *prog, size_t at);
/* Borrowed from prog. */
const char *table_source_name(const struct program *prog, const struct program_table *table);
/* The source of a table, owned. follow: it goes on from the positions saved (borrowed for the call); else it is read
 * from its start to the end that it has now. NULL and why, with the place of the table. */
struct source *table_source_new(const struct config *config, const struct program *prog,
                                const struct program_table *table, bool follow, const struct source_position *saved,
                                size_t n_saved, struct buf *why);

#endif
