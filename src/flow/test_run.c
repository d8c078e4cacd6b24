// SPDX-License-Identifier: Apache-2.0
#include "flow/test_run.h"

#include <inttypes.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "engine/engine.h"
#include "engine/probe.h"
#include "event/event.h"
#include "event/json_decode.h"
#include "event/time_format.h"
#include "flow/order.h"
#include "flow/test_run_priv.h"
#include "plan/program.h"

enum { MAX_TEST_BYTES = 1 << 30 }; /* of events that wait */

struct run {
    struct test_outcome *outcome;
    struct engine *engine;
    struct probe_scratch *probe;
    struct decoder *decoder;
    struct order *order;
    struct alert_list alerts;   /* of all rules */
    struct origin *origin;      /* [n_origins]: of each source that the test names */
    uint32_t n_origins;
};

/* The time of an offset; the end of time if that is earlier. */
static int64_t time_at(const struct test_outcome *outcome, int64_t offset)
{
    int64_t time;
    return __builtin_add_overflow(outcome->start, offset, &time) ? INT64_MAX : time;
}

/* ---- what the order stage gives -------------------------------------------------------------- */

static void feed(void *ctx, struct event *ev)
{
    struct run *run = ctx;
    engine_feed(run->engine, ev, &run->alerts);
}

static void feed_late(void *ctx, struct event *ev)
{
    struct run *run = ctx;
    engine_feed_late(run->engine, ev, &run->alerts);
}

static void advance(void *ctx, int64_t frontier)
{
    struct run *run = ctx;
    engine_advance(run->engine, frontier, &run->alerts);
}

/* ---- the run --------------------------------------------------------------------------------- */

static const struct program_test_item *find_item(const struct program_test *test,
                                                 enum program_test_kind kind)
{
    for (uint32_t i = 0; i < test->n_items; i++)
        if (test->item[i].kind == kind)
            return &test->item[i];
    return NULL;
}

static uint32_t origin_number(struct run *run, uint32_t source)
{
    uint32_t i = 0;

    while (i < run->n_origins && run->origin[i].source_id != source)
        i++;
    return i;
}

static void add_partitions(struct run *run, const struct program_test *test)
{
    const struct program_test_item *lateness = find_item(test, TEST_LATENESS);
    struct order_partition_options opt = {.lateness = lateness ? lateness->offset : 0};

    run->origin = mem_calloc(test->n_items + 1, sizeof *run->origin);
    for (uint32_t i = 0; i < test->n_items; i++) {
        uint32_t source = test->item[i].source;
        if (test->item[i].kind != TEST_EVENT || origin_number(run, source) < run->n_origins)
            continue;
        run->origin[run->n_origins++] = (struct origin){
            .source = test_stream_name(run->outcome, source),
            .partition = "test",
            .source_id = source};
    }
    for (uint32_t i = 0; i < run->n_origins; i++)
        order_partition(run->order, &run->origin[i], &opt);
}

static void start_run(struct run *run, struct program *prog, const struct program_test *test)
{
    const struct program_test_item *until = find_item(test, TEST_UNTIL);
    struct order_options opt = {
        .max_bytes = MAX_TEST_BYTES,
        .end = until ? time_at(run->outcome, until->offset) : INT64_MAX,
    };
    struct order_sink sink = {
        .event = feed, .late = feed_late, .advance = advance, .ctx = run};
    size_t longest = 1024;

    for (uint32_t i = 0; i < test->n_items; i++)
        if (test->item[i].json_len > longest)
            longest = test->item[i].json_len;
    run->engine = engine_new(prog);
    engine_tell_also(run->engine, run->outcome->rule);
    run->probe = probe_scratch_new(prog);
    run->decoder = decoder_new(prog->schema, longest);
    run->order = order_new(&opt, &sink);
    alert_list_init(&run->alerts);
    add_partitions(run, test);
}

static void end_run(struct run *run)
{
    order_free(&run->order);
    engine_free(&run->engine);
    probe_scratch_free(&run->probe);
    decoder_free(&run->decoder);
    alert_list_fini(&run->alerts);
    mem_free(run->origin);
}

static enum test_fate fate_of(const struct test_outcome *outcome, const struct event *ev)
{
    const struct program_rule *rule = &outcome->prog->rule[outcome->rule];
    enum test_fate fate = TEST_FITS_NOTHING;

