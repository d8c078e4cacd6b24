/* SPDX-License-Identifier: Apache-2.0 */
/* What is live alone in the order stage: who rests, who holds, and time while all are quiet. */
#include "flow/order.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "event/event.h"
#include "flow/position.h"

static const int64_t ms = 1000000;
static const uint32_t one_fit[] = {0};
static const struct origin a = {.source = "s", .partition = "a"};
static const struct origin a1 = {.source = "s", .partition = "a", .generation = 1};
static const struct origin b = {.source = "s", .partition = "b"};

struct given {
    int64_t time[100];
    size_t n;
    int64_t frontier;
    int goes_on;
};

static void take_event(void *ctx, struct event *ev)
{
    struct given *g = ctx;

    assert_true(ev->time >= g->frontier && g->n < 100);
    g->frontier = g->time[g->n++] = ev->time;
    event_unref(ev);
}

static void take_frontier(void *ctx, int64_t frontier)
{
    struct given *g = ctx;

    assert_true(frontier > g->frontier);
    g->frontier = frontier;
}

static void go_on(void *ctx)
{
    struct given *g = ctx;

    g->goes_on++;
}

static bool reload(void *ctx, uint32_t partition, struct event *ev)
{
    (void)ctx;
    (void)partition;
    ev->fits = one_fit;
    ev->n_fits = 1;
    return true;
}

static struct order *make(struct given *g, struct order_options opt)
{
    struct order_sink sink = {
        .event = take_event, .late = take_event, .advance = take_frontier, .goes_on = go_on, .ctx = g};

    *g = (struct given){.frontier = INT64_MIN};
    opt.live = true;
    opt.reload = reload;
    if (!opt.max_bytes)
        opt.max_bytes = 1 << 20;
    return order_new(&opt, &sink);
}

static uint32_t partition(struct order *o, const struct origin *origin, const struct position *saved)
{
    struct order_partition_options opt = {.lateness = 0, .idle = 100 * ms, .future = 50 * ms,
                                          .saved = saved};
    return order_partition(o, origin, &opt);
}

static enum order_verdict add(struct order *o, uint32_t p, const struct origin *origin,
                                   int64_t time, uint64_t offset)
{
    struct event ev = {.time = time, .origin = origin, .offset = offset, .raw = "x", .raw_len = 1,
                       .fits = one_fit, .n_fits = 1};
    struct event *kept = event_keep(&ev);
    enum order_verdict verdict = order_add(o, p, kept, offset + 10, time, false);

    if (verdict != ORDER_TAKEN)
        event_unref(kept);
    return verdict;
}

static void an_idle_one_holds_nobody(void **state)
{
    struct given g;
    struct order *o = make(&g, (struct order_options){.quiet_hold = true});
    uint32_t pa = partition(o, &a, NULL), pb = partition(o, &b, NULL);

    (void)state;
    assert_int_equal(add(o, pa, &a, 100 * ms, 0), ORDER_TAKEN);
    order_tick(o, 1000 * ms);
    order_tick(o, 2000 * ms);
    assert_int_equal(g.n, 0); /* b has said nothing, but it was not read to its end */
    order_caught_up(o, pb);
    assert_int_equal(order_tick(o, 3000 * ms), 3100 * ms);
    assert_int_equal(order_tick(o, 3099 * ms), 3100 * ms);
    assert_int_equal(g.n, 0);
    assert_int_equal(order_tick(o, 3100 * ms), ORDER_NEVER);
    assert_int_equal(g.n, 1);
    assert_int_equal(order_frontier(o), 100 * ms);
    /* it is back, and starts at the frontier */
    assert_int_equal(add(o, pb, &b, 99 * ms, 0), ORDER_LATE);
    assert_int_equal(add(o, pb, &b, 100 * ms, 10), ORDER_TAKEN);
    assert_int_equal(g.n, 1); /* a may bring another of that time, which comes first */
    assert_int_equal(add(o, pa, &a, 200 * ms, 10), ORDER_TAKEN);
    assert_int_equal(g.n, 2);
    assert_int_equal(order_frontier(o), 100 * ms);
    order_free(&o);
}

