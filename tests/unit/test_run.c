// SPDX-License-Identifier: Apache-2.0
/* run: its binds, its place in lists, what it is charged. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <unit/engine_fixture.h>

#include "engine/engine_priv.h"
#include "engine/run.h"

static struct fixture fx;
static struct rule_state *rs;
static struct partition *part;

static int open_it(void **state)
{
    (void)state;
    fixture_open(&fx, "rule r { match within 60s { a{1,}: s where k == 1  b: s where k == 2 } }");
    rs = &fx.en->rule[0];
    part = partition_new(rs, 1, NULL);
    return 0;
}

static int close_it(void **state)
{
    (void)state;
    partition_release(part);
    fixture_assert_no_state(&fx);
    fixture_close(&fx);
    return 0;
}

static struct event *kept(int64_t seconds, const char *json)
{
    struct event ev = fixture_event(&fx, seconds * SECOND, "s", json);
    return event_keep(&ev);
}

static void binds_are_a_chain_newest_first(void **state)
{
    (void)state;
    struct run *run = run_new(fx.en, part);
    struct event *ev[3];
    assert_int_equal(run->total, 0);
    assert_null(run->list);
    for (int i = 0; i < 3; i++) {
        ev[i] = kept(i, "{\"k\":1}");
        struct run_bind *bind = run_bind(fx.en, run, 0, ev[i], 1, 10 + (uint64_t)i, 5);
        assert_ptr_equal(run->last, bind);
        assert_int_equal(run->last_seq, 10 + i);
        assert_int_equal(ev[i]->refs, 2);
        assert_int_equal(run_last_time(run), i * SECOND);
    }
    assert_int_equal(run->bound[0].count, 3);
    assert_null(run->bound[1].last);
    const struct bind *b = run->bound[0].last;
    for (int i = 2; i >= 0; i--, b = b->prev)
        assert_ptr_equal(b->ev, ev[i]);
    assert_null(b);
    run_bind(fx.en, run, 1, ev[0], 1, 13, 0); /* the same event once more, at another step */
    assert_int_equal(ev[0]->refs, 3);
    assert_int_equal(run->total, 4);
    run_unbind(fx.en, run, 1);
    run_unbind(fx.en, run, 0);
    assert_int_equal(ev[2]->refs, 1);
    assert_int_equal(run->total, 2);
    assert_int_equal(run->bound[0].count, 2);
    assert_ptr_equal(run->bound[0].last->ev, ev[1]);
    run_free(fx.en, run);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(ev[i]->refs, 1);
        event_unref(ev[i]);
    }
}

static void lists_keep_the_order_of_arrival(void **state)
{
    (void)state;
    struct run *run[4];
    struct run_list *list = &part->at[0];
    for (int i = 0; i < 4; i++) {
        run[i] = run_new(fx.en, part);
        run_stand(run[i], list);
        assert_int_equal(list->n, i + 1);
        assert_int_equal(part->n_runs, i + 1);
    }
    assert_int_equal(fixture_stats(&fx, 0).runs, 4);
    assert_false(partition_empty(part));
    run_leave(run[1]);
    run_leave(run[1]); /* it stands in none: nothing happens */
    assert_int_equal(list->n, 3);
    assert_ptr_equal(run[0]->next, run[2]);
    assert_ptr_equal(run[2]->prev, run[0]);
    run_stand(run[1], &part->at[1]);
    assert_ptr_equal(part->at[1].first, run[1]);
    assert_ptr_equal(run[1]->list, &part->at[1]);
    run_end(fx.en, run[3]);
    assert_ptr_equal(list->last, run[2]);
    run_end(fx.en, run[0]);
    assert_ptr_equal(list->first, run[2]);
    assert_null(run[2]->prev);
    run_list_drop(fx.en, list);
    assert_null(list->first);
    assert_null(list->last);
    assert_int_equal(list->n, 0);
    run_end(fx.en, run[1]);
    assert_int_equal(fixture_stats(&fx, 0).runs, 0);
}

static void detached_it_has_no_deadlines(void **state)
{
    (void)state;
    struct run *run = run_new(fx.en, part);
    run_stand(run, &part->at[0]);
    deadline_set(&fx.en->heap, &rs->life, &run->life, 5);
    run_leave(run);
    assert_non_null(run->life.queue); /* leaving a list keeps them */
    run_stand(run, &part->at[1]);
    run_detach(fx.en, run);
    assert_null(run->life.queue);
    assert_null(run->list);
    assert_null(deadline_due(&fx.en->heap, INT64_MAX));
    run_free(fx.en, run);
}

/* What is charged is given back, however runs come and go; memory is used again. */
static void bytes_come_back(void **state)
{
    (void)state;
    uint64_t seed = 3, empty = fixture_stats(&fx, 0).bytes, most = 0;
    struct run *run[40] = {0};
    struct event *ev[10];
    char json[400];
    for (int i = 0; i < 10; i++) {
        snprintf(json, sizeof json, "{\"k\":\"%0*d\"}", 1 + i * 30, i);
        ev[i] = kept(1, json);
    }
    for (int step = 0; step < 20000; step++) {
        uint32_t i = fixture_below(&seed, 40);
        if (run[i] == NULL) {
            run[i] = run_new(fx.en, part);
            run_stand(run[i], &part->at[fixture_below(&seed, 2)]);
        } else if (fixture_below(&seed, 6) == 0) {
            run_end(fx.en, run[i]);
            run[i] = NULL;
        } else if (run[i]->bound[1].last != NULL && fixture_below(&seed, 3) == 0) {
            run_unbind(fx.en, run[i], 1);
        } else {
            run_bind(fx.en, run[i], (uint16_t)fixture_below(&seed, 2), ev[fixture_below(&seed, 10)],
                     1, (uint64_t)step, 0);
        }
        uint64_t sum = empty;
        for (int k = 0; k < 40; k++)
            sum += run[k] != NULL ? run[k]->bytes : 0;
        assert_int_equal(fixture_stats(&fx, 0).bytes, sum);
        most = sum > most ? sum : most;
    }
    assert_true(most > 20000);
    for (int i = 0; i < 40; i++) {
        if (run[i] != NULL)
            run_end(fx.en, run[i]);
    }
    assert_int_equal(fixture_stats(&fx, 0).bytes, empty);
    for (int i = 0; i < 10; i++) {
        assert_int_equal(ev[i]->refs, 1);
        event_unref(ev[i]);
    }
}

/* A scratch event carries the numbers of probes; they are no part of what state holds. */
static void an_event_costs_the_same_before_and_after_a_restart(void **state)
{
    (void)state;
    struct event *fits = kept(1, "{\"k\":1}"), *none = kept(1, "{\"k\":9}");
    assert_true(fits->n_fits > 0 && none->n_fits == 0);
    assert_int_equal(run_event_bytes(fits), run_event_bytes(none));
    assert_true(run_event_bytes(none) <= event_bytes(none));
    event_unref(fits);
    event_unref(none);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(binds_are_a_chain_newest_first, open_it, close_it),
        cmocka_unit_test_setup_teardown(lists_keep_the_order_of_arrival, open_it, close_it),
        cmocka_unit_test_setup_teardown(detached_it_has_no_deadlines, open_it, close_it),
        cmocka_unit_test_setup_teardown(bytes_come_back, open_it, close_it),
        cmocka_unit_test_setup_teardown(an_event_costs_the_same_before_and_after_a_restart, open_it,
                                        close_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
