// SPDX-License-Identifier: Apache-2.0
/* queue: order, bound, waking, closing; many threads. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <pthread.h>

#include "base/clock.h"
#include "base/queue.h"

static int thing[100000];

static void items_come_in_order_across_growth(void **state)
{
    struct queue *q = queue_new(UINT64_MAX);

    (void)state;
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 1000; i++)
            assert_true(queue_push(q, &thing[i], 1));
        assert_int_equal(queue_weight(q), 1000);
        for (int i = 0; i < 1000; i++)
            assert_ptr_equal(queue_pop(q, 0), &thing[i]);
        assert_null(queue_pop(q, 0));
    }
    queue_free(&q);
    assert_null(q);
}

static void a_closed_queue_gives_what_is_in_it(void **state)
{
    struct queue *q = queue_new(10);

    (void)state;
    assert_true(queue_push(q, &thing[0], 100)); /* heavier than the limit */
    queue_close(q);
    assert_false(queue_push(q, &thing[1], 1));
    assert_false(queue_push_now(q, &thing[1], 1));
    assert_true(queue_closed(q));
    assert_ptr_equal(queue_pop(q, -1), &thing[0]);
    assert_null(queue_pop(q, -1));
    queue_free(&q);
}

static void waking_is_kept_for_the_next_pop(void **state)
{
    struct queue *q = queue_new(10);

    (void)state;
    queue_wake(q);
    assert_null(queue_pop(q, -1));
    assert_true(queue_push(q, &thing[0], 1));
    queue_wake(q);
    assert_ptr_equal(queue_pop(q, -1), &thing[0]);
    int64_t begin = clock_monotonic();
    assert_null(queue_pop(q, 2000000));
    assert_true(clock_monotonic() - begin >= 2000000);
    queue_free(&q);
}

enum { THREADS = 4, EACH = 25000 };
static struct queue *shared;

static void *push_all(void *ctx)
{
    int from = *(int *)ctx;

    for (int i = 0; i < EACH; i++) {
        thing[from + i] = from + i;
        if (!queue_push(shared, &thing[from + i], 1))
            return NULL;
    }
    return NULL;
}

static void each_threads_items_keep_their_order(void **state)
{
    pthread_t thread[THREADS];
    int from[THREADS], next[THREADS];

    (void)state;
    shared = queue_new(64);
    for (int t = 0; t < THREADS; t++) {
        from[t] = next[t] = t * EACH;
        pthread_create(&thread[t], NULL, push_all, &from[t]);
    }
    for (int i = 0; i < THREADS * EACH; i++) {
        int *got = queue_pop(shared, -1);
        assert_non_null(got);
        assert_int_equal(*got, next[*got / EACH]++);
        assert_true(queue_weight(shared) <= 64);
    }
    for (int t = 0; t < THREADS; t++)
        pthread_join(thread[t], NULL);
    queue_free(&shared);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(items_come_in_order_across_growth),
        cmocka_unit_test(a_closed_queue_gives_what_is_in_it),
        cmocka_unit_test(waking_is_kept_for_the_next_pop),
        cmocka_unit_test(each_threads_items_keep_their_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