static void what_hinders_reading_is_no_quiet(void **state)
{
    struct given g;
    struct order *o = make(&g, (struct order_options){.quiet_hold = true});
    uint32_t pa = partition(o, &a, NULL), pb = partition(o, &b, NULL);

    (void)state;
    add(o, pa, &a, 100 * ms, 0);
    order_caught_up(o, pb);
    order_tick(o, 0);
    order_tick(o, 90 * ms);
    order_blind(o, pb, true);
    order_tick(o, 900 * ms);
    order_blind(o, pb, false);
    order_tick(o, 905 * ms);
    assert_int_equal(g.n, 0); /* 95 ms of quiet */
    order_stall(o, pb, true);
    order_tick(o, 2000 * ms);
    order_tick(o, 3000 * ms);
    assert_int_equal(g.n, 0);
    order_stall(o, pb, false);
    order_tick(o, 3050 * ms);
    order_tick(o, 3500 * ms);
    assert_int_equal(g.n, 0); /* it may have lines that wait: it is to be read to its end again */
    order_caught_up(o, pb);
    order_tick(o, 4050 * ms); /* from here on */
    order_tick(o, 4149 * ms);
    assert_int_equal(g.n, 0);
    order_tick(o, 4150 * ms);
    assert_int_equal(g.n, 1);
    order_stall(o, pb, true); /* it holds again, though it was idle */
    add(o, pa, &a, 200 * ms, 10);
    assert_int_equal(g.n, 1);
    order_free(&o);
}

static void a_quiet_group_goes_on_by_the_clock(void **state)
{
    struct given g;
    struct order *o = make(&g, (struct order_options){0});
    uint32_t pa = partition(o, &a, NULL);
    struct position pos;

    (void)state;
    order_caught_up(o, pa);
    order_tick(o, 0);
    order_tick(o, 5000 * ms);
    assert_int_equal(order_frontier(o), INT64_MIN); /* nothing was shown: there is no time yet */
    add(o, pa, &a, 1000 * ms, 0);
    order_caught_up(o, pa);
    order_tick(o, 6000 * ms);
    order_tick(o, 6100 * ms);
    assert_int_equal(order_frontier(o), 1000 * ms);
    order_tick(o, 6350 * ms);
    assert_int_equal(order_frontier(o), 1250 * ms);
    order_tick(o, 6340 * ms); /* a clock that goes back */
    assert_int_equal(order_frontier(o), 1250 * ms);
    position_init(&pos);
    order_save(o, pa, &pos);
    assert_true(pos.idle);
    assert_int_equal(pos.cut, 1250 * ms);
    assert_int_equal(add(o, pa, &a, 1249 * ms, 10), ORDER_LATE);
    assert_int_equal(add(o, pa, &a, 1250 * ms, 20), ORDER_TAKEN);
    order_free(&o);

    /* The same after a restart: it is told by the cut that time had gone on. */
    o = make(&g, (struct order_options){0});
    g.frontier = pos.cut;
    order_start_at(o, pos.cut);
    pa = partition(o, &a, &pos);
    assert_int_equal(add(o, pa, &a, 1249 * ms, 10), ORDER_LATE);
    assert_int_equal(add(o, pa, &a, 1250 * ms, 20), ORDER_TAKEN);
    order_free(&o);

    /* What was idle is idle again as soon as it is read to its end. */
    o = make(&g, (struct order_options){0});
    g.frontier = pos.cut;
    order_start_at(o, pos.cut);
    pa = partition(o, &a, &pos);
    order_tick(o, 77 * ms);
    assert_int_equal(order_next(o), pa);
    order_caught_up(o, pa);
    order_tick(o, 78 * ms);
    assert_int_equal(order_next(o), ORDER_NONE);
    order_tick(o, 178 * ms);
    assert_int_equal(order_frontier(o), 1350 * ms);
    order_free(&o);

    /* Not if it stalled meanwhile. */
    o = make(&g, (struct order_options){0});
    g.frontier = pos.cut;
    order_start_at(o, pos.cut);
    pa = partition(o, &a, &pos);
    order_stall(o, pa, true);
    order_tick(o, 77 * ms);
    order_stall(o, pa, false);
    order_tick(o, 200 * ms);
    order_caught_up(o, pa);
    order_tick(o, 201 * ms);
    assert_int_equal(order_next(o), pa);
    order_tick(o, 301 * ms);
    assert_int_equal(order_next(o), ORDER_NONE);
    order_free(&o);
    position_fini(&pos);
}

