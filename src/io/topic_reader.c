// SPDX-License-Identifier: Apache-2.0
#include "io/topic_reader.h"

#include <string.h>

#include "base/clock.h"
#include "base/cond.h"
#include "base/log.h"
#include "base/mem.h"
#include "io/topic_reader_priv.h"

#define SECOND INT64_C(1000000000)
#define LOOK_EVERY (5 * SECOND) /* for partitions that are new */
#define PATIENCE (5 * SECOND)   /* of one that reads, until brokers that do not answer are away */
enum { STEP_MS = 100 };

/* ---- the queue ---------------------------------------------------------------------------------------- */

static size_t size_of(const struct topic_record *record)
{
    size_t size = sizeof *record + record->key_len + (record->value ? record->len : 0);

    for (size_t i = 0; i < record->n_headers; i++)
        size += strlen(record->header[i].name) + (record->header[i].value ? record->header[i].len : 0);
    return size;
}

void topic_record_free(struct topic_record **record)
{
    struct topic_record *gone = *record;

    *record = NULL;
    if (!gone)
        return;
    for (size_t i = 0; i < gone->n_headers; i++) {
        mem_free(gone->header[i].name);
        mem_free(gone->header[i].value);
    }
    mem_free(gone->key);
    mem_free(gone->value);
    mem_free(gone);
}

/* With the lock. */
static void wait_step(struct topic_reader *r)
{
    cond_wait_until(&r->changed, &r->lock, clock_monotonic() + STEP_MS * INT64_C(1000000));
}

void topic_reader_put(struct topic_reader *r, struct topic_record *record)
{
    pthread_mutex_lock(&r->lock);
    while (r->waiting > r->max_waiting && !atomic_load(&r->stopping))
        wait_step(r);
    *r->last = record;
    r->last = &record->next;
    r->waiting += size_of(record);
    r->waiting_records += !record->is_end;
    pthread_mutex_unlock(&r->lock);
}

struct topic_record *topic_reader_take(struct topic_reader *r)
{
    pthread_mutex_lock(&r->lock);
    struct topic_record *record = r->first;
    if (record) {
        r->first = record->next;
        if (!r->first)
            r->last = &r->first;
        record->next = NULL;
        r->waiting -= size_of(record);
        r->waiting_records -= !record->is_end;
        pthread_cond_signal(&r->changed);
    }
    pthread_mutex_unlock(&r->lock);
    return record;
}

bool topic_reader_has(struct topic_reader *r)
{
    pthread_mutex_lock(&r->lock);
    bool any = r->first != NULL;
    pthread_mutex_unlock(&r->lock);
    return any;
}

enum topic_state topic_reader_state(struct topic_reader *r, struct buf *why)
{
    pthread_mutex_lock(&r->lock);
    enum topic_state state = r->state == TOPIC_CAUGHT_UP && r->first ? TOPIC_READS : r->state;
    if (r->why)
        buf_adds(why, r->why);
    pthread_mutex_unlock(&r->lock);
    return state;
}

uint64_t topic_reader_behind(struct topic_reader *r)
{
    pthread_mutex_lock(&r->lock);
    uint64_t n = r->behind + r->waiting_records;
    pthread_mutex_unlock(&r->lock);
    return n;
}

/* why NULL: nothing is the matter. Logs it when it is something else. */
static void topic_reader_say(struct topic_reader *r, enum topic_state state, const char *why)
{
    struct buf b;

    pthread_mutex_lock(&r->lock);
    bool was = r->why != NULL, other = why && (!was || strcmp(r->why, why) != 0);
    r->state = state;
    if (!why || other) {
        mem_free(r->why);
        r->why = why ? mem_strndup(why, strlen(why)) : NULL;
    }
    pthread_mutex_unlock(&r->lock);
    if (!other && !(was && !why))
        return;
    buf_init(&b);
    log_field(&b, "topic", r->topic);
    if (why)
        log_field(&b, "why", why);
    log_line(state == TOPIC_LOST ? LOG_ERROR : why ? LOG_WARNING : LOG_INFO, LOG_kafka,
             state == TOPIC_LOST ? "the topic is read no more" : why ? "the topic cannot be read now" : "the topic is read",
             "%s", b.data);
    buf_fini(&b);
}

