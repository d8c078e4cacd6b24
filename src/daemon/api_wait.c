// SPDX-License-Identifier: Apache-2.0
#include "daemon/api_wait.h"

#include <signal.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "daemon/api_priv.h"
#include "state/checkpoint.h"

struct api_wait *api_wait_new(struct api_call *call, const struct api_wait_ops *ops)
{
    struct api_wait *w = mem_calloc(1, ops->size);

    w->ops = ops;
    w->api = call->api;
    w->rq = call->rq;
    w->begun = clock_monotonic();
    atomic_store(&w->refs, 1);
    w->next = call->api->waits;
    call->api->waits = w;
    call->later = true;
    return w;
}

struct api_wait *api_wait_ref(struct api_wait *w)
{
    atomic_fetch_add(&w->refs, 1);
    return w;
}

void api_wait_unref(struct api_wait *w)
{
    if (atomic_fetch_sub(&w->refs, 1) > 1)
        return;
    if (w->ops->fini)
        w->ops->fini(w);
    mem_free(w);
}

void api_wait_wake(void)
{
    kill(getpid(), API_SIGNAL);
}

double api_wait_seconds(const struct api_wait *w)
{
    return (double)(clock_monotonic() - w->begun) / 1e9;
}

/* ---- a batch ---------------------------------------------------------------------------------- */

static void settled(struct api_wait *w, enum api_wait_epoch epoch)
{
    atomic_store(&w->epoch, epoch);
    api_wait_unref(w);
    api_wait_wake();
}

static void durable(void *ctx, struct epoch *ep)
{
    (void)ep;
    settled(ctx, API_EPOCH_DURABLE);
}

static void dropped(void *ctx)
{
    settled(ctx, API_EPOCH_DROPPED);
}

void api_wait_submit(struct api_wait *w, struct store_batch *batch)
{
    struct epoch *ep = epoch_new();

    store_batch_append(ep->batch, batch);
    store_batch_free(&batch);
    ep->done = durable;
    ep->dropped = dropped;
    ep->ctx = api_wait_ref(w);
    atomic_store(&w->epoch, API_EPOCH_OPEN);
    checkpoint_submit(*w->api->host->cp, ep);
}

/* ---- main ------------------------------------------------------------------------------------- */

static void answered(struct api_wait *w)
{
    http_request_done(w->rq);
    w->rq = NULL;
    api_wait_unref(w);
}

/* Answered that it goes on without whoever waits. */
static bool is_late(struct api_wait *w)
{
    if (w->until == 0 || clock_monotonic() < w->until)
        return false;
    http_answer_problem(w->rq, HTTP_UNAVAILABLE, "it is under way, and not durable yet: the database is slow, or fails");
    return true;
}

void api_wait_look(struct api *api)
{
    for (struct api_wait **at = &api->waits; *at;) {
        struct api_wait *w = *at;
        if (!w->ops->look(w) && !is_late(w)) {
            at = &w->next;
            continue;
        }
        *at = w->next;
        answered(w);
    }
}

void api_wait_end(struct api *api)
{
    while (api->waits) {
        struct api_wait *w = api->waits;
        api->waits = w->next;
        if (w->ops->stop)
            w->ops->stop(w);
        http_answer_problem(w->rq, HTTP_UNAVAILABLE,
                            "the daemon stops, and it is not known whether this was done");
        answered(w);
    }
}
