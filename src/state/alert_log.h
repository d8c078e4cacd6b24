// SPDX-License-Identifier: Apache-2.0
/*
 * alert_log - alerts kept for looking at, whatever sinks they go to: numbered 1, 2, 3 ... as they become
 * durable, in the same batch as their epoch, so that a number stays with its alert whatever happens.
 *
 *      pushed out      |  segment  |  segment  | open segment |~~~~~~~~~~~~~~~~~|
 *     1 ...            first                                   end               next
 *                                                  durable     ^   being written
 *
 * Numbers have no holes: what is kept is [first, next). They are counted in segments, about 256 for each
 * bound; beyond a bound (count, bytes, age) the oldest segment goes, without being read (but for those of larger
 * bounds, as they were before: such a one is read once, and becomes several). With its segment a
 * number is known to hold nothing of a time. The records of segments and one META record are in the batch
 * of what they count: opening reads these alone.
 *
 * The checkpoint thread adds; any thread asks and reads. Alerts of a rule beyond its `limit alerts` are
 * dead letters, and not here.
 */
#ifndef STATE_ALERT_LOG_H
#define STATE_ALERT_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "state/alert_record.h"
#include "state/store.h"

struct alert_log;
struct buf;

struct alert_log_options {
    uint64_t max_count, max_bytes; /* max_count 0: there is no log */
    int64_t keep;                  /* ns after which one goes */
};

struct alert_log_range {
    uint64_t first, end; /* what is kept and durable: [first, end) */
};

struct alert_log_stats {
    uint64_t count, bytes; /* that are there */
    uint64_t added;        /* since the database was made */
    uint64_t pushed_out;   /* of those: by the bounds */
};

/* NULL when what is counted cannot be read. */
struct alert_log *alert_log_open(struct store *st, const struct alert_log_options *opt,
                                 struct buf *why);
void alert_log_free(struct alert_log **log);

/* ---- the checkpoint thread -------------------------------------------------------------------- */

/* Numbers the record (its number is not looked at) and puts it. */
void alert_log_add(struct alert_log *log, struct store_batch *batch, const struct alert_record *record);
/* Takes out what is beyond the bounds, not too much at once, and puts what is counted, if it changed. Once a
 * batch, at its end. */
void alert_log_finish(struct alert_log *log, struct store_batch *batch, int64_t now_wall);
/* The batch is durable. */
void alert_log_told(struct alert_log *log);
/* When a batch is due though nothing is added: in so many ns; INT64_MAX: not. */
int64_t alert_log_due(struct alert_log *log, int64_t now_wall);

/* ---- any thread ------------------------------------------------------------------------------- */

struct alert_log_range alert_log_range(struct alert_log *log);
struct alert_log_stats alert_log_stats(struct alert_log *log);
/* Calls come when there is a new end, on the checkpoint thread with the log locked: it may only wake
 * another. NULL: nobody any more, nor will be when this returns. */
void alert_log_listen(struct alert_log *log, void (*come)(void *ctx), void *ctx);
/* From `number` on (back: and down) the first number whose segment may hold a time in [since, until);
 * numbers that are not kept are passed over. 0: there is none. */
uint64_t alert_log_seek(struct alert_log *log, uint64_t number, int64_t since, int64_t until,
                        bool back);

/* record NULL: number is damaged. False ends it. */
typedef bool alert_log_found_fn(void *ctx, uint64_t number, const struct alert_record *record);
/* Those from `number` on, or back from it. Any thread; does not wait for a database that is being opened
 * again. Beyond the end of alert_log_range it may find what is not durable yet: the caller's to stop. */
enum store_result alert_log_read(struct store *st, uint64_t number, bool back,
                                 alert_log_found_fn *found, void *ctx, struct buf *why);

/* ---- for a check ------------------------------------------------------------------------------ */

struct alert_segment {
    uint64_t first, n, bytes;
    int64_t oldest_at, newest_at;       /* wall time, ns */
    int64_t least_time, most_time;      /* of the events */
};
/* False: damaged, or of another kind. */
bool alert_segment_decode(const void *key, size_t key_len, const void *value, size_t len,
                          struct alert_segment *segment_out);
void alert_segment_encode(const struct alert_segment *segment, struct buf *value_out);
/* The META record, if it is that. False: damaged. */
bool alert_log_read_counts(const void *key, size_t key_len, const void *value, size_t len,
                           uint64_t *next_out, bool *known_out);

#endif