/* ---- the thread ----------------------------------------------------------------------------------------- */

/* Called by any thread of the client. */
static void doubt(void *ctx, const char *text)
{
    struct topic_reader *r = ctx;

    (void)text; /* of whatever partition: they are few */
    atomic_store(&r->doubtful, true);
}

/* It is the matter from now on; lost: for good. */
static void disconnect(struct topic_reader *r, bool lost, const char *why)
{
    topic_part_stop(r);
    r->connected = false;
    topic_reader_say(r, lost ? TOPIC_LOST : TOPIC_CONNECTS, why);
}

/* Between two tries. */
static void pause_a_while(struct topic_reader *r)
{
    pthread_mutex_lock(&r->lock);
    for (int i = 0; i < 10 && !atomic_load(&r->stopping); i++)
        wait_step(r);
    pthread_mutex_unlock(&r->lock);
}

/* False: it is lost. */
static bool connect_it(struct topic_reader *r, struct buf *why)
{
    bool lost = false;

    atomic_store(&r->doubtful, false);
    buf_clear(why);
    if (topic_part_connect(r, &lost, why)) {
        r->connected = true;
        r->look = clock_monotonic() + LOOK_EVERY;
        topic_reader_say(r, TOPIC_READS, NULL);
        return true;
    }
    disconnect(r, lost, why->data);
    if (!lost)
        pause_a_while(r);
    return !lost;
}

/* Are there more partitions? Brokers that are away for a moment are no matter: what is read waits. */
static bool look(struct topic_reader *r, struct buf *why)
{
    bool lost = false;
    int64_t now = clock_monotonic();

    buf_clear(why);
    if (topic_part_connect(r, &lost, why)) {
        r->answered = now;
        r->look = now + LOOK_EVERY;
        return true;
    }
    r->look = now + SECOND;
    if (lost || now - r->answered >= PATIENCE)
        disconnect(r, lost, why->data);
    return !lost;
}

/* What has come, or STEP_MS. False: it is lost. */
static bool read_some(struct topic_reader *r, struct buf *why)
{
    rd_kafka_message_t *msg = rd_kafka_consume_queue(r->queue, STEP_MS);
    bool lost = false, ok = true;

    for (; msg && ok; msg = ok ? rd_kafka_consume_queue(r->queue, 0) : NULL) {
        buf_clear(why);
        ok = topic_part_take(r, msg, &lost, why);
        rd_kafka_message_destroy(msg);
        if (atomic_load(&r->stopping))
            return true;
    }
    if (!ok)
        disconnect(r, lost, why->data);
    else if (topic_part_all_read(r))
        topic_reader_say(r, TOPIC_CAUGHT_UP, NULL);
    return !lost;
}

static void *run(void *ctx)
{
    struct topic_reader *r = ctx;
    struct buf why;
    bool lost = false;

    buf_init(&why);
    r->answered = clock_monotonic();
    while (!atomic_load(&r->stopping) && !lost) {
        rd_kafka_poll(r->rk, 0);
        if (!r->connected)
            lost = !connect_it(r, &why);
        else if (atomic_load(&r->doubtful)) { /* from the anchors again */
            topic_part_stop(r);
            r->connected = false;
        } else if (clock_monotonic() >= r->look)
            lost = !look(r, &why);
        else
            lost = !read_some(r, &why);
        uint64_t ahead = topic_part_ahead(r);
        pthread_mutex_lock(&r->lock);
        r->behind = ahead;
        pthread_mutex_unlock(&r->lock);
    }
    buf_fini(&why);
    return NULL;
}

