// SPDX-License-Identifier: Apache-2.0
/*
 * line_writer - lines to a file or to standard output, through a big buffer.
 *
 * An outside failure (full disk, closed pipe) is kept: all writing after it is nothing, and
 * line_writer_error says what it was.
 */
#ifndef IO_LINE_WRITER_H
#define IO_LINE_WRITER_H

#include <stdbool.h>
#include <stddef.h>

struct buf;
struct line_writer;

/* Makes the file, or empties it. NULL and a message in why if that is not possible. */
struct line_writer *line_writer_open(const char *path, struct buf *why);
struct line_writer *line_writer_on(int fd); /* borrows fd; not closed */
/* Flushes and closes; false if anything could not be written, with the message in why (which may be
 * NULL). Frees in any case. */
bool line_writer_close(struct line_writer **w, struct buf *why);
void line_writer_add(struct line_writer *w, const char *text, size_t len); /* adds the line end */
void line_writer_flush(struct line_writer *w);
/* errno of the first failure, or 0. EPIPE: the reader has gone. */
int line_writer_error(const struct line_writer *w);

#endif
