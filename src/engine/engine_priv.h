// SPDX-License-Identifier: Apache-2.0
/*
 * engine_priv - what the files of the engine share: one engine, its rules' state, the current event.
 */
#ifndef ENGINE_ENGINE_PRIV_H
#define ENGINE_ENGINE_PRIV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "engine/alert.h"
#include "engine/deadline.h"
#include "engine/engine.h"
#include "engine/key.h"
#include "engine/partition.h"
#include "engine/piece_timer.h"
#include "engine/record_link.h"
#include "engine/suppress.h"
#include "engine/table.h"
#include "engine/vm.h"
#include "plan/program.h"

struct body_ops;
struct derived;
struct finding;
struct match_shape;
struct pool;
struct records;
struct rule_records;
struct run;
struct set_pool;
struct set_rule;

/* A match found and not yet told: matches of one instant are told in an order of their own. */
struct pending {
    struct rule_state *rs;
    struct partition *part;  /* pinned */
    struct run *run;         /* `match`: detached; freed when told. Else NULL */
    struct finding *found;   /* other bodies: freed when told. Else NULL */
    int64_t time;            /* at which it became true */
    int64_t deadline;        /* of a trailing `not`, or INT64_MIN */
};

struct rule_state {
    const struct program_rule *rule;
    const struct match_shape *shape;  /* masks that the matcher wants, from the nfa */
    const struct body_ops *ops;       /* NULL: `match` */
    void *body;                       /* of ops: what belongs to the whole rule */
    struct rule_records *records;     /* what changes is tracked (record.h); or NULL */
    struct partition_table parts;
    bool off;                         /* of another engine (engine_own): does nothing here */
    bool draining;                    /* an older version: begins nothing new (drain.c) */
    struct engine_rule_stats stats;   /* here because every event reads what is above, too */
    struct key_plan keys;
    struct pool *pool;                /* the engine's */
    struct run *free_runs;            /* run memory for reuse: all runs of a rule are of one size */
    struct deadline_queue life;       /* start + within */
    struct deadline_queue *wait;      /* last + d, one for each different d */
    uint32_t n_waits;
    struct set_rule *sets;            /* matched by sets (set.h); NULL: run by run */
    uint32_t layout;                  /* set_rule_layout */
    struct deadline_queue lead;       /* memory of leading `not`s */
    struct suppress suppress;
    struct {                          /* `limit alerts` */
        int64_t start;                /* of the current period */
        uint64_t told, held;
        struct deadline_queue queue;
        struct deadline deadline;
    } limit;
    struct vm_counters counters;
    uint64_t *excepted;               /* [rule->n_excepted] alerts held back by each */
    int64_t since;                    /* the rule itself began then: it came with a reload. Or INT64_MIN */
    int64_t begins, ends;             /* windows that start in (begins, ends] are this version's */
};

struct engine {
    struct program *prog;
    struct rule_state *rule;          /* [prog->n_rules] */
    struct deadline_heap heap;
    int64_t now;                      /* nothing below comes any more */
    int64_t target;                   /* that deadlines are being decided below */
    int64_t since;                    /* first event time seen; INT64_MAX: none yet */
    int64_t newest;                   /* what was restored holds nothing later than this, or now */
    int64_t shown;                    /* no event of what was restored is later than this, or now */
    int64_t over;                     /* engine_over; INT64_MAX: events may come */
    int64_t behind;                   /* as in struct engine_clock */
    uint64_t seq;                     /* number of the current event, from 1 */
    const struct event *ev;           /* being fed */
    struct key_memo memo;             /* of the event that is fed */
    struct event *kept;               /* the same, kept, once something binds it; or NULL */
    struct table_set tables;          /* rows that events bring */
    struct pool *pool;                /* events, partitions, runs */
    struct bind_pool *binds;
    struct set_pool *sets;
    struct probe_scratch *probe;      /* for the streams of steps that read several */
    struct arena *scratch;            /* reset after each event and each deadline */
    struct vm vm;
    struct pending *pending;
    size_t n_pending, cap_pending;
    struct buf text;                  /* scratch for rendering */
    struct origin_list *origins;      /* of events that a snapshot or a rule brought; or NULL */
    struct derived *derived;          /* events that rules made and that wait; or NULL */
    const struct rule_state *tells_also; /* makes alerts though it only emits into a stream */
    struct records *records;          /* engine_attach; or NULL */
    struct piece_timer timer;         /* what rules cost: engine_time */
    bool keeps_limited;               /* alerts beyond `limit alerts` are told as such */
    bool late;                        /* a late event is being offered */
    bool ordered;                     /* pending matches depend on being told together, in order */
};

/* The event being fed, kept; returns a borrowed pointer, take a reference to hold it. */
struct event *engine_kept(struct engine *en);
/* A kept event that a rule made, with its fits. */
void engine_offer_derived(struct engine *en, const struct event *ev, struct alert_list *out);
/* A match of this rule is pending: notes whether its instant must be decided in one go. */
void engine_note_order(struct engine *en, const struct program_rule *rule);
/* Tells all pending matches in order (rule, key, start) and frees them. alert_tell.c */
void engine_tell(struct engine *en, struct alert_list *out);
/* Adds a detached run as a match; takes the run. */
void engine_match(struct engine *en, struct partition *part, struct run *run, int64_t time,
                  int64_t deadline);
/* The period of `limit alerts` has passed: one alert says how many were held. alert_tell.c */
void engine_limit_due(struct engine *en, struct rule_state *rs, struct alert_list *out);


/* Restored state that is of a later time is damaged. */
static inline int64_t engine_latest(const struct engine *en)
{
    return en->now > en->newest ? en->now : en->newest;
}

/* About to change: whoever changes a key says so first. */
static inline void partition_touch(struct partition *part)
{
    if (part->rs->records != NULL)
        record_touch(part);
}

/* record.c, record_stub.c */
void records_detach(struct engine *en);
void records_free(struct engine *en);
/* Loads a key whose deadline comes before `next` (of this depth; NULL: none is) and the frontier. False:
 * there is none. */
bool records_load_due(struct engine *en, int64_t frontier, const struct deadline *next,
                      uint32_t depth);
bool records_due(struct engine *en, int64_t frontier);

#endif
