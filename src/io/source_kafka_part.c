// SPDX-License-Identifier: Apache-2.0
/* source_kafka_part - one partition: where it is taken up, what is read, what is noticed. */
#include <inttypes.h>
#include <string.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/mem.h"
#include "io/source_kafka_priv.h"

#define LOW_BITS UINT64_C(0xfffff) /* of a hash: those of its offset, so that a pair belongs together */
enum { ANCHOR_EVERY = 256 };       /* records */

/* ---- anchors ------------------------------------------------------------------------------------ */

static uint64_t hash_of(const rd_kafka_message_t *msg)
{
    rd_kafka_timestamp_type_t type;
    uint64_t hash = hash64(msg->key, msg->key ? msg->key_len : 0, 1);

    hash = hash_mix((uint64_t)rd_kafka_message_timestamp(msg, &type), hash);
    hash = hash64(msg->payload, msg->payload ? msg->len : 0, hash);
    return (hash & ~LOW_BITS) | ((uint64_t)msg->offset & LOW_BITS);
}

/* When there is no room every other one goes. */
static void keep_anchor(struct kafka_part *part, const rd_kafka_message_t *msg)
{
    struct kafka_anchor anchor = {(uint64_t)msg->offset, hash_of(msg)};

    part->until_anchor = ANCHOR_EVERY;
    pthread_mutex_lock(&part->s->lock);
    if (part->n_anchors == KAFKA_ANCHORS) {
        part->n_anchors /= 2;
        for (size_t i = 0; i < part->n_anchors; i++)
            part->anchor[i] = part->anchor[2 * i];
    }
    part->anchor[part->n_anchors++] = anchor;
    pthread_mutex_unlock(&part->s->lock);
}

void kafka_part_identify(struct kafka_part *part, uint64_t resume, uint64_t identity_out[2])
{
    size_t gone = 0;

    pthread_mutex_lock(&part->s->lock);
    while (gone < part->n_anchors && part->anchor[gone].offset < resume)
        gone++;
    if (gone > 0) { /* the last of these is saved from now on: positions only grow */
        struct kafka_anchor *best = &part->anchor[gone - 1];
        atomic_store(&part->part.identity[0], best->hash);
        atomic_store(&part->part.identity[1], best->offset + 1);
        part->n_anchors -= gone;
        memmove(part->anchor, part->anchor + gone, part->n_anchors * sizeof *part->anchor);
        identity_out[0] = atomic_load(&part->part.identity[0]);
        identity_out[1] = atomic_load(&part->part.identity[1]);
    }
    pthread_mutex_unlock(&part->s->lock);
}

/* The highest that is known, below `next`, if it may still be there. */
static void find_check(struct kafka_part *part, uint64_t low)
{
    uint64_t hash = atomic_load(&part->part.identity[0]), behind = atomic_load(&part->part.identity[1]);

    part->checks = behind > 0 && behind <= part->next && (hash & LOW_BITS) == ((behind - 1) & LOW_BITS);
    part->check = (struct kafka_anchor){behind - 1, hash};
    pthread_mutex_lock(&part->s->lock);
    if (part->n_anchors > 0 && part->anchor[part->n_anchors - 1].offset < part->next) {
        part->checks = true;
        part->check = part->anchor[part->n_anchors - 1];
    }
    pthread_mutex_unlock(&part->s->lock);
    part->checks = part->checks && part->check.offset >= low;
}

void kafka_part_restore(struct kafka_part *part, const struct source_position *saved)
{
    part->next = part->told = part->part.resume = saved->resume;
    atomic_store(&part->shown_next, part->next);
    part->is_new = false;
    part->at_end = saved->at_end;
    atomic_store(&part->part.identity[0], saved->identity[0]);
    atomic_store(&part->part.identity[1], saved->identity[1]);
}

/* ---- stalls --------------------------------------------------------------------------------------- */

void kafka_part_stall(struct kafka_part *part, const char *why)
{
    if (part->caught_up)
        part->at_end = clock_wall();
    part->caught_up = false;
    if (!part->opened || (part->stalled && !kafka_is_news(part->why, why)))
        return;
    (void)kafka_is_news(part->why, why);
    part->stalled = true;
    kafka_tell(part->s, SOURCE_EVENT_STALLED, part, part->next, why);
}

static void resume(struct kafka_part *part)
{
    if (part->stalled)
        kafka_tell(part->s, SOURCE_EVENT_RESUMED, part, part->next, NULL);
    part->stalled = part->caught_up = false;
}

