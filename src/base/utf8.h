// SPDX-License-Identifier: Apache-2.0
/* utf8 - validation and stepping. Strict: no overlong forms, no surrogates, at most U+10FFFF. */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

bool utf8_valid(const char *text, size_t len, size_t *bad_at_out); /* bad_at_out may be NULL */
/* Decodes one code point of valid UTF-8 at *pos (< len) and moves *pos behind it. */
uint32_t utf8_next(const char *text, size_t len, size_t *pos);
size_t utf8_encode(uint32_t cp, char out[4]); /* bytes written, 1-4 */
size_t utf8_length(const char *text, size_t len); /* code points */
/* Controls, which could move the cursor of a terminal, and those that would show text in another order than it is
 * in (line breaks and tabs too). */
bool utf8_is_hidden(uint32_t cp);

#endif
