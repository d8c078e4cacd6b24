// SPDX-License-Identifier: Apache-2.0
/* outbox_done - the sinks' side: what became of the messages that their threads took. */
#include <assert.h>
#include <string.h>

#include "base/clock.h"
#include "base/cond.h"
#include "base/mem.h"
#include "state/outbox_priv.h"

bool queue_wait(struct outbox *ob, struct sink_queue *q, int64_t until)
{
    return cond_wait_until(&q->come, &ob->lock, until);
}

/* Called with the lock. */
static void to_write(struct outbox *ob, struct sink_queue *q)
{
    q->dirty = true;
    if (ob->acks_since != 0)
        return;
    ob->acks_since = clock_monotonic();
    ob->to_poke = true;
}

/* ---- leaving --------------------------------------------------------------------------------- */

bool queue_rejects_much(const struct sink_queue *q)
{
    return q->rejecting >= REJECTING_COUNT || q->rejecting_bytes >= REJECTING_BYTES;
}

void queue_forget_left(struct sink_queue *q)
{
    size_t n = q->reading ? 0 : q->n_written;

    if (n == 0)
        return;
    for (size_t i = 0; i < n; i++)
        mem_free(q->leaving[i].reason);
    memmove(q->leaving, q->leaving + n, (q->n_leaving - n) * sizeof *q->leaving);
    q->n_leaving -= n;
    q->n_in_batch -= n;
    q->n_written = 0;
}

bool queue_is_leaving(const struct sink_queue *q, uint64_t seq)
{
    if (seq > q->last_leaving)
        return false;
    for (size_t i = 0; i < q->n_leaving; i++)
        if (q->leaving[i].seq == seq)
            return true;
    return false;
}

/* Takes reason. */
static void leave(struct sink_queue *q, uint64_t seq, uint64_t bytes, char *reason)
{
    q->waiting -= q->waiting > 0;
    q->waiting_bytes -= bytes < q->waiting_bytes ? bytes : q->waiting_bytes;
    if (seq > q->last_leaving)
        q->last_leaving = seq;
    q->leaving = vec_reserve(q->leaving, &q->cap_leaving, q->n_leaving + 1, sizeof *q->leaving);
    q->leaving[q->n_leaving++] = (struct leaving){seq, reason};
}

void queue_reject(struct outbox *ob, struct sink_queue *q, uint64_t seq, uint64_t bytes,
                  const char *reason)
{
    leave(q, seq, bytes, mem_strndup(reason, strlen(reason)));
    q->n_rejected++;
    q->rejecting++;
    q->rejecting_bytes += bytes;
    ob->sync = true;
    to_write(ob, q);
}

/* ---- those taken ------------------------------------------------------------------------------ */

/* One that was taken and is not over; NULL: there is none. */
static struct taken_entry *find_taken(struct sink_queue *q, uint64_t seq)
{
    size_t low = q->first_taken, high = q->first_taken + q->n_taken;

    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (q->taken[mid].seq < seq)
            low = mid + 1;
        else
            high = mid;
    }
    bool found = low < q->first_taken + q->n_taken && q->taken[low].seq == seq;
    return found && !q->taken[low].over ? &q->taken[low] : NULL;
}

/* Those that are over and not at the front, when they are the most of it: one that is not over may stand
 * before them for a day. */
static void squeeze(struct sink_queue *q)
{
    size_t n = 0;

    if (q->n_over <= q->n_taken / 2)
        return;
    for (size_t i = 0; i < q->n_taken; i++)
        if (!q->taken[q->first_taken + i].over)
            q->taken[n++] = q->taken[q->first_taken + i];
    q->first_taken = 0;
    q->n_taken = n;
    q->n_over = 0;
}

/* The front of what was taken, as far as it is over. */
static void advance(struct sink_queue *q)
{
    while (q->n_taken > 0 && q->taken[q->first_taken].over) {
        q->first_taken++;
        q->n_taken--;
        q->n_over--;
    }
    if (q->n_taken == 0)
        q->first_taken = 0;
    q->acked = q->n_taken > 0 ? q->taken[q->first_taken].seq - 1 : q->last_taken;
    squeeze(q);
}

void outbox_ack(struct outbox *ob, uint32_t sink, uint64_t seq, const void *position, size_t len)
{
    pthread_mutex_lock(&ob->lock);
    struct sink_queue *q = ob->of_sink[sink];
    for (size_t i = 0; i < q->n_taken && q->taken[q->first_taken + i].seq <= seq; i++) {
        struct taken_entry *entry = &q->taken[q->first_taken + i];
        if (entry->over)
            continue;
        entry->over = true;
        q->n_over++;
        q->delivered++;
        leave(q, entry->seq, entry->bytes, NULL);
    }
    advance(q);
    assert(seq <= q->acked); /* only what was taken */
    buf_clear(&q->position);
    buf_add(&q->position, position, len);
    q->acks++;
    to_write(ob, q);
    outbox_unlock(ob);
}

void outbox_done(struct outbox *ob, uint32_t sink, uint64_t seq)
{
    pthread_mutex_lock(&ob->lock);
    struct sink_queue *q = ob->of_sink[sink];
    struct taken_entry *entry = find_taken(q, seq);
    if (entry) {
        entry->over = true;
        q->n_over++;
        q->delivered++;
        leave(q, seq, entry->bytes, NULL);
        advance(q);
        to_write(ob, q);
    }
    outbox_unlock(ob);
}

void outbox_reject(struct outbox *ob, uint32_t sink, uint64_t seq, const char *reason)
{
    pthread_mutex_lock(&ob->lock);
    struct sink_queue *q = ob->of_sink[sink];
    struct taken_entry *entry = find_taken(q, seq);
    if (entry) {
        entry->over = true;
        q->n_over++;
        queue_reject(ob, q, seq, entry->bytes, reason);
        advance(q);
    }
    outbox_unlock(ob);
}

bool outbox_settle(struct outbox *ob, uint32_t sink, int64_t timeout)
{
    int64_t until = timeout < 0 ? INT64_MAX : clock_monotonic() + timeout;
    bool waits = true;

    pthread_mutex_lock(&ob->lock);
    struct sink_queue *q = ob->of_sink[sink];
    bool ask = q->settling < q->acks;
    if (ask) { /* once more if it is written already: perhaps without a sync */
        q->settling = q->acks;
        q->dirty = ob->sync = true;
        ob->acks_since = clock_monotonic() - OUTBOX_ACK_DELAY;
    }
    pthread_mutex_unlock(&ob->lock);
    if (ask)
        ob->poke(ob->poke_ctx);
    pthread_mutex_lock(&ob->lock);
    while (q->settled < q->settling && waits && !q->woken)
        waits = queue_wait(ob, q, until);
    bool settled = q->settled == q->settling;
    if (!settled)
        q->woken = false;
    pthread_mutex_unlock(&ob->lock);
    return settled;
}
