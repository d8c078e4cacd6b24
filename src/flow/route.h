// SPDX-License-Identifier: Apache-2.0
/*
 * route - which sinks an alert goes to, and what is done with it there: from default_to, the rules' `to`
 * and the route blocks of the configuration.
 *
 *   found (engine thread)    route_of(rule, severity) -> sinks, each `direct` or by a route only
 *        | durable, in the outbox of each sink
 *   delivered (its thread)   route_policy(sink, direct, the alert's JSON, now) -> muted? grouped?
 *
 * 1. An alert goes to each sink once, whatever sends it there. Direct is what `to` (or, for rules
 *    without it, default_to) says; direct alerts are never muted and never grouped.
 * 2. What an alert is (rule, severity, tags) is decided when it is found: changes of rules do not
 *    change where it goes. What is done with it at delivery goes by the routes that there are then.
 * 3. An alert that several routes send to a sink is muted if all of them are silent now, and grouped
 *    by the least group of those that are not.
 * 4. Rule names, tags and constant severities are looked at once for a program: for an alert it is
 *    one look into a table.
 */
#ifndef FLOW_ROUTE_H
#define FLOW_ROUTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "plan/program.h"

struct buf;
struct route_rules;
struct route_table;

struct route_spec {                       /* a route block; all borrowed for the call */
    unsigned severities;                  /* bits 1 << enum severity; 0: any */
    const char *const *tag, *const *rule; /* patterns of base/glob.h */
    size_t n_tags, n_rules;               /* 0: any */
    const uint32_t *sink;
    size_t n_sinks;
    const char *const *mute;              /* windows that mute_parse takes */
    size_t n_mutes;
    int64_t group;                        /* ns; 0: not grouped */
    uint32_t line;                        /* of the configuration, for the log */
};
struct route_options {                    /* likewise */
    const char *const *sink;              /* names of the sinks there are, by number */
    size_t n_sinks;
    const uint32_t *default_to;
    size_t n_default_to;
    const struct route_spec *route;
    size_t n_routes;
};

/* Compiled; but for the counts of what was muted it is only read, by any thread. */
struct route_table *route_table_new(const struct route_options *opt);
struct route_table *route_table_ref(struct route_table *rt);
void route_table_unref(struct route_table **rt);

/* ---- when an alert is found ------------------------------------------------------------------- */

struct route_set {
    const uint32_t *sink; /* ascending, each once */
    const bool *direct;   /* beside sink */
    uint32_t n;
};
/* Where the alerts of a program go. Sinks that a rule's `to` names and that there are not (old rules,
 * after the configuration changed) are left out; without any, default_to stands for it. */
struct route_rules *route_rules_new(const struct route_table *rt, const struct program *prog);
void route_rules_free(struct route_rules **rr);
/* Borrowed until route_rules_free. */
const struct route_set *route_of(const struct route_rules *rr, uint32_t rule, enum severity severity);
/* Why no alert of the program can go by route i (in the order of the options); NULL: some can. Static. */
const char *route_misses(const struct route_table *rt, size_t i, const struct program *prog);
/* Is there an alert that route i brings to the sink, which it would not come to without routes? Only of such
 * alerts `mute` and `group` mean anything. */
bool route_matters(const struct route_table *rt, size_t i, uint32_t sink, const struct program *prog);
/* Does a rule of the program that makes alerts have such a name, or with `tag` such a tag? */
bool route_pattern_fits(const char *pattern, bool tag, const struct program *prog);

/* ---- when it is delivered --------------------------------------------------------------------- */

struct route_policy {
    bool muted;
    int64_t group; /* ns; 0: not grouped */
};
/* Does any route to this sink mute or group? If not, route_policy need not be asked. */
bool route_has_policy(const struct route_table *rt, uint32_t sink);
/* `alert`: the JSON as in the outbox. now_wall: ns. What is muted is counted, per route: ask once for each
 * that is delivered. */
void route_policy(struct route_table *rt, uint32_t sink, bool direct, const char *alert, size_t len,
                  int64_t now_wall, struct route_policy *policy_out);
/* The same of one that was asked for before: not counted once more. */
void route_policy_again(struct route_table *rt, uint32_t sink, bool direct, const char *alert,
                        size_t len, int64_t now_wall, struct route_policy *policy_out);
/* To be called every second or so: tells in the log when a route begins to be silent, and when it ends,
 * how many were muted. One thread. */
void route_look(struct route_table *rt, int64_t now_wall);
/* At a stop, or before other routes: the same of those that are silent now. */
void route_end(struct route_table *rt);

#endif
