// SPDX-License-Identifier: Apache-2.0
/* time_format: every format, its limits and what it must refuse; writing times and durations. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "event/time_format.h"

static const int64_t s = 1000000000;

static struct value text(const char *t)
{
    return value_text(t, strlen(t));
}

static void reads(struct value v, unsigned formats, int64_t want)
{
    int64_t ns = 42;
    if (!time_read(v, formats, 0, &ns))
        fail_msg("unreadable: %.*s", v.type == VALUE_TEXT ? (int)v.len : 1,
                 v.type == VALUE_TEXT ? v.u.text : "?");
    if (ns != want)
        fail_msg("%.*s is %lld, not %lld", v.type == VALUE_TEXT ? (int)v.len : 1,
                 v.type == VALUE_TEXT ? v.u.text : "?", (long long)ns, (long long)want);
}

static void refuses(struct value v, unsigned formats)
{
    int64_t ns;
    if (time_read(v, formats, 0, &ns))
        fail_msg("read: %.*s", v.type == VALUE_TEXT ? (int)v.len : 1,
                 v.type == VALUE_TEXT ? v.u.text : "?");
}

static void rfc3339(void **state)
{
    (void)state;
    reads(text("1970-01-01T00:00:00Z"), TIME_ALL, 0);
    reads(text("2027-01-01T00:00:00Z"), TIME_RFC3339, 1798761600 * s);
    reads(text("2027-01-01t00:00:00z"), TIME_RFC3339, 1798761600 * s);
    reads(text("2027-01-01 00:00:00Z"), TIME_RFC3339, 1798761600 * s);
    reads(text("2027-01-01T01:30:00+01:30"), TIME_RFC3339, 1798761600 * s);
    reads(text("2026-12-31T18:00:00-0600"), TIME_RFC3339, 1798761600 * s);
    reads(text("2026-12-31T18:00:00-06"), TIME_RFC3339, 1798761600 * s);
    reads(text("2027-01-01T00:00:00-00:00"), TIME_RFC3339, 1798761600 * s);
    reads(text("2027-01-01T23:59:00+23:59"), TIME_RFC3339, 1798761600 * s);
    reads(text("2015-06-10T04:53:09.123456-0600"), TIME_ALL, 1433933589123456000);
    reads(text("1970-01-01T00:00:00.1Z"), TIME_RFC3339, 100000000);
    reads(text("1970-01-01T00:00:00.123456789Z"), TIME_RFC3339, 123456789);
    reads(text("1970-01-01T00:00:00.1234567899999999999999Z"), TIME_RFC3339, 123456789);
    reads(text("1969-12-31T23:59:59.999999999Z"), TIME_RFC3339, -1);
    reads(text("2016-12-31T23:59:60Z"), TIME_RFC3339, 1483228800 * s);

    refuses(text("2027-01-01T00:00:00"), TIME_RFC3339);
    refuses(text("2027-01-01T00:00:00.Z"), TIME_RFC3339);
    refuses(text("2027-01-01T00:00:00,5Z"), TIME_RFC3339);
    refuses(text("2027-01-01T00:00:00Zx"), TIME_RFC3339);
    refuses(text(" 2027-01-01T00:00:00Z"), TIME_RFC3339);
    refuses(text("2027-01-01T00:00:00Z "), TIME_RFC3339);
    refuses(text("2027-01-01T00:00Z"), TIME_RFC3339);
    refuses(text("2027-1-01T00:00:00Z"), TIME_RFC3339);
    refuses(text("2027-01-01T00:00:00+1"), TIME_RFC3339);
    refuses(text("2027-01-01T00:00:00+01:3"), TIME_RFC3339);
    refuses(text("2027-01-01T00:00:00+01:"), TIME_RFC3339);
    refuses(text("2027-01-01T00:00:00+24:00"), TIME_RFC3339);
    refuses(text("2027-01-01T00:00:00+00:60"), TIME_RFC3339);
    refuses(text("2027-01-01T24:00:00Z"), TIME_RFC3339);
    refuses(text("2027-01-01T00:60:00Z"), TIME_RFC3339);
    refuses(text("2027-01-01T00:00:61Z"), TIME_RFC3339);
    refuses(text("2027-01-01"), TIME_ALL);
    refuses(text(""), TIME_ALL);
    refuses(text("now"), TIME_ALL);
    refuses(text("2027-01-01T00:00:00Z"), TIME_DATETIME | TIME_EPOCH_S);
}

static void calendar(void **state)
{
    int64_t ns;

    (void)state;
    reads(text("2024-02-29T00:00:00Z"), TIME_RFC3339, 1709164800 * s);
    reads(text("2000-02-29T00:00:00Z"), TIME_RFC3339, 951782400 * s);
    refuses(text("2023-02-29T00:00:00Z"), TIME_RFC3339);
    refuses(text("2100-02-29T00:00:00Z"), TIME_RFC3339);
    refuses(text("2023-04-31T00:00:00Z"), TIME_RFC3339);
    refuses(text("2023-00-01T00:00:00Z"), TIME_RFC3339);
    refuses(text("2023-13-01T00:00:00Z"), TIME_RFC3339);
    refuses(text("2023-01-00T00:00:00Z"), TIME_RFC3339);

    /* The first and the last ns that int64 holds, and one further. */
    reads(text("1677-09-21T00:12:43.145224192Z"), TIME_RFC3339, INT64_MIN);
    reads(text("2262-04-11T23:47:16.854775807Z"), TIME_RFC3339, INT64_MAX);
    refuses(text("1677-09-21T00:12:43.145224191Z"), TIME_RFC3339);
    refuses(text("2262-04-11T23:47:16.854775808Z"), TIME_RFC3339);
    refuses(text("2262-04-11T23:47:16.854775807-00:01"), TIME_RFC3339);
    refuses(text("1677-09-21T00:12:43.145224192+00:01"), TIME_RFC3339);
    refuses(text("0000-01-01T00:00:00Z"), TIME_RFC3339);
    refuses(text("9999-12-31T23:59:59Z"), TIME_RFC3339);

    assert_true(time_from_civil(1970, 1, 1, 0, 0, 0, 0, &ns));
    assert_int_equal(ns, 0);
    assert_false(time_from_civil(1970, 1, 1, 0, 0, 0, s, &ns));
    assert_false(time_from_civil(1970, 1, 1, -1, 0, 0, 0, &ns));
    assert_false(time_from_civil(-5, 1, 1, 0, 0, 0, 0, &ns));
}

