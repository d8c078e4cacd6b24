/* SPDX-License-Identifier: Apache-2.0 */
/* Sources of kafka with the brokers that librdkafka brings for tests: what needs no transactions (tests/kafka has a real
 * one for those). Records as lines; positions and anchors; partitions that stall, come and end. */
#include "io/source_kafka.h"

#include <librdkafka/rdkafka.h>
#include <librdkafka/rdkafka_mock.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/mem.h"

#define SECOND INT64_C(1000000000)
#define LONGEST (90 * SECOND) /* then something hangs */
enum { PADDING = 64, BIG = 3000 };

struct fixture {
    rd_kafka_t *producer;
    rd_kafka_mock_cluster_t *cluster;
    struct source *s;
    struct buf log; /* a line of each thing that was told */
};

/* ---- brokers -------------------------------------------------------------------------------------- */

static void set(rd_kafka_conf_t *conf, const char *name, const char *value)
{
    char text[256];

    if (rd_kafka_conf_set(conf, name, value, text, sizeof text) != RD_KAFKA_CONF_OK)
        fail_msg("%s", text);
}

static int begin(void **state)
{
    struct fixture *f = mem_calloc(1, sizeof *f);
    rd_kafka_conf_t *conf = rd_kafka_conf_new();
    char text[256];

    buf_init(&f->log);
    buf_adds(&f->log, "");
    set(conf, "test.mock.num.brokers", "1");
    set(conf, "linger.ms", "0");
    f->producer = rd_kafka_new(RD_KAFKA_PRODUCER, conf, text, sizeof text);
    assert_non_null(f->producer);
    f->cluster = rd_kafka_handle_mock_cluster(f->producer);
    assert_non_null(f->cluster);
    rd_kafka_mock_topic_create(f->cluster, "t", 2, 1);
    *state = f;
    return 0;
}

static int end(void **state)
{
    struct fixture *f = *state;

    source_free(&f->s);
    buf_fini(&f->log);
    rd_kafka_destroy(f->producer);
    mem_free(f);
    return 0;
}

/* headers: NULL, or NAME, VALUE, ..., NULL; a VALUE of "\1": none. key, value: NULL: none. */
static void produce(struct fixture *f, int32_t partition, const char *key, const char *value, const char *const *header)
{
    rd_kafka_headers_t *headers = rd_kafka_headers_new(4);

    for (; header && *header; header += 2) {
        bool none = strcmp(header[1], "\1") == 0;
        rd_kafka_header_add(headers, header[0], -1, none ? NULL : header[1], none ? 0 : -1);
    }
    rd_kafka_resp_err_t err = rd_kafka_producev(
        f->producer, RD_KAFKA_V_TOPIC("t"), RD_KAFKA_V_PARTITION(partition), RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY),
        RD_KAFKA_V_KEY(key, key ? strlen(key) : 0), RD_KAFKA_V_VALUE((void *)(uintptr_t)value, value ? strlen(value) : 0),
        RD_KAFKA_V_TIMESTAMP(1769904000000), RD_KAFKA_V_HEADERS(headers), RD_KAFKA_V_END);
    assert_int_equal(err, RD_KAFKA_RESP_ERR_NO_ERROR);
    assert_int_equal(rd_kafka_flush(f->producer, (int)(LONGEST / 1000000)), RD_KAFKA_RESP_ERR_NO_ERROR);
}

static void produce_numbers(struct fixture *f, int32_t partition, int from, int to)
{
    char text[64];

    for (int i = from; i < to; i++) {
        snprintf(text, sizeof text, "{\"n\":%d}", i);
        produce(f, partition, NULL, text, NULL);
    }
}

/* ---- the source ------------------------------------------------------------------------------------ */

/* Options may be changed by what is in opt: topic, saved, on_reset, follow, max_line. */
static void open_source(struct fixture *f, struct source_kafka_options opt, bool wants_meta)
{
    static const char *const topic[] = {"t"};
    static const struct kafka_option fast[] = {{(char *)(uintptr_t)"fetch.wait.max.ms", (char *)(uintptr_t)"20"}};
    struct buf why;

    opt.name = "s";
    opt.settings = (struct kafka_settings){
        .brokers = rd_kafka_mock_cluster_bootstraps(f->cluster), .option = fast, .n_options = 1};
    if (!opt.topic) {
        opt.topic = topic;
        opt.n_topics = 1;
    }
    opt.start = KAFKA_EARLIEST;
    opt.until = KAFKA_LATEST;
    opt.max_line = opt.max_line ? opt.max_line : 1000000;
    opt.padding = PADDING;
    opt.idle = SECOND;
    buf_init(&why);
    source_free(&f->s);
    f->s = source_kafka_new(&opt, &why);
    if (!f->s)
        fail_msg("%s", why.data);
    f->s->wants_meta = wants_meta;
    buf_clear(&f->log);
    buf_adds(&f->log, "");
    buf_fini(&why);
}

