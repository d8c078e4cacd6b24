// SPDX-License-Identifier: Apache-2.0
/*
 * parse_hint - what was probably meant where a token does not fit: a word that is nearly one of those that could stand
 * there, what another language would have there (habit.def), a word that needs back quotes.
 */
#ifndef LANG_PARSE_HINT_H
#define LANG_PARSE_HINT_H

#include <stdbool.h>

#include "base/diag.h"

struct parse;

enum { PARSE_MAX_EXPECTED = 200 };

struct parse_expected {
    const char *all[PARSE_MAX_EXPECTED]; /* as the parser has it */
    int n_all;
    const char *shown[PARSE_MAX_EXPECTED]; /* folded */
    int n;
};

/* Could this token have stood there? */
bool parse_expects(const struct parse_expected *e, const char *name);
/* Is it the name of a comparison? */
bool parse_is_comparison(const char *name);
/* Adds a hint to the message that was just reported, if there is one. span: of the token, found: its name. */
void parse_hint(struct parse *p, const struct parse_expected *e, struct span span, const char *found);

#endif
