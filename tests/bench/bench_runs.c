// SPDX-License-Identifier: Apache-2.0
/*
 * Does an event cost time in what it changes, or in what is open?
 *
 *   bench_runs [SECONDS]     the most CPU time to open the runs of one row, each time (default 1)
 *
 * One key has 100 or 100,000 open runs; timed is engine_probe + engine_feed of events of which none
 * starts or completes more than one run. A state that takes too long to build stays smaller; then
 * the row says how many runs there were, and the ratio is to be read with that.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include <bench/bench.h>
#include "plan/program.h"

enum { FEW = 100, MANY = 100000, MOST_TIMED = 50, ROUNDS = 60 };

struct shape {
    const char *name;
    const char *body;             /* of `match by k`, %s: select */
    const char *timed;            /* kind of the timed events */
    unsigned per_round;           /* how many are timed before the state is put right */
    enum { ID_NONE, ID_OPEN } id; /* the timed event's id: none of any run's, or of an open run */
    bool rebuild; /* after a round all is ended and built anew; else what is missing is added */
    bool builds;  /* the timed event itself starts runs */
    bool first_only;
};

static const struct shape shapes[] = {
    {.name = "a b, timed z of a step out of reach",
     .body = "within 1h select %s { a: s where ev == \"a\" b: s where ev == \"b\" "
             "z: s where ev == \"z\" until u: s where ev == \"u\" }",
     .timed = "z",
     .per_round = 50},
    {.name = "a b with x == a.x, timed b equal to none",
     .body = "within 1h select %s { a: s where ev == \"a\" b: s where ev == \"b\" and id == a.id "
             "until u: s where ev == \"u\" }",
     .timed = "b",
     .per_round = 50},
    {.name = "a b with x > a.x, timed b above none",
     .body = "within 1h select %s { a: s where ev == \"a\" b: s where ev == \"b\" and id > a.id "
             "until u: s where ev == \"u\" }",
     .timed = "b",
     .per_round = 5},
    {.name = "a b, timed a starts a run",
     .body = "within 1h select %s { a: s where ev == \"a\" b: s where ev == \"b\" "
             "until u: s where ev == \"u\" }",
     .timed = "a",
     .per_round = 5,
     .builds = true},
    {.name = "p; c where ppid == p.pid, timed c ends one",
     .body = "within 1h select %s { p: s where ev == \"a\" c: s where ev == \"b\" and id == p.id "
             "until u: s where ev == \"u\" }",
     .timed = "b",
     .per_round = 50,
     .id = ID_OPEN},
    {.name = "a b c, timed b moves all that wait at a",
     .body = "within 1h select %s { a: s where ev == \"a\" b: s where ev == \"b\" "
             "c: s where ev == \"c\" until u: s where ev == \"u\" }",
     .timed = "b",
     .per_round = 1,
     .rebuild = true},
    {.name = "a{3,} b, timed a is taken by all",
     .body = "within 1h select %s { a{3,}: s where ev == \"a\" b: s where ev == \"b\" "
             "until u: s where ev == \"u\" }",
     .timed = "a",
     .per_round = 1,
     .builds = true},
    {.name = "a; not x with x == a.x, timed x equal to none",
     .body = "within 1h select %s { a: s where ev == \"a\" "
             "not x: s where ev == \"x\" and id == a.id until u: s where ev == \"u\" }",
     .timed = "x",
     .per_round = 5},
    {.name = "a; not x with x == a.x, timed x ends one",
     .body = "within 1h select %s { a: s where ev == \"a\" "
             "not x: s where ev == \"x\" and id == a.id until u: s where ev == \"u\" }",
     .timed = "x",
     .per_round = 5,
     .id = ID_OPEN},
    {.name = "a; not x, timed u ends one by u.x == a.x",
     .body = "within 1h select %s { a: s where ev == \"a\" not x: s where ev == \"x\" "
             "until u: s where ev == \"u\" and id == a.id }",
     .timed = "u",
     .per_round = 5,
     .id = ID_OPEN},
};

struct run_bench {
    const struct shape *shape;
    struct feeder feeder;
    uint64_t random;
    uint64_t *open; /* ids of runs that are open */
    size_t n_open, cap_open;
    uint64_t next_id;
};

/* The ids are numbers from 1; an id of 0 is above none and equal to none. */
static struct event *make(struct run_bench *b, const char *kind, uint64_t id)
{
    struct buf json;

    buf_init(&json);
    buf_printf(&json, "{\"ev\":\"%s\",\"k\":\"the-only-key\",\"id\":%llu}%c", kind,
               (unsigned long long)id, '\0');
    struct event *ev = feeder_event(&b->feeder, json.data);
    buf_fini(&json);
    return ev;
}