static const char *const word[] = {
    [SOURCE_EVENT_LINE] = "line",     [SOURCE_EVENT_TOO_LONG] = "too_long",   [SOURCE_EVENT_OPENED] = "opened",
    [SOURCE_EVENT_CAUGHT_UP] = "end", [SOURCE_EVENT_ENDED] = "ended",         [SOURCE_EVENT_STALLED] = "stalled",
    [SOURCE_EVENT_RESUMED] = "resumed", [SOURCE_EVENT_FORGET] = "forget",     [SOURCE_EVENT_BEHIND] = "behind",
    [SOURCE_EVENT_PASSED] = "passed", [SOURCE_EVENT_FINISHED] = "finished"};

static bool told(const struct fixture *f, const char *text)
{
    return strstr(f->log.data, text) != NULL;
}

/* Takes what is told until the log has the text. */
static void until(struct fixture *f, const char *text)
{
    int64_t last = clock_monotonic() + LONGEST;

    while (!told(f, text)) {
        struct source_item item;
        source_next(f->s, &item);
        if (clock_monotonic() > last)
            fail_msg("never: %s\n%s", text, f->log.data);
        if (item.what == SOURCE_EVENT_NOTHING || item.what == SOURCE_EVENT_UNREADY) {
            source_wait(f->s, SECOND / 10);
            continue;
        }
        buf_printf(&f->log, "%s %s.%u @%llu", word[item.what], item.partition ? item.partition->name : "-",
                   item.partition ? item.partition->generation : 0, (unsigned long long)item.offset);
        if (item.text)
            buf_printf(&f->log, " %.*s", (int)item.len, item.text);
        buf_addc(&f->log, '\n');
    }
}

static void want(const struct fixture *f, const char *text)
{
    if (!told(f, text))
        fail_msg("not told: %s\n%s", text, f->log.data);
}

static void want_not(const struct fixture *f, const char *text)
{
    if (told(f, text))
        fail_msg("told: %s\n%s", text, f->log.data);
}

/* ---- records as lines -------------------------------------------------------------------------------- */

#define KNOWN(n) "{\"@kafka\":{\"topic\":\"t\",\"partition\":0,\"offset\":" #n ",\"timestamp\":\"2026-02-01T00:00:00Z\""

static void records_as_lines(void **state)
{
    struct fixture *f = *state;
    static const char *const two[] = {"a", "first", "b", "x\xff\"", "a", "last", NULL};
    static const char *const hidden[] = {"a", "seen", "b", "seen", "a", "\1", NULL};
    static const char *const none[] = {"a", "\1", NULL};

    produce(f, 0, "k\xfe", "{\"n\":0}", NULL);
    produce(f, 0, NULL, " \r\n{ \"n\":1,\r\n\"s\":\"a\\\"\\\\\" }\n", NULL);
    produce(f, 0, "", "{}", two);
    produce(f, 0, NULL, "{  }", hidden);
    produce(f, 0, NULL, "{\"n\":4}", none);
    produce(f, 0, "k", NULL, NULL);
    produce(f, 0, "k", "", NULL);
    produce(f, 0, "k", " \t\r\n ", NULL);
    produce(f, 0, "k", "[8]", NULL);
    produce(f, 0, "k", "{\"@kafka\":1}", NULL);
    produce(f, 0, "k", "{", NULL);
    produce(f, 0, "k", "\"a\nb\"", NULL);
    open_source(f, (struct source_kafka_options){.follow = true}, true);
    until(f, "@11 ");
    want(f, "line t/0.0 @0 " KNOWN(0) ",\"key\":\"k\xef\xbf\xbd\"},\"n\":0}\n");
    want(f, "line t/0.0 @1 " KNOWN(1) "}, \"n\":1,  \"s\":\"a\\\"\\\\\" }\n");
    want(f, "line t/0.0 @2 " KNOWN(2) ",\"key\":\"\",\"headers\":{\"b\":\"x\xef\xbf\xbd\\\"\",\"a\":\"last\"}}}\n");
    want(f, "line t/0.0 @3 " KNOWN(3) ",\"headers\":{\"b\":\"seen\"}}  }\n");
    want(f, "line t/0.0 @4 " KNOWN(4) "},\"n\":4}\n");
    want_not(f, "@5 ");
    want_not(f, "@6 ");
    want_not(f, "@7 ");
    want(f, "line t/0.0 @8 [8]\n");
    want(f, "line t/0.0 @9 " KNOWN(9) ",\"key\":\"k\"},\"@kafka\":1}\n");
    want(f, "line t/0.0 @10 " KNOWN(10) ",\"key\":\"k\"}\n");
    want(f, "line t/0.0 @11 \"a\nb\"\n");
    struct source_figures figures;
    source_figures(f->s, &figures);
    assert_int_equal(figures.empty, 3);
    /* nobody wants what is known */
    open_source(f, (struct source_kafka_options){.follow = true}, false);
    until(f, "@11 ");
    want(f, "line t/0.0 @0 {\"n\":0}\n");
    want(f, "line t/0.0 @2 {}\n");
}

