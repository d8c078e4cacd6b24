// SPDX-License-Identifier: Apache-2.0
/* metrics, metrics_text: the table, adding up, what was before, the texts. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <unit/text_fixture.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/histogram.h"
#include "base/metrics.h"
#include "base/metrics_text.h"

static bool ends_with(const char *text, const char *end)
{
    size_t len = strlen(text), end_len = strlen(end);

    return len >= end_len && strcmp(text + len - end_len, end) == 0;
}

static void names_and_units_agree(void **state)
{
    (void)state;
    for (int i = 0; i < N_METRICS; i++) {
        const struct metric_spec *spec = &metric_specs[i];
        struct buf name;
        buf_init(&name);
        metric_add_name(&name, (enum metric)i);
        assert_int_equal(strspn(name.data, "abcdefghijklmnopqrstuvwxyz_"), name.len);
        assert_true(strcmp(spec->unit, "") == 0 || strcmp(spec->unit, "seconds") == 0 ||
                    strcmp(spec->unit, "bytes") == 0);
        assert_true(ends_with(spec->id, spec->unit));
        if (!*spec->unit)
            assert_false(ends_with(spec->id, "seconds") || ends_with(spec->id, "bytes"));
        assert_false(ends_with(spec->id, "total"));
        assert_true(ends_with(name.data, "_total") == (spec->type == METRIC_COUNTER));
        assert_true(strlen(spec->doc) > 0);
        buf_fini(&name);
        for (int k = 0; k < i; k++)
            assert_false(metric_specs[k].group == spec->group &&
                         strcmp(metric_specs[k].id, spec->id) == 0);
        if (i > 0) /* a group's rows stand together: lines of the log are made so */
            assert_true(spec->group == metric_specs[i - 1].group ||
                        spec->group == metric_specs[i - 1].group + 1);
    }
}

static struct metrics *some(void)
{
    struct metrics *m = metrics_new();

    metrics_count(m, METRIC_sink_waiting, "a\"b\\c\nd", NULL, 7);
    metrics_count(m, METRIC_source_events, "auth", NULL, 10);
    metrics_count(m, METRIC_source_events, "web", NULL, UINT64_MAX);
    metrics_count(m, METRIC_source_events, "auth", NULL, 5);
    metrics_count(m, METRIC_daemon_build, "1.2.3", NULL, 1);
    metrics_count(m, METRIC_rule_limited, "r", "runs", 3);
    metrics_count(m, METRIC_rule_limited, "r", "keys", 4);
    metrics_time(m, METRIC_source_lag_seconds, "auth", NULL, -1500000000);
    metrics_time(m, METRIC_checkpoint_age_seconds, NULL, NULL, 2000000000);
    metrics_time(m, METRIC_process_cpu_seconds, NULL, NULL, 1);
    return m;
}

static void prometheus_text(void **state)
{
    struct metrics *m = some();
    struct buf out;

    (void)state;
    buf_init(&out);
    metrics_write(m, METRICS_PROMETHEUS, &out);
    assert_non_null(strstr(out.data, "# HELP tocsin_build_info the version that runs\n"
                                     "# TYPE tocsin_build_info gauge\n"
                                     "tocsin_build_info{version=\"1.2.3\"} 1\n"));
    assert_non_null(strstr(out.data, "# TYPE tocsin_source_events_total counter\n"
                                     "tocsin_source_events_total{source=\"auth\"} 15\n"
                                     "tocsin_source_events_total{source=\"web\"} 18446744073709551615\n"));
    assert_non_null(strstr(out.data, "tocsin_rule_limited_total{rule=\"r\",limit=\"runs\"} 3\n"
                                     "tocsin_rule_limited_total{rule=\"r\",limit=\"keys\"} 4\n"));
    assert_non_null(strstr(out.data, "\ntocsin_source_lag_seconds{source=\"auth\"} -1.5\n"));
    assert_non_null(strstr(out.data, "\ntocsin_checkpoint_age_seconds 2\n"));
    assert_non_null(strstr(out.data, "\nprocess_cpu_seconds_total 0.000000001\n"));
    assert_non_null(strstr(out.data, "tocsin_sink_waiting{sink=\"a\\\"b\\\\c\\nd\"} 7\n"));
    assert_null(strstr(out.data, "# UNIT"));
    assert_null(strstr(out.data, "# EOF"));
    buf_fini(&out);
    metrics_free(&m);
}

