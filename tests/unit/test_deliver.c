/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The thread of a sink: against a sink that fails now and then, the real sinks, and an outbox of this
 * test (box_fixture.h).
 */
#include "flow/deliver.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/mem.h"
#include "flow/route.h"
#include "io/sink.h"
#include "io/sink_file.h"
#include "io/sink_stdout.h"
#include <unit/box_fixture.h>

#define MS INT64_C(1000000)

static const uint8_t identity[SINK_IDENTITY_BYTES] = "0123456789abcde";

/* ---- a sink that keeps what it was given, and fails --------------------------------------------- */

struct flaky {
    struct sink base;
    uint64_t *got; /* numbers, flushed and not */
    size_t n, cap, flushed;
    unsigned calls, every; /* each `every`-th call fails; 0: none */
    unsigned refuses;      /* each message with a multiple of this; 0: none */
    bool ends;             /* a deliver that fails is the last one */
    unsigned starts;
    bool down, unsettled, wrong;
    uint64_t sure_from;    /* batches do not end with lower numbers */
    uint64_t settled_at;
    pthread_mutex_t lock;
};

static bool flaky_fails(struct flaky *f, struct buf *why)
{
    f->calls++;
    if (!f->down && (f->every == 0 || f->calls % f->every != 0))
        return false;
    buf_printf(why, "a bad day");
    return true;
}

static bool flaky_start(struct sink *s, const struct sink_place *place, struct buf *why)
{
    struct flaky *f = (struct flaky *)s;
    uint64_t n = 0;

    pthread_mutex_lock(&f->lock);
    bool good = !flaky_fails(f, why);
    if (good) {
        if (place->len == sizeof n)
            memcpy(&n, place->position, place->len);
        f->wrong |= place->last < place->acked;
        f->wrong |= n > f->n || memcmp(place->identity, identity, sizeof identity) != 0;
        f->n = f->flushed = n; /* what came behind it is taken back */
        f->starts++;
    }
    pthread_mutex_unlock(&f->lock);
    return good;
}

static enum sink_result flaky_deliver(struct sink *s, const struct sink_message *m, struct buf *why)
{
    struct flaky *f = (struct flaky *)s;

    pthread_mutex_lock(&f->lock);
    bool good = !flaky_fails(f, why);
    if (good) {
        f->got = vec_reserve(f->got, &f->cap, f->n + 1, sizeof *f->got);
        f->wrong |= f->unsettled || (m->seq % 2 == 0) != (strstr(m->text, "detected_at") != NULL) ||
                    m->is_alert != (m->seq % 2 == 0);
        f->got[f->n++] = m->seq;
    }
    bool refused = good && f->refuses != 0 && m->seq % f->refuses == 0;
    if (refused)
        buf_adds(why, "nobody takes this one");
    f->base.over = !good && f->ends;
    pthread_mutex_unlock(&f->lock);
    return refused ? SINK_REFUSED : good ? SINK_TAKEN : SINK_FAILED;
}

static bool flaky_flush(struct sink *s, struct buf *position_out, struct buf *why)
{
    struct flaky *f = (struct flaky *)s;
    uint64_t n;

    pthread_mutex_lock(&f->lock);
    bool good = !flaky_fails(f, why);
    f->wrong |= good && f->n > 0 && f->got[f->n - 1] < f->sure_from;
    n = f->flushed = good ? f->n : f->flushed;
    pthread_mutex_unlock(&f->lock);
    if (good)
        buf_add(position_out, &n, sizeof n);
    return good;
}

static bool flaky_unsettled(struct sink *s)
{
    struct flaky *f = (struct flaky *)s;

    pthread_mutex_lock(&f->lock);
    bool yes = f->unsettled |= f->n >= f->settled_at + 50;
    pthread_mutex_unlock(&f->lock);
    return yes;
}

static bool flaky_settled(struct sink *s, struct buf *why)
{
    struct flaky *f = (struct flaky *)s;

    pthread_mutex_lock(&f->lock);
    bool good = !flaky_fails(f, why);
    if (good)
        f->settled_at = f->n;
    f->unsettled &= !good;
    pthread_mutex_unlock(&f->lock);
    return good;
}

