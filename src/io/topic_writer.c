// SPDX-License-Identifier: Apache-2.0
#include "io/topic_writer.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/cond.h"
#include "base/log.h"
#include "base/mem.h"
#include "io/kafka_priv.h"

enum { WINDOW = 100, POLL_MS = 50, STEP_MS = 100, AGAIN_STEPS = 10 };

struct message {
    struct message *next;
    uint64_t number;
    char *key, *value; /* owned */
    size_t key_len, len;
    bool sent, settled; /* the thread's */
};

struct topic_writer {
    char *name, *topic; /* owned */
    struct kafka_settings settings; /* with what it points to, owned */
    uint64_t max_count, max_bytes;
    struct kafka_told told;
    pthread_t thread;
    bool runs;
    /* the thread's */
    rd_kafka_t *rk;
    rd_kafka_topic_t *rkt;
    size_t in_flight;
    rd_kafka_resp_err_t failed; /* of the producer there is: a message was not taken */
    _Atomic int64_t until;      /* monotonic: when it ends; INT64_MAX: it goes on */
    pthread_mutex_t lock; /* all below; and the list */
    pthread_cond_t changed;
    struct message *first, **last;
    uint64_t settled;
    struct topic_writer_stats stats;
    char *why;
};

/* ---- what is told ------------------------------------------------------------------------------------- */

/* NULL: all is well. */
static void say(struct topic_writer *w, const char *why)
{
    struct buf b;

    pthread_mutex_lock(&w->lock);
    bool other = why ? !w->why || strcmp(w->why, why) != 0 : w->why != NULL;
    w->stats.failing = why != NULL;
    if (other) {
        mem_free(w->why);
        w->why = why ? mem_strndup(why, strlen(why)) : NULL;
    }
    pthread_mutex_unlock(&w->lock);
    if (!other)
        return;
    buf_init(&b);
    log_field(&b, "topic", w->topic);
    if (why)
        log_field(&b, "why", why);
    log_line(why ? LOG_WARNING : LOG_INFO, LOG_kafka,
             why ? "the topic cannot be written now: what is for it waits" : "the topic is written", "%s", b.data);
    buf_fini(&b);
}

static void tell_too_large(struct topic_writer *w, const struct message *m)
{
    struct buf b;

    buf_init(&b);
    log_field(&b, "topic", w->topic);
    if (m->key)
        log_field(&b, "key", m->key);
    buf_printf(&b, " bytes=%zu", m->len);
    log_line(LOG_ERROR, LOG_kafka, "a message is too large for the topic, and is dropped", "%s", b.data);
    buf_fini(&b);
}

/* ---- the producer ------------------------------------------------------------------------------------- */

/* Within rd_kafka_poll, on the thread. */
static void report(rd_kafka_t *rk, const rd_kafka_message_t *message, void *opaque)
{
    struct topic_writer *w = (struct topic_writer *)((char *)opaque - offsetof(struct topic_writer, told));
    struct message *m = message->_private;

    (void)rk;
    w->in_flight--;
    bool too_large = message->err == RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE;
    if (!message->err || too_large)
        m->settled = true;
    else if (!w->failed)
        w->failed = message->err;
    if (too_large)
        tell_too_large(w, m);
    pthread_mutex_lock(&w->lock);
    w->stats.written += !message->err;
    w->stats.dropped += too_large;
    pthread_mutex_unlock(&w->lock);
}

