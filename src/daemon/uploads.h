// SPDX-License-Identifier: Apache-2.0
/*
 * uploads - the rows that came over the HTTP interface in place of those of tables' files: what the database
 * has of them (heads of all versions), and the rows of those that rules use, in memory.
 *
 *   uploads_open        heads; what was begun and never used goes
 *   uploads_given       the compiler asks for rows (row_form.h): those in memory if they have its columns, else
 *                       made again from their lines, or read from the database
 *   uploads_take        rows that are new: a version that nothing refers to yet
 *   uploads_keep_only   after a change, or one that was not made: what no generation has leaves the memory
 *
 * Which version a set of rules has is in its record (generation.upload). All of it is the main thread's.
 */
#ifndef DAEMON_UPLOADS_H
#define DAEMON_UPLOADS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event/row_form.h"
#include "state/table_version.h"

struct buf;
struct checkpoint;
struct generation;
struct modules;
struct row_table;
struct uploads;

struct upload_head {
    char *table, *who, *key;
    struct table_version is; /* its texts: these */
};

struct upload {
    char *table;
    uint64_t version;
    uint8_t id[16];
    struct row_form *form;   /* the columns that rows have; their lines are in the column behind them */
    struct row_table *rows;
};

/* NULL and why. */
struct uploads *uploads_open(struct checkpoint *cp, struct buf *why);
void uploads_free(struct uploads **up);
/* Of the versions of a table the newest; NULL: there is none. Valid until uploads_reread. */
const struct upload_head *uploads_last(const struct uploads *up, const char *table);
const struct upload_head *uploads_head(const struct uploads *up, const char *table, uint64_t version);
/* All heads: by table, oldest first. */
const struct upload_head *uploads_heads(const struct uploads *up, size_t *n_out);
/* After a change that is durable. */
bool uploads_reread(struct uploads *up, struct buf *why);
/* For rows that are about to be written. */
uint64_t uploads_next_data(struct uploads *up);
/* rows, form: taken. The version is the one of the head. */
void uploads_take(struct uploads *up, const struct table_version *head, struct row_form *form,
                  struct row_table *rows);
/* With its rows in memory: read from the database if they are not. form: what is wanted of them, if they have to
 * be. NULL and why. Valid until uploads_keep_only. */
const struct upload *uploads_get(struct uploads *up, const char *table, uint64_t version,
                                 const struct row_form *form, struct buf *why);
/* Bytes of rows, as lines, that a set of rules has; but of this table (NULL: all count). */
uint64_t uploads_bytes(const struct uploads *up, const struct generation *gen, const char *but);
void uploads_keep_only(struct uploads *up, const struct modules *mods);
/* All versions of the table go but the newest `keep`, those that a generation has, and those that these are
 * changes of. Behind the change, not with it: events wait for that. */
void uploads_prune(struct uploads *up, const struct modules *mods, const char *table, uint32_t keep,
                   struct store_batch *batch);
/* Reads the rows of a version: any thread, of heads that are copied (newest last, the first one full). most: bytes;
 * NULL and why. */
struct row_table *uploads_read(struct store *st, const struct table_version *head, size_t n,
                               const struct row_form *form, struct buf *why);
/* The versions that make up this one, the full one first; owned array, its texts borrowed. 0: some are gone. */
size_t uploads_chain(const struct uploads *up, const char *table, uint64_t version,
                     struct table_version **chain_out);

/* Who asks: a generation's versions. */
struct uploads_view {
    struct uploads *up;
    const struct generation *gen;
};
row_given_fn uploads_given; /* ctx: an uploads_view */

#endif
