// SPDX-License-Identifier: Apache-2.0
/* window_fire - `having` over a window, and what an alert of it says. */
#include "base/arena.h"
#include "base/buf.h"
#include "base/digest.h"
#include "engine/window_priv.h"

static struct value ask_view(void *ctx, uint32_t aggregate, struct arena *scratch)
{
    const struct window_view *view = ctx;
    const struct window_rule *rule = view->rs->body;
    const struct program_aggregate *ag = &view->rs->rule->window->aggregate[aggregate];
    if (rule->ops[aggregate] == NULL)
        return view->prev != NULL ? view->prev[aggregate].v : value_missing();
    return rule->ops[aggregate]->result(cell_accumulator(view->rs, view->cell, aggregate), ag,
                                        scratch);
}

static void vm_for_window(struct engine *en, struct partition *part,
                          const struct window_view *view, const struct event *ev, uint16_t stream)
{
    struct vm *vm = &en->vm;
    vm->ev = ev;
    vm->ev_stream = stream;
    vm->bound = NULL;
    vm->key = part->key;
    vm->emitted = NULL;
    vm->counters = &part->rs->counters;
    vm->window = (struct vm_window){.is_window = true, .start = view->start, .end = view->end,
                                    .n_aggregates = part->rs->rule->window->n_aggregates,
                                    .ask = ask_view, .ctx = (void *)(uintptr_t)view};
}

bool window_holds(struct engine *en, struct partition *part, const struct window_view *view,
                  const struct event *ev, uint16_t stream)
{
    const struct code *having = part->rs->rule->window->having;
    if (having == NULL)
        return true;
    vm_for_window(en, part, view, ev, stream);
    return vm_test(&en->vm, having);
}

struct finding *window_finding(struct engine *en, struct partition *part,
                               const struct window_view *view, struct event *ev, uint16_t stream)
{
    const struct program_rule *rule = part->rs->rule;
    struct finding *found = finding_new(rule->n_steps);
    uint32_t n = rule->window->n_aggregates;
    struct value *aggregate = arena_alloc(found->memory, (n + 1) * sizeof *aggregate);
    for (uint32_t i = 0; i < n; i++)
        aggregate[i] = value_copy(ask_view((void *)(uintptr_t)view, i, en->scratch),
                                  found->memory);
    found->aggregate = aggregate;
    found->n_aggregates = n;
    found->has_window = true;
    found->window_start = view->start;
    found->window_end = view->end;
    found->ev = ev != NULL ? event_ref(ev) : NULL;
    found->stream = stream;
    found->order = en->seq;
    return found;
}

void window_identify(const struct engine *en, struct finding *found, enum window_kind kind,
                     int64_t start, int64_t close, const struct event *ev)
{
    buf_add_u8(&found->id, (uint8_t)kind);
    if (ev != NULL) {
        /* The event that fired; a hopping event fires in several windows. */
        if (kind != WINDOW_SLIDING && kind != WINDOW_GLOBAL)
            buf_add_u64(&found->id, (uint64_t)start);
        event_encode_position(&found->id, ev);
    } else {
        buf_add_u64(&found->id, (uint64_t)start);
        buf_add_u64(&found->id, (uint64_t)close);
        if (start <= en->behind) /* it was decided with the end of the input, and may have been told */
            buf_add_u64(&found->id, (uint64_t)en->behind);
    }
}

void window_emitted_hash(struct engine *en, struct partition *part, const struct window_view *view,
                         const struct event *ev, uint16_t stream, uint8_t hash_out[16])
{
    const struct program_rule *rule = part->rs->rule;
    struct buf *text = &en->text;
    buf_clear(text);
    for (uint32_t i = 0; i < rule->n_emit; i++) {
        vm_for_window(en, part, view, ev, stream);
        value_encode(text, vm_eval(&en->vm, rule->emit[i].code));
    }
    digest_id(text->data, text->len, hash_out);
}
