// SPDX-License-Identifier: Apache-2.0
/*
 * schema - the field paths of a program, their slots, and the trie that a decoder looks keys up in.
 *
 * Two phases. Before the seal: a list of paths, found again by a canonical code of their parts.
 * At the seal: nodes are made for the paths, then for each node the edges and the key table that
 * schema_priv.h describes. After it nothing changes any more.
 * A name with dots is cut at them, so `a.b` in back-quotes and a.b are one path and one slot.
 */
#include "event/schema.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/intern.h"
#include "base/mem.h"
#include "event/schema_priv.h"

struct path {
    const struct path_part *part;
    uint32_t n;
    const char *text;
};

/* A node while the trie is built. */
struct building {
    uint32_t slot;
    uint32_t depth;  /* parts on the way here */
    uint32_t *child; /* owned; nodes */
    size_t n_children;
    size_t cap;
    const struct path_part *part; /* that leads here from its parent */
};

struct schema {
    int refs; /* @thread any: atomic */
    bool sealed;
    bool want_texts;
    struct arena *arena;
    struct intern *codes; /* canonical code of a path -> slot */
    struct path *path;    /* [n_paths] by slot */
    size_t n_paths;
    size_t cap_paths;
    struct building *node; /* while sealing */
    size_t n_nodes;
    size_t cap_nodes;
    struct schema_edge *edge;
    size_t n_edges;
    size_t cap_edges;
    struct schema_trie trie;
};

struct schema *schema_new(void)
{
    struct schema *schema = mem_calloc(1, sizeof *schema);
    schema->refs = 1;
    schema->arena = arena_new(0);
    schema->codes = intern_new();
    return schema;
}

struct schema *schema_ref(const struct schema *schema)
{
    /* All are made by schema_new; const is what users see after the seal. */
    struct schema *s = (struct schema *)(uintptr_t)schema;
    __atomic_add_fetch(&s->refs, 1, __ATOMIC_RELAXED);
    return s;
}

void schema_unref(struct schema **schema)
{
    struct schema *s = *schema;

    *schema = NULL;
    if (!s || __atomic_sub_fetch(&s->refs, 1, __ATOMIC_ACQ_REL) > 0)
        return;
    arena_free(&s->arena);
    intern_free(&s->codes);
    mem_free(s->path);
    mem_free(s->edge);
    mem_free(s);
}

uint32_t schema_count(const struct schema *schema)
{
    return (uint32_t)schema->n_paths;
}

const char *schema_path(const struct schema *schema, uint32_t slot)
{
    assert(slot < schema->n_paths);
    return schema->path[slot].text;
}

bool schema_reads(const struct schema *schema, const char *first)
{
    size_t len = strlen(first);

    for (size_t i = 0; i < schema->n_paths; i++) {
        const struct path_part *part = schema->path[i].part;
        if (part->name && part->len == len && memcmp(part->name, first, len) == 0)
            return true;
    }
    return false;
}

void schema_want_texts(struct schema *schema)
{
    assert(!schema->sealed);
    schema->want_texts = true;
}

bool schema_wants_texts(const struct schema *schema)
{
    return schema->want_texts;
}

const struct schema_trie *schema_trie(const struct schema *schema)
{
    assert(schema->sealed);
    return &schema->trie;
}

/* ---- paths ----------------------------------------------------------------------------------- */

/* Cuts names at their dots; false if that gives more than SCHEMA_MAX_PARTS. */
static bool cut_parts(const struct path_part *part, size_t n, struct path_part *cut, size_t *n_out)
{
    size_t m = 0;

    for (size_t i = 0; i < n; i++) {
        struct path_part rest = part[i];
        for (;;) {
            if (m == SCHEMA_MAX_PARTS)
                return false;
            cut[m] = rest;
            const char *dot = rest.name ? memchr(rest.name, '.', rest.len) : NULL;
            if (!dot) {
                m++;
                break;
            }
            cut[m].len = (uint32_t)(dot - rest.name);
            rest.len -= cut[m++].len + 1;
            rest.name = dot + 1;
        }
    }
    *n_out = m;
    return m > 0;
}

static bool plain_name(const char *name, size_t len)
{
    if (len == 0 || (name[0] >= '0' && name[0] <= '9'))
        return false;
    for (size_t i = 0; i < len; i++) {
        char c = name[i];
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
              c == '_' || c == '@'))
            return false;
    }
    return true;
}

