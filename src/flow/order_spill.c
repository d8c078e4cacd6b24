// SPDX-License-Identifier: Apache-2.0
/*
 * order_spill - what waits and does not fit into memory goes to disk: all but the first quarter of
 * max_bytes of it, since that is what will be given next.
 */
#include <assert.h>

#include "base/buf.h"
#include "base/mem.h"
#include "event/event.h"
#include "flow/order_priv.h"
#include "flow/spill.h"

enum { SPILL_RETRY = 1000000000 }; /* ns after the disk was full */

static const struct origin *origin_of(void *ctx, uint32_t partition)
{
    const struct order *o = ctx;
    return o->part[partition].origin;
}

static bool reload(void *ctx, uint32_t partition, struct event *ev)
{
    struct order *o = ctx;
    return o->opt.reload(o->opt.reload_ctx, partition, ev);
}

static void open_spill(struct order *o)
{
    struct spill_options opt = {.dir = o->opt.spill_dir,
                                .limit = o->opt.spill_limit,
                                .origin = origin_of,
                                .reload = reload,
                                .ctx = o};
    o->spill = spill_new(&opt);
}

/* Of each partition the lowest offset among the items, with what was shown before it. */
static size_t find_oldest(const struct order *o, const struct event_queue_item *item, size_t n,
                          struct spill_oldest **out)
{
    struct spill_oldest *oldest = mem_calloc(o->n_parts + 1, sizeof *oldest);
    size_t n_oldest = 0;

    for (size_t i = 0; i < o->n_parts; i++)
        oldest[i] = (struct spill_oldest){.partition = (uint32_t)i, .offset = UINT64_MAX};
    for (size_t i = 0; i < n; i++)
        if (item[i].ev->offset < oldest[item[i].partition].offset)
            oldest[item[i].partition].offset = item[i].ev->offset;
    for (size_t i = 0; i < o->n_parts; i++) {
        if (oldest[i].offset == UINT64_MAX)
            continue;
        oldest[n_oldest] = oldest[i];
        if (o->opt.live)
            oldest[n_oldest].max_before =
                waiting_max_before(&o->part[i].waiting, oldest[i].offset);
        n_oldest++;
    }
    *out = oldest;
    return n_oldest;
}

void order_clock(struct order *o, int64_t mono_now)
{
    if (mono_now > o->clock)
        o->clock = mono_now;
}

bool order_spill(struct order *o)
{
    struct event_queue_item *item;
    struct spill_oldest *oldest;

    o->disk_full = false;
    if (!o->opt.spill_dir || o->queue.n_collected > 0 || o->failed)
        return false;
    if (o->clock < o->spill_again) {
        o->disk_full = true;
        return false;
    }
    if (!o->spill)
        open_spill(o);

    size_t n = event_queue_cut(&o->queue, o->opt.max_bytes / 4, &item);
    if (n == 0) /* what is left is small; it is the room for more that takes the memory */
        n = event_queue_cut(&o->queue, 0, &item);
    if (n == 0)
        return false;
    size_t n_oldest = find_oldest(o, item, n, &oldest);
    bool ok = spill_write(o->spill, item, n, oldest, n_oldest);
    for (size_t i = 0; i < n; i++) {
        if (ok) {
            if (o->opt.live)
                order_note_spilled(o, &o->part[item[i].partition], item[i].ev);
            event_unref(item[i].ev);
        } else {
            event_queue_push_item(&o->queue, item[i]);
        }
    }
    if (!ok) {
        o->disk_full = true;
        o->spill_again = o->clock == INT64_MIN ? INT64_MIN : o->clock + SPILL_RETRY;
    }
    mem_free(item);
    mem_free(oldest);
    return ok;
}

const struct event_queue_item *order_spill_top(const struct order *o)
{
    return spill_top(o->spill);
}

struct event *order_spill_pop(struct order *o)
{
    struct event *ev = spill_pop(o->spill);

    o->failed = o->failed || !ev;
    return ev;
}

uint64_t order_spilled_bytes(const struct order *o)
{
    return o->spill ? spill_bytes(o->spill) : 0;
}

bool order_failed(const struct order *o, struct buf *why)
{
    if (o->failed)
        spill_why(o->spill, why);
    return o->failed;
}

bool order_spill_full(const struct order *o, struct buf *why)
{
    if (o->disk_full)
        spill_why(o->spill, why);
    return o->disk_full;
}
