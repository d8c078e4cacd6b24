// SPDX-License-Identifier: Apache-2.0
/*
 * alert_writer - alerts of a run without a daemon, as JSON lines in the order of output: time, rule
 * name, key, id. Alerts of one time are held until the frontier has passed it.
 */
#ifndef FLOW_ALERT_WRITER_H
#define FLOW_ALERT_WRITER_H

#include <stddef.h>
#include <stdint.h>

#include "engine/alert.h"

struct line_writer;
struct program;

struct alert_writer { /* embedded: _init, _fini */
    const struct program *prog; /* borrowed */
    struct line_writer *out;    /* borrowed */
    struct alert_list waiting;  /* the engine appends here */
    size_t counted;             /* so many of them are in bytes */
    uint64_t bytes;
    int64_t passed;             /* what lies below was written */
    uint64_t *count;            /* [n_rules]: alerts written */
    uint64_t total;
};

void alert_writer_init(struct alert_writer *aw, const struct program *prog,
                       struct line_writer *out);
void alert_writer_fini(struct alert_writer *aw);
/* Alerts to come have time >= frontier; INT64_MAX: there are none. */
void alert_writer_pass(struct alert_writer *aw, int64_t frontier);
/* Memory of the alerts that wait. */
uint64_t alert_writer_bytes(struct alert_writer *aw);

#endif
