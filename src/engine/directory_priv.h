// SPDX-License-Identifier: Apache-2.0
/* directory_priv - what writing and reading a directory share. */
#ifndef ENGINE_DIRECTORY_PRIV_H
#define ENGINE_DIRECTORY_PRIV_H

#include "base/buf.h"
#include "engine/directory.h"
#include "engine/record_priv.h"

enum { DIRECTORY_VERSION = 1 };
enum { MOST_BITS = 24 };
enum { CHANGE_BYTES = 3 * 8, PLACE_BYTES = 2 * 8 };
enum { RECORD_COST = 1024 };     /* bytes that reading one more record is worth */

struct change {
    uint64_t hash, before, after;
};

struct changes {
    struct change *at;
    size_t n, cap;
};

/* Keys that went, by the first bits of their hashes: a page asks for those of its own. */
enum { GONE_BITS = 8, GONE_LISTS = 1 << GONE_BITS };
struct gone {
    struct changes list[GONE_LISTS];
    size_t n; /* in all */
};

/* The records 'u' of one epoch. */
struct change_records {
    uint64_t epoch;
    uint32_t parts;
    uint64_t cost;
};

struct directory {
    uint64_t epoch;        /* its own count: the closing one */
    bool whole;            /* the pages hold all keys */
    bool sweeping;
    uint8_t bits;          /* there are 1 << bits pages; */
    uint8_t next_bits;     /* sweeping: so many of those before the cursor */
    uint64_t cursor;       /* sweeping: the first hash of the pages that are not written yet */
    uint64_t sweep_from;   /* the epoch in which it began */
    struct gone *open;     /* keys that went since the barrier; NULL: none yet */
    struct gone *went;     /* in the closing epoch */
    struct changes closing; /* those that were encoded */
    size_t list, written;  /* of `went`, then of the closing: this list, so many of it */
    bool planned;          /* what this epoch writes of pages is known: */
    uint64_t budget;       /* bytes */
    bool moved;            /* the head is to be written */
    struct change_records *records; /* by epoch */
    size_t n_records, cap_records;
    uint64_t debt;         /* their cost */
    struct directory_sums told; /* in the last head */
    struct directory_loading *loading; /* at a start, until it is settled */
};

/* At a start, and for directory_verify.h: what was read so far. */
struct directory_page {
    uint64_t start, epoch;
};

struct directory_loading {
    struct buf keys;     /* of all records: length and bytes each */
    struct directory_page *page; /* by start */
    size_t n_pages, cap_pages;
    struct record_place *place; /* of all pages, until they are in the table */
    size_t n_places, cap_places;
    struct directory_sums sums; /* the head's */
    bool has_head, placed, bad;
};

/* Each: false if it is damaged, or does not fit to those before. r: the value. */
bool directory_head_read(struct directory *dir, struct reader *r);
bool directory_page_read(struct directory *dir, uint64_t start, struct reader *r);
/* The changes of an epoch: a record of them, of `len` bytes, is counted. */
bool directory_note_changes(struct directory *dir, uint64_t epoch, uint64_t part, size_t len);
/* Are these the pages that the head says, each hash in one? */
bool directory_has_all_pages(const struct directory *dir);
/* Of the page that holds the hash; there is one. */
uint64_t directory_page_epoch(const struct directory_loading *lo, uint64_t hash);

/* Hashes of a page; 0: all of them. */
static inline uint64_t directory_span(uint8_t bits)
{
    return bits > 0 ? UINT64_C(1) << (64 - bits) : 0;
}
void directory_loading_free(struct directory_loading **loading);

#endif
