// SPDX-License-Identifier: Apache-2.0
/* outbox - the sinks' side: what their threads call. Read first: outbox_priv.h. */
#include "state/outbox.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "base/clock.h"
#include "base/cond.h"
#include "base/log.h"
#include "base/mem.h"
#include "state/outbox_priv.h"
#include "state/space.h"

enum { FILL_COUNT = 512, FILL_BYTES = 1 << 19 };
#define DEFAULT_COUNT UINT64_C(1000000)
#define DEFAULT_BYTES (UINT64_C(1) << 30)
#define READ_AGAIN INT64_C(1000000000) /* ns, after the database could not be read */

/* ---- the queue in memory --------------------------------------------------------------------- */

void fifo_push(struct sink_queue *q, struct fifo_entry entry)
{
    if (q->first_fifo > 0 && q->first_fifo + q->n_fifo == q->cap_fifo) {
        memmove(q->fifo, q->fifo + q->first_fifo, q->n_fifo * sizeof *q->fifo);
        q->first_fifo = 0;
    }
    q->fifo = vec_reserve(q->fifo, &q->cap_fifo, q->first_fifo + q->n_fifo + 1, sizeof *q->fifo);
    q->fifo[q->first_fifo + q->n_fifo++] = entry;
    q->fifo_bytes += entry.len;
    q->fifo_end = entry.seq + 1;
}

static struct fifo_entry fifo_pop(struct sink_queue *q)
{
    struct fifo_entry entry = q->fifo[q->first_fifo++];

    q->n_fifo--;
    q->fifo_bytes -= entry.len;
    if (q->n_fifo == 0)
        q->first_fifo = 0;
    return entry;
}

static void fifo_clear(struct sink_queue *q)
{
    while (q->n_fifo > 0)
        mem_free(fifo_pop(q).text);
}

static void taken_push(struct sink_queue *q, uint64_t seq, uint64_t bytes)
{
    if (q->first_taken > 0 && q->first_taken + q->n_taken == q->cap_taken) {
        memmove(q->taken, q->taken + q->first_taken, q->n_taken * sizeof *q->taken);
        q->first_taken = 0;
    }
    q->taken = vec_reserve(q->taken, &q->cap_taken, q->first_taken + q->n_taken + 1,
                           sizeof *q->taken);
    q->taken[q->first_taken + q->n_taken++] = (struct taken_entry){seq, bytes, false};
}

void outbox_unlock(struct outbox *ob)
{
    bool poke = ob->to_poke;

    ob->to_poke = false;
    pthread_mutex_unlock(&ob->lock);
    if (poke)
        ob->poke(ob->poke_ctx);
}

bool queue_is_full(const struct sink_queue *q, size_t more)
{
    return q->waiting >= q->max_count || q->waiting_bytes + more > q->max_bytes;
}

/* ---- opening --------------------------------------------------------------------------------- */

static struct sink_queue *queue_add(struct outbox *ob, const char *name, size_t name_len)
{
    struct sink_queue *q = mem_calloc(1, sizeof *q);

    q->name = mem_strndup(name, name_len);
    q->next = q->fifo_end = q->durable_end = 1;
    q->max_count = DEFAULT_COUNT;
    q->max_bytes = DEFAULT_BYTES;
    buf_init(&q->position);
    cond_init(&q->come);
    ob->queue = vec_reserve(ob->queue, &ob->cap_queues, ob->n_queues + 1, sizeof *ob->queue);
    ob->queue[ob->n_queues++] = q;
    return q;
}

struct opening {
    struct outbox *ob;
    const char *damaged; /* what was */
    struct store_batch *batch;
    uint64_t acked;
};

static bool found_sink(void *ctx, const void *key, size_t key_len, const void *value, size_t len)
{
    struct opening *op = ctx;
    struct sink_queue *q = queue_add(op->ob, (const char *)key + 1, key_len - 1);
    struct outbox_sink_record record;

    if (!outbox_sink_decode(value, len, &record)) {
        op->damaged = q->name;
        return false;
    }
    q->number = record.number;
    q->next = record.next;
    q->acked = record.acked;
    q->waiting = record.waiting;
    q->waiting_bytes = record.waiting_bytes;
    buf_add(&q->position, record.position, record.position_len);
    q->last_taken = q->acked;
    q->fifo_end = q->acked + 1;
    q->durable_end = q->next;
    return true;
}