static bool begin_client(struct topic_writer *w, struct buf *why)
{
    rd_kafka_conf_t *conf = kafka_conf_new(&w->settings, &w->told, why);

    if (!conf)
        return false;
    kafka_conf_set(conf, "enable.idempotence", "true");
    kafka_conf_default(conf, &w->settings, "partitioner", NULL, "murmur2_random");
    kafka_conf_default(conf, &w->settings, "linger.ms", "queue.buffering.max.ms", "5");
    kafka_conf_default(conf, &w->settings, "message.timeout.ms", "delivery.timeout.ms", "30000");
    rd_kafka_conf_set_dr_msg_cb(conf, report);
    w->rk = kafka_new(RD_KAFKA_PRODUCER, conf, why);
    if (!w->rk)
        return false;
    w->rkt = rd_kafka_topic_new(w->rk, w->topic, NULL);
    if (!w->rkt)
        buf_printf(why, "the topic %s: %s", w->topic, rd_kafka_err2str(rd_kafka_last_error()));
    w->failed = RD_KAFKA_RESP_ERR_NO_ERROR;
    w->in_flight = 0;
    return w->rkt != NULL;
}

/* Nothing of it is under way after this; what was not acknowledged is sent again. */
static void end_client(struct topic_writer *w)
{
    if (w->rk) {
        rd_kafka_purge(w->rk, RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT | RD_KAFKA_PURGE_F_NON_BLOCKING);
        for (int i = 0; i < 20 && w->in_flight > 0; i++)
            rd_kafka_poll(w->rk, POLL_MS);
    }
    if (w->rkt)
        rd_kafka_topic_destroy(w->rkt);
    if (w->rk)
        rd_kafka_destroy(w->rk);
    w->rk = NULL;
    w->rkt = NULL;
    pthread_mutex_lock(&w->lock);
    for (struct message *m = w->first; m; m = m->next)
        m->sent = m->settled;
    pthread_mutex_unlock(&w->lock);
}

/* ---- sending ------------------------------------------------------------------------------------------- */

static void message_free(struct message *m)
{
    mem_free(m->key);
    mem_free(m->value);
    mem_free(m);
}

/* With the lock. */
static void take_first(struct topic_writer *w)
{
    struct message *m = w->first;

    w->first = m->next;
    if (!w->first)
        w->last = &w->first;
    w->settled = m->number;
    w->stats.waiting--;
    w->stats.bytes -= m->len + m->key_len;
    message_free(m);
}

/* Takes out what is settled, from the front. */
static void take_settled(struct topic_writer *w)
{
    pthread_mutex_lock(&w->lock);
    while (w->first && w->first->settled)
        take_first(w);
    pthread_mutex_unlock(&w->lock);
}

static bool is_too_much(struct topic_writer *w)
{
    pthread_mutex_lock(&w->lock);
    bool is = w->stats.waiting > w->max_count || w->stats.bytes > w->max_bytes;
    pthread_mutex_unlock(&w->lock);
    return is;
}

/* The topic was not writable for long. Nothing is under way. */
static void drop_oldest(struct topic_writer *w)
{
    uint64_t dropped = 0;

    pthread_mutex_lock(&w->lock);
    for (; w->first && (w->stats.waiting > w->max_count || w->stats.bytes > w->max_bytes); dropped++)
        take_first(w);
    w->stats.dropped += dropped;
    pthread_mutex_unlock(&w->lock);
    log_line(LOG_ERROR, LOG_kafka, "too much waits for a topic: the oldest messages are dropped",
             "topic=%s dropped=%" PRIu64, w->topic, dropped);
}

/* The first that was not sent; NULL: none, or enough are under way. */
static struct message *next_message(struct topic_writer *w)
{
    struct message *m;

    if (w->in_flight >= WINDOW || w->failed)
        return NULL;
    pthread_mutex_lock(&w->lock);
    for (m = w->first; m && m->sent; m = m->next)
        ;
    pthread_mutex_unlock(&w->lock);
    return m;
}

static void send_some(struct topic_writer *w)
{
    struct message *m;

    while ((m = next_message(w)) != NULL) {
        if (rd_kafka_produce(w->rkt, RD_KAFKA_PARTITION_UA, RD_KAFKA_MSG_F_COPY, m->value, m->len, m->key, m->key_len,
                             m) == 0) {
            m->sent = true;
            w->in_flight++;
            continue;
        }
        rd_kafka_resp_err_t err = rd_kafka_last_error();
        if (err == RD_KAFKA_RESP_ERR__QUEUE_FULL)
            return;
        if (err != RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE) {
            w->failed = err;
            return;
        }
        m->sent = m->settled = true;
        tell_too_large(w, m);
        pthread_mutex_lock(&w->lock);
        w->stats.dropped++;
        pthread_mutex_unlock(&w->lock);
    }
}

