// SPDX-License-Identifier: Apache-2.0
/* sink_kafka_priv - what sink_kafka.c (batches), sink_kafka_client.c (the producer and its transactions),
 * sink_kafka_connect.c (the marker) and sink_kafka_message.c (records) share. Read first: sink_kafka.h. */
#ifndef IO_SINK_KAFKA_PRIV_H
#define IO_SINK_KAFKA_PRIV_H

#include <stdatomic.h>

#include "base/buf.h"
#include "io/kafka_priv.h"
#include "io/sink.h"
#include "io/sink_kafka.h"
#include "io/sink_kafka_marker.h"

/* What went wrong with a transaction. */
enum kafka_trouble {
    KAFKA_FINE,
    KAFKA_ABORTED, /* it was ended; the producer is good */
    KAFKA_LOST,    /* the producer is gone; of a commit nobody knows */
};

struct sink_kafka {
    struct sink base; /* first */
    char *name, *topic, *id, *group, *brokers; /* owned */
    struct kafka_option *option; /* [n_options], owned, as are its texts */
    size_t n_options;
    bool exact, cloudevents, accept;
    int64_t timeout; /* ns: of a transaction, at the brokers; of a batch */
    struct kafka_told told;
    atomic_bool interrupted;

    rd_kafka_t *rk;       /* or NULL */
    bool connected;       /* rk may be used; exactly once: the marker is ours */
    bool open;            /* a transaction is */
    int64_t begun;        /* on the clock that also counts while the machine sleeps: when it was begun */
    uint64_t produced;    /* the last number that was given to rk since the last flush; 0: none */
    char last[KAFKA_LAST_MAX]; /* and its id */
    unsigned outstanding; /* without a report */
    rd_kafka_resp_err_t failed; /* the first report that says so, since the last flush */
    uint64_t alone_until; /* messages up to this are sent one by one */

    struct sink_place place; /* numbers of the start */
    struct kafka_place own;
    bool has_identity;    /* there is one in own */
    bool saved;           /* what matters of own is durable: all but `sent` */
    struct buf position;  /* at least once: as it was given */
    uint8_t session[KAFKA_ID_BYTES];
    bool claimed;         /* a marker with our session was committed */
    struct kafka_marker marker;
    bool diverged;        /* the message of the marker is another one, and `accept` */
    bool told_none;       /* that there is no marker was told */

    struct buf key, text; /* of the message that is being sent */
    bool has_key;
    struct sink_figures figures;
};

/* ---- sink_kafka_client.c ---- */
int64_t kafka_clock(void); /* CLOCK_BOOTTIME, ns */
/* A producer, if there is none. False and why. */
bool kafka_open(struct sink_kafka *s, struct buf *why);
/* Gives it up, with all that it holds. */
void kafka_drop(struct sink_kafka *s);
/* Appends what the library told last, if it did. */
void kafka_add_told(struct sink_kafka *s, struct buf *why);
bool kafka_init(struct sink_kafka *s, struct buf *why);
enum kafka_trouble kafka_begin(struct sink_kafka *s, struct buf *why);
/* The marker as given into the transaction, and its commit; s->marker is that then. */
enum kafka_trouble kafka_commit(struct sink_kafka *s, const struct kafka_marker *marker, struct buf *why);
/* At least once: until all is reported. False and why. */
bool kafka_wait(struct sink_kafka *s, struct buf *why);

/* ---- sink_kafka_connect.c ---- */
/* From nothing to connected. False and why. */
bool kafka_connect(struct sink_kafka *s, struct buf *why);

/* ---- sink_kafka_message.c ---- */
struct json_view;
/* The key of a record, from an alert's key, an object that is not empty: appended. */
void kafka_add_key(struct json_view key, struct buf *out);
/* s->key, s->has_key, s->text (the id) and, for CloudEvents, the headers: owned, or NULL. */
rd_kafka_headers_t *kafka_describe(struct sink_kafka *s, const struct sink_message *m);

#endif
