// SPDX-License-Identifier: Apache-2.0
/*
 * snapshot - the codec of state: field by field, versioned, every read bounds-checked.
 *
 * A partition is coded by itself (partition_encode: its key, its events once each, its runs), so a
 * store can keep one a record; engine_snapshot is a header, the rules' own state, and all
 * partitions. Rules and streams are named, not numbered. An event is its position, its time and its
 * raw text: its slots are decoded again, so a program that reads other fields can restore it.
 * Deadlines are not coded: they follow from what a run has bound (run_deadlines).
 */
#ifndef ENGINE_SNAPSHOT_H
#define ENGINE_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;
struct deadline;
struct deadline_queue;
struct decoder;
struct engine;
struct event;
struct origin;
struct origin_list;
struct partition;
struct reader;
struct rule_state;

enum { SNAPSHOT_VERSION = 1 };

/* Deadlines of what was restored, set at the end in the order of their times. */
struct restored_deadline {
    struct deadline_queue *queue;
    struct deadline *deadline;
    int64_t due;
    uint64_t seq;
};

struct restore {
    struct engine *en;
    struct decoder *decoder;
    struct event **ev;            /* events of the partition being decoded; references owned */
    size_t n_events;
    uint16_t *stream;             /* the snapshot's stream numbers to the program's */
    uint32_t n_streams;
    bool *restored;               /* [n_rules] seen in the snapshot */
    struct restored_deadline *due;
    size_t n_due, cap_due;
};

/* snapshot_partition.c */
void partition_encode(struct buf *out, const struct partition *part);
bool partition_decode(struct restore *re, struct rule_state *rs, struct reader *r);
void restore_deadline(struct restore *re, struct deadline_queue *queue, struct deadline *deadline,
                      int64_t due, uint64_t seq);

/* snapshot_event.c */
void event_encode(struct buf *out, const struct event *ev);
/* Returns an owned reference; NULL if the bytes are no event. */
struct event *event_decode(struct restore *re, struct reader *r);
/* Finds or adds; the list owns it. */
const struct origin *origin_list_get(struct engine *en, const char *source, size_t source_len,
                                     const char *partition, size_t partition_len,
                                     uint32_t generation);
void origin_list_free(struct origin_list **list);

#endif
