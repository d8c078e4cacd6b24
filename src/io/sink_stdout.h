// SPDX-License-Identifier: Apache-2.0
/*
 * sink_stdout - lines to standard output (or another descriptor), at least once: after a kill, what was
 * written and not yet acknowledged is written again.
 *
 * A reader that takes nothing holds the sink up, and nothing else, until sink_interrupt. When it is
 * gone, deliver and flush fail (SIGPIPE must be ignored, or blocked in the sink's thread). A failure in
 * the middle of a line: a line end comes first when writing goes on.
 */
#ifndef IO_SINK_STDOUT_H
#define IO_SINK_STDOUT_H

struct sink;

struct sink *sink_stdout_new(const char *name, int fd); /* name is copied; fd is borrowed */

#endif
