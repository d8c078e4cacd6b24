// SPDX-License-Identifier: Apache-2.0
/*
 * figures - what the parts of the daemon count, put into one set (base/metrics.def) when somebody asks.
 *
 * Pipelines and sinks' threads come and go with reloads; counters go on over them: what one had counted
 * is kept when it is taken away, and added to what the next one counts.
 *
 * Any thread may ask; the main thread alone says which parts there are. What is taken away here may be
 * freed after that, and not before.
 */
#ifndef DAEMON_FIGURES_H
#define DAEMON_FIGURES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "io/source.h"

struct buf;
struct checkpoint;
struct config;
struct courier;
struct deliver;
struct figures;
struct http_server;
struct metrics;
struct pipeline;
struct rules_topic;

struct figures *figures_new(void);
void figures_free(struct figures **f);
/* All are borrowed until they are replaced; NULL: there is none now. */
void figures_set_checkpoint(struct figures *f, struct checkpoint *cp);
void figures_set_pipeline(struct figures *f, const struct config *config, struct pipeline *p,
                          uint32_t n_rules);
void figures_set_sinks(struct figures *f, const struct config *config, struct deliver *deliver,
                       struct courier *courier);

void figures_set_http(struct figures *f, struct http_server *http);
void figures_set_rules_topic(struct figures *f, struct rules_topic *topic);

enum figures_reload { FIGURES_RELOAD_DONE, FIGURES_RELOAD_UNCHANGED, FIGURES_RELOAD_REFUSED };
void figures_note_reload(struct figures *f, enum figures_reload what);
/* What runs is not what the files say, from the start on. */
void figures_note_refused(struct figures *f);

/* Nothing is taken in, as an operator wanted; or that is over. */
/* Rows of tables that came over HTTP. */
void figures_note_uploads(struct figures *f, uint64_t tables, uint64_t bytes);
void figures_note_drained(struct figures *f, bool drained);

/* Why some of the source is stalled, appended; false: nothing is. Any thread. */
bool figures_source_stalled(struct figures *f, const char *source, struct buf *out);
/* source_lag of the source. Any thread; found asks nothing of f. */
void figures_source_lag(struct figures *f, const char *source, source_lag_fn *found, void *ctx);
/* How far a table from Kafka has been read (by the name of its source), if it has not been read to its end yet and
 * events wait for it. Any thread. */
bool figures_source_loading(struct figures *f, const char *source, struct buf *out);
/* The sources that tables from Kafka have: an owned array of owned names. Any thread. */
char **figures_table_sources(struct figures *f, size_t *n_out);
/* What the sink's last failure was, appended; false: there was none since its start. Any thread. */
bool figures_sink_error(struct figures *f, const char *sink, struct buf *out);
/* Why the topic of rules cannot be read, or its answers not be written, appended; false: all is well. Any thread. */
bool figures_rules_topic_why(struct figures *f, struct buf *out);
/* Into an empty set. Any thread. */
void figures_fill(struct figures *f, struct metrics *m);
/* To the log, a line for each source, rule and sink, and of each other group. */
void figures_tell(struct figures *f);

#endif
