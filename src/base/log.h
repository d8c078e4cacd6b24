// SPDX-License-Identifier: Apache-2.0
/*
 * log - what the operator is told, a line each, to stderr, in one of the forms of log_form.h:
 *
 *     2026-11-29T22:40:01.123Z level=warning category=source msg="..." source=auth partition=a.ndjson
 *
 * `fields` is printf text of key=value pairs; values that may hold anything are put into a buf by
 * log_field, which is then given as "%s". Any thread may call. Lines with one msg are limited to
 * LOG_BURST in ten seconds; the next one let through says how many were held (held=N).
 * Secrets never come here.
 */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include <stdbool.h>

struct buf;

enum log_level { LOG_DEBUG, LOG_INFO, LOG_WARNING, LOG_ERROR };
enum log_category {
#define LOG_CATEGORY(name) LOG_##name,
#include "base/log.def"
#undef LOG_CATEGORY
    N_LOG_CATEGORIES
};
enum { LOG_BURST = 10 };

enum log_format { LOG_PAIRS, LOG_JSON };
struct log_levels { /* embedded: _init: all are LOG_INFO */
    enum log_level least[N_LOG_CATEGORIES];
};
void log_levels_init(struct log_levels *levels);
/* "warning source=debug sink=info": of all, then of some. False and why: a word is none of them. */
bool log_levels_read(struct log_levels *levels_out, const char *text, struct buf *why);
/* Any thread. */
void log_set_levels(const struct log_levels *levels);
void log_set_format(enum log_format format);
/* msg: fixed text, also what limits go by. fields: "key=value key2=value2" as printf; or NULL. */
void log_line(enum log_level level, enum log_category category, const char *msg,
              const char *fields, ...) __attribute__((format(printf, 4, 5)));
/* The same without a limit: for what is said at the start and when asked. fields: ready text, or NULL. */
void log_always(enum log_level level, enum log_category category, const char *msg,
                const char *fields);
/* Appends key="value" with a space before it, quotes and controls escaped: for `fields` "%s". */
void log_field(struct buf *b, const char *key, const char *value);

#endif
