// SPDX-License-Identifier: Apache-2.0
/* stage_barrier - a barrier with all positions; what its being durable lets go. */
#include "base/clock.h"
#include "base/failpoint.h"
#include "base/mem.h"
#include "base/queue.h"
#include "flow/batch.h"
#include "flow/order.h"
#include "flow/saved.h"
#include "flow/stage_priv.h"
#include "io/source.h"
#include "state/checkpoint.h"

static void save_position(struct stage *st, struct live_partition *lp)
{
    struct position pos;

    position_init(&pos);
    order_save(st->group[st->input[lp->source_number].is.group].order, lp->number, &pos);
    if (st->input[lp->source_number].is.incarnation > 0)
        position_name(&pos, st->input[lp->source_number].saved_as, lp->origin.partition, lp->origin.generation);
    source_identify(lp->source, lp->sp, pos.resume, pos.identity);
    saved_position_put(st->ep->batch, &pos);
    st->released = vec_reserve(st->released, &st->cap_released, st->n_released + 1,
                               sizeof *st->released);
    st->released[st->n_released++] = (struct stage_released){
        .lp = lp, .resume = pos.resume, .read = pos.read, .ended = pos.ended};
    position_fini(&pos);
}

void stage_place(struct stage *st, bool last)
{
    struct barrier *b = barrier_new();
    struct batch *batch = batch_new(0);

    atomic_store(&st->asked, INT64_MAX); /* before the number: who reads that and asks then is not forgotten */
    atomic_fetch_add(&st->placed, 1);
    for (uint32_t g = 0; g < st->opt.n_groups; g++)
        stage_flush(&st->group[g]);
    st->n_released = 0;
    for (size_t i = 0; i < st->n_lp; i++)
        if (!st->lp[i]->forgotten && !st->lp[i]->settled)
            save_position(st, st->lp[i]);
    if (last && st->extra) {
        store_batch_append(st->ep->batch, st->extra);
        store_batch_free(&st->extra);
    }
    epoch_free(&b->ep);
    b->ep = st->ep;
    b->last = last;
    st->last_barrier = clock_monotonic();
    st->ep = epoch_new();
    st->outstanding = true;
    st->changed = false;
    batch->barrier = b;
    if (!queue_push_now(st->opt.out, batch, 0)) {
        barrier_free(&b);
        batch_free(&batch);
    }
    failpoint_hit(FAILPOINT_barrier_placed);
}

void stage_note_durable(struct stage *st)
{
    if (!atomic_exchange(&st->durable, false))
        return;
    st->outstanding = false;
    for (size_t i = 0; i < st->n_released; i++) {
        struct stage_released *rel = &st->released[i];
        struct source_position position = {.partition = rel->lp->origin.partition,
                                           .generation = rel->lp->origin.generation,
                                           .resume = rel->resume,
                                           .read = rel->read,
                                           .ended = rel->ended};
        position.identity[0] = atomic_load(&rel->lp->sp->identity[0]);
        position.identity[1] = atomic_load(&rel->lp->sp->identity[1]);
        source_release(rel->lp->source, &position);
        rel->lp->settled = rel->ended && rel->lp->ended; /* and nothing has come since */
    }
    st->n_released = 0;
}
