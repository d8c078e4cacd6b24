// SPDX-License-Identifier: Apache-2.0
/*
 * window_fixture - what the tests of windows, joins and first sightings share: random events with
 * doubles, texts and lists, some of them late; a run that is restarted against one that is not;
 * damaged snapshots; the end of input. Include behind cmocka.h.
 */
#ifndef UNIT_WINDOW_FIXTURE_H
#define UNIT_WINDOW_FIXTURE_H

#include <tests/unit/engine_fixture.h>

#include "base/mem.h"
#include "engine/engine_priv.h"

#define ALL_AGGREGATES                                                                            \
    "n = count()  s = sum(x)  m = avg(x)  lo = min(x)  hi = max(v)  sd = stddev(x)  "             \
    "f = first(v)  l = last(x)  d = count_distinct(v, k)  a = approx_count_distinct(v)  "         \
    "p = percentile(x, 90)  c = collect(v, 3)  vs = values(v, 4)  t = top(v, 2)  "  \
    "q = count(k == 2)  w = sum(x where k < 3)"

#define TWO_INPUTS                                                                                \
    "n = count()  na = count(a)  s = sum(b.x)  m = avg(a.x)  hi = max(b.v)  f = first(a.v)  "     \
    "d = count_distinct(a.v)  p = percentile(b.x, 40)  vs = values(a.v, 3)"

static inline void body_json(uint64_t *seed, char *json, size_t size)
{
    uint32_t k = fixture_below(seed, 5), u = fixture_below(seed, 3);
    double x = (double)fixture_below(seed, 2000) / 7 - 100;
    switch (fixture_below(seed, 9)) {
    case 0: snprintf(json, size, "{\"k\":%u,\"u\":%u}", k, u); break;
    case 1: snprintf(json, size, "{\"k\":%u,\"u\":[%u,9],\"v\":[\"a\",%u,null],\"x\":%.17g}", k, u,
                     k, x * 1e9); break;
    case 2: snprintf(json, size, "{\"k\":%u,\"u\":%u,\"v\":%.17g,\"x\":%.17g}", k, u, x, x * 1e-9);
        break;
    case 3: snprintf(json, size, "{\"k\":%u,\"u\":\"\\u00e9\",\"v\":\"\",\"x\":\"text\"}", k); break;
    default: snprintf(json, size, "{\"k\":%u,\"u\":%u,\"v\":\"value %u\",\"x\":%.17g}", k, u,
                      fixture_below(seed, 12), x); break;
    }
}

static inline void body_feed_late(struct fixture *fx, int64_t time, const char *source,
                                  const char *json)
{
    struct event ev = fixture_event(fx, time, source, json);
    engine_feed_late(fx->en, &ev, &fx->out);
}

/* Times go up by 0 to 3 s, now and then by more; one event of six is late if `late`. */
static inline void body_feed(struct fixture *fx, uint64_t *seed, int64_t *time, bool late)
{
    char json[200];
    *time += fixture_below(seed, 4) * SECOND;
    if (fixture_below(seed, 30) == 0)
        *time += fixture_below(seed, 60) * SECOND;
    body_json(seed, json, sizeof json);
    const char *source = fixture_below(seed, 4) == 0 ? "t" : "s";
    uint32_t back = fixture_below(seed, 6);
    if (late && back == 0 && fx->en->now > 0)
        body_feed_late(fx, fx->en->now - (1 + fixture_below(seed, 30)) * SECOND, source, json);
    else
        fixture_feed_ns(fx, *time, source, json);
}

static inline void body_assert_same(struct fixture *a, struct fixture *b, const char *rules)
{
    alert_list_sort(&a->out, 0, a->prog);
    alert_list_sort(&b->out, 0, b->prog);
    for (size_t i = 0; i < a->out.n && i < b->out.n; i++) {
        if (strcmp(a->out.alert[i].json, b->out.alert[i].json) == 0)
            continue;
        print_error("%s\n", a->out.alert[i].json);
        print_error("%s\n", b->out.alert[i].json);
        fail_msg("%s", rules);
    }
    if (a->out.n != b->out.n)
        fail_msg("%s\n%zu and %zu alerts", rules, a->out.n, b->out.n);
}

