// SPDX-License-Identifier: Apache-2.0
/*
 * source_stdin - a thread that puts the lines of a descriptor into a spool.
 *
 *     fd --poll, read--> lines --spool_append--> spool --source_spool--> the reader
 *
 * Blank lines and a byte order mark are passed over; a line beyond max_line is recorded as too long,
 * in its place, with memory bounded. The last line needs no newline. At the end of input: spool_end.
 * A spool that waits (its limit, a full disk) makes this thread wait, and the pipe fill.
 *
 * Exactly once begins at the spool: lines read from the pipe but not durable are lost with the process,
 * and so are those in the pipe. After a restart the spool's are given again from the saved position,
 * then what comes on the new standard input.
 */
#ifndef IO_SOURCE_STDIN_H
#define IO_SOURCE_STDIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;
struct source_stdin;
struct spool;

/* Borrows fd (a test's pipe; STDIN_FILENO) and spool; only this thread appends to it. NULL and a message
 * in why if the thread cannot begin. */
struct source_stdin *source_stdin_start(int fd, struct spool *spool, size_t max_line,
                                        struct buf *why);
/* Was the end of input met, and all of it is durable? Any thread. */
bool source_stdin_ended(const struct source_stdin *in);
/* It reads nothing more, but for what it is at, until it is told to go on. Any thread. */
void source_stdin_pause(struct source_stdin *in, bool pause);
/* Stops reading where it is (spool_stop), waits for the thread. What was read is synced if it can be by
 * spool_free. */
void source_stdin_free(struct source_stdin **in);

#endif
