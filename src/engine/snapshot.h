// SPDX-License-Identifier: Apache-2.0
/*
 * snapshot - the codec of state: field by field, versioned, every read bounds-checked.
 *
 * A partition is coded by itself (partition_encode: its key, its events once each, its runs), so a
 * store can keep one a record (record.h); engine_snapshot is a header, the rules' own state, and all
 * partitions. Rules and streams are named, not numbered. An event is its position, its time and its
 * raw text: its slots are decoded again, so a program that reads other fields can restore it.
 * Deadlines are coded as they were set: another program with other delays leaves them as they are.
 */
#ifndef ENGINE_SNAPSHOT_H
#define ENGINE_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

struct arena;
struct deadline;
struct deadline_queue;
struct decoder;
struct engine;
struct event;
struct hash_index;
struct origin;
struct origin_list;
struct partition;
struct program;
struct reader;
struct rule_state;
struct value;

enum { SNAPSHOT_VERSION = 2 };

#define NO_DUE INT64_MAX /* a deadline that is not set */

/* Deadlines of what was restored, set at the end in the order of their times. */
struct restored_deadline {
    struct deadline_queue *queue;
    struct deadline *deadline;
    int64_t due;
    uint64_t seq;
};

/* The state of one key on its way out: streams and events are met while its body is written, and
 * come before it. Can be used again and again. */
struct encoding {
    const struct program *prog;
    struct buf body;
    int64_t due;                  /* the earliest of its deadlines; NO_DUE: none */
    struct event **ev;            /* each once, in order of first sight */
    size_t n_events, cap_events;
    struct hash_index *index;     /* of events, once there are many; or NULL */
    uint64_t last_event;          /* numbers are coded as differences: what leaves at the front
                                     changes nothing behind it */
    uint16_t *stream;
    size_t n_streams, cap_streams;
};

struct restore {
    struct engine *en;
    struct decoder *decoder;
    struct arena *scratch;        /* of its own: a key is restored while an event is offered */
    struct event **ev;            /* events of the partition being decoded; references owned */
    size_t n_events;
    uint64_t last_event;
    uint16_t *stream;             /* the partition's stream numbers to the program's */
    size_t n_streams;
    int64_t due;                  /* the earliest deadline that was restored; NO_DUE: none */
    bool *restored;               /* [n_rules] seen in the snapshot */
    struct restored_deadline *due_list;
    size_t n_due, cap_due;
};

void encoding_init(struct encoding *ec, const struct program *prog);
void encoding_fini(struct encoding *ec);
void encode_stream(struct encoding *ec, uint16_t stream);
void encode_due(struct encoding *ec, const struct deadline *dl);
void encode_due_at(struct encoding *ec, int64_t due);

void restore_init(struct restore *re, struct engine *en);
void restore_fini(struct restore *re);
/* Sets all deadlines that were restored, in their order. */
void restore_deadlines(struct restore *re);
void restore_deadline(struct restore *re, struct deadline_queue *queue, struct deadline *deadline,
                      int64_t due, uint64_t seq);
/* The program's number; sets r->bad if the partition has no such stream. */
uint16_t decode_stream(const struct restore *re, struct reader *r);
int64_t decode_due(struct reader *r);

/* snapshot.c: what belongs to the whole rule but its suppress entries; `limit` deadlines are restored */
void rule_encode(struct buf *out, const struct engine *en, const struct rule_state *rs);
bool rule_decode(struct restore *re, struct rule_state *rs, struct reader *r);

/* snapshot_partition.c: all but the key, appended to out */
void partition_encode_state(struct encoding *ec, struct buf *out, const struct partition *part);
/* A new partition of the key, with all its state; NULL: that is no state of the rule's (then the
 * engine holds some of it, and only engine_free is safe). */
struct partition *partition_decode_state(struct restore *re, struct rule_state *rs, uint64_t hash,
                                         const struct value *key, struct reader *r);
void partition_key_encode(struct buf *out, const struct partition *part);
/* Values are in re->scratch; NULL: not a key of the rule's. */
struct value *partition_key_decode(struct restore *re, const struct rule_state *rs,
                                   struct reader *r);

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
