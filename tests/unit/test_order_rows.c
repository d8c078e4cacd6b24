/* SPDX-License-Identifier: Apache-2.0 */
/* Partitions that bring rows of tables: when they are given, whom they hold, what is saved of them. */
#include "flow/order.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "event/event.h"
#include "flow/position.h"

static const int64_t s = 1000000000;
static const uint32_t one_fit[] = {0};
static const struct origin events = {.source = "ev", .partition = "a"};
static const struct origin rows = {.source = "table t", .partition = "t/0"};
static const struct origin other = {.source = "table t", .partition = "t/1"};
static const struct origin again = {.source = "table t", .partition = "t/0", .generation = 1};

/* All that was given, as text: e5 an event of 5 s, r5 a record, <5 the frontier, x1 rows below generation 1 go,
 * over5 no event comes behind 5 s. */
struct given {
    char text[1000];
    size_t len;
};

static void say(struct given *g, const char *what, int64_t n)
{
    int len = snprintf(g->text + g->len, sizeof g->text - g->len, "%s%s%d", g->len ? " " : "", what, (int)n);
    g->len += (size_t)len;
}

static void take_event(void *ctx, struct event *ev)
{
    say(ctx, "e", ev->time / s);
    event_unref(ev);
}

static void take_row(void *ctx, struct event *ev)
{
    say(ctx, "r", (int64_t)ev->offset);
    event_unref(ev);
}

static void take_frontier(void *ctx, int64_t frontier)
{
    say(ctx, "<", frontier / s);
}

static void take_over(void *ctx, int64_t time)
{
    say(ctx, "over", time / s);
}

static void drop_rows(void *ctx, const struct origin *origin, uint32_t below)
{
    (void)origin;
    say(ctx, "x", below);
}

static struct order *make(struct given *g, int64_t told)
{
    struct order_sink sink = {.event = take_event, .late = take_event, .advance = take_frontier, .row = take_row,
                              .drop_rows = drop_rows, .over = take_over, .ctx = g};
    struct order_options opt = {.live = true, .max_bytes = 1 << 20, .quiet_hold = true};
    struct order *o = order_new(&opt, &sink);

    *g = (struct given){.len = 0};
    if (told != INT64_MIN)
        order_start_at(o, told);
    return o;
}

static uint32_t add_partition(struct order *o, const struct origin *origin, const struct position *saved, bool latest)
{
    struct order_partition_options opt = {.idle = s, .future = 300 * s, .saved = saved, .latest = latest,
                                          .rows = origin != &events};
    return order_partition(o, origin, &opt);
}

static void add(struct order *o, uint32_t p, const struct origin *origin, int64_t second, uint64_t offset)
{
    struct event ev = {.time = second * s, .origin = origin, .offset = offset, .raw = "x", .raw_len = 1,
                       .fits = one_fit, .n_fits = 1};
    assert_int_equal(order_add(o, p, event_keep(&ev), offset + 1, 1000 * s, false), ORDER_TAKEN);
}

static void check(struct given *g, const char *want)
{
    assert_string_equal(g->text, want);
    *g = (struct given){.len = 0};
}

/* Each event after the rows of its time, and none before they are read so far. */
static void events_see_rows_as_of_their_time(void **state)
{
    struct given g;
    struct order *o = make(&g, INT64_MIN);
    uint32_t e = add_partition(o, &events, NULL, false), r = add_partition(o, &rows, NULL, false);

    (void)state;
    add(o, e, &events, 5, 0);
    add(o, e, &events, 10, 1);
    add(o, e, &events, 15, 2);
    check(&g, ""); /* the table was not read yet */
    add(o, r, &rows, 3, 0);
    check(&g, "r0");
    add(o, r, &rows, 10, 1);
    check(&g, "<5 e5 <10 r1"); /* another record of 10 may come: its event waits */
    order_caught_up(o, r);
    check(&g, "e10 e15");
    add(o, e, &events, 20, 3);
    check(&g, "e20"); /* at rest it holds nobody */
    add(o, r, &rows, 12, 2);
    check(&g, "r2"); /* time has gone by: at once */
    add(o, r, &rows, 30, 3);
    add(o, e, &events, 25, 4);
    check(&g, "e25"); /* it is not its time yet */
    add(o, e, &events, 31, 5);
    check(&g, "<30 r3"); /* and the event waits: more may come of what is being read */
    order_caught_up(o, r);
    check(&g, "e31");
    order_free(&o);
}

