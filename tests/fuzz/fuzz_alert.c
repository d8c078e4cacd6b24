// SPDX-License-Identifier: Apache-2.0
/*
 * Alerts that are kept, by the first byte: a record of the database, seen through filters; a segment, or
 * what is counted; a filter's texts with an alert; a cursor.
 */
#include <fuzz/fuzz.h>

#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "flow/alert_filter.h"
#include "flow/alert_query.h"
#include "state/alert_log.h"
#include "state/space.h"

static struct alert_filter *filter_of(const struct alert_filter_text *text)
{
    struct buf why;

    buf_init(&why);
    struct alert_filter *filter = alert_filter_new(text, &why);
    if (!filter && why.len == 0)
        fuzz_fail("a filter is refused without a word");
    buf_fini(&why);
    return filter;
}

static void record(const uint8_t *data, size_t len)
{
    static const struct alert_filter_text text[] = {
        {.rule = "a*,?b"}, {.key = "[\"x\",1]"}, {.key = "{\"k\":1}"}, {.min_severity = "high"}};
    uint8_t key[ALERT_KEY_BYTES];
    struct alert_record record, again;
    struct buf b, scratch;

    alert_record_key(key, 7);
    if (!alert_record_decode(key, sizeof key, data, len, &record))
        return;
    buf_init(&b);
    buf_init(&scratch);
    alert_record_encode(&record, &b);
    if (!alert_record_decode(key, sizeof key, b.data, b.len, &again) || again.len != record.len ||
        again.at != record.at || again.about.time != record.about.time || again.number != 7 ||
        again.about.key.at != record.about.key.at || again.about.rule.len != record.about.rule.len)
        fuzz_fail("a record does not come back");
    buf_clear(&b);
    alert_query_render(&b, &record, &scratch);
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
        struct alert_filter *filter = filter_of(&text[i]);
        alert_filter_fits(filter, &record);
        alert_filter_free(&filter);
    }
    buf_fini(&b);
    buf_fini(&scratch);
}

static void counts(const uint8_t *data, size_t len)
{
    static const char counts_key[] = "malerts";
    uint8_t key[ALERT_KEY_BYTES] = {SPACE_SEGMENT, [8] = 1};
    struct alert_segment segment, again;
    struct buf b;
    uint64_t next;
    bool known;

    alert_log_read_counts(counts_key, sizeof counts_key - 1, data, len, &next, &known);
    if (!alert_segment_decode(key, sizeof key, data, len, &segment))
        return;
    buf_init(&b);
    alert_segment_encode(&segment, &b);
    if (!alert_segment_decode(key, sizeof key, b.data, b.len, &again) || again.n != segment.n ||
        again.bytes != segment.bytes || again.most_time != segment.most_time)
        fuzz_fail("a segment does not come back");
    buf_fini(&b);
}

/* The next text, up to a NUL; NULL if it is empty, or no UTF-8. */
static const char *next_text(const char **at, const char *end)
{
    const char *text = *at;
    size_t len = strlen(text);

    *at = text + len < end ? text + len + 1 : end;
    return len > 0 && utf8_valid(text, len, NULL) ? text : NULL;
}

static void filter(const uint8_t *data, size_t len)
{
    static const char json[] = "{\"id\":\"0\",\"rule\":\"ab\",\"key\":{\"k\":1,\"m\":\"x\"}}";
    const struct alert_record alert = {
        .about = {.time = 5, .severity = 3, .rule = {17, 4}, .key = {28, 15}},
        .text = json, .len = sizeof json - 1};
    char *all = mem_strndup((const char *)data, len);
    const char *at = all, *end = all + len;
    struct alert_filter_text text = {0};

    text.rule = next_text(&at, end);
    text.severity = next_text(&at, end);
    text.min_severity = next_text(&at, end);
    text.key = next_text(&at, end);
    text.since = next_text(&at, end);
    text.until = next_text(&at, end);
    struct alert_filter *f = filter_of(&text), *same = f ? filter_of(&text) : NULL;
    if (f && (alert_filter_fits(f, &alert) != alert_filter_fits(same, &alert) ||
              alert_filter_mark(f) != alert_filter_mark(same)))
        fuzz_fail("a filter is not what it is");
    alert_filter_free(&f);
    alert_filter_free(&same);
    mem_free(all);
}

static void cursor(const uint8_t *data, size_t len)
{
    struct alert_filter *any = filter_of(&(struct alert_filter_text){.rule = NULL});
    struct alert_query query = {.filter = any, .newest = len % 2};
    char *text = mem_strndup((const char *)data, len), again[ALERT_QUERY_CURSOR];

    if (alert_cursor_read(text, &query)) {
        alert_cursor_write(&query, query.from, again);
        if (strcmp(text, again) != 0)
            fuzz_fail("a cursor becomes another");
    }
    alert_cursor_write(&query, len, again);
    if (alert_cursor_read(again, &query) != (len > 0))
        fuzz_fail("a cursor is none");
    mem_free(text);
    alert_filter_free(&any);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static void (*const kind[])(const uint8_t *data, size_t len) = {record, counts, filter, cursor};

    if (size > 0)
        kind[data[0] % 4](data + 1, size - 1);
    return 0;
}
