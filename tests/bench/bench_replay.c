// SPDX-License-Identifier: Apache-2.0
/*
 * Replay against a bare simdjson loop, over the same lines.
 *
 *   bench_replay RULES EVENTS [ROUNDS]     a row a stage, and the ratio to the bare loop
 *   bench_replay --replay RULES EVENTS [ROUNDS]   the replay alone (for profiles)
 *
 * The bare loop has the lines in memory; the replay is that of `tocsin replay --lateness 0s --time
 * ts`, it reads the file itself and writes alerts to /dev/null. The stages in between are the same
 * functions one after the other, each with all that come before it.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include <bench/bench.h>
#include "event/json_decode.h"
#include "event/schema.h"
#include "flow/replay.h"
#include "flow/time_field.h"
#include "plan/program.h"

enum stage { BARE_KEY, BARE_WALK, DECODE, PROBE, ENGINE, REPLAY, N_STAGES };

static const char *const stage_name[N_STAGES] = {
    "bare simdjson, object[key]", "bare simdjson, one walk",        "decode + time",
    "decode + time + probe",      "decode + time + probe + engine", "tocsin replay"};

struct bench {
    struct program *prog;
    struct time_specs times;
    const char *path;
    struct buf text;
    size_t lines; /* 0: not counted */
    uint64_t alerts;
};

static void read_file(const char *path, struct buf *out)
{
    FILE *f = fopen(path, "r");
    size_t n;

    buf_init(out);
    if (!f)
        bench_die("%s: cannot open", path);
    do {
        buf_reserve(out, 1 << 20);
        n = fread(out->data + out->len, 1, 1 << 20, f);
        out->len += n;
    } while (n);
    fclose(f);
    buf_reserve(out, 256);
    memset(out->data + out->len, 0, 256);
}

static void load(struct bench *b)
{
    read_file(b->path, &b->text);
    for (size_t i = 0; i < b->text.len; i++)
        b->lines += b->text.data[i] == '\n';
}

/* ---- the stages --------------------------------------------------------------------------------
 */

static void run_stages(struct bench *b, enum stage upto)
{
    struct origin origin = {
        .source = "events", .partition = "bench", .source_id = program_source(b->prog, "events")};
    struct decoder *decoder = decoder_new(b->prog->schema, 1 << 20);
    struct probe_scratch *probe = probe_scratch_new(b->prog);
    struct engine *engine = engine_new(b->prog);
    struct alert_list alerts;
    struct time_spec time;
    const char *text = b->text.data, *end = text + b->text.len, *why;
    size_t n = 0;

    alert_list_init(&alerts);
    time_spec_bind(&b->times, "events", b->prog->schema, &time);
    for (const char *eol; text < end; text = eol + 1) {
        struct event ev = {.origin = &origin, .offset = (uint64_t)(text - b->text.data)};
        eol = memchr(text, '\n', (size_t)(end - text));
        if (!decoder_run(decoder, text, (size_t)(eol - text), &ev, &why) ||
            time_spec_read(&time, &ev) != TIME_FOUND)
            continue;
        n++;
        if (upto >= PROBE)
            engine_probe(b->prog, probe, &ev);
        if (upto >= ENGINE)
            engine_feed(engine, &ev, &alerts);
        alert_list_clear(&alerts);
    }
    if (n != b->lines)
        bench_die("%zu of %zu lines were read", n, b->lines);
    alert_list_fini(&alerts);
    engine_free(&engine);
    probe_scratch_free(&probe);
    decoder_free(&decoder);
}

static void run_replay(struct bench *b)
{
    struct replay_path path = {.source = "events", .path = b->path, .max_line = 1 << 24};
    int fd = open("/dev/null", O_WRONLY);
    struct replay_options opt = {.path = &path,
                                 .n_paths = 1,
                                 .times = &b->times,
                                 .max_bytes = UINT64_C(1) << 32,
                                 .out_fd = fd};
    struct buf why;

    buf_init(&why);
    struct replay *r = replay_new(b->prog, &opt, &why);
    if (!r || !replay_run(r, &why))
        bench_die("replay: %.*s", (int)why.len, why.data);
    b->alerts = 0;
    for (uint32_t i = 0; i < b->prog->n_rules; i++)
        b->alerts += replay_alerts(r, i);
    if (b->lines && replay_inputs(r)->source[0].events != b->lines)
        bench_die("the replay read %llu lines",
                  (unsigned long long)replay_inputs(r)->source[0].events);
    replay_free(&r);
    buf_fini(&why);
    close(fd);
}

static void run(struct bench *b, enum stage stage)
{
    if (stage == REPLAY)
        run_replay(b);
    else if (stage >= DECODE)
        run_stages(b, stage);
    else if (bare_loop(b->text.data, b->text.len, stage == BARE_WALK) != b->lines)
        bench_die("the bare loop does not find the fields in all lines");
}

/* ---- the table ---------------------------------------------------------------------------------
 */

static void compare(struct bench *b, int rounds)
{
    double best[N_STAGES];

    for (int round = 0; round < rounds; round++)
        for (int i = 0; i < N_STAGES; i++) {
            int64_t start = bench_clock();
            run(b, i);
            double ns = (double)(bench_clock() - start) / (double)b->lines;
            best[i] = round && best[i] < ns ? best[i] : ns;
        }

    double bare = best[BARE_KEY] < best[BARE_WALK] ? best[BARE_KEY] : best[BARE_WALK];
    printf("%zu events of %.0f bytes, %u rules, %.2f alerts in 1,000 events, best of %d rounds\n",
           b->lines, (double)b->text.len / (double)b->lines, b->prog->n_rules,
           1000.0 * (double)b->alerts / (double)b->lines, rounds);
    printf("    %-32s %9s %10s %9s %12s\n", "", "ns/event", "events/s", "MB/s", "of the bare");
    for (int i = 0; i < N_STAGES; i++)
        printf("    %-32s %9.0f %10.0f %9.0f %11.0f%%\n", stage_name[i], best[i], 1e9 / best[i],
               1e3 * (double)b->text.len / (double)b->lines / best[i], 100 * bare / best[i]);
    printf("RATIO replay, %.0f B: events/s of the bare loop | %.0f%%\n",
           (double)b->text.len / (double)b->lines, 100 * bare / best[REPLAY]);
}

int main(int argc, char **argv)
{
    bool alone = argc > 1 && strcmp(argv[1], "--replay") == 0;
    struct bench b = {0};
    struct buf rules, why;

    bench_check_build();
    argv += alone;
    argc -= alone;
    if (argc < 3)
        bench_die("usage: bench_replay [--replay] RULES EVENTS [ROUNDS]");
    int rounds = argc > 3 ? (int)strtol(argv[3], NULL, 10) : 1;
    buf_init(&why);
    time_specs_init(&b.times);
    if (!time_specs_add(&b.times, "ts", &why))
        bench_die("--time ts: %.*s", (int)why.len, why.data);
    read_file(argv[1], &rules);
    b.prog = bench_compile(argv[1], rules.data);
    b.path = argv[2];
    if (!alone)
        load(&b);
    for (int i = 0; alone && i < rounds; i++)
        run_replay(&b);
    if (!alone)
        compare(&b, rounds);
    buf_fini(&b.text);
    buf_fini(&rules);
    buf_fini(&why);
    time_specs_fini(&b.times);
    program_unref(&b.prog);
    return 0;
}