/* With the lock. */
static void wait_step(struct topic_writer *w)
{
    cond_wait_until(&w->changed, &w->lock, clock_monotonic() + STEP_MS * INT64_C(1000000));
}

static bool has_ended(struct topic_writer *w)
{
    return clock_monotonic() >= atomic_load(&w->until);
}

/* The producer has failed: another one, after a while. */
static void begin_again(struct topic_writer *w)
{
    const struct kafka_need need = {.topic = w->topic, .on_topic = "Write"};
    rd_kafka_resp_err_t fatal = rd_kafka_fatal_error(w->rk, NULL, 0);
    struct buf why;

    buf_init(&why);
    if (!kafka_add_missing(fatal ? fatal : w->failed, &need, &why))
        buf_adds(&why, fatal ? "the producer cannot go on" : rd_kafka_err2str(w->failed));
    buf_addc(&why, ' ');
    buf_addc(&why, '(');
    size_t before = why.len;
    kafka_told_take(&w->told, &why);
    if (why.len == before)
        buf_truncate(&why, before - 2);
    else
        buf_addc(&why, ')');
    buf_adds(&why, "");
    end_client(w);
    take_settled(w);
    say(w, why.data);
    buf_fini(&why);
    pthread_mutex_lock(&w->lock);
    for (int i = 0; i < AGAIN_STEPS && !has_ended(w); i++)
        wait_step(w);
    pthread_mutex_unlock(&w->lock);
}

/* Brokers that are away: librdkafka waits for them, and says nothing of messages until they time out. */
static void look_at_errors(struct topic_writer *w)
{
    struct buf why;

    buf_init(&why);
    if (kafka_told_take(&w->told, &why) && w->in_flight > 0)
        say(w, why.data);
    buf_fini(&why);
}

/* Nothing is to be sent: what errors there were does not matter. */
static bool is_idle(struct topic_writer *w)
{
    struct buf why;

    pthread_mutex_lock(&w->lock);
    bool idle = w->first == NULL;
    if (idle) {
        buf_init(&why);
        kafka_told_take(&w->told, &why);
        buf_fini(&why);
    }
    if (idle && !has_ended(w) && atomic_load(&w->until) == INT64_MAX)
        wait_step(w);
    pthread_mutex_unlock(&w->lock);
    return idle;
}

static void *run(void *ctx)
{
    struct topic_writer *w = ctx;
    struct buf why;

    buf_init(&why);
    while (!has_ended(w)) {
        if (is_idle(w)) {
            if (atomic_load(&w->until) != INT64_MAX)
                break;
            if (w->rk)
                rd_kafka_poll(w->rk, 0);
            continue;
        }
        if (is_too_much(w)) {
            end_client(w);
            drop_oldest(w);
        }
        buf_clear(&why);
        if (!w->rk && !begin_client(w, &why)) { /* its options were tried before */
            end_client(w);
            say(w, why.data);
            pthread_mutex_lock(&w->lock);
            wait_step(w);
            pthread_mutex_unlock(&w->lock);
            continue;
        }
        uint64_t before = w->stats.written;
        send_some(w);
        rd_kafka_poll(w->rk, POLL_MS);
        look_at_errors(w);
        take_settled(w);
        if ((w->failed && w->in_flight == 0) || rd_kafka_fatal_error(w->rk, NULL, 0))
            begin_again(w);
        else if (w->stats.written > before)
            say(w, NULL);
    }
    end_client(w);
    take_settled(w);
    buf_fini(&why);
    return NULL;
}

/* ---- from outside ---------------------------------------------------------------------------------------- */

