// SPDX-License-Identifier: Apache-2.0
/*
 * log_form - one line of the log as text.
 *
 *     2026-11-29T22:40:01.123Z level=warning category=source msg="..." source="auth"
 *     {"time":"2026-11-29T22:40:01.123Z","level":"warning","category":"source","msg":"...","source":"auth"}
 *
 * To the journal of systemd: without the time, which it has itself, and with the level in front as
 * sd-daemon(3) has it: <4>level=warning ...
 */
#ifndef BASE_LOG_FORM_H
#define BASE_LOG_FORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/log.h"

struct buf;

struct log_entry { /* all borrowed */
    enum log_level level;
    enum log_category category;
    const char *msg;
    const char *fields; /* "key=value key2=\"value\"", with or without a blank in front; NULL: none */
    uint32_t held;      /* lines that were held back before it; 0: not told */
    int64_t time;       /* wall ns */
};

/* Appends the line, with its end. */
void log_form(struct buf *out, const struct log_entry *entry, enum log_format format, bool journal);

#endif
