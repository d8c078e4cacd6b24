// SPDX-License-Identifier: Apache-2.0
/*
 * courier_priv - an endpoint as the courier's thread sees it, and what it sends: parcels.
 *
 * A parcel is what goes in one request: messages of the outbox (one, a batch, or a group).
 *
 *     outbox --take--> batch, groups   open: more may come          courier_gather.c
 *                        | close
 *                        v
 *                      ready           complete; waits for a place  courier_gather.c
 *                        | let_in      (in_flight places)
 *                        v
 *                      window  <-----------------.                  courier_endpoint.c
 *                        | post                  | WEB_AGAIN: due later
 *                        v                       |
 *                      in flight --- answer -----+
 *                        |          |            `-- WEB_REFUSED of several: halves
 *              WEB_DONE  |          | WEB_REFUSED, WEB_AGAIN and too old, no body
 *           outbox_done  v          v outbox_reject
 *
 * An endpoint:
 *
 *     OPEN --(a second parcel fails and none came through; 429; window of 1)--> PROBING
 *       ^  `-- what is due is sent                                              | one request at a
 *       |                                                                       | time, after a
 *       `-----------------(one comes through, or is refused)-------------------'  backoff
 *     OPEN, PROBING --(410)--> DISABLED: all goes to the dead letters, until endpoint_enable
 *
 * Invariants:
 *  1. A message that was taken is in exactly one parcel, or over (outbox_done, outbox_reject).
 *  2. At most in_flight parcels are in the window; of the requests that are begun while PROBING one at
 *     most is unanswered. (One from before, which hangs, does not hold it up.)
 *  3. `held` messages, `held_bytes` of text are in parcels: never much more than HELD_COUNT and
 *     HELD_BYTES (a half that came of a refused parcel changes neither).
 */
#ifndef FLOW_COURIER_PRIV_H
#define FLOW_COURIER_PRIV_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/buf.h"
#include "flow/courier.h"
#include "io/backoff.h"
#include "io/web.h"
#include "state/outbox.h"

enum {
    TAKE_SLICE = 64,           /* messages that an endpoint takes before the next has its turn */
    HELD_COUNT = 4096,         /* most of one endpoint in memory */
    HELD_BYTES = 4 << 20,
    PARCEL_BYTES = 512 << 10,  /* of alerts, then a batch or group is full */
};

struct moment {
    int64_t mono, wall; /* ns */
};

struct held {
    uint64_t seq;
    int64_t at;  /* wall, ns */
    char *text;  /* owned */
    size_t len;
    bool is_alert;
};

struct parcel {
    struct parcel *next;
    struct endpoint *e; /* whose it is */
    struct held *held; /* [n], in order of the queue */
    size_t n, cap;
    uint64_t bytes;
    char *rule;        /* owned; of a group, else NULL */
    int64_t group;     /* ns; of a group, else 0 */
    int64_t due;       /* monotonic: open: to be closed; in the window: not to be sent before */
    struct backoff backoff;
    uint32_t tries;
    bool in_flight;
    bool failed;       /* the last try */
    uint64_t spell;    /* the endpoint's, when it failed last */
    char *id;          /* owned; NULL: nothing is written yet */
    struct buf body;
    char last_error[256];
};

struct parcel_list {
    struct parcel *first;
    size_t n;
};

enum endpoint_state { ENDPOINT_OPEN, ENDPOINT_PROBING, ENDPOINT_DISABLED };

struct endpoint {
    struct courier *c;
    uint32_t sink;
    char *name;              /* owned, as body */
    uint8_t url[16];         /* digest */
    struct body *body;
    struct web_endpoint *web;
    uint32_t window_size, batch_count;
    int64_t batch_wait, max_age, retry_least, retry_most;
    uint64_t seed;           /* of the next backoff */

    struct parcel *batch;    /* open, or NULL */
    struct parcel_list groups, ready, window;
    uint64_t held, held_bytes;
    uint32_t n_in_flight;
    bool more;               /* the outbox had more when it was asked last */
    atomic_bool come;        /* the outbox has something new */

    enum endpoint_state state;
    uint64_t spell;          /* from 1: goes on when something comes through */
    uint32_t n_failed;       /* parcels that have failed in this spell */
    struct backoff backoff;  /* while PROBING */
    struct parcel *probe;    /* the one that is under way, or NULL */
    int64_t next_probe;      /* monotonic */
    int64_t pause_until;     /* monotonic: Retry-After; no request before */
    bool told;               /* a failure is going on, and was told */
    int64_t told_at;         /* monotonic */
    bool given_up;           /* stopping: it failed once more */

