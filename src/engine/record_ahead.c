// SPDX-License-Identifier: Apache-2.0
/*
 * record_ahead - what encoding the next keys reads, on its way into the cache. What changed in a second lies
 * all over the memory, and a key's state is a chain of pointers, each a miss. So the chains of the next keys
 * are followed together, one step a key:
 *
 *   record --> partition --> body, sets or runs --> ... --> events --> raw text
 *    far                                                      near
 *
 * It only reads, and only what the step before has fetched. (Windows of 300,000 keys, changed in any order: 0.57 us
 * a key, 1.40 without it; the engine's thread is what waits.)
 */
#include <string.h>

#include "base/mem.h"
#include "engine/body.h"
#include "engine/record_priv.h"
#include "engine/run.h"
#include "engine/set.h"
#include "event/event.h"
#include "plan/nfa.h"
#include "plan/program.h"

enum { FARTHEST = RECORD_AHEAD - 1 };
enum { PART_BYTES = 256, BODY_BYTES = 256 }; /* of which encoding reads most */

static void run_ahead(const struct partition *part, unsigned step)
{
    const struct run *run = part->waiting.first;
    for (uint16_t i = 0; i < part->rs->rule->nfa->n_elements && run == NULL; i++)
        run = part->at[i].first;
    if (run == NULL)
        return;
    if (step == 0)
        mem_prefetch(run, sizeof *run + 64);
    else if (run->last == NULL)
        return;
    else if (step == 1)
        mem_prefetch(run->last, sizeof *run->last);
    else if (step == 2)
        event_prefetch(run->last->base.ev);
    else if (step == 3)
        event_prefetch_raw(run->last->base.ev);
}

static void part_ahead(const struct partition *part, unsigned step)
{
    const struct body_ops *ops = part->rs->ops;
    if (ops == NULL && part->sets != NULL)
        set_ahead(part, step);
    else if (ops == NULL)
        run_ahead(part, step);
    else if (step == 0)
        mem_prefetch(part->body, BODY_BYTES);
    else if (ops->ahead != NULL && part->body != NULL)
        ops->ahead(part, step);
}

void record_ahead_begin(struct record_ahead *ahead, const struct record_link *first)
{
    *ahead = (struct record_ahead){0};
    ahead->link[FARTHEST] = first;
    for (int i = 0; i < FARTHEST; i++)
        record_ahead_next(ahead);
}

void record_ahead_next(struct record_ahead *ahead)
{
    const struct record_link *far = ahead->link[FARTHEST];
    memmove(ahead->link, ahead->link + 1, FARTHEST * sizeof ahead->link[0]);
    ahead->link[FARTHEST] = far != NULL ? far->next : NULL;
    mem_prefetch(ahead->link[FARTHEST], sizeof(struct part_record));
    for (unsigned i = 0; i < FARTHEST; i++) {
        const struct record_link *link = ahead->link[i];
        if (link == NULL || link->kind != RECORD_KEY)
            continue;
        const struct partition *part = ((const struct part_record *)(const void *)link)->part;
        if (i == FARTHEST - 1)
            mem_prefetch(part, PART_BYTES);
        else
            part_ahead(part, FARTHEST - 2 - i);
    }
}
