// SPDX-License-Identifier: Apache-2.0
/* route_priv - the compiled routes, shared by route.c (when an alert is found) and route_policy.c (when it
 * is delivered). */
#ifndef FLOW_ROUTE_PRIV_H
#define FLOW_ROUTE_PRIV_H

#include <stdatomic.h>

#include "flow/mute.h"
#include "flow/route.h"

struct glob;

/* An alert, as far as routes ask. */
struct route_facts {
    const char *rule;
    size_t rule_len;
    unsigned severity; /* bit 1 << enum severity; several: it may be any of them; 0: unknown */
    const char *const *tag;
    const size_t *tag_len;
    size_t n_tags;
};

struct route {
    unsigned severities;      /* 0: any */
    struct glob **tag, **rule; /* owned */
    size_t n_tags, n_rules;
    uint32_t *sink;           /* owned */
    size_t n_sinks;
    struct mute *mute;        /* owned */
    size_t n_mutes;
    int64_t group;
    uint32_t line;
    _Atomic uint64_t muted;   /* since it became silent */
    _Atomic uint64_t judged;  /* second << 1 | is it silent in this second?; 0: not known yet */
    bool silent;              /* at the last look */
};

struct route_table {
    _Atomic unsigned refs;
    char **sink;              /* owned names */
    size_t n_sinks;
    uint32_t *default_to;     /* owned */
    size_t n_default_to;
    struct route *route;
    size_t n_routes;
    bool *policy;             /* [n_sinks] does a route to it mute or group? */
};

/* Do its conditions hold? */
bool route_matches(const struct route *r, const struct route_facts *facts);
bool route_leads_to(const struct route *r, uint32_t sink);

#endif
