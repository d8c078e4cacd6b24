// SPDX-License-Identifier: Apache-2.0
/* sink_kafka_client - the producer, and its transactions. Read first: sink_kafka.h. */
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/failpoint.h"
#include "base/log.h"
#include "base/mem.h"
#include "io/sink_kafka_priv.h"

/* Of a call: between, it is looked whether the process stops. The library gives its requests no more time than that,
 * so the next ones are longer: brokers that are slow are not asked in vain for ever. */
enum { SLICE_MS = 1000, MOST_SLICE_MS = 4000, FLUSH_MS = 200 };

int64_t kafka_clock(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_BOOTTIME, &ts);
    return ts.tv_sec * INT64_C(1000000000) + ts.tv_nsec;
}

void kafka_add_told(struct sink_kafka *s, struct buf *why)
{
    struct buf said;

    buf_init(&said);
    if (kafka_told_last(&s->told, &said))
        buf_printf(why, " (%s)", said.data);
    buf_fini(&said);
}

/* ---- the producer ------------------------------------------------------------------------------ */

static void report(rd_kafka_t *rk, const rd_kafka_message_t *message, void *opaque)
{
    struct sink_kafka *s = (struct sink_kafka *)((char *)opaque - offsetof(struct sink_kafka, told));

    (void)rk;
    s->outstanding--;
    /* that one was too large is what counts: the others fail because of it */
    if (message->err && (s->failed == 0 || message->err == RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE))
        s->failed = message->err;
}

#ifdef TOCSIN_FAILPOINTS
enum { END_TXN = 26 };

static rd_kafka_resp_err_t on_sent(rd_kafka_t *rk, int fd, const char *broker, int32_t id, int16_t api,
                                   int16_t version, int32_t correlation, size_t size, void *opaque)
{
    (void)rk, (void)fd, (void)broker, (void)id, (void)version, (void)correlation, (void)size, (void)opaque;
    if (api == END_TXN)
        (void)failpoint_hit(FAILPOINT_kafka_sent);
    return RD_KAFKA_RESP_ERR_NO_ERROR;
}

static rd_kafka_resp_err_t on_new(rd_kafka_t *rk, const rd_kafka_conf_t *conf, void *opaque, char *why,
                                  size_t size)
{
    (void)conf, (void)why, (void)size;
    return rd_kafka_interceptor_add_on_request_sent(rk, "failpoint", on_sent, opaque);
}
#endif

/* The conf of a producer or of who reads the marker. NULL and why. */
static rd_kafka_conf_t *kafka_producer_conf(struct sink_kafka *s, struct buf *why)
{
    struct kafka_settings settings = {.brokers = s->brokers, .option = s->option,
                                      .n_options = s->n_options};
    rd_kafka_conf_t *conf = kafka_conf_new(&settings, &s->told, why);
    char timeout[24];

    if (!conf)
        return NULL;
    snprintf(timeout, sizeof timeout, "%" PRId64, s->timeout / 1000000);
    kafka_conf_set(conf, "enable.idempotence", "true");
    kafka_conf_default(conf, &settings, "partitioner", NULL, "murmur2_random");
    kafka_conf_default(conf, &settings, "linger.ms", "queue.buffering.max.ms", "0");
    /* the brokers write the end of a transaction behind their answer: the next one that comes meanwhile is asked to
     * try again, after 100 ms by default */
    kafka_conf_default(conf, &settings, "retry.backoff.ms", NULL, "10");
    if (s->exact) {
        kafka_conf_set(conf, "transactional.id", s->id);
        kafka_conf_default(conf, &settings, "transaction.timeout.ms", NULL, timeout);
    } else {
        kafka_conf_default(conf, &settings, "message.timeout.ms", "delivery.timeout.ms", timeout);
    }
    rd_kafka_conf_set_dr_msg_cb(conf, report);
#ifdef TOCSIN_FAILPOINTS
    if (s->brokers) /* a conf with interceptors that makes no client cannot be destroyed (librdkafka 2.0.2) */
        rd_kafka_conf_interceptor_add_on_new(conf, "failpoint", on_new, NULL);
#endif
    return conf;
}

bool kafka_open(struct sink_kafka *s, struct buf *why)
{
    if (s->rk)
        return true;
    rd_kafka_conf_t *conf = kafka_producer_conf(s, why);
    s->rk = conf ? kafka_new(RD_KAFKA_PRODUCER, conf, why) : NULL;
    s->outstanding = 0;
    s->produced = 0;
    s->failed = RD_KAFKA_RESP_ERR_NO_ERROR;
    s->open = false;
    return s->rk != NULL;
}

