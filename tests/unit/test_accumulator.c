// SPDX-License-Identifier: Apache-2.0
/* accumulator: each aggregate against a model that looks at all events, through random adding,
 * removing, merging, coding; damaged code; memory. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/reader.h"
#include "engine/accumulator.h"

enum { MOST = 240, LIST = 7 };

static uint64_t seed;

static uint64_t rnd(uint64_t n)
{
    seed += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = seed;
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (z ^ (z >> 31)) % n;
}

struct event {
    struct value v[2];
    struct stamp at, since; /* since: of the first sighting since the value last was absent */
    bool taken;             /* by min and max */
};

struct model {
    struct program_aggregate ag;
    struct event ev[MOST + 1]; /* by stamp */
    size_t n;
    int profile;
    uint64_t seq;
};

static const struct code *some_code(void)
{
    static const uint64_t anything;
    return (const struct code *)(const void *)&anything;
}

/* ---- values ----------------------------------------------------------------------------------- */

static struct value text_value(uint64_t i)
{
    static const char *const TEXT[] = {"", "a", "b", "ab", "a long text that fills more than 8 bytes",
                                       "\xc3\xa4", "zz", "0", "1", "root"};
    const char *t = TEXT[i % 10];
    return value_text(t, strlen(t));
}

static struct value random_value(int profile)
{
    static struct value element[4][2];

    switch (profile) {
    case 0: return value_int((int64_t)rnd(9) - 4);
    case 1: return rnd(2) ? value_int((int64_t)rnd(1000) - 500) : value_double((double)rnd(4000) / 4 - 500);
    case 2: return text_value(rnd(10));
    default: break;
    }
    size_t i = rnd(4);
    switch (rnd(9)) {
    case 0: return value_missing();
    case 1: return value_bool(rnd(2));
    case 2: return text_value(rnd(10));
    case 3: return value_time((int64_t)rnd(5));
    case 4:
        element[i][0] = value_int((int64_t)i);
        element[i][1] = text_value(i * 4);
        return value_list(element[i], i == 0 ? 0 : 2);
    case 5: return value_double((double)rnd(40) / 4);
    default: return value_int((int64_t)rnd(12));
    }
}

static bool orderable(struct value v)
{
    return value_is_number(v) || v.type == VALUE_TIME || v.type == VALUE_DURATION;
}

/* ---- the model -------------------------------------------------------------------------------- */

static int stamps(struct stamp a, struct stamp b)
{
    if (a.time != b.time)
        return a.time < b.time ? -1 : 1;
    return (a.seq > b.seq) - (a.seq < b.seq);
}

static struct event *model_add(struct model *m, bool late)
{
    struct event ev = {.taken = false};
    int order;

    ev.v[0] = m->ag.id == WINDOW_COUNT && rnd(2) ? value_bool(rnd(2)) : random_value(m->profile);
    ev.v[1] = m->ag.arg[1] ? random_value(m->profile) : value_missing();
    ev.at = (struct stamp){late ? (int64_t)rnd(50) : (int64_t)(m->seq / 3), m->seq};
    m->seq++;
    ev.since = ev.at;
    bool any = false, comparable = false;
    for (size_t i = 0; i < m->n; i++) {
        if (m->ev[i].taken) {
            any = true;
            comparable |= value_order(m->ev[i].v[0], ev.v[0], &order);
        }
        if (value_same(m->ev[i].v[0], ev.v[0]) && stamps(m->ev[i].since, ev.since) < 0)
            ev.since = m->ev[i].since;
    }
    for (size_t i = 0; i < m->n; i++)
        if (value_same(m->ev[i].v[0], ev.v[0]))
            m->ev[i].since = ev.since;
    ev.taken = orderable(ev.v[0]) && (!any || comparable);
    size_t i = m->n++;
    for (; i > 0 && stamps(m->ev[i - 1].at, ev.at) > 0; i--)
        m->ev[i] = m->ev[i - 1];
    m->ev[i] = ev;
    return &m->ev[i];
}

