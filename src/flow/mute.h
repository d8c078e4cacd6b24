// SPDX-License-Identifier: Apache-2.0
/*
 * mute - windows of the week in which a route is silent:
 *
 *     [DAYS ]HH:MM-HH:MM[ ZONE]     22:00-06:00 Europe/Paris    Sat,Sun 00:00-24:00    Mon-Fri 12:00-13:00
 *
 * 1. By the clock on the wall in the zone (a name of the tz database; without one UTC): between its
 *    times, the first included and the last not. An hour that the clock shows twice is in the window
 *    twice, one that it skips is not.
 * 2. A window that ends at or before where it begins goes over midnight; its days are those on which
 *    it begins.
 */
#ifndef FLOW_MUTE_H
#define FLOW_MUTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;
struct zone;

struct mute {
    uint8_t days;           /* bits 1 << weekday on which it begins; 0: Sunday */
    uint32_t begin, end;    /* seconds of the day; end 86400: midnight */
    const struct zone *zone; /* lives until exit */
};

/* False, and in why what is wrong with the text. */
bool mute_parse(const char *text, size_t len, struct mute *mute_out, struct buf *why);
/* Is it in the window at `wall` (ns)? */
bool mute_has(const struct mute *mute, int64_t wall);

#endif
