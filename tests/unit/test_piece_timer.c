// SPDX-License-Identifier: Apache-2.0
/* piece_timer: from few looks at a clock what each rule costs, and nothing but that. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <unit/engine_fixture.h>

#include "engine/piece_timer.h"
#include "engine/probe.h"

enum { BLOCKS = 40000 };

struct fake { /* a clock that the test, or each look, moves */
    int64_t is, each;
    uint64_t looks, long_ones;
};

static int64_t now(void *ctx)
{
    struct fake *fake = ctx;
    fake->looks++;
    return fake->is += fake->each;
}

static int64_t half(void *ctx, int64_t begin, int64_t end)
{
    ((struct fake *)ctx)->long_ones++;
    return (end - begin) / 2;
}

static struct piece_clock clock_of(struct fake *fake)
{
    return (struct piece_clock){.now = now, .seed = 7, .ctx = fake};
}

static void assert_near(uint64_t is, uint64_t want, uint64_t percent)
{
    uint64_t off = is > want ? is - want : want - is;
    if (off * 100 > want * percent)
        fail_msg("%llu is not %llu", (unsigned long long)is, (unsigned long long)want);
}

/* What comes in a pattern as long as a block is: each place of it is met as often as the others. */
static void each_piece_has_the_same_chance(void **state)
{
    (void)state;
    struct fake fake = {0};
    struct piece_clock clock = clock_of(&fake);
    struct piece_timer timer;
    uint64_t cheap = 0, dear = 0, timed[PIECE_BLOCK] = {0};
    piece_timer_init(&timer, &clock);
    for (uint64_t i = 0; i < (uint64_t)BLOCKS * PIECE_BLOCK; i++) {
        uint64_t place = i % PIECE_BLOCK;
        bool is_dear = place % 16 == 0;
        int64_t began = piece_begin(&timer);
        timed[place] += began != PIECE_UNTIMED;
        fake.is += is_dear ? 5000 : 40;
        piece_end(&timer, began, is_dear ? &dear : &cheap);
    }
    assert_int_equal(fake.looks, 2 * BLOCKS);
    for (size_t i = 0; i < PIECE_BLOCK; i++)
        assert_near(timed[i], BLOCKS / PIECE_BLOCK, 50);
    assert_near(dear, (uint64_t)BLOCKS * PIECE_BLOCK / 16 * 5000, 5);
    assert_near(cheap, (uint64_t)BLOCKS * PIECE_BLOCK / 16 * 15 * 40, 5);
}

static void without_a_clock_nothing_is_timed(void **state)
{
    (void)state;
    struct piece_timer timer;
    uint64_t ns = 0;
    piece_timer_init(&timer, NULL);
    for (int i = 0; i < 1000; i++) {
        int64_t began = piece_begin(&timer);
        assert_true(began == PIECE_UNTIMED);
        piece_end(&timer, began, &ns);
    }
    assert_int_equal(ns, 0);
}

/* Times `n` pieces that take `each`. */
static uint64_t time_pieces(struct piece_clock *clock, int64_t each, uint64_t n)
{
    struct piece_timer timer;
    uint64_t ns = 0;
    piece_timer_init(&timer, clock);
    for (uint64_t i = 0; i < n; i++) {
        int64_t began = piece_begin(&timer);
        ((struct fake *)clock->ctx)->is += each;
        piece_end(&timer, began, &ns);
    }
    return ns;
}

static void what_looking_costs_is_taken_off(void **state)
{
    (void)state;
    struct fake fake = {.each = 25};
    struct piece_clock clock = clock_of(&fake);
    clock.cost = 25;
    assert_int_equal(time_pieces(&clock, 60, 100 * PIECE_BLOCK), 100 * PIECE_BLOCK * 60);
    clock.cost = 1000; /* nothing less than nothing */
    assert_int_equal(time_pieces(&clock, 60, 100 * PIECE_BLOCK), 0);
}

static void of_what_takes_long_it_is_asked_what_was_its_own(void **state)
{
    (void)state;
    struct fake fake = {0};
    struct piece_clock clock = clock_of(&fake);
    clock.own = half;
    assert_int_equal(time_pieces(&clock, 100000, PIECE_BLOCK), 100000 * PIECE_BLOCK);
    assert_int_equal(fake.long_ones, 0);
    assert_int_equal(time_pieces(&clock, 200000, PIECE_BLOCK), 100000 * PIECE_BLOCK);
    assert_int_equal(fake.long_ones, 1);
}

