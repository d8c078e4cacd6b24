// SPDX-License-Identifier: Apache-2.0
/*
 * rules_search - which of some wished changes of modules can be made together, when not all can.
 *
 * All are tried at once. If that fails, those that have mistakes of their own are set aside and the rest is tried
 * again; if none has, one of them breaks what is not wished: it is found by trying the first half of them, and so
 * on. What was set aside is tried again with what was found, as its reason may be gone.
 *
 * Invariants: the set that is found was tried and was good; it does not depend on the order in which wishes came but
 * where two of them exclude each other. Tries are bounded: what is left over then is undecided.
 */
#ifndef FLOW_RULES_SEARCH_H
#define FLOW_RULES_SEARCH_H

#include <stdbool.h>
#include <stddef.h>

enum rules_try { RULES_TRY_GOOD, RULES_TRY_BAD, RULES_TRY_FAILED };

struct rules_search_ops {
    /* Would the wishes with in[i] do? BAD: blamed[i] is set for those that have mistakes themselves. FAILED: that
     * cannot be known now. */
    enum rules_try (*attempt)(void *ctx, const bool *in, bool *blamed);
    /* i is set aside, for what the last try that was BAD said; whole: for all of that, else for its own mistakes. */
    void (*blame)(void *ctx, size_t i, bool whole);
    void *ctx;
};

/* in_out, undecided_out: [n], false before. most: tries. False: FAILED; nothing is found. */
bool rules_search(const struct rules_search_ops *ops, size_t n, unsigned most, bool *in_out, bool *undecided_out);

#endif
