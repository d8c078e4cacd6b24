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
                      bool is_alert, const char *text, size_t len)
{
    uint8_t key[OUTBOX_KEY_BYTES];
    struct buf value;

    buf_init(&value);
    outbox_entry_encode(is_alert, text, len, &value);
    outbox_entry_key(key, q->number, q->next);
    store_batch_put(batch, key, sizeof key, value.data, value.len);
    buf_fini(&value);

    ob->staged = vec_reserve(ob->staged, &ob->cap_staged, ob->n_staged + 1, sizeof *ob->staged);
    ob->staged[ob->n_staged++] = (struct staged){
        .queue = q,
        .seq = q->next,
        /* when much waits it will not be among the first: then it is read from the database */
        .text = q->waiting < FIFO_COUNT ? mem_strndup(text, len) : NULL,
        .len = len,
        .is_alert = is_alert,
    };
    q->next++;
    q->waiting++;
    q->waiting_bytes += len;
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
            add_entry(ob, q, batch, m->is_alert, m->text, m->len);
    }
}

static void add_reject(struct outbox *ob, struct sink_queue *q, struct store_batch *batch,
                       const struct rejected *rejected, int64_t now)
{
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
    if (store_get(ob->store, key, sizeof key, &found, &value, &why) != STORE_OK) {
        log_line(LOG_ERROR, LOG_sink, "a rejected message cannot be read: it is left out",
                 "sink=%s seq=%" PRIu64 " why=\"%s\"", q->name, rejected->seq, why.data);
    } else if (found) {
        if (!outbox_entry_decode(value.data, value.len, &letter.is_alert, &letter.text,
                                 &letter.len)) {
            buf_addc(&text, '"');
            buf_add_hex(&text, value.data, value.len);
            buf_addc(&text, '"');
            letter.text = text.data;
            letter.len = text.len;
            letter.is_alert = letter.of_sink = false; /* nothing to send again */
        }
        dead_letters_add(ob->dead, batch, &letter);
    }
    store_batch_remove(batch, key, sizeof key);
    buf_fini(&value);
    buf_fini(&text);
    buf_fini(&why);
}

static void finish_queue(struct outbox *ob, struct sink_queue *q, struct store_batch *batch,
                         int64_t now)
{
    uint8_t key[OUTBOX_KEY_BYTES];
    struct buf name, value;

    if (!q->dirty)
        return;
    for (; q->n_in_batch < q->n_rejected_now; q->n_in_batch++)
        add_reject(ob, q, batch, &q->rejected[q->n_in_batch], now);
    while (q->removed < q->acked) {
        outbox_entry_key(key, q->number, ++q->removed);
        store_batch_remove(batch, key, sizeof key);
    }
    buf_init(&name);
    buf_init(&value);
    buf_addc(&name, SPACE_SINK);
    buf_adds(&name, q->name);
    outbox_sink_encode(&(struct outbox_sink_record){q->number, q->next, q->acked, q->waiting,
                                                    q->waiting_bytes, q->position.data,
                                                    q->position.len}, &value);
    store_batch_put(batch, name.data, name.len, value.data, value.len);
    buf_fini(&name);
    buf_fini(&value);
    q->settling_in_batch = q->settling;
    q->dirty = false;
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

bool outbox_requeue(struct outbox *ob, struct store_batch *batch, const struct dead_letter *letter)
{
    struct sink_queue *q = NULL;

    pthread_mutex_lock(&ob->lock);
    for (size_t i = 0; letter->of_sink && !q && i < ob->n_queues; i++)
        if (strlen(ob->queue[i]->name) == letter->origin_len &&
            memcmp(ob->queue[i]->name, letter->origin, letter->origin_len) == 0)
            q = ob->queue[i];
    if (q)
        add_entry(ob, q, batch, letter->is_alert, letter->text, letter->len);
    pthread_mutex_unlock(&ob->lock);
    return q != NULL;
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
        fifo_push(q, (struct fifo_entry){s->seq, s->text, s->len, s->is_alert});
    else
        mem_free(s->text);
    q->durable_end = s->seq + 1;
    pthread_cond_broadcast(&q->come);
}

static void forget_rejected(struct sink_queue *q)
{
    size_t n = q->n_in_batch;

    for (size_t i = 0; i < n; i++)
        mem_free(q->rejected[i].reason);
    if (n > 0)
        memmove(q->rejected, q->rejected + n, (q->n_rejected_now - n) * sizeof *q->rejected);
    q->n_rejected_now -= n;
    q->n_in_batch = 0;
}

static void tell_settled(struct sink_queue *q)
{
    forget_rejected(q);
    if (q->settled == q->settling_in_batch)
        return;
    q->settled = q->settling_in_batch;
    pthread_cond_broadcast(&q->come);
}

void outbox_told(struct outbox *ob)
{
    pthread_mutex_lock(&ob->lock);
    for (size_t i = 0; i < ob->n_staged; i++)
        tell_staged(&ob->staged[i]);
    ob->n_staged = 0;
    for (size_t i = 0; i < ob->n_queues; i++)
        tell_settled(ob->queue[i]);
    pthread_mutex_unlock(&ob->lock);
}
