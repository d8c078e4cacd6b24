// SPDX-License-Identifier: Apache-2.0
/*
 * batch - what flows between threads.
 *
 *   reader threads --struct intake--> order stage --struct batch--> engine thread
 *
 * An intake is what one reader thread read in one go, of partitions of one source, in the order of
 * reading: events (kept, by malloc), late or broken lines are told apart later. A batch is ordered:
 * up to BATCH_EVENTS events of one group in event order, then the frontier; or a barrier.
 */
#ifndef FLOW_BATCH_H
#define FLOW_BATCH_H

#include <stdbool.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct engine;
struct event;
struct epoch;
struct origin;

enum { BATCH_EVENTS = 256 };

/* The one fit of an event that only rules of an older program want. */
#define BATCH_FITS_OLD UINT32_MAX

enum batch_item_kind {
    BATCH_EVENT,
    BATCH_LATE,    /* for windows that allow late */
    BATCH_FRONTIER,
    BATCH_OVER,    /* no event comes any more, and `time` is the last that one showed: rows and a frontier may follow */
    BATCH_GOES_ON, /* time was over, and something new has come: what is next is behind what was there */
    BATCH_ROW,     /* a record of a table */
    BATCH_DROP_ROWS, /* those of origin's partition that are of a generation below `time` */
};
struct batch_item {
    struct event *ev;  /* owned reference; FRONTIER, OVER, GOES_ON, DROP_ROWS: NULL */
    const struct origin *origin; /* DROP_ROWS: lives as long as the pipeline */
    int64_t time;      /* FRONTIER: everything to come has time >= it */
    uint8_t kind;
};

struct barrier;
struct batch { /* owned by who has it */
    uint32_t group;
    uint32_t n;
    struct barrier *barrier;  /* the owner of the batch frees it; then n is 0; else NULL */
    struct batch_item item[BATCH_EVENTS];
};

struct batch *batch_new(uint32_t group);
void batch_free(struct batch **batch); /* unrefs its events */
/* Does the current program want the event, not only older ones? */
bool batch_is_current(const struct event *ev);
/* Item k is about to be fed: what those behind it need comes from far, from the cache of another thread and
 * from all over the state of the engine (NULL: of an older program), and is fetched. */
void batch_look_ahead(const struct batch *batch, uint32_t k, const struct engine *en);

#endif
