// SPDX-License-Identifier: Apache-2.0
/* deadline: order, moves, equal times, against a plain list; times that would overflow. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <unit/engine_fixture.h>

#include "engine/deadline.h"

static void times_stay_in_range(void **state)
{
    (void)state;
    assert_int_equal(time_plus(5, 7), 12);
    assert_int_equal(time_plus(-5, 7), 2);
    assert_int_equal(time_plus(5, 0), 5);
    /* INT64_MAX is the end of a bounded input: no deadline is so late */
    assert_int_equal(time_plus(INT64_MAX, 1), INT64_MAX - 1);
    assert_int_equal(time_plus(INT64_MAX, 0), INT64_MAX - 1);
    assert_int_equal(time_plus(INT64_MAX - 1, 1), INT64_MAX - 1);
    assert_int_equal(time_plus(INT64_MAX - 2, 1), INT64_MAX - 1);
    assert_int_equal(time_plus(INT64_MAX - 3, 1), INT64_MAX - 2);
    assert_int_equal(time_plus(INT64_MIN, INT64_MAX), -1);
    assert_int_equal(time_minus(5, 7), -2);
    assert_int_equal(time_minus(INT64_MIN, 1), INT64_MIN);
    assert_int_equal(time_minus(INT64_MIN + 1, 1), INT64_MIN);
    assert_int_equal(time_minus(-2, INT64_MAX), INT64_MIN);
    assert_int_equal(time_minus(INT64_MAX, INT64_MAX), 0);
}

static void an_empty_heap_has_nothing_due(void **state)
{
    (void)state;
    struct deadline_heap heap = {0};
    struct deadline_queue queue;
    struct deadline dl = {0};
    assert_null(deadline_due(&heap, INT64_MAX));
    deadline_queue_init(&heap, &queue, DEADLINE_LIFE, 5, NULL);
    assert_null(deadline_due(&heap, INT64_MAX));
    deadline_clear(&heap, &dl); /* not set: nothing happens */
    deadline_set(&heap, &queue, &dl, 10);
    deadline_clear(&heap, &dl);
    assert_null(dl.queue);
    assert_null(deadline_due(&heap, INT64_MAX));
    deadline_clear(&heap, &dl);
    deadline_heap_fini(&heap);
}

static void a_deadline_is_due_when_the_frontier_is_behind_it(void **state)
{
    (void)state;
    struct deadline_heap heap = {0};
    struct deadline_queue queue;
    struct deadline dl = {0};
    deadline_queue_init(&heap, &queue, DEADLINE_WAIT, 5, &heap);
    deadline_set(&heap, &queue, &dl, 10);
    assert_null(deadline_due(&heap, 9));
    assert_null(deadline_due(&heap, 10));
    assert_ptr_equal(deadline_due(&heap, 11), &dl);
    assert_ptr_equal(dl.queue->owner, &heap);
    assert_int_equal(dl.queue->kind, DEADLINE_WAIT);
    deadline_set(&heap, &queue, &dl, INT64_MAX - 1);
    assert_null(deadline_due(&heap, INT64_MAX - 1));
    assert_ptr_equal(deadline_due(&heap, INT64_MAX), &dl);
    deadline_set(&heap, &queue, &dl, INT64_MIN);
    assert_ptr_equal(deadline_due(&heap, INT64_MIN + 1), &dl);
    deadline_clear(&heap, &dl);
    deadline_heap_fini(&heap);
}

/* Of one queue and one time: first set, first due. Of two queues: by their number. */
static void equal_times_have_an_order(void **state)
{
    (void)state;
    struct deadline_heap heap = {0};
    struct deadline_queue queue[3];
    struct deadline dl[9] = {{0}};
    for (int i = 0; i < 3; i++)
        deadline_queue_init(&heap, &queue[i], DEADLINE_LIFE, i, NULL);
    for (int i = 0; i < 9; i++)
        deadline_set(&heap, &queue[2 - i % 3], &dl[i], 7);
    static const int order[] = {2, 5, 8, 1, 4, 7, 0, 3, 6};
    for (int i = 0; i < 9; i++) {
        assert_ptr_equal(deadline_due(&heap, 8), &dl[order[i]]);
        deadline_clear(&heap, &dl[order[i]]);
    }
    assert_null(deadline_due(&heap, 8));
    deadline_heap_fini(&heap);
}

static void set_again_it_moves(void **state)
{
    (void)state;
    struct deadline_heap heap = {0};
    struct deadline_queue one, two;
    struct deadline a = {0}, b = {0};
    deadline_queue_init(&heap, &one, DEADLINE_LIFE, 1, NULL);
    deadline_queue_init(&heap, &two, DEADLINE_LIFE, 2, NULL);
    deadline_set(&heap, &one, &a, 5);
    deadline_set(&heap, &one, &b, 6);
    deadline_set(&heap, &one, &a, 7);
    assert_ptr_equal(deadline_due(&heap, 100), &b);
    deadline_set(&heap, &two, &b, 8); /* into another queue */
    assert_ptr_equal(b.queue, &two);
    assert_ptr_equal(deadline_due(&heap, 100), &a);
    deadline_set(&heap, &two, &b, 3); /* before */
    assert_ptr_equal(deadline_due(&heap, 100), &b);
    deadline_set(&heap, &two, &b, 7); /* a tie: the queue with the lower number */
    assert_ptr_equal(deadline_due(&heap, 100), &a);
    deadline_clear(&heap, &a);
    assert_ptr_equal(deadline_due(&heap, 100), &b);
    deadline_clear(&heap, &b);
    assert_int_equal(heap.n, 0);
    deadline_heap_fini(&heap);
}

