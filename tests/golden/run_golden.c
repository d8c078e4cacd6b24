/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run_golden - whole rules against events: each case of a .t file (README.md) is run in every way
 * that must not matter, and must give the alerts that it names.
 *
 *   run_golden [-qw] [-n TEXT] [FILE.t ...]   without files: all of $top_srcdir/tests/golden/cases
 *                                             -w: only that all ways agree, whatever the case names
 *
 * The ways: plainly; without the passes that only make things faster; with a snapshot, restored into
 * a new engine, after every event and every advance; with records (engine/record.h), written after every
 * event, all keys let go, and now and then another engine from the store; with records that are written
 * behind: the engine goes on while an epoch is closing, which ends within the next advance or behind the next
 * event; with the events arriving out of order, so that the frontier goes other steps. The alerts of all ways
 * must be the same, byte by byte.
 *
 * A case in which an event is late (`--- events lateness D`, and its time is more than D before the
 * greatest before it) arrives as it is written in every way: there the order of arrival matters.
 */
#include <golden/case_file.h>
#include <golden/judge.h>
#include <unit/record_store.h>

#include "base/buf.h"
#include "base/diag.h"
#include "engine/alert.h"
#include "engine/engine.h"
#include "engine/probe.h"
#include "event/event.h"
#include "event/json_decode.h"
#include "flow/order.h"
#include "plan/program.h"

#include <glob.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_LINE = 1 << 20, N_SHUFFLES = 4, N_WAYS = 7 };
static const int64_t second = 1000000000;

struct way {
    const char *name;
    bool no_opt;
    bool snapshot;
    bool records;
    bool behind;   /* records: an epoch is closed at one event and written at the next */
    uint64_t seed; /* of the arrival; 0: in order, one advance before each event */
    int64_t lateness;
};

/* One case being run. */
struct run {
    const struct golden_case *gc;
    struct program *prog;
    struct origin *origin;  /* one for each event */
    struct event **kept;    /* as written */
    const struct way *way;
    struct engine *engine;
    struct record_store store;
    size_t n_renewed;
    bool closing;           /* an epoch */
    struct alert_list *out;
};

/* What is to be seen if the engine aborts. */
static const struct golden_case *current;
static bool ways_alone; /* -w */
static const char *current_way = "compile";

static void say_where(const char *what)
{
    char text[512];
    int len = snprintf(text, sizeof text, "FAIL %s:%zu: %s (%s): %s\n", current ? current->file : "",
                       current ? current->line : 0, current ? current->name : "", current_way, what);

    if (len > 0 && write(STDOUT_FILENO, text, (size_t)len) < 0)
        _exit(2);
}

static void on_signal(int number)
{
    say_where("signal");
    signal(number, SIG_DFL);
    raise(number);
}

/* AddressSanitizer calls it before its report. */
void __asan_on_error(void);
void __asan_on_error(void)
{
    say_where("Sanitizer");
}

static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* ---- compile -------------------------------------------------------------------------------- */

static struct program *compile(const struct golden_case *gc, bool no_opt, struct buf *messages)
{
    struct program_source_text text = {.name = "case.rule", .text = gc->rule ? gc->rule : "",
                                       .len = gc->rule ? strlen(gc->rule) : 0};
    struct program_options options = {.no_opt = no_opt};
    struct diag *diag = diag_new();
    struct program *prog = program_compile(&text, 1, &options, diag);
    const char *why = NULL;

    diag_print(diag, messages);
    diag_free(&diag);
    if (prog && !program_validate(prog, &why)) {
        buf_printf(messages, "the program is not valid: %s\n", why);
        program_unref(&prog);
        prog = NULL;
    }
    return prog;
}

/* ---- run ------------------------------------------------------------------------------------ */

static bool load_events(struct run *run)
{
    const struct golden_case *gc = run->gc;
    struct decoder *decoder = decoder_new(run->prog->schema, MAX_LINE);
    struct probe_scratch *scratch = probe_scratch_new(run->prog);
    const char *why = NULL;
    bool right = true;

    run->origin = calloc(gc->n_events + 1, sizeof *run->origin);
    run->kept = calloc(gc->n_events + 1, sizeof *run->kept);
    for (size_t i = 0; i < gc->n_events && right; i++) {
        const struct case_event *ce = &gc->event[i];
        struct event ev = {0};

        right = decoder_run_copy(decoder, ce->json, ce->json_len, &ev, &why);
        if (!right) {
            printf("FAIL %s:%zu: %s: event #%zu: %s\n", gc->file, gc->line, gc->name, i + 1, why);
            break;
        }
        run->origin[i] = (struct origin){.source = ce->source, .partition = "p",
                                         .source_id = program_source(run->prog, ce->source)};
        ev.time = ce->time;
        ev.origin = &run->origin[i];
        ev.offset = i + 1;
        engine_probe(run->prog, scratch, &ev);
        run->kept[i] = event_keep(&ev);
    }
    probe_scratch_free(&scratch);
    decoder_free(&decoder);
    return right;
}

