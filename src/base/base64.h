// SPDX-License-Identifier: Apache-2.0
/* base64 - RFC 4648 section 4, strictly: nothing but the alphabet and its padding, which may be left out. */
#ifndef BASE_BASE64_H
#define BASE_BASE64_H

#include <stdbool.h>
#include <stddef.h>

struct buf;

void base64_add(struct buf *out, const void *data, size_t len); /* with padding */
/* Appends the bytes. False, and nothing added, if the text is no base64. */
bool base64_decode(const char *text, size_t len, struct buf *out);

#endif