static bool found_acked(void *ctx, const void *key, size_t key_len, const void *value, size_t len)
{
    struct opening *op = ctx;

    (void)value, (void)len;
    if (key_len != OUTBOX_KEY_BYTES || key_get_u64((const uint8_t *)key + 5) > op->acked)
        return false;
    store_batch_remove(op->batch, key, key_len);
    return true;
}

/* Entries that came back, because a power failure took their removal and not what came later. */
static bool remove_acked(struct opening *op, struct buf *why)
{
    uint8_t key[OUTBOX_KEY_BYTES];
    enum store_result result = STORE_OK;

    op->batch = store_batch_new();
    for (size_t i = 0; result == STORE_OK && i < op->ob->n_queues; i++) {
        op->acked = op->ob->queue[i]->acked;
        outbox_entry_key(key, op->ob->queue[i]->number, 0);
        result = store_read(op->ob->store, key, 5, found_acked, op, why);
    }
    if (result == STORE_OK && store_batch_bytes(op->batch) > 0)
        result = store_write(op->ob->store, op->batch, true, why);
    store_batch_free(&op->batch);
    return result == STORE_OK;
}

struct outbox *outbox_open(struct store *st, struct dead_letters *dead, void (*poke)(void *ctx),
                           void *poke_ctx, struct buf *why)
{
    static const uint8_t space = SPACE_SINK;
    struct outbox *ob = mem_calloc(1, sizeof *ob);
    struct opening op = {.ob = ob};

    ob->store = st;
    ob->dead = dead;
    ob->poke = poke;
    ob->poke_ctx = poke_ctx;
    pthread_mutex_init(&ob->lock, NULL);
    bool ok = store_read(st, &space, 1, found_sink, &op, why) == STORE_OK;
    if (ok && op.damaged) {
        ok = false;
        buf_printf(why, "the record of the sink `%s` is damaged, or of a later version",
                   op.damaged);
    }
    if (!ok || !remove_acked(&op, why))
        outbox_free(&ob);
    return ob;
}

static void queue_free_of(struct sink_queue *q)
{
    fifo_clear(q);
    for (size_t i = 0; i < q->n_leaving; i++)
        mem_free(q->leaving[i].reason);
    mem_free(q->leaving);
    mem_free(q->fifo);
    mem_free(q->taken);
    mem_free(q->name);
    buf_fini(&q->position);
    pthread_cond_destroy(&q->come);
    mem_free(q);
}

void outbox_free(struct outbox **obp)
{
    struct outbox *ob = *obp;

    if (!ob)
        return;
    *obp = NULL;
    for (size_t i = 0; i < ob->n_queues; i++)
        queue_free_of(ob->queue[i]);
    for (size_t i = 0; i < ob->n_staged; i++)
        mem_free(ob->staged[i].text);
    mem_free(ob->queue);
    mem_free(ob->of_sink);
    mem_free(ob->staged);
    pthread_mutex_destroy(&ob->lock);
    mem_free(ob);
}

/* ---- configuration --------------------------------------------------------------------------- */

static struct sink_queue *queue_named(struct outbox *ob, const char *name)
{
    uint32_t number = 0;

    for (size_t i = 0; i < ob->n_queues; i++) {
        if (strcmp(ob->queue[i]->name, name) == 0)
            return ob->queue[i];
        if (ob->queue[i]->number >= number)
            number = ob->queue[i]->number + 1;
    }
    struct sink_queue *q = queue_add(ob, name, strlen(name));
    q->number = number;
    q->dirty = true; /* so that its number is kept */
    return q;
}

static void tell_gone(const struct outbox *ob)
{
    for (size_t i = 0; i < ob->n_queues; i++) {
        const struct sink_queue *q = ob->queue[i];
        struct buf name;

        if (q->configured || q->waiting == 0)
            continue;
        buf_init(&name);
        log_field(&name, "sink", q->name);
        log_line(LOG_WARNING, LOG_sink,
                 "messages wait for a sink that is not configured any more; they are kept",
                 "%s waiting=%" PRIu64, name.data, q->waiting);
        buf_fini(&name);
    }
}

bool outbox_configure(struct outbox *ob, const struct outbox_sink *sink, uint32_t n,
                      struct buf *why)
{
    bool ok = true;