/* One engine is never stopped, the other at random points: they say the same, byte for byte, and
 * both keep nothing in the end. Returns how many alerts there were. */
static inline size_t body_restarts(const char *rules, int rounds, bool late)
{
    size_t told = 0;
    for (int round = 0; round < rounds; round++) {
        struct fixture plain, stopped;
        uint64_t one = (uint64_t)round, two = (uint64_t)round, when = (uint64_t)round + 99;
        int64_t at_one = 1000 * SECOND, at_two = 1000 * SECOND;
        fixture_open(&plain, rules);
        fixture_open(&stopped, rules);
        for (int i = 0; i < 150; i++) {
            body_feed(&plain, &one, &at_one, late);
            body_feed(&stopped, &two, &at_two, late);
            if (fixture_below(&when, 1 + (uint32_t)round % 7) == 0)
                fixture_restart(&stopped);
        }
        fixture_end(&plain);
        fixture_restart(&stopped);
        fixture_end(&stopped);
        body_assert_same(&plain, &stopped, rules);
        told += plain.out.n;
        fixture_assert_no_state(&plain);
        fixture_assert_no_state(&stopped);
        fixture_close(&plain);
        fixture_close(&stopped);
    }
    return told;
}

/* Restores the bytes; what comes of that can be fed, stored again, restored and ended. */
static inline bool body_survives(struct program *prog, const char *data, size_t len, uint64_t seed,
                                 bool late)
{
    struct fixture fx;
    const char *why = NULL;
    char *copy = mem_alloc(len > 0 ? len : 1); /* of its own: reading past its end is seen */
    memcpy(copy, data, len);
    fixture_open_program(&fx, program_ref(prog));
    bool ok = engine_restore(fx.en, copy, len, &why);
    mem_free(copy);
    if (ok) {
        struct buf again;
        buf_init(&again);
        engine_snapshot(fx.en, &again);
        struct engine *other = engine_new(prog);
        if (!engine_restore(other, again.data, again.len, &why))
            fail_msg("what was restored cannot be restored again: %s", why);
        engine_free(&other);
        buf_fini(&again);
        int64_t time = fx.en->now > 0 ? fx.en->now : 0;
        if (time > INT64_MAX / 2)
            late = false;
        for (int i = 0; i < 12 && time < INT64_MAX - 100 * SECOND; i++)
            body_feed(&fx, &seed, &time, late);
        fixture_end(&fx);
        fixture_assert_no_state(&fx);
    } else {
        assert_non_null(why);
    }
    fixture_close(&fx);
    return ok;
}

/* Every byte of snapshots of one rule, cut there and changed. */
static inline void body_damage(const char *rules, bool late)
{
    struct program *prog = fixture_compile(rules, false);
    uint64_t seed = 7;
    for (int events = 3; events <= 23; events += 10) {
        struct fixture fx;
        struct buf good;
        uint64_t feed = seed;
        int64_t time = 1000 * SECOND;
        fixture_open_program(&fx, program_ref(prog));
        for (int i = 0; i < events; i++)
            body_feed(&fx, &feed, &time, late);
        buf_init(&good);
        engine_snapshot(fx.en, &good);
        fixture_close(&fx);
        size_t step = good.len / 250 + 1;
        for (size_t i = fixture_below(&seed, (uint32_t)step); i < good.len; i += step) {
            assert_false(body_survives(prog, good.data, i, seed, late));
            char was = good.data[i];
            good.data[i] ^= (char)(1 << fixture_below(&seed, 8));
            body_survives(prog, good.data, good.len, seed, late);
            good.data[i] = (char)(fixture_below(&seed, 3) == 0 ? 0 : fixture_random(&seed));
            body_survives(prog, good.data, good.len, seed, late);
            good.data[i] = was;
        }
        buf_fini(&good);
    }
    program_unref(&prog);
}

/* The object or number behind a name of an alert's JSON, as text; "" if it is not there. */
static inline char *body_part(const char *json, const char *name)
{
    char find[40];
    snprintf(find, sizeof find, "\"%s\":", name);
    const char *at = strstr(json, find);
    if (at == NULL)
        return mem_strndup("", 0);
    const char *end = at += strlen(find);
    for (int depth = 0; *end != '\0'; end++) {
        depth += (*end == '{' || *end == '[') - (*end == '}' || *end == ']');
        if (depth < 0 || (depth == 0 && *end == ','))
            break;
    }
    return mem_strndup(at, (size_t)(end - at));
}

