// SPDX-License-Identifier: Apache-2.0
/*
 * accumulator_order - min, max, first, last, collect: a queue of values with the stamps of their
 * events, of which one value lies inline.
 *
 * min and max keep the values that can still become the result when older ones leave: from the
 * oldest to the newest each is greater (for min) than the one before it, which a new value makes
 * true by pushing out what is not less than itself - each value enters and leaves once, so that all
 * is amortised O(1) (Tangwongsan, Hirzel, Schneider, Low-Latency Sliding-Window Aggregation, 2017,
 * call it "monotonic deque"). first and collect(x, n) keep all values, last only the last:
 * when that one leaves, no older one is left. Where nothing is removed (ag->no_remove) min, max and
 * first keep one.
 *
 * What has no order (bool, list, object) is nothing to min and max, and so is what cannot be
 * compared with what is there: the type is that of the first since there was none.
 */
#include "base/arena.h"
#include "base/buf.h"
#include "base/reader.h"
#include "engine/accumulator_priv.h"

enum { MOST_ROOM = 16 }; /* a ring has room for so many times what is in it at most */

struct item {
    struct value v; /* owned */
    struct stamp at;
};

struct queue {
    union {
        struct item one;
        struct {
            struct item *item; /* a ring of `cap` (a power of two), the oldest at `head` */
            uint32_t head, cap;
        } ring;
    } u;
    uint32_t n;
    bool is_ring;
};

static struct item *queue_at(const struct queue *q, uint32_t i)
{
    if (!q->is_ring)
        return (struct item *)(uintptr_t)&q->u.one;
    return &q->u.ring.item[(q->u.ring.head + i) & (q->u.ring.cap - 1)];
}

static void queue_resize(struct queue *q, uint32_t cap, uint64_t *bytes)
{
    struct item *item = charged_alloc(cap * sizeof *item, bytes);

    for (uint32_t i = 0; i < q->n; i++)
        item[i] = *queue_at(q, i);
    if (q->is_ring)
        charged_free(q->u.ring.item, q->u.ring.cap * sizeof *item, bytes);
    q->u.ring.item = item;
    q->u.ring.head = 0;
    q->u.ring.cap = cap;
    q->is_ring = true;
}

/* Behind all that are not later than it. */
static void queue_insert(struct queue *q, struct value v, struct stamp at, uint64_t *bytes)
{
    if (q->is_ring ? q->n == q->u.ring.cap : q->n == 1)
        queue_resize(q, q->is_ring ? q->n * 2 : 4, bytes);
    struct item new = {value_keep(v, bytes), at};
    uint32_t i = q->n++;
    for (; i > 0 && stamp_order(queue_at(q, i - 1)->at, at) > 0; i--)
        *queue_at(q, i) = *queue_at(q, i - 1);
    *queue_at(q, i) = new;
}

/* After something was taken out: gives back memory. */
static void queue_shrink(struct queue *q, uint64_t *bytes)
{
    if (!q->is_ring)
        return;
    if (q->n == 0) {
        charged_free(q->u.ring.item, q->u.ring.cap * sizeof(struct item), bytes);
        q->is_ring = false;
    } else if (q->u.ring.cap > 8 && q->n < q->u.ring.cap / 8) {
        queue_resize(q, q->u.ring.cap / 2, bytes);
    }
}

static void queue_pop_front(struct queue *q, uint64_t *bytes)
{
    value_drop(queue_at(q, 0)->v, bytes);
    q->n--;
    if (q->is_ring)
        q->u.ring.head = (q->u.ring.head + 1) & (q->u.ring.cap - 1);
    queue_shrink(q, bytes);
}

static void queue_pop_back(struct queue *q, uint64_t *bytes)
{
    value_drop(queue_at(q, --q->n)->v, bytes);
    queue_shrink(q, bytes);
}

/* ---- what all five share ---------------------------------------------------------------------- */

static void queue_init(void *acc, const struct program_aggregate *ag)
{
    (void)ag;
    struct queue *q = acc;
    *q = (struct queue){.n = 0};
}

static void queue_fini(void *acc, const struct program_aggregate *ag, uint64_t *bytes)
{
    (void)ag;
    struct queue *q = acc;
    while (q->n > 0)
        queue_pop_back(q, bytes);
}