static void open_metrics_text(void **state)
{
    struct metrics *m = some();
    struct buf out;

    (void)state;
    buf_init(&out);
    metrics_write(m, METRICS_OPENMETRICS, &out);
    assert_non_null(strstr(out.data, "# TYPE tocsin_build info\n"
                                     "tocsin_build_info{version=\"1.2.3\"} 1\n"));
    assert_non_null(strstr(out.data, "# TYPE tocsin_source_events counter\n"
                                     "tocsin_source_events_total{source=\"auth\"} 15\n"));
    assert_non_null(strstr(out.data, "# TYPE process_cpu_seconds counter\n"
                                     "# UNIT process_cpu_seconds seconds\n"
                                     "process_cpu_seconds_total 0.000000001\n"));
    assert_true(ends_with(out.data, "\n# EOF\n"));
    buf_fini(&out);
    metrics_free(&m);
}

static void counters_go_on_over_what_has_ended(void **state)
{
    struct metrics *before = some(), *m = metrics_new();
    struct buf out;

    (void)state;
    metrics_count(m, METRIC_source_events, "auth", NULL, 1);
    metrics_count(m, METRIC_sink_waiting, "a\"b\\c\nd", NULL, 1); /* a gauge is what it is now */
    metrics_carry(m, before);
    metrics_sort(m);
    metrics_count(m, METRIC_source_events, "auth", NULL, 1); /* found again after sorting */
    assert_int_equal(metrics_n(m), 2); /* `web` is gone */
    assert_int_equal(metrics_sample(m, 0).value, 17);
    assert_int_equal(metrics_sample(m, 1).value, 1);
    buf_init(&out);
    metrics_write(m, METRICS_PROMETHEUS, &out);
    assert_non_null(strstr(out.data, "tocsin_source_events_total{source=\"auth\"} 17\n"));
    buf_fini(&out);
    metrics_free(&m);
    metrics_free(&before);
}

/* By how much counters have fallen; not gauges, nor what is gone or new, nor what has grown. */
static void counters_that_fell(void **state)
{
    struct metrics *before = metrics_new(), *now = metrics_new(), *m = metrics_new();

    (void)state;
    metrics_count(before, METRIC_rule_events, "a", NULL, 10);
    metrics_count(before, METRIC_rule_events, "b", NULL, 10);
    metrics_count(before, METRIC_rule_events, "gone", NULL, 10);
    metrics_count(before, METRIC_rule_runs, "a", NULL, 10);
    metrics_time(before, METRIC_rule_seconds, "a", "engine", 5000);
    metrics_count(now, METRIC_rule_events, "new", NULL, 3);
    metrics_count(now, METRIC_rule_events, "a", NULL, 3);
    metrics_count(now, METRIC_rule_events, "b", NULL, 11);
    metrics_count(now, METRIC_rule_runs, "a", NULL, 1);
    metrics_time(now, METRIC_rule_seconds, "a", "engine", 1000);
    metrics_fallen(m, now, before);
    assert_int_equal(metrics_n(m), 2);
    assert_int_equal(metrics_sample(m, 0).value, 7);
    assert_string_equal(metrics_sample(m, 0).label[0], "a");
    assert_int_equal(metrics_sample(m, 1).value, 4000);
    assert_true(metrics_sample(m, 1).is_time);
    metrics_carry(now, m);
    assert_int_equal(metrics_sample(now, 1).value, 10);
    metrics_free(&m);
    metrics_free(&now);
    metrics_free(&before);
}

static void what_has_ended_stands_in(void **state)
{
    struct metrics *before = some(), *m = metrics_new();
    struct buf was, is;

    (void)state;
    metrics_stand_in(m, before);
    buf_init(&was);
    buf_init(&is);
    metrics_write(before, METRICS_PROMETHEUS, &was);
    metrics_write(m, METRICS_PROMETHEUS, &is);
    assert_string_equal(is.data, was.data);
    buf_fini(&was);
    buf_fini(&is);
    metrics_free(&m);
    metrics_free(&before);
}

static void add_line(void *ctx, enum log_category category, const char *fields)
{
    buf_printf(ctx, "%d%s\n", category, fields);
}