/* ---- late events ---------------------------------------------------------------------------- */

struct timed {
    int64_t time, arrival;
    char json[200];
    uint64_t offset;
};

static inline int by_time(const void *a, const void *b)
{
    const struct timed *x = a, *y = b;
    return (x->time > y->time) - (x->time < y->time);
}

static inline int by_arrival(const void *a, const void *b)
{
    const struct timed *x = a, *y = b;
    return x->arrival != y->arrival ? (x->arrival > y->arrival) - (x->arrival < y->arrival)
                                    : (x->offset > y->offset) - (x->offset < y->offset);
}

static inline void feed_all(struct fixture *fx, const struct timed *all, int n)
{
    for (int i = 0; i < n; i++) {
        fx->offset = all[i].offset;
        if (all[i].time < fx->en->now)
            body_feed_late(fx, all[i].time, "s", all[i].json);
        else
            fixture_feed_ns(fx, all[i].time, "s", all[i].json);
    }
    fixture_end(fx);
    fixture_assert_no_state(fx);
}

static inline int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* What the last revisions say, without the retracted: key, fields, events, window. */
static inline char **last_told(const struct fixture *fx, size_t *n_out)
{
    char **text = mem_calloc(fx->out.n + 1, sizeof *text);
    *n_out = 0;
    for (size_t i = 0; i < fx->out.n; i++) {
        const char *json = fx->out.alert[i].json;
        char *id = body_part(json, "id");
        bool is_last = strstr(json, "\"retracted\":true") == NULL;
        for (size_t k = i + 1; is_last && k < fx->out.n; k++)
            is_last = strstr(fx->out.alert[k].json, id) == NULL;
        mem_free(id);
        if (!is_last)
            continue;
        struct buf all;
        buf_init(&all);
        static const char *const part[] = {"key", "window", "fields", "events", "time"};
        for (size_t p = 0; p < sizeof part / sizeof *part; p++) {
            char *one = body_part(json, part[p]);
            buf_printf(&all, "%s %s\n", part[p], one);
            mem_free(one);
        }
        text[(*n_out)++] = buf_take(&all);
    }
    qsort(text, *n_out, sizeof *text, by_text);
    return text;
}

/* Events shuffled far beyond their times: in the end each window says what it says of all events. */
static inline size_t late_is_as_good(const char *rules, uint64_t seed)
{
    enum { N = 60 };
    struct timed all[N];
    struct fixture fx[2];
    char **told[2];
    size_t n[2];
    int64_t time = 1000 * SECOND;
    for (int i = 0; i < N; i++) {
        time += 1 + fixture_below(&seed, fixture_below(&seed, 4) == 0 ? 40 : 4) * SECOND;
        all[i] = (struct timed){.time = time, .offset = (uint64_t)i};
        all[i].arrival = time + (fixture_below(&seed, 3) == 0
                                     ? fixture_below(&seed, 120) * SECOND : 0);
        body_json(&seed, all[i].json, sizeof all[i].json);
    }
    for (int k = 0; k < 2; k++) {
        qsort(all, N, sizeof *all, k == 0 ? by_time : by_arrival);
        fixture_open(&fx[k], rules);
        feed_all(&fx[k], all, N);
        told[k] = last_told(&fx[k], &n[k]);
    }
    for (size_t i = 0; i < n[0] && i < n[1]; i++) {
        if (strcmp(told[0][i], told[1][i]) != 0)
            fail_msg("%s\nin order: %s\nlate: %s", rules, told[0][i], told[1][i]);
    }
    if (n[0] != n[1])
        fail_msg("%s\n%zu windows in order, %zu late", rules, n[0], n[1]);
    size_t revised = fx[1].out.n - n[1];
    for (int k = 0; k < 2; k++) {
        for (size_t i = 0; i < n[k]; i++)
            mem_free(told[k][i]);
        mem_free(told[k]);
        fixture_close(&fx[k]);
    }
    return revised;
}

#endif
