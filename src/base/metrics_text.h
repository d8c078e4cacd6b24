// SPDX-License-Identifier: Apache-2.0
/*
 * metrics_text - a set of figures as text: for monitoring systems, for the log, for the manual.
 *
 * Prometheus text format 0.0.4: https://prometheus.io/docs/instrumenting/exposition_formats/
 * OpenMetrics 1.0: https://github.com/prometheus/OpenMetrics (one that is asked for by `Accept:
 * application/openmetrics-text`): counters' families are named without `_total`, units are told, the
 * text ends with `# EOF`.
 */
#ifndef BASE_METRICS_TEXT_H
#define BASE_METRICS_TEXT_H

#include "base/metrics.h"

struct buf;

enum metrics_format { METRICS_PROMETHEUS, METRICS_OPENMETRICS };

const char *metrics_content_type(enum metrics_format format);
/* Appends all of it; sorts m. Rows of the table without a sample are left out. */
void metrics_write(struct metrics *m, enum metrics_format format, struct buf *out);
/* The name of the sample as Prometheus has it: tocsin_source_events_total. Appends. */
void metric_add_name(struct buf *out, enum metric metric);

/* Called for each line of figures: what belongs to one group and one source, rule, sink: its fields as
 * key=value, as log_always wants them. */
typedef void metrics_line_fn(void *ctx, enum log_category category, const char *fields);
/* Sorts m. */
void metrics_lines(struct metrics *m, metrics_line_fn *line, void *ctx);

/* The table as Markdown, and as the part of a manual page (to standard output). */
void metrics_reference_markdown(struct buf *out);
void metrics_reference_man(void);

#endif