static void unload_events(struct run *run)
{
    for (size_t i = 0; i < run->gc->n_events; i++)
        event_unref(run->kept[i]);
    free(run->kept);
    free(run->origin);
}

static int by_order(const void *a, const void *b)
{
    return event_order(*(struct event *const *)a, *(struct event *const *)b);
}

static void refused(const struct run *run, const char *why)
{
    printf("FAIL %s:%zu: %s: %s\n", run->gc->file, run->gc->line, run->way->name, why);
    exit(2);
}

static void open_engine(struct run *run, const struct engine_clock *clock)
{
    static const struct engine_clock none = ENGINE_CLOCK_NONE;
    const char *why = NULL;

    run->engine = engine_new(run->prog);
    if (run->way->records)
        why = record_store_open(&run->store, run->engine, run->prog, clock ? clock : &none);
    if (why)
        refused(run, why);
}

/* What is left of the closing epoch is written, and all keys are let go. */
static void end_epoch(struct run *run)
{
    if (engine_broken(run->engine))
        refused(run, engine_broken(run->engine));
    while (!engine_epoch_slice(run->engine, 100))
        ;
    record_store_commit(&run->store);
    engine_epoch_durable(run->engine);
    engine_evict(run->engine, 0);
    run->closing = false;
}

/* "What the store holds is the state." Each third time another engine goes on with it. */
static void renew_records(struct run *run)
{
    struct engine_clock clock;

    run->n_renewed++;
    if (run->closing) {
        end_epoch(run);
        return;
    }
    engine_epoch_close(run->engine, &run->store.writer);
    clock = engine_clock_get(run->engine);
    run->closing = run->way->behind && run->n_renewed % 5 != 0;
    if (run->closing) {
        engine_epoch_slice(run->engine, run->n_renewed % 3);
        return;
    }
    end_epoch(run);
    if (!run->way->behind && run->n_renewed % 3 != 0)
        return;
    engine_free(&run->engine);
    open_engine(run, &clock);
}

/* "Snapshot and restore changes nothing." */
static void renew(struct run *run)
{
    struct buf bytes;
    struct engine *fresh;
    const char *why = "?";

    if (run->way->records)
        renew_records(run);
    if (!run->way->snapshot)
        return;
    buf_init(&bytes);
    engine_snapshot(run->engine, &bytes);
    fresh = engine_new(run->prog);
    if (!engine_restore(fresh, bytes.data, bytes.len, &why))
        refused(run, why);
    engine_free(&run->engine);
    run->engine = fresh;
    buf_fini(&bytes);
}

/* One deadline after the other; keys that none has touched are let go between them. */
static void advance_by_records(struct run *run, int64_t frontier)
{
    for (size_t i = 0; !engine_advance_slice(run->engine, frontier, 1, run->out); i++) {
        if (run->closing && i % 2 == run->n_renewed % 2)
            end_epoch(run);
        engine_evict(run->engine, 0);
    }
}

static void advance(struct run *run, int64_t frontier)
{
    if (run->way->records)
        advance_by_records(run, frontier);
    else
        engine_advance(run->engine, frontier, run->out);
    renew(run);
}

/* The event as a reader gives it: in the decoder's memory until the next. */
static void feed_scratch(struct run *run, struct decoder *decoder, struct probe_scratch *scratch,
                         const struct event *kept, bool is_late)
{
    struct event ev = {0};
    const char *why;

    if (!decoder_run_copy(decoder, kept->raw, kept->raw_len, &ev, &why))
        abort();
    ev.time = kept->time;
    ev.origin = kept->origin;
    ev.offset = kept->offset;
    engine_probe(run->prog, scratch, &ev);
    if (is_late)
        engine_feed_late(run->engine, &ev, run->out);
    else
        engine_feed(run->engine, &ev, run->out);
    renew(run);
}

static void feed_in_order(struct run *run, struct event **sorted)
{
    struct decoder *decoder = decoder_new(run->prog->schema, MAX_LINE);
    struct probe_scratch *scratch = probe_scratch_new(run->prog);

    for (size_t i = 0; i < run->gc->n_events; i++) {
        advance(run, sorted[i]->time);
        feed_scratch(run, decoder, scratch, sorted[i], false);
    }
    probe_scratch_free(&scratch);
    decoder_free(&decoder);
}

