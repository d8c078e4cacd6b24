// SPDX-License-Identifier: Apache-2.0
#include "flow/group.h"

#include "base/mem.h"
#include "plan/program.h"

struct group_map *group_map_new(const struct program *const *prog, size_t n_programs,
                                const char *const *source, size_t n_sources)
{
    struct group_map *map = mem_calloc(1, sizeof *map);

    (void)source;
    map->n_groups = n_sources > 0;
    map->n_sources = n_sources;
    map->n_programs = n_programs;
    map->source = mem_calloc(n_sources + 1, sizeof *map->source);
    map->rule = mem_calloc(n_programs + 1, sizeof *map->rule);
    map->table = mem_calloc(n_programs + 1, sizeof *map->table);
    for (size_t i = 0; i < n_programs; i++) {
        map->rule[i] = mem_calloc(prog[i]->n_rules + 1, sizeof *map->rule[i]);
        map->table[i] = mem_calloc(prog[i]->n_tables + 1, sizeof *map->table[i]);
    }
    return map;
}

void group_map_free(struct group_map **mp)
{
    struct group_map *map = *mp;

    *mp = NULL;
    if (!map)
        return;
    for (size_t i = 0; i < map->n_programs; i++) {
        mem_free(map->rule[i]);
        mem_free(map->table[i]);
    }
    mem_free(map->rule);
    mem_free(map->table);
    mem_free(map->source);
    mem_free(map);
}