static void datetime(void **state)
{
    int64_t ns;

    (void)state;
    reads(text("2027-01-01 00:00:00"), TIME_ALL, 1798761600 * s);
    reads(text("2027-01-01T00:00:00.5"), TIME_DATETIME, 1798761600 * s + s / 2);
    refuses(text("2027-01-01 00:00:00"), TIME_RFC3339);
    refuses(text("2027-01-01 00:00:00."), TIME_DATETIME);
    assert_true(time_read(text("2027-01-01 02:00:00"), TIME_DATETIME, 120, &ns));
    assert_int_equal(ns, 1798761600 * s);
    assert_true(time_read(text("2026-12-31 18:30:00"), TIME_DATETIME, -330, &ns));
    assert_int_equal(ns, 1798761600 * s);
    /* An offset in the text outdoes the zone. */
    assert_true(time_read(text("2027-01-01T00:00:00Z"), TIME_ALL, 120, &ns));
    assert_int_equal(ns, 1798761600 * s);
}

static void one_epoch_format(void **state)
{
    (void)state;
    reads(value_int(1588205000), TIME_EPOCH_S, 1588205000 * s);
    reads(value_int(1588205000123), TIME_EPOCH_MS, 1588205000123000000);
    reads(value_int(1588205000123456), TIME_EPOCH_US, 1588205000123456000);
    reads(value_int(1588205000123456789), TIME_EPOCH_NS, 1588205000123456789);
    reads(value_int(-1), TIME_EPOCH_S, -s);
    /* Not told apart by size when only one is allowed. */
    reads(value_int(1), TIME_EPOCH_NS, 1);
    reads(value_int(200000000000), TIME_EPOCH_US, 200000000000000);
    reads(value_double(1588205000.5), TIME_EPOCH_S, 1588205000500000000);
    reads(value_double(-0.25), TIME_EPOCH_S, -250000000);
    reads(value_double(1588205000123.5), TIME_EPOCH_MS, 1588205000123500000);
    reads(value_double(1.4), TIME_EPOCH_NS, 1);
    reads(value_double(1588205000.123456), TIME_EPOCH_S, 1588205000123456001); /* what it is */
    reads(text("1588205000.123456"), TIME_EPOCH_S, 1588205000123456000);
    reads(text("1588205000.1234567891"), TIME_EPOCH_S, 1588205000123456789);
    reads(text("-1.5"), TIME_EPOCH_S, -1500000000);
    reads(text("1588205000123456789"), TIME_EPOCH_NS, 1588205000123456789);
    reads(text("12.3456"), TIME_EPOCH_US, 12345);
    reads(text("12.9"), TIME_EPOCH_NS, 12);
    reads(text("-9223372036854775807"), TIME_EPOCH_NS, -INT64_MAX);

    refuses(text("1."), TIME_EPOCH_S);
    refuses(text(".5"), TIME_EPOCH_S);
    refuses(text("-"), TIME_EPOCH_S);
    refuses(text("+1"), TIME_EPOCH_S);
    refuses(text("1e9"), TIME_EPOCH_S);
    refuses(text("1 "), TIME_EPOCH_S);
    refuses(text("0x10"), TIME_EPOCH_S);
    refuses(text("99999999999999999999"), TIME_EPOCH_NS);
    refuses(value_int(INT64_MAX / s + 1), TIME_EPOCH_S);
    refuses(value_int(INT64_MIN), TIME_EPOCH_US);
    refuses(value_double(1e300), TIME_EPOCH_NS);
    refuses(value_double(9223372036854775808.0), TIME_EPOCH_NS);
    refuses(value_double(1e10), TIME_EPOCH_S);
    refuses(value_bool(true), TIME_ALL);
    refuses(value_missing(), TIME_ALL);
    refuses(value_list(NULL, 0), TIME_ALL);
    refuses(value_int(1588205000), TIME_RFC3339 | TIME_DATETIME);
    reads(value_time(7), TIME_ALL, 7);
}