/* The number of the first event that is late; n_events: none is. */
static size_t first_late(const struct golden_case *gc)
{
    int64_t seen = INT64_MIN;
    size_t i = 0;

    if (gc->lateness < 0)
        return gc->n_events;
    while (i < gc->n_events && (i == 0 || gc->event[i].time >= seen - gc->lateness)) {
        if (gc->event[i].time > seen)
            seen = gc->event[i].time;
        i++;
    }
    return i;
}

/* What the order stage gives. */
struct ordered {
    struct run *run;
    struct decoder *decoder;
    struct probe_scratch *scratch;
};

static void ordered_event(void *ctx, struct event *ev)
{
    const struct ordered *to = ctx;
    feed_scratch(to->run, to->decoder, to->scratch, ev, false);
}

static void ordered_late(void *ctx, struct event *ev)
{
    const struct ordered *to = ctx;
    feed_scratch(to->run, to->decoder, to->scratch, ev, true);
}

static void ordered_advance(void *ctx, int64_t frontier)
{
    const struct ordered *to = ctx;
    if (frontier < INT64_MAX)
        advance(to->run, frontier);
}

/* Arrival as written, through the order stage: late events have a place of their own. */
static void feed_with_late(struct run *run)
{
    const struct golden_case *gc = run->gc;
    struct ordered to = {run, decoder_new(run->prog->schema, MAX_LINE),
                         probe_scratch_new(run->prog)};
    struct order_options opt = {.max_bytes = UINT64_MAX, .end = INT64_MAX};
    struct order_sink sink = {
        .event = ordered_event, .late = ordered_late, .advance = ordered_advance, .ctx = &to};
    /* order_by: events of several sources are in it, so those of one time wait for each other */
    struct order_partition_options partition = {.lateness = gc->lateness, .order_by = true};
    struct order *o = order_new(&opt, &sink);

    for (size_t i = 0; i < gc->n_events; i++) {
        if (i == 0)
            order_partition(o, run->kept[0]->origin, &partition);
        order_add(o, 0, run->kept[i], 0, 0, probe_wants_late(run->prog, run->kept[i]));
    }
    if (gc->n_events > 0)
        order_end(o, 0);
    order_free(&o);
    probe_scratch_free(&to.scratch);
    decoder_free(&to.decoder);
}

struct arrival {
    int64_t at;
    size_t event;
};

static int by_arrival(const void *a, const void *b)
{
    const struct arrival *one = a, *two = b;

    if (one->at != two->at)
        return one->at < two->at ? -1 : 1;
    return one->event < two->event ? -1 : 1;
}

/* Each event arrives up to `lateness` after its time, so none is late; it is fed, as the order stage
 * does it, when the greatest time seen less the lateness has left its time behind. */
static void feed_as_it_arrives(struct run *run, struct event **sorted)
{
    size_t n = run->gc->n_events, fed = 0;
    struct arrival *arrival = calloc(n + 1, sizeof *arrival);
    int64_t seen = INT64_MIN;
    uint64_t state = run->way->seed;

    for (size_t i = 0; i < n; i++) {
        uint64_t late = next_random(&state) % ((uint64_t)run->way->lateness + 1);

        arrival[i] = (struct arrival){run->kept[i]->time + (int64_t)late, i};
    }
    qsort(arrival, n, sizeof *arrival, by_arrival);
    for (size_t i = 0; i < n; i++) {
        int64_t frontier;

        if (run->kept[arrival[i].event]->time > seen)
            seen = run->kept[arrival[i].event]->time;
        frontier = seen - run->way->lateness;
        for (; fed < n && sorted[fed]->time < frontier; fed++) {
            engine_feed(run->engine, sorted[fed], run->out);
            renew(run);
        }
        advance(run, frontier);
    }
    for (; fed < n; fed++) {
        engine_feed(run->engine, sorted[fed], run->out);
        renew(run);
    }
    free(arrival);
}

static bool run_way(const struct golden_case *gc, struct program *prog, const struct way *way,
                    struct alert_list *out)
{
    struct run run = {.gc = gc, .prog = prog, .way = way, .out = out};
    struct event **sorted;
    bool right;

    current_way = way->name;
    right = load_events(&run);
    if (right) {
        sorted = calloc(gc->n_events + 1, sizeof *sorted);
        memcpy(sorted, run.kept, gc->n_events * sizeof *sorted);
        qsort(sorted, gc->n_events, sizeof *sorted, by_order);
        record_store_init(&run.store);
        run.store.small = true;
        open_engine(&run, NULL);
        renew(&run);
        if (first_late(gc) < gc->n_events)
            feed_with_late(&run);
        else if (way->seed)
            feed_as_it_arrives(&run, sorted);
        else
            feed_in_order(&run, sorted);
        advance(&run, INT64_MAX);
        engine_free(&run.engine);
        record_store_fini(&run.store);
        free(sorted);
        right = first_late(gc) < gc->n_events || judge_order(gc, way->name, out);
        alert_list_sort(out, 0, prog);
    }
    unload_events(&run);
    return right;
}

