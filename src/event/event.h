// SPDX-License-Identifier: Apache-2.0
/*
 * event - one thing that happened: event time, where it was read, its slots, its raw text.
 *
 * Two lives, one type:
 *  - a *scratch* event lives in its decoder until the next event_decode there: no reference counts,
 *    slots point into the decoder's buffers;
 *  - a *kept* event is one block of memory of its own (header, slots, text, raw), shared by
 *    reference count (not atomic: one engine thread owns it).
 * event_keep makes the second from the first; who binds an event or buffers it calls it.
 *
 * Order (language section 2): (time, order_by value, source name, partition, generation, offset).
 */
#ifndef EVENT_EVENT_H
#define EVENT_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event/value.h"

struct pool;
struct schema;

/* Where events come from: one per (source, partition, generation); owned by the reader, lives as
 * long as any event of it. */
struct origin {
    const char *source;    /* its name in rules */
    const char *partition; /* for a file its path without the directory */
    uint32_t source_id;    /* number of the source in the program; PROGRAM_NO_SOURCE if none reads it */
    uint32_t generation;
};

struct event {
    /* What binding, testing and letting go of a kept event reads is in its first cache line. */
    int64_t time;                /* ns, event time */
    const struct origin *origin; /* borrowed */
    uint64_t offset;             /* bytes in the uncompressed text, or the Kafka offset */
    uint32_t refs;               /* 0: scratch */
    uint32_t size;               /* bytes of the block when kept */
    const struct value *slot;    /* [n_slots] */
    uint32_t n_slots;
    uint32_t n_fits;
    /* Candidates (program_candidates): ascending numbers of the probes that this event fits; set by
     * the reader, copied by event_keep. */
    const uint32_t *fits;
    struct pool *pool;           /* of a kept event: where its block is from; NULL: malloc */
    const char *raw;             /* the whole line, as read, without the line end */
    const struct value *texts;
    uint32_t raw_len;
    uint32_t n_texts;            /* all text values, only if the schema wants them */
    struct value order_by;       /* missing unless the source has `order_by` */
};

/* A kept event with one more reference: a copy of a scratch one, the same if it is kept already. */
struct event *event_keep(const struct event *ev);
/* The same; a copy is a block of the pool, which has to outlive it. */
struct event *event_keep_in(struct pool *pool, const struct event *ev);
struct event *event_ref(struct event *ev); /* kept events only */
void event_unref(struct event *ev);        /* kept events only; NULL is fine */
size_t event_bytes(const struct event *ev); /* memory of a kept event */
/* Soon to be read: another thread made it. */
static inline void event_prefetch(const struct event *ev)
{
    if (ev) {
        __builtin_prefetch(ev);
        __builtin_prefetch((const char *)ev + 64);
        __builtin_prefetch((const char *)ev + 128); /* its values are behind it */
    }
}
/* Soon to be written down; its first line is there. */
static inline void event_prefetch_raw(const struct event *ev)
{
    for (uint32_t at = 0; at < ev->raw_len && at < 256; at += 64)
        __builtin_prefetch(ev->raw + at);
}
/* < 0, 0, > 0 in the order of events. 0 only for the same position. */
int event_order(const struct event *a, const struct event *b);
/* By source, partition, generation. */
int origin_order(const struct origin *a, const struct origin *b);
/* Appends what identifies it for ever: source, partition, generation, offset (canonical bytes). */
void event_encode_position(struct buf *out, const struct event *ev);

#endif
