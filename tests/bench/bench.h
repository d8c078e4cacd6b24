// SPDX-License-Identifier: Apache-2.0
/*
 * bench - what the benchmarks share: a clock, a seeded generator, events made up from it, an engine
 * with what feeds it.
 *
 * Times are CPU times of the process, so that what else the machine does counts little. Nothing is
 * judged: a benchmark prints figures of one run beside each other, and their ratios.
 */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/alert.h"
#include "engine/engine.h"
#include "event/event.h"

#ifdef __cplusplus
extern "C" {
#endif

struct buf;
struct decoder;
struct program;

#define BENCH_SECOND INT64_C(1000000000)
#define BENCH_START  (INT64_C(1803859200) * BENCH_SECOND) /* 2027-03-01T00:00:00Z */

/* Exits if the build has sanitizers; warns if it is not optimised. */
void bench_check_build(void);
int64_t bench_clock(void);              /* ns of CPU, user and system */
uint64_t bench_rss(void);               /* bytes of memory that are resident */
uint64_t bench_random(uint64_t *state); /* any seed will do */
void bench_die(const char *fmt, ...) __attribute__((format(printf, 1, 2), noreturn));

/* Compiles a text of rules; their faults end the program. */
struct program *bench_compile(const char *name, const char *text);

/*
 * A made-up event of about `size` bytes (at least 230), time BENCH_START + ms; no line end. What
 * rules may read, among filling that grows with the size:
 *   {"ts":"2027-...Z","ev":KIND,"k":"u000017","net":{"port":0..29,"zone":"z0".."z29",...},...}
 */
void bench_event_text(struct buf *out, uint64_t *random, size_t size, int64_t ms, const char *kind,
                      uint32_t key);

/* ---- an engine and what it takes to feed it ----------------------------------------------------
 */

struct feeder {
    struct program *prog;
    struct engine *engine;
    struct decoder *decoder;
    struct probe_scratch *probe;
    struct origin origin;
    struct alert_list alerts;
    int64_t now; /* event time of the next event; goes up by 1 us each */
    uint64_t offset;
    uint64_t told; /* alerts */
};

/* The events come from the source `s`. */
void feeder_init(struct feeder *f, const char *rules);
void feeder_fini(struct feeder *f);
/* JSON to an event that can be fed any number of times; event_unref it. */
struct event *feeder_event(struct feeder *f, const char *json);
/* Probes and feeds it, as if it were just decoded, at the next time. */
void feeder_feed(struct feeder *f, const struct event *ev);
/* Nothing comes for so long. */
void feeder_pass(struct feeder *f, int64_t ns);
struct engine_rule_stats feeder_stats(const struct feeder *f); /* of rule 0 */

/* ---- the bare loop
 * ------------------------------------------------------------------------------- */

/* Parses each line of text[0..len) (padding readable behind it) with simdjson's DOM parser and
 * reads ts, ev, k, net.port, net.zone: by object[key], or by walking the object once. Returns how
 * many lines had all of them. */
size_t bare_loop(const char *text, size_t len, bool by_walk);
size_t bare_padding(void);

#ifdef __cplusplus
}
#endif
#endif
