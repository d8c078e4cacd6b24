// SPDX-License-Identifier: Apache-2.0
/*
 * Records of keys (engine/record.h): what writing, letting go, loading and restoring costs a key.
 *
 *   bench_record [KEYS]     default 300000
 *
 * Each key has one open run of an event of 250 bytes. The store is a sorted array; what it takes to
 * find a key there is in the time of loading, what it takes to sort is in none.
 */
#include <stdio.h>
#include <stdlib.h>

#include <bench/bench.h>
#include <unit/record_store.h>

#include "base/buf.h"
#include "engine/record_priv.h"

static const char rule[] = "rule r { match by k within 1h { a: s where ev == \"a\" "
                           "b: s where ev == \"b\" } limit state 64GiB }";

enum { SIZE = 250 };

static void print(const char *what, int64_t since, size_t n)
{
    printf("    %-50s %8.0f ns\n", what, (double)(bench_clock() - since) / (double)n);
}

static void open_runs(struct feeder *f, uint32_t keys, bool first)
{
    struct buf json;
    uint64_t random = 3;
    int64_t spent = 0;

    buf_init(&json);
    for (uint32_t k = 0; k < keys; k++) {
        buf_clear(&json);
        bench_event_text(&json, &random, SIZE, 0, "a", k);
        buf_addc(&json, '\0');
        struct event *ev = feeder_event(f, json.data);
        int64_t start = bench_clock();
        feeder_feed(f, ev);
        spent += bench_clock() - start;
        event_unref(ev);
    }
    buf_fini(&json);
    printf("    %-50s %8.0f ns\n", first ? "an event that opens a run (clock included)"
                                            : "an event whose key must be loaded (likewise)",
           (double)spent / keys);
}

static int64_t epoch(struct feeder *f, struct record_store *store)
{
    int64_t start = bench_clock();
    engine_epoch_close(f->engine, &store->writer);
    int64_t closed = bench_clock();
    while (!engine_epoch_slice(f->engine, 1 << 20))
        ;
    int64_t end = bench_clock();
    printf("    %-50s %8.0f ns in all\n", "the barrier", (double)(closed - start));
    record_store_commit(store);
    engine_epoch_durable(f->engine);
    return end - closed;
}

int main(int argc, char **argv)
{
    uint32_t keys = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 300000;
    struct feeder f;
    struct record_store store;
    static const struct engine_clock none = ENGINE_CLOCK_NONE;

    bench_check_build();
    record_store_init(&store);
    feeder_init(&f, rule);
    record_store_open(&store, f.engine, f.prog, &none);
    open_runs(&f, keys, true);
    printf("    %-50s %8.0f ns\n", "encoding a key, and a copy of the record",
           (double)epoch(&f, &store) / keys);
    printf("    %-50s %8.0f B\n", "its record", (double)store.put_bytes / keys);
    printf("    %-50s %8.0f B\n", "a key in memory, records' own",
           (double)sizeof(struct part_record));
    uint64_t before = engine_memory(f.engine);
    int64_t start = bench_clock();
    engine_evict(f.engine, 0);
    print("letting a key go", start, keys);
    printf("    %-50s %8.0f B, was %.0f B\n", "a key that is in the store alone",
           (double)engine_memory(f.engine) / keys, (double)before / keys);
    open_runs(&f, keys, false);
    int64_t again = epoch(&f, &store);
    printf("    %-50s %8.0f ns\n", "encoding a key with two runs", (double)again / keys);
    struct engine_clock clock = engine_clock_get(f.engine);
    engine_free(&f.engine);
    f.engine = engine_new(f.prog);
    start = bench_clock();
    if (record_store_open(&store, f.engine, f.prog, &clock) != NULL)
        bench_die("it cannot be restored");
    print("restoring a key's place", start, keys);
    start = bench_clock();
    feeder_pass(&f, 7200 * BENCH_SECOND);
    print("loading a key because it is due, and its end", start, keys);
    if (feeder_stats(&f).runs != 0 || engine_broken(f.engine) != NULL)
        bench_die("runs are left");
    feeder_fini(&f);
    record_store_fini(&store);
    return 0;
}
