// SPDX-License-Identifier: Apache-2.0
/*
 * Alerts over HTTP. What is answered, for who writes a client:
 *
 * GET /v1/alerts   ?order=newest|oldest  rule=P[,P...]  severity=S[,S...]  min_severity=S  key=JSON
 *                   since=T  until=T  after=N  limit=N  cursor=C
 *
 *     {"alerts":[ALERT,...],"next":"C","first":1,"last":120}
 *
 *     ALERT is what sinks get, with "number" before all else:
 *     {"number":120,"id":"9f...","rule":"brute_force","severity":"high","time":"...","detected_at":"...",
 *      "title":"...","tags":[],"key":{"user":"x"},"fields":{},"events":{},"revision":0,"suppressed":0}
 *     Numbers go up by 1 in the order in which alerts became durable, and never change. "next" is for
 *     `cursor`, with the same order and filters; null: that was all. A page may have fewer than `limit`
 *     alerts, even none, and a next: one request reads so much and no more. "damaged":N, if there are any:
 *     records that cannot be read.
 *     With `Accept: application/x-ndjson`: one ALERT a line, and next in the header `Tocsin-Next`.
 *
 * GET /v1/alerts/stream   the same filters, after=N, or the header `Last-Event-ID: N`
 *
 *     retry: 1000                        first of all, with the number that it begins behind
 *     id: 120
 *
 *     id: 121
 *     event: alert
 *     data: ALERT
 *
 *     id: 499                            alerts 121 to 499 are kept no more: they are lost to this client
 *     event: gap
 *     data: {"lost":379,"first":500}
 *
 *     :                                  each 15 s without an event; with an id: passed over by the filters
 *     id: 131
 *
 *     It ends (a chunk of length 0) when the daemon stops, when tokens change, and with no other reason.
 *     Then: again, with `Last-Event-ID` as the last id that was there.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/api_priv.h"
#include "daemon/api_streams.h"
#include "flow/alert_filter.h"
#include "flow/alert_query.h"
#include "state/checkpoint.h"

enum { LIMIT = 100, MOST = 1000 };

/* What the query says, owned, and where alerts are kept; NULL: it is answered. */
static struct alert_filter *api_alert_filter(struct http_request *rq)
{
    const struct alert_filter_text text = {.rule = http_request_query(rq, "rule"),
                                           .severity = http_request_query(rq, "severity"),
                                           .min_severity = http_request_query(rq, "min_severity"),
                                           .key = http_request_query(rq, "key"),
                                           .since = http_request_query(rq, "since"),
                                           .until = http_request_query(rq, "until")};
    struct buf why;

    buf_init(&why);
    struct alert_filter *filter = alert_filter_new(&text, &why);
    if (!filter)
        http_answer_problem(rq, HTTP_BAD_REQUEST, "%s", why.data);
    buf_fini(&why);
    return filter;
}

static struct alert_log *api_alert_log(struct api *api, struct http_request *rq)
{
    struct alert_log *log = checkpoint_alerts(*api->host->cp);

    if (!log)
        http_answer_problem(rq, HTTP_NOT_FOUND, "alerts are not kept (`alerts_count 0`)");
    return log;
}

/* ---- GET /v1/alerts -------------------------------------------------------------------------- */

/* False: it is answered. */
static bool read_query(struct http_request *rq, struct alert_query *query)
{
    const char *order = http_request_query(rq, "order"), *cursor = http_request_query(rq, "cursor");
    uint64_t limit = http_request_count(rq, "limit", LIMIT);

    query->lines = http_request_wants_ndjson(rq);
    query->newest = !order || strcmp(order, "newest") == 0;
    query->after = http_request_count(rq, "after", 0);
    query->limit = limit < MOST ? limit : MOST;
    if (!query->newest && strcmp(order, "oldest") != 0)
        http_answer_problem(rq, HTTP_BAD_REQUEST, "`order` is newest or oldest");
    else if (limit == 0)
        http_answer_problem(rq, HTTP_BAD_REQUEST, "`limit` is 1 to %d", (int)MOST);
    else if (cursor && !alert_cursor_read(cursor, query))
        http_answer_problem(rq, HTTP_BAD_REQUEST,
                            "`cursor` is what `next` of an answer with the same `order` and filters said");
    else
        return true;
    return false;
}

static void answer_page(struct http_request *rq, const struct alert_query *query,
                        struct alert_page *page)
{
    char cursor[ALERT_QUERY_CURSOR] = "";
    struct buf b;

    if (page->next)
        alert_cursor_write(query, page->next, cursor);
    if (query->lines) {
        if (page->next)
            http_answer_next(rq, cursor);
        http_answer(rq, 200, "application/x-ndjson", &page->text);
        return;
    }
    buf_init(&b);
    buf_adds(&b, "{\"alerts\":[");
    buf_add(&b, page->text.data, page->text.len);
    buf_printf(&b, page->next ? "],\"next\":\"%s\"" : "],\"next\":null", cursor);
    buf_printf(&b, ",\"first\":%" PRIu64 ",\"last\":%" PRIu64, page->range.first,
               page->range.end - 1);
    if (page->damaged)
        buf_printf(&b, ",\"damaged\":%" PRIu64, page->damaged);
    buf_adds(&b, "}\n");
    http_answer_json(rq, 200, &b);
}

void api_answer_alerts(struct api *api, struct http_request *rq)
{
    struct alert_log *log = api_alert_log(api, rq);
    struct alert_filter *filter = log ? api_alert_filter(rq) : NULL;
    struct alert_query query = {.filter = filter};
    struct alert_page page;
    struct buf why;

    if (filter && read_query(rq, &query)) {
        buf_init(&why);
        if (alert_query_page(log, checkpoint_store(*api->host->cp), &query, &page, &why) == STORE_OK) {
            answer_page(rq, &query, &page);
        } else {
            http_answer_problem(rq, HTTP_UNAVAILABLE, "the database cannot be read: %s", why.data);
            http_answer_retry_after(rq, 5);
        }
        alert_page_fini(&page);
        buf_fini(&why);
    }
    alert_filter_free(&filter);
}

/* ---- GET /v1/alerts/stream ------------------------------------------------------------------- */

/* False: it is answered. */
static bool read_after(struct http_request *rq, const uint64_t **after_out, uint64_t *number)
{
    const char *text = http_request_last_event_id(rq);
    size_t len = text ? strlen(text) : 0;

    *number = http_request_count(rq, "after", 0);
    *after_out = text || http_request_query(rq, "after") ? number : NULL;
    if (!text)
        return true;
    if (len == 0 || len > 18 || strspn(text, "0123456789") != len) {
        http_answer_problem(rq, HTTP_BAD_REQUEST, "`Last-Event-ID` is the number of an alert");
        return false;
    }
    *number = strtoull(text, NULL, 10);
    return true;
}

void api_stream_alerts(struct api *api, struct http_request *rq)
{
    struct alert_log *log = api_alert_log(api, rq);
    struct alert_filter *filter = log ? api_alert_filter(rq) : NULL;
    const uint64_t *after;
    uint64_t number;

    if (filter && read_after(rq, &after, &number)) {
        if (!api_streams_add(api->streams, rq, filter, after)) {
            http_answer_problem(rq, HTTP_UNAVAILABLE, "as many watch alerts as may (`streams`)");
            http_answer_retry_after(rq, 5);
        }
        filter = NULL;
    }
    alert_filter_free(&filter);
    http_request_done(rq);
}
