// SPDX-License-Identifier: Apache-2.0
/* finding - see finding.h. */
#include "engine/finding.h"

#include "base/arena.h"
#include "base/mem.h"
#include "engine/engine_priv.h"
#include "event/event.h"

struct finding *finding_new(uint32_t n_steps)
{
    struct finding *found = mem_calloc(1, sizeof *found);
    found->memory = arena_new(512);
    found->bound = arena_alloc(found->memory, (n_steps + 1) * sizeof *found->bound);
    found->n_bound = n_steps;
    buf_init(&found->id);
    return found;
}

void finding_free(struct finding **found_ref)
{
    struct finding *found = *found_ref;
    *found_ref = NULL;
    if (found == NULL)
        return;
    for (uint32_t s = 0; s < found->n_bound; s++) {
        for (const struct bind *b = found->bound[s].last; b != NULL; b = b->prev)
            event_unref(b->ev);
    }
    event_unref(found->ev);
    buf_fini(&found->id);
    arena_free(&found->memory);
    mem_free(found);
}

void finding_bind(struct finding *found, uint32_t step, struct event *ev, uint16_t stream)
{
    struct bind *bind = arena_alloc(found->memory, sizeof *bind);
    *bind = (struct bind){.prev = found->bound[step].last, .ev = event_ref(ev), .stream = stream};
    found->bound[step].last = bind;
    found->bound[step].count++;
}

void engine_found(struct engine *en, struct partition *part, struct finding *found, int64_t time)
{
    en->pending = vec_reserve(en->pending, &en->cap_pending, en->n_pending + 1,
                              sizeof *en->pending);
    en->pending[en->n_pending++] = (struct pending){
        .rs = part->rs, .part = part, .found = found, .time = time, .deadline = INT64_MIN};
    part->pins++;
    engine_note_order(en, part->rs->rule);
}
