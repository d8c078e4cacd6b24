// SPDX-License-Identifier: Apache-2.0
/*
 * shown - texts that others wrote, for a terminal: what could move its cursor, or is no UTF-8, is shown as U+FFFD,
 * a line break as a blank. Sizes, times and colours for people.
 */
#ifndef CLI_SHOWN_H
#define CLI_SHOWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;
struct json_doc;

void shown_add(struct buf *out, const char *text, size_t len); /* `out` is not NULL behind it */
void shown_adds(struct buf *out, const char *text);            /* NUL-terminated */
/* The same of several lines: line breaks and tabs stay. */
void shown_add_lines(struct buf *out, const char *text, size_t len);
/* To standard output: as it is, or, if that is a terminal, as shown_add_lines. */
void shown_print_text(const char *text, size_t len);
/* The same of JSON: on a terminal, what would be U+FFFD is escaped, so it stays the same JSON. */
void shown_print_json(const char *text, size_t len);

/* Of a value: a text as it is, all else as JSON. */
void shown_add_value(struct buf *out, const struct json_doc *value);
/* "user=ann, host=a1": the members of an object; a value alone. */
void shown_add_key(struct buf *out, const struct json_doc *key);
/* A time of RFC 3339 without what is finer than a millisecond. */
void shown_add_time(struct buf *out, const char *time);
/* "0.8s", "12s", "5m", "3h20m", "12d": two units at most. */
void shown_add_age(struct buf *out, double seconds);
void shown_add_bytes(struct buf *out, double n); /* in a column: "512", "1.5 MiB" */
void shown_add_size(struct buf *out, double n);  /* in a sentence: "512 bytes", "1.5 MiB" */

/* The escape that begins the colour of a severity, and that ends it; "" without colours. */
const char *shown_colour(const char *severity);
const char *shown_plain(void);

#endif
