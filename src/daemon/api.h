// SPDX-License-Identifier: Apache-2.0
/*
 * api - the daemon's side of the HTTP interface (http/ops.h).
 *
 *   server's thread: call() --figures, health: any thread--> answered at once
 *                       |--events--> thread of the source (io/source_http.h) --> answered when durable
 *                       |--much to read--> worker (api_worker.h) --> answered
 *                       \--all else--> queue + API_SIGNAL --> main: api_serve() --> answered
 *                                                                    \--dry--> worker (api_dry.h) --> answered
 *
 * Rules and modules are main's, which alone changes them: a change is answered when the new rules run
 * and that is durable. Before main serves, and when it stops, all but health and figures is answered 503.
 */
#ifndef DAEMON_API_H
#define DAEMON_API_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

struct api;
struct audit;
struct buf;
struct checkpoint;
struct config;
struct courier;
struct figures;
struct pipeline;
struct module_history;
struct rules_topic;
struct ruleset;
struct spooler;
struct store_batch;
struct uploads;

/* Wakes main's sigtimedwait: main has it among its signals, blocked in all threads. */
#define API_SIGNAL SIGUSR2

/* What main lends; the pointers are to its own variables, as they are when a request is served. */
struct api_host {
    const struct config *config;
    struct figures *figures;
    struct checkpoint **cp;
    struct pipeline **pipeline;
    const uint64_t *pipelines; /* how many there were: another number, another pipeline */
    struct courier **courier;  /* *courier NULL: there is none */
    struct ruleset *rules;
    struct uploads **uploads;
    struct audit *audit;       /* set before api_open, as is the next */
    struct module_history *history;
    struct rules_topic **topic; /* *topic NULL: there is none */
    /* Goes over to next (taken); extra (taken) becomes durable with it. False and why: it cannot go on. */
    bool (*swap)(void *ctx, struct ruleset *next, struct store_batch *extra, struct buf *why);
    /* Nothing is taken in any more, not after a reload either; a last checkpoint is durable, and extra (taken)
     * with it. Drained already: extra alone becomes durable later. False and why: it cannot go on. */
    bool (*drain)(void *ctx, struct store_batch *extra, struct buf *why);
    void (*resume)(void *ctx);
    void *ctx;
};

/* Listens. NULL and why. host is borrowed until api_free. */
struct api *api_start(const struct api_host *host, struct buf *why);
/* From now on requests are served; the state directory is open. */
void api_open(struct api *api);
/* Main: answers what is queued. False and why: the daemon cannot go on. NULL is fine. */
bool api_serve(struct api *api, struct buf *why);
/* Main: it is about to change the configuration; waits until nobody looks at it but under a lock. NULL is fine. */
void api_hold_config(struct api *api);
/* This is the configuration from now on: nobody looks at the one before any more. NULL is fine. */
void api_set_config(struct api *api, const struct config *config);
/* Who takes what is posted from now on; NULL: nobody for a while. Nobody looks at the one before any more.
 * NULL for api is fine. */
void api_set_spooler(struct api *api, struct spooler *in);
/* Is what is posted refused, as the daemon is drained? NULL is fine. */
void api_set_drained(struct api *api, bool drained);
/* Could the tokens and certificates of a configuration be used? False and why. */
bool api_secrets_check(const struct config *config, struct buf *why);
/* Main: takes them; both or none of two configurations have tokens, and a certificate. False and why: the old
 * ones stay. NULL is fine. */
bool api_renew(struct api *api, const struct config *config, struct buf *why);
/* The last: answers what is queued and ends the server. NULL is fine. */
void api_stop(struct api **api);

#endif
