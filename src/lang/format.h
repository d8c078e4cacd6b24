// SPDX-License-Identifier: Apache-2.0
/*
 * format - the canonical layout of a rule file; comments are kept.
 *
 * The tokens of the text stay as they are, in their order; only what stands between them changes:
 * line breaks, indentation, blanks. So nothing can get lost, and what comes out is checked all the
 * same before it is given: it has the same tokens and comments, and is read as the same tree.
 * Formatting twice is formatting once.
 *
 * What an author's line breaks decide: a blank line (one at most) stays between clauses, steps and
 * declarations; a condition stays broken where it was broken at `and` and `or`; a list, a JSON value
 * and a block of settings stay spread over lines if they were. Lines longer than FORMAT_WIDTH are
 * broken at `and`, `or`, and in lists.
 *
 * Read next: format_priv.h for how it is done.
 */
#ifndef LANG_FORMAT_H
#define LANG_FORMAT_H

#include <stddef.h>

struct buf;
struct diag;

enum { FORMAT_WIDTH = 100 };

enum format_result {
    FORMAT_OK,
    FORMAT_SYNTAX,   /* the text is no rule file: diag says why */
    FORMAT_INTERNAL, /* the result is not the same rules: a fault of the formatter; diag says so */
};

/* Appends the text of file `name` (for messages) in canonical layout. */
enum format_result format_text(const char *name, const char *text, size_t len, struct diag *diag,
                               struct buf *out);

#endif