void kafka_part_ask(struct kafka_part *part)
{
    part->state = KAFKA_ASKED;
    kafka_scout_ask(part->s->scout, part);
}

static void ask_later(struct kafka_part *part)
{
    part->state = KAFKA_FOUND;
    part->retry = clock_monotonic() + KAFKA_SECOND;
}

/* ---- reading -------------------------------------------------------------------------------------- */

static void on_records(rd_kafka_t *rk, void *opaque)
{
    (void)rk;
    kafka_part_ready(opaque);
}

void kafka_part_close(struct kafka_part *part)
{
    if (!part->queue)
        return;
    rd_kafka_consume_stop(part->topic->rkt, part->number);
    rd_kafka_queue_cb_event_enable(part->queue, NULL, NULL);
    for (; part->at < part->n; part->at++)
        rd_kafka_message_destroy(part->batch[part->at]);
    rd_kafka_queue_destroy(part->queue);
    part->queue = NULL;
}

/* low: the offset of the first record that there is. */
static void begin(struct kafka_part *part, uint64_t low)
{
    uint64_t from = part->next;

    part->at = part->n = 0;
    part->until_anchor = 0;
    atomic_store(&part->doubtful, false);
    find_check(part, low);
    if (part->checks)
        from = part->check.offset;
    part->queue = rd_kafka_queue_new(part->s->rk);
    rd_kafka_queue_cb_event_enable(part->queue, on_records, part);
    if (rd_kafka_consume_start_queue(part->topic->rkt, part->number, (int64_t)from, part->queue) != 0) {
        const char *why = rd_kafka_err2str(rd_kafka_last_error());
        rd_kafka_queue_destroy(part->queue);
        part->queue = NULL;
        kafka_part_stall(part, why);
        ask_later(part);
        return;
    }
    part->state = KAFKA_READS;
    kafka_part_ready(part);
}

/* ---- what is noticed -------------------------------------------------------------------------------- */

static void log_reset(const struct kafka_part *part, const char *msg, const char *why, uint64_t from, uint64_t to)
{
    struct buf b;

    buf_init(&b);
    log_field(&b, "source", part->s->name);
    log_field(&b, "partition", part->part.name);
    buf_printf(&b, " position=%" PRIu64 " goes_on=%" PRIu64, from, to);
    log_field(&b, "why", why);
    log_line(LOG_ERROR, LOG_source, msg, "%s", b.data);
    buf_fini(&b);
}

static void lose(struct kafka_part *part, const char *why)
{
    struct buf b;

    buf_init(&b);
    buf_printf(&b, "%s; `on_reset` is `fail`", why);
    part->state = KAFKA_LOST;
    part->stalled = false; /* another reason, if it was */
    kafka_part_stall(part, b.data);
    buf_fini(&b);
}

static void succeed(struct kafka_part *part, const char *why);

/* Records of the same topic are gone: it goes on behind them. */
static void skip_to(struct kafka_part *part, uint64_t low, uint64_t offset, const char *why)
{
    if (part->s->rows) { /* some may be gone that it does not know of */
        succeed(part, why);
        return;
    }
    if (part->s->on_reset == KAFKA_RESET_FAIL) {
        lose(part, why);
        return;
    }
    log_reset(part, "records are lost", why, part->next, offset);
    part->next = offset;
    atomic_store(&part->shown_next, offset);
    kafka_tell(part->s, SOURCE_EVENT_PASSED, part, part->next, NULL);
    part->told = part->next;
    begin(part, low);
}

/* What is there now is another topic of the same name: a new generation takes over. */
static void succeed(struct kafka_part *part, const char *why)
{
    struct source_kafka *s = part->s;
    struct kafka_part *next;

    kafka_part_close(part);
    if (s->on_reset == KAFKA_RESET_FAIL) {
        lose(part, why);
        return;
    }
    log_reset(part,
              part->s->rows ? "a table is read again from the start of its topic"
                            : "another topic has taken the place of the one that was read",
              why, part->next, 0);
    next = kafka_add_part(s, part->topic, part->number, part->part.generation + 1);
    next->is_new = true;
    next->from_start = s->on_reset == KAFKA_RESET_EARLIEST;
    next->from_end = !next->from_start;
    next->before = part;
    resume(part);
    part->state = KAFKA_LEFT; /* its end is told when the new one is opened */
    kafka_part_ask(next);
}

/* ---- answers -------------------------------------------------------------------------------------------- */

