// SPDX-License-Identifier: Apache-2.0
/*
 * operate - what the operators of the language do with values (language section 2): pure, shared by
 * constant folding and the vm, so that folding can never change a meaning.
 *
 * A relation compares two values and is true or false, never missing:
 *  1. either side missing: false, for the negative relations too.
 *  2. a list stands for its elements, also nested ones; null elements are passed over. A positive
 *     relation is true if it is for any pair. A negative one (NE, NOT_*) is true if there are
 *     comparable pairs and none of them is equal (matches). So [v] behaves as v.
 *  3. values of different types cannot be compared: such pairs are passed over. When that leaves
 *     none the relation is false and a type clash is counted.
 *  4. an empty list on the left compares false. On the right it holds nothing: false, and the
 *     negative relations but NE are true of any value that is there.
 *  5. CONTAINS_ALL: one and the same text has all parts (false for no parts).
 */
#ifndef PLAN_OPERATE_H
#define PLAN_OPERATE_H

#include <stdbool.h>
#include <stdint.h>

#include "event/value.h"

struct arena;
struct path_part;
struct pattern;
struct regex_scratch;

struct vm_counters {
    uint64_t type_clash;   /* comparisons of different types */
    uint64_t regex_limit;  /* regex that hit its match limit */
};

/* What an operation may need besides its operands. */
struct operate {
    struct arena *arena;          /* results: texts, lists */
    struct regex_scratch *regex;
    struct vm_counters *counters; /* never NULL */
};

/* Those up to NOT_ENDSWITH come in pairs, positive (even) and negative (odd). */
enum relation {
    RELATION_EQ,
    RELATION_NE,
    RELATION_IN,
    RELATION_NOT_IN,
    RELATION_LIKE,
    RELATION_NOT_LIKE,
    RELATION_REGEX,
    RELATION_NOT_REGEX,
    RELATION_CONTAINS,
    RELATION_NOT_CONTAINS,
    RELATION_CONTAINS_ALL,
    RELATION_NOT_CONTAINS_ALL,
    RELATION_STARTSWITH,
    RELATION_NOT_STARTSWITH,
    RELATION_ENDSWITH,
    RELATION_NOT_ENDSWITH,
    RELATION_LT,
    RELATION_LE,
    RELATION_GT,
    RELATION_GE,
    RELATION_COUNT
};
const char *relation_name(enum relation relation); /* "==", "not in" ... */
static inline bool relation_negative(enum relation r) { return r < RELATION_LT && (r & 1); }
static inline enum relation relation_positive(enum relation r) { return relation_negative(r) ? r - 1 : r; }

/* Any relation but LIKE and REGEX and their negatives: their right sides are patterns. */
bool operate_compare(const struct operate *op, enum relation relation, bool fold, struct value x,
                     struct value y);
/* EQ, NE, IN, LIKE, REGEX, CONTAINS ... and the negatives, against a compiled right side. */
bool operate_match(const struct operate *op, enum relation relation, struct value x,
                   const struct pattern *pattern);
/* Capture group of the first match in a text, missing without one. pattern: one regex. */
struct value operate_extract(const struct operate *op, struct value x,
                             const struct pattern *pattern, unsigned group);

/* The field part[0..n) of an object, or of the objects of a list; missing without one.
 * function_member.c */
struct value operate_member(const struct operate *op, struct value x, const struct path_part *part,
                            uint32_t n);

static inline bool operate_truth(struct value v) { return v.type == VALUE_BOOL && v.u.b; }

/* function_number.c; the meaning of each stands in opcode.def. */
struct value operate_add(struct value x, struct value y);
struct value operate_sub(struct value x, struct value y);
struct value operate_mul(struct value x, struct value y);
struct value operate_div(struct value x, struct value y);
struct value operate_mod(struct value x, struct value y);
struct value operate_neg(struct value x);

#endif
