// SPDX-License-Identifier: Apache-2.0
/* http_date - the three forms of a date in HTTP (RFC 9110 section 5.6.7), read strictly:
 *
 *     Sun, 06 Nov 1994 08:49:37 GMT    Sunday, 06-Nov-94 08:49:37 GMT    Sun Nov  6 08:49:37 1994
 */
#ifndef IO_HTTP_DATE_H
#define IO_HTTP_DATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Seconds since 1970. `now` (the same) says which century two digits of a year are of: the one that
 * is at most 50 years ahead. The name of the weekday must be one, and is not compared. */
bool http_date_read(const char *text, size_t len, int64_t now, int64_t *seconds_out);

#endif
