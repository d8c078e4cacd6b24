// SPDX-License-Identifier: Apache-2.0
/* Topics that are read whole and written, without brokers: what waits is bounded, the oldest goes; ends do not wait.
 * With brokers: tests/kafka/rules.py. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/log.h"
#include "io/topic_reader.h"
#include "io/topic_writer.h"

enum { TRIES = 1200, STEP = 100000000 }; /* ns */

static const struct kafka_settings nobody = {.brokers = "127.0.0.1:1"};

static void wait_a_little(void)
{
    const struct timespec step = {.tv_nsec = STEP};

    nanosleep(&step, NULL);
}

static void the_oldest_go(void **state)
{
    (void)state;
    const struct topic_writer_options opt = {.name = "test", .settings = nobody, .topic = "t", .max_count = 10,
                                             .max_bytes = 1000};
    struct topic_writer_stats stats = {0};
    struct buf why;
    char text[200];

    buf_init(&why);
    struct topic_writer *w = topic_writer_new(&opt, &why);
    assert_non_null(w);
    for (uint64_t i = 1; i <= 100; i++)
        topic_writer_put(w, i, "key", 3, "value", 5);
    for (int i = 0; i < TRIES && stats.dropped < 90; i++) {
        wait_a_little();
        topic_writer_stats(w, &stats, &why);
    }
    assert_int_equal(stats.dropped, 90);
    assert_int_equal(stats.waiting, 10);
    assert_int_equal(stats.bytes, 80);
    assert_int_equal(topic_writer_settled(w), 90);
    memset(text, 'x', sizeof text);
    for (uint64_t i = 101; i <= 110; i++)
        topic_writer_put(w, i, NULL, 0, text, sizeof text);
    for (int i = 0; i < TRIES && stats.dropped < 105; i++) {
        wait_a_little();
        topic_writer_stats(w, &stats, &why);
    }
    assert_int_equal(stats.dropped, 105);
    assert_int_equal(stats.bytes, 1000);
    for (int i = 0; i < TRIES && !stats.failing; i++) {
        wait_a_little();
        topic_writer_stats(w, &stats, &why);
    }
    assert_true(stats.failing && why.len > 0);
    topic_writer_free(&w, STEP);
    assert_null(w);
    buf_fini(&why);
}

static void a_reader_says_what_is_the_matter(void **state)
{
    (void)state;
    const struct topic_position saved = {.partition = 2, .next = 5};
    const struct topic_reader_options opt = {.name = "test", .settings = nobody, .topic = "t", .saved = &saved,
                                             .n_saved = 1, .max_value = 1000, .max_waiting = 1000};
    struct buf why;

    buf_init(&why);
    struct topic_reader *r = topic_reader_new(&opt, &why);
    assert_non_null(r);
    for (int i = 0; i < TRIES && why.len == 0; i++) {
        wait_a_little();
        assert_int_equal(topic_reader_state(r, &why), TOPIC_CONNECTS);
    }
    assert_true(why.len > 0);
    assert_false(topic_reader_has(r));
    assert_null(topic_reader_take(r));
    assert_int_equal(topic_reader_behind(r), 0);
    topic_reader_free(&r);
    assert_null(r);
    buf_fini(&why);
}

static void options_that_do_not_fit(void **state)
{
    (void)state;
    struct kafka_option option = {(char *)(uintptr_t)"ssl.ca.location", (char *)(uintptr_t)"/nowhere/ca.pem"};
    struct kafka_option protocol[] = {{(char *)(uintptr_t)"security.protocol", (char *)(uintptr_t)"SSL"}, option};
    const struct kafka_settings settings = {.brokers = "127.0.0.1:1", .option = protocol, .n_options = 2};
    const struct topic_writer_options out = {.name = "test", .settings = settings, .topic = "t"};
    const struct topic_reader_options in = {.name = "test", .settings = settings, .topic = "t"};
    struct buf why;

    buf_init(&why);
    assert_null(topic_writer_new(&out, &why));
    assert_true(why.len > 0);
    buf_clear(&why);
    assert_null(topic_reader_new(&in, &why));
    assert_true(why.len > 0);
    buf_fini(&why);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_oldest_go),
        cmocka_unit_test(a_reader_says_what_is_the_matter),
        cmocka_unit_test(options_that_do_not_fit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
