// SPDX-License-Identifier: Apache-2.0
/* fuzz - what the fuzz targets share. */
#include <fuzz/fuzz.h>

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/diag.h"
#include "engine/engine.h"
#include "event/json_decode.h"
#include "plan/program.h"

enum { MAX_LINE = 1 << 12 };

void fuzz_fail(const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    fputs("fuzz: ", stderr);
    vfprintf(stderr, fmt, args);
    fputc('\n', stderr);
    va_end(args);
    abort();
}

/* ---- input as choices ----------------------------------------------------------------------- */

uint8_t fuzz_byte(struct fuzz_bytes *fb)
{
    return fb->p < fb->end ? *fb->p++ : 0;
}

uint32_t fuzz_below(struct fuzz_bytes *fb, uint32_t n)
{
    return n > 1 ? fuzz_byte(fb) % n : 0;
}

bool fuzz_chance(struct fuzz_bytes *fb, uint32_t of_256)
{
    return fb->p < fb->end && fuzz_byte(fb) >= 256 - of_256;
}

uint64_t fuzz_u64(struct fuzz_bytes *fb)
{
    uint64_t n = 0;

    for (int i = 0; i < 8; i++)
        n = n << 8 | fuzz_byte(fb);
    return n;
}

/* ---- programs ------------------------------------------------------------------------------- */

struct program *fuzz_compile(const char *text, size_t len, bool no_opt, struct buf *messages)
{
    struct program_source_text source = {.name = "fuzz.rule", .text = text, .len = len};
    struct program_options options = {.no_opt = no_opt};
    struct diag *diag = diag_new();
    struct program *prog = program_compile(&source, 1, &options, diag);
    const char *why = "?";

    if ((prog != NULL) != (diag_errors(diag) == 0))
        fuzz_fail("%s, and %zu errors", prog ? "a program" : "no program", diag_errors(diag));
    if (messages != NULL)
        diag_print(diag, messages);
    diag_free(&diag);
    if (prog != NULL && !program_validate(prog, &why))
        fuzz_fail("the program is not valid: %s", why);
    return prog;
}

/* ---- engines -------------------------------------------------------------------------------- */

void feed_open(struct feed *feed, struct program *prog)
{
    static const char *const names[FEED_SOURCES] = {"s", "t", "u", "v"};

    *feed = (struct feed){.prog = prog,
                          .decoder = decoder_new(prog->schema, MAX_LINE),
                          .scratch = probe_scratch_new(prog),
                          .engine = engine_new(prog)};
    for (uint32_t i = 0; i < FEED_SOURCES; i++)
        feed->origin[i] = (struct origin){.source = names[i], .partition = "p",
                                          .source_id = program_source(prog, names[i])};
    alert_list_init(&feed->out);
}

void feed_close(struct feed *feed)
{
    engine_free(&feed->engine);
    alert_list_fini(&feed->out);
    probe_scratch_free(&feed->scratch);
    decoder_free(&feed->decoder);
}

void feed_event(struct feed *feed, uint32_t source, int64_t time, const char *json, size_t len)
{
    struct event ev = {0};
    const char *why = "?";

    if (!decoder_run_copy(feed->decoder, json, len, &ev, &why))
        fuzz_fail("event %.*s: %s", (int)len, json, why);
    ev.time = time;
    ev.origin = &feed->origin[source % FEED_SOURCES];
    ev.offset = ++feed->offset;
    engine_probe(feed->prog, feed->scratch, &ev);
    engine_feed(feed->engine, &ev, &feed->out);
}

void feed_renew(struct feed *feed)
{
    struct buf bytes, again;
    struct engine *fresh = engine_new(feed->prog);
    const char *why = "?";

    buf_init(&bytes);
    buf_init(&again);
    engine_snapshot(feed->engine, &bytes);
    if (!engine_restore(fresh, bytes.data, bytes.len, &why))
        fuzz_fail("a snapshot is not restored: %s", why);
    engine_snapshot(fresh, &again);
    if (bytes.len != again.len)
        fuzz_fail("a snapshot has %zu bytes, and restored %zu", bytes.len, again.len);
    engine_free(&feed->engine);
    feed->engine = fresh;
    buf_fini(&bytes);
    buf_fini(&again);
}

void feed_end(struct feed *feed)
{
    engine_advance(feed->engine, INT64_MAX, &feed->out);
    for (size_t i = 1; i < feed->out.n; i++) {
        if (feed->out.alert[i].time < feed->out.alert[i - 1].time)
            fuzz_fail("an alert comes after a later one");
    }
    alert_list_sort(&feed->out, 0, feed->prog);
}

void feed_same(const struct feed *a, const struct feed *b, const char *what)
{
    const struct alert_list *x = &a->out, *y = &b->out;
    size_t i = 0;

    while (i < x->n && i < y->n && x->alert[i].time == y->alert[i].time &&
           x->alert[i].revision == y->alert[i].revision &&
           memcmp(x->alert[i].id, y->alert[i].id, sizeof x->alert[i].id) == 0 &&
           strcmp(x->alert[i].json, y->alert[i].json) == 0 &&
           strcmp(x->alert[i].key, y->alert[i].key) == 0 &&
           strcmp(x->alert[i].title, y->alert[i].title) == 0)
        i++;
    if (i == x->n && i == y->n)
        return;
    fuzz_fail("%s: not the alerts of the plain run, from number %zu on\n  plain %s\n  here  %s", what,
              i + 1, i < x->n ? x->alert[i].json : "(no more)",
              i < y->n ? y->alert[i].json : "(no more)");
}
