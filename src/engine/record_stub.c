// SPDX-License-Identifier: Apache-2.0
/*
 * record_stub - keys that are in the store alone: their slots in the tables, and a heap of when they
 * are due. Entries of keys that were loaded since stay until they come up or are too many.
 */
#include "base/mem.h"
#include "engine/record_priv.h"

enum { MIN_COMPACT = 1024 };

static bool stub_before(const struct stub *a, const struct stub *b)
{
    return a->due != b->due ? a->due < b->due : a->depth < b->depth;
}

static void sift_down(struct records *r, size_t at)
{
    struct stub one = r->stub[at];
    for (size_t child; (child = 2 * at + 1) < r->n_heap; at = child) {
        if (child + 1 < r->n_heap && stub_before(&r->stub[child + 1], &r->stub[child]))
            child++;
        if (!stub_before(&r->stub[child], &one))
            break;
        r->stub[at] = r->stub[child];
    }
    r->stub[at] = one;
}

static void sift_up(struct records *r, size_t at)
{
    struct stub one = r->stub[at];
    for (; at > 0 && stub_before(&one, &r->stub[(at - 1) / 2]); at = (at - 1) / 2)
        r->stub[at] = r->stub[(at - 1) / 2];
    r->stub[at] = one;
}

void stub_heap_build(struct records *r)
{
    for (size_t at = r->n_heap / 2; at-- > 0;)
        sift_down(r, at);
}

static struct partition_slot *slot_of(const struct records *r, const struct stub *stub)
{
    return partition_stub(&r->en->rule[stub->rule].parts, stub->hash, stub_tag(stub->due, true));
}

/* Each slot's mark is taken when its entry is met, so a second entry of it goes too. */
static void compact(struct records *r)
{
    size_t n = 0;
    for (size_t i = 0; i < r->n_heap; i++) {
        struct partition_slot *slot = slot_of(r, &r->stub[i]);
        if (slot == NULL)
            continue;
        slot->part = partition_of_tag(stub_tag(r->stub[i].due, false));
        r->stub[n++] = r->stub[i];
    }
    r->n_heap = n;
    for (size_t i = 0; i < n; i++) {
        const struct stub *stub = &r->stub[i];
        struct partition_slot *slot = partition_stub(&r->en->rule[stub->rule].parts, stub->hash,
                                                     stub_tag(stub->due, false));
        slot->part = partition_of_tag(stub_tag(stub->due, true));
    }
    stub_heap_build(r);
}

void stub_add(struct records *r, const struct rule_state *rs, uint64_t hash, int64_t due)
{
    if (r->n_heap > MIN_COMPACT && r->n_heap / 2 > r->n_stubs)
        compact(r);
    r->stub = vec_reserve(r->stub, &r->cap_heap, r->n_heap + 1, sizeof *r->stub);
    r->stub[r->n_heap++] = (struct stub){.due = stub_tag_due(stub_tag(due, true)), .hash = hash,
                                         .rule = rs->rule->number, .depth = rs->rule->depth};
    if (!r->loading) /* while all are restored it is built at the end */
        sift_up(r, r->n_heap - 1);
}

void stub_add_all(struct records *r, const struct rule_state *rs)
{
    r->stub = vec_reserve(r->stub, &r->cap_heap, r->n_heap + rs->parts.n, sizeof *r->stub);
    for (size_t i = 0; rs->parts.slot != NULL && i <= rs->parts.mask; i++) {
        const struct partition_slot *slot = &rs->parts.slot[i];
        uint64_t tag = (uint64_t)(uintptr_t)slot->part;
        if (slot->part != NULL && tag == stub_tag(stub_tag_due(tag), true))
            r->stub[r->n_heap++] = (struct stub){.due = stub_tag_due(tag), .hash = slot->hash,
                                                 .rule = rs->rule->number, .depth = rs->rule->depth};
    }
}

static void pop(struct records *r)
{
    r->stub[0] = r->stub[--r->n_heap];
    if (r->n_heap > 0)
        sift_down(r, 0);
}

static const struct stub *top(struct records *r)
{
    while (r->n_heap > 0 && slot_of(r, &r->stub[0]) == NULL)
        pop(r);
    return r->n_heap > 0 ? &r->stub[0] : NULL;
}

bool records_load_due(struct engine *en, int64_t frontier, const struct deadline *next,
                      uint32_t depth)
{
    struct records *r = en->records;
    const struct stub *stub = r->broken == NULL ? top(r) : NULL;
    if (stub == NULL || stub->due >= frontier)
        return false;
    if (next != NULL && (stub->due > next->due || (stub->due == next->due && stub->depth >= depth)))
        return false;
    struct stub one = *stub;
    pop(r);
    struct rule_state *rs = &en->rule[one.rule];
    int64_t began = piece_begin(&en->timer);
    record_load(rs, one.hash);
    piece_end(&en->timer, began, &rs->stats.engine_ns);
    return r->broken == NULL;
}

bool records_due(struct engine *en, int64_t frontier)
{
    const struct stub *stub = en->records->broken == NULL ? top(en->records) : NULL;
    return stub != NULL && stub->due < frontier;
}
