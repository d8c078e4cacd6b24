// SPDX-License-Identifier: Apache-2.0
/*
 * store - the database: ordered records, atomic synced batches, on LevelDB (store_leveldb.c). The
 * first byte of a key is its space (space.def). One process at a time; one thread writes (the
 * checkpoint thread); any thread may read what is durable.
 *
 * LevelDB particulars (1.23) that are handled here: a disk-full error sticks until the database is
 * closed and opened again (store_reopen); no database snapshots while writing (its issue 887); a log
 * that a power failure tore at its end is told from a damaged one (store_log.h).
 */
#ifndef STATE_STORE_H
#define STATE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;
struct store;
struct store_batch;

struct store_options {
    size_t write_buffer; /* bytes; 0: 8 MiB */
    size_t cache;        /* bytes; 0: 64 MiB */
    bool create;         /* if it is missing */
    bool read_only;      /* tools: nothing is written but what LevelDB does by itself */
};

enum store_result {
    STORE_OK,
    STORE_LOCKED,  /* another process has it */
    STORE_CORRUPT,
    STORE_FULL,    /* no space */
    STORE_FAILED,  /* anything else; the message says what */
};

enum store_result store_open(const char *dir, const struct store_options *opt,
                             struct store **store_out, struct buf *why);
void store_free(struct store **st);
/* Closes and opens again, after a failed write: what LevelDB's log holds behind a failed write cannot be
 * relied on, so store_write refuses until then. While it cannot be opened, readers wait. */
enum store_result store_reopen(struct store *st, struct buf *why);
/* Readers that wait for store_reopen give up (STORE_FAILED), for ever: at a stop. Any thread. */
void store_abandon(struct store *st);

struct store_batch *store_batch_new(void);
void store_batch_free(struct store_batch **batch);
void store_batch_clear(struct store_batch *batch);
void store_batch_put(struct store_batch *batch, const void *key, size_t key_len,
                     const void *value, size_t len);
void store_batch_remove(struct store_batch *batch, const void *key, size_t key_len);
size_t store_batch_bytes(const struct store_batch *batch);
/* Behind what is there already; more is empty then. */
void store_batch_append(struct store_batch *batch, struct store_batch *more);
/* All or nothing; with sync it is durable when this returns. The batch is kept: it may be written again. */
enum store_result store_write(struct store *st, const struct store_batch *batch, bool sync,
                              struct buf *why);

/* Between two batches, when nobody waits: what a big one left in the log goes into tables, in the background,
 * so that a start need not read it again. */
void store_rest(struct store *st);

/* False from `found` ends the reading. key and value are valid during the call. It may read itself. */
typedef bool store_found_fn(void *ctx, const void *key, size_t key_len, const void *value,
                            size_t len);
/* All records whose keys begin with prefix, in order. Any thread. Checksums are verified; after
 * STORE_CORRUPT what was found is not all there is. */
enum store_result store_read(struct store *st, const void *prefix, size_t prefix_len,
                             store_found_fn *found, void *ctx, struct buf *why);
/* The same from the key `from` (with that prefix) on. */
enum store_result store_read_from(struct store *st, const void *prefix, size_t prefix_len,
                                  const void *from, size_t from_len, store_found_fn *found,
                                  void *ctx, struct buf *why);
/* For who answers others: from the key `from`, or the first one behind it (back: the last one before it), on
 * or back, and does not wait while the database is being opened again: STORE_FAILED. */
enum store_result store_look(struct store *st, const void *prefix, size_t prefix_len,
                             const void *from, size_t from_len, bool back, store_found_fn *found,
                             void *ctx, struct buf *why);
/* One record appended to value_out; *found_out false if there is none. */
enum store_result store_get(struct store *st, const void *key, size_t key_len, bool *found_out,
                            struct buf *value_out, struct buf *why);
/* Does store_reopen wait for those who read? Who reads for long looks now and then, and gives up. */
bool store_is_wanted(struct store *st);
uint64_t store_disk_bytes(struct store *st);

#endif
