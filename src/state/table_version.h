// SPDX-License-Identifier: Apache-2.0
/*
 * table_version - the versions of tables that came over the HTTP interface, as the database keeps them
 * (space TABLE).
 *
 *   'v' table NUL version   a head: who, when, what it is; the rows of a *full* version are all its rows, those
 *                           of a *change* are put into, or taken out of, those of the version before it
 *   'd' data, piece         lines of JSON with their ends, whole ones; data: a number, piece: from 0
 *   'i' data                those pieces are being written, ahead of the head
 *
 * Many rows are written ahead, piece by piece, while events go on; the head, without which nobody finds them,
 * is in the checkpoint with which the rules begin to use them. What was begun and has no head goes at the
 * next start (table_data_forget).
 */
#ifndef STATE_TABLE_VERSION_H
#define STATE_TABLE_VERSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "state/store.h"

struct buf;

enum table_version_kind { TABLE_VERSION_FULL, TABLE_VERSION_CHANGE, TABLE_VERSION_REMOVED };

struct table_version {
    uint64_t number;       /* from 1; numbers go on when a table comes back */
    enum table_version_kind kind;
    int64_t time;          /* wall ns */
    uint64_t data;         /* number of its pieces; 0: it has none */
    uint32_t n_pieces;
    uint64_t data_bytes;   /* of its pieces */
    uint64_t rows, bytes;  /* of all its rows */
    uint8_t id[16];        /* of all its rows: those of a full one, or of the version before and the change */
    const char *table, *who, *key; /* decoded: borrowed from the record; key: the column that is its key */
    size_t table_len, who_len, key_len;
};

void table_version_put(struct store_batch *batch, const struct table_version *version);
/* Its head and its pieces. */
void table_version_remove(struct store_batch *batch, const char *table, uint64_t number, uint64_t data,
                          uint32_t n_pieces);
/* Of all that is behind 'v'. */
bool table_version_decode(const void *key, size_t key_len, const void *value, size_t len,
                          struct table_version *version_out);
/* False ends the list. */
typedef bool table_version_found_fn(void *ctx, const struct table_version *version);
/* Of a table, or (NULL) of all, oldest first. Any thread. */
enum store_result table_version_list(struct store *st, const char *table, table_version_found_fn *found,
                                     void *ctx, struct buf *why);

void table_piece_put(struct store_batch *batch, uint64_t data, uint32_t piece, const void *text,
                     size_t len);
void table_pieces_remove(struct store_batch *batch, uint64_t data, uint32_t n_pieces);
/* With the first ones of data that is written ahead. */
void table_data_begin(struct store_batch *batch, uint64_t data);
/* The head is in this batch. */
void table_data_done(struct store_batch *batch, uint64_t data);
typedef bool table_piece_found_fn(void *ctx, uint32_t piece, const char *text, size_t len);
/* In order. */
enum store_result table_data_read(struct store *st, uint64_t data, table_piece_found_fn *found,
                                  void *ctx, struct buf *why);
/* Removes what was begun and has no head; most_out: the greatest number of it; 0: there is none. */
enum store_result table_data_forget(struct store *st, struct store_batch *batch, uint64_t *most_out,
                                    struct buf *why);
/* For a check: a key of the space that begins with 'd' (piece: its number) or 'i' (UINT32_MAX). False: it is not well
 * formed, or that of a head. */
bool table_data_key_decode(const void *key, size_t key_len, uint64_t *data_out, uint32_t *piece_out);

#endif
