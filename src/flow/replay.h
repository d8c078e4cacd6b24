// SPDX-License-Identifier: Apache-2.0
/*
 * replay - files of events, and other sources that end (replay_stream.h), through the rules, alerts out: what
 * production does, but bounded.
 *
 *     source_file_line > decoder_run > time_spec_read > engine_probe > order_add
 *         > engine_feed | engine_advance > alert_writer
 *
 * The same events give the same alerts in the same order, whatever order the files were named in
 * and however long they took to read. The partition with the lowest watermark is read next.
 * Sources that no rule reads together have engines of their own, as in the daemon: what a rule may call
 * seen begins with the first event of its group. One order stage does for all: what is decided does
 * not depend on when.
 */
#ifndef FLOW_REPLAY_H
#define FLOW_REPLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "flow/replay_input.h"

struct buf;
struct engine_rule_stats;
struct program;
struct replay;
struct time_specs;
struct unseen;

/* How far it is: bytes on disk, of how many (0: not known), and events so far. */
typedef void replay_progress_fn(void *ctx, uint64_t done, uint64_t total, uint64_t events);

struct replay_options {
    const struct replay_path *path;
    size_t n_paths;
    const struct replay_stream *stream;
    size_t n_streams;
    const struct time_specs *times;
    uint64_t max_bytes;    /* of events that wait to be put in order, and of alerts that wait */
    const char *late_path; /* where late lines go, or NULL */
    int out_fd;            /* where alerts go */
    bool time_rules;       /* what each rule costs is estimated, for replay_rule_stats */
    replay_progress_fn *progress; /* or NULL; called between blocks */
    void *progress_ctx;
};

/* Opens all files, and asks streams for their partitions. NULL and messages, a line each, in why when that is not possible. prog was
 * compiled with time_specs_paths. Borrows prog and what opt points to until replay_free. */
struct replay *replay_new(struct program *prog, const struct replay_options *opt,
                          struct buf *why);
void replay_free(struct replay **r);
/* Reads all, or as far as io/interrupt lets it: what was found by then is written, events that still
 * wait to be put in order are not given to the rules. False when some input could not be read or some output not written; the messages, a
 * line each, are in why. A reader of the alerts that has gone gives false without a message. */
bool replay_run(struct replay *r, struct buf *why);

const struct replay_inputs *replay_inputs(const struct replay *r);
uint64_t replay_alerts(const struct replay *r, uint32_t rule);
uint64_t replay_peak_bytes(const struct replay *r); /* of events that waited */
/* As engine_table_stats. */
void replay_table_stats(const struct replay *r, uint32_t table, uint64_t *rows_out,
                        uint64_t *bytes_out, uint64_t *refused_out);
/* How many alerts the exception held back. */
uint64_t replay_excepted(const struct replay *r, uint32_t exception);
/* How many events of the stream did not satisfy its `expect`. */
uint64_t replay_unexpected(const struct replay *r, uint32_t stream);
/* Fields that rules read and no event had. Borrowed. */
const struct unseen *replay_unseen(const struct replay *r);
void replay_rule_stats(const struct replay *r, uint32_t rule, struct engine_rule_stats *stats_out);

#endif
