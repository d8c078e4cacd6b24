// SPDX-License-Identifier: Apache-2.0
/* alert_filter, alert_query: which fit, pages without holes, cursors, bounds of the work. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <tests/unit/alert_fixture.h>

#include "flow/alert_filter.h"
#include "flow/alert_query.h"

static const struct alert_log_options plenty = {.max_count = 256000, .max_bytes = 1 << 30,
                                                .keep = INT64_C(3600000000000)};

static struct alert_filter *filter_of(struct alert_filter_text text)
{
    struct alert_filter *filter = alert_filter_new(&text, &why);

    if (!filter)
        fail_msg("%s", why.data);
    return filter;
}

/* ---- filters --------------------------------------------------------------------------------- */

static bool fits(struct alert_filter_text text, const char *rule, unsigned severity, int64_t time,
                 const char *key)
{
    struct alert_filter *filter = filter_of(text);
    struct alert_record record = {.number = 1};
    struct buf b;

    buf_init(&b);
    make_alert(&b, &record.about, rule, severity, time, key);
    record.text = b.data;
    record.len = b.len;
    bool yes = alert_filter_fits(filter, &record);
    buf_fini(&b);
    alert_filter_free(&filter);
    return yes;
}

#define FITS(rule, severity, time, key, ...) \
    assert_true(fits((struct alert_filter_text){__VA_ARGS__}, rule, severity, time, key))
#define FAILS(rule, severity, time, key, ...) \
    assert_false(fits((struct alert_filter_text){__VA_ARGS__}, rule, severity, time, key))

static void what_fits(void **state)
{
    (void)state;
    FITS("r", 2, 0, "{}", .rule = NULL);
    FITS("brute_force", 2, 0, "{}", .rule = "brute*");
    FITS("b", 2, 0, "{}", .rule = "a,b");
    FAILS("c", 2, 0, "{}", .rule = "a,b");
    FITS("a \"b\" \\ \xc3\xa4", 2, 0, "{}", .rule = "a \"b\" \\ \xc3\xa4");
    FITS("a \"b\" \xc3\xa4", 2, 0, "{}", .rule = "a ?b? ?");
    FITS("r", 3, 0, "{}", .severity = "high");
    FITS("r", 3, 0, "{}", .severity = "low,high");
    FAILS("r", 2, 0, "{}", .severity = "low,high");
    FITS("r", 3, 0, "{}", .min_severity = "high");
    FITS("r", 4, 0, "{}", .min_severity = "high");
    FAILS("r", 2, 0, "{}", .min_severity = "high");
    FAILS("r", 4, 0, "{}", .min_severity = "high", .severity = "high,low");
    FITS("r", 0, 5 * SECOND, "{}", .since = "1970-01-01T00:00:05Z", .until = "1970-01-01T00:00:06Z");
    FAILS("r", 0, 6 * SECOND, "{}", .since = "1970-01-01T00:00:05Z", .until = "1970-01-01T00:00:06Z");
    FAILS("r", 0, 5 * SECOND - 1, "{}", .since = "1970-01-01T00:00:05Z");
    FITS("r", 0, 0, "{\"k\":\"x\"}", .key = "x");
    FITS("r", 0, 0, "{\"k\":\"x\"}", .key = "\"x\"");
    FITS("r", 0, 0, "{\"k\":\"x\"}", .key = "[\"x\"]");
    FITS("r", 0, 0, "{\"k\":5}", .key = "5");
    FITS("r", 0, 0, "{\"k\":5}", .key = "5.0");
    FAILS("r", 0, 0, "{\"k\":\"5\"}", .key = "5");
    FITS("r", 0, 0, "{\"k\":\"5\"}", .key = "\"5\"");
    FITS("r", 0, 0, "{\"k\":-0}", .key = "0");
    FITS("r", 0, 0, "{\"k\":0}", .key = "-0.0");
    FITS("r", 0, 0, "{\"k\":1e+18}", .key = "1000000000000000000");
    FAILS("r", 0, 0, "{\"k\":1e+18}", .key = "1000000000000000001");
    FITS("r", 0, 0, "{\"k\":9.223372036854776e+18}", .key = "9223372036854775808");
    FITS("r", 0, 0, "{\"k\":9.223372036854776e+18,\"m\":7}", .key = "[9223372036854775808,7]");
    FAILS("r", 0, 0, "{\"k\":\"9223372036854775808\"}", .key = "9223372036854775808");
    FITS("r", 0, 0, "{\"k\":null}", .key = "null");
    FITS("r", 0, 0, "{\"k\":true,\"m\":-1.5}", .key = "[true,-1.5]");
    FAILS("r", 0, 0, "{\"k\":true,\"m\":-1.5}", .key = "true");
    FAILS("r", 0, 0, "{\"k\":true}", .key = "[true,-1.5]");
    FITS("r", 0, 0, "{\"k\":true,\"m\":-1.5}", .key = "{\"m\":-1.5}");
    FAILS("r", 0, 0, "{\"k\":true,\"m\":-1.5}", .key = "{\"x\":1}");
    FITS("r", 0, 0, "{}", .key = "[]");
    FAILS("r", 0, 0, "{\"k\":1}", .key = "[]");
    FITS("r", 0, 0, "{\"k\":\"a\\nb\"}", .key = "\"a\\u000ab\"");
}