static void several_epoch_formats(void **state)
{
    (void)state;
    reads(value_int(1588205000), TIME_ALL, 1588205000 * s);
    reads(value_int(1588205000123), TIME_ALL, 1588205000123000000);
    reads(value_int(1588205000123456), TIME_ALL, 1588205000123456000);
    reads(value_int(1588205000123456789), TIME_ALL, 1588205000123456789);
    reads(value_double(1588205000123.5), TIME_ALL, 1588205000123500000);
    reads(text("1588205000123.5"), TIME_ALL, 1588205000123500000);
    /* The borders. */
    refuses(value_int(99999999999), TIME_ALL); /* seconds: the year 5138 */
    reads(value_int(100000000000), TIME_ALL, 100000000000000000);
    refuses(value_int(99999999999999), TIME_ALL); /* ms: 5138 */
    reads(value_int(100000000000000), TIME_ALL, 100000000000000000);
    refuses(value_int(99999999999999999), TIME_ALL); /* us: 5138 */
    reads(value_int(100000000000000000), TIME_ALL, 100000000000000000);
    reads(value_int(-100000000000), TIME_ALL, -100000000000000000);
    /* The size says ms, which is not allowed: no guess. */
    refuses(value_int(1588205000123), TIME_EPOCH_S | TIME_EPOCH_NS);
    reads(value_int(1588205000), TIME_EPOCH_S | TIME_EPOCH_NS, 1588205000 * s);
}

