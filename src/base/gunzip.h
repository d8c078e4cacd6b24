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

struct gunzip;

struct gunzip *gunzip_new(int fd); /* takes fd */
void gunzip_free(struct gunzip **gz);
/* Up to `size` bytes of plain text: > 0 their number, 0 at a clean end, -1 on an error (truncated,
 * corrupt, read error): gunzip_error says what. Bytes before the fault are given first. */
ssize_t gunzip_read(struct gunzip *gz, void *data, size_t size);
const char *gunzip_error(const struct gunzip *gz); /* static or owned by gz */
long long gunzip_consumed(const struct gunzip *gz); /* bytes read from fd, for a progress bar */
const char *gunzip_version(void);

#endif
