// SPDX-License-Identifier: Apache-2.0
/* alert_log: numbers that stay, bounds, segments by time, restarts, damage. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <tests/unit/alert_fixture.h>

#include "base/clock.h"
#include "state/space.h"

static const struct alert_log_options plenty = {.max_count = 1000000, .max_bytes = 1 << 30,
                                                .keep = INT64_C(3600000000000)};

static void open_log(const struct alert_log_options *opt)
{
    struct checkpoint_options all = {.alerts = *opt};

    open_with(&all, two, 1);
}

static void range_is(uint64_t first, uint64_t end)
{
    struct alert_log_range range = alert_log_range(checkpoint_alerts(cp));

    assert_int_equal(range.first, first);
    assert_int_equal(range.end, end);
}

/* ---- records --------------------------------------------------------------------------------- */

static void a_record_comes_back(void **state)
{
    (void)state;
    struct alert_record record = {.at = 77}, again;
    uint8_t key[ALERT_KEY_BYTES];
    struct buf text, value;

    buf_init(&text);
    buf_init(&value);
    make_alert(&text, &record.about, "a \"rule\"", 3, 5 * SECOND, "{\"k\":\"x\"}");
    record.text = text.data;
    record.len = text.len;
    alert_record_key(key, 12);
    alert_record_encode(&record, &value);
    assert_true(alert_record_decode(key, sizeof key, value.data, value.len, &again));
    assert_int_equal(again.number, 12);
    assert_int_equal(again.at, 77);
    assert_int_equal(again.about.time, 5 * SECOND);
    assert_int_equal(again.about.severity, 3);
    assert_memory_equal(again.text + again.about.rule.at, "\"a \\\"rule\\\"\"", again.about.rule.len);
    assert_memory_equal(again.text + again.about.key.at, "{\"k\":\"x\"}", again.about.key.len);
    assert_int_equal(again.len, record.len);
    assert_false(alert_record_decode(key, 8, value.data, value.len, &again));
    for (size_t len = 0; len < value.len; len++) { /* cut anywhere: no reading beyond it */
        char *cut = mem_alloc(len + 1);
        memcpy(cut, value.data, len);
        bool good = alert_record_decode(key, sizeof key, cut, len, &again);
        assert_true(!good || again.about.key.at + again.about.key.len <= again.len);
        mem_free(cut);
    }
    value.data[0] = 9;
    assert_false(alert_record_decode(key, sizeof key, value.data, value.len, &again));
    buf_fini(&text);
    buf_fini(&value);
}

/* ---- numbers --------------------------------------------------------------------------------- */

static void numbers_stay(void **state)
{
    (void)state;
    open_log(&plenty);
    range_is(1, 1);
    send_alerts(0, 3);
    send(1, 4, 1); /* two of them are alerts */
    range_is(1, 6);
    for (int i = 0; i < 3; i++) {
        open_log(&plenty);
        range_is(1, 6 + (uint64_t)i);
        send_alerts(10, 1);
    }
    /* while there is no log none is counted, and none is lost */
    open_sinks(two, 1);
    assert_null(checkpoint_alerts(cp));
    send_alerts(20, 5);
    open_log(&plenty);
    range_is(1, 9);
    struct alert_log_stats stats = alert_log_stats(checkpoint_alerts(cp));
    assert_int_equal(stats.count, 8);
    assert_int_equal(stats.added, 8);
    assert_int_equal(stats.pushed_out, 0);
}

/* What a rule's limit held back is a dead letter. */
static void dead_letters_are_not_kept(void **state)
{
    (void)state;
    open_log(&plenty);
    struct epoch *ep = epoch_new();
    struct epoch_message *m = add_alert(ep, "r", 1, 0, "{}");
    m->n_sinks = 0;
    m->reason = mem_strndup("limit", 5);
    m->origin = mem_strndup("rule r", 6);
    m = add_alert(ep, "r", 1, 0, "{}");
    submit(ep);
    range_is(1, 2);
    assert_int_equal(checkpoint_dead_letters(cp).count, 1);
}

/* ---- bounds ---------------------------------------------------------------------------------- */

struct reading {
    uint64_t first, last, n, damaged;
    bool in_order;
};

static bool found(void *ctx, uint64_t number, const struct alert_record *record)
{
    struct reading *r = ctx;

    r->in_order &= r->n == 0 || number == r->last + 1 || number == r->last - 1;
    r->first = r->n == 0 ? number : r->first;
    r->last = number;
    r->n++;
    r->damaged += record == NULL;
    return true;
}

static struct reading read_all(uint64_t from, bool back)
{
    struct reading r = {.in_order = true};

    assert_int_equal(alert_log_read(checkpoint_store(cp), from, back, found, &r, &why), STORE_OK);
    return r;
}

