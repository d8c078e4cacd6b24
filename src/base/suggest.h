// SPDX-License-Identifier: Apache-2.0
/*
 * suggest - "did you mean": the nearest of some names by optimal string alignment distance
 * (Damerau-Levenshtein with adjacent transpositions, Boytsov 2011), ASCII case ignored.
 */
#ifndef BASE_SUGGEST_H
#define BASE_SUGGEST_H

#include <stddef.h>

struct suggest {
    const char *want;     /* what was written; borrowed */
    const char *best;     /* nearest so far or NULL; borrowed from the caller of suggest_try */
    size_t best_distance;
};

void suggest_init(struct suggest *s, const char *want);
void suggest_try(struct suggest *s, const char *name);
/* The nearest name if it is near enough (distance <= max(1, length/3)), else NULL. */
const char *suggest_result(const struct suggest *s);

#endif
