// SPDX-License-Identifier: Apache-2.0
/* courier: an endpoint's window, order, failures and end, in time that the test sets. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <unit/courier_fixture.h>

/* ---- order ------------------------------------------------------------------------------------- */

static void a_window_moves_in_order(void **state)
{
    (void)state;
    options.in_flight = 3;
    open_endpoint();
    alerts("r", 1, 6, true);
    assert_string_equal(under_way(), "a1.0 a2.0 a3.0");
    answer("a2.0", 200);
    assert_string_equal(under_way(), "a1.0 a3.0 a4.0");
    answer("a1.0", 500); /* keeps its place */
    assert_string_equal(under_way(), "a3.0 a4.0");
    answer("a3.0", 204);
    assert_string_equal(under_way(), "a4.0 a5.0");
    pass(SECOND); /* the longest wait after a first failure */
    assert_string_equal(under_way(), "a4.0 a5.0 a1.0");
    assert_int_equal(waiting(), 4);
    settle_acks();
    open_endpoint(); /* those done behind it do not come again */
    step();
    assert_string_equal(under_way(), "a1.0 a4.0 a5.0");
    answer("a1.0", 200);
    answer("a4.0", 200);
    answer("a5.0", 200);
    answer("a6.0", 200);
    assert_string_equal(under_way(), "");
    assert_int_equal(waiting(), 0);
    assert_int_equal(e.held, 0);
    assert_int_equal(e.held_bytes, 0);
    assert_int_equal(e.stats.delivered, 4);
}

static void a_window_of_one_is_strict(void **state)
{
    (void)state;
    options.in_flight = 1;
    open_endpoint();
    alerts("r", 1, 3, true);
    for (int i = 0; i < 7; i++) {
        assert_string_equal(under_way(), "a1.0");
        answer("a1.0", 500);
        assert_string_equal(under_way(), "");
        pass(60 * SECOND);
    }
    answer("a1.0", 200);
    assert_string_equal(under_way(), "a2.0");
    answer("a2.0", 422);
    assert_string_equal(under_way(), "a3.0");
    answer("a3.0", 200);
    assert_int_equal(waiting(), 0);
}

/* ---- failures ---------------------------------------------------------------------------------- */

static void what_fails_is_probed_by_one(void **state)
{
    (void)state;
    open_endpoint();
    alerts("r", 1, 9, true);
    assert_string_equal(under_way(), "a1.0 a2.0 a3.0 a4.0");
    answer("a3.0", 0);
    answer("a2.0", 0);
    answer("a1.0", 0);
    pass(60 * SECOND);
    assert_string_equal(under_way(), "a4.0 a1.0"); /* one is enough to know; a4 may hang */
    answer("a4.0", 0);
    assert_string_equal(under_way(), "a1.0");
    answer("a1.0", 0);
    assert_true(e.stats.failing_since > 0);
    int64_t wait = 0;
    for (int i = 0; i < 12; i++) { /* each in turn, the oldest first; waits grow */
        int64_t before = now.mono;
        while (!*under_way()) {
            int64_t due = endpoint_due(&e, now);
            assert_true(due < INT64_MAX && due > now.mono);
            pass(due - now.mono);
        }
        wait += now.mono - before;
        char id[16];
        snprintf(id, sizeof id, "a%d.0", (i + 1) % 4 + 1);
        assert_string_equal(under_way(), id);
        answer(id, 502);
    }
    assert_true(wait > 10 * SECOND); /* of 1, 2, 4, ... 60, 60 s each a random part */
    assert_int_equal(e.stats.requests, 17);
    assert_int_equal(e.stats.retries, 13);
    pass(60 * SECOND);
    answer("a2.0", 200); /* all at once again */
    assert_string_equal(under_way(), "a1.0 a3.0 a4.0 a5.0");
    assert_true(e.stats.failing_since > 0); /* three of them were not taken yet */
    for (int i = 0; i < 4; i++)
        answer(NULL, 200);
    assert_int_equal(e.stats.failing_since, 0);
    for (int i = 0; i < 4; i++)
        answer(NULL, 200);
    assert_int_equal(waiting(), 0);
}