static void the_oldest_go(void **state)
{
    (void)state;
    static const struct alert_log_options few = {.max_count = 1000, .max_bytes = 1 << 30,
                                                 .keep = INT64_C(3600000000000)};
    static const struct alert_log_options fewer = {.max_count = 10, .max_bytes = 1 << 30,
                                                   .keep = INT64_C(3600000000000)};
    open_log(&few);
    for (int i = 0; i < 50; i++)
        send_alerts(i * 100, 100);
    struct alert_log_stats stats = alert_log_stats(checkpoint_alerts(cp));
    assert_in_range(stats.count, 980, 1000);
    assert_int_equal(stats.added, 5000);
    assert_int_equal(stats.pushed_out, 5000 - stats.count);
    range_is(5001 - stats.count, 5001);
    struct reading r = read_all(1, false);
    assert_int_equal(r.n, stats.count);
    assert_int_equal(r.first, 5001 - stats.count);
    assert_true(r.in_order);
    r = read_all(UINT64_MAX, true);
    assert_int_equal(r.n, stats.count);
    assert_int_equal(r.first, 5000);
    assert_true(r.in_order);
    r = read_all(4500, true);
    assert_int_equal(r.first, 4500);
    /* other bounds, after a start: with the next batch */
    open_log(&fewer);
    send_alerts(9000, 1);
    send_alerts(9001, 1);
    range_is(4993, 5003);
    assert_int_equal(read_all(1, false).n, 10);
    open_log(&fewer);
    range_is(4993, 5003);
}

/* Segments of larger bounds go piece by piece: as much stays as there is room for. */
static void lower_bounds(void **state)
{
    (void)state;
    static const struct alert_log_options some = {.max_count = 100, .max_bytes = 1 << 30,
                                                  .keep = INT64_C(3600000000000)};
    struct alert_log_options bytes = plenty;
    open_log(&plenty);
    send_alerts(0, 1500);
    open_log(&some);
    for (int i = 1; i <= 300; i++) {
        send_alerts(1500 + i, 1);
        struct alert_log_stats stats = alert_log_stats(checkpoint_alerts(cp));
        assert_in_range(stats.count, 100, 101); /* what a batch brings stays */
        assert_int_equal(stats.added, 1500 + i);
        range_is(1501 + i - stats.count, 1501 + i);
    }
    struct reading r = read_all(1, false);
    assert_in_range(r.n, 100, 101);
    assert_true(r.in_order);
    open_log(&plenty); /* what is counted is what is there */
    assert_int_equal(alert_log_stats(checkpoint_alerts(cp)).count, r.n);
    send_alerts(2000, 3000);
    bytes.max_bytes = alert_log_stats(checkpoint_alerts(cp)).bytes / 3;
    open_log(&bytes);
    send_alerts(5000, 1);
    send_alerts(5001, 1);
    assert_in_range(alert_log_stats(checkpoint_alerts(cp)).bytes, bytes.max_bytes * 95 / 100, bytes.max_bytes);
    r = read_all(1, false);
    assert_true(r.in_order);
    open_log(&bytes);
    assert_int_equal(alert_log_stats(checkpoint_alerts(cp)).count, r.n);
}

static void bytes_are_bounded(void **state)
{
    (void)state;
    static const struct alert_log_options small = {.max_count = 1000000, .max_bytes = 100000,
                                                   .keep = INT64_C(3600000000000)};
    open_log(&small);
    for (int i = 0; i < 30; i++)
        send_alerts(i * 50, 50);
    struct alert_log_stats stats = alert_log_stats(checkpoint_alerts(cp));
    assert_in_range(stats.bytes, 80000, 100000);
    send_alerts(0, 3000); /* more at once than there is room for: with the next batch */
    send_alerts(0, 1);
    assert_true(alert_log_stats(checkpoint_alerts(cp)).bytes <= 100000);
}

/* Age: though nothing is added. The clock is a file's. */
static void the_old_go(void **state)
{
    (void)state;
    char *beside = temp_dir(), *file = path_in(beside, "offset");
    static const struct alert_log_options hour = {.max_count = 1000, .max_bytes = 1 << 30,
                                                  .keep = INT64_C(3600000000000)};
    write_file(file, "0\n");
    setenv("TOCSIN_CLOCK_OFFSET", file, 1);
    int64_t real = clock_wall();
    write_file(file, "1000000000000\n");
    if (clock_wall() - real < 900 * SECOND) {
        unsetenv("TOCSIN_CLOCK_OFFSET");
        free(file);
        temp_dir_end(beside);
        skip(); /* no build with failpoints */
    }
    open_log(&hour);
    send_alerts(0, 10);
    write_file(file, "3000000000000\n");
    send_alerts(0, 10);
    range_is(1, 21);
    write_file(file, "5000000000000\n");
    send(1, 2, 1); /* anything that is written */
    range_is(11, 22);
    write_file(file, "9000000000000\n");
    open_log(&hour);
    int64_t until = clock_monotonic() + 60 * SECOND;
    while (alert_log_range(checkpoint_alerts(cp)).first < 22 && clock_monotonic() < until)
        usleep(10000);
    range_is(22, 22);
    assert_int_equal(read_all(1, false).n, 0);
    open_log(&hour);
    range_is(22, 22);
    send_alerts(0, 1);
    range_is(22, 23);
    unsetenv("TOCSIN_CLOCK_OFFSET");
    free(file);
    temp_dir_end(beside);
}

/* ---- by time --------------------------------------------------------------------------------- */

