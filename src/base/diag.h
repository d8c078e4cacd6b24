// SPDX-License-Identifier: Apache-2.0
/*
 * diag - the mistakes found in rules and configuration: where, what, and what to do.
 *
 * Every pass adds to one list and goes on; nothing is reported twice for one span and message.
 * Printed sorted by file and position as
 *     file:line:column: error: what is wrong
 *         the source line
 *         ^~~~ hint
 * Tabs stay tabs in both lines; long lines are cut around the span; control characters and bytes
 * that are not UTF-8 are shown as U+FFFD. A span of a file that was never added is no place: only
 * "error: ..." is printed (null in JSON). Columns count code points from 1.
 * At most DIAG_MAX_ERRORS errors are kept, the rest counted ("and 7 more errors").
 */
#ifndef BASE_DIAG_H
#define BASE_DIAG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;

enum { DIAG_MAX_ERRORS = 20, DIAG_MAX_WARNINGS = 100 };
enum diag_level { DIAG_ERROR, DIAG_WARNING };

/* Bytes [start, end) of the text of file number `file` (as given by diag_file_add). */
struct span {
    uint32_t file;
    uint32_t start;
    uint32_t end;
};

struct diag;

struct diag *diag_new(void);
/* Keeps more errors than DIAG_MAX_ERRORS, of which so many of each file can be printed: before any is added. */
void diag_keep_errors(struct diag *d, size_t most);
void diag_free(struct diag **d);
/* Registers a source; copies name and text. Returns its number. A file that cannot be read is
 * registered with empty text and an error at its start. */
uint32_t diag_file_add(struct diag *d, const char *name, const char *text, size_t len);
const char *diag_file_name(const struct diag *d, uint32_t file);
const char *diag_file_text(const struct diag *d, uint32_t file, size_t *len_out);

/* Messages: one line, lower case, no full stop. */
void diag_add(struct diag *d, enum diag_level level, struct span span, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* Gives the last added message a hint (printed after the caret). */
void diag_hint(struct diag *d, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Bytes of a source that are never printed: `*` stands for each, also in diag_file_text from now on; and
 * for what messages about them, added before, quote. */
void diag_conceal(struct diag *d, struct span span);

size_t diag_errors(const struct diag *d);   /* all that were added, also those not kept */
size_t diag_warnings(const struct diag *d);
/* Of those that are kept, errors in the file of this name. */
size_t diag_errors_in(const struct diag *d, const char *file);
/* line and column, from 1, of a span's start. */
void diag_locate(const struct diag *d, struct span span, uint32_t *line_out, uint32_t *column_out);
void diag_print(const struct diag *d, struct buf *out);      /* text, as above */
/* The same for a log, a line each: PLACE: LEVEL: MESSAGE (HINT), without the source line. */
void diag_print_brief(const struct diag *d, struct buf *out);
/* JSON array of {"level","file","line","column","length","message","hint"}. */
void diag_print_json(const struct diag *d, struct buf *out);
/* The same; names of files that begin with `prefix` are told without it. errors, warnings: which. */
void diag_print_json_below(const struct diag *d, const char *prefix, bool errors, bool warnings,
                           struct buf *out);
/* The same of one file alone; NULL: all. */
void diag_print_json_in(const struct diag *d, const char *file, const char *prefix, bool errors,
                        bool warnings, struct buf *out);

#endif