static void one_that_always_fails_does_not_stop_others(void **state)
{
    (void)state;
    open_endpoint();
    alerts("r", 1, 1, true);
    for (int i = 0; i < 10; i++) {
        answer("a1.0", 500);
        pass(60 * SECOND);
        assert_string_equal(under_way(), "a1.0");
    }
    answer("a1.0", 500);
    for (int i = 2; i < 40; i++) {
        char id[16];
        snprintf(id, sizeof id, "a%d.0", i);
        alerts("r", i, i, true);
        assert_string_equal(under_way(), id); /* at once */
        answer(id, 200);
        if (i % 5 == 0) {
            pass(60 * SECOND);
            answer("a1.0", 500);
        }
    }
    assert_true(e.stats.failing_since > 0);
    assert_int_equal(waiting(), 1);
}

static void same_id_and_bytes_at_each_try(void **state)
{
    (void)state;
    open_endpoint();
    alerts("r", 1, 1, true);
    for (int i = 0; i < 3; i++) {
        assert_string_equal(posted[n_posted - 1].id, "a1.0");
        assert_string_equal(posted[n_posted - 1].body,
                            " {\"id\":\"a1\",\"rule\":\"r\",\"revision\":0}");
        answer("a1.0", 503);
        pass(60 * SECOND);
    }
}

static void retry_after_is_for_the_whole_endpoint(void **state)
{
    (void)state;
    open_endpoint();
    alerts("r", 1, 9, true);
    answer_all_of("a1.0", WEB_AGAIN, 429, 30 * SECOND, false);
    answer("a2.0", 200); /* was under way before */
    assert_string_equal(under_way(), "a3.0 a4.0");
    answer("a3.0", 200);
    answer("a4.0", 500);
    pass(29 * SECOND);
    assert_string_equal(under_way(), "");
    pass(2 * SECOND);
    assert_string_equal(under_way(), "a5.0"); /* one; a1 was tried more often */
    answer("a5.0", 200);
    assert_string_equal(under_way(), "a1.0 a4.0 a6.0 a7.0");
    answer_all_of("a1.0", WEB_AGAIN, 503, 5 * SECOND, false);
    answer("a4.0", 500);
    answer("a6.0", 500);
    answer("a7.0", 500);
    assert_true(endpoint_due(&e, now) >= now.mono + 5 * SECOND);
    pass(4 * SECOND);
    assert_string_equal(under_way(), "");
    pass(2 * SECOND);
    assert_string_equal(under_way(), "a6.0");
    answer("a6.0", 200);
    answer_all_of("a1.0", WEB_AGAIN, 500, 7 * SECOND, false); /* not busy: about this message only */
    assert_string_equal(under_way(), "a4.0 a7.0 a8.0");
    answer("a4.0", 200);
    pass(6 * SECOND);
    assert_string_equal(under_way(), "a7.0 a8.0 a9.0");
    pass(2 * SECOND);
    assert_string_equal(under_way(), "a7.0 a8.0 a9.0 a1.0");
}

/* Renewed: perhaps it was the secret that was wrong. */
static void a_renewed_endpoint_is_tried_at_once(void **state)
{
    (void)state;
    options.retry_least = options.retry_most = 1000 * SECOND;
    open_endpoint();
    alerts("r", 1, 6, true);
    for (int i = 0; i < 4; i++)
        answer(NULL, 500);
    assert_string_equal(under_way(), "");
    endpoint_hurry(&e, now);
    step();
    assert_string_equal(under_way(), "a1.0"); /* one first */
    answer_all_of("a1.0", WEB_AGAIN, 429, 80000 * SECOND, false);
    step();
    assert_string_equal(under_way(), "");
    endpoint_hurry(&e, now);
    step();
    assert_string_equal(under_way(), "a2.0");
    answer("a2.0", 200);
    assert_string_equal(under_way(), "a1.0 a3.0 a4.0 a5.0");
}

