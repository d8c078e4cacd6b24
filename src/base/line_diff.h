// SPDX-License-Identifier: Apache-2.0
/*
 * line_diff - what differs between two texts, by lines, as a unified diff with three lines around.
 *
 * A longest common subsequence by dynamic programming between what the texts have in common at both
 * ends; where that would take too much (LINE_DIFF_CELLS), the middle is told as replaced.
 */
#ifndef BASE_LINE_DIFF_H
#define BASE_LINE_DIFF_H

#include <stddef.h>

struct buf;

enum { LINE_DIFF_CELLS = 4000000 };

/* Appends; nothing if the texts are the same. */
void line_diff(struct buf *out, const char *old_name, const char *old_text, size_t old_len,
               const char *new_name, const char *new_text, size_t new_len);

#endif
