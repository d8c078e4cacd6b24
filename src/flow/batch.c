// SPDX-License-Identifier: Apache-2.0
#include "flow/batch.h"

#include "base/mem.h"
#include "engine/engine.h"
#include "event/event.h"

/* Items, before they are fed: each step needs what the one before it has fetched. */
enum { AHEAD_EVENT = 8, AHEAD_PLACE = 4, AHEAD_KEY = 2 };

struct batch *batch_new(uint32_t group)
{
    struct batch *batch = mem_alloc(sizeof *batch);

    batch->group = group;
    batch->n = 0;
    batch->barrier = NULL;
    return batch;
}

void batch_free(struct batch **batch)
{
    if (!*batch)
        return;
    for (uint32_t i = 0; i < (*batch)->n; i++)
        event_unref((*batch)->item[i].ev);
    mem_free(*batch);
    *batch = NULL;
}

bool batch_is_current(const struct event *ev)
{
    return ev->n_fits > 0 && ev->fits[0] != BATCH_FITS_OLD;
}

static void expect(const struct batch *batch, uint32_t at, const struct engine *en, bool next)
{
    if (at < batch->n && batch->item[at].kind == BATCH_EVENT && batch_is_current(batch->item[at].ev))
        engine_expect(en, batch->item[at].ev, next);
}

void batch_look_ahead(const struct batch *batch, uint32_t k, const struct engine *en)
{
    if (k + AHEAD_EVENT < batch->n)
        event_prefetch(batch->item[k + AHEAD_EVENT].ev);
    if (!en)
        return;
    expect(batch, k + AHEAD_PLACE, en, false);
    expect(batch, k + AHEAD_KEY, en, true);
}