static size_t numbers(const struct model *m, double *out)
{
    size_t n = 0;
    for (size_t i = 0; i < m->n; i++)
        if (value_is_number(m->ev[i].v[0]))
            out[n++] = m->ev[i].v[0].type == VALUE_INT ? (double)m->ev[i].v[0].u.i : m->ev[i].v[0].u.d;
    return n;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static struct value model_number(const struct model *m)
{
    double x[MOST + 1], sum = 0;
    size_t n = numbers(m, x);
    for (size_t i = 0; i < n; i++)
        sum += x[i]; /* quarters: exact */
    if (m->ag.id == WINDOW_SUM)
        return value_double(sum);
    if (n == 0)
        return value_missing();
    if (m->ag.id == WINDOW_AVG)
        return value_double(sum / (double)n);
    if (m->ag.id == WINDOW_PERCENTILE) {
        qsort(x, n, sizeof *x, by_size);
        size_t rank = (size_t)ceil(m->ag.quantile * (double)n - 1e-9);
        return value_double(x[rank == 0 ? 0 : rank - 1]);
    }
    long double squares = 0, mean = (long double)sum / (long double)n;
    for (size_t i = 0; i < n; i++)
        squares += (x[i] - mean) * (x[i] - mean);
    squares /= (long double)n;
    return value_double((double)(m->ag.id == WINDOW_STDDEV ? sqrtl(squares) : squares));
}

static bool same_event(const struct model *m, const struct event *a, const struct event *b)
{
    return value_same(a->v[0], b->v[0]) && (!m->ag.arg[1] || value_same(a->v[1], b->v[1]));
}

static bool has_value(const struct model *m, const struct event *ev)
{
    return !value_is_missing(ev->v[0]) && (!m->ag.arg[1] || !value_is_missing(ev->v[1]));
}

/* Indices of the first sights of different values, in order. */
static size_t model_distinct(const struct model *m, size_t *out)
{
    size_t n = 0;
    for (size_t i = 0; i < m->n; i++) {
        bool new = has_value(m, &m->ev[i]);
        for (size_t k = 0; k < n; k++)
            new = new && !same_event(m, &m->ev[i], &m->ev[out[k]]);
        if (new)
            out[n++] = i;
    }
    return n;
}

static struct value model_top(const struct model *m, struct arena *a)
{
    size_t at[MOST + 1], count[MOST + 1] = {0};
    size_t n = model_distinct(m, at);
    for (size_t k = 0; k < n; k++)
        for (size_t i = 0; i < m->n; i++)
            count[k] += value_same(m->ev[i].v[0], m->ev[at[k]].v[0]);
    size_t want = n < m->ag.n ? n : m->ag.n;
    struct value *list = arena_alloc(a, (want + 1) * sizeof *list);
    for (size_t w = 0; w < want; w++) {
        size_t best = SIZE_MAX;
        for (size_t k = 0; k < n; k++)
            if (count[k] && (best == SIZE_MAX || count[k] > count[best] ||
                             (count[k] == count[best] &&
                              stamps(m->ev[at[k]].since, m->ev[at[best]].since) < 0)))
                best = k;
        list[w] = m->ev[at[best]].v[0];
        count[best] = 0;
    }
    return value_list(list, want);
}

static struct value model_list(const struct model *m, struct arena *a)
{
    size_t at[MOST + 1], n = 0;
    struct value *list = arena_alloc(a, (MOST + 1) * sizeof *list);

    if (m->ag.id == WINDOW_VALUES) {
        n = model_distinct(m, at);
        n = n < m->ag.n ? n : m->ag.n;
        for (size_t i = 0; i < n; i++)
            list[i] = m->ev[at[i]].v[0];
        return value_list(list, n);
    }
    for (size_t i = 0; i < m->n; i++)
        if (!value_is_missing(m->ev[i].v[0]))
            list[n++] = m->ev[i].v[0];
    return value_list(list, n < m->ag.n ? n : m->ag.n);
}

static struct value model_one(const struct model *m)
{
    struct value best = value_missing();
    int order = 0;

    for (size_t i = 0; i < m->n; i++) {
        struct value v = m->ev[i].v[0];
        if (m->ag.id == WINDOW_FIRST || m->ag.id == WINDOW_LAST) {
            if (!value_is_missing(v) && (m->ag.id == WINDOW_LAST || value_is_missing(best)))
                best = v;
        } else if (m->ev[i].taken) {
            if (value_is_missing(best) || (value_order(v, best, &order) &&
                                           (m->ag.id == WINDOW_MIN ? order < 0 : order > 0)))
                best = v;
        }
    }
    return best;
}

static struct value model_result(const struct model *m, struct arena *a)
{
    size_t at[MOST + 1], n = 0;

    switch (m->ag.id) {
    case WINDOW_COUNT:
        for (size_t i = 0; i < m->n; i++)
            n += !m->ag.arg[0] || (m->ev[i].v[0].type == VALUE_BOOL && m->ev[i].v[0].u.b);
        return value_int((int64_t)n);
    case WINDOW_COUNT_DISTINCT:
    case WINDOW_APPROX_COUNT_DISTINCT: return value_int((int64_t)model_distinct(m, at));
    case WINDOW_TOP: return model_top(m, a);
    case WINDOW_VALUES:
    case WINDOW_COLLECT: return model_list(m, a);
    case WINDOW_MIN:
    case WINDOW_MAX:
    case WINDOW_FIRST:
    case WINDOW_LAST: return model_one(m);
    default: return model_number(m);
    }
}

static void check(const struct accumulator_ops *ops, const void *acc, const struct model *m)
{
    struct arena *a = arena_new(4096);
    struct value is = ops->result(acc, &m->ag, a), want = model_result(m, a);
    bool same = value_same(is, want);

    if (m->ag.id == WINDOW_VARIANCE || m->ag.id == WINDOW_STDDEV)
        same = is.type == want.type &&
               (is.type == VALUE_MISSING || fabs(is.u.d - want.u.d) <= 1e-14 * fabs(want.u.d));
    if (!same) {
        struct buf b;
        buf_init(&b);
        value_add_json(&b, is);
        buf_adds(&b, " instead of ");
        value_add_json(&b, want);
        fprintf(stderr, "%s, profile %d, %zu events: %s\n", ops->name, m->profile, m->n, b.data);
        buf_fini(&b);
    }
    assert_true(same);
    arena_free(&a);
}

/* ---- runs ------------------------------------------------------------------------------------- */

static void recode(const struct accumulator_ops *ops, const struct model *m, void **acc_io,
                   uint64_t *bytes)
{
    struct buf a, b;
    struct reader r;
    void *new = mem_calloc(1, ops->size);

    buf_init(&a);
    buf_init(&b);
    ops->encode(*acc_io, &m->ag, &a);
    ops->init(new, &m->ag);
    reader_init(&r, a.data, a.len);
    assert_true(ops->decode(new, &m->ag, &r, bytes));
    assert_false(r.bad);
    assert_int_equal(reader_left(&r), 0);
    ops->encode(new, &m->ag, &b);
    assert_int_equal(a.len, b.len);
    ops->fini(*acc_io, &m->ag, bytes);
    mem_free(*acc_io);
    *acc_io = new;
    buf_fini(&a);
    buf_fini(&b);
}

/* Damaged code is refused or read as something; neither may crash. */
static void damage(const struct accumulator_ops *ops, const struct model *m, const void *acc)
{
    struct buf a;
    struct reader r;
    struct arena *scratch = arena_new(4096);
    void *new = mem_calloc(1, ops->size);

    buf_init(&a);
    ops->encode(acc, &m->ag, &a);
    for (int k = 0; k < 12; k++) {
        uint64_t bytes = 0;
        char *copy = mem_alloc(a.len);
        memcpy(copy, a.data, a.len);
        for (uint64_t flips = rnd(3); flips > 0; flips--)
            copy[rnd(a.len < 40 || rnd(2) ? a.len : 40)] = (char)rnd(256);
        size_t len = rnd(3) ? a.len : rnd(a.len + 1);
        reader_init(&r, copy, len);
        ops->init(new, &m->ag);
        if (ops->decode(new, &m->ag, &r, &bytes)) {
            struct buf again;
            buf_init(&again);
            ops->result(new, &m->ag, scratch);
            if (ops->can_merge)
                ops->merge(new, &m->ag, acc, &bytes);
            if (m->n)
                ops->add(new, &m->ag, m->ev[0].v, m->ev[m->n - 1].at, &bytes);
            for (size_t i = 0; ops->can_remove && i < m->n; i++)
                ops->remove(new, &m->ag, m->ev[i].v, m->ev[i].at, &bytes);
            ops->result(new, &m->ag, scratch);
            ops->encode(new, &m->ag, &again);
            buf_fini(&again);
        }
        ops->fini(new, &m->ag, &bytes);
        assert_int_equal(bytes, 0);
        mem_free(copy);
        arena_reset(scratch);
    }
    buf_fini(&a);
    mem_free(new);
    arena_free(&scratch);
}

/* All events of the model split in two accumulators, merged. */
static void split_and_merge(const struct accumulator_ops *ops, const struct model *m)
{
    uint64_t bytes = 0;
    struct buf a, b;
    void *one = mem_calloc(1, ops->size), *two = mem_calloc(1, ops->size);
    size_t at = rnd(m->n + 1);
    /* Where nothing is removed also two that lie across each other; not min, max: the type. */
    bool across = m->ag.no_remove && rnd(2) && m->ag.id != WINDOW_MIN && m->ag.id != WINDOW_MAX;

    buf_init(&a);
    buf_init(&b);
    ops->init(one, &m->ag);
    ops->init(two, &m->ag);
    struct model whole = *m;
    bool any = false;
    for (size_t i = 0; i < m->n; i++) {
        struct event *ev = &whole.ev[i];
        int order;
        ops->add((across ? rnd(2) : i >= at) ? two : one, &m->ag, ev->v, ev->at, &bytes);
        ev->since = ev->at;
        ev->taken = false;
        for (size_t k = 0; k < i; k++) {
            if (value_same(whole.ev[k].v[0], ev->v[0]))
                ev->since = whole.ev[k].since;
            ev->taken |= whole.ev[k].taken && value_order(whole.ev[k].v[0], ev->v[0], &order);
        }
        ev->taken |= !any && orderable(ev->v[0]);
        any |= ev->taken;
    }
    ops->encode(two, &m->ag, &a);
    ops->merge(one, &m->ag, two, &bytes);
    ops->encode(two, &m->ag, &b);
    assert_int_equal(a.len, b.len);
    assert_memory_equal(a.data, b.data, a.len);
    ops->fini(two, &m->ag, &bytes);
    /* The type that min of the second stretch keeps to may not be the first one's. */
    if (m->profile != 3 || (m->ag.id != WINDOW_MIN && m->ag.id != WINDOW_MAX))
        check(ops, one, &whole);
    for (size_t i = 0; ops->can_remove && !m->ag.no_remove && i < m->n; i++) {
        ops->remove(one, &m->ag, whole.ev[i].v, whole.ev[i].at, &bytes);
    }
    if (!m->ag.no_remove) {
        whole.n = 0;
        check(ops, one, &whole);
    }
    ops->fini(one, &m->ag, &bytes);
    assert_int_equal(bytes, 0);
    mem_free(one);
    mem_free(two);
    buf_fini(&a);
    buf_fini(&b);
}

static void run(struct model *m, int steps)
{
    const struct accumulator_ops *ops = accumulator_ops(m->ag.id);
    uint64_t bytes = 0;
    void *acc = mem_calloc(1, ops->size);
    bool grow = true;

    ops->init(acc, &m->ag);
    for (int i = 0; i < steps; i++) {
        if (rnd(100) < 2)
            grow = !grow;
        if (m->n < MOST && (m->ag.no_remove || m->n == 0 || rnd(4) < (grow ? 3 : 1))) {
            struct event *ev = model_add(m, m->ag.no_remove && rnd(2));
            ops->add(acc, &m->ag, ev->v, ev->at, &bytes);
        } else if (m->ag.no_remove) {
            ops->fini(acc, &m->ag, &bytes);
            assert_int_equal(bytes, 0);
            ops->init(acc, &m->ag);
            m->n = 0;
        } else {
            ops->remove(acc, &m->ag, m->ev[0].v, m->ev[0].at, &bytes);
            memmove(m->ev, m->ev + 1, --m->n * sizeof *m->ev);
        }
        check(ops, acc, m);
        if (rnd(50) == 0)
            recode(ops, m, &acc, &bytes);
        if (rnd(50) == 0)
            damage(ops, m, acc);
        if (rnd(50) == 0 && ops->can_merge)
            split_and_merge(ops, m);
    }
    ops->fini(acc, &m->ag, &bytes);
    assert_int_equal(bytes, 0);
    mem_free(acc);
}

static void agrees_with_the_model(void **state)
{
    static struct model m;

    (void)state;
    for (int id = 0; id < WINDOW_AGGREGATE_COUNT; id++) {
        const struct accumulator_ops *ops = accumulator_ops((enum window_aggregate_id)id);
        if (id == WINDOW_PREV) {
            assert_null(ops);
            continue;
        }
        assert_true(ops->can_remove || ops->can_merge);
        for (int variant = 0; variant < 16; variant++) {
            seed = (uint64_t)id * 100 + (uint64_t)variant;
            memset(&m, 0, sizeof m);
            m.profile = variant % 4;
            m.ag.id = (enum window_aggregate_id)id;
            m.ag.no_remove = variant / 4 % 2 || !ops->can_remove;
            m.ag.n = variant < 8 ? LIST : 1;
            m.ag.quantile = variant < 8 ? 0.95 : 0.5;
            m.ag.arg[0] = id == WINDOW_COUNT && variant < 8 ? NULL : some_code();
            if (id == WINDOW_COUNT_DISTINCT || id == WINDOW_APPROX_COUNT_DISTINCT)
                m.ag.arg[1] = variant < 8 ? NULL : some_code();
            run(&m, 600);
        }
    }
}

static void nothing_has_the_value_of_the_table(void **state)
{
    static const char *const NOTHING[] = {
#define WINDOW_AGGREGATE(id, name, min_args, max_args, types, nothing, doc) nothing,
#include "lang/window_aggregate.def"
#undef WINDOW_AGGREGATE
    };
    (void)state;
    struct arena *a = arena_new(1024);
    for (int id = 0; id < WINDOW_PREV; id++) {
        struct program_aggregate ag = {.id = (enum window_aggregate_id)id, .n = 3, .quantile = 0.5};
        const struct accumulator_ops *ops = accumulator_ops(ag.id);
        void *acc = mem_calloc(1, ops->size);
        uint64_t bytes = 0;
        ops->init(acc, &ag);
        struct value v = ops->result(acc, &ag, a);
        if (strcmp(NOTHING[id], "0") == 0)
            assert_true(v.type == VALUE_INT && v.u.i == 0);
        else if (strcmp(NOTHING[id], "[]") == 0)
            assert_true(v.type == VALUE_LIST && v.len == 0);
        else
            assert_true(value_is_missing(v));
        ops->fini(acc, &ag, &bytes);
        assert_int_equal(bytes, 0);
        mem_free(acc);
    }
    arena_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_has_the_value_of_the_table),
        cmocka_unit_test(agrees_with_the_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
