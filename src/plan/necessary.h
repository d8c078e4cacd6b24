// SPDX-License-Identifier: Apache-2.0
/*
 * necessary - what must be true of an event for a condition to be true of it: the key under which
 * the candidate index files a probe. Sound, not complete: an event that does not fulfil it cannot
 * fulfil the condition; the other way round the vm decides.
 */
#ifndef PLAN_NECESSARY_H
#define PLAN_NECESSARY_H

#include <stdbool.h>
#include <stdint.h>

struct arena;
struct ast_expr;
struct expr_context;
struct value;

enum { NECESSARY_MAX_VALUES = 1000 };

struct necessary {
    enum {
        NECESSARY_NONE,
        NECESSARY_EQUALS, /* slot, or an element of its list, equals (value_same) one of value[n] */
        NECESSARY_EXISTS, /* slot is not missing */
    } kind;
    uint32_t slot;
    const struct value *value; /* texts, numbers and bools; in the arena */
    uint32_t n;                /* 0: no event can fulfil it */
};

/* The best of a conjunction: the fewest values, or else a field that exists; the first of equals.
 * Of cx only the declared lists are used. Returns out->kind != NECESSARY_NONE. */
bool necessary_find(const struct expr_context *cx, struct ast_expr *const *conjunct, uint32_t n,
                    struct arena *a, struct necessary *out);

#endif
