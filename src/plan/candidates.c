// SPDX-License-Identifier: Apache-2.0
/*
 * candidates - the index from an event's few values to the probes that it may fit.
 *
 * An event whose value is of another type than all constants of a probe is a candidate of it too:
 * the comparison is false, but it is counted as one of different types (a rule that is dead because
 * its source changed a number to text must be seen).
 *
 * Three files, each probe in exactly one:
 *   by value    (slot, constant) -> probes: "field == constant" is necessary
 *   by field    slot -> probes: "field exists" is necessary
 *   by source   source stream -> probes: nothing else is known
 * With a probe under several constants (`in [a, b]`) it is filed under each. The set of bits of
 * what was found makes the answer ascending and free of duplicates.
 */
#include "plan/candidates.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/mem.h"
#include "event/event.h"
#include "event/schema.h"
#include "plan/necessary.h"
#include "plan/program.h"

struct entry { /* of the value table: open addressing, hash 0 = free */
    uint64_t hash;
    const struct value *value;
    uint32_t slot;
    uint32_t first, n; /* in `probe` */
};

struct probe_list {
    uint32_t *probe;
    uint32_t n, cap;
};

enum { KIND_TEXT, KIND_NUMBER, KIND_BOOL, KIND_OTHER, KINDS };

struct value_slot {
    uint32_t slot;
    struct probe_list clash[KINDS]; /* probes without a constant of this kind */
};

struct candidates {
    struct entry *entry;
    uint32_t mask;            /* table size - 1 */
    const uint32_t *probe;    /* of the value table */
    struct value_slot *value_slot; /* slots that the value table knows */
    uint32_t n_value_slots;
    uint32_t *field_slot;     /* slots with a by-field list */
    struct probe_list *field;
    uint32_t n_field_slots;
    struct probe_list *source; /* [n_streams]; index 0 (`any`): for sources that no rule names */
    uint64_t *reads;          /* [n_streams][n_words] probes that read a source at all */
    uint32_t n_streams;
    uint32_t n_words;
};

struct filing { /* one (slot, value) -> probe, before the table is made */
    uint64_t hash;
    const struct value *value;
    uint32_t slot, probe;
};

static int filing_order(const void *a, const void *b)
{
    const struct filing *x = a, *y = b;
    if (x->hash != y->hash)
        return x->hash < y->hash ? -1 : 1;
    return x->probe < y->probe ? -1 : x->probe > y->probe;
}

static uint64_t value_key(uint32_t slot, struct value v)
{
    uint64_t hash = value_hash(v, slot);
    return hash != 0 ? hash : 1;
}

static bool stream_reads(const struct program *prog, uint32_t stream, uint32_t source)
{
    const struct program_stream *st = &prog->stream[stream];
    if (stream == source ||
        (stream == 0 && !prog->stream[source].is_derived && !prog->stream[source].is_table))
        return true;
    for (uint32_t i = 0; i < st->n_inputs; i++) {
        if (stream_reads(prog, st->input[i], source))
            return true;
    }
    return false;
}

static void list_add(struct probe_list *list, uint32_t probe, struct arena *a)
{
    if (list->n == list->cap) {
        uint32_t cap = list->cap == 0 ? 8 : list->cap * 2;
        uint32_t *grown = arena_alloc(a, cap * sizeof *grown);
        if (list->n > 0)
            memcpy(grown, list->probe, list->n * sizeof *grown);
        list->probe = grown;
        list->cap = cap;
    }
    list->probe[list->n++] = probe;
}

/* Under all sources that it reads: by its bit, and, when nothing else is known, in their lists. */
static void file_by_source(struct candidates *ca, const struct program *prog, uint32_t probe,
                           bool list, struct arena *a)
{
    const struct program_probe *pr = &prog->probe[probe];
    for (uint32_t s = 0; s < prog->n_streams; s++) {
        if (s != 0 && !prog->stream[s].is_source)
            continue;
        bool reads = false;
        for (uint32_t i = 0; i < pr->n_streams && !reads; i++)
            reads = stream_reads(prog, pr->stream[i], s);
        if (!reads)
            continue;
        ca->reads[(size_t)s * ca->n_words + probe / 64] |= UINT64_C(1) << (probe & 63);
        if (list)
            list_add(&ca->source[s], probe, a);
    }
}

static void file_by_field(struct candidates *ca, uint32_t slot, uint32_t probe, struct arena *a)
{
    for (uint32_t i = 0; i < ca->n_field_slots; i++) {
        if (ca->field_slot[i] == slot) {
            list_add(&ca->field[i], probe, a);
            return;
        }
    }
    ca->field_slot[ca->n_field_slots] = slot;
    list_add(&ca->field[ca->n_field_slots++], probe, a);
}

static int kind_of(struct value v)
{
    switch ((enum value_type)v.type) {
    case VALUE_TEXT: return KIND_TEXT;
    case VALUE_INT:
    case VALUE_DOUBLE: return KIND_NUMBER;
    case VALUE_BOOL: return KIND_BOOL;
    default: return KIND_OTHER;
    }
}

static struct value_slot *get_value_slot(struct candidates *ca, uint32_t slot)
{
    for (uint32_t i = 0; i < ca->n_value_slots; i++) {
        if (ca->value_slot[i].slot == slot)
            return &ca->value_slot[i];
    }
    ca->value_slot[ca->n_value_slots].slot = slot;
    return &ca->value_slot[ca->n_value_slots++];
}

