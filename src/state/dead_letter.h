// SPDX-License-Identifier: Apache-2.0
/*
 * dead_letter - what could not be used: broken lines of a source, alerts that a sink refused or that
 * its queue had no room for. Kept in the database, bounded: beyond the bounds the oldest go, counted.
 *
 * struct dead_letters belongs to the checkpoint thread, which alone writes. Its counts are in a META
 * record of the same batch as what they count, so opening needs no scan.
 */
#ifndef STATE_DEAD_LETTER_H
#define STATE_DEAD_LETTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "state/store.h"

struct buf;
struct dead_letters;

struct dead_letter {
    uint64_t seq;
    int64_t time;   /* wall time, ns */
    bool of_sink;   /* origin is a sink's name: it can be put into its queue again */
    bool is_alert;
    const char *origin, *reason, *text; /* decoded: borrowed from the record, not NUL-terminated */
    size_t origin_len, reason_len, len;
};

/* The record's value, appended. */
void dead_letter_encode(const struct dead_letter *letter, struct buf *value_out);
/* False: damaged, or of a later version. */
bool dead_letter_decode(const void *key, size_t key_len, const void *value, size_t len,
                        struct dead_letter *letter_out);

struct dead_letter_stats {
    uint64_t count, bytes; /* that are there */
    uint64_t added;        /* since the database was made */
    uint64_t pushed_out;   /* of those: by the bounds */
};

/* NULL when the counts cannot be read. */
struct dead_letters *dead_letters_open(struct store *st, uint64_t max_bytes, uint64_t max_count,
                                       struct buf *why);
void dead_letters_free(struct dead_letters **dl);
/* Numbers the letter (its seq is not looked at) and puts it. */
void dead_letters_add(struct dead_letters *dl, struct store_batch *batch,
                      const struct dead_letter *letter);
/* Takes one that is in the store out; the counts follow. */
void dead_letters_remove(struct dead_letters *dl, struct store_batch *batch, uint64_t seq,
                         size_t value_len);
/* Pushes out what is beyond the bounds and puts the counts, if they changed. Once a batch, at its end. */
void dead_letters_finish(struct dead_letters *dl, struct store_batch *batch);
struct dead_letter_stats dead_letters_stats(const struct dead_letters *dl);
/* For a check: the counts as they are recorded. False: damaged. */
bool dead_letters_read_stats(const void *key, size_t key_len, const void *value, size_t len,
                             struct dead_letter_stats *stats_out, bool *known_out);

/* Which ones: all that is said must be true. */
struct dead_letter_choice {
    uint64_t first, last; /* numbers */
    const char *sink;     /* of this sink; NULL: of anything */
    const char *origin;   /* of this source, or what else begins so up to a blank; NULL: of anything */
    const char *reason;   /* with this in the reason; NULL: any */
};
bool dead_letter_is_chosen(const struct dead_letter *letter, const struct dead_letter_choice *choice);
/* "17", "17-20", "17-", "all" (NULL, too) into first and last. False: it is none of these. */
bool dead_letter_choice_parse(struct dead_letter_choice *choice, const char *numbers);
/* {"number":17,"time":"...","sink":"pager","reason":"...","text":"..."}; of what is no sink's "origin". */
void dead_letter_add_json(struct buf *out, const struct dead_letter *letter);

/* False ends the list. */
typedef bool dead_letter_found_fn(void *ctx, const struct dead_letter *letter, size_t value_len);
/* Those from number `first` on, oldest first. Any thread. A damaged one ends it with STORE_CORRUPT. */
enum store_result dead_letter_list(struct store *st, uint64_t first, dead_letter_found_fn *found,
                                   void *ctx, struct buf *why);

#endif
