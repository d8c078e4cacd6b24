// SPDX-License-Identifier: Apache-2.0
/*
 * order - the order stage: events of several partitions, each as it was read, become one stream in
 * event order with a frontier (language section 7). The same code for a replay and for the daemon.
 *
 * The watermark of a partition is the highest event time that it has shown, less the lateness. An
 * event is late if its time is below the watermark that its own partition had when it was read;
 * nothing else decides, so the verdict does not depend on how reading was interleaved. An event is
 * given when no active partition can still bring an earlier one. In a replay a partition that was
 * read to its end is no longer active; when none is, time goes to infinity. Partitions of rows (of a table) have no
 * part in time: order_rows.c.
 * With ORDER_WHOLE nothing is late, and everything is put in order when all is read.
 * Events that fit no probe (n_fits == 0) move time and are not kept.
 *
 * Late events that windows want have a place in the stream too: w, the watermark that their
 * partition had when they were read. They are given behind all events of time w and before what is
 * decided at w; among themselves by source, partition, generation, offset.
 *
 * Live: partitions come and go, are idle (hold nobody back) or stalled (hold), and what waits may be
 * spilled to disk. One that is new or comes back from idle starts at the frontier. When all are idle
 * what waits is given, and time goes on by the clock. order_save says what a restart needs.
 *
 * One thread at a time. Nothing may be saved or cut between calls of the sink, only between calls of
 * order_*.
 */
#ifndef FLOW_ORDER_H
#define FLOW_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;
struct event;
struct order;
struct origin;
struct position;

#define ORDER_WHOLE INT64_MAX
#define ORDER_NONE UINT32_MAX
#define ORDER_NEVER INT64_MAX /* of a tick */

/* An event comes back from disk: raw (with decoder_padding() bytes behind it), time, origin, offset
 * and order_by are set; sets slots and fits as they were. False: it cannot be decoded any more. */
typedef bool order_reload_fn(void *ctx, uint32_t partition, struct event *ev);

struct order_options {
    uint64_t max_bytes;     /* of events that wait, in memory */
    int64_t end;            /* not live: time when all partitions have ended; INT64_MAX: infinity */
    bool live;
    bool quiet_hold;        /* live: time stands still while all are idle */
    const char *spill_dir;  /* copied; of this order alone: where they go beyond max_bytes; NULL: nowhere */
    uint64_t spill_limit;   /* bytes on disk */
    order_reload_fn *reload; /* with spill_dir */
    void *reload_ctx;
};

/* Who takes the events. Live they are kept ones and the sink owns the reference that it is given
 * (so it may hand them to another thread). Else they are borrowed, scratch or kept. */
struct order_sink {
    /* In event order. */
    void (*event)(void *ctx, struct event *ev);
    /* A late one at its place: the frontier told last is w. NULL if wants_late is never said. */
    void (*late)(void *ctx, struct event *ev);
    /* Everything to come has time >= frontier. Ascending; never below the time of an event given
     * before. The first call, before the first event, is the time of the first event of all, kept
     * or not: so the start of time does not depend on what rules read. */
    void (*advance)(void *ctx, int64_t frontier);
    /* Time was over (order_start_over), and something new has come: before all that follows of it. NULL:
     * order_start_over is never called. */
    void (*goes_on)(void *ctx);
    /* Live, from order_finish, before rows that are later than all events: none comes any more, and this is the
     * last time that one showed. NULL: nobody asks. */
    void (*over)(void *ctx, int64_t time);
    /* Of a partition of rows: a record at its place: all that was given before it is of an earlier time, or its
     * own time has gone by. And, live: rows that generations below this one of the partition brought are no
     * more. NULL if there are no such partitions. */
    void (*row)(void *ctx, struct event *ev);
    void (*drop_rows)(void *ctx, const struct origin *origin, uint32_t below);
    void *ctx;
};

struct order_partition_options {
    int64_t lateness;  /* ns, >= 0, or ORDER_WHOLE (not live) */
    int64_t idle;      /* live: ns without a line after which it holds nobody back; < 0: never */
    int64_t future;    /* live, or rows: ns that an event may be ahead of its arrival; < 0: any */
    bool order_by;     /* its events may have an order_by value */
    bool rows;         /* it brings rows of a table: order_rows.c */
    bool latest;       /* rows: their times are of no matter */
    const struct position *saved; /* live: as it was saved; NULL: new. Borrowed for the call */
};

enum order_verdict {
    ORDER_TAKEN, /* live: and so is the caller's reference, if the event is a kept one */
    ORDER_LATE,  /* the caller says so; live, if it was wanted, a copy is kept */
    ORDER_ASIDE, /* too far in the future: the caller says so */
    ORDER_FULL,  /* no room, nothing has changed: add it again later, before others of the partition */
    ORDER_AGAIN, /* it was read before the restart and is to be passed over silently */
};

struct order *order_new(const struct order_options *opt, const struct order_sink *sink);
void order_free(struct order **o);

