// SPDX-License-Identifier: Apache-2.0
/* rules_topic_priv - what the files of rules_topic share. All of it is the main thread's but what says otherwise. */
#ifndef DAEMON_RULES_TOPIC_PRIV_H
#define DAEMON_RULES_TOPIC_PRIV_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/buf.h"
#include "daemon/boot_priv.h"
#include "daemon/rules_topic.h"
#include "flow/rules_saved.h"
#include "flow/rules_search.h"
#include "http/ops.h"
#include "state/module_history.h"

struct hash_index;
struct program;
struct topic_reader;
struct topic_writer;

enum {
    RULES_MODULES_MOST = 10000, /* of the topic */
    RULES_ROUND_MOST = RULES_MODULES_MOST, /* records of a round, but for the first */
    RULES_TRIES_MOST = 100,     /* compilations of a round; of the first one: */
    RULES_FIRST_TRIES_MOST = 2000,
    RULES_ERRORS_MOST = 5000,   /* of one compilation, so that many broken modules are known at once */
    RULES_ANSWERS_MOST = 20000  /* that wait to be sent */
};
#define RULES_BYTES_MOST ((size_t)64 << 20) /* texts of the topic; answers of it */

struct rules_topic {
    struct daemon *d;
    char *topic;                 /* owned */
    struct topic_reader *reader;
    struct topic_writer *writer; /* NULL: nobody wants answers */
    struct topic_position *position; /* owned; [partition], as far as records were taken */
    bool *moved;                 /* owned; [n_positions]: since it was saved */
    size_t n_positions;
    struct rules_wish *wish;     /* owned; those that wait */
    size_t n_wishes;
    struct rules_round *gathers; /* before the topic was read to its end; else NULL */
    bool first;
    uint64_t next_answer, forgotten; /* numbers; up to forgotten they are not in the database any more */
    struct program *tried;       /* reference: what ran when wishes were tried; NULL: they are to be tried */
    _Atomic unsigned under_way;  /* batches that are not durable yet */
    pthread_mutex_t lock;        /* of stats: but what reader and writer count */
    struct rules_topic_stats stats;
};

enum rules_item_state { RULES_OPEN, RULES_APPLIED, RULES_UNCHANGED, RULES_SUPERSEDED, RULES_REFUSED, RULES_WAITS };

/* A record of a round, or a wish that waited. */
struct rules_item {
    struct rules_wish wish;      /* name NULL: the key is no name */
    char *key;                   /* owned; of such a record, as it is; NULL: it has none */
    size_t key_len;
    char *path;                  /* owned; of the module, as diagnostics have it */
    bool waited;                 /* it is in the database as a wish */
    enum rules_item_state state;
    bool undecided;              /* it waits, and was not tried */
    enum http_problem problem;   /* why it is refused, or waits */
    struct buf detail, json;
    const char *member;          /* whose value json is; or NULL */
    int32_t by_partition;        /* superseded by */
    uint64_t by_offset;
    uint64_t version;            /* that it makes */
    char before[40], after[40];  /* ETags, or "" */
};

struct rules_round {
    struct rules_topic *rt;
    struct rules_item *item;     /* owned; in the order in which they came, those that waited first */
    size_t n, cap;
    struct hash_index *open;     /* of those that are RULES_OPEN, by name */
    size_t bytes, records;       /* texts of these; records that were taken */
    size_t n_superseded;
    uint64_t dropped;            /* answers that there was no room for */
    struct rules_item **by_name; /* owned; candidates, sorted */
    size_t n_candidates;
    struct rules_item **candidate; /* owned; in the order in which they came */
    int64_t wall, frontier;
    /* the best that was tried */
    bool made;
    enum ruleset_result result;
    struct ruleset next;
    struct ruleset_outcome outcome;
    /* the last that was bad */
    bool has_bad;
    struct ruleset_outcome bad;
};

/* rules_topic_gather.c */
/* With the wishes that wait, which it takes. */
struct rules_round *rules_round_new(struct rules_topic *rt);
/* Wishes that wait go back. */
void rules_round_free(struct rules_round **round);
/* Takes what has come, up to `most` records. */
void rules_round_gather(struct rules_round *round, size_t most);

/* rules_topic_round.c: what was gathered becomes rules. False and why: the daemon cannot go on. */
bool rules_round_make(struct rules_round *round, struct buf *why);

/* rules_topic_try.c: states of the candidates, and what is the best. */
void rules_round_search(struct rules_round *round);
/* The candidate whose module is in this file, or NULL. */
struct rules_item *rules_round_of_file(const struct rules_round *round, const char *file);

/* rules_topic_answer.c: puts into the batch what is told of items, and gives it back: owned array. */
struct rules_answer *rules_round_answer(struct rules_round *round, struct store_batch *batch, size_t *n_out);

#endif
