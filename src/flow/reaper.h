// SPDX-License-Identifier: Apache-2.0
/*
 * reaper - frees engines on a thread of its own: of a million keys that takes a second, and what begins after them
 * need not wait. What is not freed yet is memory beside the state that runs: reaper_room bounds it.
 *
 * Programs are not counted by several threads: the reaper has a reference of its own to each engine's, and lets go of
 * it where the others are.
 */
#ifndef FLOW_REAPER_H
#define FLOW_REAPER_H

#include <stdint.h>

struct engine;
struct program;
struct reaper;

/* All of it is one thread's. */
struct reaper *reaper_new(void); /* starts the thread */
void reaper_free(struct reaper **rp); /* when all are freed */
/* Waits until no more than `most` bytes of state are left to be freed. */
void reaper_room(struct reaper *rp, uint64_t most);
/* Takes the engine, which nobody uses any more: prog is its program. Does not wait. */
void reaper_take(struct reaper *rp, struct engine *en, struct program *prog);

#endif
