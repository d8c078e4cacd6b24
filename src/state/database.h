// SPDX-License-Identifier: Apache-2.0
/*
 * database - the state directory: is it ours, of our format, and what is it called?
 *
 *     DIR/db       LevelDB (store.h)
 *     DIR/spool    input that cannot be asked again
 *     DIR/spill    events that wait; wiped at each start
 *
 * The META record "database" names it, the META record "epoch" counts what was written.
 */
#ifndef STATE_DATABASE_H
#define STATE_DATABASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "state/store.h"

struct buf;

/* Of the database; a later one is refused with advice. 2: with directories of keys (engine/directory.h), which
 * a state of format 1 gets while it is used. */
enum { STATE_FORMAT = 2, STATE_FORMAT_OLDEST = 1 };

struct database_meta {
    uint32_t format;
    int64_t created;      /* wall time, ns */
    uint8_t id[16];       /* random */
    uint64_t epoch;       /* how many epochs were written */
    int64_t epoch_time;   /* wall time of the last one; 0: none yet */
};

/* Opens DIR (makes it with opt->create; a directory of something else is refused). NULL and a message
 * with advice in why. */
struct store *database_open(const char *dir, const struct store_options *opt,
                            struct database_meta *meta_out, struct buf *why);
/* A database without a name yet in a directory that has none, for an import: the record that names it is
 * written last. NULL and a message with advice. */
struct store *database_make(const char *dir, struct buf *why);
/* Puts the record that counts epochs. */
void database_put_epoch(struct store_batch *batch, uint64_t epoch, int64_t time);
/* One META record; *known_out: is its key one of ours? False: damaged, or of a later version. */
bool database_read_meta(struct database_meta *meta, const void *key, size_t key_len,
                        const void *value, size_t len, bool *known_out);
/* Is it a format that this version reads? */
bool database_knows_format(uint32_t format);
/* Is key the META record that names the database? (An import writes it last.) */
bool database_is_name(const void *key, size_t key_len);

#endif
