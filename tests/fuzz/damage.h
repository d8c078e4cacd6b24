// SPDX-License-Identifier: Apache-2.0
/* damage - state that is written, damaged and read again: rules that keep some of every kind, events for them, and
 * what becomes of bytes. */
#ifndef FUZZ_DAMAGE_H
#define FUZZ_DAMAGE_H

#include <stdint.h>

struct buf;
struct feed;
struct fuzz_bytes;
struct program;

enum {
    DAMAGE_MOST = 16,  /* changes of one input */
    DAMAGE_AFTER = 24, /* events that what was read again is given */
};

/* Rules with a bit of everything that has state, but for those that this version says it does not support. Returns
 * owned. */
struct program *damage_program(void);
/* Gives n events to the engine, from `time` on. */
void damage_feed(struct feed *feed, uint64_t seed, uint32_t n, int64_t time);
/* Changes the bytes at one place, as the next four of the input say. */
void damage_bytes(struct fuzz_bytes *fb, struct buf *bytes);

#endif
