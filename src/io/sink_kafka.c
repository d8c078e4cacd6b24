// SPDX-License-Identifier: Apache-2.0
#include "io/sink_kafka.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/failpoint.h"
#include "base/mem.h"
#include "base/random.h"
#include "io/sink_kafka_priv.h"

#define TIMEOUT INT64_C(30000000000) /* ns, of a transaction or a batch, if the options do not say */
enum { FULL_MS = 100 };

/* ---- the start ---------------------------------------------------------------------------------- */

/* Whose numbers they are: of the state directory. Positions of earlier versions may have an identity of their own,
 * which their markers have too. What was sent, and what was refused, must be durable before the marker is ours. */
static void take_place(struct sink_kafka *s, const struct sink_place *place)
{
    s->place = *place;
    s->place.position = NULL;
    buf_clear(&s->position);
    buf_add(&s->position, place->position, place->len);
    if (s->has_identity)
        return;
    s->saved = kafka_place_decode(place->position, place->len, &s->own);
    if (!s->saved)
        memcpy(s->own.identity, place->identity, sizeof s->own.identity);
    s->has_identity = true;
}

static bool start(struct sink *sink, const struct sink_place *place, struct buf *why)
{
    struct sink_kafka *s = (struct sink_kafka *)sink;

    if (s->connected && !s->open && s->produced == 0)
        return true; /* a transaction was ended: what counts is known */
    if (s->connected)
        kafka_drop(s); /* what was given to it and not flushed must not come through */
    take_place(s, place);
    return (s->exact && !s->saved) || kafka_connect(s, why);
}

static bool unsettled(struct sink *sink)
{
    struct sink_kafka *s = (struct sink_kafka *)sink;

    if (s->rk)
        rd_kafka_poll(s->rk, 0); /* what it tells does not pile up while nothing is sent */
    return s->exact && !s->connected;
}

static bool settled(struct sink *sink, struct buf *why)
{
    struct sink_kafka *s = (struct sink_kafka *)sink;

    s->saved = true;
    return kafka_connect(s, why);
}

/* ---- one message ---------------------------------------------------------------------------------- */

/* The marker says that this one is in the topic. Is it? */
static enum sink_result pass_over(struct sink_kafka *s, const struct sink_message *m, struct buf *why)
{
    if (m->seq != s->marker.seq || s->marker.last[0] == '\0')
        return SINK_TAKEN;
    rd_kafka_headers_t *headers = kafka_describe(s, m);
    if (headers)
        rd_kafka_headers_destroy(headers);
    if (strcmp(s->text.data, s->marker.last) == 0)
        return SINK_TAKEN;
    if (s->accept) {
        s->diverged = true;
        buf_printf(why, "the marker is accepted as that of another state directory");
    } else {
        s->figures.undecided = true;
        buf_printf(why, "message %" PRIu64 " of this sink is %s in the topic %s, and %s in this state directory: "
                        "it is an older copy that went on by itself, and nothing is sent. Put the newer one in "
                        "its place; or say `on_marker accept`: what comes is sent, some of it for the second "
                        "time", m->seq, s->marker.last, s->topic, s->text.data);
    }
    kafka_drop(s);
    return SINK_FAILED;
}

static rd_kafka_resp_err_t produce_once(struct sink_kafka *s, const struct sink_message *m,
                                        rd_kafka_headers_t *headers)
{
    void *key = s->has_key ? s->key.data : NULL;
    void *text = (void *)(uintptr_t)m->text;
    size_t key_len = s->has_key ? s->key.len : 0;

    if (headers)
        return rd_kafka_producev(s->rk, RD_KAFKA_V_TOPIC(s->topic), RD_KAFKA_V_KEY(key, key_len),
                                 RD_KAFKA_V_VALUE(text, m->len), RD_KAFKA_V_HEADERS(headers),
                                 RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY), RD_KAFKA_V_END);
    return rd_kafka_producev(s->rk, RD_KAFKA_V_TOPIC(s->topic), RD_KAFKA_V_KEY(key, key_len),
                             RD_KAFKA_V_VALUE(text, m->len), RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY),
                             RD_KAFKA_V_END);
}

