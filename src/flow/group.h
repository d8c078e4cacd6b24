// SPDX-License-Identifier: Apache-2.0
/*
 * group - which sources have to be put in one order: those that any rule reads together, also
 * through streams that rules make and through tables that events feed. Each group has an order
 * stage, a frontier and an engine of its own.
 * Groups are numbered by their first source, so the same rules give the same numbers.
 */
#ifndef FLOW_GROUP_H
#define FLOW_GROUP_H

#include <stddef.h>
#include <stdint.h>

struct program;

#define GROUP_NONE UINT32_MAX /* nobody reads it; a rule that reads no source */

struct group_map {       /* owned; const once made */
    uint32_t n_groups;
    uint32_t *source;    /* [n_sources]: group of each, or GROUP_NONE */
    size_t n_sources;
    uint32_t **rule;     /* [n_programs][n_rules] */
    uint32_t **table;    /* [n_programs][n_tables]; GROUP_NONE: rows of a file, or nobody feeds it */
    size_t n_programs;
};

/* source: names of all the sources there are (`any` is all of them). What any of the programs reads
 * together is together: those that drain count too. Borrows nothing. */
struct group_map *group_map_new(const struct program *const *prog, size_t n_programs,
                                const char *const *source, size_t n_sources);
void group_map_free(struct group_map **map);

#endif
