// SPDX-License-Identifier: Apache-2.0
/*
 * engine_fixture - an engine over a rule text, fed event by event: what the tests of the engine
 * share. Times are whole seconds from 1970. Include behind cmocka.h.
 */
#ifndef UNIT_ENGINE_FIXTURE_H
#define UNIT_ENGINE_FIXTURE_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/diag.h"
#include "engine/alert.h"
#include "engine/engine.h"
#include "event/event.h"
#include "event/json_decode.h"
#include "plan/program.h"

enum { FIXTURE_ORIGINS = 8 };
static const int64_t SECOND = 1000000000;

struct fixture {
    struct program *prog;
    struct engine *en;
    struct probe_scratch *probe;
    struct decoder *decoder;
    struct alert_list out;
    uint64_t offset; /* of the next event */
    struct origin origin[FIXTURE_ORIGINS];
    uint32_t n_origins;
};

static inline uint64_t fixture_random(uint64_t *seed)
{
    uint64_t z = *seed += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static inline uint32_t fixture_below(uint64_t *seed, uint32_t n)
{
    return (uint32_t)(fixture_random(seed) % n);
}

static inline struct program *fixture_compile(const char *rules, bool no_opt)
{
    struct program_source_text text = {.name = "test.rule", .text = rules, .len = strlen(rules)};
    struct program_options opt = {.no_opt = no_opt};
    struct diag *diag = diag_new();
    struct program *prog = program_compile(&text, 1, &opt, diag);
    if (prog == NULL) {
        struct buf why;
        buf_init(&why);
        diag_print(diag, &why);
        fail_msg("%s", why.data);
    }
    diag_free(&diag);
    return prog;
}

/* Takes the program. */
static inline void fixture_open_program(struct fixture *fx, struct program *prog)
{
    *fx = (struct fixture){.prog = prog};
    fx->en = engine_new(prog);
    fx->probe = probe_scratch_new(prog);
    fx->decoder = decoder_new(prog->schema, 1 << 20);
    alert_list_init(&fx->out);
}

static inline void fixture_open(struct fixture *fx, const char *rules)
{
    fixture_open_program(fx, fixture_compile(rules, false));
}

static inline void fixture_close(struct fixture *fx)
{
    alert_list_fini(&fx->out);
    engine_free(&fx->en);
    probe_scratch_free(&fx->probe);
    decoder_free(&fx->decoder);
    program_unref(&fx->prog);
}

static inline const struct origin *fixture_origin(struct fixture *fx, const char *source)
{
    for (uint32_t i = 0; i < fx->n_origins; i++) {
        if (strcmp(fx->origin[i].source, source) == 0)
            return &fx->origin[i];
    }
    assert_true(fx->n_origins < FIXTURE_ORIGINS);
    struct origin *origin = &fx->origin[fx->n_origins++];
    *origin = (struct origin){.source = source, .partition = "p",
                              .source_id = program_source(fx->prog, source)};
    return origin;
}

/* A scratch event, probed; valid until the next. */
static inline struct event fixture_event(struct fixture *fx, int64_t time, const char *source,
                                         const char *json)
{
    struct event ev = {.time = time, .origin = fixture_origin(fx, source), .offset = fx->offset++};
    const char *why = "";
    if (!decoder_run_copy(fx->decoder, json, strlen(json), &ev, &why))
        fail_msg("%s: %s", why, json);
    engine_probe(fx->prog, fx->probe, &ev);
    return ev;
}

static inline void fixture_feed_ns(struct fixture *fx, int64_t time, const char *source,
                                   const char *json)
{
    struct event ev = fixture_event(fx, time, source, json);
    engine_feed(fx->en, &ev, &fx->out);
}

static inline void fixture_feed(struct fixture *fx, int64_t seconds, const char *source,
                                const char *json)
{
    fixture_feed_ns(fx, seconds * SECOND, source, json);
}

static inline void fixture_advance(struct fixture *fx, int64_t seconds)
{
    engine_advance(fx->en, seconds * SECOND, &fx->out);
}

static inline void fixture_end(struct fixture *fx)
{
    engine_advance(fx->en, INT64_MAX, &fx->out);
}

/* Another engine in its place, from a snapshot. */
static inline void fixture_restart(struct fixture *fx)
{
    struct buf bytes;
    const char *why = "";
    buf_init(&bytes);
    engine_snapshot(fx->en, &bytes);
    engine_free(&fx->en);
    fx->en = engine_new(fx->prog);
    if (!engine_restore(fx->en, bytes.data, bytes.len, &why))
        fail_msg("restore: %s", why);
    buf_fini(&bytes);
}

static inline struct engine_rule_stats fixture_stats(const struct fixture *fx, uint32_t rule)
{
    struct engine_rule_stats stats;
    engine_stats(fx->en, rule, &stats);
    return stats;
}

/* The state of every rule is gone: nothing is kept, nothing is charged. */
static inline void fixture_assert_no_state(const struct fixture *fx)
{
    for (uint32_t r = 0; r < fx->prog->n_rules; r++) {
        struct engine_rule_stats stats = fixture_stats(fx, r);
        if (stats.runs != 0 || stats.keys != 0 || stats.bytes != 0)
            fail_msg("rule %s keeps %llu runs, %llu keys, %llu bytes", fx->prog->rule[r].name,
                     (unsigned long long)stats.runs, (unsigned long long)stats.keys,
                     (unsigned long long)stats.bytes);
    }
}

#endif