static void refused(struct alert_filter_text text, const char *what)
{
    buf_clear(&why);
    assert_null(alert_filter_new(&text, &why));
    assert_non_null(strstr(why.data, what));
}

static void what_is_refused(void **state)
{
    (void)state;
    refused((struct alert_filter_text){.rule = ""}, "`rule`");
    refused((struct alert_filter_text){.rule = "a,,b"}, "`rule`");
    refused((struct alert_filter_text){.severity = "worse"}, "severity");
    refused((struct alert_filter_text){.severity = "high,"}, "severity");
    refused((struct alert_filter_text){.min_severity = "worst"}, "severity");
    refused((struct alert_filter_text){.key = "{\"a\":[]}"}, "`key`");
    refused((struct alert_filter_text){.key = "[[1]]"}, "`key`");
    refused((struct alert_filter_text){.since = "now"}, "`since`");
    refused((struct alert_filter_text){.until = "12"}, "`until`");
}

/* ---- pages ----------------------------------------------------------------------------------- */

static void open_log(void)
{
    struct checkpoint_options all = {.alerts = plenty};

    open_with(&all, two, 1);
}

static struct alert_page page_of(const struct alert_query *query)
{
    struct alert_page page;

    assert_int_equal(alert_query_page(checkpoint_alerts(cp), checkpoint_store(cp), query, &page, &why),
                     STORE_OK);
    return page;
}

/* How many, over all pages; each is by cursor where the last one ended. */
static size_t count_all(struct alert_query query, size_t *pages_out)
{
    size_t n = 0;

    *pages_out = 0;
    for (;;) {
        char cursor[ALERT_QUERY_CURSOR];
        struct alert_page page = page_of(&query);
        n += page.n;
        ++*pages_out;
        assert_true(page.scanned <= ALERT_QUERY_SCAN);
        uint64_t next = page.next;
        alert_page_fini(&page);
        if (next == 0)
            return n;
        alert_cursor_write(&query, next, cursor);
        query.from = 0;
        assert_true(alert_cursor_read(cursor, &query));
        assert_int_equal(query.from, next);
    }
}

static void pages_have_all(void **state)
{
    (void)state;
    struct alert_filter *any = filter_of((struct alert_filter_text){.rule = NULL});
    struct alert_filter *late = filter_of((struct alert_filter_text){.since = "1970-01-01T00:10:00Z"});
    struct alert_query query = {.filter = any, .limit = 100};
    size_t pages;

    open_log();
    for (int newest = 0; newest < 2; newest++) {
        query.newest = newest;
        assert_int_equal(count_all(query, &pages), newest ? 1000 : 0);
        if (!newest)
            send_alerts(0, 1000);
        assert_int_equal(count_all(query, &pages), 1000);
        assert_int_equal(pages, 10);
        query.limit = 333;
        assert_int_equal(count_all(query, &pages), 1000);
        query.after = 990;
        assert_int_equal(count_all(query, &pages), 10);
        query.after = 5000;
        assert_int_equal(count_all(query, &pages), 0);
        query.after = 0;
        query.filter = late;
        assert_int_equal(count_all(query, &pages), 400);
        query.filter = any;
        query.limit = 100;
    }
    alert_filter_free(&any);
    alert_filter_free(&late);
}