static void long_records(void **state)
{
    struct fixture *f = *state;
    char text[BIG + 1];

    memset(text, ' ', BIG);
    text[0] = '{';
    text[BIG - 1] = '}';
    text[BIG] = '\0';
    produce(f, 0, "k", text, NULL);
    text[BIG - 1] = ' ';
    text[1] = '}';
    produce(f, 0, NULL, text, NULL); /* blanks at the ends do not count */
    open_source(f, (struct source_kafka_options){.follow = true, .max_line = BIG - 1}, true);
    until(f, "line t/0.0 @1 ");
    want(f, "too_long t/0.0 @0\n");
    open_source(f, (struct source_kafka_options){.follow = true, .max_line = BIG}, true);
    until(f, "line t/0.0 @1 ");
    want(f, "line t/0.0 @0 " KNOWN(0));
    assert_true(source_longest(f->s, BIG) > (size_t)BIG + 200);
    f->s->wants_meta = false;
    assert_int_equal(source_longest(f->s, BIG), BIG);
}

/* However many headers there are, and all of one name. */
static void many_headers(void **state)
{
    struct fixture *f = *state;
    enum { N = 60000 };
    const char **header = mem_calloc(2 * N + 3, sizeof *header);

    for (int i = 0; i < N; i++) {
        header[2 * i] = "same";
        header[2 * i + 1] = "";
    }
    header[2 * N] = "same";
    header[2 * N + 1] = "last";
    produce(f, 0, NULL, "{}", header);
    mem_free(header);
    open_source(f, (struct source_kafka_options){.follow = true}, true);
    until(f, "line t/0.0 @0 ");
    want(f, KNOWN(0) ",\"headers\":{\"same\":\"last\"}}}\n");
}

/* ---- positions ------------------------------------------------------------------------------------------ */

/* The position that a checkpoint would save after the line before offset `next`. */
static struct source_position saved_at(struct fixture *f, struct source_partition *part, uint64_t next)
{
    struct source_position saved = {.partition = part->name, .resume = next, .read = next};

    source_identify(f->s, part, next, saved.identity);
    return saved;
}

/* Reads all of partition 0; name_out lives as long as the test wants. */
static struct source_position read_and_save(struct fixture *f, uint64_t n)
{
    struct source_partition *part = NULL;
    uint64_t next = 0;

    open_source(f, (struct source_kafka_options){.follow = true}, false);
    while (next < n) {
        struct source_item item;
        source_next(f->s, &item);
        if (item.what == SOURCE_EVENT_LINE && item.partition->name[2] == '0') {
            part = item.partition;
            next = item.next;
        } else if (item.what == SOURCE_EVENT_NOTHING || item.what == SOURCE_EVENT_UNREADY) {
            source_wait(f->s, SECOND / 10);
        }
    }
    struct source_position saved = saved_at(f, part, next);
    saved.partition = "t/0";
    return saved;
}

