// SPDX-License-Identifier: Apache-2.0
/* replay_priv - the inside of a replay: replay.c makes it and has what the order stage gives, replay_read.c reads. */
#ifndef FLOW_REPLAY_PRIV_H
#define FLOW_REPLAY_PRIV_H

#include "base/buf.h"
#include "flow/alert_writer.h"
#include "flow/replay.h"
#include "flow/rule_clock.h"
#include "flow/unseen.h"

struct decoder;
struct engine;
struct event;
struct group_map;
struct line_writer;
struct order;
struct probe_scratch;

/* Sources that are read together. */
struct replay_group {
    struct engine *engine;
    int64_t first; /* the lowest time of an event so far, kept or not; INT64_MAX: none */
    int64_t newest; /* the highest; INT64_MIN: none */
    struct event **held; /* [n_held] owned: late ones whose place is before first */
    size_t n_held, cap_held;
};

struct replay {
    struct program *prog; /* borrowed */
    struct replay_options opt;
    struct replay_inputs in; /* part i is partition i of the order stage */
    struct decoder *decoder;
    struct probe_scratch *probe;
    struct rule_clock clock; /* of probe and engines, when rules are timed */
    struct order *order;
    struct group_map *groups;
    struct replay_group *group; /* [n_groups], and one of the sources that no rule reads */
    uint32_t n_groups;
    struct line_writer *out, *late; /* late: or NULL */
    struct alert_writer alerts;
    int64_t began;    /* wall ns: when rows arrive */
    uint64_t events;  /* of all sources; records of tables, too */
    struct unseen unseen;
    struct buf error; /* lines */
    bool failed;      /* something could not be read or written */
    bool stopped;     /* nothing more is read */
    bool allows_late; /* some rule */
};

/* Not everything can be read or written: where may be NULL. */
void replay_fail(struct replay *r, const char *where, const char *what);
/* Somebody has interrupted it, or it has given up. */
bool replay_is_stopped(struct replay *r);
/* Before what may take long: ctx is the replay. */
void replay_wait(void *ctx);

/* replay_read.c: the next line of a partition. */
void replay_read(struct replay *r, uint32_t partition);

#endif