    struct courier_stats stats; /* the thread's */
    bool changed;               /* they have, since they were copied to: */
    struct courier_stats seen;  /* for others, by courier->lock */
};

/* Another thread asks for new options, or (web NULL) that one that is disabled be asked again. */
struct renewal {
    struct endpoint *e;
    const struct web_endpoint_options *web;
    struct buf *why;
    bool was_disabled;
    bool good, done;
};

struct courier {
    struct outbox *ob;
    struct web *web;
    struct endpoint *endpoint; /* [n] */
    size_t n;
    pthread_t thread;
    bool stopping;             /* the thread's copy */
    struct route_table *rt;    /* owned reference, or NULL */

    pthread_mutex_t lock;      /* all below, and endpoint->seen */
    pthread_cond_t change;
    struct renewal *renewal;   /* or NULL */
    bool flush;                /* groups and batches wait no longer */
    int64_t until;             /* monotonic: the end of all trying; 0: not stopping */
    bool ended;
    atomic_bool awake;         /* web_wake was called since the thread looked */
};

/* ---- courier_parcel.c ------------------------------------------------------------------------- */

struct parcel *parcel_new(struct endpoint *e);
void parcel_free(struct parcel **p);
void parcel_add(struct parcel *p, const struct outbox_entry *entry, int64_t at); /* takes its text */
/* Its id and body, the same at each try. False and why: no body can be made of it. */
bool parcel_write(struct parcel *p, struct buf *why);
/* The second half, as a parcel of its own; p keeps the first. Neither is written any more. */
struct parcel *parcel_split(struct parcel *p);
/* `id.revision` of an alert; of what is none a hash of its place and text. */
void message_id(const struct held *held, const char *sink, struct buf *out);

void list_add(struct parcel_list *list, struct parcel *p);
void list_add_first(struct parcel_list *list, struct parcel *p);
void list_remove(struct parcel_list *list, struct parcel *p);

/* ---- courier_gather.c ------------------------------------------------------------------------- */

/* What there is of the outbox, up to TAKE_SLICE messages; what is full or due becomes ready. */
void endpoint_gather(struct endpoint *e, struct moment now);
/* Is there room for more that would soon be sent? */
bool endpoint_may_take(const struct endpoint *e);
/* Groups and batches wait no longer. */
void endpoint_close_all(struct endpoint *e);
/* Monotonic time when something open is due; INT64_MAX: nothing is. */
int64_t endpoint_open_due(const struct endpoint *e);

/* ---- courier_endpoint.c ----------------------------------------------------------------------- */

/* False and why; to be finished all the same. c->web and c->ob are there. */
bool endpoint_init(struct endpoint *e, struct courier *c, const struct courier_endpoint *from,
                   struct buf *why);
void endpoint_fini(struct endpoint *e); /* after web_free: nothing is under way */
/* All that can be done now. True: there is more to do at once. */
bool endpoint_step(struct endpoint *e, struct moment now);
void endpoint_answer(struct endpoint *e, const struct web_answer *answer, struct moment now);
/* Whoever renews it has perhaps mended what was wrong: what waits to be tried again, even as the endpoint
 * asked, is tried now. */
void endpoint_hurry(struct endpoint *e, struct moment now);
/* Monotonic time of the next step without an answer or something new; INT64_MAX: none. */
int64_t endpoint_due(const struct endpoint *e, struct moment now);
void endpoint_stop(struct endpoint *e, struct moment now); /* stopping begins */
/* Stopping: nothing is under way, and nothing more will be. */
bool endpoint_is_over(const struct endpoint *e);
/* At the start, and when it has a new URL: asked again if it is another one than that which said 410. */
void endpoint_recall(struct endpoint *e);
/* False: it was not disabled. */
bool endpoint_enable(struct endpoint *e);

/* ---- courier_tell.c --------------------------------------------------------------------------- */

void tell_failure(struct endpoint *e, const char *why, int64_t retry, struct moment now);
void tell_works(struct endpoint *e); /* if a failure was told */
void tell_rejected(const struct endpoint *e, const struct parcel *p, const char *why);
void tell_disabled(const struct endpoint *e, const char *what);

#endif
