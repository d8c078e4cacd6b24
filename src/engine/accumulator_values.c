// SPDX-License-Identifier: Apache-2.0
/*
 * accumulator_values - values(x, n): the first n different values, in the order of their first sight.
 *
 * Where nothing is removed, the n values with the earliest first sights, in order: a value beyond
 * them can never come in again, as first sights only get earlier.
 *
 * Where the window slides, the order is that of the earliest sighting that is still inside. All
 * sightings are kept (24 bytes each), each with the distance to the next of the same value, and the
 * values in a heap by their earliest one. The sighting that leaves is the oldest of all, so its value
 * stands at the top of the heap and sinks to its next sighting or leaves: O(log values). The result
 * takes n from the heap without changing it: O(n log n). `limit values` bounds the values kept;
 * beyond it new ones are refused, and counted, until others have left.
 */
#include "base/arena.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/reader.h"
#include "engine/accumulator_priv.h"
#include "engine/accumulator_set.h"

enum { FIRST_RING = 8, FIRST_ORDER = 4, MOST_ROOM = 16 };

struct sighting {
    struct stamp at;
    uint32_t id;    /* of the value in the set */
    uint32_t ahead; /* how many sightings later the same value comes again; 0: not yet */
};

struct place {
    struct stamp at; /* sliding: {0, number of the sighting}; else the stamp of the first sight */
    uint32_t id;
};

struct values {
    struct value_set *set; /* stamp of an entry: sliding {0, number of its last sighting}, else the
                            * first sight; count: sightings inside (sliding) */
    struct place *order;   /* set->n of them: a heap (sliding), sorted (else, which is a heap too) */
    uint32_t order_cap;
    uint32_t ring_cap;     /* a power of two, or 0 */
    struct sighting *ring; /* sliding: number k lies at k mod ring_cap */
    uint64_t from, to;     /* numbers of the sightings inside: [from, to) */
};

static void values_init(void *acc, const struct program_aggregate *ag)
{
    (void)ag;
    *(struct values **)acc = NULL;
}

static void values_free(struct values **holder, uint64_t *bytes)
{
    struct values *s = *holder;

    if (!s)
        return;
    set_free(&s->set, bytes);
    charged_free(s->order, s->order_cap * sizeof *s->order, bytes);
    charged_free(s->ring, s->ring_cap * sizeof *s->ring, bytes);
    charged_free(s, sizeof *s, bytes);
    *holder = NULL;
}

static void values_fini(void *acc, const struct program_aggregate *ag, uint64_t *bytes)
{
    (void)ag;
    values_free(acc, bytes);
}

static struct values *values_get(struct values **holder, uint64_t *bytes)
{
    if (!*holder) {
        *holder = charged_alloc(sizeof **holder, bytes);
        (*holder)->set = set_new(bytes);
    }
    return *holder;
}

/* ---- heaps of places -------------------------------------------------------------------------- */

static void swap(struct place *a, struct place *b)
{
    struct place c = *a;
    *a = *b;
    *b = c;
}

