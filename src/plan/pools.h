// SPDX-License-Identifier: Apache-2.0
/*
 * pools - what bytecode refers to by number: constants, regexes, globs, networks, value sets.
 * Grown while compiling, const after program_seal; owned by the program.
 */
#ifndef PLAN_POOLS_H
#define PLAN_POOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event/value.h"

struct arena;
struct cidr_set;
struct glob;
struct regex;

/* What the right side of a text operator, or a declared list, can be matched by. */
enum pattern_kind { PATTERN_SET, PATTERN_GLOBS, PATTERN_REGEXES, PATTERN_NETWORKS, PATTERN_PARTS };

struct value_set; /* hash set of values; text optionally folded */

struct pattern {
    enum pattern_kind kind;
    bool fold;
    const char *name;               /* of the declared list, or NULL */
    const struct value_set *set;    /* PATTERN_SET */
    struct glob *const *glob;
    struct regex *const *regex;
    const struct cidr_set *network;
    const struct value *part;       /* contains, startswith, endswith: texts, folded if fold */
    uint32_t n;                     /* members: values, globs, regexes, networks, parts */
    const struct value *source;     /* [n] as written, for the disassembler; NULL: not kept */
};

struct path_part;
struct pools_path;

/* What the vm reads: arrays by number. They move while the pools grow, so they are read through
 * this; the struct itself stays where it is. */
struct pools_view {
    const struct value *value;
    const struct pattern *const *pattern;
    const struct pools_path *path;
};

/* A path within an object, for MEMBER. */
struct pools_path {
    const struct path_part *part;
    uint32_t n;
};

struct pools;

struct pools *pools_new(struct arena *a);     /* borrows the program's arena */
void pools_free(struct pools **pools);        /* frees regexes, globs, networks, sets */
uint32_t pools_constant(struct pools *pools, struct value v); /* finds or adds; deep copy */
uint32_t pools_pattern(struct pools *pools, const struct pattern *pattern); /* takes its parts */
uint32_t pools_path(struct pools *pools, const struct path_part *part, uint32_t n); /* deep copy */
uint32_t pools_count_paths(const struct pools *pools);
/* The pattern of a declared list that was added before with this name, kind and fold. */
bool pools_find_pattern(const struct pools *pools, const char *name, enum pattern_kind kind,
                        bool fold, uint32_t *n_out);
const struct value *pools_value(const struct pools *pools, uint32_t n);
const struct pattern *pools_get_pattern(const struct pools *pools, uint32_t n);
uint32_t pools_count_values(const struct pools *pools);
uint32_t pools_count_patterns(const struct pools *pools);
const struct pools_view *pools_view(const struct pools *pools); /* lives as the pools */
struct arena *pools_arena(struct pools *pools);

struct value_set *value_set_new(bool fold);
void value_set_free(struct value_set **set);
void value_set_add(struct value_set *set, struct value v); /* deep copy */
bool value_set_has(const struct value_set *set, struct value v);
/* Does the set hold a value of v's type (any kind of number is one type)? */
bool value_set_comparable(const struct value_set *set, struct value v);
uint32_t value_set_count(const struct value_set *set);
/* Iteration, for indexes: the i-th value in order of adding. */
struct value value_set_at(const struct value_set *set, uint32_t i);

#endif
