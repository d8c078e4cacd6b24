// SPDX-License-Identifier: Apache-2.0
/* boot_priv - the running daemon, shared by its start and end (boot.c), changes while it runs (reload.c)
 * and what is looked at now and then (watch.c). All of it is the main thread's. */
#ifndef DAEMON_BOOT_PRIV_H
#define DAEMON_BOOT_PRIV_H

#include <stdbool.h>
#include <stdint.h>

#include "base/log.h"
#include "daemon/api.h"
#include "daemon/notify.h"
#include "daemon/ruleset.h"
#include "flow/time_field.h"

struct audit;
struct buf;
struct checkpoint;
struct config;
struct courier;
struct deliver;
struct figures;
struct module_history;
struct pipeline;
struct program;
struct reaper;
struct rules_topic;
struct sink;
struct spooler;
struct uploads;

struct daemon {
    struct config *config; /* owned */
    struct checkpoint *cp;
    struct sink **sink;
    struct deliver *deliver;
    struct courier *courier; /* of the webhooks; NULL: there are none */
    struct spooler *in;
    struct time_specs times;
    struct audit *audit;     /* of changes; NULL: nobody makes any but by files */
    struct module_history *history; /* likewise */
    struct rules_topic *topic; /* or NULL */
    struct uploads *uploads; /* rows of tables that came over HTTP */
    struct ruleset rules;
    struct pipeline *pipeline;
    struct reaper *reaper;   /* frees the engines of those that have ended */
    uint64_t pipelines; /* that were begun */
    struct figures *figures;
    struct api_host host;
    struct api *api;    /* or NULL */
    bool ending;        /* SIGTERM or SIGINT came */
    bool drained;       /* nothing is taken in (drain.c) */
    bool over;          /* a sink is: it is another daemon's now */
    bool cannot_write;  /* was told */
    int64_t routes_at;  /* monotonic: when they were looked at */
    const struct program *fields_of; /* whose fields were looked at: that no event has them was told */
    struct notify notify;
    struct watch_status {
        int64_t at;     /* monotonic: when it was told */
        uint64_t events;
    } status;
};

/* ---- boot.c ---- */
/* From what is durable, with d->config and d->rules. False and why. */
bool boot_begin_pipeline(struct daemon *d, struct buf *why);
void boot_end_pipeline(struct daemon *d);
/* Before the last checkpoint of the pipeline: if it would be large, one is made while events go on. */
void boot_settle_ahead(struct daemon *d);
/* Waits for the last checkpoint of the pipeline. A SIGTERM sets d->ending, a second one gives up: false. */
bool boot_settle(struct daemon *d, struct buf *why);
/* Likewise for all that was given to the checkpoint thread, however long nothing can be written. */
bool boot_settle_epochs(struct daemon *d, struct buf *why);

/* The sinks of d->config, and what delivers to them. False and why. */
bool boot_begin_sinks(struct daemon *d, struct buf *why);
/* False: not all was delivered within that time (ns); it waits. */
bool boot_end_sinks(struct daemon *d, int64_t within);

/* ---- reload.c: false: it cannot go on ---- */
/* SIGHUP. */
bool boot_reload(struct daemon *d, struct buf *why);
/* Other texts of the rules that run (RULESET_TEXTS); nobody waits until they are durable. */
void boot_keep_texts(struct daemon *d, struct ruleset *next);
/* api_host.swap; ctx: the daemon. */
bool boot_swap_for_api(void *ctx, struct ruleset *next, struct store_batch *extra, struct buf *why);
/* Old rules of which nothing is left. */
bool boot_end_drained(struct daemon *d, struct buf *why);

/* ---- drain.c ---- */
/* api_host.drain and .resume; ctx: the daemon. */
bool boot_drain(void *ctx, struct store_batch *extra, struct buf *why);
void boot_resume(void *ctx);

/* ---- watch.c ---- */
/* What is to be told when it begins and when it ends; that all gets on, to the service manager. */
void boot_watch(struct daemon *d);
/* That the configuration has warnings, if it has. */
void boot_tell_warnings(const struct config *config);
/* A message with several lines: one each. */
void boot_say(enum log_level level, enum log_category category, const char *msg,
              const struct buf *why);

#endif
