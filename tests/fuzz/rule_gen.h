// SPDX-License-Identifier: Apache-2.0
/*
 * rule_gen - choices made from bytes: the text of rules that mostly compile, and events for them.
 *
 * Every byte decides one small thing, and bytes that are used up decide for the plainest, so that a
 * changed byte changes a rule a little.
 */
#ifndef FUZZ_RULE_GEN_H
#define FUZZ_RULE_GEN_H

#include <stdint.h>

struct buf;
struct fuzz_bytes;

/* Adds declarations and one or two rules over the sources s, t, u. */
void rule_gen(struct fuzz_bytes *fb, struct buf *out);

struct gen_event {
    uint32_t source;
    int64_t after; /* ns since the event before */
};
/* Replaces json by an event's. Uses four bytes. */
void event_gen(struct fuzz_bytes *fb, struct gen_event *event, struct buf *json);

#endif
