// SPDX-License-Identifier: Apache-2.0
/*
 * json_trim - a JSON value made small enough, and still JSON: what is large is cut first. Texts are cut
 * at their end and get "…", arrays lose elements and objects members at their end, a number is whole or
 * null; what is large below 16 levels is "…". Nothing is cut inside a character or an escape.
 */
#ifndef EVENT_JSON_TRIM_H
#define EVENT_JSON_TRIM_H

#include <stddef.h>

#include "event/json_view.h"

struct buf;

/* Appends the value in at most max bytes (max: 4 at least). True: something was cut. */
bool json_add_trimmed(struct buf *out, struct json_view value, size_t max);
/* The same, cut like a text: at most max bytes of what stands between the quotes of a JSON text.
 * Appends them without quotes; "…" if something was cut. */
bool json_add_trimmed_inside(struct buf *out, const char *inside, size_t len, size_t max);
/* Shares a budget: the level L at which the sum of min(size[i], L) is at most budget; SIZE_MAX when all
 * sizes fit. */
size_t json_trim_level(const size_t *size, size_t n, size_t budget);

#endif
