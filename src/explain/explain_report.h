// SPDX-License-Identifier: Apache-2.0
/*
 * explain_report - what `tocsin explain` says, as text or as JSON: sections of lines. Calls that say
 * "JSON" or "text" do nothing in the other kind.
 */
#ifndef EXPLAIN_EXPLAIN_REPORT_H
#define EXPLAIN_EXPLAIN_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

struct code;
struct program;

enum { REPORT_MAX_DEPTH = 8 };

struct report { /* embedded */
    struct buf *out;
    const struct program *prog;
    bool json;
    int depth;
    char close[REPORT_MAX_DEPTH];  /* JSON: of what is open */
    bool follows[REPORT_MAX_DEPTH]; /* JSON: something stands before the next value */
};

void report_init(struct report *r, const struct program *prog, struct buf *out, bool json);
/* '[' or '{'; the key is NULL in a list. Text: a line with the title, unless NULL. */
void report_begin(struct report *r, const char *key, const char *title, char bracket);
void report_end(struct report *r);
/* A line of a section; JSON: a text of its list. */
void report_line(struct report *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Text alone. */
void report_say(struct report *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* JSON alone. */
void report_field(struct report *r, const char *key, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
void report_number(struct report *r, const char *key, uint64_t n);
void report_flag(struct report *r, const char *key, bool flag);
/* The instructions; JSON: a list of texts. */
void report_code(struct report *r, const char *key, const struct code *code);

/* For texts: 30s, 1h30m; 12 bytes, 1.5 MiB; 10,000. */
void report_add_duration(struct buf *out, int64_t ns);
void report_add_bytes(struct buf *out, uint64_t n);
void report_add_count(struct buf *out, uint64_t n);

#endif
