// SPDX-License-Identifier: Apache-2.0
/*
 * metrics - a set of the daemon's figures as they are at one moment: which there are, metrics.def says.
 * Nothing is counted here: the parts count, and one function (daemon/figures.h) puts what they say into
 * a set when somebody asks. Written as text by metrics_text.h.
 *
 * A sample is told apart by its metric and the values of its labels; what is put twice is added up, so
 * parts of one whole need not know of each other. One thread at a time.
 */
#ifndef BASE_METRICS_H
#define BASE_METRICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/log.h"

enum metric_type { METRIC_COUNTER, METRIC_GAUGE, METRIC_INFO, METRIC_HISTOGRAM };

struct histogram;

enum metric_group {
#define METRIC_GROUP(group, category, prefix) METRIC_GROUP_##group,
#define METRIC(group, id, type, unit, labels, doc)
#include "base/metrics.def"
#undef METRIC_GROUP
#undef METRIC
    N_METRIC_GROUPS
};

enum metric { /* METRIC_source_events ... */
#define METRIC_GROUP(group, category, prefix)
#define METRIC(group, id, type, unit, labels, doc) METRIC_##group##_##id,
#include "base/metrics.def"
#undef METRIC_GROUP
#undef METRIC
    N_METRICS
};

enum { METRIC_LABELS = 2 }; /* at most */

struct metric_spec {
    enum metric_group group;
    const char *id;     /* in its group */
    enum metric_type type;
    const char *unit;   /* or "" */
    const char *labels; /* "", "one", "one,two" */
    const char *doc;
};
extern const struct metric_spec metric_specs[N_METRICS];
extern const enum log_category metric_group_category[N_METRIC_GROUPS];
extern const char *const metric_group_prefix[N_METRIC_GROUPS]; /* the family is PREFIX_ID */

unsigned metric_label_count(enum metric metric);
/* The name of its label at `at`; not NUL-terminated. */
const char *metric_label_name(enum metric metric, unsigned at, size_t *len_out);

struct metrics;
struct metrics *metrics_new(void);
void metrics_free(struct metrics **m);

/* Adds to a sample, which begins at 0. label: values of its labels, NULL for those it has not; copied. */
void metrics_count(struct metrics *m, enum metric metric, const char *label0, const char *label1,
                   uint64_t n);
/* The same of ns, told in seconds. */
void metrics_time(struct metrics *m, enum metric metric, const char *label0, const char *label1,
                  int64_t ns);
/* Of a histogram (base/histogram.h), copied. */
void metrics_histogram(struct metrics *m, enum metric metric, const char *label0, const char *label1,
                       const struct histogram *h);
/* To what the counters and histograms of m say: what was counted before by parts that have ended (a pipeline before a
 * reload). Samples that m has not are left out: what is gone is told no more. */
void metrics_carry(struct metrics *m, const struct metrics *before);
/* Into m, of each counter that `now` and `before` have: by how much it has fallen (nothing if it has not); no histograms.
 * Carried behind what says `now`, it has not. */
void metrics_fallen(struct metrics *m, const struct metrics *now, const struct metrics *before);
/* All of before, which m has none of: what is told while the part it is of is not there. */
void metrics_stand_in(struct metrics *m, const struct metrics *before);

struct metric_sample {
    enum metric metric;
    const char *label[METRIC_LABELS]; /* borrowed from the set; NULL: it has no such label */
    bool is_time;
    int64_t value; /* a count (of uint64_t), or ns */
    const struct histogram *histogram; /* borrowed from the set; NULL: it is none */
};
size_t metrics_n(const struct metrics *m);
/* In the order of the table; of one metric, in the order they were put. */
void metrics_sort(struct metrics *m);
struct metric_sample metrics_sample(const struct metrics *m, size_t at);

#endif