static void the_work_is_bounded(void **state)
{
    (void)state;
    struct alert_filter *none = filter_of((struct alert_filter_text){.rule = "nobody"});
    struct alert_filter *old = filter_of((struct alert_filter_text){.until = "1970-01-01T00:00:05Z"});
    struct alert_query query = {.filter = none, .limit = 10, .newest = true};
    size_t pages;

    open_log();
    for (int i = 0; i < 50; i++)
        send_alerts(i * 1000, 1000);
    struct alert_page page = page_of(&query);
    assert_int_equal(page.n, 0);
    assert_true(page.next > 0 && page.scanned <= ALERT_QUERY_SCAN);
    alert_page_fini(&page);
    assert_int_equal(count_all(query, &pages), 0);
    assert_true(pages >= 3);
    query.filter = old; /* segments of other times are not read */
    page = page_of(&query);
    assert_int_equal(page.n, 5);
    assert_true(page.scanned <= 1000);
    assert_int_equal(page.next, 0);
    alert_page_fini(&page);
    alert_filter_free(&none);
    alert_filter_free(&old);
}

static void a_page_has_so_many_bytes(void **state)
{
    (void)state;
    struct alert_filter *any = filter_of((struct alert_filter_text){.rule = NULL});
    struct alert_query query = {.filter = any, .limit = 1000};
    struct epoch *ep = epoch_new();
    struct buf key;
    size_t pages;

    open_log();
    buf_init(&key);
    buf_adds(&key, "{\"k\":\"");
    while (key.len < ALERT_QUERY_BYTES)
        buf_adds(&key, "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx");
    buf_adds(&key, "\"}");
    for (int i = 0; i < 3; i++)
        add_alert(ep, "r", 1, i, key.data);
    submit(ep);
    assert_int_equal(count_all(query, &pages), 3);
    assert_int_equal(pages, 3);
    buf_fini(&key);
    alert_filter_free(&any);
}

static void cursors_are_of_a_query(void **state)
{
    (void)state;
    struct alert_filter *a = filter_of((struct alert_filter_text){.rule = "a"});
    struct alert_filter *b = filter_of((struct alert_filter_text){.rule = "b"});
    struct alert_query query = {.filter = a, .newest = true}, other;
    char cursor[ALERT_QUERY_CURSOR];

    alert_cursor_write(&query, 0x1234567890, cursor);
    other = query;
    assert_true(alert_cursor_read(cursor, &other));
    assert_int_equal(other.from, 0x1234567890);
    other.newest = false;
    assert_false(alert_cursor_read(cursor, &other));
    other = query;
    other.filter = b;
    assert_false(alert_cursor_read(cursor, &other));
    for (size_t i = 0; i < 4; i++) { /* version, order */
        char c = cursor[i];
        cursor[i] = c == 'f' ? 'e' : 'f';
        assert_false(alert_cursor_read(cursor, &other));
        cursor[i] = c;
    }
    assert_false(alert_cursor_read("", &query));
    assert_false(alert_cursor_read("xyz", &query));
    assert_false(alert_cursor_read("0101000000000000000000000000", &query));
    alert_filter_free(&a);
    alert_filter_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_fits, setup, teardown),
        cmocka_unit_test_setup_teardown(what_is_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(pages_have_all, setup, teardown),
        cmocka_unit_test_setup_teardown(the_work_is_bounded, setup, teardown),
        cmocka_unit_test_setup_teardown(a_page_has_so_many_bytes, setup, teardown),
        cmocka_unit_test_setup_teardown(cursors_are_of_a_query, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
