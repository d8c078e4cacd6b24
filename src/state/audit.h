// SPDX-License-Identifier: Apache-2.0
/*
 * audit - who changed what over the HTTP interface. An entry is written with the change that it tells
 * of, in one batch, so neither is without the other. The last AUDIT_MOST are kept.
 *
 * struct audit belongs to the thread that makes changes; reading is for any.
 */
#ifndef STATE_AUDIT_H
#define STATE_AUDIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "state/store.h"

struct audit;
struct buf;

enum { AUDIT_MOST = 10000 };

struct audit_entry {
    uint64_t number;  /* from 1 */
    int64_t time;     /* wall ns */
    const char *who, *from, *what, *name, *before, *after, *result; /* NUL-terminated, never NULL */
};

/* NULL when the last number cannot be found out. */
struct audit *audit_open(struct store *st, struct buf *why);
void audit_free(struct audit **audit);
/* Numbers the entry and puts it; its number is not looked at. */
void audit_add(struct audit *audit, struct store_batch *batch, const struct audit_entry *entry);
/* A number for an entry that another thread puts, in the batch of the change that it tells of; one that is
 * never put is no harm. Put again it takes the place of the one before. */
uint64_t audit_reserve(struct audit *audit);
void audit_put(struct store_batch *batch, const struct audit_entry *entry);
uint64_t audit_next(const struct audit *audit); /* number of the next entry */
/* False: damaged, or of a later version. Its texts are borrowed from `texts`, which is filled anew. */
bool audit_decode(const void *key, size_t key_len, const void *value, size_t len, struct buf *texts,
                  struct audit_entry *entry_out);

/* False ends the list. */
typedef bool audit_found_fn(void *ctx, const struct audit_entry *entry);
/* Oldest first, from number `first` on. */
enum store_result audit_list(struct store *st, uint64_t first, audit_found_fn *found, void *ctx,
                             struct buf *why);

#endif
