// SPDX-License-Identifier: Apache-2.0
#include "flow/alert_query.h"

#include <inttypes.h>
#include <string.h>

#include "base/clock.h"
#include "base/reader.h"
#include "flow/alert_filter.h"
#include "flow/deliver.h"

#define LONGEST INT64_C(100000000) /* ns for a page */
enum { SEEK_EVERY = 64 };          /* records between two looks at segments, and at the clock */
enum { CURSOR_VERSION = 1, CURSOR_BYTES = 14 };

/* ---- one alert ------------------------------------------------------------------------------- */

void alert_query_render(struct buf *out, const struct alert_record *record, struct buf *scratch)
{
    buf_clear(scratch);
    alert_stamp(scratch, record->text, record->len, record->at);
    buf_printf(out, "{\"number\":%" PRIu64 ",", record->number);
    buf_add(out, scratch->data + 1, scratch->len - 1);
}

/* ---- a page ---------------------------------------------------------------------------------- */

struct scan {
    const struct alert_query *query;
    struct alert_page *page;
    struct buf scratch;
    uint64_t at;     /* the next one to be looked at; 0: none */
    size_t looked;   /* since the last seek */
    size_t bytes;
    int64_t until;   /* monotonic */
};

static bool is_over(const struct scan *scan, uint64_t number)
{
    const struct alert_query *query = scan->query;

    return query->newest ? number <= query->after || number < scan->page->range.first
                         : number >= scan->page->range.end;
}

static void take(struct scan *scan, const struct alert_record *record)
{
    struct alert_page *page = scan->page;

    if (!alert_filter_fits(scan->query->filter, record))
        return;
    if (page->n++ > 0 && !scan->query->lines)
        buf_addc(&page->text, ',');
    alert_query_render(&page->text, record, &scan->scratch);
    if (scan->query->lines)
        buf_addc(&page->text, '\n');
}

static bool is_full(const struct scan *scan)
{
    const struct alert_page *page = scan->page;

    return page->n >= scan->query->limit || page->text.len >= ALERT_QUERY_BYTES ||
           page->scanned >= ALERT_QUERY_SCAN || scan->bytes >= ALERT_QUERY_SCAN_BYTES;
}

static bool found(void *ctx, uint64_t number, const struct alert_record *record)
{
    struct scan *scan = ctx;

    if (is_over(scan, number)) {
        scan->at = 0;
        return false;
    }
    scan->page->scanned++;
    scan->bytes += record ? record->len : 0;
    if (record)
        take(scan, record);
    else
        scan->page->damaged++;
    scan->at = scan->query->newest ? number - 1 : number + 1;
    return !is_full(scan) && ++scan->looked < SEEK_EVERY;
}

static uint64_t begin(const struct alert_query *query, struct alert_log_range range)
{
    uint64_t last = range.end - 1;

    if (query->newest)
        return query->from && query->from < last ? query->from : last;
    uint64_t from = query->from > query->after ? query->from : query->after + 1;
    return from > range.first ? from : range.first;
}

enum store_result alert_query_page(struct alert_log *log, struct store *st,
                                   const struct alert_query *query, struct alert_page *page_out,
                                   struct buf *why)
{
    struct scan scan = {.query = query, .page = page_out};
    enum store_result result = STORE_OK;
    int64_t since, until, begun = clock_monotonic();

    *page_out = (struct alert_page){.range = alert_log_range(log)};
    buf_init(&page_out->text);
    buf_init(&scan.scratch);
    alert_filter_times(query->filter, &since, &until);
    scan.at = begin(query, page_out->range);
    while (result == STORE_OK && scan.at != 0) {
        uint64_t place = alert_log_seek(log, scan.at, since, until, query->newest);
        scan.at = place;
        if (place == 0 || is_over(&scan, place)) {
            scan.at = 0;
            break;
        }
        if (is_full(&scan) || (page_out->scanned > 0 && clock_monotonic() - begun > LONGEST))
            break;
        scan.looked = 0;
        result = alert_log_read(st, place, query->newest, found, &scan, why);
        if (scan.at == place) /* it went meanwhile */
            scan.at = 0;
    }
    page_out->next = scan.at;
    buf_fini(&scan.scratch);
    return result;
}

void alert_page_fini(struct alert_page *page)
{
    buf_fini(&page->text);
}

/* ---- cursors --------------------------------------------------------------------------------- */

static void encode(const struct alert_query *query, uint64_t next, struct buf *out)
{
    buf_add_u8(out, CURSOR_VERSION);
    buf_add_u8(out, query->newest);
    buf_add_u64(out, next);
    buf_add_u32(out, alert_filter_mark(query->filter));
}

void alert_cursor_write(const struct alert_query *query, uint64_t next,
                        char text_out[ALERT_QUERY_CURSOR])
{
    struct buf plain, text;

    buf_init(&plain);
    buf_init(&text);
    encode(query, next, &plain);
    buf_add_hex(&text, plain.data, plain.len);
    memcpy(text_out, text.data, text.len + 1);
    buf_fini(&plain);
    buf_fini(&text);
}

static int digit_of(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool alert_cursor_read(const char *text, struct alert_query *query)
{
    uint8_t bytes[CURSOR_BYTES];
    struct reader r;

    if (strlen(text) != sizeof bytes * 2)
        return false;
    for (size_t i = 0; i < sizeof bytes; i++) {
        int high = digit_of(text[2 * i]), low = digit_of(text[2 * i + 1]);
        if (high < 0 || low < 0)
            return false;
        bytes[i] = (uint8_t)(high << 4 | low);
    }
    reader_init(&r, bytes, sizeof bytes);
    uint8_t version = reader_u8(&r), newest = reader_u8(&r);
    query->from = reader_u64(&r);
    return version == CURSOR_VERSION && newest == query->newest && query->from > 0 &&
           reader_u32(&r) == alert_filter_mark(query->filter);
}
