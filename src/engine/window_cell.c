// SPDX-License-Identifier: Apache-2.0
/* window_cell - accumulators of a rule's aggregates as one block; kept events; values before. */
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/reader.h"
#include "engine/run.h"
#include "engine/window_priv.h"

static size_t align16(size_t size)
{
    return (size + 15) & ~(size_t)15;
}

void window_rule_init(struct engine *en, struct rule_state *rs)
{
    const struct window_plan *plan = rs->rule->window;
    struct window_rule *rule = rs->body = mem_calloc(1, sizeof *rule);
    rule->ops = mem_calloc(plan->n_aggregates + 1, sizeof *rule->ops);
    rule->offset = mem_calloc(plan->n_aggregates + 1, sizeof *rule->offset);
    rule->cell_size = sizeof(struct cell);
    rule->skipped = INT64_MIN;
    rule->last_end = INT64_MAX;
    for (uint32_t i = 0; i < plan->n_aggregates; i++) {
        if (plan->aggregate[i].id == WINDOW_PREV)
            continue;
        rule->ops[i] = accumulator_ops(plan->aggregate[i].id);
        /* Values leave a sliding window; a sketch cannot let them go, so the count is exact there. */
        if (plan->kind == WINDOW_SLIDING && !rule->ops[i]->can_remove)
            rule->ops[i] = accumulator_ops(WINDOW_COUNT_DISTINCT);
        rule->offset[i] = rule->cell_size;
        rule->cell_size += align16(rule->ops[i]->size);
    }
    deadline_queue_init(&en->heap, &rule->close, DEADLINE_BODY, plan->size, rs);
    deadline_queue_init(&en->heap, &rule->longest, DEADLINE_BODY, plan->max, rs);
    deadline_queue_init(&en->heap, &rule->retain, DEADLINE_BODY, plan->late, rs);
    deadline_queue_init(&en->heap, &rule->rows, DEADLINE_BODY, plan->size, rs);
}

void window_rule_fini(struct engine *en, struct rule_state *rs)
{
    (void)en;
    struct window_rule *rule = rs->body;
    mem_free(rule->ops);
    mem_free(rule->offset);
    mem_free(rule);
    rs->body = NULL;
}

/* ---- cells ---------------------------------------------------------------------------------- */

void *cell_accumulator(const struct rule_state *rs, const struct cell *cell, uint32_t aggregate)
{
    const struct window_rule *rule = rs->body;
    return (char *)(uintptr_t)cell + rule->offset[aggregate];
}

struct cell *cell_new(struct rule_state *rs)
{
    const struct window_rule *rule = rs->body;
    const struct window_plan *plan = rs->rule->window;
    struct cell *cell = mem_calloc(1, rule->cell_size);
    for (uint32_t i = 0; i < plan->n_aggregates; i++) {
        if (rule->ops[i] != NULL)
            rule->ops[i]->init(cell_accumulator(rs, cell, i), &plan->aggregate[i]);
    }
    rs->stats.bytes += rule->cell_size;
    return cell;
}

void cell_free(struct rule_state *rs, struct cell **cell)
{
    const struct window_rule *rule = rs->body;
    const struct window_plan *plan = rs->rule->window;
    if (*cell == NULL)
        return;
    for (uint32_t i = 0; i < plan->n_aggregates; i++) {
        if (rule->ops[i] != NULL)
            rule->ops[i]->fini(cell_accumulator(rs, *cell, i), &plan->aggregate[i],
                               &rs->stats.bytes);
    }
    rs->stats.bytes -= rule->cell_size;
    mem_free(*cell);
    *cell = NULL;
}

/* What the limits keep out is counted. Over `limit state` count_distinct takes no new values; the
 * other aggregates are bounded by themselves, or slide: then the event is refused as a whole. */
static void add_limited(struct rule_state *rs, const struct accumulator_ops *ops, void *acc,
                        const struct program_aggregate *ag, const struct taken *taken,
                        struct stamp stamp)
{
    bool is_full = rs->stats.bytes >= rs->rule->limits.state;
    struct program_aggregate full = *ag;
    if (is_full)
        full.limit_values = 1;
    uint64_t before = ops->over_limit(acc);
    ops->add(acc, &full, taken->v, stamp, &rs->stats.bytes);
    uint64_t after = ops->over_limit(acc);
    if (after > before)
        *(is_full ? &rs->stats.limited_state : &rs->stats.limited_values) += after - before;
}

