// SPDX-License-Identifier: Apache-2.0
/* outbox_write - the checkpoint thread's side: messages, acknowledgements and rejections become records. */
#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "state/outbox_priv.h"
#include "state/space.h"

/* ---- into the batch -------------------------------------------------------------------------- */

static void add_entry(struct outbox *ob, struct sink_queue *q, struct store_batch *batch,
                      const struct outbox_entry_record *entry)
{
    uint8_t key[OUTBOX_KEY_BYTES];
    struct buf value;

    buf_init(&value);
    outbox_entry_encode(entry, &value);
    outbox_entry_key(key, q->number, q->next);
    store_batch_put(batch, key, sizeof key, value.data, value.len);
    buf_fini(&value);

    ob->staged = vec_reserve(ob->staged, &ob->cap_staged, ob->n_staged + 1, sizeof *ob->staged);
    ob->staged[ob->n_staged++] = (struct staged){
        .queue = q,
        .seq = q->next,
        /* when much waits it will not be among the first: then it is read from the database */
        .text = q->waiting < FIFO_COUNT ? mem_strndup(entry->text, entry->len) : NULL,
        .len = entry->len,
        .at = entry->at,
        .is_alert = entry->is_alert,
        .direct = entry->direct,
    };
    q->next++;
    q->waiting++;
    q->waiting_bytes += entry->len;
    q->dirty = true;
}

static void add_overflow(struct outbox *ob, struct sink_queue *q, struct store_batch *batch,
                         const struct epoch_message *m, int64_t now)
{
    struct dead_letter letter = {.time = now, .of_sink = true, .is_alert = m->is_alert,
                                 .origin = q->name, .origin_len = strlen(q->name),
                                 .text = m->text, .len = m->len};
    struct buf reason;

    buf_init(&reason);
    buf_printf(&reason, "the queue of the sink is full: %" PRIu64 " messages, %" PRIu64 " bytes",
               q->waiting, q->waiting_bytes);
    letter.reason = reason.data;
    letter.reason_len = reason.len;
    dead_letters_add(ob->dead, batch, &letter);
    q->overflowed++;
    log_line(LOG_WARNING, LOG_sink, "a queue is full: what does not fit goes to the dead letters",
             "sink=%s waiting=%" PRIu64 " bytes=%" PRIu64 " overflowed=%" PRIu64, q->name,
             q->waiting, q->waiting_bytes, q->overflowed);
    buf_fini(&reason);
}

static void add_dead(struct outbox *ob, struct store_batch *batch, const struct epoch_message *m,
                     int64_t now)
{
    struct dead_letter letter = {.time = now, .is_alert = m->is_alert, .text = m->text,
                                 .len = m->len};

    letter.origin = m->origin ? m->origin : "";
    letter.origin_len = strlen(letter.origin);
    letter.reason = m->reason ? m->reason : "";
    letter.reason_len = strlen(letter.reason);
    dead_letters_add(ob->dead, batch, &letter);
}

static void add_message(struct outbox *ob, struct store_batch *batch,
                        const struct epoch_message *m, int64_t now)
{
    if (m->n_sinks == 0)
        add_dead(ob, batch, m, now);
    for (uint32_t i = 0; i < m->n_sinks; i++) {
        assert(m->sink[i] < ob->n_sinks);
        struct sink_queue *q = ob->of_sink[m->sink[i]];
        if (q->on_full == OUTBOX_DEAD_LETTER && queue_is_full(q, m->len))
            add_overflow(ob, q, batch, m, now);
        else
            add_entry(ob, q, batch,
                      &(struct outbox_entry_record){.is_alert = m->is_alert,
                                                    .direct = !m->direct || m->direct[i],
                                                    .at = now, .text = m->text, .len = m->len});
    }
}

/* False: it cannot be read now. */
static bool add_reject(struct outbox *ob, struct sink_queue *q, struct store_batch *batch,
                       const struct leaving *rejected, int64_t now)
{
    struct outbox_entry_record record;
    struct dead_letter letter = {.time = now, .of_sink = true,
                                 .origin = q->name, .origin_len = strlen(q->name),
                                 .reason = rejected->reason,
                                 .reason_len = strlen(rejected->reason)};
    uint8_t key[OUTBOX_KEY_BYTES];
    struct buf value, text, why;
    bool found;

    buf_init(&value);
    buf_init(&text);
    buf_init(&why);
    outbox_entry_key(key, q->number, rejected->seq);
    bool read = store_get(ob->store, key, sizeof key, &found, &value, &why) == STORE_OK;
    if (!read) {
        log_line(LOG_ERROR, LOG_sink, "a rejected message cannot be read: it is tried again",
                 "sink=%s seq=%" PRIu64 " why=\"%s\"", q->name, rejected->seq, why.data);
    } else if (found) {
        if (outbox_entry_decode(value.data, value.len, &record)) {
            letter.is_alert = record.is_alert;
            letter.text = record.text;
            letter.len = record.len;
        } else {
            buf_addc(&text, '"');
            buf_add_hex(&text, value.data, value.len);
            buf_addc(&text, '"');
            letter.text = text.data;
            letter.len = text.len;
            letter.of_sink = false; /* nothing to send again */
        }
        dead_letters_add(ob->dead, batch, &letter);
    }
    buf_fini(&value);
    buf_fini(&text);
    buf_fini(&why);
    return read;
}

/* What leaves with this batch. False: something could not be read, and it and what is behind it leave with a
 * later one. */
