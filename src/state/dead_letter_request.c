// SPDX-License-Identifier: Apache-2.0
/*
 * dead_letter_request - dead letters are dropped, or put into a queue again: asked by any thread, done by
 * the checkpoint thread in its batches, PIECE at a time, so that epochs do not wait.
 *
 * Who asked may leave at the end of its time; the request is then finished for nobody.
 */
#include <inttypes.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/log.h"
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

static bool found_letter(void *ctx, const struct dead_letter *letter, size_t value_len)
{
    struct piece *piece = ctx;
    struct dead_letter_request *request = piece->request;

    if (letter->seq > request->last)
        return false;
    if (piece->n == PIECE || piece->bytes >= PIECE_BYTES) {
        request->complete = false;
        return false;
    }
    piece->n++;
    piece->bytes += value_len;
    request->next = letter->seq + 1;
    if (request->replay && !outbox_requeue(piece->cp->outbox, piece->batch, letter)) {
        request->change.left++;
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
    return piece.n > 0;
}

void dead_letter_request_told(struct dead_letter_request *request, struct checkpoint *cp)
{
    if (!request->complete)
        return;
    request->done = true;
    if (request->left)
        request->used = false;
    pthread_cond_broadcast(&cp->settled);
}

bool checkpoint_change_dead_letters(struct checkpoint *cp, uint64_t first, uint64_t last,
                                    bool replay, int64_t timeout,
                                    struct dead_letter_change *change_out, struct buf *why)
{
    int64_t until = timeout < 0 ? INT64_MAX : clock_monotonic() + timeout;
    struct dead_letter_request *request = &cp->request;
    bool timely = true, done = false;

    *change_out = (struct dead_letter_change){0};
    pthread_mutex_lock(&cp->lock);
    while (timely && request->used && !cp->ended)
        timely = checkpoint_wait(cp, until);
    if (!request->used && !cp->ended) {
        *request = (struct dead_letter_request){
            .next = first, .last = last, .replay = replay, .used = true};
        pthread_cond_signal(&cp->come);
        while (timely && !request->done && !cp->ended)
            timely = checkpoint_wait(cp, until);
        done = request->done;
        if (done)
            *change_out = request->change;
        request->used = !done;
        request->left = true;
        pthread_cond_broadcast(&cp->settled);
    }
    if (!done)
        buf_adds(why, cp->failed ? cp->failure.data : "the database is busy, try again");
    pthread_mutex_unlock(&cp->lock);
    return done;
}
