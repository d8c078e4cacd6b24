// SPDX-License-Identifier: Apache-2.0
/* backoff: bounds, spread, and that it ends at most. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>


#include <stdbool.h>

#include "io/backoff.h"

#define MS INT64_C(1000000)

static void bounds(void **state)
{
    struct backoff b;
    int64_t bound = 100 * MS;

    (void)state;
    backoff_init(&b, 100 * MS, 3000 * MS, 1);
    for (int i = 0; i < 200; i++) {
        int64_t wait = backoff_next(&b);
        assert_true(wait >= 0 && wait <= bound);
        bound = bound * 2 < 3000 * MS ? bound * 2 : 3000 * MS;
    }
    assert_int_equal(b.failures, 200);
    backoff_reset(&b);
    for (int i = 0; i < 200; i++) {
        assert_true(backoff_next(&b) <= 100 * MS);
        backoff_reset(&b);
    }
}

static void extremes(void **state)
{
    struct backoff b;

    (void)state;
    backoff_init(&b, 1, INT64_MAX, 2);
    for (int i = 0; i < 1000; i++)
        assert_true(backoff_next(&b) >= 0);
    assert_true(backoff_wait(&b, UINT32_MAX) >= 0);
    b.failures = UINT32_MAX;
    assert_true(backoff_next(&b) >= 0);
    assert_int_equal(b.failures, UINT32_MAX);
    backoff_init(&b, 50, 10, 3); /* the most is less than the least */
    assert_true(backoff_next(&b) <= 50);
    assert_int_equal(b.most, 50);
}

/* Full jitter: each eighth of the range is met about as often, and two seeds differ. */
static void spread(void **state)
{
    struct backoff a, b;
    int count[8] = {0}, same = 0;

    (void)state;
    backoff_init(&a, 800, 800, 4);
    backoff_init(&b, 800, 800, 5);
    for (int i = 0; i < 8000; i++) {
        int64_t wait = backoff_wait(&a, 3);
        count[wait * 8 / 801]++;
        same += wait == backoff_wait(&b, 3);
    }
    for (int i = 0; i < 8; i++)
        assert_true(count[i] > 850 && count[i] < 1150);
    assert_true(same < 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(bounds), cmocka_unit_test(extremes),
                                       cmocka_unit_test(spread)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
