// SPDX-License-Identifier: Apache-2.0
/*
 * zone - civil time in a zone of the machine's tz database (TZif files, RFC 8536, with the footer's
 * POSIX rule for times behind the last transition). Zones are loaded once and live until exit.
 */
#ifndef BASE_ZONE_H
#define BASE_ZONE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct zone;

/* "Europe/Paris", "UTC"; NULL if the database has none of that name (or the name is no plain relative
 * path). Thread-safe. Looks below TZDIR, else /usr/share/zoneinfo. */
const struct zone *zone_find(const char *name, size_t len);
const char *zone_name(const struct zone *zone);
/* Offset of local time east of UTC, in seconds, at a UTC time in seconds since the epoch. */
int32_t zone_offset(const struct zone *zone, int64_t utc);
/* The UTC second of a local second count (days * 86400 + seconds of day since 1970-01-01 local).
 * Of two (clocks set back) the earlier; in a gap (set forward) the first second behind the gap. */
int64_t zone_to_utc(const struct zone *zone, int64_t local);

#endif
