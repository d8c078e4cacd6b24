// SPDX-License-Identifier: Apache-2.0
/* sink_kafka_connect - from nothing to a producer that may write: the topic, the marker, whose it is. Read
 * first: sink_kafka.h, sink_kafka_marker.h. */
#include <inttypes.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "io/sink_kafka_priv.h"

enum { ASK_MS = 500, ASK_TIMES = 20 };

/* ---- the topic ---------------------------------------------------------------------------------- */

static bool judge_topic(struct sink_kafka *s, const rd_kafka_metadata_t *metadata, struct buf *why)
{
    const struct kafka_need need = {.topic = s->topic, .on_topic = "Write"};
    rd_kafka_resp_err_t error =
        metadata->topic_cnt > 0 ? metadata->topics[0].err : RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART;

    if (error == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART)
        buf_printf(why, "there is no topic %s: who runs the brokers makes it", s->topic);
    else if (error && !kafka_add_missing(error, &need, why))
        buf_printf(why, "the topic %s: %s", s->topic, rd_kafka_err2str(error));
    return !error;
}

/* Is it there? */
static bool find_topic(struct sink_kafka *s, struct buf *why)
{
    const rd_kafka_metadata_t *metadata;
    rd_kafka_resp_err_t error = RD_KAFKA_RESP_ERR__TIMED_OUT;
    rd_kafka_topic_t *topic = rd_kafka_topic_new(s->rk, s->topic, NULL);
    bool there = false;

    for (int i = 0; i < ASK_TIMES && !there && !atomic_load(&s->interrupted); i++) {
        rd_kafka_poll(s->rk, 0);
        error = rd_kafka_metadata(s->rk, 0, topic, &metadata, ASK_MS);
        if (error == RD_KAFKA_RESP_ERR__TIMED_OUT || error == RD_KAFKA_RESP_ERR__TRANSPORT)
            continue;
        if (error)
            break;
        buf_clear(why);
        there = judge_topic(s, metadata, why);
        bool being_made = metadata->topic_cnt > 0 &&
                          metadata->topics[0].err == RD_KAFKA_RESP_ERR_LEADER_NOT_AVAILABLE;
        rd_kafka_metadata_destroy(metadata);
        if (!there && !being_made)
            break;
        if (!there)
            rd_kafka_poll(s->rk, ASK_MS / 5);
    }
    rd_kafka_topic_destroy(topic);
    if (error)
        kafka_told_why(&s->told, error, why);
    if (there)
        kafka_told_forget(&s->told);
    return there;
}

/* ---- reading the marker -------------------------------------------------------------------------- */

/* Committed: nothing is pending. Else as it is: a transaction that was left open is not waited for. */
static rd_kafka_t *new_reader(struct sink_kafka *s, bool committed, struct buf *why)
{
    struct kafka_settings settings = {.brokers = s->brokers, .option = s->option,
                                      .n_options = s->n_options};
    rd_kafka_conf_t *conf = kafka_conf_new(&settings, &s->told, why);

    if (!conf)
        return NULL;
    kafka_conf_set(conf, "group.id", s->group);
    kafka_conf_set(conf, "enable.auto.commit", "false");
    kafka_conf_set(conf, "isolation.level", committed ? "read_committed" : "read_uncommitted");
    return kafka_new(RD_KAFKA_CONSUMER, conf, why);
}

static bool may_pass(rd_kafka_resp_err_t error)
{
    switch (error) {
    case RD_KAFKA_RESP_ERR__TIMED_OUT:
    case RD_KAFKA_RESP_ERR__TRANSPORT:
    case RD_KAFKA_RESP_ERR__WAIT_COORD:
    case RD_KAFKA_RESP_ERR_COORDINATOR_LOAD_IN_PROGRESS:
    case RD_KAFKA_RESP_ERR_COORDINATOR_NOT_AVAILABLE:
    case RD_KAFKA_RESP_ERR_NOT_COORDINATOR:
    case RD_KAFKA_RESP_ERR_UNSTABLE_OFFSET_COMMIT: return true;
    default: return false;
    }
}

/* That a right is missing a reader is told beside, and then waits in vain. */
static rd_kafka_resp_err_t ask_committed(rd_kafka_t *reader, rd_kafka_topic_partition_list_t *list)
{
    rd_kafka_resp_err_t error = rd_kafka_committed(reader, list, ASK_MS);
    rd_kafka_message_t *message = error ? rd_kafka_consumer_poll(reader, 0) : NULL;

    if (!error)
        error = list->elems[0].err;
    if (message && message->err && !may_pass(message->err))
        error = message->err;
    if (message)
        rd_kafka_message_destroy(message);
    return error;
}

struct reading {
    bool found, good; /* there is one; it can be read */
    struct kafka_marker marker;
};

static bool read_marker(struct sink_kafka *s, bool committed, struct reading *reading_out, struct buf *why)
{
    rd_kafka_t *reader = new_reader(s, committed, why);
    rd_kafka_resp_err_t error = RD_KAFKA_RESP_ERR__TIMED_OUT;

    *reading_out = (struct reading){0};
    if (!reader)
        return false;
    rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new(1);
    rd_kafka_topic_partition_t *part = rd_kafka_topic_partition_list_add(list, s->topic, 0);
    for (int i = 0; i < ASK_TIMES * 2 && may_pass(error) && !atomic_load(&s->interrupted); i++) {
        error = ask_committed(reader, list);
        rd_kafka_poll(s->rk, 0);
    }
    reading_out->found = !error && part->offset != RD_KAFKA_OFFSET_INVALID;
    reading_out->good = reading_out->found && kafka_marker_decode(part->offset, part->metadata,
                                                                  part->metadata_size, &reading_out->marker);
    rd_kafka_topic_partition_list_destroy(list);
    /* it is no member of the group, so there is nothing to leave: closing might wait for brokers for long */
    rd_kafka_destroy_flags(reader, RD_KAFKA_DESTROY_F_NO_CONSUMER_CLOSE);
    if (error) {
        const struct kafka_need need = {s->topic, "Read", s->group, s->id};
        buf_printf(why, "the marker, which is the group %s, cannot be read: ", s->group);
        if (!kafka_add_missing(error, &need, why)) {
            buf_adds(why, rd_kafka_err2str(error));
            kafka_add_told(s, why);
        }
    }
    return !error;
}

