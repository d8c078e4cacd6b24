// SPDX-License-Identifier: Apache-2.0
/*
 * waiting - of one partition, the offsets of the events that wait, to know the oldest: they come in
 * ascending order and go in any. 16 bytes each.
 */
#ifndef FLOW_WAITING_H
#define FLOW_WAITING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct waiting_item {
    uint64_t offset;    /* the top bit: it is gone */
    int64_t max_before; /* the highest time that its partition had shown before it */
};

struct waiting { /* embedded; zeroed is empty */
    struct waiting_item *item; /* [head .. n) by offset; the first is not gone */
    size_t head, n, cap;
};

void waiting_fini(struct waiting *w);
void waiting_push(struct waiting *w, uint64_t offset, int64_t max_before); /* above all others */
void waiting_remove(struct waiting *w, uint64_t offset); /* it waits no more; it must be there */
int64_t waiting_max_before(const struct waiting *w, uint64_t offset); /* it must be there */
/* NULL: none. Valid until the next change. */
static inline const struct waiting_item *waiting_oldest(const struct waiting *w)
{
    return w->head < w->n ? &w->item[w->head] : NULL;
}
size_t waiting_bytes(const struct waiting *w);

#endif