void kafka_drop(struct sink_kafka *s)
{
    s->connected = s->open = false;
    s->produced = 0;
    if (!s->rk)
        return;
    /* what is queued or under way is of no use: not waited for */
    rd_kafka_purge(s->rk, RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT | RD_KAFKA_PURGE_F_NON_BLOCKING);
    rd_kafka_destroy(s->rk);
    s->rk = NULL;
    s->figures.producers++;
}

/* ---- calls of transactions --------------------------------------------------------------------- */

typedef rd_kafka_error_t *call_fn(struct sink_kafka *s, int ms, void *ctx);

/* Again and again while that can help. Owned; NULL: it was good. */
static rd_kafka_error_t *persist(struct sink_kafka *s, call_fn *call, void *ctx)
{
    int64_t until = kafka_clock() + s->timeout;

    for (int ms = SLICE_MS;; ms = ms < MOST_SLICE_MS ? ms * 2 : ms) {
        rd_kafka_error_t *error = call(s, ms, ctx);
        bool again = error && rd_kafka_error_is_retriable(error) && kafka_clock() < until &&
                     !atomic_load(&s->interrupted) &&
                     rd_kafka_fatal_error(s->rk, NULL, 0) == RD_KAFKA_RESP_ERR_NO_ERROR;
        if (!again)
            return error;
        rd_kafka_error_destroy(error);
    }
}

static rd_kafka_error_t *call_init(struct sink_kafka *s, int ms, void *ctx)
{
    (void)ctx;
    return rd_kafka_init_transactions(s->rk, ms);
}

static rd_kafka_error_t *call_offsets(struct sink_kafka *s, int ms, void *ctx)
{
    const struct kafka_marker *marker = ctx;
    rd_kafka_consumer_group_metadata_t *group = rd_kafka_consumer_group_metadata_new(s->group);
    rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new(1);
    rd_kafka_topic_partition_t *part = rd_kafka_topic_partition_list_add(list, s->topic, 0);
    struct buf text;

    buf_init(&text);
    kafka_marker_encode(marker, &text);
    part->offset = (int64_t)marker->seq + 1;
    part->metadata = malloc(text.len); /* the list frees it */
    if (!part->metadata)
        abort();
    memcpy(part->metadata, text.data, text.len);
    part->metadata_size = text.len;
    rd_kafka_error_t *error = rd_kafka_send_offsets_to_transaction(s->rk, list, group, ms);
    buf_fini(&text);
    rd_kafka_topic_partition_list_destroy(list);
    rd_kafka_consumer_group_metadata_destroy(group);
    return error;
}

static rd_kafka_error_t *call_commit(struct sink_kafka *s, int ms, void *ctx)
{
    (void)ctx;
    return rd_kafka_commit_transaction(s->rk, ms);
}

static rd_kafka_error_t *call_abort(struct sink_kafka *s, int ms, void *ctx)
{
    (void)ctx;
    return rd_kafka_abort_transaction(s->rk, ms);
}

/* Is it a right that is missing? ended: what ended the transaction, or what was said; "" if nothing. */
static bool tell_missing(struct sink_kafka *s, const rd_kafka_resp_err_t *error, size_t n, const char *ended,
                         struct buf *why)
{
    struct kafka_need need = {s->topic, strstr(ended, "commit offsets") ? "Read" : "Write", s->group, s->id};

    for (size_t i = 0; i < n; i++)
        if (kafka_add_missing(error[i], &need, why))
            return true;
    return false;
}

/* Says what it was, and frees it. */
static void tell_error(struct sink_kafka *s, const char *what, rd_kafka_error_t *error, struct buf *why)
{
    char fatal[512];
    struct buf ended;

    buf_init(&ended);
    rd_kafka_resp_err_t code[] = {rd_kafka_fatal_error(s->rk, fatal, sizeof fatal), kafka_told_transaction(&s->told, &ended),
                                  error ? rd_kafka_error_code(error) : RD_KAFKA_RESP_ERR_NO_ERROR, s->failed};
    const char *said = code[0] ? fatal : error ? rd_kafka_error_string(error) : "failed";

    buf_printf(why, "%s: ", what);
    if (!tell_missing(s, code, sizeof code / sizeof *code, ended.len > 0 ? ended.data : said, why)) {
        /* that the state is wrong is said of a transaction which has ended: what ended it is the reason */
        bool state = code[2] == RD_KAFKA_RESP_ERR__STATE && ended.len > 0;
        kafka_add_reason(why, state ? ended.data : said);
        if (s->failed)
            buf_printf(why, ": %s", rd_kafka_err2str(s->failed));
        kafka_add_told(s, why);
    }
    buf_fini(&ended);
    if (error)
        rd_kafka_error_destroy(error);
}