static void names(void **state)
{
    enum time_format f;
    const char *list = time_format_names();
    unsigned all = 0;

    (void)state;
    while (*list) {
        size_t len = strcspn(list, ",");
        assert_true(time_format_named(list, len, &f));
        all |= f;
        list += len;
        list += strspn(list, ", ");
    }
    assert_int_equal(all, TIME_ALL);
    assert_false(time_format_named("epoch", 5, &f));
    assert_false(time_format_named("rfc3339x", 8, &f));
    assert_false(time_format_named("", 0, &f));
}

static void time_is(int64_t ns, const char *want)
{
    struct buf b;
    buf_init(&b);
    time_add_text(&b, ns);
    assert_string_equal(b.data, want);
    reads(text(b.data), TIME_RFC3339, ns);
    buf_fini(&b);
}

static void times_are_written(void **state)
{
    (void)state;
    time_is(0, "1970-01-01T00:00:00Z");
    time_is(1798761600 * s, "2027-01-01T00:00:00Z");
    time_is(500000000, "1970-01-01T00:00:00.500Z");
    time_is(1000, "1970-01-01T00:00:00.000001Z");
    time_is(1, "1970-01-01T00:00:00.000000001Z");
    time_is(-1, "1969-12-31T23:59:59.999999999Z");
    time_is(-s, "1969-12-31T23:59:59Z");
    time_is(951782400 * s, "2000-02-29T00:00:00Z");
    time_is(INT64_MIN, "1677-09-21T00:12:43.145224192Z");
    time_is(INT64_MAX, "2262-04-11T23:47:16.854775807Z");
    srand(3);
    for (int i = 0; i < 20000; i++) {
        struct buf b;
        uint64_t r = (uint64_t)rand() << 42 ^ (uint64_t)rand() << 21 ^ (uint64_t)rand();
        buf_init(&b);
        time_add_text(&b, (int64_t)r);
        reads(text(b.data), TIME_RFC3339, (int64_t)r);
        buf_fini(&b);
    }
}

static void duration_is(int64_t ns, const char *want, const char *want_seconds)
{
    struct buf b;
    buf_init(&b);
    duration_add_text(&b, ns);
    assert_string_equal(b.data, want);
    buf_clear(&b);
    duration_add_seconds(&b, ns);
    assert_string_equal(b.data, want_seconds);
    buf_fini(&b);
}

static void durations_are_written(void **state)
{
    (void)state;
    duration_is(0, "0s", "0");
    duration_is(30 * s, "30s", "30");
    duration_is(5400 * s, "1h30m", "5400");
    duration_is(500000000, "500ms", "0.5");
    duration_is(250000000, "250ms", "0.25");
    duration_is(-5 * s, "-5s", "-5");
    duration_is(26 * 3600 * s, "1d2h", "93600");
    duration_is(1, "0.000000001s", "0.000000001");
    duration_is(1500000, "0.0015s", "0.0015");
    duration_is(61 * s + 1, "1m1.000000001s", "61.000000001");
    duration_is(90061 * s + 7000000, "1d1h1m1s7ms", "90061.007");
    duration_is(INT64_MIN, "-106751d23h47m16.854775808s", "-9223372036.854775808");
    duration_is(INT64_MAX, "106751d23h47m16.854775807s", "9223372036.854775807");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rfc3339),
        cmocka_unit_test(calendar),
        cmocka_unit_test(datetime),
        cmocka_unit_test(one_epoch_format),
        cmocka_unit_test(several_epoch_formats),
        cmocka_unit_test(names),
        cmocka_unit_test(times_are_written),
        cmocka_unit_test(durations_are_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
