// SPDX-License-Identifier: Apache-2.0
/*
 * reader - the thread of one source: reads, decodes, finds the time and the steps that an event may
 * fit, and hands it on in intakes.
 *
 *     source_next > decoder_run > time_spec_read > engine_probe > event_keep > intake > queue
 *
 * It waits only when the queue is full: that is how slow rules hold up input. It judges nothing that
 * depends on more than the one event (late, too far ahead: the order stage does).
 */
#ifndef FLOW_READER_H
#define FLOW_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "flow/time_field.h"

struct live_list;
struct probe_counts;
struct program;
struct queue;
struct reader;
struct source;

enum { READER_NO_SINK = 0xffffffff };

struct reader_options {
    uint32_t number;              /* of the source in the pipeline */
    struct source *source;        /* borrowed until reader_free */
    struct program *prog;         /* borrowed; compiled with the source's time fields */
    const struct program *const *draining; /* [n_draining] borrowed: older ones that still run */
    size_t n_draining;
    const bool *late_probe;       /* [prog->n_probes] of windows that allow late; borrowed */
    const bool *const *draining_late; /* [n_draining] the same of each; borrowed */
    const uint32_t *quarantine;   /* [prog->n_streams] sink of its `expect`, or READER_NO_SINK */
    struct time_spec time;
    bool time_arrival;
    bool time_record;             /* the line's own, as the source knows it */
    bool rows;                    /* the lines are records of a table */
    bool keep_raw;                /* of every event: there is a sink for late ones */
    size_t max_line;              /* bytes */
    _Atomic bool *seen;           /* unseen.h; borrowed */
    struct probe_counts *counts;  /* borrowed: what is found out of rules, now and then and at the end */
    struct live_list *opened;     /* partitions are added; borrowed until nothing points to them */
    struct queue *out;            /* of struct intake, by bytes; borrowed */
};

/* Starts the thread. Copies the options. */
struct reader *reader_new(const struct reader_options *opt);
/* Asks the thread to end, and does not wait: of several, before any is freed. */
void reader_stop(struct reader *rd);
/* Asks the thread to end after the event that it is at, and waits for it. The queue must be closed,
 * or be drained by someone. */
void reader_free(struct reader **rd);

struct reader_stats {
    uint64_t lines, bytes, broken;
};
void reader_stats(const struct reader *rd, struct reader_stats *stats_out);

#endif
