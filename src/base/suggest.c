// SPDX-License-Identifier: Apache-2.0
/*
 * suggest - a typing mistake as an edit: insert, delete, replace, or swap two neighbours.
 *
 * Three rows of the optimal string alignment matrix are enough: the swap looks back two rows. Names
 * longer than SUGGEST_MAX are nobody's typing mistake and are passed over.
 */
#include "base/suggest.h"

#include <stdint.h>
#include <string.h>

enum { SUGGEST_MAX = 100 }; /* bytes */

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Both at most SUGGEST_MAX bytes. */
static size_t distance(const char *a, size_t a_len, const char *b, size_t b_len)
{
    size_t rows[3][SUGGEST_MAX + 1];
    size_t *before = rows[0], *last = rows[1], *row = rows[2];

    for (size_t j = 0; j <= b_len; j++)
        last[j] = before[j] = j;
    for (size_t i = 1; i <= a_len; i++) {
        row[0] = i;
        for (size_t j = 1; j <= b_len; j++) {
            char x = lower(a[i - 1]), y = lower(b[j - 1]);
            row[j] = least(least(row[j - 1], last[j]) + 1, last[j - 1] + (x != y));
            if (i > 1 && j > 1 && x == lower(b[j - 2]) && y == lower(a[i - 2]))
                row[j] = least(row[j], before[j - 2] + 1);
        }
        size_t *spare = before;
        before = last;
        last = row;
        row = spare;
    }
    return last[b_len];
}

void suggest_init(struct suggest *s, const char *want)
{
    *s = (struct suggest){ .want = want, .best_distance = SIZE_MAX };
}

void suggest_try(struct suggest *s, const char *name)
{
    size_t want_len = strlen(s->want), name_len = strlen(name);

    if (want_len > SUGGEST_MAX || name_len > SUGGEST_MAX)
        return;
    size_t d = distance(s->want, want_len, name, name_len);
    if (d < s->best_distance) {
        s->best = name;
        s->best_distance = d;
    }
}

const char *suggest_result(const struct suggest *s)
{
    size_t limit = strlen(s->want) / 3;

    return s->best && s->best_distance <= (limit ? limit : 1) ? s->best : NULL;
}