/* As of all transactions that have ended. One that never ends at the brokers is told as what it is. */
static bool read_decided(struct sink_kafka *s, struct reading *reading_out, struct buf *why)
{
    struct reading other;
    struct buf more;

    if (read_marker(s, true, reading_out, why))
        return true;
    buf_init(&more);
    if (read_marker(s, false, &other, &more)) {
        buf_clear(why);
        buf_printf(why, "the marker, which is the group %s, is not decided: a transaction that wrote it has not ended. If "
                        "this lasts it hangs at the brokers, and can be ended there (kafka-transactions.sh)", s->group);
    }
    buf_fini(&more);
    return false;
}

/* ---- whose it is ----------------------------------------------------------------------------------- */

static void tell(struct sink_kafka *s, const char *what)
{
    struct buf fields;

    buf_init(&fields);
    log_field(&fields, "sink", s->name);
    log_field(&fields, "topic", s->topic);
    log_field(&fields, "group", s->group);
    log_line(LOG_WARNING, LOG_sink, what, "%s", fields.data);
    buf_fini(&fields);
}

static void tell_advice(struct sink_kafka *s, enum kafka_verdict verdict, const struct kafka_marker *marker,
                        struct buf *why)
{
    s->figures.undecided = true;
    if (verdict == KAFKA_MARKER_AHEAD && s->own.ahead != marker->seq) {
        s->own.ahead = marker->seq;
        s->saved = false;
    }
    if (verdict == KAFKA_MARKER_AHEAD)
        buf_printf(why, "%" PRIu64 " messages of this sink are in the topic %s, and this state directory has "
                        "had %" PRIu64 ": it is an older copy, and nothing is sent. Put the newer one in its "
                        "place; or say `on_marker accept`: what comes is sent, some of it for the second time",
                   marker->seq, s->topic, s->place.last);
    else
        buf_printf(why, "another state directory writes to the topic %s as %s, and nothing is sent. End that "
                        "daemon, or name this one otherwise (`application`); or, if that directory is gone, "
                        "say `on_marker accept`: what comes is sent, some of it for the second time",
                   s->topic, s->id);
}

/* What this sink has to go on with. False: with nothing, and why. */
static bool judge(struct sink_kafka *s, const struct reading *reading, bool tells, struct kafka_marker *marker_out,
                  struct buf *why)
{
    enum kafka_verdict verdict = kafka_marker_judge(reading->found, reading->good ? &reading->marker : NULL,
                                                    &s->own, s->place.last);
    bool ours = verdict == KAFKA_MARKER_OURS && !s->diverged;

    *marker_out = (struct kafka_marker){.seq = s->place.acked};
    s->figures.undecided = false;
    if (s->claimed && reading->good && memcmp(reading->marker.session, s->session, KAFKA_ID_BYTES) != 0) {
        s->base.over = true;
        buf_printf(why, "another process has taken over the topic %s as %s: this one ends, and leaves it to "
                        "that", s->topic, s->id);
        return false;
    }
    if (ours) {
        marker_out->seq = reading->marker.seq;
        memcpy(marker_out->last, reading->marker.last, sizeof marker_out->last);
    } else if (verdict != KAFKA_MARKER_NONE && !s->accept) {
        tell_advice(s, verdict, &reading->marker, why);
        return false;
    } else if (verdict != KAFKA_MARKER_NONE && tells) {
        tell(s, "the marker is not of this state directory, and accepted: what waits is sent");
    } else if (verdict == KAFKA_MARKER_NONE && s->own.sent > 0 && !s->told_none && tells) {
        s->told_none = true;
        tell(s, "there is no marker any more (brokers forget it when it has not moved for long): what waits is "
                "sent, which may be for the second time");
    }
    return true;
}

/* Writes the marker with our session, before anything else. */
static bool claim(struct sink_kafka *s, struct kafka_marker *marker, struct buf *why)
{
    memcpy(marker->identity, s->own.identity, KAFKA_ID_BYTES);
    memcpy(marker->session, s->session, KAFKA_ID_BYTES);
    if (kafka_begin(s, why) != KAFKA_FINE || kafka_commit(s, marker, why) != KAFKA_FINE)
        return false;
    s->claimed = true;
    s->diverged = false;
    s->own.ahead = 0;
    return true;
}

static bool connect_exact(struct sink_kafka *s, struct buf *why)
{
    struct kafka_marker marker;
    struct reading reading;

    return read_marker(s, false, &reading, why) && judge(s, &reading, false, &marker, why) &&
           kafka_init(s, why) && read_decided(s, &reading, why) &&
           judge(s, &reading, true, &marker, why) && claim(s, &marker, why);
}

bool kafka_connect(struct sink_kafka *s, struct buf *why)
{
    if (s->connected)
        return true;
    if (!kafka_open(s, why))
        return false;
    s->connected = find_topic(s, why) && (!s->exact || connect_exact(s, why));
    if (!s->connected)
        kafka_drop(s);
    return s->connected;
}
