// SPDX-License-Identifier: Apache-2.0
/* wiring - from what the configuration says to sinks, sources and a pipeline. */
#ifndef DAEMON_WIRING_H
#define DAEMON_WIRING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;
struct checkpoint;
struct config;
struct config_source;
struct courier;
struct pipeline;
struct pipeline_source;
struct program;
struct program_table;
struct reaper;
struct ruleset;
struct sink;
struct source;
struct source_http;
struct source_position;
struct spool;
struct spooler;
struct time_specs;

/* The sinks in the order of the configuration; an owned array, each to be freed with sink_free. NULL
 * stands for a webhook. */
struct sink **wiring_sinks(const struct config *config);
/* Tells the outbox of them. */
bool wiring_outbox(const struct config *config, struct checkpoint *cp, struct buf *why);
/* The courier for all webhooks, if there are any: else *courier_out is NULL. False and why. */
bool wiring_courier(const struct config *config, struct checkpoint *cp, struct courier **courier_out,
                    struct buf *why);
/* Could the webhooks of the configuration be begun: secrets, headers, files of certificates? False, and in why
 * a line for each that cannot. Nothing is sent. */
bool wiring_courier_check(const struct config *config, struct buf *why);
/* The secrets, headers, certificates that the configuration has now, to the same webhooks. False and
 * why: of those that cannot be used the old ones stay. */
bool wiring_courier_renew(const struct config *config, struct courier *courier, struct buf *why);
/* A source of kafka. NULL and why. */
struct source *wiring_kafka_source(const struct config_source *from, const struct source_position *saved,
                                   size_t n_saved, struct buf *why);
/* The source of a table from Kafka (config/table_source.h), as the pipeline has it: behind those of the configuration. incarnation: the table's. False and why. */
bool wiring_table_source(const struct config *config, const struct program *prog,
                         const struct program_table *table, uint32_t incarnation,
                         const struct source_position *saved, size_t n_saved,
                         struct pipeline_source *source_out, struct buf *why);
/* Could the clients of Kafka that sources are begin? False, and in why a line for each that cannot. */
bool wiring_kafka_check(const struct config *config, struct buf *why);
/* Who puts standard input and what is posted into spools, for each source that has one. They stay while
 * pipelines come and go. Adds to *in what is not there yet (*in NULL: all). False and why: *in is NULL. */
bool wiring_spooler(const struct config *config, struct checkpoint *cp, struct spooler **in,
                    struct buf *why);
/* Ends those that config does not have, or has otherwise. No pipeline reads from them. NULL is fine. */
void wiring_spooler_keep(struct spooler *in, const struct config *config);
void wiring_spooler_free(struct spooler **in);
/* Borrowed, until it is ended. NULL: there is none. */
struct spool *wiring_spool(const struct spooler *in, const char *source);
/* Who takes what is posted for a source. NULL: none; *nearest_out is the name that is most like it, or NULL. */
struct source_http *wiring_http(const struct spooler *in, const char *source,
                                const char **nearest_out);
/* What can be paused is not taken into spools, or again: standard input. (What is posted is the interface's
 * to refuse.) NULL is fine. */
void wiring_spooler_pause(struct spooler *in, bool pause);
/* Until all that was posted is answered; nobody posts any more. NULL is fine. */
void wiring_spooler_settle(struct spooler *in);
/* A pipeline that goes on where the database says. rs and times (config_times) are borrowed until
 * pipeline_free, the reaper longer; in has the spools of its sources. hold: they are not read before pipeline_read. progress: now and then while state is read back. NULL and why. */
struct pipeline *wiring_pipeline(const struct config *config, const struct ruleset *rs,
                                 const struct time_specs *times, struct checkpoint *cp,
                                 struct spooler *in, struct reaper *reaper, bool hold,
                                 void (*progress)(void *ctx), void *ctx, struct buf *why);

#endif
