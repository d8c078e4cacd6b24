// SPDX-License-Identifier: Apache-2.0
/* bench - see bench.h. */
#include <bench/bench.h>

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/diag.h"
#include "event/json_decode.h"
#include "plan/program.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define WITH_SANITIZER 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define WITH_SANITIZER 1
#endif

void bench_die(const char *fmt, ...)
{
    va_list args;

    fflush(stdout);
    fputs("bench: ", stderr);
    va_start(args, fmt);
    vfprintf(stderr, fmt, args);
    va_end(args);
    fputc('\n', stderr);
    exit(1);
}

void bench_check_build(void)
{
#ifdef WITH_SANITIZER
    bench_die("this build has sanitizers, so its times mean nothing: configure one without");
#elif !defined(__OPTIMIZE__)
    fputs("bench: warning: this build is not optimised, configure one with CFLAGS=-O2 "
          "CXXFLAGS=-O2\n",
          stderr);
#endif
}

int64_t bench_clock(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return t.tv_sec * BENCH_SECOND + t.tv_nsec;
}

uint64_t bench_rss(void)
{
    FILE *f = fopen("/proc/self/statm", "r");
    uint64_t size, resident;

    if (!f || fscanf(f, "%" SCNu64 " %" SCNu64, &size, &resident) != 2)
        bench_die("cannot read /proc/self/statm");
    fclose(f);
    return resident * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* A Weyl sequence, each step of it mixed (splitmix64). */
uint64_t bench_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

struct program *bench_compile(const char *name, const char *text)
{
    struct program_source_text source = {.name = name, .text = text, .len = strlen(text)};
    static const char *const extra[] = {"ts"};
    struct program_options opt = {.extra_path = extra, .n_extra_paths = 1};
    struct diag *diag = diag_new();
    struct program *prog = program_compile(&source, 1, &opt, diag);
    struct buf why;

    if (!prog) {
        buf_init(&why);
        diag_print(diag, &why);
        bench_die("%s does not compile\n%.*s", name, (int)why.len, why.data);
    }
    diag_free(&diag);
    return prog;
}

/* ---- made-up events ----------------------------------------------------------------------------
 */

static const char *const words[] = {"session", "opened",         "for",       "worker",  "with",
                                    "token",   "expired",        "retry",     "after",   "lease",
                                    "of",      "volume",         "was",       "renewed", "by",
                                    "gateway", "\\\"quoted\\\"", "caf\u00e9", "quota",   "checked"};

static uint32_t below(uint64_t *random, uint32_t n)
{
    return (uint32_t)(bench_random(random) % n);
}

static void add_words(struct buf *out, uint64_t *random, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        buf_printf(out, "%s%s", i ? " " : "", words[below(random, sizeof words / sizeof *words)]);
}

/* A member of about 110 bytes. */
static void add_filling(struct buf *out, uint64_t *random, uint32_t number)
{
    switch (below(random, 4)) {
    case 0:
        buf_printf(out,
                   "\"process_%u\":{\"pid\":%u,\"name\":\"svc-%u\",\"cpu\":%u.%02u,\"args\":[\"--"
                   "id\",\"%u\","
                   "\"-v\"],\"parent\":{\"pid\":%u}},",
                   number, below(random, 32768), below(random, 500), below(random, 100),
                   below(random, 100), below(random, 1000000), below(random, 32768));
        break;
    case 1:
        buf_printf(
            out,
            "\"labels_%u\":{\"env\":\"%s\",\"team\":\"t%u\",\"ready\":%s,\"note\":null,\"path\":"
            "\"/srv/data/%u/part-%u\"},",
            number, below(random, 2) ? "prod" : "test", below(random, 40),
            below(random, 2) ? "true" : "false", below(random, 1000), below(random, 1000));
        break;
    case 2:
        buf_printf(out, "\"message_%u\":\"", number);
        add_words(out, random, 14);
        buf_adds(out, "\",");
        break;
    default:
        buf_printf(
            out, "\"count_%u\":%u,\"ratio_%u\":0.%05u,\"id_%u\":\"%08x-%04x-%04x\",\"seen_%u\":%u,",
            number, below(random, 100000), number, below(random, 100000), number,
            below(random, UINT32_MAX), below(random, 65536), below(random, 65536), number,
            below(random, 2000000000));
        break;
    }
}

static void add_time(struct buf *out, int64_t ms)
{
    time_t seconds = (time_t)(BENCH_START / BENCH_SECOND + ms / 1000);
    struct tm t;
    char text[32];

    gmtime_r(&seconds, &t);
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &t);
    buf_printf(out, "%s.%03dZ", text, (int)(ms % 1000));
}

