// SPDX-License-Identifier: Apache-2.0
#include "flow/rule_clock.h"

#include "base/clock.h"

enum { LOOKS = 64 };
#define MARK_EVERY INT64_C(1000000)
#define SEED UINT64_C(0x9e3779b97f4a7c15)

static int64_t now(void *ctx)
{
    (void)ctx;
    return clock_monotonic();
}

static int64_t own(void *ctx, int64_t begin, int64_t end)
{
    struct rule_clock *rc = ctx;
    int64_t work = clock_thread(), waited = (end - rc->mark) - (work - rc->work);

    rc->mark = clock_monotonic();
    rc->work = work;
    return waited > 0 ? end - begin - waited : end - begin;
}

/* The least that lies between two looks. */
static int64_t cost_of_look(void)
{
    int64_t least = INT64_MAX, before = clock_monotonic();

    for (int i = 0; i < LOOKS; i++) {
        int64_t is = clock_monotonic();
        least = is - before < least ? is - before : least;
        before = is;
    }
    return least;
}

void rule_clock_init(struct rule_clock *rc)
{
    *rc = (struct rule_clock){
        .piece = {.now = now, .own = own, .cost = cost_of_look(), .seed = SEED, .ctx = rc}};
}

void rule_clock_mark(struct rule_clock *rc)
{
    int64_t is = clock_monotonic();

    if (is - rc->mark < MARK_EVERY)
        return;
    rc->mark = is;
    rc->work = clock_thread();
}