static bool flaky_unsure(struct sink *s, uint64_t taken)
{
    return taken < ((struct flaky *)s)->sure_from;
}

static const struct sink_ops flaky_ops = {
    .start = flaky_start, .deliver = flaky_deliver, .flush = flaky_flush,
    .unsettled = flaky_unsettled, .settled = flaky_settled, .unsure = flaky_unsure,
};

static void flaky_begin(struct flaky *f, unsigned every)
{
    *f = (struct flaky){.base = {&flaky_ops, "flaky"}, .every = every};
    pthread_mutex_init(&f->lock, NULL);
}

static void flaky_end(struct flaky *f, uint64_t lines)
{
    assert_false(f->wrong);
    assert_int_equal(f->flushed, lines);
    for (size_t i = 0; i < f->flushed; i++)
        assert_int_equal(f->got[i], i + 1);
    pthread_mutex_destroy(&f->lock);
    mem_free(f->got);
}

/* The sink's figures are published behind the acknowledgement. */
static void wait_counted(struct deliver *d, uint64_t n, struct deliver_stats *stats_out)
{
    for (int i = 0; i < 60000; i++, usleep(1000)) {
        deliver_stats(d, 0, stats_out);
        if (stats_out->delivered + stats_out->muted >= n && stats_out->waits == 0)
            return;
    }
    fail_msg("%llu are counted", (unsigned long long)stats_out->delivered);
}

static struct deliver *begin(struct sink *s)
{
    return deliver_start(&box, identity, &s, 1, NULL);
}

/* ---- tests -------------------------------------------------------------------------------------- */

static void test_delivers(void **state)
{
    struct deliver_stats stats;
    struct flaky f;

    (void)state;
    box_begin(2500);
    flaky_begin(&f, 0);
    struct deliver *d = begin(&f.base);
    box_wait_acked(2500);
    box_more(3);
    box_wait_acked(2503);
    wait_counted(d, 2503, &stats);
    assert_int_equal(stats.delivered, 2503);
    assert_int_equal(stats.failures, 0);
    assert_int_equal(stats.waits, 0);
    assert_true(deliver_stop(&d, 1000 * MS));
    assert_null(d);
    flaky_end(&f, 2503);
    assert_true(box.settled > 0);
}

static void test_failures_lose_and_double_nothing(void **state)
{
    struct flaky f;

    (void)state;
    for (unsigned every = 311; every < 500; every += 61) /* more than a batch takes */ {
        box_begin(300);
        flaky_begin(&f, every);
        struct deliver *d = begin(&f.base);
        for (int i = 0; i < 5; i++) {
            box_wait_acked(300 + 20 * (uint64_t)i);
            box_more(20);
        }
        box_wait_acked(400);
        assert_true(deliver_stop(&d, 5000 * MS));
        flaky_end(&f, 400);
    }
}

/* What waits and cannot be taken yet is waited for, not asked for without a pause. */
static void test_rests_while_it_stops(void **state)
{
    struct flaky f;

    (void)state;
    box_begin(5);
    box.hidden = 2;
    flaky_begin(&f, 0);
    struct deliver *d = begin(&f.base);
    box_wait_acked(3);
    box.asked = 0;
    assert_false(deliver_stop(&d, 300 * MS));
    assert_in_range(box.asked, 0, 100); /* without a pause thousands; on a machine that is busy perhaps not once */
    flaky_end(&f, 3);
}

/* What the sink refuses is a dead letter, once, and all else is delivered. */
static void test_refused(void **state)
{
    struct deliver_stats stats;
    struct flaky f;

    (void)state;
    box_begin(250);
    flaky_begin(&f, 0);
    f.refuses = 50;
    struct deliver *d = begin(&f.base);
    box_wait_acked(250);
    wait_counted(d, 245, &stats);
    assert_int_equal(stats.delivered, 245);
    assert_int_equal(stats.failures, 0);
    assert_true(deliver_stop(&d, 1000 * MS));
    assert_int_equal(box.rejected, 5);
    flaky_end(&f, 250);
}