static const char *path_text(struct arena *a, const struct path_part *part, size_t n)
{
    struct buf b;

    buf_init(&b);
    for (size_t i = 0; i < n; i++) {
        if (!part[i].name) {
            buf_printf(&b, "[%d]", part[i].index);
            continue;
        }
        const char *quote = plain_name(part[i].name, part[i].len) ? "" : "`";
        buf_adds(&b, i ? "." : "");
        buf_adds(&b, quote);
        buf_add(&b, part[i].name, part[i].len);
        buf_adds(&b, quote);
    }
    const char *text = arena_strndup(a, b.data, b.len);
    buf_fini(&b);
    return text;
}

/* Equal paths, and only they, have equal codes. */
static void path_code(struct buf *out, const struct path_part *part, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        buf_add_u8(out, part[i].name != NULL);
        if (part[i].name)
            buf_add_bytes(out, part[i].name, part[i].len);
        else
            buf_add_u32(out, (uint32_t)part[i].index);
    }
}

static void add_path(struct schema *schema, const struct path_part *part, size_t n)
{
    struct path_part *copy = arena_memdup(schema->arena, part, n * sizeof *part);

    for (size_t i = 0; i < n; i++)
        if (copy[i].name)
            copy[i].name = arena_strndup(schema->arena, copy[i].name, copy[i].len);
    schema->path =
        vec_reserve(schema->path, &schema->cap_paths, schema->n_paths + 1, sizeof *schema->path);
    schema->path[schema->n_paths++] =
        (struct path){.part = copy, .n = (uint32_t)n, .text = path_text(schema->arena, copy, n)};
}

bool schema_slot(struct schema *schema, const struct path_part *part, size_t n, uint32_t *slot_out)
{
    struct path_part cut[SCHEMA_MAX_PARTS];
    struct buf code;
    bool ok;

    if (!cut_parts(part, n, cut, &n))
        return false;
    buf_init(&code);
    path_code(&code, cut, n);
    ok = intern_find(schema->codes, code.data, code.len, slot_out);
    if (!ok && schema->n_paths < SCHEMA_MAX_SLOTS) {
        assert(!schema->sealed);
        *slot_out = intern_add(schema->codes, code.data, code.len);
        add_path(schema, cut, n);
        ok = true;
    }
    buf_fini(&code);
    return ok;
}

bool schema_slot_text(struct schema *schema, const char *dotted, uint32_t *slot_out)
{
    struct path_part part = {.name = dotted, .len = (uint32_t)strlen(dotted)};
    return schema_slot(schema, &part, 1, slot_out);
}

bool schema_find_text(const struct schema *schema, const char *dotted, uint32_t *slot_out)
{
    struct path_part part = {.name = dotted, .len = (uint32_t)strlen(dotted)};
    struct path_part cut[SCHEMA_MAX_PARTS];
    struct buf code;
    size_t n;

    if (!cut_parts(&part, 1, cut, &n))
        return false;
    buf_init(&code);
    path_code(&code, cut, n);
    bool found = intern_find(schema->codes, code.data, code.len, slot_out);
    buf_fini(&code);
    return found;
}

/* ---- the seal -------------------------------------------------------------------------------- */

static bool same_part(const struct path_part *a, const struct path_part *b)
{
    if (!a->name || !b->name)
        return !a->name && !b->name && a->index == b->index;
    return a->len == b->len && memcmp(a->name, b->name, a->len) == 0;
}

static uint32_t add_node(struct schema *s, uint32_t depth, const struct path_part *part)
{
    s->node = vec_reserve(s->node, &s->cap_nodes, s->n_nodes + 1, sizeof *s->node);
    s->node[s->n_nodes] = (struct building){.slot = SCHEMA_NONE, .depth = depth, .part = part};
    return (uint32_t)s->n_nodes++;
}

static uint32_t child_node(struct schema *s, uint32_t at, const struct path_part *part)
{
    for (size_t i = 0; i < s->node[at].n_children; i++)
        if (same_part(s->node[s->node[at].child[i]].part, part))
            return s->node[at].child[i];

    uint32_t made = add_node(s, s->node[at].depth + 1, part);
    struct building *node = &s->node[at];
    node->child = vec_reserve(node->child, &node->cap, node->n_children + 1, sizeof *node->child);
    node->child[node->n_children++] = made;
    return made;
}