static void sift_up(struct place *heap, uint32_t at)
{
    while (at > 0 && stamp_order(heap[at].at, heap[(at - 1) / 2].at) < 0) {
        swap(&heap[at], &heap[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
}

static void sift_down(struct place *heap, uint32_t n)
{
    uint64_t at = 0, child;

    while ((child = at * 2 + 1) < n) {
        if (child + 1 < n && stamp_order(heap[child + 1].at, heap[child].at) < 0)
            child++;
        if (stamp_order(heap[at].at, heap[child].at) <= 0)
            return;
        swap(&heap[at], &heap[child]);
        at = child;
    }
}

/* Room for one more than the set has. */
static void order_reserve(struct values *s, uint64_t *bytes)
{
    if (s->set->n < s->order_cap)
        return;
    uint32_t cap = s->order_cap ? s->order_cap * 2 : FIRST_ORDER;
    s->order = charged_resize(s->order, s->order_cap * sizeof *s->order, cap * sizeof *s->order,
                              bytes);
    s->order_cap = cap;
}

/* ---- sliding ---------------------------------------------------------------------------------- */

static struct sighting *sighting_at(const struct values *s, uint64_t number)
{
    return &s->ring[number & (s->ring_cap - 1)];
}

static void ring_resize(struct values *s, uint32_t cap, uint64_t *bytes)
{
    struct sighting *ring = charged_alloc(cap * sizeof *ring, bytes);

    for (uint64_t k = s->from; k < s->to; k++)
        ring[k & (cap - 1)] = *sighting_at(s, k);
    charged_free(s->ring, s->ring_cap * sizeof *ring, bytes);
    s->ring = ring;
    s->ring_cap = cap;
}

static void sliding_add(struct values **holder, const struct program_aggregate *ag, struct value v,
                        struct stamp at, uint64_t *bytes)
{
    struct values *s = values_get(holder, bytes);
    struct value_set *set = s->set;
    uint32_t id = set_find(set, v);

    if (s->to - s->from >= UINT32_MAX / 2 ||
        (id == SET_NONE && ag->limit_values && set->n >= ag->limit_values)) {
        set->refused++;
        return;
    }
    if (s->to - s->from == s->ring_cap)
        ring_resize(s, s->ring_cap ? s->ring_cap * 2 : FIRST_RING, bytes);
    if (id == SET_NONE) {
        order_reserve(s, bytes);
        id = set_insert(set, v, true, bytes);
        s->order[set->n - 1] = (struct place){{0, s->to}, id};
        sift_up(s->order, set->n - 1);
    } else {
        sighting_at(s, set->stamp[id].seq)->ahead = (uint32_t)(s->to - set->stamp[id].seq);
        set->entry[id].count++;
    }
    set->stamp[id].seq = s->to;
    *sighting_at(s, s->to++) = (struct sighting){at, id, 0};
}

static void values_remove(void *acc, const struct program_aggregate *ag, const struct value v[2],
                          struct stamp at, uint64_t *bytes)
{
    (void)ag;
    struct values **holder = acc, *s = *holder;

    if (!s || value_is_missing(v[0]) || s->from == s->to)
        return;
    struct sighting *oldest = sighting_at(s, s->from);
    if (stamp_order(oldest->at, at) != 0)
        return; /* it was refused */
    if (oldest->ahead) {
        s->set->entry[oldest->id].count--;
        s->order[0].at.seq = s->from + oldest->ahead;
    } else {
        set_drop(s->set, oldest->id, bytes);
        s->order[0] = s->order[s->set->n];
    }
    sift_down(s->order, s->set->n);
    s->from++;
    if (s->from == s->to)
        values_free(holder, bytes);
    else if (s->ring_cap > FIRST_RING && s->to - s->from < s->ring_cap / 8)
        ring_resize(s, s->ring_cap / 2, bytes);
}

/* ---- where nothing is removed ----------------------------------------------------------------- */

static uint64_t most(const struct program_aggregate *ag)
{
    return ag->limit_values && ag->limit_values < ag->n ? ag->limit_values : ag->n;
}

/* The place of an id, or where a new one at the end would be. */
static uint32_t place_of(const struct values *s, uint32_t id)
{
    uint32_t i = 0;
    while (i < s->set->n && s->order[i].id != id)
        i++;
    return i;
}

static void growing_add(struct values **holder, const struct program_aggregate *ag, struct value v,
                        struct stamp at, uint64_t *bytes)
{
    if (most(ag) == 0)
        return;
    struct values *s = values_get(holder, bytes);
    struct value_set *set = s->set;
    uint32_t i, id = set_find(set, v);

    if (id != SET_NONE) {
        if (stamp_order(at, set->stamp[id]) >= 0)
            return;
        i = place_of(s, id);
    } else {
        if (set->n >= most(ag)) {
            set->refused += ag->limit_values && ag->limit_values < ag->n;
            if (stamp_order(at, s->order[set->n - 1].at) >= 0)
                return;
            set_drop(set, s->order[set->n - 1].id, bytes);
        }
        order_reserve(s, bytes);
        id = set_insert(set, v, true, bytes);
        i = set->n - 1;
    }
    set->stamp[id] = at;
    for (; i > 0 && stamp_order(s->order[i - 1].at, at) > 0; i--)
        s->order[i] = s->order[i - 1];
    s->order[i] = (struct place){at, id};
}

/* ---- both ------------------------------------------------------------------------------------- */

static void values_add_one(struct values **holder, const struct program_aggregate *ag,
                           struct value v, struct stamp at, uint64_t *bytes)
{
    if (ag->no_remove)
        growing_add(holder, ag, v, at, bytes);
    else
        sliding_add(holder, ag, v, at, bytes);
}

static void values_add(void *acc, const struct program_aggregate *ag, const struct value v[2],
                       struct stamp at, uint64_t *bytes)
{
    if (!value_is_missing(v[0]))
        values_add_one(acc, ag, v[0], at, bytes);
}

static void values_merge(void *acc, const struct program_aggregate *ag, const void *later,
                         uint64_t *bytes)
{
    const struct values *other = *(struct values *const *)later;

    if (!other)
        return;
    values_get(acc, bytes)->set->refused += other->set->refused;
    for (uint32_t i = 0; ag->no_remove && i < other->set->n; i++)
        growing_add(acc, ag, other->set->entry[other->order[i].id].v, other->order[i].at, bytes);
    for (uint64_t k = other->from; !ag->no_remove && k < other->to; k++) {
        const struct sighting *s = sighting_at(other, k);
        sliding_add(acc, ag, other->set->entry[s->id].v, s->at, bytes);
    }
}

static struct value values_result(const void *acc, const struct program_aggregate *ag,
                                  struct arena *scratch)
{
    const struct values *s = *(struct values *const *)acc;
    uint32_t want = !s ? 0 : s->set->n < ag->n ? s->set->n : ag->n;

    if (want == 0)
        return value_list(NULL, 0);
    struct value *list = arena_alloc_raw(scratch, want * sizeof *list);
    /* Of the heap: what may be next, with its position in the place of the id. */
    struct place *next = arena_alloc_raw(scratch, (want + 2) * sizeof *next);
    uint32_t n = 1;
    next[0] = (struct place){s->order[0].at, 0};
    for (uint32_t i = 0; i < want; i++) {
        uint32_t at = next[0].id;
        list[i] = s->set->entry[s->order[at].id].v;
        next[0] = next[--n];
        sift_down(next, n);
        for (uint64_t child = (uint64_t)at * 2 + 1; child <= (uint64_t)at * 2 + 2; child++) {
            if (child >= s->set->n)
                break;
            next[n++] = (struct place){s->order[child].at, (uint32_t)child};
            sift_up(next, n - 1);
        }
    }
    return value_list(list, want);
}

/* Sightings in order: the value, or how many sightings back the same value was (sliding). */
static void values_encode(const void *acc, const struct program_aggregate *ag, struct buf *out)
{
    const struct values *s = *(struct values *const *)acc;

    buf_add_u8(out, s != NULL);
    if (!s)
        return;
    buf_add_varint(out, s->set->refused);
    buf_add_varint(out, s->set->used);
    buf_add_varint(out, s->ring_cap);
    if (ag->no_remove) {
        buf_add_varint(out, s->set->n);
        for (uint32_t i = 0; i < s->set->n; i++) {
            stamp_encode(out, s->order[i].at);
            value_encode_exact(out, s->set->entry[s->order[i].id].v);
        }
        return;
    }
    buf_add_varint(out, s->to - s->from);
    /* Of an id: the number of its last sighting so far, from 1. */
    uint32_t *back = mem_calloc(s->set->used + 1, sizeof *back);
    for (uint64_t k = s->from; k < s->to; k++) {
        const struct sighting *one = sighting_at(s, k);
        uint32_t here = (uint32_t)(k - s->from);
        stamp_encode(out, one->at);
        buf_add_varint(out, back[one->id] ? here + 1 - back[one->id] : 0);
        if (!back[one->id])
            value_encode_exact(out, s->set->entry[one->id].v);
        back[one->id] = here + 1;
    }
    mem_free(back);
}

static bool decode_sighting(struct values **holder, const struct program_aggregate *ag,
                            struct reader *r, struct arena *scratch, uint64_t *bytes)
{
    struct values *s = *holder;
    struct stamp at = stamp_decode(r);
    uint64_t back = ag->no_remove ? 0 : reader_varint(r);

    if (r->bad || back > s->to - s->from)
        return false;
    if (back == 0) {
        struct value v = value_decode(r, scratch);
        if (r->bad || value_is_missing(v) || set_find(s->set, v) != SET_NONE)
            return false;
        values_add_one(holder, ag, v, at, bytes);
    } else {
        uint32_t id = sighting_at(s, s->to - back)->id;
        values_add_one(holder, ag, s->set->entry[id].v, at, bytes);
    }
    return true;
}

/* What it is charged is as it was. */
static void widen(struct values *s, const struct program_aggregate *ag, uint64_t used, uint32_t cap,
                  uint64_t *bytes)
{
    set_widen(s->set, used, ag->limit_values, true, bytes);
    while (s->order_cap < s->set->used) {
        uint32_t more = s->order_cap ? s->order_cap * 2 : FIRST_ORDER;
        s->order = charged_resize(s->order, s->order_cap * sizeof *s->order,
                                  more * sizeof *s->order, bytes);
        s->order_cap = more;
    }
    if (cap != s->ring_cap && cap != 0)
        ring_resize(s, cap, bytes);
}

static bool values_decode(void *acc, const struct program_aggregate *ag, struct reader *r,
                          uint64_t *bytes)
{
    struct values **holder = acc;
    uint8_t some = reader_u8(r);

    if (r->bad || some > 1)
        return false;
    if (!some)
        return true;
    uint64_t refused = reader_varint(r), used = reader_varint(r), cap = reader_varint(r);
    uint64_t n = reader_varint(r);
    if (r->bad || n > reader_left(r) || (cap & (cap - 1)) != 0 || (cap != 0 && ag->no_remove) ||
        (cap != 0 && (cap < n || cap > MOST_ROOM * (n + 1))))
        return false;
    struct arena *scratch = arena_new(1024);
    values_get(holder, bytes);
    for (; n > 0 && !r->bad; n--) {
        if (!decode_sighting(holder, ag, r, scratch, bytes))
            r->bad = true;
        arena_reset(scratch);
    }
    arena_free(&scratch);
    if (!r->bad)
        widen(*holder, ag, used, (uint32_t)cap, bytes);
    (*holder)->set->refused = refused;
    return !r->bad;
}

static uint64_t values_over_limit(const void *acc)
{
    const struct values *s = *(struct values *const *)acc;
    return s ? s->set->refused : 0;
}

const struct accumulator_ops accumulator_values = {
    .name = "values",
    .size = sizeof(struct values *),
    .can_remove = true,
    .can_merge = true,
    .init = values_init,
    .fini = values_fini,
    .add = values_add,
    .remove = values_remove,
    .merge = values_merge,
    .result = values_result,
    .encode = values_encode,
    .decode = values_decode,
    .over_limit = values_over_limit,
};