/* ---- against a plain list -------------------------------------------------------------------- */

enum { N_QUEUES = 13, N_DEADLINES = 60 };

struct plain {
    int64_t due;
    uint64_t when; /* it was set */
    uint32_t queue;
    bool set;
};

/* The earliest by due, queue, and when it was set; N_DEADLINES: none. */
static uint32_t plain_first(const struct plain *plain)
{
    uint32_t best = N_DEADLINES;
    for (uint32_t i = 0; i < N_DEADLINES; i++) {
        const struct plain *p = &plain[i], *q = &plain[best];
        if (!p->set)
            continue;
        if (best == N_DEADLINES || p->due < q->due ||
            (p->due == q->due && (p->queue < q->queue ||
                                  (p->queue == q->queue && p->when < q->when))))
            best = i;
    }
    return best;
}

static void assert_sorted(const struct deadline_heap *heap, struct deadline_queue *queue)
{
    for (size_t i = 0; i < heap->n; i++)
        assert_int_equal(heap->queue[i]->heap_at, i);
    for (uint32_t q = 0; q < N_QUEUES; q++) {
        const struct deadline *head = &queue[q].head;
        assert_true((head->next == head) == (queue[q].heap_at == UINT32_MAX));
        for (const struct deadline *dl = head->next; dl != head; dl = dl->next) {
            assert_ptr_equal(dl->queue, &queue[q]);
            assert_ptr_equal(dl->next->prev, dl);
            assert_true(dl->next == head || dl->due <= dl->next->due);
        }
    }
}

static void it_is_as_a_sorted_list(void **state)
{
    (void)state;
    for (uint64_t round = 0; round < 20; round++) {
        uint64_t seed = round;
        struct deadline_heap heap = {0};
        struct deadline_queue queue[N_QUEUES];
        struct deadline dl[N_DEADLINES] = {{0}};
        struct plain plain[N_DEADLINES + 1] = {{0}};
        int64_t now = 0;
        for (uint32_t q = 0; q < N_QUEUES; q++)
            deadline_queue_init(&heap, &queue[q], DEADLINE_LIFE, q, NULL);
        for (uint64_t step = 1; step < 3000; step++) {
            uint32_t i = fixture_below(&seed, N_DEADLINES), q = fixture_below(&seed, N_QUEUES);
            if (fixture_below(&seed, 4) == 0) {
                deadline_clear(&heap, &dl[i]);
                plain[i].set = false;
            } else {
                /* mostly in order, as in the engine; sometimes not, as after a restore */
                int64_t due = now + (int64_t)fixture_below(&seed, round % 2 == 0 ? 3 : 30);
                deadline_set(&heap, &queue[q], &dl[i], due);
                plain[i] = (struct plain){.due = due, .when = step, .queue = q, .set = true};
            }
            assert_int_equal(dl[i].queue != NULL, plain[i].set);
            if (step % 64 == 0)
                assert_sorted(&heap, queue);
            if (step % 7 != 0)
                continue;
            now += fixture_below(&seed, 5);
            struct deadline *due;
            while ((due = deadline_due(&heap, now)) != NULL) {
                uint32_t first = plain_first(plain);
                assert_true(first < N_DEADLINES);
                assert_ptr_equal(due, &dl[first]);
                deadline_clear(&heap, due);
                plain[first].set = false;
            }
            uint32_t first = plain_first(plain);
            assert_true(first == N_DEADLINES || plain[first].due >= now);
        }
        for (uint32_t i = 0; i < N_DEADLINES; i++)
            deadline_clear(&heap, &dl[i]);
        assert_int_equal(heap.n, 0);
        deadline_heap_fini(&heap);
    }
}

/* State that comes back from a store is set in any order: neither a scan a deadline, nor another order. */
static void a_million_come_in_any_order(void **state)
{
    enum { N = 1000000 };
    struct deadline_heap heap = {0};
    struct deadline_queue queue[2];
    struct deadline *dl = calloc(N, sizeof *dl);
    uint64_t seed = 5;
    (void)state;
    for (int q = 0; q < 2; q++)
        deadline_queue_init(&heap, &queue[q], DEADLINE_LIFE, 5, NULL);
    for (int i = 0; i < N; i++)
        deadline_set(&heap, &queue[i & 1], &dl[i], fixture_below(&seed, N / 4));
    for (int i = 0; i < N / 2; i++) { /* some are moved, some are cleared */
        uint32_t at = fixture_below(&seed, N);
        deadline_clear(&heap, &dl[at]);
        if (i % 3 != 0)
            deadline_set(&heap, &queue[at & 1], &dl[at], N / 8 + fixture_below(&seed, N / 4));
    }
    uint32_t left = 0, met = 0;
    for (int i = 0; i < N; i++)
        left += dl[i].queue != NULL;
    int64_t before = -1;
    uint32_t number = 0;
    for (struct deadline *at; (at = deadline_due(&heap, INT64_MAX)) != NULL; met++) {
        assert_true(at->due > before || (at->due == before && at->queue->number >= number));
        before = at->due;
        number = at->queue->number;
        deadline_clear(&heap, at);
    }
    assert_int_equal(met, left);
    deadline_heap_fini(&heap);
    free(dl);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_stay_in_range),
        cmocka_unit_test(an_empty_heap_has_nothing_due),
        cmocka_unit_test(a_deadline_is_due_when_the_frontier_is_behind_it),
        cmocka_unit_test(equal_times_have_an_order),
        cmocka_unit_test(set_again_it_moves),
        cmocka_unit_test(it_is_as_a_sorted_list),
        cmocka_unit_test(a_million_come_in_any_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
