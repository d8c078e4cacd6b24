// SPDX-License-Identifier: Apache-2.0
/*
 * accumulator_distinct - count_distinct and top: values with counts.
 *
 * count_distinct(x, y) counts pairs, as lists of two; an event that lacks one of them is skipped.
 * Over `limit values` new values are refused and counted as such (over_limit), which ends when the
 * window has been empty.
 *
 * top counts exactly up to 10,000 different values (or 2 n, or the limit on values). When one more
 * comes, the median of all counts is taken from each of them and what is not above 0 leaves, at
 * least half (Misra, Gries, Finding repeated elements, 1982; in this amortised O(1) form D. Anderson
 * et al., A High-Performance Algorithm for Identifying Frequent Items in Data Streams, 2017). So a
 * count is too low by at most over_limit(), which is at most 2 N / 10,000 for N values added: what
 * is more frequent than 0.02 % is in. Removing and merging keep to that bound; it starts anew when
 * the window has been empty. Equal counts: first the one seen first (since it last was absent).
 */
#include <stdlib.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/reader.h"
#include "engine/accumulator_priv.h"
#include "engine/accumulator_set.h"

enum { TOP_VALUES = 10000 };

/* Both: the accumulator is a pointer to its set, NULL while there is none. */
static void holder_init(void *acc, const struct program_aggregate *ag)
{
    (void)ag;
    *(struct value_set **)acc = NULL;
}

static void holder_fini(void *acc, const struct program_aggregate *ag, uint64_t *bytes)
{
    (void)ag;
    set_free(acc, bytes);
}

static uint64_t holder_over_limit(const void *acc)
{
    const struct value_set *set = *(struct value_set *const *)acc;
    return set ? set->refused : 0;
}

static void holder_remove_value(struct value_set **holder, struct value v, uint64_t *bytes)
{
    struct value_set *set = *holder;

    if (!set)
        return;
    if (set->total <= 1) {
        set_free(holder, bytes);
        return;
    }
    set->total--;
    uint32_t id = set_find(set, v);
    if (id != SET_NONE && --set->entry[id].count == 0)
        set_drop(set, id, bytes);
}

static void holder_encode(const void *acc, const struct program_aggregate *ag, struct buf *out)
{
    (void)ag;
    const struct value_set *set = *(struct value_set *const *)acc;

    buf_add_varint(out, set ? set->total : 0);
    if (!set)
        return;
    buf_add_varint(out, set->refused);
    buf_add_varint(out, set->n);
    buf_add_varint(out, set->used);
    for (uint32_t i = 0; i < set->used; i++) {
        if (value_is_missing(set->entry[i].v))
            continue;
        value_encode_exact(out, set->entry[i].v);
        buf_add_varint(out, set->entry[i].count);
        if (set->stamp)
            stamp_encode(out, set->stamp[i]);
    }
}

static bool holder_decode(struct value_set **holder, bool stamps, uint64_t most, struct reader *r,
                          uint64_t *bytes)
{
    uint64_t total = reader_varint(r);

    if (total == 0)
        return !r->bad;
    struct value_set *set = *holder = set_new(bytes);
    set->total = total;
    set->refused = reader_varint(r);
    uint64_t n = reader_varint(r), used = reader_varint(r);
    if (r->bad || n > reader_left(r))
        return false;
    struct arena *scratch = arena_new(1024);
    for (; n > 0 && !r->bad; n--) {
        struct value v = value_decode(r, scratch);
        uint64_t count = reader_varint(r);
        struct stamp at = {0, 0};
        if (stamps)
            at = stamp_decode(r);
        if (value_is_missing(v) || count == 0 || count > INT64_MAX || set_find(set, v) != SET_NONE)
            r->bad = true;
        if (!r->bad) {
            uint32_t id = set_insert(set, v, stamps, bytes);
            set->entry[id].count = count;
            if (stamps)
                set->stamp[id] = at;
        }
        arena_reset(scratch);
    }
    arena_free(&scratch);
    if (!r->bad)
        set_widen(set, used, most, stamps, bytes);
    return !r->bad;
}

/* ---- count_distinct --------------------------------------------------------------------------- */

