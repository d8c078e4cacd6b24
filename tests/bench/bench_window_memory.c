// SPDX-License-Identifier: Apache-2.0
/*
 * Memory of windows and of remembered values, as the engine charges it to the rule (engine_stats)
 * and as the process grew; time of an event among few and many remembered values.
 *
 *   bench_window_memory [N]     default 1000000 values, a quarter as many windows
 *
 * Each figure comes from a process of its own.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bench/bench.h>

enum { TIMED = 100000, ROUNDS = 3 };

static void feed_one(struct feeder *f, uint32_t key, uint32_t value)
{
    char json[100];

    snprintf(json, sizeof json, "{\"k\":\"u%06u\",\"v\":\"value-%06u\",\"x\":%u}", key, value,
             value % 1000);
    struct event *ev = feeder_event(f, json);
    f->now -= 999;
    feeder_feed(f, ev);
    event_unref(ev);
}

static double time_seen(struct feeder *f, uint32_t values)
{
    struct event **ev = calloc(TIMED, sizeof *ev);
    uint64_t random = 3;
    double best = 0;
    char json[100];

    for (int i = 0; i < TIMED; i++) {
        snprintf(json, sizeof json, "{\"k\":\"u000000\",\"v\":\"value-%06u\"}",
                 (uint32_t)(bench_random(&random) % values));
        ev[i] = feeder_event(f, json);
    }
    for (int round = 0; round < ROUNDS; round++) {
        int64_t start = bench_clock();
        for (int i = 0; i < TIMED; i++) {
            f->now -= 999;
            feeder_feed(f, ev[i]);
        }
        double ns = (double)(bench_clock() - start) / TIMED;
        best = round && best < ns ? best : ns;
    }
    for (int i = 0; i < TIMED; i++)
        event_unref(ev[i]);
    free(ev);
    return best;
}

struct figure {
    const char *name;
    const char *body;
    bool one_key;   /* n values of one key; else n keys */
    bool times;     /* and how long an event takes that is known */
};

static const struct figure figures[] = {
    {"window, tumbling, count()", "window tumbling 1h by k { a: s having count() < 0 } keep 1",
     false, false},
    {"window, tumbling, count(), keep 10", "window tumbling 1h by k { a: s having count() < 0 }",
     false, false},
    {"window, hopping, count() and avg(x)",
     "window hopping 1h every 1m by k { a: s having count() + avg(x) < 0 } keep 1", false, false},
    {"window, session, count()", "window session 1h by k { a: s having count() < 0 } keep 1", false,
     false},
    {"window, sliding, count(), one event",
     "window sliding 1h by k { a: s having count() < 0 } keep 1", false, false},
    {"window, global, count()", "window global expire 1h by k { a: s having count() < 0 } keep 1",
     false, false},
    {"event of a sliding window, count()",
     "window sliding 1h { a: s having count() < 0 } keep 1", true, false},
    {"value, sliding count_distinct, once each",
     "window sliding 1h { a: s having count_distinct(v) < 0 } keep 1", true, false},
    {"value, tumbling count_distinct",
     "window tumbling 1h { a: s having count_distinct(v) < 0 } keep 1", true, false},
    {"event of a join, unpaired", "join by k within 1h { a: s where x < 0  b: s }", false, false},
    {"value, novel", "novel v within 14d { a: s }", true, true},
    {"value, novel by k, one a key", "novel v by k within 14d { a: s }", false, false},
};

static void measure(const struct figure *figure, uint32_t n)
{
    struct feeder f;
    char rule[300];

    snprintf(rule, sizeof rule, "rule r { %s limit state 64GiB%s }", figure->body,
             strstr(figure->body, "join") ? "" : " limit values 100000000 per key");
    feeder_init(&f, rule);
    feed_one(&f, 999999, 9999999); /* so that what is there once is there */
    uint64_t rss = bench_rss(), bytes = feeder_stats(&f).bytes;
    double few = 0;
    for (uint32_t i = 0; i < n; i++) {
        feed_one(&f, figure->one_key ? 0 : i, i);
        if (i == 1000 && figure->times)
            few = time_seen(&f, 1000);
    }
    double charged = (double)(feeder_stats(&f).bytes - bytes) / n;
    double resident = ((double)bench_rss() - (double)rss) / n;
    printf("    %-54s %12.0f %12.0f\n", figure->name, charged, resident);
    printf("RATIO bytes a %s: charged, resident | %.0f, %.0f\n", figure->name, charged, resident);
    if (!figure->times)
        return;
    double many = time_seen(&f, n);
    printf("    %-54s %12.0f %12.0f %6.2fx\n", "  ns per event, 1000 values and all", few, many,
           many / few);
    printf("RATIO novel, ns per event: %u against 1000 values | %.2fx\n", n, many / few);
}

/* In a process of its own. */
static void apart(const struct figure *figure, uint32_t n)
{
    int status;
    fflush(stdout);
    pid_t pid = fork();

    if (pid == 0) {
        measure(figure, n);
        fflush(stdout);
        _exit(0);
    }
    if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 0)
        bench_die("the process that measures memory has failed");
}

int main(int argc, char **argv)
{
    uint32_t n = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 1000000;

    bench_check_build();
    printf("    %-54s %12s %12s\n", "bytes", "charged", "resident");
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        apart(&figures[i], figures[i].one_key ? n : n / 4);
    return 0;
}