/* A sink that is over is not asked again; it is told once, and a stop does not wait for it. */
static void test_over(void **state)
{
    struct flaky f;
    struct buf why;

    (void)state;
    box_begin(20);
    flaky_begin(&f, 10);
    f.ends = true;
    buf_init(&why);
    struct deliver *d = begin(&f.base);
    for (int i = 0; i < 20000 && !deliver_over(d, &why); i++)
        usleep(1000);
    assert_string_equal(why.data, "sink flaky: a bad day");
    assert_false(deliver_over(d, &why));
    assert_false(deliver_stop(&d, 20000 * MS));
    assert_int_equal(f.calls, 10);
    flaky_end(&f, 0);
    buf_fini(&why);
}

/* Each message that is for no one now is passed over, and counted once however often it is taken. */
static void test_mute(void **state)
{
    static const char *const any = "*", *const always = "00:00-24:00", *const name = "flaky";
    static const uint32_t number = 0;
    struct route_spec route = {.rule = &any, .n_rules = 1, .sink = &number, .n_sinks = 1,
                               .mute = &always, .n_mutes = 1};
    struct route_options opt = {.sink = &name, .n_sinks = 1, .route = &route, .n_routes = 1};
    struct deliver_stats stats;
    struct flaky f;

    (void)state;
    for (unsigned every = 0; every < 300; every += 211) {
        struct route_table *rt = route_table_new(&opt);
        struct sink *s = &f.base;
        box_begin(200);
        flaky_begin(&f, every);
        struct deliver *d = deliver_start(&box, identity, &s, 1, rt);
        for (uint64_t n = 200; n < 400; n += 20) {
            box_wait_acked(n);
            box_more(20);
        }
        box_wait_acked(400);
        wait_counted(d, 400, &stats);
        assert_int_equal(stats.muted, 100);
        assert_int_equal(stats.delivered, 300);
        assert_true(every == 0 || stats.failures > 0);
        assert_true(deliver_stop(&d, 5000 * MS));
        assert_false(f.wrong);
        assert_int_equal(f.flushed, 300);
        for (size_t i = 0, n = 1; n <= 400; n++)
            if (n % 4 != 2)
                assert_int_equal(f.got[i++], n);
        pthread_mutex_destroy(&f.lock);
        mem_free(f.got);
        route_table_unref(&rt);
    }
}

/* Of 3,500 messages nothing is acknowledged before the 3,200th is taken, though that is more than a batch has. */
static void test_unsure(void **state)
{
    struct flaky f;

    (void)state;
    box_begin(3500);
    flaky_begin(&f, 0);
    f.sure_from = 3200;
    f.settled_at = 4000;
    struct deliver *d = begin(&f.base);
    box_wait_acked(3500);
    assert_true(deliver_stop(&d, 20000 * MS));
    flaky_end(&f, 3500);
    /* they do not come: what there is is taken again and again, and not acknowledged */
    box_begin(20);
    flaky_begin(&f, 0);
    f.sure_from = 30;
    d = begin(&f.base);
    for (unsigned starts = 0, i = 0; starts < 3; usleep(1000)) {
        pthread_mutex_lock(&f.lock);
        starts = f.starts;
        pthread_mutex_unlock(&f.lock);
        assert_true(i++ < 60000);
    }
    assert_int_equal(box_acked(), 0);
    box_more(15);
    box_wait_acked(35);
    assert_true(deliver_stop(&d, 20000 * MS));
    flaky_end(&f, 35);
}

static void test_stop_delivers_what_waits(void **state)
{
    struct flaky f;

    (void)state;
    box_begin(5000);
    flaky_begin(&f, 0);
    struct deliver *d = begin(&f.base);
    assert_true(deliver_stop(&d, 20000 * MS));
    flaky_end(&f, 5000);
}

