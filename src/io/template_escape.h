// SPDX-License-Identifier: Apache-2.0
/*
 * template_escape - text that is put into something, character by character, so that it can be cut at
 * any length and stays well-formed.
 */
#ifndef IO_TEMPLATE_ESCAPE_H
#define IO_TEMPLATE_ESCAPE_H

#include <stdbool.h>
#include <stddef.h>

struct buf;

enum { ESCAPE_MAX = 16 }; /* bytes that one character becomes at most */

/* Writes what the character of n bytes at p becomes to bytes[ESCAPE_MAX]; returns how many. `end` is
 * where the whole text ends. */
size_t escape_none(const char *p, size_t n, const char *end, char *bytes);
size_t escape_text(const char *p, size_t n, const char *end, char *bytes);   /* NUL as U+FFFD */
size_t escape_line(const char *p, size_t n, const char *end, char *bytes);   /* controls as blanks */
size_t escape_url(const char *p, size_t n, const char *end, char *bytes);    /* %XX but RFC 3986 unreserved */
size_t escape_markup(const char *p, size_t n, const char *end, char *bytes); /* HTML and XML */
/* Slack: & < > as entities; @here, @channel, @everyone get a word joiner behind the @; controls but line
 * ends and tabs are blanks. */
size_t escape_slack(const char *p, size_t n, const char *end, char *bytes);

/* Appends the valid UTF-8 text, escaped, in at most max bytes; cut, it ends in "…". True: it was cut. */
bool escape_add(struct buf *out, const char *text, size_t len, size_t max,
                size_t (*escape)(const char *p, size_t n, const char *end, char *bytes));
/* The same with a limit on characters as UTF-16 counts them, as many receivers do. */
bool escape_add_units(struct buf *out, const char *text, size_t len, size_t max,
                      size_t (*escape)(const char *p, size_t n, const char *end, char *bytes));

#endif