/* Times go forward in a partition; the future is the clock's; before time begins rows are there at once. */
static void places_only_grow(void **state)
{
    struct given g;
    struct order *o = make(&g, INT64_MIN);
    uint32_t r = add_partition(o, &rows, NULL, false);

    (void)state;
    add(o, r, &rows, 50, 0);
    add(o, r, &rows, 20, 1);
    check(&g, "r0 r1"); /* nobody has an event */
    uint32_t e = add_partition(o, &events, NULL, false);
    order_caught_up(o, r);
    add(o, e, &events, 10, 0);
    add(o, r, &rows, 5, 2); /* counts from 50 on */
    order_caught_up(o, r);
    check(&g, "<10 e10");
    add(o, e, &events, 50, 1);
    check(&g, "<50 r2 e50");
    add(o, r, &rows, 5000, 3); /* the clock is 1000 */
    order_caught_up(o, r);
    add(o, e, &events, 1000, 2);
    check(&g, "<1000 r3 e1000");
    order_free(&o);
}

/* Two partitions of a topic that got more of them: by time, too. */
static void partitions_are_merged(void **state)
{
    struct given g;
    struct order *o = make(&g, INT64_MIN);
    uint32_t a = add_partition(o, &rows, NULL, false), b = add_partition(o, &other, NULL, false);

    (void)state;
    add(o, a, &rows, 7, 1);
    add(o, a, &rows, 9, 2);
    check(&g, "");
    add(o, b, &other, 8, 10);
    check(&g, "r1 r10");
    order_caught_up(o, b);
    check(&g, "r2");
    order_free(&o);
}

static void latest_holds_once(void **state)
{
    struct given g;
    struct order *o = make(&g, INT64_MIN);
    uint32_t e = add_partition(o, &events, NULL, false), r = add_partition(o, &rows, NULL, true);

    (void)state;
    add(o, e, &events, 5, 0);
    add(o, r, &rows, 100, 0);
    add(o, r, &rows, 90, 1);
    check(&g, "r0 r1");
    order_caught_up(o, r);
    check(&g, "<5 e5");
    add(o, r, &rows, 200, 2);
    add(o, e, &events, 6, 1);
    check(&g, "r2 e6");
    order_free(&o);
}

/* Never read to its end: it holds. Else its rows are there as they were. */
static void stalled_tables_hold_until_they_were_read(void **state)
{
    struct given g;
    struct position pos;
    struct order *o = make(&g, INT64_MIN);
    uint32_t e = add_partition(o, &events, NULL, false), r = add_partition(o, &rows, NULL, false);

    (void)state;
    position_init(&pos);
    order_stall(o, r, true);
    add(o, e, &events, 5, 0);
    check(&g, "");
    order_stall(o, r, false);
    add(o, r, &rows, 1, 0);
    order_caught_up(o, r);
    check(&g, "r0 <5 e5");
    order_stall(o, r, true);
    add(o, e, &events, 6, 1);
    check(&g, "e6");
    order_save(o, r, &pos);
    assert_true(pos.idle && pos.resume == 1);
    order_free(&o);

    o = make(&g, 6 * s); /* a restart without brokers */
    e = add_partition(o, &events, NULL, false);
    r = add_partition(o, &rows, &pos, false);
    add(o, e, &events, 7, 2);
    check(&g, ""); /* they may be there yet */
    order_stall(o, r, true);
    check(&g, "e7");
    order_stall(o, r, false);
    add(o, e, &events, 9, 3);
    check(&g, ""); /* what came meanwhile is read first */
    add(o, r, &rows, 8, 1);
    order_caught_up(o, r);
    check(&g, "<8 r1 e9");
    order_free(&o);
    position_fini(&pos);
}