static bool is_fenced(struct sink_kafka *s, const rd_kafka_error_t *error)
{
    rd_kafka_resp_err_t fatal = rd_kafka_fatal_error(s->rk, NULL, 0);
    rd_kafka_resp_err_t code = error ? rd_kafka_error_code(error) : fatal;

    return code == RD_KAFKA_RESP_ERR__FENCED || fatal == RD_KAFKA_RESP_ERR__FENCED ||
           fatal == RD_KAFKA_RESP_ERR_INVALID_PRODUCER_EPOCH || fatal == RD_KAFKA_RESP_ERR_PRODUCER_FENCED;
}

/* Takes the error. Fenced sooner than the brokers end a transaction by themselves: it was another process. */
static enum kafka_trouble lose(struct sink_kafka *s, const char *what, rd_kafka_error_t *error,
                               struct buf *why)
{
    bool fenced = is_fenced(s, error);

    tell_error(s, what, error, why);
    if (fenced && kafka_clock() - s->begun < s->timeout) {
        s->base.over = true;
        buf_clear(why);
        buf_printf(why, "another process writes with the transactional.id %s: this one ends, and leaves the "
                        "topic %s to it", s->id, s->topic);
    }
    kafka_drop(s);
    return KAFKA_LOST;
}

/* The transaction is over, nothing of it counts. */
static enum kafka_trouble kafka_abort(struct sink_kafka *s, struct buf *why)
{
    s->figures.aborts++;
    rd_kafka_error_t *error = persist(s, call_abort, NULL);
    if (error) {
        buf_adds(why, "; ");
        return lose(s, "it cannot be ended either", error, why);
    }
    s->open = false;
    s->produced = 0;
    return KAFKA_ABORTED;
}

/* Takes the error of a call that did not come through. */
static enum kafka_trouble fail(struct sink_kafka *s, const char *what, rd_kafka_error_t *error,
                               struct buf *why)
{
    if (rd_kafka_error_is_fatal(error) || !rd_kafka_error_txn_requires_abort(error))
        return lose(s, what, error, why);
    tell_error(s, what, error, why);
    return kafka_abort(s, why);
}

bool kafka_init(struct sink_kafka *s, struct buf *why)
{
    rd_kafka_error_t *error = persist(s, call_init, NULL);

    if (!error)
        return true;
    tell_error(s, "no transactions can be begun", error, why);
    kafka_drop(s);
    return false;
}

enum kafka_trouble kafka_begin(struct sink_kafka *s, struct buf *why)
{
    /* after a fatal error the call might never return */
    if (rd_kafka_fatal_error(s->rk, NULL, 0) != RD_KAFKA_RESP_ERR_NO_ERROR)
        return lose(s, "no transaction can be begun", NULL, why);
    s->begun = kafka_clock();
    s->failed = RD_KAFKA_RESP_ERR_NO_ERROR;
    kafka_told_begin(&s->told);
    rd_kafka_error_t *error = rd_kafka_begin_transaction(s->rk);
    if (error)
        return lose(s, "no transaction can be begun", error, why);
    s->open = true;
    return KAFKA_FINE;
}

enum kafka_trouble kafka_commit(struct sink_kafka *s, const struct kafka_marker *marker, struct buf *why)
{
    struct kafka_marker copy = *marker; /* it may be the sink's own */
    rd_kafka_error_t *error;

    (void)failpoint_hit(FAILPOINT_kafka_produced);
    error = persist(s, call_offsets, &copy);
    if (error)
        return fail(s, "the marker cannot be written", error, why);
    if (failpoint_hit(FAILPOINT_kafka_marked) != 0) {
        buf_adds(why, "the failpoint kafka_marked");
        return kafka_abort(s, why);
    }
    error = persist(s, call_commit, NULL);
    if (error)
        return fail(s, "a transaction cannot be committed", error, why);
    if (failpoint_hit(FAILPOINT_kafka_committed) != 0) {
        buf_adds(why, "the failpoint kafka_committed");
        kafka_drop(s);
        return KAFKA_LOST;
    }
    kafka_told_forget(&s->told);
    s->open = false;
    s->produced = 0;
    s->marker = copy;
    s->figures.transactions++;
    return KAFKA_FINE;
}

/* ---- at least once ----------------------------------------------------------------------------- */

bool kafka_wait(struct sink_kafka *s, struct buf *why)
{
    int64_t until = kafka_clock() + 2 * s->timeout; /* they are reported within one */

    while (s->outstanding > 0 && kafka_clock() < until && !atomic_load(&s->interrupted) &&
           rd_kafka_fatal_error(s->rk, NULL, 0) == RD_KAFKA_RESP_ERR_NO_ERROR)
        rd_kafka_flush(s->rk, FLUSH_MS);
    if (s->outstanding == 0 && s->failed == RD_KAFKA_RESP_ERR_NO_ERROR) {
        kafka_told_forget(&s->told);
        return true;
    }
    tell_error(s, "messages were not taken", NULL, why);
    return false;
}
