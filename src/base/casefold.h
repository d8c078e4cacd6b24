// SPDX-License-Identifier: Apache-2.0
/* casefold - Unicode simple case folding and simple case mapping (ICU's uchar.h). */
#ifndef BASE_CASEFOLD_H
#define BASE_CASEFOLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;

uint32_t casefold_char(uint32_t cp);
/* Append the folded / lowered / uppered text; input is valid UTF-8. ASCII is a fast path. */
void casefold_add(struct buf *out, const char *text, size_t len);
void casefold_add_lower(struct buf *out, const char *text, size_t len);
void casefold_add_upper(struct buf *out, const char *text, size_t len);
/* Are both the same when folded? */
bool casefold_equal(const char *a, size_t a_len, const char *b, size_t b_len);
/* Is `needle`, which is already folded, in / at the start / at the end of the folded text? */
bool casefold_contains(const char *text, size_t len, const char *needle, size_t needle_len);
bool casefold_startswith(const char *text, size_t len, const char *needle, size_t needle_len);
bool casefold_endswith(const char *text, size_t len, const char *needle, size_t needle_len);

#endif
