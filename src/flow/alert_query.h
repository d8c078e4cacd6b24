// SPDX-License-Identifier: Apache-2.0
/*
 * alert_query - alerts that are kept (state/alert_log.h), page by page. The work for one page is bounded,
 * whatever the filter: a page may have fewer alerts than were asked for, and a place where the next begins.
 */
#ifndef FLOW_ALERT_QUERY_H
#define FLOW_ALERT_QUERY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "state/alert_log.h"

struct alert_filter;

enum {
    ALERT_QUERY_SCAN = 20000,          /* records that are looked at for one page, */
    ALERT_QUERY_SCAN_BYTES = 32 << 20, /* their bytes, */
    ALERT_QUERY_BYTES = 2 << 20,       /* bytes of a page: at least one alert */
    ALERT_QUERY_CURSOR = 40            /* size of a cursor's text */
};

struct alert_query {
    const struct alert_filter *filter; /* borrowed for the call */
    bool newest;     /* first; else the oldest */
    bool lines;      /* one a line; else with commas between */
    uint64_t from;   /* where it begins; 0: at the newest, or the oldest */
    uint64_t after;  /* those with a higher number */
    size_t limit;    /* alerts */
};

struct alert_page {  /* embedded: alert_page_fini */
    struct buf text;
    size_t n;
    uint64_t next;   /* where the next page begins; 0: this was the last */
    uint64_t damaged; /* records that were passed over */
    uint64_t scanned;
    struct alert_log_range range;
};

/* Any thread. Not STORE_OK: why. page_out is to be freed either way. */
enum store_result alert_query_page(struct alert_log *log, struct store *st,
                                   const struct alert_query *query, struct alert_page *page_out,
                                   struct buf *why);
void alert_page_fini(struct alert_page *page);

/* {"number":1,...} as sinks get it, with detected_at. scratch: somebody's to use again. */
void alert_query_render(struct buf *out, const struct alert_record *record, struct buf *scratch);

/* A place as a text that says nothing to clients. */
void alert_cursor_write(const struct alert_query *query, uint64_t next,
                        char text_out[ALERT_QUERY_CURSOR]);
/* Sets query->from. False: it is none, or of another order or filter. */
bool alert_cursor_read(const char *text, struct alert_query *query);

#endif
