// SPDX-License-Identifier: Apache-2.0
/*
 * source_file - a file of lines: plain, .gz (told by its content) or standard input.
 *
 * Reads big blocks and gives lines without copying them: each line has `padding` readable bytes
 * behind it, as the JSON parser wants. "\n" and "\r\n" end a line, the last line needs neither;
 * blank lines and a UTF-8 byte order mark are passed over silently. A line above max_line bytes is
 * told once (SOURCE_TOO_LONG) and skipped; memory stays below max_line + 2 * SOURCE_BLOCK.
 * Lines before a fault are given first; a piece of a line that a fault cut off is not.
 * A signal that io/interrupt takes ends the file where it is; its last line may then be a piece.
 */
#ifndef IO_SOURCE_FILE_H
#define IO_SOURCE_FILE_H

#include <stddef.h>
#include <stdint.h>

struct buf;
struct source_file;

enum { SOURCE_BLOCK = 256 * 1024 };        /* bytes read at a time, at least */
#define SOURCE_MAX_LINE ((size_t)16 << 20) /* bytes, the default of max_line */

enum source_result {
    SOURCE_LINE,
    SOURCE_TOO_LONG, /* text NULL, len: its bytes */
    SOURCE_END,      /* and from then on */
    SOURCE_ERROR,    /* source_file_error says what; and from then on */
};

struct source_line {
    const char *text; /* valid until the next call; not NUL-terminated */
    size_t len;       /* bytes, without the line end */
    uint64_t offset;  /* of its first byte in the uncompressed text */
    uint64_t number;  /* of the line, from 1, blank ones counted */
};

/* Called before each read that may block. */
typedef void source_wait_fn(void *ctx);

/* Opens `path`, or standard input for "-". NULL and a message ("cannot open: ...") in why when that
 * is not possible, or it is a directory. Takes no memory for blocks before the first line is asked. */
struct source_file *source_file_open(const char *path, size_t max_line, size_t padding,
                                     struct buf *why);
void source_file_free(struct source_file **sf);
void source_file_on_wait(struct source_file *sf, source_wait_fn *fn, void *ctx);
enum source_result source_file_line(struct source_file *sf, struct source_line *line_out);
const char *source_file_error(const struct source_file *sf);
/* Bytes read of the file as it lies on disk, and its size (0: not known), for a progress bar. */
uint64_t source_file_consumed(const struct source_file *sf);
uint64_t source_file_size(const struct source_file *sf);

#endif