/* The oldest one, if it is the queue's. Values that were never taken, or left before, are not. */
static void queue_remove(void *acc, const struct program_aggregate *ag, const struct value v[2],
                         struct stamp at, uint64_t *bytes)
{
    (void)ag;
    struct queue *q = acc;
    if (!value_is_missing(v[0]) && q->n > 0 && stamp_order(queue_at(q, 0)->at, at) == 0)
        queue_pop_front(q, bytes);
}

static struct value front_result(const void *acc, const struct program_aggregate *ag,
                                 struct arena *scratch)
{
    (void)ag;
    (void)scratch;
    const struct queue *q = acc;
    return q->n > 0 ? queue_at(q, 0)->v : value_missing();
}

static void queue_encode(const void *acc, const struct program_aggregate *ag, struct buf *out)
{
    (void)ag;
    const struct queue *q = acc;
    buf_add_varint(out, q->n);
    buf_add_varint(out, q->is_ring ? q->u.ring.cap : 0);
    for (uint32_t i = 0; i < q->n; i++) {
        stamp_encode(out, queue_at(q, i)->at);
        value_encode_exact(out, queue_at(q, i)->v);
    }
}

static uint64_t queue_most(const struct program_aggregate *ag)
{
    if (ag->id == WINDOW_COLLECT && ag->no_remove)
        return ag->n;
    return ag->no_remove || ag->id == WINDOW_LAST ? 1 : UINT32_MAX / 2;
}

static bool queue_decode(void *acc, const struct program_aggregate *ag, struct reader *r,
                         uint64_t *bytes)
{
    struct queue *q = acc;
    uint64_t n = reader_varint(r), cap = reader_varint(r);

    if (r->bad || n > queue_most(ag) || n > reader_left(r) || (cap & (cap - 1)) != 0 ||
        (cap != 0 && (cap < n || cap > MOST_ROOM * n)))
        return false;
    if (n == 0)
        return true;
    struct arena *scratch = arena_new(1024);
    for (; n > 0 && !r->bad; n--) {
        struct stamp at = stamp_decode(r);
        struct value v = value_decode(r, scratch);
        if (value_is_missing(v) || (q->n > 0 && stamp_order(queue_at(q, q->n - 1)->at, at) > 0))
            r->bad = true;
        if (!r->bad)
            queue_insert(q, v, at, bytes);
        arena_reset(scratch);
    }
    arena_free(&scratch);
    r->bad |= cap == 0 && q->is_ring;
    if (!r->bad && cap != (q->is_ring ? q->u.ring.cap : 0))
        queue_resize(q, (uint32_t)cap, bytes); /* what it is charged is as it was */
    return !r->bad;
}

/* ---- min, max --------------------------------------------------------------------------------- */

static void extreme_add(struct queue *q, const struct program_aggregate *ag, struct value v,
                        struct stamp at, int sign, uint64_t *bytes)
{
    int order;

    if ((!value_is_number(v) && v.type != VALUE_TIME && v.type != VALUE_DURATION) ||
        (q->n > 0 && !value_order(queue_at(q, 0)->v, v, &order)))
        return;
    if (ag->no_remove && q->n > 0) {
        if (order * sign <= 0)
            return;
        queue_pop_back(q, bytes);
    }
    while (q->n > 0 && value_order(queue_at(q, q->n - 1)->v, v, &order) && order * sign >= 0)
        queue_pop_back(q, bytes);
    queue_insert(q, v, at, bytes);
}

static void min_add(void *acc, const struct program_aggregate *ag, const struct value v[2],
                    struct stamp at, uint64_t *bytes)
{
    extreme_add(acc, ag, v[0], at, 1, bytes);
}

static void max_add(void *acc, const struct program_aggregate *ag, const struct value v[2],
                    struct stamp at, uint64_t *bytes)
{
    extreme_add(acc, ag, v[0], at, -1, bytes);
}

static void min_merge(void *acc, const struct program_aggregate *ag, const void *later,
                      uint64_t *bytes)
{
    const struct queue *q = later;
    for (uint32_t i = 0; i < q->n; i++)
        extreme_add(acc, ag, queue_at(q, i)->v, queue_at(q, i)->at, 1, bytes);
}