static void distinct_add_value(struct value_set **holder, const struct program_aggregate *ag,
                               struct value v, uint64_t count, uint64_t *bytes)
{
    if (!*holder)
        *holder = set_new(bytes);
    struct value_set *set = *holder;
    uint32_t id = set_find(set, v);
    set->total += count;
    if (id != SET_NONE) {
        set->entry[id].count += count;
    } else if (ag->limit_values && set->n >= ag->limit_values) {
        set->refused++;
    } else {
        id = set_insert(set, v, false, bytes);
        set->entry[id].count = count;
    }
}

static void distinct_add(void *acc, const struct program_aggregate *ag, const struct value v[2],
                         struct stamp at, uint64_t *bytes)
{
    (void)at;
    if (value_is_missing(v[0]) || (ag->arg[1] && value_is_missing(v[1])))
        return;
    distinct_add_value(acc, ag, ag->arg[1] ? value_list(v, 2) : v[0], 1, bytes);
}

static void distinct_remove(void *acc, const struct program_aggregate *ag, const struct value v[2],
                            struct stamp at, uint64_t *bytes)
{
    (void)at;
    if (value_is_missing(v[0]) || (ag->arg[1] && value_is_missing(v[1])))
        return;
    holder_remove_value(acc, ag->arg[1] ? value_list(v, 2) : v[0], bytes);
}

static void distinct_merge(void *acc, const struct program_aggregate *ag, const void *later,
                           uint64_t *bytes)
{
    const struct value_set *other = *(struct value_set *const *)later;
    struct value_set **holder = acc;

    if (!other)
        return;
    uint64_t total = other->total + (*holder ? (*holder)->total : 0);
    if (!*holder)
        *holder = set_new(bytes);
    for (uint32_t i = 0; i < other->used; i++)
        if (!value_is_missing(other->entry[i].v))
            distinct_add_value(holder, ag, other->entry[i].v, other->entry[i].count, bytes);
    (*holder)->refused += other->refused;
    (*holder)->total = total;
}

static struct value distinct_result(const void *acc, const struct program_aggregate *ag,
                                    struct arena *scratch)
{
    (void)ag;
    (void)scratch;
    const struct value_set *set = *(struct value_set *const *)acc;
    return value_int(set ? set->n : 0);
}

static bool distinct_decode(void *acc, const struct program_aggregate *ag, struct reader *r,
                            uint64_t *bytes)
{
    return holder_decode(acc, false, ag->limit_values, r, bytes);
}

/* ---- top -------------------------------------------------------------------------------------- */

static uint64_t top_cap(const struct program_aggregate *ag)
{
    uint64_t cap = (uint64_t)ag->n * 2 > TOP_VALUES ? (uint64_t)ag->n * 2 : TOP_VALUES;
    return ag->limit_values && ag->limit_values < cap ? ag->limit_values : cap;
}

