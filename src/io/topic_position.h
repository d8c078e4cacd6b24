// SPDX-License-Identifier: Apache-2.0
/*
 * topic_position - how far a partition of a topic was read, and by which records it is known again.
 *
 * Invariants: anchors are the last records before `next` that were read, all that there were (at most
 * TOPIC_ANCHORS), ascending. So a record between the first anchor and `next` that is none of them belongs to
 * another topic of the same name.
 */
#ifndef IO_TOPIC_POSITION_H
#define IO_TOPIC_POSITION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TOPIC_ANCHORS = 16 };

struct topic_anchor {
    uint64_t offset, hash;
};

struct topic_position {
    int32_t partition;
    uint64_t next;                 /* offset */
    struct topic_anchor anchor[TOPIC_ANCHORS];
    size_t n_anchors;
};

/* A record was read. */
void topic_position_note(struct topic_position *pos, uint64_t offset, uint64_t hash);
/* There was no record up to here. */
void topic_position_pass(struct topic_position *pos, uint64_t next);
/* What is there now begins at `next`, and has nothing to do with what was read. */
void topic_position_restart(struct topic_position *pos, uint64_t next);
/* Is this record, below `next`, one that was read? False: it is another topic's. */
bool topic_position_knows(const struct topic_position *pos, uint64_t offset, uint64_t hash);
/* Where to read from to see whether it is the same topic; low: the first offset that there is. */
uint64_t topic_position_check_from(const struct topic_position *pos, uint64_t low);

#endif