static void with_order_by_quiet_leaves_the_time_behind(void **state)
{
    struct given g;
    struct order *o = make(&g, (struct order_options){.quiet_hold = true});
    struct order_partition_options opt = {.idle = 0, .future = -1, .order_by = true};
    uint32_t pa = order_partition(o, &a, &opt);

    (void)state;
    add(o, pa, &a, 1000, 0);
    assert_int_equal(g.n, 0); /* one that comes may be before it */
    order_caught_up(o, pa);
    order_tick(o, 1);
    assert_int_equal(g.n, 1);
    assert_int_equal(order_frontier(o), 1001);
    assert_int_equal(add(o, pa, &a, 1000, 10), ORDER_LATE);
    order_free(&o);
}

static void too_far_ahead_is_set_aside(void **state)
{
    struct given g;
    struct order *o = make(&g, (struct order_options){0});
    uint32_t pa = partition(o, &a, NULL);
    struct event ev = {.origin = &a, .raw = ""};

    (void)state;
    ev.time = 1051 * ms;
    assert_int_equal(order_add(o, pa, &ev, 10, 1000 * ms, false), ORDER_ASIDE);
    assert_int_equal(order_frontier(o), INT64_MIN);
    ev.time = 1050 * ms;
    assert_int_equal(order_add(o, pa, &ev, 20, 1000 * ms, false), ORDER_TAKEN);
    assert_int_equal(order_frontier(o), 1050 * ms);
    ev.time = INT64_MAX;
    assert_int_equal(order_add(o, pa, &ev, 30, INT64_MAX - 1, false), ORDER_TAKEN);
    order_free(&o);
}

static void the_next_generation_takes_over(void **state)
{
    struct given g;
    struct order *o = make(&g, (struct order_options){.quiet_hold = true});
    uint32_t pa = partition(o, &a, NULL), pb = partition(o, &b, NULL), next;

    (void)state;
    add(o, pa, &a, 100 * ms, 0);
    add(o, pb, &b, 300 * ms, 0);
    order_end(o, pa); /* the file was renamed; the new one is not there yet */
    assert_int_equal(order_frontier(o), 100 * ms);
    assert_false(order_forget(o, pa));
    next = partition(o, &a1, NULL);
    assert_int_equal(add(o, next, &a1, 101 * ms, 0), ORDER_TAKEN); /* not late: all waited for it */
    assert_int_equal(order_frontier(o), 101 * ms);
    assert_true(order_forget(o, pa));
    assert_int_equal(partition(o, &a, NULL), pa); /* the number is free */
    order_end(o, pa);                             /* and there is a successor already */
    add(o, next, &a1, 400 * ms, 10);
    assert_int_equal(order_frontier(o), 300 * ms);
    /* without one it holds until it is idle */
    order_end(o, pb);
    add(o, next, &a1, 500 * ms, 20);
    assert_int_equal(order_frontier(o), 300 * ms);
    order_tick(o, 0);
    order_tick(o, 100 * ms);
    assert_int_equal(order_frontier(o), 500 * ms);
    order_free(&o);
}

/* The old file has lines that wait when the process dies; after it, the new one comes only when the old
 * one was read: until then that holds others back as before. */
