// SPDX-License-Identifier: Apache-2.0
/*
 * record - the state of an engine as records of an ordered key-value store, written in epochs.
 *
 *   engine_attach        who reads bodies, which incarnation each rule and table has
 *   engine_restore_record  each record of the store, in key order; bodies of keys stay in the store:
 *                        what is in memory of such a key is its place in the directory (hash, next
 *                        deadline)
 *   engine_restore_end
 *   ... engine_feed, engine_advance ...      a key that is touched, or due, is loaded
 *   engine_epoch_close   the barrier: what changed until here is the closing epoch. The engine goes
 *                        on at once; a key of the closing epoch is encoded before its next change,
 *   engine_epoch_slice   the others bit by bit
 *   engine_epoch_durable the closed epoch is in the store: its bodies may be evicted
 *   engine_evict         clean bodies go, the longest unchanged first
 *
 * Keys (numbers big endian; the store puts its own space byte before them):
 *     'R' incarnation                     rule: counters, period of `limit alerts`, what exceptions
 *                                         held back, the body's own
 *     'P' incarnation hash len key [chunk]  all state of one key; big ones in chunks (named by a hash
 *                                         of 8 bytes), of which only those that changed are written
 *                                         again
 *     'D' incarnation ...                 the directory of a rule's keys (directory.h)
 *     'S' incarnation key                 an entry of `suppress`
 *     'T' incarnation                     table that events feed: columns, counters
 *     'W' incarnation key                 a row of it
 * Each value begins with its codec version. A record holds all that it needs (names of streams,
 * deadlines as they were set), so another program with rules of the same shape can go on with it.
 *
 * Invariants:
 *  1. a key is in one of the lists: changed (open epoch), closing, clean; or only in the directory.
 *  2. what the store holds after a batch is the state at its barrier, whatever came after.
 *  3. charges (`limit state`, stats) do not depend on what is in memory.
 *  4. a body is evicted only if the epoch that last changed it is durable.
 */
#ifndef ENGINE_RECORD_H
#define ENGINE_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct engine;

struct record_writer {
    void (*put)(void *ctx, const void *key, size_t key_len, const void *value, size_t len);
    void (*remove)(void *ctx, const void *key, size_t key_len);
    void *ctx;
};

/* False ends the reading. */
typedef bool record_found_fn(void *ctx, const void *key, size_t key_len, const void *value,
                             size_t len);
struct record_reader {
    /* All records that begin with prefix, in key order, as of the last durable batch. False: the store
     * cannot be read; the engine then stops (engine_broken). */
    bool (*read)(void *ctx, const void *prefix, size_t prefix_len, record_found_fn *found,
                 void *found_ctx);
    void *ctx;
};

struct engine_attachment {
    struct record_reader reader;
    const uint32_t *rule_incarnation;  /* [n_rules]; 0: not of this engine, which offers it nothing
                                          (fresh ones get a number of their own from the caller) */
    const uint32_t *table_incarnation; /* [n_tables]; likewise */
    const bool *table_shared;          /* [n_tables] its records are another engine's to write; NULL: none */
    bool small_directories;            /* for tests: of a few keys, small pages, written anew often */
    bool draining;                     /* an older program: its rules begin nothing new (drain.c) */
    /* The event time up to which an older version of each rule began things, INT64_MIN: there is none;
     * and up to which a draining one did. Only for those that do not know it yet: from then on it is
     * part of the rule's record. NULL: none. */
    const int64_t *rule_begins, *rule_ends; /* [n_rules] */
};

/* Before anything else. Copies. Without it (replay, tests) an engine tracks nothing. */
void engine_attach(struct engine *en, const struct engine_attachment *attachment);
/* One record of this engine's rules and tables. False and why: damaged, or not of this shape. */
bool engine_restore_record(struct engine *en, const void *key, size_t key_len, const void *value,
                           size_t len, const char **why_out);
/* The keys of the rule are known already: records 'P' of this incarnation are not wanted. */
bool engine_restore_knows(struct engine *en, uint32_t incarnation);
/* Once, also when there was no record. Rules without one begin now. */
void engine_restore_end(struct engine *en);

/* Nothing of a draining engine is left that could be told, or that events could still come for. */
bool engine_drained(const struct engine *en);

/* What belongs to the whole engine and is kept by the caller, with its positions. */
struct engine_clock {
    int64_t now;   /* INT64_MIN: nothing came yet */
    int64_t since; /* INT64_MAX: nothing came yet */
    uint64_t seq;
    int64_t newest; /* state may hold what is as late as this, or `now`: sources were put together */
    int64_t shown;  /* the same of the events that they brought: the end of an input is no event */
    int64_t behind; /* the end of an input was decided, and what came after it begins anew behind this
                       time; INT64_MIN: there was none */
};
#define ENGINE_CLOCK_NONE                                                                             \
    {                                                                                                 \
        .now = INT64_MIN, .since = INT64_MAX, .newest = INT64_MIN, .shown = INT64_MIN,                \
        .behind = INT64_MIN                                                                           \
    }
struct engine_clock engine_clock_get(const struct engine *en);
void engine_clock_set(struct engine *en, const struct engine_clock *clock); /* before the first record */

/* No epoch may be closing. Borrows writer until the last slice. */
void engine_epoch_close(struct engine *en, const struct record_writer *writer);
/* Encodes about `most` bytes more; true when the epoch is complete (and the writer is let go). */
bool engine_epoch_slice(struct engine *en, uint64_t most);
void engine_epoch_durable(struct engine *en);
uint64_t engine_changed_bytes(const struct engine *en); /* about what the open epoch will write */
uint64_t engine_changed_memory(const struct engine *en); /* what it holds, which cannot be evicted */
uint64_t engine_memory(const struct engine *en);        /* bytes of state in memory, directory too */
uint64_t engine_loads(const struct engine *en);         /* keys that were wanted and not in memory */
/* Lets clean bodies go until about `target` bytes are left, or nothing more can go. */
void engine_evict(struct engine *en, uint64_t target);
/* The store could not be read, or what it held was damaged: nothing that the engine says counts any more.
 * NULL: it is well. */
const char *engine_broken(const struct engine *en);
/* What was wrong at the start and was made good; NULL: nothing. */
const char *engine_mended(const struct engine *en);

#endif