static void goes_on_at_its_position(void **state)
{
    struct fixture *f = *state;

    produce_numbers(f, 0, 0, 600); /* more than one anchor */
    struct source_position saved = read_and_save(f, 600);
    assert_true(saved.identity[1] > 0 && saved.identity[1] <= 600);
    produce_numbers(f, 0, 600, 603);
    open_source(f, (struct source_kafka_options){.follow = true, .saved = &saved, .n_saved = 1}, false);
    until(f, "line t/0.0 @602 {\"n\":602}\n");
    want(f, "opened t/0.0 @600\n");
    want(f, "line t/0.0 @600 {\"n\":600}\n");
    want_not(f, "\nline t/0.0 @599");
    want_not(f, "stalled");
    /* a partition without a position, when others have one, is read from its beginning */
    produce_numbers(f, 1, 0, 1);
    until(f, "line t/1.0 @0 ");
}

static void another_topic_is_noticed(void **state)
{
    struct fixture *f = *state;

    produce_numbers(f, 0, 0, 20);
    struct source_position saved = read_and_save(f, 20), beyond = saved, trimmed = saved;
    saved.identity[0] ^= UINT64_C(1) << 40; /* the record there was another one */
    open_source(f, (struct source_kafka_options){.follow = true, .saved = &saved, .n_saved = 1}, false);
    until(f, "stalled t/0.0");
    want(f, "is not the one that was read: it is another topic of this name; `on_reset` is `fail`");
    open_source(f, (struct source_kafka_options){
                       .follow = true, .on_reset = KAFKA_RESET_EARLIEST, .saved = &saved, .n_saved = 1}, false);
    until(f, "line t/0.1 @19 {\"n\":19}\n");
    want(f, "opened t/0.1 @0\n");
    want(f, "ended t/0.0");
    want(f, "line t/0.1 @0 {\"n\":0}\n");
    want_not(f, "line t/0.0");
    open_source(f, (struct source_kafka_options){
                       .follow = true, .on_reset = KAFKA_RESET_LATEST, .saved = &saved, .n_saved = 1}, false);
    until(f, "opened t/0.1 @20\n");
    beyond.resume = beyond.read = 1000;
    open_source(f, (struct source_kafka_options){.follow = true, .saved = &beyond, .n_saved = 1}, false);
    until(f, "stalled t/0.0");
    want(f, "it ends at offset 20, before the position 1000: it was truncated, or is another topic of this name");
    trimmed.identity[1] = 0; /* none is known: nothing to compare */
    open_source(f, (struct source_kafka_options){.follow = true, .saved = &trimmed, .n_saved = 1}, false);
    until(f, "end t/0.0 @20\n");
    want_not(f, "stalled");
}

/* A saved identity that cannot be one of ours is none; names that are no partitions are kept from it. */
static void positions_of_others(void **state)
{
    struct fixture *f = *state;
    static const char *const odd[] = {"t", "/", "t/", "/0", "t/-1", "t/0x", "t/99999999999999999999", "", "u/0"};
    struct source_position saved[sizeof odd / sizeof *odd + 3];
    size_t n = 0;

    for (; n < sizeof odd / sizeof *odd; n++)
        saved[n] = (struct source_position){.partition = odd[n], .resume = 7, .read = 7};
    saved[n++] = (struct source_position){.partition = "t/0", .resume = 1, .read = 1, .identity = {12345, 1}};
    saved[n++] = (struct source_position){.partition = "t/1", .generation = 0, .resume = 1, .read = 1, .ended = true};
    saved[n++] = (struct source_position){.partition = "t/1", .generation = 2, .resume = 2, .read = 2};
    produce_numbers(f, 0, 0, 3);
    produce_numbers(f, 1, 0, 3);
    open_source(f, (struct source_kafka_options){.follow = true, .saved = saved, .n_saved = n}, false);
    until(f, "line t/0.0 @2 ");
    until(f, "line t/1.2 @2 ");
    want(f, "opened t/0.0 @1\n");
    want(f, "opened t/1.2 @2\n");
    want(f, "forget t/1.0");
    want_not(f, "opened t/1.0");
    want_not(f, "u/0");
    want_not(f, "stalled");
}

/* ---- ends, stalls, lag ----------------------------------------------------------------------------------- */

