/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The order stage live: random streams, random interleavings, crashes at random moments after which
 * it starts anew from the saved positions. What the rules get is always the same, to the last late
 * event; and the same as in a replay. Then what is live alone: idle, quiet, stalled, aside, pause.
 */
#include "flow/order.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "event/event.h"
#include "flow/position.h"

enum { MAX_LINES = 400, MAX_PARTITIONS = 5, MAX_GIVEN = 4 * MAX_LINES * MAX_PARTITIONS };
static const int64_t second = 1000000000;
static const uint32_t one_fit[] = {0};

enum line_kind { FITS, FITS_NOTHING, WANTS_LATE, BROKEN, AHEAD };
struct line {
    int64_t time;
    enum line_kind kind;
    int64_t order_by; /* -1: none */
};

struct input {
    struct line line[MAX_LINES];
    size_t n;
    int64_t lateness;
    bool order_by;
    struct origin origin;
    /* the reader */
    size_t at;
    bool caught_up;
    /* what was saved last */
    struct position saved;
    /* verdicts that the caller told, by line */
    uint8_t told[MAX_LINES];
};

struct item {
    const struct origin *origin;
    uint64_t offset;
    bool late;
    int64_t place; /* the time of the rules when it came */
};

struct fixture {
    struct input input[MAX_PARTITIONS];
    uint32_t n;
    bool live;
    struct order *order;
    int64_t frontier, first;
    struct item given[MAX_GIVEN];
    size_t n_given;
    uint64_t max_bytes;
    const char *dir;
    /* at the last save */
    size_t saved_given;
    int64_t saved_frontier, saved_first;
};

static uint64_t seed;

static uint32_t below(uint32_t n)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (uint32_t)((seed >> 20) % n);
}

/* ---- the rules ------------------------------------------------------------------------------- */

static void take(struct fixture *f, struct event *ev, bool late)
{
    assert_true(f->n_given < MAX_GIVEN);
    assert_true(f->frontier != INT64_MIN);
    f->given[f->n_given++] = (struct item){ev->origin, ev->offset, late, f->frontier};
    assert_true(ev->n_fits > 0);
    if (f->live)
        event_unref(ev);
}

static void take_event(void *ctx, struct event *ev)
{
    struct fixture *f = ctx;

    assert_true(ev->time >= f->frontier);
    f->frontier = ev->time;
    take(f, ev, false);
}

static void take_late(void *ctx, struct event *ev)
{
    struct fixture *f = ctx;

    assert_true(ev->time < f->frontier);
    take(f, ev, true);
}

static void take_frontier(void *ctx, int64_t frontier)
{
    struct fixture *f = ctx;

    assert_true(frontier > f->frontier);
    if (f->frontier == INT64_MIN)
        f->first = frontier;
    f->frontier = frontier;
}

/* ---- the readers ----------------------------------------------------------------------------- */

static uint64_t offset_of(size_t line)
{
    return line * 10 + 3;
}

static bool reload(void *ctx, uint32_t partition, struct event *ev)
{
    (void)ctx;
    (void)partition;
    ev->fits = one_fit;
    ev->n_fits = 1;
    assert_int_equal(ev->raw_len, 5);
    assert_memory_equal(ev->raw, "hello", 5);
    return true;
}

static void make_order(struct fixture *f, bool live)
{
    struct order_options opt = {.max_bytes = f->max_bytes,
                                .end = INT64_MAX,
                                .live = live,
                                .spill_dir = f->dir,
                                .spill_limit = UINT64_MAX,
                                .reload = reload,
                                .quiet_hold = true};
    struct order_sink sink = {
        .event = take_event, .late = take_late, .advance = take_frontier, .ctx = f};

    f->live = live;
    f->order = order_new(&opt, &sink);
}

static void start(struct fixture *f, bool live, bool again)
{
    make_order(f, live);
    if (live)
        order_start_at(f->order, again ? f->saved_frontier : INT64_MIN);
    if (live)
        order_hold(f->order);
    for (uint32_t i = 0; i < f->n; i++) {
        struct input *in = &f->input[i];
        struct order_partition_options opt = {.lateness = in->lateness,
                                              .idle = 1000 * second,
                                              .future = 10000 * second,
                                              .order_by = in->order_by,
                                              .saved = again ? &in->saved : NULL};
        assert_int_equal(order_partition(f->order, &in->origin, &opt), i);
        in->at = again ? (in->saved.resume + 6) / 10 : 0;
        in->caught_up = false;
    }
    if (live)
        order_release(f->order);
}