/* A queue that is full is waited for. */
static rd_kafka_resp_err_t produce(struct sink_kafka *s, const struct sink_message *m)
{
    rd_kafka_headers_t *headers = kafka_describe(s, m);
    int64_t until = kafka_clock() + s->timeout;
    rd_kafka_resp_err_t error;

    while ((error = produce_once(s, m, headers)) == RD_KAFKA_RESP_ERR__QUEUE_FULL &&
           !atomic_load(&s->interrupted) && kafka_clock() < until)
        rd_kafka_poll(s->rk, FULL_MS);
    if (error && headers)
        rd_kafka_headers_destroy(headers);
    if (error)
        return error;
    s->outstanding++;
    s->produced = m->seq;
    memcpy(s->last, s->text.data, s->text.len + 1);
    return RD_KAFKA_RESP_ERR_NO_ERROR;
}

static enum sink_result refuse(struct sink_kafka *s, size_t len, const char *who, struct buf *why)
{
    buf_clear(why);
    buf_printf(why, "it has %zu bytes, which is too much for %s (the topic %s)", len, who, s->topic);
    return SINK_REFUSED;
}

/* All that was given to the producer is in the topic. */
static enum kafka_trouble finish(struct sink_kafka *s, struct buf *why)
{
    struct kafka_marker marker = s->marker;

    if (!s->exact) {
        if (!kafka_wait(s, why)) {
            kafka_drop(s);
            return KAFKA_LOST;
        }
        s->produced = 0;
        return KAFKA_FINE;
    }
    if (!s->open)
        return KAFKA_FINE;
    if (s->produced != 0) {
        marker.seq = s->produced;
        memcpy(marker.last, s->last, sizeof marker.last);
    }
    enum kafka_trouble trouble = kafka_commit(s, &marker, why);
    if (trouble == KAFKA_FINE)
        s->own.sent = marker.seq;
    return trouble;
}

/* A broker has found something too large: of which message is known when each goes by itself. */
static bool is_too_large(const struct sink_kafka *s)
{
    return s->failed == RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE;
}

static enum sink_result finish_alone(struct sink_kafka *s, const struct sink_message *m, struct buf *why)
{
    enum kafka_trouble trouble = finish(s, why);

    if (trouble == KAFKA_FINE)
        return SINK_TAKEN;
    if (!is_too_large(s) || s->base.over)
        return SINK_FAILED;
    /* the batch goes on, with a new producer if need be */
    if (trouble == KAFKA_LOST && !kafka_connect(s, why))
        return SINK_FAILED;
    return refuse(s, m->len, "the brokers", why);
}

static bool begin(struct sink_kafka *s, struct buf *why)
{
    (void)failpoint_hit(FAILPOINT_kafka_batch);
    if (s->exact && kafka_begin(s, why) != KAFKA_FINE)
        return false;
    if (failpoint_hit(FAILPOINT_kafka_begun) == 0)
        return true;
    buf_adds(why, "the failpoint kafka_begun");
    kafka_drop(s);
    return false;
}

static enum sink_result deliver(struct sink *sink, const struct sink_message *m, struct buf *why)
{
    struct sink_kafka *s = (struct sink_kafka *)sink;

    if (!s->connected) {
        buf_printf(why, "the topic %s: not connected", s->topic);
        return SINK_FAILED;
    }
    if (s->exact && m->seq <= s->marker.seq)
        return pass_over(s, m, why);
    if (!(s->exact ? s->open : s->produced != 0)) {
        s->failed = RD_KAFKA_RESP_ERR_NO_ERROR;
        if (!begin(s, why))
            return SINK_FAILED;
    }
    rd_kafka_resp_err_t error = produce(s, m);
    if (error == RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE)
        return refuse(s, m->len, "`message.max.bytes`", why);
    if (error) {
        buf_printf(why, "the topic %s: %s", s->topic, rd_kafka_err2str(error));
        kafka_add_told(s, why);
        return SINK_FAILED;
    }
    if (m->seq <= s->alone_until)
        return finish_alone(s, m, why);
    rd_kafka_poll(s->rk, 0);
    return SINK_TAKEN;
}

/* ---- a batch --------------------------------------------------------------------------------------- */