static void bounded(void **state)
{
    struct fixture *f = *state;
    static const char *const missing[] = {"t", "none", "^t$"};
    struct buf why;

    buf_init(&why);
    produce_numbers(f, 0, 0, 5);
    open_source(f, (struct source_kafka_options){0}, false);
    until(f, "opened t/0.0");
    produce_numbers(f, 0, 5, 9); /* may be before its end is asked for, or not */
    until(f, "finished");
    want(f, "ended t/0.0");
    want(f, "ended t/1.0 @0\n");
    want(f, "line t/0.0 @4 ");
    assert_true(source_kafka_complete(f->s, &why));
    open_source(f, (struct source_kafka_options){.topic = missing, .n_topics = 3}, false);
    rd_kafka_mock_topic_set_error(f->cluster, "none", RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART);
    until(f, "finished");
    assert_false(source_kafka_complete(f->s, &why));
    assert_string_equal(why.data, "there is no topic none");
    buf_fini(&why);
}

static void without_a_leader(void **state)
{
    struct fixture *f = *state;

    produce_numbers(f, 0, 0, 2);
    open_source(f, (struct source_kafka_options){.follow = true}, false);
    until(f, "end t/0.0 @2\n");
    rd_kafka_mock_partition_set_leader(f->cluster, "t", 0, -1);
    until(f, "stalled t/0.0");
    want(f, "it has no leader");
    rd_kafka_mock_partition_set_leader(f->cluster, "t", 0, 1);
    until(f, "resumed t/0.0");
    produce_numbers(f, 0, 2, 3);
    until(f, "line t/0.0 @2 {\"n\":2}\n");
    rd_kafka_mock_broker_set_down(f->cluster, 1);
    buf_clear(&f->log);
    buf_adds(&f->log, "");
    until(f, "stalled t/1.0");
    until(f, "stalled t/0.0");
    rd_kafka_mock_broker_set_up(f->cluster, 1);
    until(f, "resumed t/0.0");
    until(f, "resumed t/1.0");
    produce_numbers(f, 0, 3, 4);
    until(f, "line t/0.0 @3 {\"n\":3}\n");
    want_not(f, "line t/0.0 @2");
}

static void add_behind(void *ctx, const struct source_lag *lag)
{
    buf_printf(ctx, "%s.%u %llu+%llu %s;", lag->partition, lag->generation, (unsigned long long)lag->position,
               (unsigned long long)lag->behind, lag->time > 0 ? "old" : "-");
}

static void until_lag(struct fixture *f, const char *text)
{
    int64_t last = clock_monotonic() + LONGEST;
    struct buf found;

    buf_init(&found);
    do {
        struct source_item item;
        source_next(f->s, &item);
        source_wait(f->s, SECOND / 100);
        buf_clear(&found);
        buf_adds(&found, "");
        source_lag(f->s, add_behind, &found);
        if (clock_monotonic() > last)
            fail_msg("the lag is never %s, but %s", text, found.data);
    } while (strcmp(found.data, text) != 0);
    buf_fini(&found);
}

static void lag_of_each(void **state)
{
    struct fixture *f = *state;
    struct source_partition *zero = NULL;
    struct source_figures figures;

    produce_numbers(f, 0, 0, 1);
    open_source(f, (struct source_kafka_options){.follow = true}, false);
    while (!zero) {
        struct source_item item;
        source_next(f->s, &item);
        source_wait(f->s, SECOND / 100);
        if (item.what == SOURCE_EVENT_LINE)
            zero = item.partition;
    }
    until_lag(f, "t/0.0 1+0 -;t/1.0 0+0 -;");
    atomic_store(&zero->paused, true);
    produce_numbers(f, 0, 1, 5);
    until_lag(f, "t/0.0 1+4 old;t/1.0 0+0 -;");
    source_figures(f->s, &figures);
    assert_int_equal(figures.behind, 4);
    assert_int_equal(figures.behind_most, 4);
    assert_true(figures.behind_time > 0);
    atomic_store(&zero->paused, false);
    until_lag(f, "t/0.0 5+0 -;t/1.0 0+0 -;");
    source_figures(f->s, &figures);
    assert_int_equal(figures.behind_time, 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        TEST(records_as_lines), TEST(long_records), TEST(many_headers), TEST(goes_on_at_its_position),
        TEST(another_topic_is_noticed), TEST(positions_of_others), TEST(bounded), TEST(without_a_leader), TEST(lag_of_each),
    };
#undef TEST
    return cmocka_run_group_tests(tests, NULL, NULL);
}
