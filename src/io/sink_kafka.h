// SPDX-License-Identifier: Apache-2.0
/*
 * sink_kafka - messages to a topic of Kafka.
 *
 * Of an alert the key of the record is the alert's: the value itself if it has one part (`alice`, `42`), the
 * JSON object if it has several, none if it has none. The value is the alert with detected_at. Late events
 * and dead letters have no key.
 *
 * Exactly once: what the outbox gives in one batch is one transaction, and with it goes the marker
 * (sink_kafka_marker.h). It needs neither Kafka as the source nor members of a group; no checkpoint waits for it.
 *
 *     start --> [if it is new here: the position becomes durable] --> connect:
 *          the marker as it is: is it ours? has another process taken over?   (nobody is fenced yet)
 *          init_transactions             ends what was left open, and fences whoever else has the id
 *          the marker, again             now it cannot change but by us
 *          claim: a transaction that writes it with our session
 *     deliver: numbers up to the marker are taken without sending, all of them in one batch (`unsure`), as the
 *              marker's own message, the last of them, tells whether they are those of the topic
 *          begin - produce ... produce   failpoints kafka_batch, kafka_begun
 *     flush:   the marker into the transaction - commit                 kafka_produced, kafka_marked, kafka_sent
 *          the outbox acknowledges                                      kafka_committed
 *
 * Invariants:
 *  1. A marker says that all messages of the outbox up to it are in the topic (but for those that became dead
 *     letters or were muted), and is written by the transaction that writes them.
 *  2. A producer whose transaction has an outcome that is not known is given up. The next one is made by the
 *     way above, so the marker tells which it was.
 *  3. A marker that this state directory cannot have written (it is another's, or the directory is an older
 *     copy) is never passed over by itself: the sink fails, with what can be done (`undecided`), and fences
 *     nobody. With `accept` all that waits is sent, and the marker is ours from then on.
 *  4. A producer that was fenced is made again only if its transaction had been open for as long as the
 *     brokers let one be, and the marker still has our session. Else another process has the id: `over`.
 *
 * At least once: an idempotent producer without transactions; the batch is acknowledged when all of it is.
 *
 * Errors. What can be made up for by the same call is called again, until the transaction's time-out. What
 * makes a transaction useless ends it, and the batch is sent again by the same producer. All else, also
 * what the library calls fatal, ends the producer. A message that is too large for the client is refused;
 * if a broker says so of a batch, its messages are sent one by one, so that it is known of which.
 */
#ifndef IO_SINK_KAFKA_H
#define IO_SINK_KAFKA_H

#include <stdbool.h>

#include "io/kafka.h"

struct buf;
struct sink;

struct sink_kafka_options {      /* all is copied */
    const char *name;            /* of the sink */
    const char *topic;
    const char *application;     /* transactional.id is `application.name` */
    struct kafka_settings settings;
    bool at_least_once;
    bool cloudevents;            /* CloudEvents in the binary mode: attributes as headers */
    bool accept_marker;
};

/* Connects to nobody yet: sink_start does. */
struct sink *sink_kafka_new(const struct sink_kafka_options *opt);
/* Could a producer begin so? Connects to nobody. False and why. */
bool sink_kafka_check(const struct sink_kafka_options *opt, struct buf *why);

#endif