static bool flush(struct sink *sink, struct buf *position_out, struct buf *why)
{
    struct sink_kafka *s = (struct sink_kafka *)sink;
    uint64_t produced = s->produced;

    if (s->connected && finish(s, why) != KAFKA_FINE) {
        if (is_too_large(s))
            s->alone_until = produced;
        return false;
    }
    if (s->exact)
        kafka_place_encode(&s->own, position_out);
    else
        buf_add(position_out, s->position.data, s->position.len);
    return true;
}

/* What is passed over is taken if the message of the marker's number is the marker's. */
static bool unsure(struct sink *sink, uint64_t taken)
{
    struct sink_kafka *s = (struct sink_kafka *)sink;

    return s->exact && s->connected && s->marker.last[0] != '\0' && taken < s->marker.seq;
}

static void interrupt(struct sink *sink)
{
    atomic_store(&((struct sink_kafka *)sink)->interrupted, true);
}

static void figures(struct sink *sink, struct sink_figures *figures_out)
{
    *figures_out = ((struct sink_kafka *)sink)->figures;
}

/* ---- beginning and end ------------------------------------------------------------------------------ */

static void sink_kafka_free(struct sink *sink)
{
    struct sink_kafka *s = (struct sink_kafka *)sink;

    kafka_drop(s);
    kafka_told_fini(&s->told);
    for (size_t i = 0; i < s->n_options; i++) {
        mem_free(s->option[i].name);
        mem_free(s->option[i].value);
    }
    mem_free(s->option);
    mem_free(s->name);
    mem_free(s->topic);
    mem_free(s->id);
    mem_free(s->group);
    mem_free(s->brokers);
    buf_fini(&s->position);
    buf_fini(&s->key);
    buf_fini(&s->text);
    mem_free(s);
}

static const struct sink_ops ops = {
    .start = start,
    .deliver = deliver,
    .flush = flush,
    .unsettled = unsettled,
    .settled = settled,
    .unsure = unsure,
    .interrupt = interrupt,
    .figures = figures,
    .free = sink_kafka_free,
};

static char *copy_of(const char *text)
{
    return text ? mem_strndup(text, strlen(text)) : NULL;
}

static void copy_settings(struct sink_kafka *s, const struct kafka_settings *settings)
{
    static const char *const timeouts[] = {"message.timeout.ms", "delivery.timeout.ms",
                                           "transaction.timeout.ms"};

    s->timeout = TIMEOUT;
    s->brokers = copy_of(settings->brokers);
    s->option = mem_calloc(settings->n_options + 1, sizeof *s->option);
    for (size_t i = 0; i < settings->n_options; i++) {
        const struct kafka_option *option = &settings->option[i];
        s->option[s->n_options++] = (struct kafka_option){copy_of(option->name), copy_of(option->value)};
        for (size_t k = s->exact ? 2 : 0; k < (s->exact ? 3 : 2); k++) {
            int64_t ms = strcmp(option->name, timeouts[k]) == 0 ? strtoll(option->value, NULL, 10) : 0;
            if (ms > 0)
                s->timeout = ms * 1000000;
        }
    }
}

struct sink *sink_kafka_new(const struct sink_kafka_options *opt)
{
    struct sink_kafka *s = mem_calloc(1, sizeof *s);
    struct buf b;

    s->name = copy_of(opt->name);
    s->base = (struct sink){.ops = &ops, .name = s->name};
    s->topic = copy_of(opt->topic);
    s->exact = !opt->at_least_once;
    s->cloudevents = opt->cloudevents;
    s->accept = opt->accept_marker;
    copy_settings(s, &opt->settings);
    buf_init(&b);
    buf_printf(&b, "%s.%s", opt->application, opt->name);
    s->id = buf_take(&b);
    buf_init(&b);
    buf_printf(&b, "%s.outbox", s->id);
    s->group = buf_take(&b);
    kafka_told_init(&s->told, s->name, KAFKA_SINK);
    random_bytes(s->session, sizeof s->session);
    buf_init(&s->position);
    buf_init(&s->key);
    buf_init(&s->text);
    return &s->base;
}

bool sink_kafka_check(const struct sink_kafka_options *opt, struct buf *why)
{
    struct sink_kafka_options alone = *opt;

    alone.settings.brokers = NULL; /* nobody to connect to */
    struct sink *sink = sink_kafka_new(&alone);
    bool good = kafka_open((struct sink_kafka *)sink, why);
    sink_free(&sink);
    return good;
}
