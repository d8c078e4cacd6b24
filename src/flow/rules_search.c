// SPDX-License-Identifier: Apache-2.0
#include "flow/rules_search.h"

#include <string.h>

#include "base/mem.h"

enum { FEW = 4 }; /* set aside: tried again one by one */

struct search {
    const struct rules_search_ops *ops;
    size_t n;
    unsigned left;     /* tries */
    bool failed;
    bool *in;          /* known to be good together */
    bool *with;        /* scratch: in, and what is tried with it */
    bool *blamed;
};

static size_t count(const bool *set, size_t n)
{
    size_t c = 0;

    for (size_t i = 0; i < n; i++)
        c += set[i];
    return c;
}

/* in with the first `most` of the candidates. */
static enum rules_try attempt(struct search *s, const bool *candidate, size_t most)
{
    size_t taken = 0;

    s->left--;
    memcpy(s->with, s->in, s->n * sizeof *s->with);
    for (size_t i = 0; i < s->n && taken < most; i++)
        if (candidate[i]) {
            s->with[i] = true;
            taken++;
        }
    memset(s->blamed, 0, s->n * sizeof *s->blamed);
    enum rules_try found = s->ops->attempt(s->ops->ctx, s->with, s->blamed);
    s->failed |= found == RULES_TRY_FAILED;
    return found;
}

/* Candidates that are blamed are none any more. Were there any? */
static bool set_blamed_aside(struct search *s, bool *candidate)
{
    bool any = false;

    for (size_t i = 0; i < s->n; i++)
        if (candidate[i] && s->blamed[i]) {
            candidate[i] = false;
            s->ops->blame(s->ops->ctx, i, false);
            any = true;
        }
    return any;
}

/* The first `most` of the candidates are good. */
static void take_in(struct search *s, bool *candidate, size_t most)
{
    for (size_t i = 0; i < s->n && most > 0; i++)
        if (candidate[i]) {
            candidate[i] = false;
            s->in[i] = true;
            most--;
        }
}

static void set_first_aside(struct search *s, bool *candidate)
{
    for (size_t i = 0; i < s->n; i++)
        if (candidate[i]) {
            candidate[i] = false;
            s->ops->blame(s->ops->ctx, i, true);
            return;
        }
}

/* All candidates together are bad and none has mistakes of its own: finds the one of which what is before it is
 * good and it is not. */
static void find_culprit(struct search *s, bool *candidate)
{
    size_t good = 0, bad = count(candidate, s->n);

    while (bad - good > 1 && s->left > 0) {
        size_t middle = good + (bad - good) / 2;
        enum rules_try found = attempt(s, candidate, middle);
        if (found == RULES_TRY_FAILED)
            return;
        if (found == RULES_TRY_GOOD)
            good = middle;
        else
            bad = middle;
    }
    take_in(s, candidate, good);
    if (bad - good == 1)
        set_first_aside(s, candidate);
}

/* Takes in what it can of the candidates; those that stay candidates are undecided. */
static void grow(struct search *s, bool *candidate)
{
    while (count(candidate, s->n) > 0 && s->left > 0 && !s->failed) {
        switch (attempt(s, candidate, s->n)) {
        case RULES_TRY_GOOD:
            take_in(s, candidate, s->n);
            return;
        case RULES_TRY_BAD:
            if (!set_blamed_aside(s, candidate))
                find_culprit(s, candidate);
            break;
        case RULES_TRY_FAILED:
            return;
        }
    }
}

/* Has each of those that were set aside still its reason? */
static void try_again(struct search *s, const bool *undecided)
{
    bool *candidate = mem_calloc(s->n + 1, sizeof *candidate);

    for (bool progress = true; progress && !s->failed && s->left > 0;) {
        size_t before = count(s->in, s->n), aside = 0;
        for (size_t i = 0; i < s->n; i++)
            aside += candidate[i] = !s->in[i] && !undecided[i];
        if (aside == 0 || s->n == 1)
            break;
        if (aside > FEW) {
            grow(s, candidate);
        } else {
            for (size_t i = 0; i < s->n; i++) {
                bool was = candidate[i];
                bool *one = mem_calloc(s->n + 1, sizeof *one);
                one[i] = was;
                if (was)
                    grow(s, one);
                mem_free(one);
            }
        }
        progress = count(s->in, s->n) > before;
    }
    mem_free(candidate);
}

bool rules_search(const struct rules_search_ops *ops, size_t n, unsigned most, bool *in_out, bool *undecided_out)
{
    struct search s = {.ops = ops, .n = n, .left = most, .in = in_out};

    s.with = mem_calloc(n + 1, sizeof *s.with);
    s.blamed = mem_calloc(n + 1, sizeof *s.blamed);
    for (size_t i = 0; i < n; i++)
        undecided_out[i] = true;
    grow(&s, undecided_out);
    try_again(&s, undecided_out);
    mem_free(s.with);
    mem_free(s.blamed);
    return !s.failed;
}
