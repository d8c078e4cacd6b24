// SPDX-License-Identifier: Apache-2.0
#include "flow/waiting.h"

#include <assert.h>
#include <string.h>

#include "base/mem.h"

#define GONE (UINT64_C(1) << 63)

void waiting_fini(struct waiting *w)
{
    mem_free(w->item);
    *w = (struct waiting){0};
}

size_t waiting_bytes(const struct waiting *w)
{
    return w->cap * sizeof *w->item;
}

/* More than half of it is gone: what is left goes to the front. */
static void close_up(struct waiting *w)
{
    if (w->head < w->n - w->head)
        return;
    memmove(w->item, &w->item[w->head], (w->n - w->head) * sizeof *w->item);
    w->n -= w->head;
    w->head = 0;
}

void waiting_push(struct waiting *w, uint64_t offset, int64_t max_before)
{
    assert(offset < GONE && (w->head == w->n || (w->item[w->n - 1].offset & ~GONE) < offset));
    if (w->n == w->cap && w->head > 0)
        close_up(w);
    w->item = vec_reserve(w->item, &w->cap, w->n + 1, sizeof *w->item);
    w->item[w->n++] = (struct waiting_item){.offset = offset, .max_before = max_before};
}

static size_t find(const struct waiting *w, uint64_t offset)
{
    size_t low = w->head, high = w->n;

    if (low < high && w->item[low].offset == offset) /* mostly */
        return low;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if ((w->item[middle].offset & ~GONE) < offset)
            low = middle + 1;
        else
            high = middle;
    }
    assert(low < w->n && w->item[low].offset == offset);
    return low;
}

int64_t waiting_max_before(const struct waiting *w, uint64_t offset)
{
    return w->item[find(w, offset)].max_before;
}

void waiting_remove(struct waiting *w, uint64_t offset)
{
    w->item[find(w, offset)].offset |= GONE;
    while (w->head < w->n && w->item[w->head].offset & GONE)
        w->head++;
    if (w->head == w->n)
        w->head = w->n = 0;
}