void topic_writer_put(struct topic_writer *w, uint64_t number, const char *key, size_t key_len, const char *value,
                      size_t len)
{
    struct message *m = mem_calloc(1, sizeof *m);

    *m = (struct message){.number = number, .value = mem_strndup(value, len), .len = len};
    if (key) {
        m->key = mem_strndup(key, key_len);
        m->key_len = key_len;
    }
    pthread_mutex_lock(&w->lock);
    *w->last = m;
    w->last = &m->next;
    w->stats.waiting++;
    w->stats.bytes += m->len + m->key_len;
    pthread_cond_signal(&w->changed);
    pthread_mutex_unlock(&w->lock);
}

uint64_t topic_writer_settled(struct topic_writer *w)
{
    pthread_mutex_lock(&w->lock);
    uint64_t settled = w->settled;
    pthread_mutex_unlock(&w->lock);
    return settled;
}

void topic_writer_stats(struct topic_writer *w, struct topic_writer_stats *stats_out, struct buf *why)
{
    pthread_mutex_lock(&w->lock);
    *stats_out = w->stats;
    if (w->why)
        buf_adds(why, w->why);
    pthread_mutex_unlock(&w->lock);
}

static void copy_settings(struct topic_writer *w, const struct kafka_settings *from)
{
    struct kafka_option *option = mem_calloc(from->n_options + 1, sizeof *option);

    for (size_t i = 0; i < from->n_options; i++)
        option[i] = (struct kafka_option){mem_strndup(from->option[i].name, strlen(from->option[i].name)),
                                          mem_strndup(from->option[i].value, strlen(from->option[i].value))};
    w->settings = (struct kafka_settings){.brokers = mem_strndup(from->brokers, strlen(from->brokers)),
                                          .option = option,
                                          .n_options = from->n_options};
}

static void free_settings(struct topic_writer *w)
{
    struct kafka_option *option = (struct kafka_option *)(uintptr_t)w->settings.option;

    for (size_t i = 0; i < w->settings.n_options; i++) {
        mem_free(option[i].name);
        mem_free(option[i].value);
    }
    mem_free(option);
    mem_free((char *)(uintptr_t)w->settings.brokers);
}

struct topic_writer *topic_writer_new(const struct topic_writer_options *opt, struct buf *why)
{
    struct topic_writer *w = mem_calloc(1, sizeof *w);

    w->name = mem_strndup(opt->name, strlen(opt->name));
    w->topic = mem_strndup(opt->topic, strlen(opt->topic));
    w->max_count = opt->max_count;
    w->max_bytes = opt->max_bytes;
    copy_settings(w, &opt->settings);
    w->last = &w->first;
    atomic_store(&w->until, INT64_MAX);
    kafka_told_init(&w->told, w->name, KAFKA_SINK);
    pthread_mutex_init(&w->lock, NULL);
    cond_init(&w->changed);
    w->runs = begin_client(w, why) && pthread_create(&w->thread, NULL, run, w) == 0;
    if (!w->runs)
        topic_writer_free(&w, 0);
    return w;
}

void topic_writer_free(struct topic_writer **wp, int64_t within)
{
    struct topic_writer *w = *wp;

    *wp = NULL;
    if (!w)
        return;
    atomic_store(&w->until, clock_monotonic() + within);
    pthread_mutex_lock(&w->lock);
    pthread_cond_signal(&w->changed);
    pthread_mutex_unlock(&w->lock);
    if (w->runs)
        pthread_join(w->thread, NULL);
    else
        end_client(w);
    while (w->first) {
        struct message *m = w->first;
        w->first = m->next;
        message_free(m);
    }
    free_settings(w);
    kafka_told_fini(&w->told);
    pthread_cond_destroy(&w->changed);
    pthread_mutex_destroy(&w->lock);
    mem_free(w->why);
    mem_free(w->topic);
    mem_free(w->name);
    mem_free(w);
}
