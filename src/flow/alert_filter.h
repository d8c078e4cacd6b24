// SPDX-License-Identifier: Apache-2.0
/*
 * alert_filter - which of the alerts that are kept somebody wants to see, as the queries of
 * http/routes.def say it. All that is given must be true.
 */
#ifndef FLOW_ALERT_FILTER_H
#define FLOW_ALERT_FILTER_H

#include <stdbool.h>
#include <stdint.h>

struct alert_filter;
struct alert_record;
struct buf;

struct alert_filter_text {    /* all borrowed for the call; NULL: not given */
    const char *rule;         /* patterns of base/glob.h with commas between */
    const char *severity;     /* names with commas between */
    const char *min_severity;
    const char *key;          /* JSON: a value, a list of all of the key's, an object of some; else a text */
    const char *since, *until; /* RFC 3339, of the event time: since <= time < until */
};

/* NULL and what is wrong with which of them. Returns owned. */
struct alert_filter *alert_filter_new(const struct alert_filter_text *text, struct buf *why);
void alert_filter_free(struct alert_filter **filter);
bool alert_filter_fits(const struct alert_filter *filter, const struct alert_record *record);
/* Times that fit: [since, until). */
void alert_filter_times(const struct alert_filter *filter, int64_t *since_out, int64_t *until_out);
/* Of what was given: two that are not the same differ in this, too, all but surely. */
uint32_t alert_filter_mark(const struct alert_filter *filter);

#endif
