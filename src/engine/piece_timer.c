// SPDX-License-Identifier: Apache-2.0
#include "engine/piece_timer.h"

#include <stddef.h>

#define LONG INT64_C(100000) /* ns */

static uint64_t draw(struct piece_timer *pt)
{
    pt->random ^= pt->random << 13;
    pt->random ^= pt->random >> 7;
    pt->random ^= pt->random << 17;
    return (pt->random >> 32) % PIECE_BLOCK;
}

void piece_timer_init(struct piece_timer *pt, const struct piece_clock *clock)
{
    *pt = (struct piece_timer){.clock = clock, .left = UINT64_MAX};
    if (clock == NULL)
        return;
    pt->random = clock->seed;
    pt->place = draw(pt);
    pt->left = pt->place + 1;
}

int64_t piece_timer_read(const struct piece_timer *pt)
{
    return pt->clock->now(pt->clock->ctx);
}

uint64_t piece_timer_take(struct piece_timer *pt, int64_t began)
{
    int64_t now = piece_timer_read(pt), is = now - began - pt->clock->cost;
    uint64_t place = draw(pt);
    pt->left = PIECE_BLOCK - pt->place + place;
    pt->place = place;
    if (is > LONG && pt->clock->own != NULL)
        is = pt->clock->own(pt->clock->ctx, began, now);
    return is > 0 ? (uint64_t)is * PIECE_BLOCK : 0;
}
