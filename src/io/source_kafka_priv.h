// SPDX-License-Identifier: Apache-2.0
/*
 * source_kafka_priv - the inside of a source of kafka:
 *
 *     source_kafka.c        what the reader pulls: what was told of partitions, then their records in turn
 *     source_kafka_news.c   what the scout found becomes partitions, stalls, ends
 *     source_kafka_part.c   one partition: taken up, read, given up; what is noticed
 *     source_kafka_line.c   a record as a line
 *     source_kafka_scout.c  a thread that asks brokers what takes time: topics, offsets, commits
 *
 * A partition, in the reader's thread:
 *
 *     FOUND --ask--> ASKED --answer: offsets--> READS --end, or end of a bounded one--> ENDED
 *       ^              |                          |
 *       '--after 1 s---+----- error, no leader ---'         told as STALLED until it READS again
 *                      |----- its records are gone, `fail` --> LOST (until a restart or a reload)
 *                      '----- another topic: LEFT, until the next generation is opened: ENDED
 *
 * Invariants:
 *  1. `next` is the offset that is given next; it never goes back, and records below it are not given.
 *  2. an anchor lies below the position that it is saved with.
 *  3. the scout never touches a partition but for its atomics; the reader never asks a broker and waits.
 */
#ifndef IO_SOURCE_KAFKA_PRIV_H
#define IO_SOURCE_KAFKA_PRIV_H

#include <pthread.h>

#include "base/buf.h"
#include "io/kafka_priv.h"
#include "io/source_kafka.h"

#define KAFKA_SECOND INT64_C(1000000000)
enum { KAFKA_BATCH = 256, KAFKA_ANCHORS = 32 };

struct regex;
struct source_kafka;

enum kafka_part_state { KAFKA_FOUND, KAFKA_ASKED, KAFKA_READS, KAFKA_LOST, KAFKA_LEFT, KAFKA_ENDED };

/* A record that was read, to be known again. */
struct kafka_anchor {
    uint64_t offset, hash;
};

struct kafka_part {
    struct source_partition part; /* its name and identity; first member */
    struct source_kafka *s;
    struct kafka_topic *topic;
    int32_t number;
    enum kafka_part_state state;
    bool is_new;             /* it has no position: answers say where it begins */
    bool from_start, from_end; /* and it begins there, whatever `start` says */
    struct kafka_part *before; /* the generation that it takes over from, whose end is to be told */
    bool initial;            /* it was there at the start: time waits for it */
    bool opened, stalled, caught_up, forgotten;
    char why[48];            /* it is stalled: how what was told of it begins */
    uint64_t next;           /* offset */
    uint64_t told;           /* the offset that the order stage knows: below next records gave no line */
    uint64_t end;            /* of a bounded one, when has_end */
    bool has_end;
    int64_t at_end;          /* of rows: wall ns when it was at its end last; 0: not known */
    uint64_t enough;         /* of rows: is_enough; 0: not known yet */
    int64_t retry;           /* monotonic: FOUND, and not to be asked before */
    int64_t gone_since;      /* monotonic: its topic is not there; 0: it is */
    bool forgettable;        /* ended, and succeeded: its position need not be kept */
    struct kafka_anchor check; /* the next record of this offset has to have this hash */
    bool checks;
    rd_kafka_queue_t *queue; /* while it READS */
    rd_kafka_message_t *batch[KAFKA_BATCH]; /* [at .. n) are owned */
    size_t at, n;
    uint32_t until_anchor;   /* records until the next one is kept */
    /* under s->lock */
    struct kafka_anchor anchor[KAFKA_ANCHORS]; /* ascending, above the published one */
    size_t n_anchors;
    bool ready;              /* in the list of ready ones */
    struct kafka_part *next_ready;
    /* any thread */
    _Atomic uint64_t released;  /* position that is durable, for the group; UINT64_MAX: none */
    _Atomic bool settled;       /* its end is durable */
    _Atomic bool doubtful;      /* what was fetched since may be another topic's: to be checked */
    _Atomic uint64_t shown_next; /* next, for figures; 0: not yet */
    _Atomic int64_t shown_time;  /* wall ns of the record that was read last; SOURCE_NO_TIME: none, or it has none */
    _Atomic bool shown;          /* it is opened, and has not ended */
    _Atomic uint64_t behind;     /* records to its end, as the scout saw it */
    uint64_t committed;      /* the scout's */
};

struct kafka_topic {
    char *name;
    rd_kafka_topic_t *rkt;
    bool told_missing;
    bool seen;          /* in the last report */
};

/* ---- what the scout brings ---------------------------------------------------------------------- */

struct scout_topic {
    char *name;
    char *why;          /* it cannot be read; NULL: it can */
    bool missing;       /* there is no such topic */
    int32_t n_partitions;
    bool *leaderless;   /* [n_partitions] */
};

struct scout_report { /* owned by who has it */
    bool reachable;
    char *why;          /* not reachable */
    struct scout_topic *topic;
    size_t n_topics;
};

struct scout_answer {
    struct scout_answer *next;
    struct kafka_part *part;
    char *why;          /* NULL: */
    int64_t low, high;  /* offsets of the first record, and behind the last committed one */
    int64_t start;      /* where a new one begins, as `start` says */
    int64_t end;        /* where a bounded one ends, as `until` says */
};

