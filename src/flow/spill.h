// SPDX-License-Identifier: Apache-2.0
/*
 * spill - events that wait and do not fit into memory: sorted segments on disk, merged back in order.
 *
 *     order's queue --event_queue_cut--> spill_write --> segment | segment | segment
 *                                        spill_top <-- the least of their heads (key only)
 *                                        spill_pop --> decoded again (spill_load_fn)
 *
 * A record is the line and what orders it. Segments are gone when their last event was popped, and
 * all when the process ends: the positions of a checkpoint bring their events back, so nothing is
 * synced. When there are many the smallest are merged into one.
 */
#ifndef FLOW_SPILL_H
#define FLOW_SPILL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;
struct event;
struct event_queue_item;
struct origin;
struct spill;

/* Makes dir if it is missing, and removes segments that a process before has left there, and in
 * directories in it whose names are numbers. What is wrong with it is told by the first write. */
void spill_clear(const char *dir);

struct spill_options {
    const char *dir;   /* copied; of this spill alone; as spill_clear leaves it */
    uint64_t limit;    /* bytes */
    size_t max_segments; /* 0: 64 */
    /* Of a partition number. */
    const struct origin *(*origin)(void *ctx, uint32_t partition);
    /* Sets slots and fits of an event: raw has decoder_padding() bytes behind it. */
    bool (*reload)(void *ctx, uint32_t partition, struct event *ev);
    void *ctx;
};

/* The oldest of a partition in a segment. */
struct spill_oldest {
    uint32_t partition;
    uint64_t offset;
    int64_t max_before; /* as in struct waiting_item */
};

struct spill *spill_new(const struct spill_options *opt);
void spill_free(struct spill **sp);
/* Writes items, which are in order, as a segment; oldest: one a partition. The events stay the
 * caller's. False, and nothing has changed, if it does not fit (spill_why). */
bool spill_write(struct spill *sp, const struct event_queue_item *item, size_t n,
                 const struct spill_oldest *oldest, size_t n_oldest);
/* The first in order; its event has a key only (time, origin, offset, order_by). NULL: none. */
const struct event_queue_item *spill_top(const struct spill *sp);
/* Takes it out: a kept event, owned. NULL: it cannot be read (spill_why), and nothing can any more. */
struct event *spill_pop(struct spill *sp);
/* The oldest of the partition that is in some segment (or was, while that segment is there). */
bool spill_oldest(const struct spill *sp, uint32_t partition, struct spill_oldest *oldest_out);
uint64_t spill_bytes(const struct spill *sp); /* on disk */
void spill_why(const struct spill *sp, struct buf *out); /* appends what went wrong last */

#endif