    for (uint32_t i = 0; i < ev->n_fits; i++) {
        if (outcome->prog->probe[ev->fits[i]].kind != PROBE_STEP)
            continue;
        if (ev->fits[i] >= rule->first_probe && ev->fits[i] - rule->first_probe < rule->n_probes)
            return TEST_FITS;
        fate = TEST_FITS_ANOTHER;
    }
    return fate;
}

/* Gives event number i of the test to the order stage; false if the test itself is wrong. */
static bool add_event(struct run *run, uint32_t i, struct buf *why)
{
    struct test_outcome *outcome = run->outcome;
    const struct program_test_item *item = &outcome->test->item[i];
    uint32_t partition = origin_number(run, item->source);
    struct event ev = {.time = time_at(outcome, item->offset),
                       .origin = &run->origin[partition],
                       .offset = i};
    const char *reason;

    if (!decoder_run_copy(run->decoder, item->json, item->json_len, &ev, &reason)) {
        test_place(why, item);
        buf_printf(why, "the event cannot be read: %s\n", reason);
        return false;
    }
    if (item->stream < outcome->prog->n_streams && /* else no rule reads it */
        !engine_is_member(outcome->prog, run->probe, &ev, item->stream)) {
        test_place(why, item);
        buf_printf(why, "the event does not satisfy the condition of stream %s\n",
                   test_stream_name(outcome, item->stream));
        return false;
    }
    engine_probe(outcome->prog, run->probe, &ev);
    outcome->fate[i] = (uint8_t)fate_of(outcome, &ev);
    switch (order_add(run->order, partition, &ev, 0, 0, probe_wants_late(outcome->prog, &ev))) {
    case ORDER_TAKEN:
        return true;
    case ORDER_LATE:
        outcome->fate[i] = TEST_LATE;
        return true;
    case ORDER_FULL:
    case ORDER_ASIDE: /* live only */
    case ORDER_AGAIN:
        break;
    }
    test_place(why, item);
    buf_adds(why, "the events of the test do not fit in memory\n");
    return false;
}

static bool add_events(struct run *run, struct buf *why)
{
    const struct program_test *test = run->outcome->test;
    const struct program_test_item *until = find_item(test, TEST_UNTIL);

    for (uint32_t i = 0; i < test->n_items; i++) {
        if (test->item[i].kind != TEST_EVENT)
            continue;
        if (until && test->item[i].offset > until->offset) {
            test_place(why, &test->item[i]);
            buf_adds(why, "the event comes after `until`\n");
            return false;
        }
        if (!add_event(run, i, why))
            return false;
    }
    for (uint32_t i = 0; i < run->n_origins; i++)
        order_end(run->order, i);
    if (run->n_origins == 0) /* a test without events: time alone goes on */
        advance(run, until ? time_at(run->outcome, until->offset) : INT64_MAX);
    return true;
}

/* Moves the alerts of the test's rule to the outcome. */
static void pick_alerts(struct run *run)
{
    struct alert_list *from = &run->alerts, *to = &run->outcome->alerts;
    size_t kept = 0;

    alert_list_sort(from, 0, run->outcome->prog);
    to->alert = mem_calloc(from->n + 1, sizeof *to->alert);
    to->cap = from->n + 1;
    for (size_t i = 0; i < from->n; i++) {
        if (from->alert[i].rule == run->outcome->rule)
            to->alert[to->n++] = from->alert[i];
        else
            from->alert[kept++] = from->alert[i];
    }
    from->n = kept;
}

bool test_run(struct program *prog, const struct program_test *test, struct buf *why)
{
    struct program *ran = test->program ? program_ref((struct program *)(uintptr_t)test->program)
                                        : program_ref(prog);
    struct test_outcome outcome = {
        .prog = ran,
        .test = test,
        .rule = program_rule_named(ran, prog->rule[test->rule].name),
        .fate = mem_calloc(test->n_items + 1, sizeof *outcome.fate),
    };
    struct run run = {.outcome = &outcome};
    bool passed;

    time_from_civil(2027, 1, 1, 0, 0, 0, 0, &outcome.start);
    start_run(&run, ran, test);
    passed = add_events(&run, why);
    if (passed) {
        pick_alerts(&run);
        passed = test_judge(&outcome, why);
    }
    if (!passed)
        test_report(&outcome, why);
    end_run(&run);
    alert_list_fini(&outcome.alerts);
    mem_free(outcome.fate);
    program_unref(&ran);
    return passed;
}
