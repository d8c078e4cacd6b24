// SPDX-License-Identifier: Apache-2.0
/*
 * topic_reader - a topic of Kafka, small, all of its partitions: read from where it was left, by a thread of
 * its own that may wait for brokers, and then followed. Without a group: nobody else's reading matters.
 *
 *     CONNECTS --partitions and their offsets--> READS --all ends were seen--> CAUGHT_UP
 *        ^                                         |                               |
 *        '---- brokers away, no such topic, errors, a leader lost: told in why ----'
 *     any --its records are gone, or it is another topic, and `on_reset` is not to go on--> LOST
 *
 * Invariants:
 *  1. records of a partition are given in their order, each once; what a transaction did not commit never.
 *  2. each time that a partition is taken up, records before its position are compared with its anchors.
 *  3. what was read and not taken is bounded: beyond it nothing is read.
 */
#ifndef IO_TOPIC_READER_H
#define IO_TOPIC_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "io/kafka.h"
#include "io/topic_position.h"

struct buf;
struct topic_reader;

struct topic_reader_options {
    const char *name;              /* for the log; copied */
    struct kafka_settings settings;
    const char *topic;
    const struct topic_position *saved; /* copied */
    size_t n_saved;
    bool go_on;                    /* another topic, or lost records: said, and read from the beginning; else LOST */
    size_t max_value;              /* bytes; of what is longer the length alone is given */
    size_t max_waiting;            /* bytes of records that were not taken; one more than that may be */
};

enum topic_state { TOPIC_CONNECTS, TOPIC_READS, TOPIC_CAUGHT_UP, TOPIC_LOST };

struct topic_header {
    char *name, *value;            /* value NULL: longer than TOPIC_HEADER_MOST; may hold any byte */
    size_t len;
};
enum { TOPIC_HEADERS_MOST = 64, TOPIC_HEADER_MOST = 1024 };

/* A record; or the end of a partition was seen, the first time or after it was taken up again. */
struct topic_record {
    struct topic_record *next;     /* the reader's */
    bool is_end;                   /* nothing but partition and offset: what was behind it is to come */
    bool is_new;                   /* first of a topic that took the place of what was read: positions are void */
    int32_t partition;
    uint64_t offset;
    uint64_t hash;                 /* for topic_position_note */
    int64_t time;                  /* ns, as the brokers have it; INT64_MIN: none */
    char *key, *value;             /* NUL-terminated; NULL: there is none. value NULL and too_long: len alone */
    size_t key_len, len;
    bool too_long;
    struct topic_header header[TOPIC_HEADERS_MOST]; /* the first ones */
    size_t n_headers;
};

/* Any thread may call what follows. */

/* Begins to connect. NULL and why: options do not fit together. */
struct topic_reader *topic_reader_new(const struct topic_reader_options *opt, struct buf *why);
void topic_reader_free(struct topic_reader **r);
/* The next one, if there is one now; returns owned. */
struct topic_record *topic_reader_take(struct topic_reader *r);
/* Is there one now? */
bool topic_reader_has(struct topic_reader *r);
void topic_record_free(struct topic_record **record);
/* TOPIC_CAUGHT_UP only if all before it was taken, too. why: appended what is the matter, if anything is. */
enum topic_state topic_reader_state(struct topic_reader *r, struct buf *why);
/* Records that are there and were not taken, as far as it is known. */
uint64_t topic_reader_behind(struct topic_reader *r);

#endif
