// SPDX-License-Identifier: Apache-2.0
/* figures_priv - whose figures they are, for figures.c (all into one set) and figures_ask.c (one question). */
#ifndef DAEMON_FIGURES_PRIV_H
#define DAEMON_FIGURES_PRIV_H

#include <pthread.h>

#include "daemon/figures.h"

enum { N_RELOADS = FIGURES_RELOAD_REFUSED + 1 };

struct figures {
    pthread_mutex_t lock;
    int64_t start; /* wall ns */
    struct checkpoint *cp;
    const struct config *config, *sink_config;
    struct pipeline *pipeline;
    uint32_t n_rules;
    struct deliver *deliver;
    struct courier *courier; /* or NULL */
    struct http_server *http; /* or NULL */
    struct rules_topic *topic; /* or NULL */
    struct metrics *past_pipeline, *past_sinks; /* what those that have ended had counted */
    struct metrics *last_rules;                 /* of rules and tables, as the pipeline that ended last had them */
    struct metrics *past_rules;                 /* what versions of them that have ended had counted */
    uint64_t reloads[N_RELOADS];
    uint64_t uploaded_tables, uploaded_bytes;
    bool refused, drained;
};

#endif