static void build_nodes(struct schema *s)
{
    add_node(s, 0, NULL);
    for (size_t slot = 0; slot < s->n_paths; slot++) {
        uint32_t at = 0;
        for (uint32_t i = 0; i < s->path[slot].n; i++)
            at = child_node(s, at, &s->path[slot].part[i]);
        s->node[at].slot = (uint32_t)slot;
    }
}

/* Adds the edges whose key is `key`, a dot and more names. `rank` is the bits of key so far. */
static void build_edges(struct schema *s, const struct building *from, struct buf *key,
                        uint32_t rank)
{
    size_t here = key->len;

    for (size_t i = 0; i < from->n_children; i++) {
        const struct building *to = &s->node[from->child[i]];
        if (!to->part->name)
            continue;
        buf_add(key, to->part->name, to->part->len);
        /* schema_key reads 8 bytes whatever the length is. */
        char *copy = arena_alloc(s->arena, key->len + 8);
        memcpy(copy, key->data, key->len);
        s->edge = vec_reserve(s->edge, &s->cap_edges, s->n_edges + 1, sizeof *s->edge);
        s->edge[s->n_edges++] = (struct schema_edge){
            .key = copy, .len = (uint32_t)key->len, .target = from->child[i], .rank = rank};
        buf_addc(key, '.');
        build_edges(s, to, key, rank | UINT32_C(1) << (32 - to->depth));
        key->len = here;
    }
}

static void fill_table(struct schema *s, struct schema_node *node, size_t first, size_t n)
{
    uint32_t bits = 1;

    while ((size_t)1 << bits < n * 4)
        bits++;
    node->shift = 64 - bits;
    size_t mask = ((size_t)1 << bits) - 1;

    struct schema_entry *entry = arena_alloc(s->arena, sizeof *entry << bits);
    /* No key is 2^32 - 1 bytes long, so a free entry is never mistaken for one. */
    for (size_t i = 0; i <= mask; i++)
        entry[i].edge = entry[i].len = SCHEMA_NONE;
    for (size_t e = first; e < first + n; e++) {
        const struct schema_edge *edge = &s->edge[e];
        const struct building *to = &s->node[edge->target];
        size_t len = edge->len;
        uint64_t head, tail;
        schema_key(edge->key, len, &head, &tail);
        size_t at = schema_hash(head, tail) >> node->shift;
        while (entry[at].edge != SCHEMA_NONE)
            at = (at + 1) & mask;
        entry[at] = (struct schema_entry){.head = head,
                                          .tail = tail,
                                          .len = (uint32_t)len,
                                          .edge = (uint32_t)e,
                                          .leaf = to->n_children ? SCHEMA_NONE : to->slot,
                                          .rank = edge->rank};
        node->lengths |= UINT64_C(1) << (len & 63);
    }
    node->entry = entry;
    node->last = entry + mask;
}

static int order_index(const void *a, const void *b)
{
    int32_t x = ((const struct schema_index *)a)->index;
    int32_t y = ((const struct schema_index *)b)->index;
    return (x > y) - (x < y);
}

static void fill_indexes(struct schema *s, struct schema_node *node, const struct building *from)
{
    struct schema_index *index = arena_alloc(s->arena, (from->n_children + 1) * sizeof *index);

    for (size_t i = 0; i < from->n_children; i++) {
        const struct path_part *part = s->node[from->child[i]].part;
        if (!part->name)
            index[node->n_index++] = (struct schema_index){part->index, from->child[i]};
    }
    qsort(index, node->n_index, sizeof *index, order_index);
    node->index = index;
}

void schema_seal(struct schema *schema)
{
    struct buf key;

    if (schema->sealed)
        return;
    schema->sealed = true;
    build_nodes(schema);
    struct schema_node *node = arena_alloc(schema->arena, schema->n_nodes * sizeof *node);
    buf_init(&key);
    for (size_t i = 0; i < schema->n_nodes; i++) {
        size_t first = schema->n_edges;
        node[i].slot = schema->node[i].slot;
        build_edges(schema, &schema->node[i], &key, 0);
        if (schema->n_edges > first)
            fill_table(schema, &node[i], first, schema->n_edges - first);
        fill_indexes(schema, &node[i], &schema->node[i]);
    }
    buf_fini(&key);
    for (size_t i = 0; i < schema->n_nodes; i++)
        mem_free(schema->node[i].child);
    mem_free(schema->node);
    schema->node = NULL;
    schema->trie = (struct schema_trie){node, schema->edge, (uint32_t)schema->n_edges};
}
