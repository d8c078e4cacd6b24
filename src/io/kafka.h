// SPDX-License-Identifier: Apache-2.0
/*
 * kafka - what sources and sinks of Kafka share: the settings of a client, checked without a broker.
 *
 * The client is librdkafka. Any of its properties may be set in `options { }` but for those in
 * kafka_owned.def. Of properties that may be secret (passwords, keys, tokens) no message tells the value.
 * Inside io/: kafka_priv.h.
 */
#ifndef IO_KAFKA_H
#define IO_KAFKA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;

struct kafka_option {
    char *name;  /* a property of librdkafka, such as security.protocol */
    char *value;
};

struct kafka_settings { /* borrowed */
    const char *brokers; /* HOST:PORT, several with a comma */
    const struct kafka_option *option;
    size_t n_options;
};

enum kafka_use { KAFKA_SOURCE, KAFKA_SINK };

/* Where a source begins: ns of Unix time, or one of these. */
#define KAFKA_EARLIEST INT64_MIN
#define KAFKA_LATEST INT64_MAX
/* What becomes of a partition whose next record is gone. */
enum kafka_reset { KAFKA_RESET_FAIL, KAFKA_RESET_EARLIEST, KAFKA_RESET_LATEST, KAFKA_N_RESETS };
const char *kafka_reset_word(enum kafka_reset reset);

/* Is there such a property, is it for this use, and may it have this value? False and a text in why; a hint
 * in hint if there is one. */
bool kafka_option_check(const struct kafka_option *option, enum kafka_use use, struct buf *why,
                        struct buf *hint);
/* "HOST:PORT" or several with commas. False and why. */
bool kafka_brokers_check(const char *brokers, struct buf *why);
/* Could a client begin with these: do they fit together, can the files of certificates be read? Connects to
 * nobody, but starts and ends threads. False and why. */
bool kafka_settings_check(const struct kafka_settings *settings, enum kafka_use use, struct buf *why);
/* May the value of this property be a secret? */
bool kafka_is_secret(const char *property);

#endif