static void the_last_generation_holds_again_after_a_restart(void **state)
{
    struct given g;
    struct position saved = {0};
    struct order *o = make(&g, (struct order_options){0});
    uint32_t pa = partition(o, &a, NULL), pb = partition(o, &b, NULL), next;

    (void)state;
    add(o, pa, &a, 100 * ms, 0);
    add(o, pb, &b, 150 * ms, 0);
    add(o, pa, &a, 200 * ms, 10);
    order_end(o, pa);
    partition(o, &a1, NULL);
    assert_int_equal(order_frontier(o), 150 * ms);
    order_save(o, pa, &saved);
    assert_false(saved.ended);
    order_free(&o);

    o = make(&g, (struct order_options){0});
    order_start_at(o, 150 * ms);
    pa = partition(o, &a, &saved);
    add(o, pa, &a, 200 * ms, 10);
    order_caught_up(o, pa);
    order_tick(o, 0);
    order_tick(o, 50 * ms);
    assert_int_equal(order_frontier(o), 200 * ms);
    next = partition(o, &a1, NULL);
    order_end(o, pa);
    assert_int_equal(add(o, next, &a1, 201 * ms, 0), ORDER_TAKEN);
    position_fini(&saved);
    order_free(&o);
}

/* Standard input ends with its process; the next process has another one. */
static void one_that_ended_goes_on_after_a_restart(void **state)
{
    struct given g;
    struct position saved = {0};
    struct order *o = make(&g, (struct order_options){.quiet_hold = true});
    uint32_t pa = partition(o, &a, NULL);

    (void)state;
    add(o, pa, &a, 100 * ms, 0);
    order_end(o, pa);
    order_save(o, pa, &saved);
    assert_true(saved.ended);
    order_free(&o);

    o = make(&g, (struct order_options){.quiet_hold = true});
    order_start_at(o, 100 * ms);
    pa = partition(o, &a, &saved);
    assert_int_equal(add(o, pa, &a, 150 * ms, 10), ORDER_TAKEN);
    order_end(o, pa);
    order_save(o, pa, &saved);
    assert_true(saved.ended);
    order_free(&o);

    o = make(&g, (struct order_options){.quiet_hold = true});
    pa = partition(o, &a, &saved);
    order_end(o, pa); /* nothing came */
    order_save(o, pa, &saved);
    assert_true(saved.ended);
    position_fini(&saved);
    order_free(&o);
}

/* Its end was told: with nothing new neither the clock nor another end tells anything. */
static void what_is_over_stays_so_until_something_new_comes(void **state)
{
    struct given g;
    struct position saved = {0};
    struct order *o = make(&g, (struct order_options){0});
    uint32_t pa = partition(o, &a, NULL), pb;

    (void)state;
    add(o, pa, &a, 100 * ms, 0);
    order_end(o, pa);
    order_finish(o);
    assert_true(g.frontier == INT64_MAX);
    order_save(o, pa, &saved);
    saved.cut = saved.max_before; /* as pipeline.c does */
    order_free(&o);

    o = make(&g, (struct order_options){0});
    order_start_over(o, 90 * ms);
    pa = partition(o, &a, &saved);
    order_end(o, pa);
    order_tick(o, 0);
    order_tick(o, 1000 * ms);
    order_finish(o);
    assert_true(order_frontier(o) == INT64_MAX && g.frontier == INT64_MIN && g.goes_on == 0);
    order_free(&o);

    o = make(&g, (struct order_options){0});
    order_start_over(o, 100 * ms);
    pa = partition(o, &a, &saved);
    pb = partition(o, &b, NULL);
    assert_int_equal(add(o, pb, &b, 99 * ms, 0), ORDER_LATE);
    assert_true(order_frontier(o) == INT64_MAX && g.goes_on == 0);
    assert_int_equal(add(o, pb, &b, 110 * ms, 10), ORDER_TAKEN);
    assert_true(order_frontier(o) == 100 * ms && g.goes_on == 1 && g.frontier == INT64_MIN);
    order_end(o, pa);
    order_end(o, pb);
    order_finish(o);
    assert_true(g.frontier == INT64_MAX && g.goes_on == 1 && g.n == 1 && g.time[0] == 110 * ms);
    position_fini(&saved);
    order_free(&o);
}

