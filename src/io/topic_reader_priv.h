// SPDX-License-Identifier: Apache-2.0
/*
 * topic_reader_priv - the inside of topic_reader: topic_reader.c (queue, thread), topic_reader_part.c (partitions).
 */
#ifndef IO_TOPIC_READER_PRIV_H
#define IO_TOPIC_READER_PRIV_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/buf.h"
#include "io/kafka_priv.h"
#include "io/topic_reader.h"

enum { TOPIC_ASK_MS = 2000 };

struct topic_part {
    struct topic_position pos;
    bool reads;         /* consuming was begun */
    bool at_end;        /* seen since it was taken up */
    bool renewed;       /* its next record is the first of another topic */
    uint64_t low;       /* first offset, when it was taken up */
    uint64_t ahead;     /* records before its end, as it was last seen */
};

struct topic_reader {
    char *name, *topic; /* owned */
    bool go_on;
    size_t max_value, max_waiting;
    struct kafka_told told;
    rd_kafka_t *rk;
    rd_kafka_topic_t *rkt;
    rd_kafka_queue_t *queue;
    pthread_t thread;
    /* the thread's */
    struct topic_part *part; /* owned */
    size_t n_parts;
    int64_t look;       /* monotonic: the next look at how many partitions there are */
    int64_t answered;   /* monotonic: when a broker last did */
    bool connected;
    /* any thread's */
    _Atomic bool stopping, doubtful;
    pthread_mutex_t lock; /* all below */
    pthread_cond_t changed;
    enum topic_state state;
    char *why;          /* owned; NULL: nothing is the matter */
    struct topic_record *first, **last;
    size_t waiting;     /* bytes */
    uint64_t waiting_records, behind;
};

/* topic_reader.c */
/* Takes the record. Waits while too much waits. */
void topic_reader_put(struct topic_reader *r, struct topic_record *record);

/* topic_reader_part.c; the thread alone. */
/* Asks which partitions there are and takes up those that are not read. False and why: not now; *lost_out: never. */
bool topic_part_connect(struct topic_reader *r, bool *lost_out, struct buf *why);
/* All are to be taken up again. */
void topic_part_stop(struct topic_reader *r);
/* What came. False and why, as above. */
bool topic_part_take(struct topic_reader *r, rd_kafka_message_t *msg, bool *lost_out, struct buf *why);
/* Was each read to its end? */
bool topic_part_all_read(const struct topic_reader *r);
/* Counts what is ahead. */
uint64_t topic_part_ahead(struct topic_reader *r);

#endif
