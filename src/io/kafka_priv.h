// SPDX-License-Identifier: Apache-2.0
/*
 * kafka_priv - the one place that includes librdkafka, for kafka.c, source_kafka*.c and sink_kafka*.c.
 *
 * A conf of kafka_conf_new has `told` as its opaque: librdkafka's log goes to the daemon's, its errors stay
 * in `told` until they are forgotten. Error callbacks run in who polls, log callbacks in any thread.
 */
#ifndef IO_KAFKA_PRIV_H
#define IO_KAFKA_PRIV_H

#include <librdkafka/rdkafka.h>
#include <pthread.h>
#include <stdbool.h>

#include "io/kafka.h"

/* Why brokers cannot be had. */
enum kafka_ill { KAFKA_ILL_AWAY, KAFKA_ILL_TLS, KAFKA_ILL_LOGIN };

struct kafka_told { /* embedded: _init, _fini */
    const char *name;   /* of the source or sink, for the log; borrowed */
    enum kafka_use use;
    bool debug;         /* the options ask for librdkafka's debug lines */
    /* under lock; "": none since they were forgotten */
    pthread_mutex_t lock;
    enum kafka_ill ill;    /* of the last error */
    char error[512];       /* the last */
    char certificate[512]; /* why one was not trusted */
    char transaction[512]; /* what ended the one that was open */
    rd_kafka_resp_err_t transaction_error; /* if a right was missing: which */
    /* NULL, or: what is read next of a partition may be another topic's, as its leader was away, or a connection
     * broke. text: librdkafka's line, which names the partition; NULL: all. Called by any thread, before a
     * record that was fetched later is there. */
    void (*doubt)(void *ctx, const char *text);
    void *doubt_ctx;
};

void kafka_told_init(struct kafka_told *told, const char *name, enum kafka_use use);
void kafka_told_fini(struct kafka_told *told);
/* What conf's client says goes to told. verifies: certificates of brokers are looked at. */
void kafka_told_listen(struct kafka_told *told, rd_kafka_conf_t *conf, bool verifies);
/* That brokers are away, or a login or TLS failed, and why, is appended; error: of the call that noticed. */
void kafka_told_why(struct kafka_told *told, rd_kafka_resp_err_t error, struct buf *why);
/* The same, if there was an error since it was forgotten; then it is. Whether there was. */
bool kafka_told_take(struct kafka_told *told, struct buf *why);
/* Appends the last error alone, if there was one. Whether there was. */
bool kafka_told_last(struct kafka_told *told, struct buf *why);
/* A transaction begins; and what ended the one that was open, appended: nothing if nothing did. Returns which right
 * was missing. */
void kafka_told_begin(struct kafka_told *told);
rd_kafka_resp_err_t kafka_told_transaction(struct kafka_told *told, struct buf *why);
/* Brokers can be had. */
void kafka_told_forget(struct kafka_told *told);
/* Appends librdkafka's words without what is another each time. */
void kafka_add_reason(struct buf *out, const char *text);

/* Who is not allowed what: resources of a call, NULL where it has none. */
struct kafka_need {
    const char *topic, *on_topic; /* the operation: `Read`, `Write` */
    const char *group, *id;
};
/* If the error says so: which right is missing on what, appended. */
bool kafka_add_missing(rd_kafka_resp_err_t error, const struct kafka_need *need, struct buf *out);
/* That, or else librdkafka's words; of a topic that is read. */
void kafka_add_read_error(rd_kafka_resp_err_t error, const char *topic, struct buf *out);

/* What settings and defaults say. Borrows told for as long as clients with it live. To be given to
 * rd_kafka_new, or rd_kafka_conf_destroy. NULL and why. Who calls may set more. */
rd_kafka_conf_t *kafka_conf_new(const struct kafka_settings *settings, struct kafka_told *told,
                                struct buf *why);
/* Sets a property that this program knows to be right. */
void kafka_conf_set(rd_kafka_conf_t *conf, const char *name, const char *value);
/* The same of what the options do not say, under this name or its other one (NULL: it has none). */
void kafka_conf_default(rd_kafka_conf_t *conf, const struct kafka_settings *settings, const char *name,
                        const char *other_name, const char *value);
/* NULL and why; takes conf in any case. */
rd_kafka_t *kafka_new(rd_kafka_type_t type, rd_kafka_conf_t *conf, struct buf *why);

#endif