static bool let_leave(struct outbox *ob, struct sink_queue *q, struct store_batch *batch, int64_t now)
{
    uint8_t key[OUTBOX_KEY_BYTES];

    for (; q->n_in_batch < q->n_leaving; q->n_in_batch++) {
        const struct leaving *leaving = &q->leaving[q->n_in_batch];
        if (leaving->reason && !add_reject(ob, q, batch, leaving, now))
            return false;
        outbox_entry_key(key, q->number, leaving->seq);
        store_batch_remove(batch, key, sizeof key);
    }
    q->rejecting_in_batch = q->rejecting;
    q->rejecting_bytes_in_batch = q->rejecting_bytes;
    return true;
}

/* All up to here may go at the next opening: nothing that is to be a dead letter and is none yet. */
static uint64_t acked_in_batch(const struct sink_queue *q)
{
    uint64_t acked = q->acked;

    for (size_t i = q->n_in_batch; i < q->n_leaving; i++)
        if (q->leaving[i].reason && q->leaving[i].seq <= acked)
            acked = q->leaving[i].seq - 1;
    return acked;
}

static void finish_queue(struct outbox *ob, struct sink_queue *q, struct store_batch *batch,
                         int64_t now)
{
    struct buf name, value;

    if (!q->dirty)
        return;
    bool all = let_leave(ob, q, batch, now);
    buf_init(&name);
    buf_init(&value);
    buf_addc(&name, SPACE_SINK);
    buf_adds(&name, q->name);
    outbox_sink_encode(&(struct outbox_sink_record){q->number, q->next, acked_in_batch(q), q->waiting,
                                                    q->waiting_bytes, q->position.data,
                                                    q->position.len}, &value);
    store_batch_put(batch, name.data, name.len, value.data, value.len);
    buf_fini(&name);
    buf_fini(&value);
    q->settling_in_batch = q->settling;
    q->dirty = !all;
}

bool outbox_build(struct outbox *ob, struct store_batch *batch, struct epoch *const *ep,
                  size_t n_epochs, int64_t now)
{
    pthread_mutex_lock(&ob->lock);
    for (size_t i = 0; i < n_epochs; i++)
        for (size_t k = 0; k < ep[i]->n_messages; k++)
            add_message(ob, batch, &ep[i]->message[k], now);
    for (size_t i = 0; i < ob->n_queues; i++)
        finish_queue(ob, ob->queue[i], batch, now);
    ob->acks_since = 0;
    bool sync = ob->sync;
    ob->sync = false;
    pthread_mutex_unlock(&ob->lock);
    return sync;
}

enum outbox_requeued outbox_requeue(struct outbox *ob, struct store_batch *batch,
                                    const struct dead_letter *letter, int64_t now)
{
    enum outbox_requeued result = OUTBOX_REQUEUED;
    struct sink_queue *q = NULL;

    if (!letter->of_sink)
        return OUTBOX_NO_SINK;
    pthread_mutex_lock(&ob->lock);
    for (size_t i = 0; !q && i < ob->n_queues; i++)
        if (strlen(ob->queue[i]->name) == letter->origin_len &&
            memcmp(ob->queue[i]->name, letter->origin, letter->origin_len) == 0)
            q = ob->queue[i];
    if (!q || (ob->of_sink && !q->configured))
        result = OUTBOX_NOT_CONFIGURED;
    else if (q->configured && queue_is_full(q, letter->len))
        result = OUTBOX_AT_BOUND;
    else
        add_entry(ob, q, batch,
                  &(struct outbox_entry_record){.is_alert = letter->is_alert, .direct = true,
                                                .at = now, .text = letter->text,
                                                .len = letter->len});
    pthread_mutex_unlock(&ob->lock);
    return result;
}

int64_t outbox_pending(struct outbox *ob, bool *sync_out)
{
    pthread_mutex_lock(&ob->lock);
    int64_t since = ob->acks_since;
    *sync_out = ob->sync;
    pthread_mutex_unlock(&ob->lock);
    return since;
}

/* ---- durable --------------------------------------------------------------------------------- */

static void tell_staged(struct staged *s)
{
    struct sink_queue *q = s->queue;

    /* all before it are in memory, and there is room */
    if (s->text && q->fifo_end == s->seq && q->n_fifo < FIFO_COUNT && q->fifo_bytes < FIFO_BYTES)
        fifo_push(q, (struct fifo_entry){.seq = s->seq, .text = s->text, .len = s->len, .at = s->at,
                                         .is_alert = s->is_alert, .direct = s->direct});
    else
        mem_free(s->text);
    q->durable_end = s->seq + 1;
    q->news = true;
    pthread_cond_broadcast(&q->come);
}

static void tell_left(struct sink_queue *q)
{
    q->n_written = q->n_in_batch;
    queue_forget_left(q);
    q->rejecting -= q->rejecting_in_batch;
    q->rejecting_bytes -= q->rejecting_bytes_in_batch;
    q->rejecting_in_batch = q->rejecting_bytes_in_batch = 0;
}

static void tell_queue(struct sink_queue *q)
{
    bool waits = q->settled != q->settling_in_batch || queue_rejects_much(q);

    tell_left(q);
    q->settled = q->settling_in_batch;
    if (waits)
        pthread_cond_broadcast(&q->come);
    if (q->listener && (waits || q->news))
        q->listener(q->listener_ctx);
    q->news = false;
}

void outbox_told(struct outbox *ob)
{
    pthread_mutex_lock(&ob->lock);
    for (size_t i = 0; i < ob->n_staged; i++)
        tell_staged(&ob->staged[i]);
    ob->n_staged = 0;
    for (size_t i = 0; i < ob->n_queues; i++)
        tell_queue(ob->queue[i]);
    pthread_mutex_unlock(&ob->lock);
}