static void open_new(struct kafka_part *part, const struct scout_answer *a)
{
    struct source_kafka *s = part->s;

    part->next = (uint64_t)(part->from_start ? a->low : part->from_end ? a->high : a->start);
    part->is_new = false;
    part->opened = true;
    atomic_store(&part->shown_next, part->next);
    atomic_store(&part->shown, true);
    kafka_tell(s, SOURCE_EVENT_OPENED, part, part->next, NULL);
    kafka_tell(s, SOURCE_EVENT_PASSED, part, part->next, NULL);
    part->told = part->next;
    if (part->initial)
        s->unopened--;
    if (part->before) {
        part->before->forgettable = true;
        kafka_part_end(part->before);
        part->before = NULL;
    }
}

void kafka_part_end(struct kafka_part *part)
{
    if (part->state == KAFKA_ENDED)
        return;
    kafka_part_close(part);
    resume(part);
    part->state = KAFKA_ENDED;
    atomic_store(&part->shown, false);
    part->s->n_live--;
    kafka_tell(part->s, SOURCE_EVENT_ENDED, part, part->next, NULL);
}

/* Kafka keeps tombstones for a time: after that nobody says that a row is gone. */
static bool is_forgotten(const struct kafka_part *part)
{
    const struct source_kafka *s = part->s;

    return s->rows && s->on_reset != KAFKA_RESET_FAIL && part->at_end > 0 && clock_wall() - part->at_end > s->reread_after;
}

static void take_up(struct kafka_part *part, const struct scout_answer *a)
{
    uint64_t low = (uint64_t)a->low, high = (uint64_t)a->high;
    struct buf why;

    if (!part->s->follow && !part->has_end) {
        part->end = (uint64_t)a->end;
        part->has_end = true;
    }
    buf_init(&why);
    if (is_forgotten(part)) {
        buf_adds(&why, "it was not at its end for longer than `reread_after`: what was deleted meanwhile may not be told any more");
        succeed(part, why.data);
    } else if (part->next > high) {
        buf_printf(&why, "it ends at offset %" PRIu64 ", before the position %" PRIu64
                         ": it was truncated, or is another topic of this name", high, part->next);
        succeed(part, why.data);
    } else if (part->next < low) {
        buf_printf(&why, "records from offset %" PRIu64 " on are gone, the oldest is %" PRIu64, part->next, low);
        skip_to(part, low, part->s->on_reset == KAFKA_RESET_LATEST ? high : low, why.data);
    } else if (part->has_end && part->next >= part->end) {
        kafka_part_end(part);
    } else {
        begin(part, low);
    }
    buf_fini(&why);
}

void kafka_part_answered(struct kafka_part *part, const struct scout_answer *a)
{
    if (part->state != KAFKA_ASKED)
        return;
    if (a->why) {
        kafka_part_stall(part, a->why);
        ask_later(part);
        return;
    }
    if (part->is_new)
        open_new(part, a);
    take_up(part, a);
}

/* ---- records -------------------------------------------------------------------------------------------- */

static void pass(struct kafka_part *part, uint64_t offset)
{
    if (offset > part->next) {
        part->next = offset;
        atomic_store_explicit(&part->shown_next, offset, memory_order_relaxed);
    }
    if (part->next > part->told)
        kafka_tell(part->s, SOURCE_EVENT_PASSED, part, part->next, NULL);
    part->told = part->next;
}

/* Is a transaction open: is there more behind what may be read? */
static bool is_open(const struct kafka_part *part, uint64_t offset)
{
    int64_t low, high;

    return rd_kafka_get_watermark_offsets(part->s->rk, part->topic->name, part->number, &low, &high) ==
               RD_KAFKA_RESP_ERR_NO_ERROR &&
           high > 0 && (uint64_t)high > offset;
}

/* Of rows: so far as it went when its end was reached first. Some transaction may be open at any time. */
static bool is_enough(struct kafka_part *part, uint64_t offset)
{
    int64_t low, high;

    if (part->s->rows && part->enough == 0 &&
        rd_kafka_get_watermark_offsets(part->s->rk, part->topic->name, part->number, &low, &high) ==
            RD_KAFKA_RESP_ERR_NO_ERROR)
        part->enough = (uint64_t)high;
    return part->s->rows && part->enough > 0 && offset >= part->enough;
}

