// SPDX-License-Identifier: Apache-2.0
/*
 * gunzip - reads a file descriptor, plain or gzip (told by its first two bytes; several members one
 * after the other are one text; zlib). Errors are outside failures: a message, never an abort.
 */
#ifndef BASE_GUNZIP_H
#define BASE_GUNZIP_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct buf;
struct gunzip;

struct gunzip *gunzip_new(int fd); /* takes fd */
void gunzip_free(struct gunzip **gz);
/* Up to `size` bytes of plain text: > 0 their number, 0 at a clean end, -1 on an error (truncated,
 * corrupt, read error): gunzip_error says what. Bytes before the fault are given first. */
ssize_t gunzip_read(struct gunzip *gz, void *data, size_t size);
const char *gunzip_error(const struct gunzip *gz); /* static or owned by gz */
long long gunzip_consumed(const struct gunzip *gz); /* bytes read from fd, for a progress bar */
/* All of a gzip that is in memory, appended to out: at most about `most` bytes are made of it, so that
 * a small text that unpacks into a huge one costs no more. Broken: what is wrong is in why. */
enum gunzip_result { GUNZIP_OK, GUNZIP_BROKEN, GUNZIP_TOO_LARGE };
enum gunzip_result gunzip_memory(const void *data, size_t len, size_t most, struct buf *out,
                                 char *why, size_t why_size);
const char *gunzip_version(void);

#endif