/* ---- cases ---------------------------------------------------------------------------------- */

/* All ways but the plain one. */
static bool run_other_ways(const struct golden_case *gc, struct program *prog, struct program *no_opt,
                           const struct alert_list *plain)
{
    static const int64_t lateness[N_SHUFFLES] = {1, 3, 20, 3600};
    struct way ways[N_WAYS + N_SHUFFLES] = {
        {.name = "no_opt", .no_opt = true},
        {.name = "snapshot", .snapshot = true},
        {.name = "no_opt, snapshot", .no_opt = true, .snapshot = true},
        {.name = "records", .records = true},
        {.name = "no_opt, records", .no_opt = true, .records = true},
        {.name = "records, behind", .records = true, .behind = true},
        {.name = "no_opt, records, behind", .no_opt = true, .records = true, .behind = true},
    };
    bool right = true;

    for (size_t i = 0; i < N_SHUFFLES; i++) {
        ways[N_WAYS + i] = (struct way){.name = "out of order", .seed = i + 1, .no_opt = i == 2,
                                   .snapshot = i == 1, .records = i >= 2, .behind = i == 3,
                                   .lateness = gc->lateness >= 0 ? gc->lateness : lateness[i] * second};
    }
    for (size_t i = 0; i < sizeof ways / sizeof *ways && right; i++) {
        struct alert_list found;

        alert_list_init(&found);
        right = run_way(gc, ways[i].no_opt ? no_opt : prog, &ways[i], &found) &&
                judge_same(gc, ways[i].name, plain, &found);
        alert_list_fini(&found);
    }
    return right;
}

static bool run_programs(const struct golden_case *gc, struct program *prog, struct program *no_opt)
{
    static const struct way plainly = {.name = "plain"};
    struct alert_list plain;
    bool right;

    alert_list_init(&plain);
    right = run_way(gc, prog, &plainly, &plain) && (ways_alone || judge_alerts(gc, &plain, prog)) &&
            run_other_ways(gc, prog, no_opt, &plain);
    alert_list_fini(&plain);
    return right;
}

static bool run_case(const struct golden_case *gc)
{
    struct buf messages;
    struct program *prog, *no_opt = NULL;
    bool right = false;

    current = gc;
    current_way = "compile";
    buf_init(&messages);
    prog = compile(gc, false, &messages);
    if (gc->wants != WANTS_ALERTS) {
        right = judge_error(gc, prog, messages.data);
    } else {
        if (prog)
            no_opt = compile(gc, true, &messages);
        if (no_opt)
            right = run_programs(gc, prog, no_opt);
        else
            printf("FAIL %s:%zu: %s: it does not compile\n%s\n", gc->file, gc->line, gc->name,
                   messages.data ? messages.data : "");
    }
    if (prog)
        program_unref(&prog);
    if (no_opt)
        program_unref(&no_opt);
    buf_fini(&messages);
    return right;
}

static void run_file(const char *path, const char *only, bool quiet, size_t *passed, size_t *failed)
{
    struct case_file file;

    case_file_read(&file, path);
    for (size_t i = 0; i < file.n; i++) {
        if (only && !strstr(file.cases[i].name, only))
            continue;
        if (!run_case(&file.cases[i])) {
            (*failed)++;
        } else {
            (*passed)++;
            if (!quiet)
                printf("ok   %s\n", file.cases[i].name);
        }
        fflush(stdout);
    }
    case_file_fini(&file);
}

int main(int argc, char **argv)
{
    const char *only = NULL, *top = getenv("top_srcdir");
    size_t passed = 0, failed = 0;
    bool quiet = false;
    char pattern[4096];
    glob_t found = {0};
    int option;

    while ((option = getopt(argc, argv, "qwn:")) != -1) {
        if (option == 'q')
            quiet = true;
        else if (option == 'w')
            ways_alone = true;
        else if (option == 'n')
            only = optarg;
        else
            return 2;
    }
    signal(SIGABRT, on_signal);
    signal(SIGSEGV, on_signal);
    for (int i = optind; i < argc; i++)
        run_file(argv[i], only, quiet, &passed, &failed);
    if (optind == argc) {
        snprintf(pattern, sizeof pattern, "%s/tests/golden/cases/*.t", top ? top : ".");
        if (glob(pattern, 0, NULL, &found) == 0) {
            for (size_t i = 0; i < found.gl_pathc; i++)
                run_file(found.gl_pathv[i], only, quiet, &passed, &failed);
        }
        globfree(&found);
    }
    printf("%zu passed, %zu failed\n", passed, failed);
    return failed || !passed ? 1 : 0;
}