static void take_end(struct kafka_part *part, uint64_t offset)
{
    pass(part, offset);
    if (part->has_end && part->next >= part->end) {
        kafka_part_end(part);
    } else if (!part->caught_up && (!is_open(part, offset) || is_enough(part, offset))) {
        part->caught_up = true;
        part->at_end = clock_wall();
        kafka_tell(part->s, SOURCE_EVENT_CAUGHT_UP, part, part->next, NULL);
    }
}

void kafka_part_look(struct kafka_part *part)
{
    if (part->state != KAFKA_READS || !part->caught_up || !is_open(part, part->next))
        return;
    part->caught_up = false;
    kafka_tell(part->s, SOURCE_EVENT_BEHIND, part, part->next, NULL);
}

/* Reading stops; the scout looks what is the matter. */
static void take_error(struct kafka_part *part, const rd_kafka_message_t *msg)
{
    struct buf why;

    buf_init(&why);
    kafka_add_read_error(msg->err, part->topic->name, &why);
    if (msg->payload && msg->len > 0)
        buf_printf(&why, ": %.*s", (int)msg->len, (const char *)msg->payload);
    bool gone = msg->err == RD_KAFKA_RESP_ERR__AUTO_OFFSET_RESET ||
                msg->err == RD_KAFKA_RESP_ERR_OFFSET_OUT_OF_RANGE;
    kafka_part_close(part);
    ask_later(part);
    if (!gone) { /* else offsets say what it is */
        kafka_part_stall(part, why.data);
        kafka_scout_hurry(part->s->scout);
    }
    buf_fini(&why);
}

/* Is the record that was read before still the same? False: no, and reading has stopped. */
static bool check(struct kafka_part *part, const rd_kafka_message_t *msg)
{
    struct buf why;

    if ((uint64_t)msg->offset > part->check.offset) { /* it is gone: compacted */
        part->checks = false;
        return true;
    }
    if ((uint64_t)msg->offset < part->check.offset)
        return true;
    part->checks = false;
    if (hash_of(msg) == part->check.hash)
        return true;
    buf_init(&why);
    buf_printf(&why, "the record of offset %" PRIu64 " is not the one that was read: it is another topic of this "
                     "name", part->check.offset);
    succeed(part, why.data);
    buf_fini(&why);
    return false;
}

/* One record, or what else came; true: a line. */
static bool take_message(struct kafka_part *part, rd_kafka_message_t *msg, struct source_item *item)
{
    struct source_kafka *s = part->s;
    uint64_t offset = (uint64_t)msg->offset;

    if (msg->err == RD_KAFKA_RESP_ERR__PARTITION_EOF) {
        part->checks = false; /* the record that was looked for is gone */
        if (part->stalled)
            resume(part);
        take_end(part, offset);
        return false;
    }
    if (msg->err) {
        take_error(part, msg);
        return false;
    }
    if (part->checks && !check(part, msg))
        return false;
    if (offset < part->next)
        return false;
    if (part->has_end && offset >= part->end) {
        take_end(part, part->end);
        return false;
    }
    part->next = offset + 1;
    atomic_store_explicit(&part->shown_next, part->next, memory_order_relaxed);
    atomic_store_explicit(&part->shown_time, kafka_record_time(msg), memory_order_relaxed);
    part->caught_up = false;
    if (part->until_anchor-- == 0)
        keep_anchor(part, msg);
    if (!kafka_line(s, part, msg, item)) {
        atomic_fetch_add_explicit(&s->empty, 1, memory_order_relaxed);
        return false;
    }
    part->told = part->next;
    item->partition = &part->part;
    item->offset = offset;
    item->next = part->next;
    return true;
}

bool kafka_part_line(struct kafka_part *part, struct source_item *item_out)
{
    while (part->state == KAFKA_READS && part->s->n_pending == part->s->at_pending) {
        if (atomic_load_explicit(&part->doubtful, memory_order_relaxed)) {
            kafka_part_close(part); /* from the anchor again */
            begin(part, 0);
            continue;
        }
        if (part->stalled && !part->checks && part->at < part->n) {
            resume(part);
            return false;
        }
        if (part->at == part->n) {
            ssize_t n = rd_kafka_consume_batch_queue(part->queue, 0, part->batch, KAFKA_BATCH);
            part->at = 0;
            part->n = n > 0 ? (size_t)n : 0;
            if (part->n == 0)
                return false;
        }
        rd_kafka_message_t *msg = part->batch[part->at++];
        bool line = take_message(part, msg, item_out);
        rd_kafka_message_destroy(msg);
        if (line)
            return true;
    }
    return false;
}
