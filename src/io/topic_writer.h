// SPDX-License-Identifier: Apache-2.0
/*
 * topic_writer - messages into a topic of Kafka, in their order, each at least once, by a thread of its own.
 *
 * The producer is idempotent and every message is acknowledged by all replicas in sync. When one fails the
 * producer is given up, and a new one sends from the first message that is not acknowledged; so after a failure
 * some come twice. One that is too large for the topic is told, counted, and passed over.
 */
#ifndef IO_TOPIC_WRITER_H
#define IO_TOPIC_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "io/kafka.h"

struct buf;
struct topic_writer;

struct topic_writer_options {
    const char *name;              /* for the log; copied */
    struct kafka_settings settings; /* copied */
    const char *topic;
    uint64_t max_count, max_bytes; /* that wait: beyond it the oldest are dropped, and counted */
};

struct topic_writer_stats {
    uint64_t waiting, bytes;       /* messages that are not acknowledged */
    uint64_t written, dropped;     /* too large, or too many waited */
    bool failing;
};

/* Any thread may call what follows. */

/* NULL and why: options do not fit together. */
struct topic_writer *topic_writer_new(const struct topic_writer_options *opt, struct buf *why);
/* Sends what it can within that time (ns), and gives the rest up. */
void topic_writer_free(struct topic_writer **w, int64_t within);
/* number: above those before it. Copies key (NULL: none) and value. */
void topic_writer_put(struct topic_writer *w, uint64_t number, const char *key, size_t key_len, const char *value,
                      size_t len);
/* All up to this number are settled: acknowledged, or dropped. 0: none is yet. */
uint64_t topic_writer_settled(struct topic_writer *w);
/* why: appended why it fails, if it does. */
void topic_writer_stats(struct topic_writer *w, struct topic_writer_stats *stats_out, struct buf *why);

#endif