void bench_event_text(struct buf *out, uint64_t *random, size_t size, int64_t ms, const char *kind,
                      uint32_t key)
{
    size_t start = out->len;
    uint32_t number = 0;

    buf_adds(out, "{\"ts\":\"");
    add_time(out, ms);
    buf_printf(out, "\",\"host\":\"web-%u.example\",", below(random, 200));
    while (out->len - start + 300 < size / 2)
        add_filling(out, random, number++);
    buf_printf(out,
               "\"ev\":\"%s\",\"k\":\"u%06u\",\"net\":{\"src\":\"10.%u.%u.%u\",\"port\":%u,"
               "\"zone\":\"z%u\"},",
               kind, key, below(random, 256), below(random, 256), below(random, 256),
               below(random, 30), below(random, 30));
    while (out->len - start + 150 < size)
        add_filling(out, random, number++);
    buf_printf(out, "\"bytes\":%u,\"ok\":%s,\"text\":\"", below(random, 65536),
               below(random, 2) ? "true" : "false");
    add_words(out, random, 2);
    while (out->len - start + 12 < size)
        buf_printf(out, " %s", words[below(random, sizeof words / sizeof *words)]);
    buf_adds(out, "\"}");
}

/* ---- feeding -----------------------------------------------------------------------------------
 */

void feeder_init(struct feeder *f, const char *rules)
{
    memset(f, 0, sizeof *f);
    f->prog = bench_compile("bench.rule", rules);
    f->engine = engine_new(f->prog);
    f->decoder = decoder_new(f->prog->schema, 1 << 20);
    f->probe = probe_scratch_new(f->prog);
    f->origin = (struct origin){
        .source = "s", .partition = "bench", .source_id = program_source(f->prog, "s")};
    alert_list_init(&f->alerts);
    f->now = BENCH_START;
}

void feeder_fini(struct feeder *f)
{
    alert_list_fini(&f->alerts);
    engine_free(&f->engine);
    probe_scratch_free(&f->probe);
    decoder_free(&f->decoder);
    program_unref(&f->prog);
}

struct event *feeder_event(struct feeder *f, const char *json)
{
    struct event ev = {.origin = &f->origin};
    const char *why;

    if (!decoder_run_copy(f->decoder, json, strlen(json), &ev, &why))
        bench_die("%s: %s", why, json);
    return event_keep(&ev);
}

void feeder_feed(struct feeder *f, const struct event *ev)
{
    struct event scratch = *ev;

    scratch.refs = 0;
    scratch.time = f->now += 1000;
    scratch.offset = f->offset++;
    engine_probe(f->prog, f->probe, &scratch);
    engine_feed(f->engine, &scratch, &f->alerts);
    if (f->alerts.n) {
        f->told += f->alerts.n;
        alert_list_clear(&f->alerts);
    }
}

void feeder_pass(struct feeder *f, int64_t ns)
{
    f->now += ns;
    engine_advance(f->engine, f->now, &f->alerts);
    f->told += f->alerts.n;
    alert_list_clear(&f->alerts);
}

struct engine_rule_stats feeder_stats(const struct feeder *f)
{
    struct engine_rule_stats stats;

    engine_stats(f->engine, 0, &stats);
    return stats;
}