static void lines_are_grouped(void **state)
{
    struct metrics *m = some();
    struct buf out;
    char line[200];

    (void)state;
    buf_init(&out);
    metrics_count(m, METRIC_source_lines, "web", NULL, 2);
    metrics_count(m, METRIC_daemon_reloads, "done", NULL, 2);
    metrics_lines(m, add_line, &out);
    snprintf(line, sizeof line, "%d source=\"web\" lines=2 events=18446744073709551615\n", LOG_source);
    assert_non_null(strstr(out.data, line));
    snprintf(line, sizeof line, "%d source=\"auth\" events=15 lag_seconds=-1.5\n", LOG_source);
    assert_non_null(strstr(out.data, line));
    snprintf(line, sizeof line, "%d rule=\"r\" limited_runs=3 limited_keys=4\n", LOG_rules);
    assert_non_null(strstr(out.data, line));
    snprintf(line, sizeof line, "%d reloads_done=2\n", LOG_daemon);
    assert_non_null(strstr(out.data, line));
    assert_non_null(strstr(out.data, " sink=\"a\\\"b\\\\c\\nd\" waiting=7\n"));
    buf_fini(&out);
    metrics_free(&m);
}

static void an_empty_set_is_a_text_too(void **state)
{
    struct metrics *m = metrics_new();
    struct buf out;

    (void)state;
    buf_init(&out);
    metrics_write(m, METRICS_PROMETHEUS, &out);
    assert_int_equal(out.len, 0);
    metrics_write(m, METRICS_OPENMETRICS, &out);
    assert_string_equal(out.data, "# EOF\n");
    buf_fini(&out);
    metrics_free(&m);
    metrics_free(&m);
}

static void many_samples(void **state)
{
    struct metrics *m = metrics_new();

    (void)state;
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < 20000; i++) {
            char name[32];
            snprintf(name, sizeof name, "rule_%d", i);
            metrics_count(m, METRIC_rule_alerts, name, NULL, (uint64_t)i);
        }
    assert_int_equal(metrics_n(m), 20000);
    metrics_sort(m);
    for (int i = 0; i < 20000; i++)
        assert_int_equal(metrics_sample(m, (size_t)i).value, 2 * i);
    metrics_free(&m);
}

static void the_reference_has_the_table(void **state)
{
    struct buf want;

    (void)state;
    buf_init(&want);
    metrics_reference_markdown(&want);
    assert_true(text_has_table("grammar/figures.md", want.data));
    buf_fini(&want);
}

static void histograms_are_cumulative(void **state)
{
    struct metrics *m = metrics_new(), *before = metrics_new();
    struct histogram h = {.sum = 0};
    struct buf text;

    (void)state;
    histogram_add(&h, -5, 1);
    histogram_add(&h, 500000, 1);
    histogram_add(&h, 500001, 2);
    histogram_add(&h, INT64_C(2000000000), 1);
    histogram_add(&h, INT64_C(90000000000), 1);
    metrics_histogram(m, METRIC_sink_delivery_seconds, "a\"b", NULL, &h);
    metrics_histogram(before, METRIC_sink_delivery_seconds, "a\"b", NULL, &h);
    metrics_histogram(before, METRIC_sink_delivery_seconds, "gone", NULL, &h);
    metrics_carry(m, before);
    buf_init(&text);
    metrics_write(m, METRICS_OPENMETRICS, &text);
    static const char *const want[] = {
        "# TYPE tocsin_sink_delivery_seconds histogram\n", "# UNIT tocsin_sink_delivery_seconds seconds\n",
        "tocsin_sink_delivery_seconds_bucket{sink=\"a\\\"b\",le=\"0.0005\"} 4\n",
        "_bucket{sink=\"a\\\"b\",le=\"0.001\"} 8\n", "le=\"1.0\"} 8\n", "le=\"2.5\"} 10\n",
        "le=\"60.0\"} 10\n", "le=\"+Inf\"} 12\n", "_sum{sink=\"a\\\"b\"} 184.003000004\n",
        "_count{sink=\"a\\\"b\"} 12\n# EOF\n"};
    for (size_t i = 0; i < sizeof want / sizeof *want; i++)
        if (!strstr(text.data, want[i]))
            fail_msg("no %s in %s", want[i], text.data);
    assert_null(strstr(text.data, "gone"));
    buf_fini(&text);
    metrics_free(&m);
    metrics_free(&before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_and_units_agree),
        cmocka_unit_test(prometheus_text),
        cmocka_unit_test(open_metrics_text),
        cmocka_unit_test(counters_go_on_over_what_has_ended),
        cmocka_unit_test(counters_that_fell),
        cmocka_unit_test(what_has_ended_stands_in),
        cmocka_unit_test(lines_are_grouped),
        cmocka_unit_test(histograms_are_cumulative),
        cmocka_unit_test(an_empty_set_is_a_text_too),
        cmocka_unit_test(many_samples),
        cmocka_unit_test(the_reference_has_the_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
