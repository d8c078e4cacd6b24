// SPDX-License-Identifier: Apache-2.0
/*
 * Windows: does an event cost what it changes, or what the window holds?
 *
 *   bench_window [SCALE [TEXT]]     default 1; less is faster and less exact. TEXT: only hopping rows
 *                                   that hold it
 *
 * Sliding count_distinct with 100 and with 100,000 different values in the window; hopping windows of
 * which 10 and of which 1000 overlap, events dense (100 a pane; 5 where windows are asked at each
 * event) and sparse (one every other pane); 10^6 keys whose windows close at one time, in slices.
 * Timed is engine_probe + engine_feed, with the deadlines that fall due between events.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include <bench/bench.h>

enum { ROUNDS = 3, EVENTS = 100000, SLICE = 10000 };

static double scale = 1;
static const char *only = "";

struct events {
    struct event **ev;
    size_t n, at;
};

/* n events of one key; value v runs through `distinct` values, x is a number, each of them another. */
static struct events make(struct feeder *f, size_t n, uint32_t distinct)
{
    struct events all = {.ev = mem_calloc(n, sizeof *all.ev), .n = n};
    uint64_t random = 5;
    char json[160];

    for (size_t i = 0; i < n; i++) {
        snprintf(json, sizeof json, "{\"k\":\"u000001\",\"v\":\"value-%06u\",\"x\":%u.25}",
                 (uint32_t)(i * 7919 % distinct), (uint32_t)(bench_random(&random) % 1000));
        all.ev[i] = feeder_event(f, json);
    }
    return all;
}

static void drop(struct events *all)
{
    for (size_t i = 0; i < all->n; i++)
        event_unref(all->ev[i]);
    mem_free(all->ev);
}

/* Feeds n events, `step` ns apart. */
static void run(struct feeder *f, struct events *all, size_t n, int64_t step)
{
    for (size_t i = 0; i < n; i++) {
        f->now += step - 1000;
        feeder_feed(f, all->ev[all->at]);
        all->at = all->at + 1 < all->n ? all->at + 1 : 0;
    }
}

/* ns an event, the best round. */
static double timed(struct feeder *f, struct events *all, size_t n, int64_t step)
{
    double best = 0;

    for (int round = 0; round < ROUNDS; round++) {
        int64_t start = bench_clock();
        run(f, all, n, step);
        double ns = (double)(bench_clock() - start) / (double)n;
        best = round && best < ns ? best : ns;
    }
    return best;
}

static void print_row(const char *what, double few, double many)
{
    printf("    %-60s %9.0f %9.0f %7.2fx\n", what, few, many, many / few);
}

/* ---- sliding -----------------------------------------------------------------------------------
 */

static double time_sliding(const char *having, uint32_t distinct)
{
    struct feeder f;
    char rule[300];

    snprintf(rule, sizeof rule, "rule r { window sliding 100ms by k { a: s having %s } "
             "limit values 10000000 per key limit state 64GiB }", having);
    feeder_init(&f, rule);
    struct events all = make(&f, EVENTS, distinct);
    run(&f, &all, EVENTS + 1, 1000); /* 100 ms hold 100,001 of them */
    double ns = timed(&f, &all, EVENTS, 1000);
    drop(&all);
    feeder_fini(&f);
    return ns;
}

static void sliding(void)
{
    static const char *const having[] = {"count_distinct(v) < 0", "count_distinct(v) >= 0",
                                         "count() < 0", "max(x) < 0", "percentile(x, 95) < 0"};

    printf("    %-60s %9s %9s %8s\n", "sliding, 100,001 events in the window, ns per event",
           "100", "100,000", "ratio");
    for (size_t i = 0; i < sizeof having / sizeof *having; i++) {
        double few = time_sliding(having[i], 100), many = time_sliding(having[i], EVENTS);
        char what[100];
        snprintf(what, sizeof what, "%s, different values of v", having[i]);
        print_row(what, few, many);
        if (i == 0)
            printf("RATIO sliding count_distinct: 100,000 against 100 different values | %.2fx\n",
                   many / few);
    }
}

/* ---- hopping -----------------------------------------------------------------------------------
 */

struct row {
    const char *having;
    const char *fire;
    bool slow; /* fewer events */
};

