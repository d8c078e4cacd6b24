// SPDX-License-Identifier: Apache-2.0
/*
 * source - where events come from, live: one source has partitions (files, spools), each an endless
 * sequence of lines with growing offsets. One reader thread (flow/reader) owns a source and pulls:
 *
 *     source_next --> LINE | TOO_LONG                     a line of a partition
 *                 --> OPENED | CAUGHT_UP | BEHIND | ENDED what became of a partition
 *                 --> STALLED | RESUMED                   errors hold time, and are told
 *                 --> FORGET                              its position need not be saved any more
 *                 --> PASSED                              no line lies before `next`: it is read to there
 *                 --> NOTHING | UNREADY                   then source_wait
 *                 --> FINISHED                            bounded: all partitions ended
 *
 * A partition is told apart by (name, generation): a file that was truncated or replaced is a new
 * generation of the same name. Kinds: source_follow.h (files), source_spool.h (stdin, HTTP),
 * source_kafka.h (topics: an offset is a record's number).
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
    SOURCE_EVENT_STALLED,   /* it cannot be read: message says why and where; told once until RESUMED,
                               and again when the reason is another one. Who takes it logs it. No partition: the source as a whole */
    SOURCE_EVENT_RESUMED,   /* CAUGHT_UP is told again when it is so */
    SOURCE_EVENT_FORGET,    /* ended, released as ended, and nothing can bring it back: checkpoints may
                               drop its position. Until then they must keep it (`ended`): a rotated file
                               that a pattern matches is known by it. May come for one only saved */
    SOURCE_EVENT_NOTHING,
    SOURCE_EVENT_FINISHED,
    SOURCE_EVENT_BEHIND,    /* it was, and there is more now that cannot be read yet (an open transaction) */
    SOURCE_EVENT_PASSED,    /* what is before `next` was read, and no line is between the last one and there */
    SOURCE_EVENT_UNREADY,   /* nothing, and it is not known yet which partitions there are: time does not
                               begin before that */
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
    int64_t record_time; /* wall ns that the line itself has (kafka); SOURCE_NO_TIME: none */
    size_t inside;      /* LINE: so many bytes behind the text's first one were put in (wants_meta) */
    size_t size;        /* LINE, TOO_LONG: bytes that it took; 0: next - offset */
};

/* A position as a checkpoint saved it; texts borrowed for the call. */
struct source_position {
    const char *partition;
    uint32_t generation;
    uint64_t identity[2];
    uint64_t resume;    /* the oldest offset that is still needed */
    uint64_t read;      /* the offset behind the last line that was read; >= resume */
    int64_t at_end;     /* of rows (source_kafka.h): wall ns when it was at its end last; 0: not known */
    bool ended;         /* ENDED was told, and all of it was given to the rules; stays saved so until
                           FORGET */
};

/* What a source counts itself. */
struct source_figures {
    uint64_t behind, behind_most; /* records to the ends of all partitions; of the one that has most */
    int64_t behind_time;          /* ns: the greatest source_lag.time of all */
    uint64_t empty;               /* records without a value */
    uint64_t unread;              /* bytes of files, or of the spool, that were not read yet */
    uint64_t spool_bytes, spool_limit; /* on disk; limit 0: it has no spool */
    bool spool_failing;
};

/* How far a partition that is read is from its end. */
struct source_lag {
    const char *partition; /* borrowed for the call */
    uint32_t generation;
    uint64_t position, behind; /* the next record; how many there are from there on, as was last seen */
    int64_t time;          /* ns since the time of the record that was read last; 0: nothing is behind, or it
                              is not known */
};
typedef void source_lag_fn(void *ctx, const struct source_lag *lag);

struct source_ops {
    void (*next)(struct source *s, struct source_item *item_out);
    void (*wait)(struct source *s, int64_t timeout);
    void (*release)(struct source *s, const struct source_position *position);
    void (*free)(struct source *s);
    void (*identify)(struct source *s, struct source_partition *partition, uint64_t resume,
                     uint64_t identity_out[2]); /* or NULL */
    void (*figures)(struct source *s, struct source_figures *figures_out); /* or NULL */
    void (*lag)(struct source *s, source_lag_fn *found, void *ctx); /* or NULL */
};

#define SOURCE_NO_TIME INT64_MIN

struct source { /* first member of each kind */
    const struct source_ops *ops;
    const char *name;           /* owned by the kind */
    const char *meta;           /* what the first part of a path is that asks for what the source knows of a
                                   line besides it (@kafka); NULL: it knows nothing */
    bool wants_meta;            /* put it into lines: set before the first source_next */
    _Atomic bool woken;
};

/* Bytes that a line may have if it may have max_line without what is put in. A source that puts something in has
 * looked at that itself. */
static inline size_t source_longest(const struct source *s, size_t max_line)
{
    return s->wants_meta ? SIZE_MAX : max_line;
}
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
/* Any thread: what is to be saved as the identity with this position. */
static inline void source_identify(struct source *s, struct source_partition *partition, uint64_t resume,
                                   uint64_t identity_out[2])
{
    identity_out[0] = atomic_load(&partition->identity[0]);
    identity_out[1] = atomic_load(&partition->identity[1]);
    if (s->ops->identify)
        s->ops->identify(s, partition, resume, identity_out);
}
/* Any thread. */
static inline void source_figures(struct source *s, struct source_figures *figures_out)
{
    *figures_out = (struct source_figures){0};
    if (s->ops->figures)
        s->ops->figures(s, figures_out);
}
/* Any thread: of each partition that is read, if the source counts such. */
static inline void source_lag(struct source *s, source_lag_fn *found, void *ctx)
{
    if (s->ops->lag)
        s->ops->lag(s, found, ctx);
}
static inline void source_free(struct source **s)
{
    if (*s)
        (*s)->ops->free(*s);
    *s = NULL;
}

#endif
