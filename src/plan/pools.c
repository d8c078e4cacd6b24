// SPDX-License-Identifier: Apache-2.0
/*
 * pools - constants found by value and type, patterns found by the declared list they come from.
 * Two constants are one only if they are the same in type too: 1 and 1.0 are equal, but overflow
 * differently.
 */
#include "plan/pools.h"

#include <string.h>

#include "base/arena.h"
#include "base/cidr.h"
#include "base/glob.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/regex.h"
#include "event/schema.h"

struct pools {
    struct arena *arena;            /* borrowed: texts, lists, patterns */
    struct pools_view view;         /* = the arrays below */
    struct value *value;            /* owned; [n_values] */
    const struct pattern **pattern; /* owned; [n_patterns] */
    struct pools_path *path;        /* owned; [n_paths] */
    size_t value_cap, pattern_cap, path_cap;
    uint32_t n_values, n_patterns, n_paths;
    struct hash_index *by_value;    /* scalars only */
};

struct pools *pools_new(struct arena *a)
{
    struct pools *pools = mem_calloc(1, sizeof *pools);

    pools->arena = a;
    pools->by_value = hash_index_new();
    return pools;
}

static void pattern_free_parts(const struct pattern *p)
{
    struct value_set *set = (struct value_set *)(uintptr_t)p->set;
    struct cidr_set *network = (struct cidr_set *)(uintptr_t)p->network;

    for (uint32_t i = 0; i < p->n && p->glob; i++) {
        struct glob *glob = p->glob[i];
        glob_free(&glob);
    }
    for (uint32_t i = 0; i < p->n && p->regex; i++) {
        struct regex *regex = p->regex[i];
        regex_free(&regex);
    }
    if (set)
        value_set_free(&set);
    if (network)
        cidr_set_free(&network);
}

void pools_free(struct pools **pools)
{
    struct pools *p = *pools;

    if (!p)
        return;
    for (uint32_t i = 0; i < p->n_patterns; i++)
        pattern_free_parts(p->pattern[i]);
    hash_index_free(&p->by_value);
    mem_free(p->value);
    mem_free(p->pattern);
    mem_free(p->path);
    mem_free(p);
    *pools = NULL;
}

static bool same_constant(uint64_t number, const void *key, void *ctx)
{
    const struct pools *pools = ctx;
    const struct value *v = key;

    return pools->value[number].type == v->type && value_same(pools->value[number], *v);
}

uint32_t pools_constant(struct pools *pools, struct value v)
{
    bool scalar = v.type != VALUE_LIST;
    uint64_t hash = scalar ? value_hash(v, v.type) : 0, found;

    if (scalar && hash_index_get(pools->by_value, hash, same_constant, &v, pools, &found))
        return (uint32_t)found;
    pools->value = vec_reserve(pools->value, &pools->value_cap, pools->n_values + 1,
                               sizeof *pools->value);
    pools->view.value = pools->value;
    pools->value[pools->n_values] = value_copy(v, pools->arena);
    if (scalar)
        hash_index_add(pools->by_value, hash, pools->n_values);
    return pools->n_values++;
}

uint32_t pools_pattern(struct pools *pools, const struct pattern *pattern)
{
    pools->pattern = vec_reserve(pools->pattern, &pools->pattern_cap, pools->n_patterns + 1,
                                 sizeof *pools->pattern);
    pools->view.pattern = pools->pattern;
    pools->pattern[pools->n_patterns] = arena_memdup(pools->arena, pattern, sizeof *pattern);
    return pools->n_patterns++;
}

uint32_t pools_path(struct pools *pools, const struct path_part *part, uint32_t n)
{
    struct path_part *copy = arena_memdup(pools->arena, part, n * sizeof *part);

    for (uint32_t i = 0; i < n; i++)
        if (part[i].name)
            copy[i].name = arena_strndup(pools->arena, part[i].name, part[i].len);
    pools->path = vec_reserve(pools->path, &pools->path_cap, pools->n_paths + 1,
                              sizeof *pools->path);
    pools->view.path = pools->path;
    pools->path[pools->n_paths] = (struct pools_path){ copy, n };
    return pools->n_paths++;
}

uint32_t pools_count_paths(const struct pools *pools)
{
    return pools->n_paths;
}

bool pools_find_pattern(const struct pools *pools, const char *name, enum pattern_kind kind,
                        bool fold, uint32_t *n_out)
{
    for (uint32_t i = 0; i < pools->n_patterns; i++) {
        const struct pattern *p = pools->pattern[i];
        if (p->kind == kind && p->fold == fold && p->name && strcmp(p->name, name) == 0) {
            *n_out = i;
            return true;
        }
    }
    return false;
}

const struct value *pools_value(const struct pools *pools, uint32_t n)
{
    return &pools->value[n];
}

const struct pattern *pools_get_pattern(const struct pools *pools, uint32_t n)
{
    return pools->pattern[n];
}

uint32_t pools_count_values(const struct pools *pools)
{
    return pools->n_values;
}

uint32_t pools_count_patterns(const struct pools *pools)
{
    return pools->n_patterns;
}

const struct pools_view *pools_view(const struct pools *pools)
{
    return &pools->view;
}

struct arena *pools_arena(struct pools *pools)
{
    return pools->arena;
}