/* Windows of `panes` panes of a second, `per_pane` events in each. */
static double time_hopping(const struct row *row, uint32_t panes, double per_pane, double *bytes)
{
    struct feeder f;
    char rule[300];
    if (strstr(row->fire, "match") && per_pane > 5)
        per_pane = 5; /* each event asks every window that holds it */
    int64_t step = (int64_t)((double)BENCH_SECOND / per_pane);
    size_t warm = (size_t)(panes * per_pane * 2.2);
    size_t n = (size_t)((per_pane > 5 ? 50000 : 2000) * scale) / (row->slow ? 4 : 1);

    snprintf(rule, sizeof rule, "rule r { window hopping %us every 1s by k { a: s having %s %s } "
             "limit values 10000000 per key limit state 64GiB }", panes, row->having, row->fire);
    feeder_init(&f, rule);
    struct events all = make(&f, EVENTS, 1000);
    run(&f, &all, warm, step);
    double ns = timed(&f, &all, n, step);
    *bytes = (double)feeder_stats(&f).bytes;
    if (f.told > 0)
        bench_die("a window was told");
    drop(&all);
    feeder_fini(&f);
    return ns;
}

static void hopping(const char *name, double per_pane)
{
    static const struct row rows[] = {
        {"count() < 0", "", false}, {"sum(x) < 0", "", false}, {"avg(x) < 0", "", false},
        {"min(x) < 0", "", false}, {"max(x) < 0", "", false}, {"stddev(x) < 0", "", false},
        {"count_distinct(v) < 0", "", true}, {"approx_count_distinct(v) < 0", "", true},
        {"percentile(x, 95) < 0", "", true}, {"length(values(v, 100)) < 0", "", true},
        {"length(top(v, 10)) < 0", "", true}, {"length(collect(x, 10)) < 0", "", true},
        {"count() < 0", "fire on match", true}, {"count() < 0", "allow late 60s", false},
    };
    char title[100];

    snprintf(title, sizeof title, "hopping, %s, ns per event, windows that overlap", name);
    printf("\n    %-60s %9s %9s %8s %12s\n", title, "10", "1000", "ratio", "bytes at 1000");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char what[100];
        double bytes;
        if (!strstr(rows[i].having, only) && !strstr(rows[i].fire, only))
            continue;
        double few = time_hopping(&rows[i], 10, per_pane, &bytes);
        double many = time_hopping(&rows[i], 1000, per_pane, &bytes);
        snprintf(what, sizeof what, "%s %s", rows[i].having, rows[i].fire);
        printf("    %-60s %9.0f %9.0f %7.2fx %12.0f\n", what, few, many, many / few, bytes);
        printf("RATIO hopping, %s, %s: 1000 against 10 windows that overlap | %.2fx\n", name, what,
               many / few);
    }
}

/* ---- many keys that close at one time ----------------------------------------------------------
 */

static void feed_keys(struct feeder *f, uint32_t keys)
{
    char json[100];

    for (uint32_t k = 0; k < keys; k++) {
        snprintf(json, sizeof json, "{\"k\":\"u%06u\",\"v\":\"value\",\"x\":1}", k);
        struct event *ev = feeder_event(f, json);
        f->now -= 999; /* all within one window */
        feeder_feed(f, ev);
        event_unref(ev);
    }
}

static void close_at_once(const char *window, const char *having, uint32_t keys)
{
    struct feeder f;
    char rule[300], what[200];
    int64_t longest = 0, total = 0;
    bool reached = false;

    snprintf(rule, sizeof rule, "rule r { window %s by k { a: s having %s } limit state 64GiB }",
             window, having);
    feeder_init(&f, rule);
    feed_keys(&f, keys);
    if (feeder_stats(&f).keys != keys)
        bench_die("there are %llu keys", (unsigned long long)feeder_stats(&f).keys);
    f.now += 86400 * BENCH_SECOND;
    while (!reached) {
        int64_t start = bench_clock();
        reached = engine_advance_slice(f.engine, f.now, SLICE, &f.alerts);
        int64_t pause = bench_clock() - start;
        f.told += f.alerts.n;
        alert_list_clear(&f.alerts);
        total += pause;
        longest = pause > longest ? pause : longest;
    }
    snprintf(what, sizeof what, "%s, %u keys, %llu alerts", window, keys,
             (unsigned long long)f.told);
    printf("    %-60s %9.1f %9.0f\n", what, (double)longest / 1e6, (double)total / 1e6);
    printf("RATIO %s close at once: longest pause, all, ms | %.1f, %.0f\n", what,
           (double)longest / 1e6, (double)total / 1e6);
    feeder_fini(&f);
}

int main(int argc, char **argv)
{
    bench_check_build();
    if (argc > 1)
        scale = strtod(argv[1], NULL);
    if (argc > 2)
        only = argv[2];
    setvbuf(stdout, NULL, _IOLBF, 0);
    sliding();
    hopping("dense", 100);
    hopping("sparse", 0.5);
    printf("\n    %-60s %9s %9s\n", "windows that close at one time, in slices of 10,000; ms",
           "longest", "all");
    close_at_once("tumbling 1m", "count() < 0", 1000000);
    close_at_once("tumbling 1m", "count() > 0", 1000000);
    close_at_once("session 1m", "count() < 0", 1000000);
    return 0;
}
