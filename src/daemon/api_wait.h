// SPDX-License-Identifier: Apache-2.0
/*
 * api_wait - requests that are answered when something has happened elsewhere: a batch is durable, a file is
 * written, queues are empty. Main looks at them between two looks at signals; nobody waits.
 *
 *   api_wait_new --main: look() ... look()--> answered            (another thread: api_wait_wake)
 *        \---------the daemon stops: 503-----> answered
 *
 * What other threads are given of it holds a reference: they may come when it has been answered.
 */
#ifndef DAEMON_API_WAIT_H
#define DAEMON_API_WAIT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct api;
struct api_call;
struct api_wait;
struct http_request;
struct store_batch;

enum api_wait_epoch { API_EPOCH_NONE, API_EPOCH_OPEN, API_EPOCH_DURABLE, API_EPOCH_DROPPED };

struct api_wait_ops {
    size_t size; /* of what begins with a struct api_wait */
    /* On main. True: it is answered. */
    bool (*look)(struct api_wait *w);
    /* On main, at the end: what other threads do for it is over when this returns. NULL: nothing. */
    void (*stop)(struct api_wait *w);
    /* What it holds, when nobody has it any more; on any thread. NULL: nothing. */
    void (*fini)(struct api_wait *w);
};

struct api_wait {
    const struct api_wait_ops *ops;
    struct api *api;
    struct http_request *rq;  /* main's; not after it is answered */
    int64_t begun;            /* monotonic ns */
    int64_t until;            /* monotonic ns: then nobody waits any more; 0: for ever */
    _Atomic int epoch;        /* what became of api_wait_submit */
    _Atomic int refs;
    struct api_wait *next;
};

/* Of the request of the call, which is answered later. Zeroed; borrowed by main until look() is true. */
struct api_wait *api_wait_new(struct api_call *call, const struct api_wait_ops *ops);
struct api_wait *api_wait_ref(struct api_wait *w);
void api_wait_unref(struct api_wait *w);
/* Main looks soon. Any thread. */
void api_wait_wake(void);
/* What is in batch (taken) becomes durable; w->epoch says what became of it. Once. */
void api_wait_submit(struct api_wait *w, struct store_batch *batch);
/* How long it has waited, in seconds. */
double api_wait_seconds(const struct api_wait *w);

/* Main, for api.c. */
void api_wait_look(struct api *api);
void api_wait_end(struct api *api);

#endif