static void test_stop_ends_in_time(void **state)
{
    struct deliver_stats stats;
    struct flaky f;

    (void)state;
    box_begin(10);
    flaky_begin(&f, 0);
    f.down = true;
    struct deliver *d = begin(&f.base);
    for (int i = 0; i == 0 || stats.failures < 2; i++, usleep(1000)) { /* in its backoff */
        deliver_stats(d, 0, &stats);
        assert_true(i < 60000);
    }
    assert_true(stats.failing);
    assert_string_equal(stats.last_error, "a bad day");
    assert_true(stats.waits > 0); /* though it was never begun */
    int64_t from = clock_monotonic();
    assert_false(deliver_stop(&d, 300 * MS));
    assert_true(clock_monotonic() - from < 60000 * MS);
    assert_int_equal(box.acked, 0);
    flaky_end(&f, 0);
}

/* The sink comes back within the time of the stop. */
static void test_stop_tries_again(void **state)
{
    struct flaky f;

    (void)state;
    box_begin(10);
    flaky_begin(&f, 3);
    struct deliver *d = begin(&f.base);
    pthread_mutex_lock(&f.lock);
    f.every = 0;
    pthread_mutex_unlock(&f.lock);
    assert_true(deliver_stop(&d, 10000 * MS));
    flaky_end(&f, 10);
}

static void test_position_never_durable(void **state)
{
    struct flaky f;

    (void)state;
    box_begin(10);
    box.stuck = true;
    flaky_begin(&f, 0);
    f.unsettled = true;
    struct deliver *d = begin(&f.base);
    usleep(50000);
    int64_t from = clock_monotonic();
    assert_false(deliver_stop(&d, 100 * MS));
    assert_true(clock_monotonic() - from < 60000 * MS);
    flaky_end(&f, 0); /* nothing was given to it */
}

static void test_to_a_file(void **state)
{
    char path[] = "test_deliver.XXXXXX", line[128];
    struct sink_file_options opt = {.name = "disk", .path = path};
    unsigned n = 0;

    (void)state;
    close(mkstemp(path));
    box_begin(1000);
    struct sink *s = sink_file_new(&opt);
    struct deliver *d = begin(s);
    box_wait_acked(1000);
    assert_true(deliver_stop(&d, 1000 * MS));
    sink_free(&s);

    FILE *f = fopen(path, "r");
    assert_non_null(f);
    while (fgets(line, sizeof line, f)) {
        char expected[64];
        n++;
        snprintf(expected, sizeof expected,
                 n % 2 ? "{\"n\":%u}\n" : "{\"id\":\"%u\",\"time\":\"t\",\"detected_at\":\"2", n);
        assert_int_equal(strncmp(line, expected, strlen(expected)), 0);
    }
    fclose(f);
    unlink(path);
    assert_int_equal(n, 1000);
}

/* A pipe that nobody reads holds the sink up until the stop; one that is closed is a failure. */
static void test_to_a_pipe(void **state)
{
    struct deliver_stats stats;
    int fd[2];

    (void)state;
    assert_int_equal(pipe(fd), 0);
    box_begin(100000);
    struct sink *s = sink_stdout_new("out", fd[1]);
    struct deliver *d = begin(s);
    usleep(100000);
    int64_t from = clock_monotonic();
    assert_false(deliver_stop(&d, 100 * MS));
    assert_true(clock_monotonic() - from < 60000 * MS);
    sink_free(&s);

    close(fd[0]);
    box_begin(10);
    s = sink_stdout_new("out", fd[1]);
    d = begin(s);
    for (int i = 0; i == 0 || !stats.failing; i++, usleep(1000)) {
        deliver_stats(d, 0, &stats);
        assert_true(i < 60000);
    }
    assert_non_null(strstr(stats.last_error, "Broken pipe"));
    assert_false(deliver_stop(&d, 0));
    sink_free(&s);
    close(fd[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_delivers),
        cmocka_unit_test(test_failures_lose_and_double_nothing),
        cmocka_unit_test(test_rests_while_it_stops),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_over),
        cmocka_unit_test(test_mute),
        cmocka_unit_test(test_unsure),
        cmocka_unit_test(test_stop_delivers_what_waits),
        cmocka_unit_test(test_stop_ends_in_time),
        cmocka_unit_test(test_stop_tries_again),
        cmocka_unit_test(test_position_never_durable),
        cmocka_unit_test(test_to_a_file),
        cmocka_unit_test(test_to_a_pipe),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    buf_fini(&box.position);
    return failed;
}
