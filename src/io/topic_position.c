// SPDX-License-Identifier: Apache-2.0
#include "io/topic_position.h"

#include <string.h>

void topic_position_note(struct topic_position *pos, uint64_t offset, uint64_t hash)
{
    if (pos->n_anchors == TOPIC_ANCHORS)
        memmove(pos->anchor, pos->anchor + 1, --pos->n_anchors * sizeof *pos->anchor);
    pos->anchor[pos->n_anchors++] = (struct topic_anchor){offset, hash};
    pos->next = offset + 1;
}

void topic_position_pass(struct topic_position *pos, uint64_t next)
{
    if (next > pos->next)
        pos->next = next;
}

void topic_position_restart(struct topic_position *pos, uint64_t next)
{
    pos->n_anchors = 0;
    pos->next = next;
}

bool topic_position_knows(const struct topic_position *pos, uint64_t offset, uint64_t hash)
{
    if (pos->n_anchors == 0 || offset < pos->anchor[0].offset)
        return true; /* nothing is known of it */
    for (size_t i = 0; i < pos->n_anchors; i++)
        if (pos->anchor[i].offset == offset)
            return pos->anchor[i].hash == hash;
    return false;
}

uint64_t topic_position_check_from(const struct topic_position *pos, uint64_t low)
{
    uint64_t from = pos->n_anchors > 0 ? pos->anchor[0].offset : pos->next;

    return from < low ? low : from;
}
