// SPDX-License-Identifier: Apache-2.0
/*
 * source - where events come from, live: one source has partitions (files, spools), each an endless
 * sequence of lines with growing offsets. One reader thread (flow/reader) owns a source and pulls:
 *
 *     source_next --> LINE | TOO_LONG                     a line of a partition
 *                 --> OPENED | CAUGHT_UP | ENDED          what became of a partition
 *                 --> STALLED | RESUMED                   errors hold time, and are told
 *                 --> FORGET                              its position need not be saved any more
 *                 --> NOTHING                             then source_wait
 *                 --> FINISHED                            bounded: all partitions ended
 *
 * A partition is told apart by (name, generation): a file that was truncated or replaced is a new
 * generation of the same name. Kinds: source_follow.h (files), source_spool.h (stdin, later HTTP).
 * Fairness: partitions that have lines take turns, in pieces of about 64 KiB.
 */
#ifndef IO_SOURCE_H
#define IO_SOURCE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct source;

enum source_event {
    SOURCE_EVENT_LINE,
    SOURCE_EVENT_TOO_LONG,  /* text NULL, len its bytes; passed over */
    SOURCE_EVENT_OPENED,    /* a partition that was not told before; before any of its lines */
    SOURCE_EVENT_CAUGHT_UP, /* it was read to its present end; told once until more is there */
    SOURCE_EVENT_ENDED,     /* and nothing more will come of this generation */
    SOURCE_EVENT_STALLED,   /* it cannot be read: message says why; told once until RESUMED */
    SOURCE_EVENT_RESUMED,
    SOURCE_EVENT_FORGET,    /* ended, released as ended, and nothing can bring it back: checkpoints may
                               drop its position. Until then they must keep it (`ended`): a rotated file
                               that a pattern matches is known by it. May come for one only saved */
    SOURCE_EVENT_NOTHING,
    SOURCE_EVENT_FINISHED,
};

/* Owned by the source, lives until source_free. */
struct source_partition {
    const char *name;        /* of a file: its path without the directory, longer if two share it */
    uint32_t generation;     /* from 0 */
    _Atomic uint64_t identity[2]; /* what tells the generation (source_follow.h); 0: none. May become
                                more exact: to be read for each position that is saved */
    uint64_t resume;         /* offset to read from: set from the saved position, else 0 */
    _Atomic bool paused;     /* set by any thread: source_next passes it over */
    void *user;              /* the reader's */
};

struct source_item {
    enum source_event what;
    struct source_partition *partition;
    const char *text;   /* LINE: valid until the next call, with `padding` readable bytes behind;
                           STALLED: message, NUL-terminated */
    size_t len;
    uint64_t offset;    /* of the line's first byte */
    uint64_t next;      /* of the byte behind the line and its end: where to go on after it */
    int64_t arrival;    /* wall ns: when the spool took it; a file: when it was read */
};

/* A position as a checkpoint saved it; texts borrowed for the call. */
struct source_position {
    const char *partition;
    uint32_t generation;
    uint64_t identity[2];
    uint64_t resume;    /* the oldest offset that is still needed */
    uint64_t read;      /* the offset behind the last line that was read; >= resume */
    bool ended;         /* ENDED was told, and all of it was given to the rules; stays saved so until
                           FORGET */
};

struct source_ops {
    void (*next)(struct source *s, struct source_item *item_out);
    void (*wait)(struct source *s, int64_t timeout);
    void (*release)(struct source *s, const struct source_position *position);
    void (*free)(struct source *s);
};

struct source { /* first member of each kind */
    const struct source_ops *ops;
    const char *name;           /* owned by the kind */
    _Atomic bool woken;
};

/* The next thing, at once. After FINISHED only FINISHED. */
static inline void source_next(struct source *s, struct source_item *item_out)
{
    s->ops->next(s, item_out);
}
/* Until there may be something, or source_wake, or `timeout` ns. */
static inline void source_wait(struct source *s, int64_t timeout)
{
    s->ops->wait(s, timeout);
}
/* Any thread: source_wait returns (soon: kinds may poll every 50 ms). */
static inline void source_wake(struct source *s)
{
    atomic_store(&s->woken, true);
}
/* Any thread: what lies before position->resume will not be asked for again (it is durable). */
static inline void source_release(struct source *s, const struct source_position *position)
{
    if (s->ops->release)
        s->ops->release(s, position);
}
static inline void source_free(struct source **s)
{
    if (*s)
        (*s)->ops->free(*s);
    *s = NULL;
}

#endif
