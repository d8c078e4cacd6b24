// SPDX-License-Identifier: Apache-2.0
/* deadline - see deadline.h: FIFOs by delay under a binary heap of their heads. */
#include "engine/deadline.h"

#include "base/mem.h"

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

void deadline_heap_fini(struct deadline_heap *heap)
{
    mem_free(heap->queue);
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
    while (after != &queue->head && after->due > due)
        after = after->prev;
    dl->due = due;
    dl->queue = queue;
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
    if (heap->n == 0 || head_due(heap->queue[0]) >= frontier)
        return NULL;
    return heap->queue[0]->head.next;
}