static void what_is_too_old_is_a_dead_letter(void **state)
{
    (void)state;
    options.in_flight = 2;
    options.max_age = 100 * SECOND;
    open_endpoint();
    alerts("r", 1, 5, true);
    answer("a1.0", 500);
    answer("a2.0", 504);
    assert_true(endpoint_due(&e, now) <= now.mono + 100 * SECOND);
    pass(99 * SECOND);
    answer("a1.0", 500);
    pass(1 * SECOND); /* all of them came at the same time */
    assert_int_equal(waiting(), 0);
    settle_acks();
    letters_are("sink alert hook|not delivered within 100 s, tries: 2, last: HTTP 500|"
                "{\"id\":\"a1\",\"rule\":\"r\",\"revision\":0}\n"
                "sink alert hook|not delivered within 100 s, tries: 1, last: HTTP 504|"
                "{\"id\":\"a2\",\"rule\":\"r\",\"revision\":0}\n"
                "sink alert hook|not delivered within 100 s, tries: 0, last: HTTP 500|"
                "{\"id\":\"a3\",\"rule\":\"r\",\"revision\":0}\n"
                "sink alert hook|not delivered within 100 s, tries: 0, last: HTTP 500|"
                "{\"id\":\"a4\",\"rule\":\"r\",\"revision\":0}\n"
                "sink alert hook|not delivered within 100 s, tries: 0, last: HTTP 500|"
                "{\"id\":\"a5\",\"rule\":\"r\",\"revision\":0}\n");
    assert_int_equal(e.stats.rejected, 5);
    assert_true(e.stats.failing_since > 0); /* nothing is left, and nothing came through */
    assert_int_equal(endpoint_due(&e, now), INT64_MAX);
    endpoint_hurry(&e, now); /* its time is the clock's, which is behind this one's: at once, or it is too old */
    alerts("r", 6, 6, true);
    assert_string_equal(under_way(), "a6.0");
    answer("a6.0", 200);
    assert_int_equal(e.stats.failing_since, 0);
    open_endpoint();
    alerts("r", 7, 7, true); /* the age counts for what fails only */
    pass(200 * SECOND);
    assert_string_equal(under_way(), "a7.0");
    answer("a7.0", 200);
    assert_int_equal(waiting(), 0);
}

static void a_long_rest_of_the_daemon_is_no_age(void **state)
{
    (void)state;
    options.max_age = 100 * SECOND;
    open_endpoint();
    alerts("r", 1, 3, true);
    open_endpoint();
    now.wall += 1000 * SECOND;
    step();
    assert_string_equal(under_way(), "a1.0 a2.0 a3.0");
    answer("a1.0", 200);
    answer("a2.0", 500); /* it had its try */
    settle_acks();
    letters_are("sink alert hook|not delivered within 100 s, tries: 1, last: HTTP 500|"
                "{\"id\":\"a2\",\"rule\":\"r\",\"revision\":0}\n");
    answer("a3.0", 200);
    assert_int_equal(waiting(), 0);
}

static void what_is_refused_is_a_dead_letter(void **state)
{
    (void)state;
    open_endpoint();
    alerts("r", 1, 2, true);
    alerts("unsayable", 3, 3, true);
    answer("a1.0", 404);
    answer("a2.0", 200);
    settle_acks();
    letters_are("sink alert hook|no message can be made of it: it is unsayable|"
                "{\"id\":\"a3\",\"rule\":\"unsayable\",\"revision\":0}\n"
                "sink alert hook|refused: HTTP 404|"
                "{\"id\":\"a1\",\"rule\":\"r\",\"revision\":0}\n");
    assert_int_equal(waiting(), 0);
    assert_int_equal(e.stats.rejected, 2);
    assert_int_equal(e.stats.failing_since, 0);
    change(2, 2, true, 1, 0); /* once more, by an operator */
    atomic_store(&e.come, true);
    step();
    assert_string_equal(under_way(), "a1.0");
    answer("a1.0", 200);
    assert_int_equal(waiting(), 0);
}

