// SPDX-License-Identifier: Apache-2.0
/*
 * source_kafka - topics of Kafka as a source: each partition of a topic is one, "TOPIC/NUMBER", its offsets
 * are Kafka's. One daemon reads all partitions; what other members of the group do is of no matter.
 *
 *     value of a record    the line. NULL and empty ones are passed over, and counted
 *     @kafka.*             key, topic, partition, offset, timestamp, headers.NAME: put into the line as its
 *                          first member, if a rule reads one of them (source.h: wants_meta); keys and headers
 *                          as text, bytes that are no UTF-8 as U+FFFD; of a header that comes twice the last
 *     aborted records      never read (read_committed). While a transaction is open its partition is not
 *                          read to its end: it holds time
 *
 * Where reading begins: at the saved position; else, at the first start, where `start` says; partitions that
 * come later at their beginning. Positions are told to the group for who watches lag, never read from there.
 *
 * What is noticed, before a record is given (`on_reset` says what then):
 *   - the next record is gone, the oldest is a later one    retention, deleted records
 *   - the partition ends before the position                truncated, or another topic of that name
 *   - a record that was read is there and is another one    another topic of that name. Compared is an
 *     *anchor*, a record a little before the position; it is saved as the position's identity
 * Each time that a partition is taken up - at a start, after any error, after brokers were away - these are
 * looked at. What cannot be noticed: another topic that has the same records as the old one around the
 * position, or has lost (compaction, retention) the one at the anchor's offset but not what is behind the
 * position. A topic that is another one is a new generation of the partition.
 *
 * Rows (`rows`): what a table reads. All that is known of a record is @row.*, in every line, with `id` (the record's key: "t" and its text, or "x"
 * and its bytes in hexadecimal digits, if they are no UTF-8; missing: it has none) and, of a record without a value,
 * `deleted`. An empty value is a line, and no JSON. A topic that is not there is waited for. When records are gone,
 * or the topic is another one, it is read again from its start, as a new generation; a partition that the topic does
 * not have any more has ended. Read to its end is also one whose end, as it was when that was first reached, was
 * passed, though a transaction is open.
 *
 * Stalled: no broker answers for 5 s, a partition has no leader, its topic is gone, its records are gone
 * (`fail`), or it cannot be read for another reason. Idle can only be what was read to its end while its
 * brokers answer. Memory: queued.max.messages.kbytes (4 MiB, and one fetch more) a partition.
 */
#ifndef IO_SOURCE_KAFKA_H
#define IO_SOURCE_KAFKA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "io/kafka.h"
#include "io/source.h"

struct buf;

struct source_kafka_options { /* borrowed for the call */
    const char *name;
    struct kafka_settings settings;
    const char *const *topic;  /* names; with `^` at their beginning, patterns (base/regex.h), which find no `__*` */
    size_t n_topics;
    const char *group;         /* NULL: positions are told to nobody */
    int64_t start;             /* ns of Unix time, KAFKA_EARLIEST, KAFKA_LATEST */
    enum kafka_reset on_reset;
    int64_t until;             /* without follow: to the first record that is not before it; KAFKA_LATEST: to the
                                  ends that there are when it begins */
    bool follow;
    bool rows;                 /* records are rows of a table: see below */
    int64_t reread_after;      /* rows: ns without being at its end after which a partition is read again from its start */
    size_t max_line;           /* bytes of a value */
    size_t padding;            /* readable bytes behind each line */
    int64_t idle;              /* ns; brokers are asked at least three times in it */
    const struct source_position *saved;
    size_t n_saved;
};

/* NULL and a message in why if settings or patterns cannot be used. Waits for nobody. */
struct source *source_kafka_new(const struct source_kafka_options *opt, struct buf *why);
/* The reader's thread, once it is ready: is each topic there that has a name? False, and in why which are not. */
bool source_kafka_complete(const struct source *source, struct buf *why);

#endif