static void nothing_is_given_while_held(void **state)
{
    struct given g;
    struct order *o = make(&g, (struct order_options){.quiet_hold = true});
    uint32_t pa, pb;

    (void)state;
    order_hold(o);
    order_hold(o);
    pa = partition(o, &a, NULL);
    add(o, pa, &a, 100, 0);
    add(o, pa, &a, 200, 10);
    order_release(o);
    assert_int_equal(g.n, 0);
    pb = partition(o, &b, NULL);
    order_release(o);
    assert_int_equal(add(o, pb, &b, 50, 0), ORDER_TAKEN);
    assert_int_equal(g.n, 1);
    assert_int_equal(g.time[0], 50);
    order_free(&o);
}

static void broken_lines_move_the_position(void **state)
{
    struct given g;
    struct order *o = make(&g, (struct order_options){0});
    uint32_t pa = partition(o, &a, NULL);
    struct position pos;

    (void)state;
    position_init(&pos);
    assert_true(order_pass(o, pa, 0, 10));
    assert_int_equal(add(o, pa, &a, 100, 10), ORDER_TAKEN);
    assert_true(order_pass(o, pa, 20, 35));
    order_save(o, pa, &pos);
    assert_int_equal(pos.read, 35);
    assert_int_equal(pos.resume, 35);
    order_free(&o);
    o = make(&g, (struct order_options){0});
    pos.resume = 20;
    pa = partition(o, &a, &pos);
    assert_false(order_pass(o, pa, 20, 35));
    assert_true(order_pass(o, pa, 35, 40));
    order_free(&o);
    position_fini(&pos);
}

static void who_runs_ahead_is_paused(void **state)
{
    struct given g;
    struct order *o = make(&g, (struct order_options){.max_bytes = 20000});
    uint32_t pa = partition(o, &a, NULL), pb = partition(o, &b, NULL);
    int64_t time = 0;

    (void)state;
    while (!order_should_pause(o, pa)) {
        assert_false(order_should_pause(o, pb));
        time += 10;
        assert_int_equal(add(o, pa, &a, time, (uint64_t)time), ORDER_TAKEN);
        assert_true(time < 10000);
    }
    assert_true(order_bytes(o) > 10000 && order_bytes(o) < 15000);
    add(o, pb, &b, 10, 0);
    assert_true(order_should_pause(o, pa)); /* little has gone */
    do
        time += 10;
    while (add(o, pa, &a, time, (uint64_t)time) == ORDER_TAKEN);
    assert_true(order_bytes(o) <= 15000); /* the rest is for the one that holds the frontier */
    add(o, pb, &b, time, 10);
    assert_false(order_should_pause(o, pa));
    order_free(&o);
}

static void a_full_disk_loses_nothing(void **state)
{
    char dir[] = "/tmp/test_order_idle.XXXXXX", given_dir[sizeof dir];
    struct given g;
    struct order_options opt = {.max_bytes = 3000, .spill_limit = 500, .spill_dir = given_dir};
    struct order *o;
    uint32_t pa;
    uint64_t n = 0;
    struct buf why;

    (void)state;
    assert_non_null(mkdtemp(dir));
    memcpy(given_dir, dir, sizeof dir);
    o = make(&g, opt);
    memset(given_dir, 'x', sizeof given_dir - 1); /* it was copied */
    pa = partition(o, &a, NULL);
    partition(o, &b, NULL);
    buf_init(&why);
    while (add(o, pa, &a, (int64_t)n, n * 10) == ORDER_TAKEN)
        assert_true(++n < 90);
    assert_true(n > 10 && order_spilled_bytes(o) > 0);
    assert_true(order_spill_full(o, &why));
    assert_non_null(strstr(why.data, "limit"));
    order_caught_up(o, 1);
    order_tick(o, 1);
    order_tick(o, 200 * ms);
    assert_int_equal(g.n, n);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(g.time[i], i);
    assert_int_equal(order_spilled_bytes(o), 0);
    assert_int_equal(add(o, pa, &a, (int64_t)n, n * 10), ORDER_TAKEN); /* the one that had no room */
    order_free(&o);
    buf_fini(&why);
    rmdir(dir);
    assert_int_not_equal(access(dir, F_OK), 0);
}

