// SPDX-License-Identifier: Apache-2.0
/*
 * replay_stream - sources of a replay that are no files: each has partitions that it names itself, and ends of
 * its own (source.h, bounded: topics).
 *
 *     replay_stream_open --all partitions are told--> replay_stream_next, of the partition that is wanted
 *
 * Of a source one partition is read at a time, the others are paused: whatever the speed of each, no more waits
 * to be put in order than of files. What a source says of partitions that come later is passed over.
 * Nobody waits for ever: a source that cannot be read for REPLAY_PATIENCE is an error.
 */
#ifndef FLOW_REPLAY_STREAM_H
#define FLOW_REPLAY_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "io/source.h"

struct buf;

#define REPLAY_PATIENCE (INT64_C(30) * 1000000000)

/* A source of a replay, as the caller has it; borrowed until replay_free. */
struct replay_stream {
    struct source *source;
    int64_t lateness;  /* ns, or ORDER_WHOLE */
    size_t max_line;   /* bytes */
    bool time_record;  /* the time of an event is its record's */
    bool rows;         /* its records are rows of a table, at the times of records (flow/order_rows.c) */
    bool latest;       /* rows: whatever their times */
    int64_t future;    /* rows: ns that a record may be ahead of the beginning of the replay */
    bool (*complete)(const struct source *source, struct buf *why); /* is all there that it names? Or NULL */
};

/* One partition of it: source_partition.user. */
struct replay_stream_part {
    struct source *source;
    struct source_partition *partition;
    bool ended;
    int64_t stalled;   /* monotonic: since then; 0: it can be read */
    char *why;         /* owned; of the stall */
};

/* Waits until all partitions that there are have been told: owned array of owned, all are paused. False and why. */
bool replay_stream_open(const struct replay_stream *stream, struct replay_stream_part ***part_out, size_t *n_out,
                        struct buf *why);
void replay_stream_part_free(struct replay_stream_part **part);

enum replay_stream_result {
    REPLAY_STREAM_LINE,   /* or one that is too long: item_out */
    REPLAY_STREAM_END,
    REPLAY_STREAM_WAITS,  /* nothing came for a moment */
    REPLAY_STREAM_FAILED, /* why says it, without the partition's name */
};
/* The next line of a partition. */
enum replay_stream_result replay_stream_next(struct replay_stream_part *part, struct source_item *item_out,
                                             struct buf *why);

#endif
