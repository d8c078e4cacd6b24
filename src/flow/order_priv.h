// SPDX-License-Identifier: Apache-2.0
/* order_priv - the inside of the order stage, shared by order.c (both) and order_live.c. */
#ifndef FLOW_ORDER_PRIV_H
#define FLOW_ORDER_PRIV_H

#include "flow/event_queue.h"
#include "flow/order.h"
#include "flow/waiting.h"

struct spill;

enum { ORDER_NO_QUIET = -1 };

struct order_part {
    const struct origin *origin; /* borrowed; NULL: forgotten, the number is free */
    struct order_partition_options opt; /* saved: NULL */
    int64_t watermark;           /* ns; INT64_MIN: nothing shown */
    uint32_t place;              /* in active; ORDER_NONE: it holds nobody back */
    /* live: where it is */
    uint64_t read;               /* behind the last line added */
    uint64_t read_before;        /* lines below it were read before the restart */
    bool recovering;             /* the next line is expected below read_before */
    int64_t lateness;            /* that lines are judged by now: below read_before as then */
    int64_t judged_before;       /* that lateness */
    int64_t first, max;          /* the lowest time taken, the highest shown */
    int64_t floor;               /* from offset floor_at on the watermark is not below it */
    uint64_t floor_at;
    int64_t cut;                 /* as in struct position */
    uint64_t cut_event, cut_late;
    uint64_t *aside;             /* ascending */
    size_t n_aside, cap_aside;
    /* live: what waits */
    struct waiting waiting;      /* in memory */
    uint64_t n_waiting, bytes;   /* on disk too */
    /* live: does it hold others back? */
    bool ended, caught_up, stalled, blind, paused;
    bool was_idle;               /* before the restart: it is again once it is read to its end */
    /* of rows (order_rows.c): place is ORDER_NONE, max the time of the last record */
    bool reading;                /* it holds events back from max on */
    bool loaded;                 /* it was read to its end once */
    int64_t at_end;              /* wall ns when it was read to its end last; INT64_MIN: never */
    bool drops;                  /* when nothing of it waits, rows of earlier generations are no more */
    int64_t quiet;               /* ns that it has been quiet; ORDER_NO_QUIET: from the next tick on */
};

struct order {
    struct order_options opt;
    struct order_sink sink;
    struct order_part *part;
    size_t n_parts, cap_parts;
    uint32_t *active;   /* [n_active]: numbers of partitions; a heap */
    size_t cap_active;
    uint32_t n_active;
    uint32_t holds;     /* > 0: nothing is given */
    uint32_t n_whole;   /* active ones with ORDER_WHOLE */
    bool order_by;      /* of some partition */
    bool begun;         /* first was announced */
    bool failed;        /* nothing can be given any more */
    bool over;          /* live: time had gone to infinity, and nothing new has come */
    int64_t first, told;
    struct event_queue queue;
    char *spill_dir;     /* owned; what opt points to */
    struct spill *spill; /* NULL: nothing was spilled yet */
    uint64_t peak;       /* bytes */
    uint64_t waiting_bytes; /* of all struct waiting */
    int64_t rows_bound;  /* the least `max` of those of rows that are read: no event from there on is given; INT64_MAX */
    int64_t quiet_to;    /* to where time is about to go on by the clock; INT64_MIN */
    /* live */
    int64_t highest;     /* time shown; INT64_MIN: none */
    int64_t mono;        /* of the last tick; INT64_MIN: none */
    bool quiet;          /* all are idle since ... */
    int64_t quiet_mono, quiet_base; /* ... then, when the frontier was this */
    bool disk_full;      /* the last ORDER_FULL was the disk's */
    int64_t clock;       /* of the last order_clock; INT64_MIN: none */
    int64_t spill_again; /* by `clock`: not to be tried before */
};

/* ---- order.c ---- */
void order_activate(struct order *o, struct order_part *p);   /* it holds others back */
void order_deactivate(struct order *o, struct order_part *p); /* no longer */
void order_raise(struct order *o, struct order_part *p, int64_t watermark); /* if it is higher */
void order_announce(struct order *o, int64_t frontier);
void order_give_due(struct order *o);
/* Not late. True: it was given, kept, or has only moved time (gives: false); else there is no room.
 * Live the reference is taken. */
bool order_take(struct order *o, struct order_part *p, struct event *ev, bool gives);
bool order_keep_late(struct order *o, struct order_part *p, struct event *ev);

/* ---- order_live.c ---- */
enum order_verdict order_live_add(struct order *o, struct order_part *p, struct event *ev,
                                  uint64_t next, int64_t arrival, bool wants_late);
void order_live_partition(struct order *o, struct order_part *p, const struct position *saved);
void order_live_end(struct order *o, struct order_part *p);
void order_live_fini(struct order_part *p);
/* An item of p waits, goes to disk, waits no more (where was it?), is given. */
void order_note_waits(struct order *o, struct order_part *p, const struct event *ev);
void order_note_spilled(struct order *o, struct order_part *p, const struct event *ev);
void order_note_gone(struct order *o, struct order_part *p, const struct event *ev, bool spilled);
void order_note_given(struct order_part *p, const struct event *ev, int64_t place, bool late);
/* The frontier when nobody holds it. */
int64_t order_quiet_frontier(const struct order *o);

/* ---- order_rows.c ---- */
void order_rows_partition(struct order *o, struct order_part *p, const struct position *saved);
enum order_verdict order_rows_add(struct order *o, struct order_part *p, struct event *ev, uint64_t next,
                                  int64_t arrival);
/* A line that is no record; it is read to its end; it stalls, or can be read again; nothing more comes. */
void order_rows_pass(struct order *o, struct order_part *p, uint64_t next);
void order_rows_caught_up(struct order *o, struct order_part *p);
void order_rows_stall(struct order *o, struct order_part *p, bool stalled);
void order_rows_end(struct order *o, struct order_part *p);
void order_rows_bound(struct order *o); /* after any change */
bool order_rows_should_pause(struct order *o, struct order_part *p);
void order_rows_save(const struct order_part *p, struct position *out);
/* Is one of rows due at this place? Give it; its partition has one less that waits. */
bool order_rows_due(const struct order *o, int64_t place);
void order_rows_give(struct order *o, struct event *ev, int64_t place);
void order_rows_given(struct order *o, struct order_part *p);
/* The one that holds back the partition that holds the frontier; ORDER_NONE: none does. */
uint32_t order_rows_next(const struct order *o);
/* Without calls of the sink for p: as order_take keeps one. False: no room. */
bool order_keep_row(struct order *o, struct order_part *p, struct event *ev, int64_t place);
bool order_give_before(struct order *o, const struct event_queue_item *self); /* false: o has failed */
uint64_t order_find_resume(const struct order *o, const struct order_part *p, int64_t *max_before_out);
/* Another generation of the same name takes over from it. */
bool order_is_succeeded(const struct order *o, const struct order_part *p);

/* ---- order_spill.c ---- */
/* Moves events that wait to disk; false: there is no way, or no room. */
bool order_spill(struct order *o);
const struct event_queue_item *order_spill_top(const struct order *o); /* NULL: none */
struct event *order_spill_pop(struct order *o); /* NULL: o has failed */

#endif
