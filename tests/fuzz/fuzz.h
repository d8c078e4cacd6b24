// SPDX-License-Identifier: Apache-2.0
/*
 * fuzz - what the fuzz targets share: input read byte by byte, programs, engines fed by JSON.
 *
 * A target is a file fuzz_NOUN.c with LLVMFuzzerTestOneInput. Configured with --enable-fuzzing
 * (clang) it is linked with libFuzzer; else with replay_main.c, which runs it over the inputs that
 * are kept in corpus/NOUN. Read next: rule_gen.h, replay_main.c.
 */
#ifndef FUZZ_FUZZ_H
#define FUZZ_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/alert.h"
#include "event/event.h"

struct buf;
struct decoder;
struct engine;
struct probe_scratch;
struct program;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A broken promise: prints it and aborts. */
_Noreturn void fuzz_fail(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* ---- input as choices ----------------------------------------------------------------------- */

struct fuzz_bytes {
    const uint8_t *p, *end;
};
uint8_t fuzz_byte(struct fuzz_bytes *fb);                  /* 0 when all are used up */
uint32_t fuzz_below(struct fuzz_bytes *fb, uint32_t n);    /* 0..n), n <= 256; uses a byte */
bool fuzz_chance(struct fuzz_bytes *fb, uint32_t of_256);  /* false when all are used up */
uint64_t fuzz_u64(struct fuzz_bytes *fb);                  /* uses eight bytes */

/* ---- programs and engines ------------------------------------------------------------------- */

/* NULL if it does not compile; the messages are added to `messages` (or NULL). A program that is
 * not valid, NULL without an error and an error with a program are failures. */
struct program *fuzz_compile(const char *text, size_t len, bool no_opt, struct buf *messages);

enum { FEED_SOURCES = 4 };
struct feed {
    struct program *prog;
    struct decoder *decoder;
    struct probe_scratch *scratch;
    struct engine *engine;
    struct alert_list out;
    uint64_t offset; /* of the last event */
    struct origin origin[FEED_SOURCES]; /* sources s, t, u, v */
};
void feed_open(struct feed *feed, struct program *prog); /* borrows prog */
void feed_close(struct feed *feed);
/* The JSON must be right; time must not go back. */
void feed_event(struct feed *feed, uint32_t source, int64_t time, const char *json, size_t len);
/* A snapshot into a new engine, which goes on: must change nothing. */
void feed_renew(struct feed *feed);
void feed_end(struct feed *feed); /* time goes to infinity; the alerts are sorted */
/* Fails unless the alerts are the same, byte by byte. */
void feed_same(const struct feed *a, const struct feed *b, const char *what);

#endif
