// SPDX-License-Identifier: Apache-2.0
/* dead_letter: they are kept within bounds, listed, dropped, counted over restarts. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <unit/outbox_fixture.h>

/* ---- dead letters ---------------------------------------------------------------------------- */

static void broken(int from, int to)
{
    struct epoch *ep = epoch_new();
    char text[32];

    for (int i = from; i <= to; i++) {
        snprintf(text, sizeof text, "%04d", i);
        struct epoch_message *m = add(ep, text, 0);
        m->reason = mem_strndup("no JSON", 7);
        m->origin = mem_strndup("s p 0 77", 8);
    }
    checkpoint_submit(cp, ep);
    assert_true(checkpoint_settle(cp, 60 * SECOND));
}

static void dead_letters_of_sources(void **state)
{
    (void)state;
    open_sinks(two, 1);
    broken(1, 4);
    letters_are("s p 0 77|no JSON|0001\ns p 0 77|no JSON|0002\n"
                "s p 0 77|no JSON|0003\ns p 0 77|no JSON|0004\n");
    change(2, 3, true, 0, 2); /* they are of no sink */
    change(2, 3, false, 2, 0);
    change(2, 3, false, 0, 0);
    letters_are("s p 0 77|no JSON|0001\ns p 0 77|no JSON|0004\n");
    open_sinks(two, 1);
    letters_are("s p 0 77|no JSON|0001\ns p 0 77|no JSON|0004\n");
    change(0, UINT64_MAX, false, 2, 0);
    letters_are("");
    assert_int_equal(checkpoint_dead_letters(cp).bytes, 0);
    open_sinks(two, 1);
    broken(5, 5);
    letters_are("s p 0 77|no JSON|0005\n");
    assert_int_equal(checkpoint_dead_letters(cp).added, 5);
}

static void the_oldest_make_room(void **state)
{
    (void)state;
    enum { ONE = 10 + 9 + 8 + 5 }; /* bytes of one */
    static const struct checkpoint_options by_count = {.dead_letter_count = 100};
    static const struct checkpoint_options by_bytes = {.dead_letter_bytes = 50 * ONE + 7};
    struct letters letters = {0};

    open_with(&by_count, two, 1);
    buf_init(&letters.text);
    broken(1, 99);
    assert_int_equal(checkpoint_dead_letters(cp).bytes, 99 * ONE);
    broken(100, 150);
    broken(151, 151);
    struct dead_letter_stats stats = checkpoint_dead_letters(cp);
    assert_int_equal(stats.count, 100);
    assert_int_equal(stats.pushed_out, 51);
    dead_letter_list(checkpoint_store(cp), 0, found_letter, &letters, &why);
    assert_int_equal(letters.n, 100);
    assert_int_equal(letters.first, 52);
    assert_int_equal(letters.last, 151);
    change(60, 69, false, 10, 0); /* a hole among the oldest */
    open_with(&by_bytes, two, 1);
    broken(152, 152);
    stats = checkpoint_dead_letters(cp);
    assert_int_equal(stats.count, 50);
    assert_int_equal(stats.bytes, 50 * ONE);
    assert_int_equal(stats.added, 152);
    assert_int_equal(stats.pushed_out, 51 + 41);
    letters.n = 0;
    dead_letter_list(checkpoint_store(cp), 0, found_letter, &letters, &why);
    assert_int_equal(letters.n, 50);
    assert_int_equal(letters.last, 152);
    broken(153, 400); /* more at once than there is room for: the next batch makes it */
    broken(401, 401);
    assert_true(checkpoint_dead_letters(cp).count <= 51);
    buf_fini(&letters.text);
}

static void very_many_dead_letters_change_in_pieces(void **state)
{
    (void)state;
    open_sinks(two, 1);
    broken(1, 2500);
    send(1, 2, 1);
    change(1, 2400, false, 2400, 0);
    assert_int_equal(checkpoint_dead_letters(cp).count, 100);
}

/* ---- which ones, and orders ------------------------------------------------------------------- */