void cell_add(struct rule_state *rs, struct cell *cell, const struct taken *taken,
              struct stamp stamp)
{
    const struct window_rule *rule = rs->body;
    const struct window_plan *plan = rs->rule->window;
    cell->n_events++;
    for (uint32_t i = 0; i < plan->n_aggregates; i++) {
        const struct program_aggregate *ag = &plan->aggregate[i];
        if (rule->ops[i] == NULL || !taken[i].takes)
            continue;
        void *acc = cell_accumulator(rs, cell, i);
        if (rule->ops[i]->over_limit != NULL && ag->id != WINDOW_TOP)
            add_limited(rs, rule->ops[i], acc, ag, &taken[i], stamp);
        else
            rule->ops[i]->add(acc, ag, taken[i].v, stamp, &rs->stats.bytes);
    }
}

void cell_merge(struct rule_state *rs, struct cell *cell, const struct cell *later)
{
    const struct window_rule *rule = rs->body;
    const struct window_plan *plan = rs->rule->window;
    cell->n_events += later->n_events;
    for (uint32_t i = 0; i < plan->n_aggregates; i++) {
        if (rule->ops[i] != NULL)
            rule->ops[i]->merge(cell_accumulator(rs, cell, i), &plan->aggregate[i],
                                cell_accumulator(rs, later, i), &rs->stats.bytes);
    }
}

struct cell *cell_clone(struct rule_state *rs, const struct cell *cell)
{
    struct cell *copy = cell_new(rs);
    cell_merge(rs, copy, cell);
    return copy;
}

void cell_encode(struct buf *out, const struct rule_state *rs, const struct cell *cell)
{
    const struct window_rule *rule = rs->body;
    const struct window_plan *plan = rs->rule->window;
    buf_add_varint(out, cell->n_events);
    for (uint32_t i = 0; i < plan->n_aggregates; i++) {
        if (rule->ops[i] != NULL)
            rule->ops[i]->encode(cell_accumulator(rs, cell, i), &plan->aggregate[i], out);
    }
}

bool cell_decode(struct rule_state *rs, struct cell *cell, struct reader *r)
{
    const struct window_rule *rule = rs->body;
    const struct window_plan *plan = rs->rule->window;
    cell->n_events = reader_varint(r);
    for (uint32_t i = 0; i < plan->n_aggregates; i++) {
        if (rule->ops[i] != NULL &&
            !rule->ops[i]->decode(cell_accumulator(rs, cell, i), &plan->aggregate[i], r,
                                  &rs->stats.bytes))
            return false;
    }
    return !r->bad;
}

/* ---- what an event gives -------------------------------------------------------------------- */

void window_take(struct engine *en, const struct offer *of, uint16_t input, struct taken *taken)
{
    const struct window_plan *plan = of->part->rs->rule->window;
    struct vm *vm = &en->vm;
    vm->ev = of->ev;
    vm->ev_stream = of->stream[input];
    vm->bound = NULL;
    vm->key = of->part->key;
    vm->counters = &of->part->rs->counters;
    for (uint32_t i = 0; i < plan->n_aggregates; i++) {
        const struct program_aggregate *ag = &plan->aggregate[i];
        taken[i] = (struct taken){0};
        if (ag->input != AGGREGATE_ALL_INPUTS && ag->input != input)
            continue;
        if (ag->where != NULL && !vm_test(vm, ag->where))
            continue;
        taken[i].takes = true;
        for (int k = 0; k < 2 && ag->arg[k] != NULL; k++)
            taken[i].v[k] = vm_eval(vm, ag->arg[k]);
    }
}

/* ---- kept events ---------------------------------------------------------------------------- */

static size_t keep_bytes(const struct event *ev)
{
    return run_event_bytes(ev) + sizeof(struct keep_entry);
}

void keep_add(struct rule_state *rs, struct keep_list *keep, struct event *ev, uint16_t stream)
{
    uint32_t max = rs->rule->keep;
    if (max == 0)
        return;
    size_t cap = keep->cap;
    keep->entry = vec_reserve(keep->entry, &cap, keep->n + 1, sizeof *keep->entry);
    keep->cap = (uint32_t)cap;
    uint32_t at = keep->n++;
    for (; at > 0 && event_order(keep->entry[at - 1].ev, ev) > 0; at--)
        keep->entry[at] = keep->entry[at - 1];
    keep->entry[at] = (struct keep_entry){.ev = event_ref(ev), .stream = stream};
    rs->stats.bytes += keep_bytes(ev);
    if (keep->n <= max)
        return;
    /* The oldest goes; a late event may be that itself. */
    rs->stats.bytes -= keep_bytes(keep->entry[0].ev);
    event_unref(keep->entry[0].ev);
    memmove(keep->entry, keep->entry + 1, max * sizeof *keep->entry);
    keep->n--;
}