/* Each kind of work: events, deadlines, alerts, what one rule makes for another. */
static const char *const rules =
    "rule busy { match by u within 5s { a: s where k < 6  b: s where k == 7 } }\n"
    "rule rare { match by u within 5s { a: s where k == 7  not b: s where k == 8 } suppress 3s }\n"
    "rule of_busy { window tumbling 10s { a: busy } emit { n = count() } }\n"
    "rule never { match { a: t } }\n";
enum { BUSY, NEVER, OF_BUSY, RARE, N_RULES }; /* by name */

static void feed_all(struct fixture *fx)
{
    uint64_t seed = 3;
    char json[80];
    for (int64_t i = 0; i < 40000; i++) {
        snprintf(json, sizeof json, "{\"k\":%u,\"u\":%u}", fixture_below(&seed, 10), fixture_below(&seed, 20));
        fixture_feed_ns(fx, i * SECOND / 10, "s", json);
    }
    fixture_end(fx);
}

static void an_engine_does_the_same_with_a_clock(void **state)
{
    (void)state;
    struct fake fake = {.each = 1000};
    struct piece_clock clock = clock_of(&fake);
    struct fixture with, without;
    struct buf a, b;
    fixture_open(&with, rules);
    fixture_open(&without, rules);
    engine_time(with.en, &clock);
    feed_all(&with);
    feed_all(&without);
    assert_int_equal(with.out.n, without.out.n);
    assert_true(with.out.n > 100);
    for (size_t i = 0; i < with.out.n; i++)
        assert_string_equal(with.out.alert[i].json, without.out.alert[i].json);
    buf_init(&a);
    buf_init(&b);
    engine_snapshot(with.en, &a);
    engine_snapshot(without.en, &b);
    assert_int_equal(a.len, b.len);
    assert_memory_equal(a.data, b.data, a.len);
    uint64_t ns[N_RULES], all = 0;
    for (uint32_t r = 0; r < N_RULES; r++) {
        all += ns[r] = fixture_stats(&with, r).engine_ns;
        assert_int_equal(fixture_stats(&without, r).engine_ns, 0);
    }
    assert_int_equal(all, fake.looks / 2 * 1000 * PIECE_BLOCK); /* nothing is lost, nothing is nobody's */
    assert_int_equal(ns[NEVER], 0);
    assert_true(ns[OF_BUSY] > 0);
    /* seven events in ten against two, and each has its alerts and deadlines */
    assert_true(ns[BUSY] > 2 * ns[RARE]);
    assert_true(ns[RARE] > 0);
    buf_fini(&a);
    buf_fini(&b);
    fixture_close(&with);
    fixture_close(&without);
}

static void conditions_are_their_rules(void **state)
{
    (void)state;
    struct fake fake = {.each = 1000};
    struct piece_clock clock = clock_of(&fake);
    struct fixture fx;
    fixture_open(&fx, "stream odd = s where k != 4\n"
                      "rule often { match { a: odd where u like \"*x*\" } }\n"
                      "rule seldom { match { a: s where k == 1 and u like \"*y*\" } }\n"
                      "rule plain { match { a: s } }\n");
    probe_time(fx.probe, &clock);
    for (uint32_t i = 0; i < 100000; i++)
        fixture_event(&fx, 0, "s", i % 10 == 0 ? "{\"k\":1,\"u\":\"axb\"}" : "{\"k\":2,\"u\":\"axb\"}");
    enum { OFTEN, PLAIN, SELDOM }; /* by name */
    assert_near(probe_tally_of(fx.probe, OFTEN).ns, UINT64_C(100000) * 1000, 20);
    assert_near(probe_tally_of(fx.probe, SELDOM).ns, UINT64_C(10000) * 1000, 40);
    assert_int_equal(probe_tally_of(fx.probe, PLAIN).ns, 0);
    assert_int_equal(fixture_stats(&fx, SELDOM).conditions_ns, 0); /* until it is told to the engine */
    struct probe_tally more = probe_tally_of(fx.probe, SELDOM);
    engine_count_probed(fx.en, SELDOM, &more);
    engine_count_probed(fx.en, SELDOM, &more);
    assert_int_equal(fixture_stats(&fx, SELDOM).conditions_ns, 2 * more.ns);
    fixture_close(&fx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_piece_has_the_same_chance),
        cmocka_unit_test(without_a_clock_nothing_is_timed),
        cmocka_unit_test(what_looking_costs_is_taken_off),
        cmocka_unit_test(of_what_takes_long_it_is_asked_what_was_its_own),
        cmocka_unit_test(an_engine_does_the_same_with_a_clock),
        cmocka_unit_test(conditions_are_their_rules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
