// SPDX-License-Identifier: Apache-2.0
/*
 * Memory of open runs and of keys that are idle again; time of an event among many keys.
 *
 *   bench_state [KEYS]     default 1000000; a quarter of them for memory
 *
 * Memory is shown twice: as the engine charges it to the rule (engine_stats), and as the process
 * grew. Each figure comes from a process of its own.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include <bench/bench.h>
#include "plan/program.h"

static const char rule[] =
    "rule r { match by k within 1h { a: s where ev == \"a\" "
    "b: s where ev == \"b\" and net.port == a.net.port z: s where ev == \"z\" } "
    "limit state 64GiB limit runs 1000000 per key }";
static const char pair_rule[] =
    "rule r { match by k within 1h { a: s where ev == \"a\" b: s where ev == \"b\" } "
    "limit state 64GiB }";

enum { FEW_KEYS = 10000, TIMED = 20000, ROUNDS = 5, SMALL = 0, LARGE = 250 };

/* An event of one key, of 250 bytes or as small as can be. */
static struct event *make(struct feeder *f, uint64_t *random, size_t size, const char *kind,
                          uint32_t key, int port)
{
    struct buf json;

    buf_init(&json);
    if (size)
        bench_event_text(&json, random, size, 0, kind, key);
    else
        buf_printf(&json, "{\"ev\":\"%s\",\"k\":\"u%06u\",\"net\":{\"port\":%d}}", kind, key, port);
    buf_addc(&json, '\0');
    struct event *ev = feeder_event(f, json.data);
    buf_fini(&json);
    return ev;
}

static void open_runs(struct feeder *f, size_t size, uint32_t from, uint32_t keys, uint32_t runs)
{
    uint64_t random = 3;

    for (uint32_t r = 0; r < runs; r++)
        for (uint32_t k = 0; k < keys; k++) {
            struct event *ev = make(f, &random, size, "a", from + k, 1);
            feeder_feed(f, ev);
            event_unref(ev);
        }
}

/* ---- memory ------------------------------------------------------------------------------------
 */

static void print_memory(const char *what, double charged, double resident, const char *name)
{
    printf("    %-54s %12.0f %12.0f\n", what, charged, resident);
    printf("RATIO bytes %s: charged, resident | %.0f, %.0f\n", name, charged, resident);
}

static void memory(size_t size, uint32_t keys, uint32_t runs)
{
    struct feeder f;
    char what[100], name[100];
    double n = (double)keys * runs;

    feeder_init(&f, rule);
    open_runs(&f, size, keys, 1, 1); /* so that what is there once is there */
    uint64_t rss = bench_rss(), bytes = feeder_stats(&f).bytes;
    open_runs(&f, size, 0, keys, runs);
    if (feeder_stats(&f).runs != (uint64_t)n + 1)
        bench_die("there are %llu runs", (unsigned long long)feeder_stats(&f).runs);
    snprintf(what, sizeof what, "an open run, %u a key, its event of %s", runs,
             size ? "250 bytes" : "43 bytes");
    snprintf(name, sizeof name, "an open run, %u a key, event of %s", runs,
             size ? "250 B" : "43 B");
    print_memory(what, (double)(feeder_stats(&f).bytes - bytes) / n,
                 ((double)bench_rss() - (double)rss) / n, name);
    if (runs > 1)
        return;
    feeder_pass(&f, 7200 * BENCH_SECOND);
    snprintf(name, sizeof name, "a key that is idle again, event of %s", size ? "250 B" : "43 B");
    print_memory("  the key when the run has ended", (double)feeder_stats(&f).bytes / n,
                 ((double)bench_rss() - (double)rss) / n, name);
    rss = bench_rss();
    open_runs(&f, size, keys + 1, keys, 1);
    feeder_pass(&f, 7200 * BENCH_SECOND);
    print_memory("  growth when as many other keys came and went", 0,
                 ((double)bench_rss() - (double)rss) / n, "a second lot of keys, growth");
}

/* In a process of its own. */
static void apart(size_t size, uint32_t keys, uint32_t runs)
{
    int status;
    fflush(stdout);
    pid_t pid = fork();

    if (pid == 0) {
        memory(size, keys, runs);
        fflush(stdout);
        _exit(0);
    }
    if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 0)
        bench_die("the process that measures memory has failed");
}

/* ---- time among many keys ----------------------------------------------------------------------
 */

static double best_of(struct feeder *f, struct event **ev, size_t n)
{
    double best = 0;

    for (int round = 0; round < ROUNDS; round++) {
        int64_t start = bench_clock();
        for (size_t i = 0; i < n; i++)
            feeder_feed(f, ev[i]);
        double ns = (double)(bench_clock() - start) / (double)n;
        best = round && best < ns ? best : ns;
    }
    return best;
}

enum kind {
    LOOK_UP,  /* z: only the key is looked up */
    TEST,     /* b: the run is tested and stays */
    COMPLETE, /* a `b` completes the run, an `a` opens another */
    N_KINDS,
};

static const char *const kind_name[N_KINDS] = {"z, a step out of reach: finds the key",
                                               "b, tested against the run, unequal",
                                               "b completes and alerts, a opens anew, mean"};

static double time_kind(struct feeder *f, uint32_t keys, enum kind kind)
{
    struct event **ev = mem_calloc(TIMED, sizeof *ev);
    uint64_t random = 11;

    for (size_t i = 0; i < TIMED; i++) {
        uint32_t key = (uint32_t)(bench_random(&random) % keys);
        ev[i] = make(f, &random, SMALL, kind == LOOK_UP ? "z" : "b", key, -1);
        if (kind == COMPLETE)
            ev[++i] = make(f, &random, SMALL, "a", key, -1);
    }
    double ns = best_of(f, ev, TIMED);
    if (feeder_stats(f).runs != keys)
        bench_die("there are %llu runs", (unsigned long long)feeder_stats(f).runs);
    for (size_t i = 0; i < TIMED; i++)
        event_unref(ev[i]);
    mem_free(ev);
    return ns;
}

/* Each key has one open run. */
static void time_among(const char *rules, uint32_t keys, enum kind from, enum kind to, double *ns)
{
    struct feeder f;

    feeder_init(&f, rules);
    open_runs(&f, LARGE, 0, keys, 1);
    for (enum kind kind = from; kind <= to; kind++)
        ns[kind] = time_kind(&f, keys, kind);
    feeder_fini(&f);
}

static void among(uint32_t keys)
{
    double few[N_KINDS], many[N_KINDS];

    time_among(rule, FEW_KEYS, LOOK_UP, TEST, few);
    time_among(pair_rule, FEW_KEYS, COMPLETE, COMPLETE, few);
    time_among(rule, keys, LOOK_UP, TEST, many);
    time_among(pair_rule, keys, COMPLETE, COMPLETE, many);
    printf("\n    %-46s %7d keys %7u keys %9s\n", "ns per event, one open run a key", FEW_KEYS,
           keys, "ratio");
    for (int i = 0; i < N_KINDS; i++) {
        printf("    %-46s %12.0f %12.0f %8.1fx\n", kind_name[i], few[i], many[i], many[i] / few[i]);
        printf("RATIO %s: %u against %d keys | %.1fx\n", kind_name[i], keys, FEW_KEYS,
               many[i] / few[i]);
    }
}

int main(int argc, char **argv)
{
    uint32_t keys = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 1000000;

    bench_check_build();
    printf("    %-54s %12s %12s\n", "bytes", "charged", "resident");
    apart(SMALL, keys / 4, 1);
    apart(LARGE, keys / 4, 1);
    apart(SMALL, keys / 10, 10);
    among(keys);
    return 0;
}