static void file_clashes(struct candidates *ca, const struct necessary *ne, uint32_t probe,
                         struct arena *a)
{
    struct value_slot *vs = get_value_slot(ca, ne->slot);
    bool has[KINDS] = {false};
    for (uint32_t i = 0; i < ne->n; i++)
        has[kind_of(ne->value[i])] = true;
    for (int kind = 0; kind < KINDS; kind++) {
        if (!has[kind])
            list_add(&vs->clash[kind], probe, a);
    }
}

/* Entries of equal hash but different value follow one another in the table: look-ups go on. */
static void build_table(struct candidates *ca, struct filing *filing, size_t n, struct arena *a)
{
    size_t size = 16;
    while (size < n * 2)
        size *= 2;
    ca->entry = arena_alloc(a, size * sizeof *ca->entry);
    ca->mask = (uint32_t)(size - 1);
    uint32_t *probe = arena_alloc(a, (n + 1) * sizeof *probe);
    ca->probe = probe;
    if (n > 1)
        qsort(filing, n, sizeof *filing, filing_order);
    for (size_t i = 0; i < n;) {
        size_t at = filing[i].hash & ca->mask, j = i;
        while (ca->entry[at].hash != 0)
            at = (at + 1) & ca->mask;
        /* Values with one 64-bit hash share an entry: the verification by bytecode tells them apart. */
        for (; j < n && filing[j].hash == filing[i].hash; j++)
            probe[j] = filing[j].probe;
        ca->entry[at] = (struct entry){.hash = filing[i].hash, .value = filing[i].value,
                                       .slot = filing[i].slot, .first = (uint32_t)i,
                                       .n = (uint32_t)(j - i)};
        i = j;
    }
}

const struct candidates *candidates_build(const struct program *prog,
                                          const struct necessary *necessary, bool index,
                                          struct arena *a)
{
    struct candidates *ca = arena_alloc(a, sizeof *ca);
    uint32_t n_slots = schema_count(prog->schema);
    ca->n_streams = prog->n_streams;
    ca->n_words = (prog->n_probes + 63) / 64;
    ca->source = arena_alloc(a, prog->n_streams * sizeof *ca->source);
    ca->reads = arena_alloc(a, ((size_t)prog->n_streams * ca->n_words + 1) * sizeof *ca->reads);
    ca->value_slot = arena_alloc(a, (n_slots + 1) * sizeof *ca->value_slot);
    ca->field_slot = arena_alloc(a, (n_slots + 1) * sizeof *ca->field_slot);
    ca->field = arena_alloc(a, (n_slots + 1) * sizeof *ca->field);
    struct filing *filing = NULL;
    size_t n = 0, cap = 0;
    for (uint32_t p = 0; p < prog->n_probes; p++) {
        const struct necessary *ne = &necessary[p];
        uint32_t rule = prog->probe[p].rule;
        if (rule != PROGRAM_NO_RULE && prog->rule[rule].disabled)
            continue;
        bool unknown = !index || ne->kind == NECESSARY_NONE;
        file_by_source(ca, prog, p, unknown, a);
        if (unknown) {
            continue;
        } else if (ne->kind == NECESSARY_EXISTS) {
            file_by_field(ca, ne->slot, p, a);
        } else {
            file_clashes(ca, ne, p, a);
            for (uint32_t i = 0; i < ne->n; i++) {
                filing = vec_reserve(filing, &cap, n + 1, sizeof *filing);
                filing[n++] = (struct filing){.hash = value_key(ne->slot, ne->value[i]),
                                              .value = &ne->value[i], .slot = ne->slot, .probe = p};
            }
        }
    }
    build_table(ca, filing, n, a);
    mem_free(filing);
    return ca;
}

static void mark(const uint32_t *probe, uint32_t n, uint64_t *seen)
{
    for (uint32_t i = 0; i < n; i++)
        seen[probe[i] >> 6] |= UINT64_C(1) << (probe[i] & 63);
}

static void mark_value(const struct candidates *ca, const struct value_slot *vs, struct value v,
                       uint64_t *seen)
{
    if (v.type == VALUE_LIST) {
        for (uint32_t i = 0; i < v.len; i++)
            mark_value(ca, vs, v.u.list[i], seen);
        return;
    }
    const struct probe_list *clash = &vs->clash[kind_of(v)];
    if (clash->n > 0)
        mark(clash->probe, clash->n, seen);
    uint64_t hash = value_key(vs->slot, v);
    for (size_t at = hash & ca->mask; ca->entry[at].hash != 0; at = (at + 1) & ca->mask) {
        if (ca->entry[at].hash == hash) {
            mark(ca->probe + ca->entry[at].first, ca->entry[at].n, seen);
            return;
        }
    }
}

uint32_t candidates_find(const struct candidates *ca, const struct event *ev, uint64_t *seen,
                         uint32_t *found)
{
    for (uint32_t i = 0; i < ca->n_value_slots; i++) {
        struct value v = ev->slot[ca->value_slot[i].slot];
        if (v.type != VALUE_MISSING)
            mark_value(ca, &ca->value_slot[i], v, seen);
    }
    for (uint32_t i = 0; i < ca->n_field_slots; i++) {
        if (ev->slot[ca->field_slot[i]].type != VALUE_MISSING)
            mark(ca->field[i].probe, ca->field[i].n, seen);
    }
    uint32_t source = ev->origin->source_id < ca->n_streams ? ev->origin->source_id : 0;
    mark(ca->source[source].probe, ca->source[source].n, seen);
    uint32_t n = 0;
    const uint64_t *reads = ca->reads + (size_t)source * ca->n_words;
    for (uint32_t w = 0; w < ca->n_words; w++) {
        for (uint64_t bits = seen[w] & reads[w]; bits != 0; bits &= bits - 1)
            found[n++] = w * 64 + (uint32_t)__builtin_ctzll(bits);
        seen[w] = 0;
    }
    return n;
}
