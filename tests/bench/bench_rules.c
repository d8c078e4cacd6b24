// SPDX-License-Identifier: Apache-2.0
/*
 * What does it cost to know what rules cost (engine/piece_timer.h)?
 *
 *   bench_rules [SECONDS]    CPU time of each row (default 1)
 *
 * One engine is fed the same events in short turns, with and without a clock: probing and feeding are timed.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include <bench/bench.h>
#include "engine/piece_timer.h"
#include "engine/probe.h"
#include "flow/rule_clock.h"

enum { EVENTS = 4096 };

struct row {
    uint32_t rules;
    uint32_t keys;
    const char *rest; /* of each rule's first step */
    const char *what;
};

static const struct row rows[] = {
    {1, 2000, "", "1 rule, each event is offered"},
    {1, 2000, "and net.port < 3", "1 rule, one event in ten fits"},
    {1000, 50, "", "1000 rules, each event is offered to all"},
    {1000, 50, "and net.port < 3", "1000 rules, of one event in ten"},
};

static void init(struct feeder *f, const struct row *row)
{
    struct buf text;

    buf_init(&text);
    for (uint32_t i = 0; i < row->rules; i++)
        buf_printf(&text,
                   "rule r%u { match by k within 2ms { a: s where ev == \"a\" %s  b: s where ev == \"b\" and "
                   "net.port > %u } }\n",
                   i, row->rest, 29 - i % 3);
    buf_addc(&text, '\0');
    feeder_init(f, text.data);
    buf_fini(&text);
}

static int64_t feed_some(struct feeder *f, struct event *const *ev, size_t n)
{
    int64_t begin = bench_clock();

    for (size_t i = 0; i < n; i++)
        feeder_feed(f, ev[i]);
    return bench_clock() - begin;
}

static void run_row(const struct row *row, double seconds)
{
    struct event *ev[EVENTS];
    struct rule_clock clock;
    struct feeder f;
    struct buf text;
    uint64_t random = 5, n[2] = {0};
    int64_t ns[2] = {0};
    size_t turn = row->rules > 1 ? 64 : EVENTS / 2, at = 0;

    init(&f, row);
    rule_clock_init(&clock);
    buf_init(&text);
    for (size_t i = 0; i < EVENTS; i++) {
        buf_clear(&text);
        bench_event_text(&text, &random, 300, 0, i % 2 ? "b" : "a", (uint32_t)(bench_random(&random) % row->keys));
        buf_addc(&text, '\0');
        ev[i] = feeder_event(&f, text.data);
    }
    for (uint64_t k = 0; (double)(ns[0] + ns[1]) < seconds * 1e9 || k < 200; k++) {
        bool timed = (k ^ k / (EVENTS / turn)) & 1; /* each event is in both, and each is first as often */
        engine_time(f.engine, timed ? &clock.piece : NULL);
        probe_time(f.probe, timed ? &clock.piece : NULL);
        ns[timed] += feed_some(&f, ev + at, turn);
        n[timed] += turn;
        at = (at + turn) % EVENTS;
    }
    double without = (double)ns[0] / (double)n[0], with = (double)ns[1] / (double)n[1];
    printf("%-44s %10.1f %10.1f ns an event %+7.2f %%\n", row->what, without, with, (with / without - 1) * 100);
    printf("RATIO %s, with times / without: %.3f\n", row->what, with / without);
    for (size_t i = 0; i < EVENTS; i++)
        event_unref(ev[i]);
    buf_fini(&text);
    feeder_fini(&f);
}

int main(int argc, char **argv)
{
    double seconds = argc > 1 ? strtod(argv[1], NULL) : 1;

    bench_check_build();
    printf("%-44s %10s %10s\n", "", "without", "with");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        run_row(&rows[i], seconds > 0 ? seconds : 1);
    return 0;
}