/* Live, once and before all partitions: the frontier that was saved (INT64_MIN: none). */
void order_start_at(struct order *o, int64_t told);
/* The same of one whose time had gone to infinity; told: the highest time that was shown. All that was open
 * was decided then: until a new event comes that is not late, nobody is told of time, however often its
 * sources end. */
void order_start_over(struct order *o, int64_t told);
/* While there is one hold nothing is given: so that all partitions that are there at the start can
 * be named before one of them runs ahead. Holds count. */
void order_hold(struct order *o);
void order_release(struct order *o);
/* Borrows origin until order_free or order_forget. Returns its number: from 0, forgotten ones are
 * used again. Not live: all partitions come before the first event. */
uint32_t order_partition(struct order *o, const struct origin *origin,
                         const struct order_partition_options *opt);
/* Live: one that has ended, is idle and of which nothing waits; false: it is not so far. */
bool order_forget(struct order *o, uint32_t partition);

/*
 * The next event of a partition: time, origin, offset, order_by and fits are set. next: the offset
 * behind its line; arrival: wall ns (live, or rows). wants_late: some window allows it to be late
 * (probe_wants_late).
 */
enum order_verdict order_add(struct order *o, uint32_t partition, struct event *ev, uint64_t next,
                             int64_t arrival, bool wants_late);
/* Live, directly after ORDER_LATE: how late an event of this time was, ns. */
struct order_late {
    int64_t behind;   /* the highest time that its partition had shown; <= lateness: not that made it
                         late, but that time had gone on while the partition was idle, or not there */
    int64_t lateness; /* that it was judged by */
    int64_t below;    /* its watermark */
};
void order_explain_late(const struct order *o, uint32_t partition, int64_t time,
                        struct order_late *late_out);
/* A line without an event (broken, too long). False: it was read before the restart, and nothing is
 * to be said of it. */
bool order_pass(struct order *o, uint32_t partition, uint64_t offset, uint64_t next);
/* A partition was read to its end. Live it still holds others back for `idle`, or until a higher
 * generation of the same name comes. */
void order_end(struct order *o, uint32_t partition);

/* Live: no line lies between the last one and `next`. It rests, or not, as before. */
void order_skip(struct order *o, uint32_t partition, uint64_t next);

/* ---- live ---- */

/* Read to its present end; until the next line it is quiet, and idle after `idle`. */
void order_caught_up(struct order *o, uint32_t partition);
/* There is more, which comes later: it holds others back until it has caught up again. */
void order_behind(struct order *o, uint32_t partition);
/* It cannot be read: it holds others back, whatever its state was, until it can be read again and
 * after that was caught up. */
void order_stall(struct order *o, uint32_t partition, bool stalled);
/* Its reader does not look at it now (it waits for room): this is no quiet. What was idle stays so. */
void order_blind(struct order *o, uint32_t partition, bool blind);
/* All sources are over: what waits is given, and time goes to infinity. No line comes after it. */
void order_finish(struct order *o);
/* Monotonic ns, up to which all that was read has been added (while lines wait to be added: the time
 * when the last of them was read; not the clock, or what waits would be taken for quiet). Finds out
 * who is idle, moves the frontier of a quiet group. Returns when it wants to be called next; more
 * often is fine. */
int64_t order_tick(struct order *o, int64_t mono_now);
/* The clock, also while lines wait to be added: a disk that was full is tried again after a second. */
void order_clock(struct order *o, int64_t mono_now);
/* Should reading of the partition pause? It has much that waits while another one holds the
 * frontier. Never the one that holds it. */
bool order_should_pause(struct order *o, uint32_t partition);
/* Into an initialised position, whose identity is left alone. */
void order_save(const struct order *o, uint32_t partition, struct position *out);
/* Where a partition is, for those who ask. */
struct order_figures {
    bool active;       /* it holds others back */
    bool loading;      /* of rows: it was not read to its end yet */
    uint64_t waiting;  /* events, on disk too */
    int64_t newest;    /* event time shown, INT64_MIN: none */
    int64_t watermark; /* likewise */
};
struct order_figures order_figures(const struct order *o, uint32_t partition);
/* Live: has every partition of rows been read to its end once, and could time go on without them? */
bool order_rows_read(const struct order *o);
int64_t order_frontier(const struct order *o); /* told last; INT64_MIN: none, INT64_MAX: it is over */
/* Spilled events cannot be read (appends why): nothing more is given. Starting again from the saved
 * positions reads them from the sources. */
bool order_failed(const struct order *o, struct buf *why);
/* Why the last ORDER_FULL was: false: memory alone (no spilling); true: the disk (appends why). */
bool order_spill_full(const struct order *o, struct buf *why);

/* ---- both ---- */

/* Which partition to read next, so that the least has to wait: the one that holds the frontier.
 * ORDER_NONE when all have ended (live: or are idle). */
uint32_t order_next(struct order *o);
uint64_t order_bytes(const struct order *o);      /* of memory for events that wait now */
uint64_t order_peak_bytes(const struct order *o); /* the most there were */
uint64_t order_spilled_bytes(const struct order *o); /* on disk now */

#endif
