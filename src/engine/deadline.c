// SPDX-License-Identifier: Apache-2.0
/* deadline - see deadline.h: FIFOs by delay under a binary heap of their heads; stragglers. */
#include "engine/deadline.h"

#include "base/mem.h"

enum { WALK = 32, ORDER_BITS = 40 };

static int64_t head_due(const struct deadline_queue *queue)
{
    return queue->head.next->due;
}

static bool before(const struct deadline_queue *a, const struct deadline_queue *b)
{
    int64_t x = head_due(a), y = head_due(b);
    return x != y ? x < y : a->number < b->number;
}

static void place(struct deadline_heap *heap, size_t at, struct deadline_queue *queue)
{
    heap->queue[at] = queue;
    queue->heap_at = (uint32_t)at;
}

static void sift_up(struct deadline_heap *heap, size_t at)
{
    struct deadline_queue *queue = heap->queue[at];
    while (at > 0 && before(queue, heap->queue[(at - 1) / 2])) {
        place(heap, at, heap->queue[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
    place(heap, at, queue);
}

static void sift_down(struct deadline_heap *heap, size_t at)
{
    struct deadline_queue *queue = heap->queue[at];
    for (size_t child; (child = 2 * at + 1) < heap->n; at = child) {
        if (child + 1 < heap->n && before(heap->queue[child + 1], heap->queue[child]))
            child++;
        if (!before(heap->queue[child], queue))
            break;
        place(heap, at, heap->queue[child]);
    }
    place(heap, at, queue);
}

static void heap_add(struct deadline_heap *heap, struct deadline_queue *queue)
{
    heap->queue = vec_reserve(heap->queue, &heap->cap, heap->n + 1, sizeof *heap->queue);
    heap->queue[heap->n] = queue;
    sift_up(heap, heap->n++);
}

static void heap_remove(struct deadline_heap *heap, struct deadline_queue *queue)
{
    size_t at = queue->heap_at;
    struct deadline_queue *last = heap->queue[--heap->n];
    queue->heap_at = UINT32_MAX;
    if (last == queue)
        return;
    place(heap, at, last);
    sift_up(heap, at);
    sift_down(heap, last->heap_at);
}

/* ---- stragglers ----------------------------------------------------------------------------- */

static bool straggler_before(const struct straggler *a, const struct straggler *b)
{
    return a->due != b->due ? a->due < b->due : a->order < b->order;
}

static void straggler_place(struct deadline_heap *heap, size_t at, struct straggler one)
{
    heap->straggler[at] = one;
    one.deadline->prev = (struct deadline *)at; /* never followed */
}

static size_t straggler_up(struct deadline_heap *heap, size_t at)
{
    struct straggler one = heap->straggler[at];
    for (; at > 0 && straggler_before(&one, &heap->straggler[(at - 1) / 2]); at = (at - 1) / 2)
        straggler_place(heap, at, heap->straggler[(at - 1) / 2]);
    straggler_place(heap, at, one);
    return at;
}

static void straggler_down(struct deadline_heap *heap, size_t at)
{
    struct straggler one = heap->straggler[at];
    for (size_t child; (child = 2 * at + 1) < heap->n_stragglers; at = child) {
        if (child + 1 < heap->n_stragglers &&
            straggler_before(&heap->straggler[child + 1], &heap->straggler[child]))
            child++;
        if (!straggler_before(&heap->straggler[child], &one))
            break;
        straggler_place(heap, at, heap->straggler[child]);
    }
    straggler_place(heap, at, one);
}

static void straggler_add(struct deadline_heap *heap, struct deadline *dl)
{
    heap->straggler = vec_reserve(heap->straggler, &heap->cap_stragglers, heap->n_stragglers + 1,
                                  sizeof *heap->straggler);
    uint64_t set = heap->n_set++ & ((UINT64_C(1) << ORDER_BITS) - 1);
    heap->straggler[heap->n_stragglers] = (struct straggler){
        .due = dl->due, .order = (uint64_t)dl->queue->number << ORDER_BITS | set, .deadline = dl};
    dl->next = NULL;
    straggler_up(heap, heap->n_stragglers++);
}

static void straggler_remove(struct deadline_heap *heap, const struct deadline *dl)
{
    size_t at = (size_t)(uintptr_t)dl->prev;
    struct straggler last = heap->straggler[--heap->n_stragglers];
    if (last.deadline == dl)
        return;
    straggler_place(heap, at, last);
    straggler_down(heap, straggler_up(heap, at));
}

/* ---- all ------------------------------------------------------------------------------------ */

void deadline_heap_fini(struct deadline_heap *heap)
{
    mem_free(heap->queue);
    mem_free(heap->straggler);
    *heap = (struct deadline_heap){0};
}

void deadline_queue_init(struct deadline_heap *heap, struct deadline_queue *queue,
                         enum deadline_kind kind, int64_t delay, void *owner)
{
    *queue = (struct deadline_queue){.delay = delay, .owner = owner, .kind = kind,
                                     .number = heap->n_queues++, .heap_at = UINT32_MAX};
    queue->head.prev = queue->head.next = &queue->head;
}

void deadline_clear(struct deadline_heap *heap, struct deadline *dl)
{
    struct deadline_queue *queue = dl->queue;
    if (queue == NULL)
        return;
    if (dl->next == NULL) {
        straggler_remove(heap, dl);
        dl->queue = NULL;
        return;
    }
    bool was_head = queue->head.next == dl;
    dl->prev->next = dl->next;
    dl->next->prev = dl->prev;
    dl->queue = NULL;
    if (!was_head)
        return;
    if (queue->head.next == &queue->head)
        heap_remove(heap, queue);
    else
        sift_down(heap, queue->heap_at);
}

void deadline_set(struct deadline_heap *heap, struct deadline_queue *queue, struct deadline *dl,
                  int64_t due)
{
    deadline_clear(heap, dl);
    struct deadline *after = queue->head.prev;
    dl->due = due;
    dl->queue = queue;
    for (int walked = 0; after != &queue->head && after->due > due; after = after->prev) {
        if (walked++ == WALK) {
            straggler_add(heap, dl);
            return;
        }
    }
    dl->prev = after;
    dl->next = after->next;
    after->next->prev = dl;
    after->next = dl;
    if (queue->heap_at == UINT32_MAX)
        heap_add(heap, queue);
    else if (queue->head.next == dl)
        sift_up(heap, queue->heap_at);
}

struct deadline *deadline_due(const struct deadline_heap *heap, int64_t frontier)
{
    struct deadline *dl = heap->n > 0 ? heap->queue[0]->head.next : NULL;
    if (heap->n_stragglers > 0) {
        struct deadline *late = heap->straggler[0].deadline;
        if (dl == NULL || late->due < dl->due ||
            (late->due == dl->due && late->queue->number <= dl->queue->number))
            dl = late;
    }
    return dl != NULL && dl->due < frontier ? dl : NULL;
}