static void forget(struct run_bench *b)
{
    feeder_pass(&b->feeder, 7200 * BENCH_SECOND);
    b->n_open = 0;
    if (feeder_stats(&b->feeder).runs != 0)
        bench_die("%s: not all runs have ended", b->shape->name);
}

/* Opens runs until there are n, or the time is used up. */
static void build(struct run_bench *b, size_t n, double seconds)
{
    int64_t stop = bench_clock() + (int64_t)(seconds * 1e9);

    while (b->n_open < n && feeder_stats(&b->feeder).bytes < UINT64_C(1) << 30) {
        uint64_t id = b->next_id++;
        struct event *ev = make(b, "a", id);
        feeder_feed(&b->feeder, ev);
        event_unref(ev);
        b->open = vec_reserve(b->open, &b->cap_open, b->n_open + 1, sizeof *b->open);
        b->open[b->n_open++] = id;
        if (b->n_open % 16 == 0 && bench_clock() > stop)
            break;
    }
}

static uint64_t take_open_id(struct run_bench *b)
{
    size_t i = bench_random(&b->random) % b->n_open;
    uint64_t id = b->open[i];

    b->open[i] = b->open[--b->n_open];
    return id;
}

/* ns per event of one round. */
static double time_round(struct run_bench *b)
{
    const struct shape *shape = b->shape;
    struct event *ev[MOST_TIMED];
    int64_t start, ns;

    for (unsigned i = 0; i < shape->per_round; i++)
        ev[i] = make(b, shape->timed,
                     shape->builds          ? b->next_id++
                     : shape->id == ID_OPEN ? take_open_id(b)
                                            : 0);
    start = bench_clock();
    for (unsigned i = 0; i < shape->per_round; i++)
        feeder_feed(&b->feeder, ev[i]);
    ns = bench_clock() - start;
    for (unsigned i = 0; i < shape->per_round; i++)
        event_unref(ev[i]);
    return (double)ns / shape->per_round;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* Median over the rounds of ns per timed event; *n_out: how many runs were open. */
static double measure(const struct shape *shape, const char *select, size_t n, double seconds,
                      uint64_t *n_out)
{
    struct run_bench b = {.shape = shape, .random = 7, .next_id = 1};
    struct buf rule, body;
    double ns[ROUNDS];
    int rounds = 0;

    buf_init(&body);
    buf_init(&rule);
    const char *mark = strstr(shape->body, "%s");
    buf_printf(&rule,
               "rule r { match by k %.*s%s%s limit runs 1000000 per key limit state 4GiB }%c",
               (int)(mark - shape->body), shape->body, select, mark + 2, '\0');
    feeder_init(&b.feeder, rule.data);
    build(&b, n, seconds);
    n = b.n_open; /* as many as there was time for */
    *n_out = feeder_stats(&b.feeder).runs;
    int64_t stop = bench_clock() + (int64_t)(seconds * 1e9);
    while (rounds < ROUNDS && (rounds < 3 || bench_clock() < stop)) {
        if (shape->rebuild && rounds)
            forget(&b); /* and below anew */
        build(&b, n, 60);
        ns[rounds++] = time_round(&b);
    }
    qsort(ns, (size_t)rounds, sizeof *ns, by_size);
    feeder_fini(&b.feeder);
    mem_free(b.open);
    buf_fini(&rule);
    buf_fini(&body);
    return ns[rounds / 2];
}

int main(int argc, char **argv)
{
    double seconds = argc > 1 ? strtod(argv[1], NULL) : 1;
    static const char *const select[] = {"first", "each"};

    bench_check_build();
    printf("    %-46s %-6s %9s %9s %10s %9s\n", "ns per timed event with so many open runs",
           "select", "100", "many", "many are", "ratio");
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (size_t k = 0; k < 2; k++) {
            uint64_t few, many;
            double a = measure(&shapes[i], select[k], FEW, seconds, &few);
            double z = measure(&shapes[i], select[k], MANY, seconds, &many);
            printf("    %-46s %-6s %9.0f %9.0f %10llu %8.1fx\n", shapes[i].name, select[k], a, z,
                   (unsigned long long)many, z / a);
            printf("RATIO %s, %s: %llu against %llu open runs%s | %.1fx\n", shapes[i].name,
                   select[k], (unsigned long long)many, (unsigned long long)few,
                   many < MANY ? ", 100000 not reached" : "", z / a);
            fflush(stdout);
        }
    return 0;
}
