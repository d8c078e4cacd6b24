// SPDX-License-Identifier: Apache-2.0
/* read_all - a file, or what a pipe brings, whole and in memory. */
#ifndef BASE_READ_ALL_H
#define BASE_READ_ALL_H

#include <stdbool.h>
#include <stddef.h>

struct buf;

/* Appends what is left of fd to out, and ends when there is more than `most` in it: the caller asks out->len, and
 * tells it. False, and errno, if it cannot be read. */
bool read_all(int fd, size_t most, struct buf *out);

#endif