void keep_clear(struct rule_state *rs, struct keep_list *keep)
{
    for (uint32_t i = 0; i < keep->n; i++) {
        rs->stats.bytes -= keep_bytes(keep->entry[i].ev);
        event_unref(keep->entry[i].ev);
    }
    mem_free(keep->entry);
    *keep = (struct keep_list){0};
}

void keep_bind(struct finding *found, uint32_t input, const struct keep_list *keep, uint32_t n)
{
    for (uint32_t i = keep->n > n ? keep->n - n : 0; i < keep->n; i++)
        finding_bind(found, input, keep->entry[i].ev, keep->entry[i].stream);
}

void keep_encode(struct encoding *ec, const struct keep_list *keep)
{
    struct buf *out = &ec->body;
    buf_add_varint(out, keep->n);
    for (uint32_t i = 0; i < keep->n; i++) {
        event_encode(out, keep->entry[i].ev);
        encode_stream(ec, keep->entry[i].stream);
    }
}

void keep_ahead(const struct keep_list *keep, unsigned step)
{
    if (keep->n == 0)
        return;
    if (step == 0)
        mem_prefetch(keep->entry, sizeof *keep->entry);
    else if (step == 1)
        event_prefetch(keep->entry[0].ev);
    else
        event_prefetch_raw(keep->entry[0].ev);
}

bool keep_decode(struct restore *re, struct rule_state *rs, struct keep_list *keep,
                 struct reader *r)
{
    uint64_t n = reader_varint(r);
    for (uint64_t i = 0; i < n; i++) {
        struct event *ev = r->bad ? NULL : event_decode(re, r);
        if (ev == NULL)
            return false;
        uint16_t stream = decode_stream(re, r);
        if (!r->bad)
            keep_add(rs, keep, ev, stream);
        event_unref(ev);
    }
    return !r->bad;
}

/* ---- values before -------------------------------------------------------------------------- */

/* NULL when the rule asks for none. */
struct prev_value *prev_new(struct rule_state *rs)
{
    const struct window_plan *plan = rs->rule->window;
    bool wanted = false;
    for (uint32_t i = 0; i < plan->n_aggregates; i++)
        wanted |= plan->aggregate[i].id == WINDOW_PREV;
    if (!wanted)
        return NULL;
    rs->stats.bytes += plan->n_aggregates * sizeof(struct prev_value);
    return mem_calloc(plan->n_aggregates, sizeof(struct prev_value));
}

static void prev_store(struct rule_state *rs, struct prev_value *prev, struct value v)
{
    rs->stats.bytes -= value_copy_size(prev->v);
    mem_free(prev->memory);
    size_t size = value_copy_size(v);
    prev->memory = size > 0 ? mem_alloc(size) : NULL;
    char *mem = prev->memory;
    prev->v = value_copy_to(v, &mem);
    rs->stats.bytes += size;
}

void prev_free(struct rule_state *rs, struct prev_value **prev)
{
    const struct window_plan *plan = rs->rule->window;
    if (*prev == NULL)
        return;
    for (uint32_t i = 0; i < plan->n_aggregates; i++)
        prev_store(rs, &(*prev)[i], value_missing());
    rs->stats.bytes -= plan->n_aggregates * sizeof(struct prev_value);
    mem_free(*prev);
    *prev = NULL;
}

void prev_set(struct rule_state *rs, struct prev_value *prev, const struct taken *taken)
{
    const struct window_plan *plan = rs->rule->window;
    for (uint32_t i = 0; prev != NULL && i < plan->n_aggregates; i++) {
        if (plan->aggregate[i].id == WINDOW_PREV && taken[i].takes)
            prev_store(rs, &prev[i], taken[i].v[0]);
    }
}

void prev_encode(struct buf *out, const struct rule_state *rs, const struct prev_value *prev)
{
    const struct window_plan *plan = rs->rule->window;
    for (uint32_t i = 0; prev != NULL && i < plan->n_aggregates; i++) {
        if (plan->aggregate[i].id == WINDOW_PREV)
            value_encode_exact(out, prev[i].v);
    }
}

bool prev_decode(struct rule_state *rs, struct prev_value *prev, struct reader *r)
{
    const struct window_plan *plan = rs->rule->window;
    struct arena *scratch = arena_new(0);
    for (uint32_t i = 0; prev != NULL && i < plan->n_aggregates; i++) {
        if (plan->aggregate[i].id == WINDOW_PREV)
            prev_store(rs, &prev[i], value_decode(r, scratch));
    }
    arena_free(&scratch);
    return !r->bad;
}
