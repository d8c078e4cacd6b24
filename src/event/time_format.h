// SPDX-License-Identifier: Apache-2.0
/*
 * time_format - reading and writing event times (language section 7). Time is int64 ns since the
 * epoch, UTC; what does not fit (before 1677 or after 2262) is unreadable.
 *
 * rfc3339: "T", "t" or a blank between; offset Z, z, +hh:mm, +hhmm, +hh; 0-9 digits of fraction
 * (more are cut). datetime: YYYY-MM-DD[ T]hh:mm:ss[.fff], in `zone` minutes east of UTC.
 * epoch_*: a number, or text that is one, with or without a fraction (exact for integers and for
 * decimal text; a JSON double is rounded to its nearest ns). When several epoch formats are
 * allowed, they are told apart by size: |x| < 1e11 s, < 1e14 ms, < 1e17 us, else ns.
 * Leap second :60 is read as the next second.
 */
#ifndef EVENT_TIME_FORMAT_H
#define EVENT_TIME_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event/value.h"

struct buf;

enum time_format {
    TIME_RFC3339 = 1 << 0,
    TIME_DATETIME = 1 << 1,
    TIME_EPOCH_S = 1 << 2,
    TIME_EPOCH_MS = 1 << 3,
    TIME_EPOCH_US = 1 << 4,
    TIME_EPOCH_NS = 1 << 5,
    TIME_ALL = (1 << 6) - 1, /* the default: all tried */
};

/* "rfc3339", "epoch_ms" ...; false if it is none. */
bool time_format_named(const char *name, size_t len, enum time_format *format_out);
const char *time_format_names(void); /* "rfc3339, datetime, ..." for messages */
/* `formats` is an OR of enum time_format. */
bool time_read(struct value v, unsigned formats, int zone_minutes, int64_t *ns_out);
/* RFC 3339 UTC, "2027-01-01T00:00:00Z", fraction of 3, 6 or 9 digits only when it is not 0. */
void time_add_text(struct buf *out, int64_t ns);
/* "1h30m", "500ms", "0s", "-5s", "1d2h"; exact to the ns ("1ns" is written as "0.000000001s"). */
void duration_add_text(struct buf *out, int64_t ns);
/* Seconds as a decimal number, exact: "30", "0.25". */
void duration_add_seconds(struct buf *out, int64_t ns);
/* Year, month, day, hour, minute, second, ns <-> time (proleptic Gregorian; Hinnant's days_from_civil). */
bool time_from_civil(int year, int month, int day, int hour, int minute, int second, int64_t nanos,
                     int64_t *ns_out);

#endif
