// SPDX-License-Identifier: Apache-2.0
/*
 * regex - PCRE2 with JIT: unanchored, UTF, never joined with others, a match limit so that no
 * pattern can hold the engine up. Text must be valid UTF-8 (it was checked when it was decoded), so
 * matching runs with PCRE2_NO_UTF_CHECK. A struct regex is const after regex_new and may be used
 * by several threads, each with a regex_scratch of its own.
 */
#ifndef BASE_REGEX_H
#define BASE_REGEX_H

#include <stdbool.h>
#include <stddef.h>

enum regex_result { REGEX_NO, REGEX_YES, REGEX_LIMIT };

struct regex;
struct regex_scratch; /* match data, JIT stack */

/* NULL on a bad pattern: *error_out (returns owned, mem_free) and *offset_out (bytes). */
struct regex *regex_new(const char *pattern, size_t len, bool fold, char **error_out,
                        size_t *offset_out);
void regex_free(struct regex **re);
struct regex_scratch *regex_scratch_new(void);
void regex_scratch_free(struct regex_scratch **rs);
enum regex_result regex_match(const struct regex *re, struct regex_scratch *rs, const char *text,
                              size_t len);
/* As regex_match; on REGEX_YES capture group n (0 the whole) at *start_out, *len_out; a group that
 * took no part, or does not exist, gives REGEX_NO. */
enum regex_result regex_group(const struct regex *re, struct regex_scratch *rs, const char *text,
                              size_t len, unsigned n, size_t *start_out, size_t *len_out);
unsigned regex_groups(const struct regex *re); /* number of capture groups */
const char *regex_version(void);

#endif
