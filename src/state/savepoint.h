// SPDX-License-Identifier: Apache-2.0
/*
 * savepoint - all records of a database as one stream of bytes: to keep, to move to another machine, to
 * begin elsewhere with. Not in it: the spool and what waits in sources (positions refer to them).
 *
 *     "tocsin savepoint 1\n"
 *     frame ...     bytes of the payload (4), XXH3-64 of it with the frame's number, from 0, as seed (8)
 *                   payload: length of the key (varint), key, value. In the order of the keys
 *     end frame     payload: 0, number of records (8)
 *
 * Numbers little endian. Records are stored as they are; format and versions are in them.
 */
#ifndef STATE_SAVEPOINT_H
#define STATE_SAVEPOINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct buf;
struct store;

/* What writes takes all or says why not; what reads gives up to size bytes, 0 at the end, -1: why. */
typedef bool savepoint_write_fn(void *ctx, const void *data, size_t len, struct buf *why);
typedef ssize_t savepoint_read_fn(void *ctx, void *data, size_t size, struct buf *why);

/* All records, as one look at the store finds them. False and why: what was written is no savepoint. */
bool savepoint_export(struct store *st, savepoint_write_fn *write, void *ctx, uint64_t *records_out,
                      struct buf *why);
/* Into a store that database_make made. After false it holds no named database. */
bool savepoint_import(struct store *st, savepoint_read_fn *read, void *ctx, uint64_t *records_out,
                      struct buf *why);

#endif
