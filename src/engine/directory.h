// SPDX-License-Identifier: Apache-2.0
/*
 * directory - which keys a rule has in the store, and when each is due: all that a start needs of them, in
 * few big records instead of one a key.
 *
 *     'D' incarnation 'h'               head: sums over all keys, which pages there are
 *     'D' incarnation 'p' hash          page: the places of the keys from this hash to the next page's, as they
 *                                       were at the end of an epoch
 *     'D' incarnation 'u' epoch part    what changed in an epoch: hash, place before, place after
 *
 * A place (record_stub.c; record_priv.h: stub_tag) says when the key is due; 0: there is none. What a start
 * takes is each page, and of the changes those of later epochs than the page's. When the changes have grown to
 * the size of the pages, the pages are written anew, some in each epoch (a sweep), and older changes go:
 *
 *   none --enough keys, at a barrier--> SWEEPING, not whole --all pages--> WHOLE <--enough changes / all
 *                                                                          pages--> SWEEPING, whole
 *
 * Invariants:
 *  1. pages and changes of the closing epoch are written when all its keys are encoded. Then the table of keys,
 *     with those that went since the barrier, is what the store holds: a key's place is that of its record.
 *  2. equal (hash, place) of two keys are the same to whoever reads them: changes take and give, they name no key.
 *  3. the head's sums are kept apart from pages and changes. A directory that does not add up to them is not
 *     used: the records of keys are read instead, and it is begun anew.
 */
#ifndef ENGINE_DIRECTORY_H
#define ENGINE_DIRECTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct directory;
struct reader;
struct records;
struct rule_records;
struct rule_state;

/* Of keys in the store. */
struct directory_sums {
    uint64_t keys, runs, charge;
    uint64_t check; /* of hashes and places, in any order */
};
void directory_sums_add(struct directory_sums *sums, uint64_t hash, uint64_t place, uint64_t runs,
                        uint64_t charge);
void directory_sums_less(struct directory_sums *sums, const struct directory_sums *less);
uint64_t directory_check(uint64_t hash, uint64_t place);

struct directory_sizes {
    uint64_t from;       /* keys: fewer are read one by one as fast */
    uint64_t page_keys;  /* at most so many in the middle */
    uint64_t part;       /* changes in one record */
    uint64_t least_debt; /* bytes of changes before pages are written anew */
    uint64_t least_pace; /* bytes of pages in an epoch */
    uint64_t first_pace; /* the same while it is not whole */
};
/* small: for tests. */
void directory_init(struct records *r, bool small);
void directory_free(struct directory **dir);

/* Writing. At the barrier, for each rule. */
void directory_close(struct records *r, struct rule_state *rs);
/* A key of the closing epoch was encoded; place 0: it was not in the store. */
void directory_change(struct rule_records *rr, uint64_t hash, uint64_t before, uint64_t after);
/* A key goes in the open epoch. */
void directory_gone(struct rule_records *rr, uint64_t hash, uint64_t place);
/* When all else of the closing epoch is written; true when all of it is. */
bool directory_write(struct records *r, uint64_t until);

/* Reading, at a start. False: of no known form. key: behind the incarnation. */
bool directory_restore(struct records *r, struct rule_state *rs, struct reader *key,
                       struct reader *value);
/* All its records were given. True: the rule's keys are in its table; else their records are wanted. */
bool directory_settle(struct records *r, struct rule_state *rs);

#endif