/* False: no room. */
static bool read_one(struct fixture *f, uint32_t i)
{
    struct input *in = &f->input[i];
    const struct line *line = &in->line[in->at];
    uint64_t offset = offset_of(in->at), next = offset + 10;
    struct event ev = {.time = line->time,
                       .origin = &in->origin,
                       .offset = offset,
                       .raw = "hello",
                       .raw_len = 5,
                       .fits = one_fit,
                       .n_fits = line->kind == FITS || line->kind == WANTS_LATE};
    enum order_verdict verdict;

    if (line->kind == BROKEN) {
        if (order_pass(f->order, i, offset, next))
            in->told[in->at]++;
        in->at++;
        return true;
    }
    if (in->order_by)
        ev.order_by = value_int(line->order_by);
    struct event *kept = f->live && ev.n_fits ? event_keep(&ev) : NULL;
    verdict = order_add(f->order, i, kept ? kept : &ev, next, 0, line->kind == WANTS_LATE);
    if (kept && verdict != ORDER_TAKEN)
        event_unref(kept);
    if (verdict == ORDER_FULL)
        return false;
    if (verdict == ORDER_LATE || verdict == ORDER_ASIDE)
        in->told[in->at]++;
    if (line->kind == AHEAD)
        assert_true(verdict == ORDER_ASIDE || verdict == ORDER_AGAIN || !f->live);
    in->at++;
    return true;
}

static void save(struct fixture *f)
{
    struct buf key, value;
    const char *why;

    buf_init(&key);
    buf_init(&value);
    for (uint32_t i = 0; i < f->n; i++) {
        struct position *pos = &f->input[i].saved;
        struct position now;
        position_init(&now);
        order_save(f->order, i, &now);
        buf_clear(&key);
        buf_clear(&value);
        position_key(&key, now.source, now.partition, now.generation);
        position_encode(&value, &now);
        position_fini(pos);
        assert_true(position_decode(pos, key.data, key.len, value.data, value.len, &why));
        assert_true(pos->resume <= pos->read);
        position_fini(&now);
    }
    buf_fini(&key);
    buf_fini(&value);
    f->saved_given = f->n_given;
    f->saved_frontier = order_frontier(f->order);
    f->saved_first = f->first;
    assert_true(f->saved_frontier == f->frontier);
}

static void crash(struct fixture *f)
{
    order_free(&f->order);
    f->n_given = f->saved_given;
    f->frontier = f->saved_frontier;
    f->first = f->saved_first;
    start(f, true, true);
}

/* ---- streams --------------------------------------------------------------------------------- */

static void make_streams(struct fixture *f, bool with_order_by)
{
    static const char *const source[] = {"b", "a", "a", "c", "b"};
    static const char *const name[] = {"x", "z", "y", "x", "w"};
    uint32_t steps = 1 + below(3), disorder = below(8);

    f->n = 1 + below(MAX_PARTITIONS);
    for (uint32_t i = 0; i < f->n; i++) {
        struct input *in = &f->input[i];
        int64_t time = below(40) * second;
        in->origin = (struct origin){.source = source[i], .partition = name[i]};
        in->lateness = below(4) * second;
        in->order_by = with_order_by && below(2) == 0;
        position_init(&in->saved);
        in->n = below(6) == 0 ? 0 : below(MAX_LINES);
        for (size_t k = 0; k < in->n; k++) {
            uint32_t kind = below(20);
            time += (int64_t)below(steps + 1) * second;
            in->line[k] = (struct line){
                .time = time - (int64_t)below(disorder + 1) * second,
                .kind = kind < 8    ? FITS
                        : kind < 12 ? WANTS_LATE
                        : kind < 18 ? FITS_NOTHING
                                    : BROKEN,
                .order_by = below(3)};
            if (kind == 19)
                in->line[k] = (struct line){.time = 20000 * second + time, .kind = AHEAD};
        }
    }
}

/* A replay does not judge the future: it does not see those lines. */
static void replay(struct fixture *f)
{
    uint32_t i;

    f->n_given = 0;
    f->frontier = INT64_MIN;
    f->first = INT64_MIN;
    start(f, false, false);
    while ((i = order_next(f->order)) != ORDER_NONE) {
        struct input *in = &f->input[i];
        if (in->at == in->n)
            order_end(f->order, i);
        else if (in->line[in->at].kind == AHEAD)
            in->at++;
        else
            assert_true(read_one(f, i));
    }
    order_free(&f->order);
}

/* All that was read in the end; then all rest, so that what waits is given. */
static bool all_read(const struct fixture *f)
{
    for (uint32_t i = 0; i < f->n; i++)
        if (f->input[i].at < f->input[i].n)
            return false;
    return true;
}