static void one_that_is_gone_is_disabled(void **state)
{
    (void)state;
    open_endpoint();
    alerts("r", 1, 3000, true);
    answer("a2.0", 500);
    answer("a3.0", 410);
    assert_string_equal(under_way(), "a1.0 a4.0"); /* a5 was not let in any more */
    answer("a1.0", 200);
    answer("a4.0", 500);
    settle_acks();
    atomic_store(&e.come, true);
    step();
    assert_int_equal(waiting(), 0);
    assert_int_equal(checkpoint_dead_letters(cp).count, 2999);
    assert_int_equal(e.held, 0);
    alerts("r", 3001, 3001, true);
    settle_acks();
    assert_int_equal(checkpoint_dead_letters(cp).count, 3000);
    assert_int_equal(endpoint_due(&e, now), INT64_MAX);
    assert_true(e.stats.disabled_since > 0);
    assert_int_equal(n_posted, 4);

    open_endpoint(); /* over a restart */
    assert_true(e.stats.disabled_since > 0);
    alerts("r", 3002, 3002, true);
    settle_acks();
    assert_string_equal(under_way(), "");
    assert_int_equal(checkpoint_dead_letters(cp).count, 3001);

    options.web.url = "http://b/"; /* until it has another URL */
    open_endpoint();
    assert_int_equal(e.stats.disabled_since, 0);
    change(3001, 3001, true, 1, 0);
    atomic_store(&e.come, true);
    step();
    assert_string_equal(under_way(), "a3002.0");
    settle_acks();
    options.web.url = "http://a/";
    open_endpoint(); /* which was remembered */
    step();
    assert_string_equal(under_way(), "a3002.0");
}

/* ---- the end ----------------------------------------------------------------------------------- */

static void begin_stop(void)
{
    c.stopping = true;
    endpoint_stop(&e, now);
    step();
}

static void a_stop_delivers_what_it_can(void **state)
{
    (void)state;
    options.batch_count = 10;
    options.batch_wait = 60 * SECOND;
    options.in_flight = 2;
    open_endpoint();
    alerts("group", 1, 3, false);
    alerts("r", 4, 4, false);
    assert_string_equal(under_way(), "");
    begin_stop();
    assert_string_equal(under_way(), "a4.0 22985c6f70a3d1ff8cdbc2bcc49ffc7a");
    answer(NULL, 200);
    assert_false(endpoint_is_over(&e));
    answer(NULL, 200);
    assert_true(endpoint_is_over(&e));
    assert_int_equal(waiting(), 0);
}

static void a_stop_does_not_wait_for_what_fails(void **state)
{
    (void)state;
    open_endpoint();
    alerts("r", 1, 9, true);
    for (int i = 0; i < 4; i++)
        answer(NULL, 500);
    begin_stop();
    assert_string_equal(under_way(), "a1.0"); /* a last try */
    assert_false(endpoint_is_over(&e));
    answer("a1.0", 500);
    assert_true(endpoint_is_over(&e));
    pass(1000 * SECOND);
    assert_string_equal(under_way(), "");
    assert_int_equal(waiting(), 9);

    open_endpoint();
    step();
    answer_all_of("a1.0", WEB_AGAIN, 429, 60 * SECOND, false);
    begin_stop(); /* it asked not to be asked */
    assert_false(endpoint_is_over(&e));
    for (int i = 0; i < 3; i++)
        answer(NULL, 200);
    assert_true(endpoint_is_over(&e));

    open_endpoint(); /* begins to fail meanwhile */
    step();
    begin_stop();
    answer(NULL, 500);
    for (int i = 0; i < 3; i++)
        answer(NULL, 200);
    while (*under_way())
        answer(NULL, 200);
    assert_true(endpoint_is_over(&e));
    assert_int_equal(waiting(), 1);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        TEST(a_window_moves_in_order),
        TEST(a_window_of_one_is_strict),
        TEST(what_fails_is_probed_by_one),
        TEST(one_that_always_fails_does_not_stop_others),
        TEST(same_id_and_bytes_at_each_try),
        TEST(retry_after_is_for_the_whole_endpoint),
        TEST(a_renewed_endpoint_is_tried_at_once),
        TEST(what_is_too_old_is_a_dead_letter),
        TEST(a_long_rest_of_the_daemon_is_no_age),
        TEST(what_is_refused_is_a_dead_letter),
        TEST(one_that_is_gone_is_disabled),
        TEST(a_stop_delivers_what_it_can),
        TEST(a_stop_does_not_wait_for_what_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