static void max_merge(void *acc, const struct program_aggregate *ag, const void *later,
                      uint64_t *bytes)
{
    const struct queue *q = later;
    for (uint32_t i = 0; i < q->n; i++)
        extreme_add(acc, ag, queue_at(q, i)->v, queue_at(q, i)->at, -1, bytes);
}

/* ---- first, last, collect --------------------------------------------------------------------- */

static void first_add(void *acc, const struct program_aggregate *ag, const struct value v[2],
                      struct stamp at, uint64_t *bytes)
{
    struct queue *q = acc;

    if (value_is_missing(v[0]))
        return;
    if (ag->no_remove && q->n > 0) {
        if (stamp_order(queue_at(q, 0)->at, at) <= 0)
            return;
        queue_pop_back(q, bytes);
    }
    queue_insert(q, v[0], at, bytes);
}

static void last_add(void *acc, const struct program_aggregate *ag, const struct value v[2],
                     struct stamp at, uint64_t *bytes)
{
    (void)ag;
    struct queue *q = acc;

    if (value_is_missing(v[0]))
        return;
    if (q->n > 0) {
        if (stamp_order(queue_at(q, 0)->at, at) > 0)
            return;
        queue_pop_back(q, bytes);
    }
    queue_insert(q, v[0], at, bytes);
}

static void collect_add(void *acc, const struct program_aggregate *ag, const struct value v[2],
                        struct stamp at, uint64_t *bytes)
{
    struct queue *q = acc;

    if (value_is_missing(v[0]) || ag->n == 0)
        return;
    /* Where values leave, those behind the first n may come to be among them. */
    if (ag->no_remove && q->n >= ag->n) {
        if (stamp_order(queue_at(q, q->n - 1)->at, at) <= 0)
            return;
        queue_pop_back(q, bytes);
    }
    queue_insert(q, v[0], at, bytes);
}

typedef void add_fn(void *acc, const struct program_aggregate *ag, const struct value v[2],
                    struct stamp at, uint64_t *bytes);

static void merge_by(add_fn *add, void *acc, const struct program_aggregate *ag,
                     const struct queue *later, uint64_t *bytes)
{
    for (uint32_t i = 0; i < later->n; i++) {
        struct value v[2] = {queue_at(later, i)->v, value_missing()};
        add(acc, ag, v, queue_at(later, i)->at, bytes);
    }
}

static void first_merge(void *acc, const struct program_aggregate *ag, const void *later,
                        uint64_t *bytes)
{
    merge_by(first_add, acc, ag, later, bytes);
}

static void last_merge(void *acc, const struct program_aggregate *ag, const void *later,
                       uint64_t *bytes)
{
    merge_by(last_add, acc, ag, later, bytes);
}

static void collect_merge(void *acc, const struct program_aggregate *ag, const void *later,
                          uint64_t *bytes)
{
    merge_by(collect_add, acc, ag, later, bytes);
}

static struct value collect_result(const void *acc, const struct program_aggregate *ag,
                                   struct arena *scratch)
{
    const struct queue *q = acc;
    uint32_t n = q->n < ag->n ? q->n : ag->n;

    if (n == 0)
        return value_list(NULL, 0);
    struct value *list = arena_alloc_raw(scratch, n * sizeof *list);
    for (uint32_t i = 0; i < n; i++)
        list[i] = queue_at(q, i)->v;
    return value_list(list, n);
}

#define QUEUE_OPS(text, verb, outcome)                                                            \
    {                                                                                             \
        .name = text, .size = sizeof(struct queue), .can_remove = true, .can_merge = true,        \
        .init = queue_init, .fini = queue_fini, .add = verb##_add, .remove = queue_remove,        \
        .merge = verb##_merge, .result = outcome##_result, .encode = queue_encode,                \
        .decode = queue_decode,                                                                   \
    }

const struct accumulator_ops accumulator_min = QUEUE_OPS("min", min, front);
const struct accumulator_ops accumulator_max = QUEUE_OPS("max", max, front);
const struct accumulator_ops accumulator_first = QUEUE_OPS("first", first, front);
const struct accumulator_ops accumulator_last = QUEUE_OPS("last", last, front);
const struct accumulator_ops accumulator_collect = QUEUE_OPS("collect", collect, collect);