static void run_live(struct fixture *f, uint32_t crashes)
{
    f->n_given = 0;
    f->frontier = INT64_MIN;
    f->first = INT64_MIN;
    start(f, true, false);
    save(f);
    while (!all_read(f) || crashes > 0) {
        uint32_t i = below(f->n), burst = 1 + below(5);
        while (burst-- > 0 && f->input[i].at < f->input[i].n)
            assert_true(read_one(f, i));
        if (below(12) == 0)
            save(f);
        if (crashes > 0 && below(40) == 0) {
            crash(f);
            crashes--;
            if (below(3) == 0)
                save(f);
        }
    }
    save(f);
    if (below(2))
        crash(f);
    while (!all_read(f))
        for (uint32_t i = 0; i < f->n; i++)
            while (f->input[i].at < f->input[i].n)
                assert_true(read_one(f, i));
    for (uint32_t i = 0; i < f->n; i++)
        order_caught_up(f->order, i);
    order_tick(f->order, 1);
    order_tick(f->order, 2000 * second);
    assert_false(order_failed(f->order, NULL));
    order_free(&f->order);
}

static void same(const struct fixture *f, const struct item *want, size_t n_want, uint64_t round)
{
    for (size_t i = 0; i < n_want && i < f->n_given; i++) {
        const struct item *x = &f->given[i], *y = &want[i];
        if (x->origin != y->origin || x->offset != y->offset || x->late != y->late ||
            x->place != y->place)
            fail_msg("round %llu, item %zu: %s/%s %llu late %d at %lld, not %s/%s %llu late %d at %lld",
                     (unsigned long long)round, i, x->origin->source, x->origin->partition,
                     (unsigned long long)x->offset, x->late, (long long)x->place,
                     y->origin->source, y->origin->partition, (unsigned long long)y->offset,
                     y->late, (long long)y->place);
    }
    if (f->n_given != n_want)
        fail_msg("round %llu: %zu were given, not %zu", (unsigned long long)round, f->n_given,
                 n_want);
}

static void check_told(const struct fixture *f, const uint8_t *want, uint64_t round)
{
    for (uint32_t i = 0; i < f->n; i++)
        for (size_t k = 0; k < f->input[i].n; k++)
            if (f->input[i].line[k].kind != AHEAD && f->input[i].line[k].kind != BROKEN &&
                (f->input[i].told[k] > 0) != (want[i * MAX_LINES + k] > 0))
                fail_msg("round %llu: line %zu of %u: told %u times", (unsigned long long)round, k,
                         i, f->input[i].told[k]);
}

static void check_rounds(uint64_t from, uint64_t rounds, uint64_t max_bytes, const char *dir,
                         bool with_order_by, uint32_t most_crashes)
{
    struct fixture *f = calloc(1, sizeof *f);
    struct item *want = calloc(MAX_GIVEN, sizeof *want);
    uint8_t *told = calloc(MAX_PARTITIONS, MAX_LINES);

    assert_true(f && want && told);
    for (uint64_t round = from; round < from + rounds; round++) {
        seed = round * UINT64_C(0x9e3779b97f4a7c15);
        memset(f, 0, sizeof *f);
        f->max_bytes = UINT64_MAX;
        make_streams(f, with_order_by);
        replay(f);
        size_t n_want = f->n_given;
        int64_t first = f->first;
        memcpy(want, f->given, n_want * sizeof *want);
        for (uint32_t i = 0; i < f->n; i++) {
            memcpy(told + i * MAX_LINES, f->input[i].told, MAX_LINES);
            memset(f->input[i].told, 0, MAX_LINES);
        }
        f->max_bytes = max_bytes;
        f->dir = dir;
        run_live(f, most_crashes ? below(most_crashes + 1) : 0);
        same(f, want, n_want, round);
        check_told(f, told, round);
        if (n_want > 0)
            assert_int_equal(f->first, first);
        for (uint32_t i = 0; i < f->n; i++)
            position_fini(&f->input[i].saved);
    }
    free(told);
    free(want);
    free(f);
}

static void live_is_replay(void **state)
{
    (void)state;
    check_rounds(1, 300, UINT64_MAX, NULL, false, 0);
    check_rounds(1001, 300, UINT64_MAX, NULL, true, 0);
}

static void crashes_change_nothing(void **state)
{
    (void)state;
    check_rounds(1, 700, UINT64_MAX, NULL, false, 6);
    check_rounds(5001, 300, UINT64_MAX, NULL, true, 6);
}

static void spilling_changes_nothing(void **state)
{
    char dir[] = "/tmp/test_order_live.XXXXXX";

    (void)state;
    assert_non_null(mkdtemp(dir));
    check_rounds(1, 30, 4000, dir, false, 0);
    check_rounds(101, 30, 10000, dir, true, 4);
    check_rounds(201, 30, 3000, dir, false, 4);
    check_rounds(301, 6, 1, dir, false, 2);
    rmdir(dir); /* nothing is left in it */
    assert_int_not_equal(access(dir, F_OK), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(live_is_replay),
        cmocka_unit_test(crashes_change_nothing),
        cmocka_unit_test(spilling_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