struct kafka_scout; /* its thread */
struct kafka_scout *kafka_scout_new(struct source_kafka *s);
bool kafka_scout_free(struct kafka_scout **scout); /* false: a commit is not answered yet */
/* Asks for offsets: an answer follows. */
void kafka_scout_ask(struct kafka_scout *scout, struct kafka_part *part);
/* Something went wrong: topics are looked at soon. */
void kafka_scout_hurry(struct kafka_scout *scout);
/* The last report that was not taken yet, or NULL; returns owned. Likewise an answer. */
struct scout_report *kafka_scout_report(struct kafka_scout *scout);
struct scout_answer *kafka_scout_answer(struct kafka_scout *scout);
void scout_report_free(struct scout_report **report);
void scout_answer_free(struct scout_answer **answer);

/* ---- the source ----------------------------------------------------------------------------------- */

struct kafka_pending {
    enum source_event what;
    struct kafka_part *part; /* NULL: the source */
    uint64_t offset;
    char *text;              /* owned */
};

struct source_kafka {
    struct source source;
    char *name, *group;         /* owned */
    int64_t start, until, idle;
    int64_t reread_after;
    enum kafka_reset on_reset;
    bool follow, rows;
    size_t max_line, padding;
    char **fixed;               /* [n_fixed] topics by name */
    size_t n_fixed;
    struct regex **pattern;     /* [n_patterns] */
    size_t n_patterns;
    struct kafka_told told;
    rd_kafka_t *rk;
    struct kafka_scout *scout;
    _Atomic bool news;          /* of the scout */
    /* the reader's */
    struct kafka_topic **topic; /* owned; grows */
    size_t n_topics, cap_topics;
    struct kafka_part **part;   /* owned; grows under lock */
    size_t n_parts, cap_parts;
    bool had_positions;
    bool reported, is_ready;    /* a report came; all initial ones are opened */
    size_t unopened;            /* initial ones that are not */
    bool stalled;               /* the source as a whole: told */
    char why[48];               /* and how that begins */
    bool away;                  /* the last report reached nobody */
    struct kafka_pending *pending;
    size_t n_pending, cap_pending, at_pending;
    char *shown;                /* text of the last item, owned */
    struct kafka_part *current;
    size_t slice;               /* bytes left of its turn */
    uint32_t given;             /* lines */
    int64_t look;               /* monotonic: when waiting ones are looked at */
    size_t n_live;              /* parts that are not ENDED */
    struct buf line;
    /* under lock */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct kafka_part *first_ready, **last_ready;
    size_t at_release;          /* the part that was released last */
    _Atomic uint64_t empty;     /* records without a value */
};

/* source_kafka.c */
void kafka_tell(struct source_kafka *s, enum source_event what, struct kafka_part *part, uint64_t offset,
                const char *text);
/* Is it another reason than the one that was told, up to its `:`? Then it is noted. */
bool kafka_is_news(char known[48], const char *why);
struct kafka_part *kafka_add_part(struct source_kafka *s, struct kafka_topic *topic, int32_t number,
                                  uint32_t generation);
/* `__consumer_offsets`, `__transaction_state` ...: who reads them and commits makes records that he reads. */
bool kafka_is_internal(const char *topic);
/* The queue of a partition may have records: any thread. */
void kafka_part_ready(struct kafka_part *part);

/* source_kafka_news.c */
struct kafka_topic *kafka_want_topic(struct source_kafka *s, const char *name, size_t len); /* there is one now */
/* The latest generation; NULL: none. */
struct kafka_part *kafka_find_part(const struct source_kafka *s, const struct kafka_topic *topic, int32_t number);
void kafka_take_news(struct source_kafka *s);
void kafka_look(struct source_kafka *s); /* at those that wait to be asked again; at ends that are durable */

/* source_kafka_part.c */
void kafka_part_answered(struct kafka_part *part, const struct scout_answer *answer);
void kafka_part_stall(struct kafka_part *part, const char *why);
void kafka_part_ask(struct kafka_part *part);
void kafka_part_close(struct kafka_part *part); /* stops reading; records that were not given are dropped */
/* The next line, if there is one now. False: none, or what was found is pending. */
bool kafka_part_line(struct kafka_part *part, struct source_item *item_out);
void kafka_part_end(struct kafka_part *part);
/* Was it read to its end, and there is more by now, of a transaction that is open? */
void kafka_part_look(struct kafka_part *part);
/* The highest anchor below `resume`, as an identity; none: it stays as it is. Any thread. */
void kafka_part_identify(struct kafka_part *part, uint64_t resume, uint64_t identity_out[2]);
void kafka_part_restore(struct kafka_part *part, const struct source_position *saved);

/* source_kafka_line.c: the time that Kafka has of it, wall ns, or SOURCE_NO_TIME. */
int64_t kafka_record_time(const rd_kafka_message_t *msg);
/* false: there is nothing in it. text lives until the next call. */
bool kafka_line(struct source_kafka *s, const struct kafka_part *part, rd_kafka_message_t *msg,
                struct source_item *item_out);

#endif