static int by_size(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Takes the median from all counts: at least half of the values leave. */
static void top_purge(struct value_set *set, uint64_t *bytes)
{
    uint64_t *count = mem_alloc(set->n * sizeof *count);
    size_t n = 0;

    for (uint32_t i = 0; i < set->used; i++)
        if (!value_is_missing(set->entry[i].v))
            count[n++] = set->entry[i].count;
    qsort(count, n, sizeof *count, by_size);
    uint64_t median = count[n / 2];
    mem_free(count);
    for (uint32_t i = 0; i < set->used; i++) {
        if (value_is_missing(set->entry[i].v))
            continue;
        if (set->entry[i].count <= median)
            set_drop(set, i, bytes);
        else
            set->entry[i].count -= median;
    }
    set->refused += median;
}

static void top_add_value(struct value_set **holder, const struct program_aggregate *ag,
                          struct value v, uint64_t count, struct stamp at, uint64_t *bytes)
{
    if (!*holder)
        *holder = set_new(bytes);
    struct value_set *set = *holder;
    uint32_t id = set_find(set, v);
    set->total += count;
    if (id != SET_NONE) {
        set->entry[id].count += count;
        if (stamp_order(at, set->stamp[id]) < 0)
            set->stamp[id] = at;
        return;
    }
    if (set->n >= top_cap(ag))
        top_purge(set, bytes);
    id = set_insert(set, v, true, bytes);
    set->entry[id].count = count;
    set->stamp[id] = at;
}

static void top_add(void *acc, const struct program_aggregate *ag, const struct value v[2],
                    struct stamp at, uint64_t *bytes)
{
    if (!value_is_missing(v[0]))
        top_add_value(acc, ag, v[0], 1, at, bytes);
}

static void top_remove(void *acc, const struct program_aggregate *ag, const struct value v[2],
                       struct stamp at, uint64_t *bytes)
{
    (void)ag;
    (void)at;
    if (!value_is_missing(v[0]))
        holder_remove_value(acc, v[0], bytes);
}

static void top_merge(void *acc, const struct program_aggregate *ag, const void *later,
                      uint64_t *bytes)
{
    const struct value_set *other = *(struct value_set *const *)later;
    struct value_set **holder = acc;

    if (!other)
        return;
    uint64_t total = other->total + (*holder ? (*holder)->total : 0);
    if (!*holder)
        *holder = set_new(bytes);
    for (uint32_t i = 0; i < other->used; i++)
        if (!value_is_missing(other->entry[i].v))
            top_add_value(holder, ag, other->entry[i].v, other->entry[i].count, other->stamp[i],
                          bytes);
    (*holder)->refused += other->refused;
    (*holder)->total = total;
}

/* Is a above b in the list? */
static bool above(const struct value_set *set, uint32_t a, uint32_t b)
{
    if (set->entry[a].count != set->entry[b].count)
        return set->entry[a].count > set->entry[b].count;
    int order = stamp_order(set->stamp[a], set->stamp[b]);
    if (order)
        return order < 0;
    return value_hash(set->entry[a].v, 0) < value_hash(set->entry[b].v, 0);
}

/* heap[0] is the least of the n; restores that after it was replaced. */
static void sift_down(const struct value_set *set, uint32_t *heap, uint32_t n, uint32_t at)
{
    for (;;) {
        uint64_t child = (uint64_t)at * 2 + 1;
        if (child >= n)
            return;
        if (child + 1 < n && above(set, heap[child], heap[child + 1]))
            child++;
        if (!above(set, heap[at], heap[child]))
            return;
        uint32_t id = heap[at];
        heap[at] = heap[child];
        heap[child] = id;
        at = (uint32_t)child;
    }
}

static struct value top_result(const void *acc, const struct program_aggregate *ag,
                               struct arena *scratch)
{
    const struct value_set *set = *(struct value_set *const *)acc;
    uint32_t want = !set ? 0 : set->n < ag->n ? set->n : ag->n;

    if (want == 0)
        return value_list(NULL, 0);
    uint32_t *heap = arena_alloc_raw(scratch, want * sizeof *heap);
    struct value *list = arena_alloc_raw(scratch, want * sizeof *list);
    uint32_t n = 0;
    for (uint32_t i = 0; i < set->used; i++) {
        if (value_is_missing(set->entry[i].v))
            continue;
        if (n < want) {
            heap[n++] = i;
            for (uint32_t k = n == want ? n / 2 : 0; k-- > 0;)
                sift_down(set, heap, n, k);
        } else if (above(set, i, heap[0])) {
            heap[0] = i;
            sift_down(set, heap, n, 0);
        }
    }
    while (n > 0) {
        list[n - 1] = set->entry[heap[0]].v;
        heap[0] = heap[--n];
        sift_down(set, heap, n, 0);
    }
    return value_list(list, want);
}

static bool top_decode(void *acc, const struct program_aggregate *ag, struct reader *r,
                       uint64_t *bytes)
{
    (void)ag;
    return holder_decode(acc, true, TOP_VALUES, r, bytes);
}

#define HOLDER_OPS(text, verb)                                                                    \
    {                                                                                             \
        .name = text, .size = sizeof(struct value_set *), .can_remove = true, .can_merge = true,  \
        .init = holder_init, .fini = holder_fini, .add = verb##_add, .remove = verb##_remove,     \
        .merge = verb##_merge, .result = verb##_result, .encode = holder_encode,                  \
        .decode = verb##_decode, .over_limit = holder_over_limit,                                 \
    }

const struct accumulator_ops accumulator_count_distinct = HOLDER_OPS("count_distinct", distinct);
const struct accumulator_ops accumulator_top = HOLDER_OPS("top", top);
