// SPDX-License-Identifier: Apache-2.0
/* wiring - from what the configuration says to sinks, sources and a pipeline. */
#ifndef DAEMON_WIRING_H
#define DAEMON_WIRING_H

#include <stdbool.h>

struct buf;
struct checkpoint;
struct config;
struct pipeline;
struct ruleset;
struct sink;
struct spooler;
struct time_specs;

/* The sinks in the order of the configuration; an owned array, each to be freed with sink_free. */
struct sink **wiring_sinks(const struct config *config);
/* Tells the outbox of them. */
bool wiring_outbox(const struct config *config, struct checkpoint *cp, struct buf *why);
/* Standard input into its spool, if a source wants it: *in_out is NULL if none does. False and why. It
 * stays while pipelines come and go. */
bool wiring_spooler(const struct config *config, struct checkpoint *cp, struct spooler **in_out,
                    struct buf *why);
void wiring_spooler_free(struct spooler **in);
/* A pipeline that goes on where the database says. rs and times (config_times) are borrowed until
 * pipeline_free; in: who reads
 * standard input into its spool, or NULL. NULL and why. */
struct pipeline *wiring_pipeline(const struct config *config, const struct ruleset *rs,
                                 const struct time_specs *times, struct checkpoint *cp,
                                 struct spooler *in, struct buf *why);

#endif