    for (uint32_t i = 0; ok && i < n; i++)
        for (uint32_t k = 0; ok && k < i; k++)
            if (strcmp(sink[i].name, sink[k].name) == 0) {
                buf_printf(why, "there are two sinks `%s`", sink[i].name);
                ok = false;
            }
    if (!ok)
        return false;
    pthread_mutex_lock(&ob->lock);
    for (size_t i = 0; i < ob->n_queues; i++)
        ob->queue[i]->configured = false;
    ob->of_sink = mem_realloc(ob->of_sink, (n ? n : 1) * sizeof *ob->of_sink);
    ob->n_sinks = n;
    for (uint32_t i = 0; i < n; i++) {
        struct sink_queue *q = queue_named(ob, sink[i].name);
        q->configured = true;
        q->listener = NULL;
        q->max_count = sink[i].max_count ? sink[i].max_count : DEFAULT_COUNT;
        q->max_bytes = sink[i].max_bytes ? sink[i].max_bytes : DEFAULT_BYTES;
        q->on_full = sink[i].on_full;
        if (q->dirty && ob->acks_since == 0)
            ob->acks_since = clock_monotonic();
        ob->of_sink[i] = q;
    }
    tell_gone(ob);
    pthread_mutex_unlock(&ob->lock);
    ob->poke(ob->poke_ctx);
    return true;
}

void outbox_position(struct outbox *ob, uint32_t sink, struct buf *position_out)
{
    pthread_mutex_lock(&ob->lock);
    assert(sink < ob->n_sinks);
    buf_add(position_out, ob->of_sink[sink]->position.data, ob->of_sink[sink]->position.len);
    pthread_mutex_unlock(&ob->lock);
}

void outbox_range(struct outbox *ob, uint32_t sink, uint64_t *acked_out, uint64_t *last_out)
{
    pthread_mutex_lock(&ob->lock);
    assert(sink < ob->n_sinks);
    *acked_out = ob->of_sink[sink]->acked;
    *last_out = ob->of_sink[sink]->durable_end - 1;
    pthread_mutex_unlock(&ob->lock);
}

/* ---- taking ---------------------------------------------------------------------------------- */

struct fill {
    struct fifo_entry entry[FILL_COUNT]; /* text NULL: its record is damaged */
    size_t n;
    uint64_t bytes, end;
    uint64_t reached; /* all below it was read */
};

static bool found_entry(void *ctx, const void *key, size_t key_len, const void *value, size_t len)
{
    struct fill *fill = ctx;
    struct outbox_entry_record record;

    if (key_len != OUTBOX_KEY_BYTES)
        return true;
    uint64_t seq = key_get_u64((const uint8_t *)key + 5);
    if (seq >= fill->end)
        return false;
    bool good = outbox_entry_decode(value, len, &record);
    fill->entry[fill->n++] = (struct fifo_entry){
        .seq = seq,
        .text = good ? mem_strndup(record.text, record.len) : NULL,
        .len = record.len,
        .at = record.at,
        .is_alert = record.is_alert,
        .direct = record.direct,
    };
    fill->reached = seq + 1;
    fill->bytes += record.len;
    return fill->n < FILL_COUNT && fill->bytes < FILL_BYTES;
}

static void take_filled(struct outbox *ob, struct sink_queue *q, const struct fill *fill)
{
    for (size_t i = 0; i < fill->n; i++) {
        const struct fifo_entry *entry = &fill->entry[i];
        if (queue_is_leaving(q, entry->seq))
            mem_free(entry->text);
        else if (entry->text)
            fifo_push(q, *entry);
        else
            queue_reject(ob, q, entry->seq, entry->len, "its record in the database was damaged");
    }
    bool more = fill->n == FILL_COUNT || fill->bytes >= FILL_BYTES;
    q->fifo_end = more ? fill->reached : fill->end;
}

/* What waits in the database, some of it. Called with the lock, which it lets go meanwhile: only this
 * sink's thread takes, and new entries do not go into fifo while fifo_end is behind. */
