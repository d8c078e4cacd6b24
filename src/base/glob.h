// SPDX-License-Identifier: Apache-2.0
/*
 * glob - the patterns of `like`: `*` any run of characters, `?` one code point, `[*] [?] [[]` the
 * literal character; everything else, the backslash too, is itself. At most text x pattern steps:
 * never exponential. Pattern and text are valid UTF-8. With fold, they are
 * compared by Unicode simple case folding.
 */
#ifndef BASE_GLOB_H
#define BASE_GLOB_H

#include <stdbool.h>
#include <stddef.h>

struct glob;

struct glob *glob_new(const char *pattern, size_t len, bool fold); /* returns owned; never fails */
void glob_free(struct glob **g);
bool glob_match(const struct glob *g, const char *text, size_t len);

#endif