/* ---- beginning and end ------------------------------------------------------------------------------------ */

static bool begin_client(struct topic_reader *r, const struct topic_reader_options *opt, struct buf *why)
{
    rd_kafka_conf_t *conf = kafka_conf_new(&opt->settings, &r->told, why);

    if (!conf)
        return false;
    kafka_conf_set(conf, "enable.auto.commit", "false");
    kafka_conf_set(conf, "enable.auto.offset.store", "false");
    kafka_conf_set(conf, "auto.offset.reset", "error");
    kafka_conf_set(conf, "isolation.level", "read_committed");
    kafka_conf_set(conf, "enable.partition.eof", "true");
    r->rk = kafka_new(RD_KAFKA_CONSUMER, conf, why);
    if (!r->rk)
        return false;
    r->rkt = rd_kafka_topic_new(r->rk, r->topic, NULL);
    r->queue = rd_kafka_queue_new(r->rk);
    if (!r->rkt)
        buf_printf(why, "the topic %s: %s", r->topic, rd_kafka_err2str(rd_kafka_last_error()));
    return r->rkt != NULL;
}

static void take_positions(struct topic_reader *r, const struct topic_position *saved, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if ((size_t)saved[i].partition >= r->n_parts)
            r->n_parts = (size_t)saved[i].partition + 1;
    r->part = mem_calloc(r->n_parts + 1, sizeof *r->part);
    for (size_t i = 0; i < r->n_parts; i++)
        r->part[i].pos.partition = (int32_t)i;
    for (size_t i = 0; i < n; i++)
        r->part[saved[i].partition].pos = saved[i];
}

struct topic_reader *topic_reader_new(const struct topic_reader_options *opt, struct buf *why)
{
    struct topic_reader *r = mem_calloc(1, sizeof *r);

    r->name = mem_strndup(opt->name, strlen(opt->name));
    r->topic = mem_strndup(opt->topic, strlen(opt->topic));
    r->go_on = opt->go_on;
    r->max_value = opt->max_value;
    r->max_waiting = opt->max_waiting;
    r->last = &r->first;
    take_positions(r, opt->saved, opt->n_saved);
    kafka_told_init(&r->told, r->name, KAFKA_SOURCE);
    r->told.doubt = doubt;
    r->told.doubt_ctx = r;
    pthread_mutex_init(&r->lock, NULL);
    cond_init(&r->changed);
    if (begin_client(r, opt, why) && pthread_create(&r->thread, NULL, run, r) == 0)
        return r;
    if (why->len == 0)
        buf_adds(why, "no thread can be begun");
    r->stopping = true;
    topic_reader_free(&r);
    return NULL;
}

void topic_reader_free(struct topic_reader **rp)
{
    struct topic_reader *r = *rp;
    struct topic_record *record;

    *rp = NULL;
    if (!r)
        return;
    if (!atomic_exchange(&r->stopping, true)) {
        pthread_mutex_lock(&r->lock);
        pthread_cond_signal(&r->changed);
        pthread_mutex_unlock(&r->lock);
        pthread_join(r->thread, NULL);
    }
    if (r->rk && r->rkt)
        topic_part_stop(r);
    if (r->queue)
        rd_kafka_queue_destroy(r->queue);
    if (r->rkt)
        rd_kafka_topic_destroy(r->rkt);
    if (r->rk)
        rd_kafka_destroy_flags(r->rk, RD_KAFKA_DESTROY_F_NO_CONSUMER_CLOSE);
    while ((record = topic_reader_take(r)) != NULL)
        topic_record_free(&record);
    kafka_told_fini(&r->told);
    pthread_cond_destroy(&r->changed);
    pthread_mutex_destroy(&r->lock);
    mem_free(r->part);
    mem_free(r->why);
    mem_free(r->topic);
    mem_free(r->name);
    mem_free(r);
}