/* There is no line there: it rests as it did, but a restart goes on behind it. */
static void what_is_skipped_moves_the_position_alone(void **state)
{
    struct given g;
    struct order *o = make(&g, (struct order_options){.quiet_hold = true});
    uint32_t pa = partition(o, &a, NULL), pb = partition(o, &b, NULL);
    struct position pos;

    (void)state;
    position_init(&pos);
    order_skip(o, pb, 1000); /* where reading begins */
    order_save(o, pb, &pos);
    assert_int_equal(pos.resume, 1000);
    assert_int_equal(pos.read, 1000);
    order_caught_up(o, pb);
    assert_int_equal(add(o, pa, &a, 100 * ms, 0), ORDER_TAKEN);
    order_tick(o, 1000 * ms);
    order_tick(o, 2000 * ms);
    assert_int_equal(g.n, 1); /* b is idle */
    order_skip(o, pb, 1005);
    order_skip(o, pb, 1001); /* never back */
    assert_int_equal(add(o, pa, &a, 200 * ms, 10), ORDER_TAKEN);
    assert_int_equal(g.n, 2); /* and still is */
    order_save(o, pb, &pos);
    assert_int_equal(pos.resume, 1005);
    order_skip(o, pa, 500); /* what waits is not skipped */
    order_save(o, pa, &pos);
    assert_int_equal(pos.read, 500);
    position_fini(&pos);
    order_free(&o);
}

/* There is more that cannot be read yet: it holds others back again, until it was read to its end. */
static void one_that_is_behind_holds_again(void **state)
{
    struct given g;
    struct order *o = make(&g, (struct order_options){.quiet_hold = true});
    uint32_t pa = partition(o, &a, NULL), pb = partition(o, &b, NULL);

    (void)state;
    order_caught_up(o, pb);
    assert_int_equal(add(o, pa, &a, 100 * ms, 0), ORDER_TAKEN);
    order_tick(o, 1000 * ms);
    order_tick(o, 2000 * ms);
    assert_int_equal(g.n, 1);
    order_behind(o, pb);
    assert_int_equal(add(o, pa, &a, 200 * ms, 10), ORDER_TAKEN);
    order_tick(o, 3000 * ms);
    order_tick(o, 9000 * ms);
    assert_int_equal(g.n, 1); /* b holds, however long nothing comes */
    order_caught_up(o, pb);
    order_tick(o, 10000 * ms);
    order_tick(o, 11000 * ms);
    assert_int_equal(g.n, 2);
    order_free(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_idle_one_holds_nobody),
        cmocka_unit_test(what_hinders_reading_is_no_quiet),
        cmocka_unit_test(a_quiet_group_goes_on_by_the_clock),
        cmocka_unit_test(with_order_by_quiet_leaves_the_time_behind),
        cmocka_unit_test(too_far_ahead_is_set_aside),
        cmocka_unit_test(the_next_generation_takes_over),
        cmocka_unit_test(the_last_generation_holds_again_after_a_restart),
        cmocka_unit_test(one_that_ended_goes_on_after_a_restart),
        cmocka_unit_test(what_is_over_stays_so_until_something_new_comes),
        cmocka_unit_test(nothing_is_given_while_held),
        cmocka_unit_test(broken_lines_move_the_position),
        cmocka_unit_test(who_runs_ahead_is_paused),
        cmocka_unit_test(what_is_skipped_moves_the_position_alone),
        cmocka_unit_test(one_that_is_behind_holds_again),
        cmocka_unit_test(a_full_disk_loses_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