/* What waits is read again; what was given is not. */
static void a_position_is_behind_what_was_given(void **state)
{
    struct given g;
    struct position pos;
    struct order *o = make(&g, INT64_MIN);
    uint32_t e = add_partition(o, &events, NULL, false), r = add_partition(o, &rows, NULL, false);

    (void)state;
    position_init(&pos);
    add(o, r, &rows, 10, 0);
    add(o, r, &rows, 30, 1);
    add(o, r, &rows, 20, 2); /* counts from 30 on */
    order_caught_up(o, r);
    add(o, e, &events, 15, 0);
    check(&g, "r0 <15 e15");
    order_save(o, r, &pos);
    assert_int_equal(pos.resume, 1);
    assert_int_equal(pos.max_before, 10 * s);
    order_free(&o);

    o = make(&g, 15 * s);
    e = add_partition(o, &events, NULL, false);
    r = add_partition(o, &rows, &pos, false);
    add(o, r, &rows, 30, 1);
    add(o, r, &rows, 20, 2);
    order_caught_up(o, r);
    add(o, e, &events, 25, 1);
    check(&g, "e25");
    add(o, e, &events, 35, 2);
    check(&g, "<30 r1 r2 e35");
    order_free(&o);
    position_fini(&pos);
}

/* Another topic: rows that were not in it go when it was read, and all that waited of it was given. */
static void another_generation_drops_rows(void **state)
{
    struct given g;
    struct position pos;
    struct order *o = make(&g, 5 * s);
    uint32_t e = add_partition(o, &events, NULL, false), r = add_partition(o, &rows, NULL, false);

    (void)state;
    position_init(&pos);
    add(o, e, &events, 10, 0);
    add(o, r, &rows, 8, 0);
    order_caught_up(o, r);
    check(&g, "<8 r0 e10");
    uint32_t n = add_partition(o, &again, NULL, false);
    order_end(o, r);
    check(&g, ""); /* the new one has its own rows to say when */
    add(o, n, &again, 9, 0);
    add(o, n, &again, 20, 1);
    add(o, e, &events, 15, 1);
    check(&g, "r0 e15");
    order_caught_up(o, n);
    order_save(o, n, &pos);
    assert_false(pos.idle); /* a restart does it again */
    add(o, e, &events, 25, 2);
    check(&g, "<20 r1 x1 e25");
    order_save(o, n, &pos);
    assert_true(pos.idle);
    order_end(o, n); /* the topic has fewer partitions */
    check(&g, "x2");
    order_free(&o);
    position_fini(&pos);
}

/* All sources are over: rows that are later than all events hold nobody up, and are there for what is decided then. */
static void the_end_has_later_rows(void **state)
{
    struct given g;
    struct order *o = make(&g, INT64_MIN);
    uint32_t e = add_partition(o, &events, NULL, false), r = add_partition(o, &rows, NULL, false);

    (void)state;
    add(o, e, &events, 5, 0);
    order_end(o, e);
    add(o, r, &rows, 20, 0);
    add(o, r, &rows, 30, 1);
    check(&g, "<5 e5");
    assert_false(order_rows_read(o)); /* more may come */
    order_caught_up(o, r);
    assert_true(order_rows_read(o));
    order_finish(o);
    char end[100];
    snprintf(end, sizeof end, "over5 <20 r0 <30 r1 <%d", (int)(INT64_MAX / s));
    check(&g, end);
    add(o, r, &rows, 40, 2);
    check(&g, "r2");
    order_free(&o);
}

/* ---- replays ------------------------------------------------------------------------------------ */

static void show_event(void *ctx, struct event *ev)
{
    say(ctx, "e", ev->time / s);
}

static void show_row(void *ctx, struct event *ev)
{
    say(ctx, "r", (int64_t)ev->offset);
}