static void segments_know_their_times(void **state)
{
    (void)state;
    struct alert_log_options opt = plenty;
    opt.max_count = 2560; /* ten in a segment */
    open_log(&opt);
    for (int i = 0; i < 20; i++)
        send_alerts(i * 1000, 10);
    struct alert_log *log = checkpoint_alerts(cp);
    for (int pass = 0; pass < 2; pass++) {
        assert_int_equal(alert_log_seek(log, 1, 5000 * SECOND, INT64_MAX, false), 51);
        assert_int_equal(alert_log_seek(log, 55, 5000 * SECOND, INT64_MAX, false), 55);
        assert_int_equal(alert_log_seek(log, 1, 5010 * SECOND, 5500 * SECOND, false), 0);
        assert_int_equal(alert_log_seek(log, 200, INT64_MIN, 1000 * SECOND, true), 10);
        assert_int_equal(alert_log_seek(log, 200, INT64_MIN, 1001 * SECOND, true), 20);
        assert_int_equal(alert_log_seek(log, 15, INT64_MIN, 1001 * SECOND, true), 15);
        assert_int_equal(alert_log_seek(log, 200, 19009 * SECOND, INT64_MAX, true), 200);
        assert_int_equal(alert_log_seek(log, 201, INT64_MIN, INT64_MAX, false), 0);
        assert_int_equal(alert_log_seek(log, 999, INT64_MIN, INT64_MAX, true), 200);
        open_log(&opt);
        log = checkpoint_alerts(cp);
    }
}

/* ---- damage ---------------------------------------------------------------------------------- */

static void change_record(const void *key, size_t len, const void *value, size_t value_len)
{
    char *db = path_in(dir, "db");
    struct store_batch *batch = store_batch_new();
    struct store_options opt = {0};
    struct store *st;

    checkpoint_free(&cp);
    assert_int_equal(store_open(db, &opt, &st, &why), STORE_OK);
    if (value)
        store_batch_put(batch, key, len, value, value_len);
    else
        store_batch_remove(batch, key, len);
    assert_int_equal(store_write(st, batch, true, &why), STORE_OK);
    store_batch_free(&batch);
    store_free(&st);
    free(db);
}

static void refused(void)
{
    struct checkpoint_options opt = {.dir = dir, .alerts = plenty};

    assert_null(checkpoint_open(&opt, &why));
    assert_non_null(strstr(why.data, "alerts that are kept"));
    buf_clear(&why);
}

static void what_is_damaged(void **state)
{
    (void)state;
    static const uint8_t segment[] = {SPACE_SEGMENT, 0, 0, 0, 0, 0, 0, 0, 1};
    static const char counts[] = "malerts";
    uint8_t key[ALERT_KEY_BYTES];
    struct buf value;
    bool there;

    open_log(&plenty);
    send_alerts(0, 5);
    alert_record_key(key, 3);
    change_record(key, sizeof key, "nonsense", 8);
    open_log(&plenty); /* one record: the others are there */
    struct reading r = read_all(1, false);
    assert_int_equal(r.n, 5);
    assert_int_equal(r.damaged, 1);
    buf_init(&value);
    assert_int_equal(store_get(checkpoint_store(cp), segment, sizeof segment, &there, &value, &why), STORE_OK);
    assert_true(there);
    change_record(segment, sizeof segment, "nonsense", 8);
    refused();
    value.data[1] = 4; /* alerts, of five */
    change_record(segment, sizeof segment, value.data, value.len);
    refused();
    value.data[1] = 5;
    change_record(segment, sizeof segment, value.data, value.len);
    open_log(&plenty);
    change_record(counts, sizeof counts - 1, "x", 1);
    refused();
    buf_fini(&value);
}

/* ---- telling --------------------------------------------------------------------------------- */

static void count(void *ctx)
{
    (*(int *)ctx)++;
}

static void who_listens_is_told(void **state)
{
    (void)state;
    int told = 0;
    open_log(&plenty);
    alert_log_listen(checkpoint_alerts(cp), count, &told);
    send_alerts(0, 2);
    checkpoint_settle(cp, -1);
    send(2, 2, 1); /* no alert */
    alert_log_listen(checkpoint_alerts(cp), NULL, NULL);
    assert_int_equal(told, 1);
    send_alerts(0, 2);
    assert_int_equal(told, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_record_comes_back),
        cmocka_unit_test_setup_teardown(numbers_stay, setup, teardown),
        cmocka_unit_test_setup_teardown(dead_letters_are_not_kept, setup, teardown),
        cmocka_unit_test_setup_teardown(the_oldest_go, setup, teardown),
        cmocka_unit_test_setup_teardown(lower_bounds, setup, teardown),
        cmocka_unit_test_setup_teardown(bytes_are_bounded, setup, teardown),
        cmocka_unit_test_setup_teardown(the_old_go, setup, teardown),
        cmocka_unit_test_setup_teardown(segments_know_their_times, setup, teardown),
        cmocka_unit_test_setup_teardown(what_is_damaged, setup, teardown),
        cmocka_unit_test_setup_teardown(who_listens_is_told, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