static bool fill_from_store(struct outbox *ob, struct sink_queue *q)
{
    struct fill *fill = mem_calloc(1, sizeof *fill);
    uint8_t from[OUTBOX_KEY_BYTES];
    struct buf why;

    buf_init(&why);
    outbox_entry_key(from, q->number, q->fifo_end);
    fill->end = q->durable_end;
    q->reading = true;
    pthread_mutex_unlock(&ob->lock);
    bool ok = store_read_from(ob->store, from, 5, from, sizeof from, found_entry, fill, &why) ==
              STORE_OK;
    pthread_mutex_lock(&ob->lock);
    if (ok) {
        take_filled(ob, q, fill);
    } else {
        for (size_t i = 0; i < fill->n; i++)
            mem_free(fill->entry[i].text);
        log_line(LOG_ERROR, LOG_sink, "the outbox cannot be read", "sink=%s why=\"%s\"", q->name,
                 why.data);
    }
    q->reading = false;
    queue_forget_left(q);
    mem_free(fill);
    buf_fini(&why);
    return ok;
}

static bool can_take(const struct sink_queue *q)
{
    return q->n_fifo > 0 && !queue_rejects_much(q);
}

bool outbox_next(struct outbox *ob, uint32_t sink, int64_t timeout, struct outbox_entry *entry_out)
{
    int64_t until = timeout < 0 ? INT64_MAX : clock_monotonic() + timeout;
    bool waits = true;

    pthread_mutex_lock(&ob->lock);
    assert(sink < ob->n_sinks);
    struct sink_queue *q = ob->of_sink[sink];
    while (!can_take(q) && waits && !(q->woken && timeout != 0)) {
        if (q->fifo_end == q->durable_end || queue_rejects_much(q))
            waits = queue_wait(ob, q, until);
        else if (!fill_from_store(ob, q)) {
            int64_t again = clock_monotonic() + READ_AGAIN;
            queue_wait(ob, q, again < until ? again : until);
            waits = clock_monotonic() < until;
        }
    }
    bool found = can_take(q);
    if (found) {
        struct fifo_entry entry = fifo_pop(q);
        taken_push(q, entry.seq, entry.len);
        q->last_taken = entry.seq;
        *entry_out = (struct outbox_entry){.seq = entry.seq, .is_alert = entry.is_alert,
                                           .direct = entry.direct, .at = entry.at,
                                           .text = entry.text, .len = entry.len};
    } else if (timeout != 0) {
        q->woken = false;
    }
    outbox_unlock(ob);
    return found;
}

void outbox_rewind(struct outbox *ob, uint32_t sink)
{
    pthread_mutex_lock(&ob->lock);
    struct sink_queue *q = ob->of_sink[sink];
    fifo_clear(q);
    q->n_taken = q->first_taken = q->n_over = 0;
    q->last_taken = q->acked;
    q->fifo_end = q->acked + 1;
    pthread_mutex_unlock(&ob->lock);
}

void outbox_listen(struct outbox *ob, uint32_t sink, void (*come)(void *ctx), void *ctx)
{
    pthread_mutex_lock(&ob->lock);
    assert(sink < ob->n_sinks);
    ob->of_sink[sink]->listener = come;
    ob->of_sink[sink]->listener_ctx = ctx;
    pthread_mutex_unlock(&ob->lock);
}

void outbox_wake(struct outbox *ob)
{
    pthread_mutex_lock(&ob->lock);
    for (uint32_t i = 0; i < ob->n_sinks; i++) {
        ob->of_sink[i]->woken = true;
        pthread_cond_broadcast(&ob->of_sink[i]->come);
    }
    pthread_mutex_unlock(&ob->lock);
}

/* ---- figures ---------------------------------------------------------------------------------- */

void outbox_stats(struct outbox *ob, uint32_t sink, struct outbox_stats *stats_out)
{
    pthread_mutex_lock(&ob->lock);
    const struct sink_queue *q = ob->of_sink[sink];
    *stats_out = (struct outbox_stats){q->waiting, q->waiting_bytes, q->delivered, q->n_rejected,
                                       q->overflowed};
    pthread_mutex_unlock(&ob->lock);
}

bool outbox_blocked(struct outbox *ob)
{
    bool blocked = false;

    pthread_mutex_lock(&ob->lock);
    for (uint32_t i = 0; i < ob->n_sinks; i++)
        blocked |= ob->of_sink[i]->on_full == OUTBOX_WAIT && queue_is_full(ob->of_sink[i], 0);
    pthread_mutex_unlock(&ob->lock);
    return blocked;
}