static struct order *make_replay(struct given *g)
{
    struct order_sink sink = {.event = show_event, .late = show_event, .advance = take_frontier, .row = show_row, .ctx = g};
    struct order_options opt = {.max_bytes = 1 << 20, .end = 500 * s};

    *g = (struct given){.len = 0};
    return order_new(&opt, &sink);
}

/* They are borrowed. */
static void read_one(struct order *o, uint32_t p, const struct origin *origin, int64_t second, uint64_t offset)
{
    struct event ev = {.time = second * s, .origin = origin, .offset = offset, .raw = "x", .raw_len = 1,
                       .fits = one_fit, .n_fits = 1};
    assert_int_equal(order_next(o), p);
    assert_int_equal(order_add(o, p, &ev, 0, 1000 * s, false), ORDER_TAKEN);
}

static void end_one(struct order *o, uint32_t p)
{
    assert_int_equal(order_next(o), p);
    order_end(o, p);
}

/* Read next is what holds the others: of each partition of rows one record waits. */
static void a_replay_merges_rows(void **state)
{
    struct given g;
    struct order *o = make_replay(&g);
    uint32_t e = add_partition(o, &events, NULL, false), a = add_partition(o, &rows, NULL, false);
    uint32_t b = add_partition(o, &other, NULL, false);

    (void)state;
    read_one(o, a, &rows, 10, 0);
    read_one(o, b, &other, 30, 1);
    check(&g, "");
    read_one(o, e, &events, 20, 0);
    check(&g, "r0"); /* before time begins */
    read_one(o, a, &rows, 20, 2);
    read_one(o, a, &rows, 5, 3); /* counts from 20 on, before the event of 20 */
    read_one(o, a, &rows, 40, 4);
    check(&g, "<20 r2 r3 e20");
    read_one(o, e, &events, 35, 1);
    check(&g, "<30 r1");
    end_one(o, b);
    check(&g, "e35");
    end_one(o, e);
    check(&g, "<40 r4"); /* what is decided later sees them */
    read_one(o, a, &rows, 45, 5);
    check(&g, "<45 r5");
    end_one(o, a);
    check(&g, "<500");
    assert_int_equal(order_next(o), ORDER_NONE);
    order_free(&o);
}

static void a_replay_reads_latest_first(void **state)
{
    struct given g;
    struct order *o = make_replay(&g);
    uint32_t e = add_partition(o, &events, NULL, false), r = add_partition(o, &rows, NULL, true);

    (void)state;
    read_one(o, r, &rows, 100, 0);
    read_one(o, r, &rows, 90, 1);
    check(&g, "r0 r1");
    end_one(o, r);
    read_one(o, e, &events, 5, 0);
    check(&g, "<5 e5");
    order_free(&o);
}

/* Events that end before a row was read: time does not begin before rows that are earlier. */
static void a_replay_has_rows_from_before(void **state)
{
    struct given g;
    struct order *o = make_replay(&g);
    uint32_t e = add_partition(o, &events, NULL, false), r = add_partition(o, &rows, NULL, false);

    (void)state;
    read_one(o, r, &rows, 10, 0);
    read_one(o, e, &events, 20, 0);
    order_end(o, e);
    read_one(o, r, &rows, 15, 1);
    read_one(o, r, &rows, 25, 2);
    end_one(o, r);
    check(&g, "r0 r1 <20 e20 <25 r2 <500");
    order_free(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_see_rows_as_of_their_time),
        cmocka_unit_test(places_only_grow),
        cmocka_unit_test(partitions_are_merged),
        cmocka_unit_test(latest_holds_once),
        cmocka_unit_test(stalled_tables_hold_until_they_were_read),
        cmocka_unit_test(a_position_is_behind_what_was_given),
        cmocka_unit_test(another_generation_drops_rows),
        cmocka_unit_test(the_end_has_later_rows),
        cmocka_unit_test(a_replay_merges_rows),
        cmocka_unit_test(a_replay_reads_latest_first),
        cmocka_unit_test(a_replay_has_rows_from_before),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
