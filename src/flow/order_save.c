// SPDX-License-Identifier: Apache-2.0
/* order_save - where a partition is: for a checkpoint, and for those who ask. */
#include <string.h>

#include "base/mem.h"
#include "event/event.h"
#include "flow/order_priv.h"
#include "flow/position.h"

static void save_aside(const struct order_part *p, struct position *out)
{
    size_t from = 0;

    mem_free(out->aside);
    out->aside = NULL;
    out->n_aside = 0;
    while (from < p->n_aside && p->aside[from] < out->resume)
        from++;
    if (from == p->n_aside)
        return;
    out->n_aside = p->n_aside - from;
    out->aside = mem_calloc(out->n_aside, sizeof *out->aside);
    memcpy(out->aside, &p->aside[from], out->n_aside * sizeof *out->aside);
}

void order_save(const struct order *o, uint32_t partition, struct position *out)
{
    const struct order_part *p = &o->part[partition];
    int64_t lateness = p->opt.lateness;

    position_name(out, p->origin->source, p->origin->partition, p->origin->generation);
    out->resume = order_find_resume(o, p, &out->max_before);
    if (p->opt.rows) {
        order_rows_save(p, out);
        return;
    }
    out->read = p->read > p->read_before ? p->read : p->read_before;
    if (out->resume < p->read_before) /* rather take a late one for one in time than lose one */
        lateness = lateness > p->judged_before ? lateness : p->judged_before;
    out->lateness = lateness;
    out->first = p->first;
    out->floor = p->floor;
    out->floor_at = p->floor_at;
    out->cut = o->told > p->cut ? o->told : p->cut;
    out->cut_event = out->cut == p->cut ? p->cut_event : 0;
    out->cut_late = out->cut == p->cut ? p->cut_late : 0;
    out->idle = (p->place == ORDER_NONE && !p->ended) || p->was_idle; /* else: it was succeeded */
    out->ended = p->ended && out->resume == out->read;
    save_aside(p, out);
}

struct order_figures order_figures(const struct order *o, uint32_t partition)
{
    const struct order_part *p = &o->part[partition];

    return (struct order_figures){.active = p->place != ORDER_NONE || p->reading,
                                  .loading = p->opt.rows && !p->loaded && !p->ended,
                                  .waiting = p->n_waiting,
                                  .newest = p->max,
                                  .watermark = p->opt.rows ? p->max : p->watermark};
}
