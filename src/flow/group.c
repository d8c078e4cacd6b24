// SPDX-License-Identifier: Apache-2.0
/*
 * group - union-find over nodes: the sources, then of each program its rules and its tables.
 *
 *     rule  - the sources of the streams of its probes, the rules that make those that are derived
 *     rule  - the tables that it reads
 *     table - the same of its stream
 *
 * A set with a source in it is a group.
 */
#include "flow/group.h"

#include <string.h>

#include "base/mem.h"
#include "plan/program.h"

struct sets {
    uint32_t *parent;              /* [n]: of each node; a root is its own */
    uint32_t n;
    const char *const *source;     /* names of the first n_sources */
    size_t n_sources;
    const struct program *prog;    /* at work */
    uint32_t first_rule, first_table; /* its nodes */
    bool *seen;                    /* [prog->n_streams] by the walk */
};

static uint32_t find(struct sets *s, uint32_t node)
{
    while (s->parent[node] != node)
        node = s->parent[node] = s->parent[s->parent[node]];
    return node;
}

static void join(struct sets *s, uint32_t a, uint32_t b)
{
    a = find(s, a);
    b = find(s, b);
    if (a != b)
        s->parent[a > b ? a : b] = a < b ? a : b; /* so a root with a source is one */
}

static void join_source(struct sets *s, uint32_t node, const char *name)
{
    for (size_t i = 0; i < s->n_sources; i++)
        if (strcmp(s->source[i], name) == 0)
            join(s, node, (uint32_t)i);
}

static void join_makers(struct sets *s, uint32_t node, uint32_t stream)
{
    for (uint32_t r = 0; r < s->prog->n_rules; r++) {
        const struct program_rule *rule = &s->prog->rule[r];
        if (!rule->disabled && (rule->stream_own == stream || rule->stream_into == stream))
            join(s, node, s->first_rule + r);
    }
}

/* All that events of the stream come from. */
static void join_stream(struct sets *s, uint32_t node, uint32_t number)
{
    const struct program_stream *stream = &s->prog->stream[number];

    if (s->seen[number])
        return;
    s->seen[number] = true;
    if (number == 0) { /* any */
        for (size_t i = 0; i < s->n_sources; i++)
            if (!program_is_table_source(s->source[i]))
                join(s, node, (uint32_t)i);
    } else if (stream->is_derived) {
        join_makers(s, node, number);
    } else if (stream->is_source) {
        join_source(s, node, stream->name);
    }
    for (uint32_t i = 0; i < stream->n_inputs && number > 0; i++)
        join_stream(s, node, stream->input[i]);
}

static void join_rule(struct sets *s, const struct program_rule *rule)
{
    uint32_t node = s->first_rule + rule->number;

    if (rule->disabled)
        return;
    memset(s->seen, 0, s->prog->n_streams * sizeof *s->seen);
    for (uint32_t p = rule->first_probe; p < rule->first_probe + rule->n_probes; p++)
        for (uint32_t i = 0; i < s->prog->probe[p].n_streams; i++)
            join_stream(s, node, s->prog->probe[p].stream[i]);
    for (uint32_t i = 0; i < rule->n_tables; i++)
        if (s->prog->table[rule->table[i]].rows == NULL)
            join(s, node, s->first_table + rule->table[i]);
}

static void join_program(struct sets *s)
{
    s->seen = mem_calloc(s->prog->n_streams + 1, sizeof *s->seen);
    for (uint32_t r = 0; r < s->prog->n_rules; r++)
        join_rule(s, &s->prog->rule[r]);
    for (uint32_t t = 0; t < s->prog->n_tables; t++) {
        if (s->prog->table[t].rows != NULL)
            continue;
        memset(s->seen, 0, s->prog->n_streams * sizeof *s->seen);
        join_stream(s, s->first_table + t, s->prog->table[t].stream);
    }
    mem_free(s->seen);
}

/* ---- numbers --------------------------------------------------------------------------------- */

/* A source alone in its set is read by nobody. */
static bool *find_read(struct sets *s)
{
    bool *read = mem_calloc(s->n + 1, sizeof *read);

    for (uint32_t node = (uint32_t)s->n_sources; node < s->n; node++)
        read[find(s, node)] = true;
    return read;
}

static void number_sources(struct sets *s, struct group_map *map, uint32_t *group)
{
    bool *read = find_read(s);

    for (uint32_t node = 0; node < s->n; node++)
        group[node] = GROUP_NONE;
    for (uint32_t i = 0; i < s->n_sources; i++) {
        uint32_t root = find(s, i);
        if (read[root] && group[root] == GROUP_NONE)
            group[root] = map->n_groups++;
        map->source[i] = group[root];
    }
    mem_free(read);
}

static uint32_t *copy_groups(struct sets *s, const uint32_t *group, uint32_t first, uint32_t n)
{
    uint32_t *out = mem_calloc(n + 1, sizeof *out);

    for (uint32_t i = 0; i < n; i++)
        out[i] = group[find(s, first + i)];
    return out;
}

struct group_map *group_map_new(const struct program *const *prog, size_t n_programs,
                                const char *const *source, size_t n_sources)
{
    struct group_map *map = mem_calloc(1, sizeof *map);
    struct sets s = {.source = source, .n_sources = n_sources, .n = (uint32_t)n_sources};

    for (size_t i = 0; i < n_programs; i++)
        s.n += prog[i]->n_rules + prog[i]->n_tables;
    s.parent = mem_calloc(s.n + 1, sizeof *s.parent);
    for (uint32_t i = 0; i < s.n; i++)
        s.parent[i] = i;
    s.first_rule = (uint32_t)n_sources;
    for (size_t i = 0; i < n_programs; i++) {
        s.prog = prog[i];
        s.first_table = s.first_rule + s.prog->n_rules;
        join_program(&s);
        s.first_rule = s.first_table + s.prog->n_tables;
    }

    uint32_t *group = mem_calloc(s.n + 1, sizeof *group);
    map->n_sources = n_sources;
    map->n_programs = n_programs;
    map->source = mem_calloc(n_sources + 1, sizeof *map->source);
    map->rule = mem_calloc(n_programs + 1, sizeof(uint32_t *));
    map->table = mem_calloc(n_programs + 1, sizeof(uint32_t *));
    number_sources(&s, map, group);
    uint32_t first = (uint32_t)n_sources;
    for (size_t i = 0; i < n_programs; i++) {
        map->rule[i] = copy_groups(&s, group, first, prog[i]->n_rules);
        first += prog[i]->n_rules;
        map->table[i] = copy_groups(&s, group, first, prog[i]->n_tables);
        first += prog[i]->n_tables;
    }
    mem_free(group);
    mem_free(s.parent);
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
