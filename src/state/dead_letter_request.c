// SPDX-License-Identifier: Apache-2.0
/*
 * dead_letter_request - dead letters are dropped, or put into a queue again: asked by any thread, done by
 * the checkpoint thread in its batches, PIECE at a time, so that epochs do not wait.
 *
 *   checkpoint_order --> [orders] --the first: a piece a batch--> record() in each batch, done() after the last
 *
 * Who waits in checkpoint_change_dead_letters may leave at the end of its time; the order is then finished
 * for nobody.
 */
#include <inttypes.h>
#include <stdatomic.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "state/checkpoint_priv.h"
#include "state/outbox_priv.h"

enum { PIECE = 1000, PIECE_BYTES = 8 << 20 };

struct piece {
    struct dead_letter_request *request;
    struct checkpoint *cp;
    struct store_batch *batch;
    unsigned n;
    size_t bytes;
};

static void replay(struct piece *piece, const struct dead_letter *letter, size_t value_len)
{
    struct dead_letter_change *change = &piece->request->change;

    switch (outbox_requeue(piece->cp->outbox, piece->batch, letter, clock_wall())) {
    case OUTBOX_REQUEUED:
        dead_letters_remove(piece->cp->dead, piece->batch, letter->seq, value_len);
        change->removed++;
        return;
    case OUTBOX_NO_SINK: change->left_no_sink++; break;
    case OUTBOX_NOT_CONFIGURED: change->left_not_configured++; break;
    case OUTBOX_AT_BOUND: change->left_at_bound++; break;
    }
    change->left++;
}

static bool found_letter(void *ctx, const struct dead_letter *letter, size_t value_len)
{
    struct piece *piece = ctx;
    struct dead_letter_request *request = piece->request;

    if (letter->seq > request->order.choice.last)
        return false;
    if (piece->n == PIECE || piece->bytes >= PIECE_BYTES) {
        request->complete = false;
        return false;
    }
    piece->n++;
    piece->bytes += value_len;
    request->next = letter->seq + 1;
    if (!dead_letter_is_chosen(letter, &request->order.choice))
        return true;
    if (request->order.replay) {
        replay(piece, letter, value_len);
        return true;
    }
    dead_letters_remove(piece->cp->dead, piece->batch, letter->seq, value_len);
    request->change.removed++;
    return true;
}

bool dead_letter_request_build(struct dead_letter_request *request, struct checkpoint *cp,
                               struct store_batch *batch)
{
    struct piece piece = {.request = request, .cp = cp, .batch = batch};
    struct buf why;

    buf_init(&why);
    request->complete = true;
    if (dead_letter_list(cp->store, request->next, found_letter, &piece, &why) != STORE_OK)
        log_line(LOG_ERROR, LOG_checkpoint, "dead letters cannot be read", "why=\"%s\"", why.data);
    buf_fini(&why);
    if (request->order.record && (piece.n > 0 || request->complete))
        request->order.record(request->order.ctx, batch, &request->change, request->complete);
    return piece.n > 0 || request->order.record;
}

void dead_letter_request_end(struct dead_letter_request **request, bool done)
{
    const struct dead_letter_order *order = &(*request)->order;

    order->done(order->ctx, done ? &(*request)->change : NULL);
    mem_free((*request)->sink);
    mem_free((*request)->origin);
    mem_free((*request)->reason);
    mem_free(*request);
    *request = NULL;
}

/* ---- other threads --------------------------------------------------------------------------- */

static char *copy(const char *text)
{
    return text ? mem_strndup(text, strlen(text)) : NULL;
}

void checkpoint_order_dead_letters(struct checkpoint *cp, const struct dead_letter_order *order)
{
    struct dead_letter_request *request = mem_calloc(1, sizeof *request), **at;

    *request = (struct dead_letter_request){.order = *order,
                                            .next = order->choice.first,
                                            .sink = copy(order->choice.sink),
                                            .origin = copy(order->choice.origin),
                                            .reason = copy(order->choice.reason)};
    request->order.choice.sink = request->sink;
    request->order.choice.origin = request->origin;
    request->order.choice.reason = request->reason;
    pthread_mutex_lock(&cp->lock);
    bool ended = cp->ended;
    for (at = &cp->requests; !ended && *at; at = &(*at)->after)
        continue;
    if (!ended)
        *at = request;
    pthread_cond_signal(&cp->come);
    pthread_mutex_unlock(&cp->lock);
    if (ended)
        dead_letter_request_end(&request, false);
}

struct waiting {
    struct checkpoint *cp;
    _Atomic int refs; /* who waits, and the order */
    bool over, done;  /* under the lock */
    struct dead_letter_change change;
};

static void waiting_unref(struct waiting *w)
{
    if (atomic_fetch_sub(&w->refs, 1) == 1)
        mem_free(w);
}

static void over(void *ctx, const struct dead_letter_change *change)
{
    struct waiting *w = ctx;

    pthread_mutex_lock(&w->cp->lock);
    w->over = true;
    w->done = change != NULL;
    if (change)
        w->change = *change;
    pthread_cond_broadcast(&w->cp->settled);
    pthread_mutex_unlock(&w->cp->lock);
    waiting_unref(w);
}

bool checkpoint_change_dead_letters(struct checkpoint *cp, const struct dead_letter_choice *choice,
                                    bool replay_them, int64_t timeout,
                                    struct dead_letter_change *change_out, struct buf *why)
{
    int64_t until = timeout < 0 ? INT64_MAX : clock_monotonic() + timeout;
    struct waiting *w = mem_calloc(1, sizeof *w);
    bool timely = true;

    w->cp = cp;
    atomic_store(&w->refs, 2);
    checkpoint_order_dead_letters(cp, &(struct dead_letter_order){.choice = *choice, .replay = replay_them, .done = over, .ctx = w});
    pthread_mutex_lock(&cp->lock);
    while (timely && !w->over && !cp->ended)
        timely = checkpoint_wait(cp, until);
    bool done = w->done;
    *change_out = w->change;
    if (!done)
        buf_adds(why, cp->failed ? cp->failure.data : "the database is busy, try again");
    pthread_mutex_unlock(&cp->lock);
    waiting_unref(w);
    return done;
}