static void numbers_are(const char *text, bool good, uint64_t first, uint64_t last)
{
    struct dead_letter_choice choice = {0};

    assert_int_equal(dead_letter_choice_parse(&choice, text), good);
    if (good) {
        assert_int_equal(choice.first, first);
        assert_int_equal(choice.last, last);
    }
}

static void numbers(void **state)
{
    (void)state;
    numbers_are(NULL, true, 0, UINT64_MAX);
    numbers_are("all", true, 0, UINT64_MAX);
    numbers_are("17", true, 17, 17);
    numbers_are("17-20", true, 17, 20);
    numbers_are("17-", true, 17, UINT64_MAX);
    numbers_are("18446744073709551615", true, UINT64_MAX, UINT64_MAX);
    static const char *const wrong[] = {"", "-", "-3", "x", "3x", "3-x", "4-3", "3-4-", " 3", "+3", "3--", "alle",
                                        "18446744073709551616", "1-18446744073709551616"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        numbers_are(wrong[i], false, 0, 0);
}

static void origins(void **state)
{
    (void)state;
    struct dead_letter letter = {.seq = 5, .origin = "auth a.log", .origin_len = 10, .reason = "no JSON", .reason_len = 7};
    struct dead_letter_choice choice = {.last = UINT64_MAX};
    static const struct {
        const char *origin;
        bool fits;
    } one[] = {{"auth", true}, {"auth a.log", true}, {"aut", false}, {"auth a", false}, {"auth a.log x", false}, {"", false}};

    for (size_t i = 0; i < sizeof one / sizeof *one; i++) {
        choice.origin = one[i].origin;
        assert_int_equal(dead_letter_is_chosen(&letter, &choice), one[i].fits);
    }
    letter.of_sink = true; /* a sink of the same name is no source */
    choice.origin = "auth";
    assert_false(dead_letter_is_chosen(&letter, &choice));
    choice.origin = NULL;
    choice.sink = "auth a.log";
    choice.reason = "JSON";
    assert_true(dead_letter_is_chosen(&letter, &choice));
    choice.first = 6;
    assert_false(dead_letter_is_chosen(&letter, &choice));
}

struct order {
    _Atomic int records, done;
    uint64_t last;
    bool complete;
    struct dead_letter_change change;
};

static void record(void *ctx, struct store_batch *batch, const struct dead_letter_change *so_far, bool complete)
{
    struct order *order = ctx;

    (void)batch;
    assert_false(order->complete);
    assert_true(so_far->removed >= order->last);
    order->last = so_far->removed;
    order->complete = complete;
    order->records++;
}

static void done(void *ctx, const struct dead_letter_change *all)
{
    struct order *order = ctx;

    if (all)
        order->change = *all;
    order->done = all ? 1 : 2;
}

/* One after the other, each with its records, the last of which is the sum; those that come too late are told. */
static void orders_stand_in_line(void **state)
{
    (void)state;
    struct order order[3] = {0};

    open_sinks(two, 1);
    broken(1, 2500);
    for (int i = 0; i < 3; i++)
        checkpoint_order_dead_letters(cp, &(struct dead_letter_order){
            .choice = {.first = 1, .last = i == 0 ? 2200 : 2300}, .record = record, .done = done, .ctx = &order[i]});
    checkpoint_free(&cp);
    static const uint64_t removed[] = {2200, 100, 0};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(order[i].done, 1);
        assert_true(order[i].complete);
        assert_int_equal(order[i].change.removed, removed[i]);
        assert_int_equal(order[i].last, removed[i]);
        assert_in_range(order[i].records, 1, i == 0 ? 3 : 2);
    }
    open_sinks(two, 1);
    assert_int_equal(checkpoint_dead_letters(cp).count, 200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(dead_letters_of_sources, setup, teardown),
        cmocka_unit_test_setup_teardown(the_oldest_make_room, setup, teardown),
        cmocka_unit_test_setup_teardown(very_many_dead_letters_change_in_pieces, setup, teardown),
        cmocka_unit_test(numbers),
        cmocka_unit_test(origins),
        cmocka_unit_test_setup_teardown(orders_stand_in_line, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
