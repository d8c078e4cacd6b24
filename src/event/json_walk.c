// SPDX-License-Identifier: Apache-2.0
/*
 * json_walk - walks a parsed line once along the schema's trie and fills the slots.
 *
 * Each object on a path is gone through once; each key is one look-up; what no path leads into is
 * stepped over by its end index. schema.h says what a path finds; the rules map to code like this:
 *
 *  1 (nested wins)   a find carries its rank (schema_priv.h); keep() lets the smaller rank win.
 *  2 (first counts)  an object gets a number, `seen` holds for each edge the last object in which
 *                    its key stood. All edges of a node are tried only by objects at that node, and
 *                    those never lie inside one another, so one number per edge is enough.
 *  3 (arrays)        inside an array finds are not put into slots but onto the stack `found`, where
 *                    the array's part ends up as one list per slot (spread_found). Arrays nest, so
 *                    the lists of an inner one are finds of the element of the outer one.
 */
#include "event/json_walk_priv.h"

#include <stddef.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/mem.h"
#include "event/event.h"
#include "event/schema.h"
#include "event/schema_priv.h"
#include "event/value.h"

/* A value found inside an array. */
struct found {
    struct value v;
    uint32_t slot;
    uint32_t rank;
    uint32_t before; /* at[slot] before this one */
    uint32_t next;   /* the next of the same slot, or SCHEMA_NONE; set by spread_found */
    uint32_t last;   /* first of a slot: the last of the chain; others: SCHEMA_NONE */
    uint32_t total;  /* first of a slot: elements of the list */
};

struct walk {
    const struct schema_trie *trie;
    const uint64_t *tape;
    const char *strings;

    struct value *slot; /* [n_slots] */
    uint32_t *rank;     /* [n_slots]; of the value in slot */
    uint32_t n_slots;
    uint64_t *seen;  /* [edges] number of the object that had this key last */
    uint64_t object; /* number of the last object */

    bool in_array;
    struct found *found; /* stack */
    size_t n_found;
    size_t cap_found;
    size_t element;  /* where the finds of the innermost element start */
    uint32_t *at;    /* [n_slots] last find of a slot, or SCHEMA_NONE */
    uint32_t *first; /* [n_slots] for spread_found */

    struct arena *arena; /* lists, texts of objects */
    bool arena_used;
    struct buf text;

    bool want_texts;
    struct value *texts;
    size_t n_texts;
    size_t cap_texts;
};

struct walk *walk_new(const struct schema *schema)
{
    struct walk *w = mem_calloc(1, sizeof *w);
    uint32_t n = schema_count(schema);

    w->trie = schema_trie(schema);
    w->n_slots = n;
    w->slot = mem_calloc(n + 1, sizeof *w->slot);
    w->rank = mem_calloc(n + 1, sizeof *w->rank);
    w->first = mem_calloc(n + 1, sizeof *w->first);
    w->at = mem_calloc(n + 1, sizeof *w->at);
    memset(w->at, 0xff, n * sizeof *w->at);
    w->seen = mem_calloc(w->trie->n_edges + (size_t)1, sizeof *w->seen);
    w->arena = arena_new(0);
    w->want_texts = schema_wants_texts(schema);
    buf_init(&w->text);
    return w;
}

void walk_free(struct walk **w)
{
    struct walk *old = *w;

    *w = NULL;
    if (!old)
        return;
    mem_free(old->slot);
    mem_free(old->rank);
    mem_free(old->first);
    mem_free(old->at);
    mem_free(old->seen);
    mem_free(old->found);
    mem_free(old->texts);
    arena_free(&old->arena);
    buf_fini(&old->text);
    mem_free(old);
}

/* ---- the tape -------------------------------------------------------------------------------- */

static inline char type_at(const struct walk *w, size_t i)
{
    return (char)(w->tape[i] >> 56);
}

/* Index behind the object or array that starts at i. */
static inline size_t behind(const struct walk *w, size_t i)
{
    return (uint32_t)w->tape[i];
}

/* Index behind the value at i. Bit by bit and not by a switch: its types come in no order that a
 * branch predictor learns, and a table would put two loads into each step's way. */
static inline size_t next_value(const struct walk *w, size_t i)
{
    static const uint64_t two_words =
        UINT64_C(1) << ('l' & 63) | UINT64_C(1) << ('u' & 63) | UINT64_C(1) << ('d' & 63);
    uint64_t word = w->tape[i];
    uint32_t type = (uint32_t)(word >> 56);

    if (type == '"')
        return i + 1;
    if ((type | ('{' ^ '[')) == '{')
        return (uint32_t)word;
    return i + 1 + (two_words >> (type & 63) & 1);
}

static inline bool is_container(const struct walk *w, size_t i)
{
    return (w->tape[i] >> 56 & 31) == ('{' & 31); /* and '[' */
}

static inline const char *text_at(const struct walk *w, size_t i, uint32_t *len_out)
{
    /* Lines are limited to 1 GiB, so 32 of the 56 bits hold every offset. */
    const char *p = w->strings + (uint32_t)w->tape[i];
    memcpy(len_out, p, sizeof *len_out);
    return p + sizeof *len_out;
}

static double double_at(const struct walk *w, size_t i)
{
    double d;
    memcpy(&d, &w->tape[i], sizeof d);
    return d;
}

static size_t count_elements(const struct walk *w, size_t i)
{
    size_t end = behind(w, i) - 1;
    size_t n = 0;

    for (size_t at = i + 1; at < end; at = next_value(w, at))
        n++;
    return n;
}

/* ---- values ---------------------------------------------------------------------------------- */

static void add_json(struct walk *w, size_t i);

static void add_json_members(struct walk *w, size_t i, char close)
{
    size_t end = behind(w, i) - 1;

    for (size_t at = i + 1; at < end; at = next_value(w, at)) {
        if (at > i + 1)
            buf_addc(&w->text, ',');
        if (close == '}') {
            add_json(w, at++);
            buf_addc(&w->text, ':');
        }
        add_json(w, at);
    }
    buf_addc(&w->text, close);
}

/* Writes what starts at i, minified; numbers in their shortest form, so that an object's text
 * depends on what it says, not on how it was written. As deep as the parser lets in. */
static void add_json(struct walk *w, size_t i)
{
    uint32_t len;
    const char *text;
    double d;

    switch (type_at(w, i)) {
    case '{':
        buf_addc(&w->text, '{');
        add_json_members(w, i, '}');
        break;
    case '[':
        buf_addc(&w->text, '[');
        add_json_members(w, i, ']');
        break;
    case '"':
        text = text_at(w, i, &len);
        buf_add_json_text(&w->text, text, len);
        break;
    case 'l': buf_add_int(&w->text, (int64_t)w->tape[i + 1]); break;
    case 'u': buf_add_double(&w->text, (double)w->tape[i + 1]); break;
    case 'd':
        d = double_at(w, i + 1);
        buf_add_double(&w->text, d == 0 ? 0.0 : d); /* -0.0 is 0 */
        break;
    case 't': buf_adds(&w->text, "true"); break;
    case 'f': buf_adds(&w->text, "false"); break;
    default: buf_adds(&w->text, "null"); break;
    }
}

static void *scratch(struct walk *w, size_t size)
{
    w->arena_used = true;
    return arena_alloc_raw(w->arena, size);
}

static struct value object_value(struct walk *w, size_t i)
{
    buf_clear(&w->text);
    add_json(w, i);
    char *text = scratch(w, w->text.len);
    memcpy(text, w->text.data, w->text.len);
    struct value v = value_text(text, w->text.len);
    v.type = VALUE_OBJECT;
    return v;
}

static inline struct value scalar_value(const struct walk *w, size_t i)
{
    uint32_t len;
    const char *text;

    switch (type_at(w, i)) {
    case '"': text = text_at(w, i, &len); return value_text(text, len);
    case 'l': return value_int((int64_t)w->tape[i + 1]);
    case 'u': return value_double((double)w->tape[i + 1]);
    case 'd': return value_double(double_at(w, i + 1));
    case 't': return value_bool(true);
    case 'f': return value_bool(false);
    default: return value_missing();
    }
}

static struct value whole_value(struct walk *w, size_t i, int depth);

static struct value list_value(struct walk *w, size_t i, int depth)
{
    if (depth >= VALUE_MAX_NESTING)
        return object_value(w, i);

    size_t end = behind(w, i) - 1;
    size_t n = count_elements(w, i);
    struct value *list = n ? scratch(w, n * sizeof *list) : NULL;
    size_t k = 0;
    for (size_t at = i + 1; at < end; at = next_value(w, at))
        list[k++] = whole_value(w, at, depth + 1);
    return value_list(list, n);
}

static struct value whole_value(struct walk *w, size_t i, int depth)
{
    switch (type_at(w, i)) {
    case '{': return object_value(w, i);
    case '[': return list_value(w, i, depth);
    default: return scalar_value(w, i);
    }
}

/* ---- finds ----------------------------------------------------------------------------------- */

static void keep_found(struct walk *w, uint32_t slot, uint32_t rank, struct value v)
{
    uint32_t at = w->at[slot];

    if (at != SCHEMA_NONE && at >= w->element) {
        if (rank < w->found[at].rank) {
            w->found[at].rank = rank;
            w->found[at].v = v;
        }
        return;
    }
    w->found = vec_reserve(w->found, &w->cap_found, w->n_found + 1, sizeof *w->found);
    w->found[w->n_found] = (struct found){.v = v, .slot = slot, .rank = rank, .before = at};
    w->at[slot] = (uint32_t)w->n_found++;
}

/* v is not missing. */
static inline void keep(struct walk *w, uint32_t slot, uint32_t rank, struct value v)
{
    if (w->in_array) {
        keep_found(w, slot, rank, v);
    } else if (value_is_missing(w->slot[slot])) {
        w->slot[slot] = v;
        w->rank[slot] = rank;
    } else if (rank < w->rank[slot]) {
        w->slot[slot] = v;
        w->rank[slot] = rank;
    }
}

/* Chains the finds from `mark` on by slot, in order. */
static void chain_found(struct walk *w, size_t mark)
{
    for (size_t i = w->n_found; i-- > mark;)
        w->at[w->found[i].slot] = w->found[i].before;

    for (size_t i = mark; i < w->n_found; i++) {
        struct found *f = &w->found[i];
        uint32_t n = f->v.type == VALUE_LIST ? f->v.len : 1;
        size_t first = w->first[f->slot];

        f->next = f->last = SCHEMA_NONE;
        /* What `first` held before is of no use, but never looks as if it were: it could only be
         * mistaken for a first one if an earlier find of this slot were there. */
        if (first >= mark && first < i && w->found[first].slot == f->slot) {
            w->found[w->found[first].last].next = (uint32_t)i;
            w->found[first].last = (uint32_t)i;
            w->found[first].total += n;
        } else {
            w->first[f->slot] = (uint32_t)i;
            f->last = (uint32_t)i;
            f->total = n;
        }
    }
}

static struct value spread_chain(struct walk *w, const struct found *f)
{
    uint32_t total = f->total;
    struct value *list = total ? scratch(w, total * sizeof *list) : NULL;
    size_t n = 0;

    for (;;) {
        if (f->v.type != VALUE_LIST)
            list[n++] = f->v;
        for (uint32_t k = 0; f->v.type == VALUE_LIST && k < f->v.len; k++)
            list[n++] = f->v.u.list[k];
        if (f->next == SCHEMA_NONE)
            return value_list(list, total);
        f = &w->found[f->next];
    }
}

/* The finds from `mark` on become one list per slot, kept where the array stands. */
static void spread_found(struct walk *w, size_t mark, uint32_t rank)
{
    size_t n = w->n_found;

    chain_found(w, mark);
    w->n_found = mark;
    for (size_t i = mark; i < n; i++) {
        if (w->found[i].last == SCHEMA_NONE)
            continue;
        uint32_t slot = w->found[i].slot;
        /* If this pushes, then onto a place not behind i: chains lead only forward. */
        keep(w, slot, rank, spread_chain(w, &w->found[i]));
    }
}

/* ---- the walk -------------------------------------------------------------------------------- */

static void walk_value(struct walk *w, size_t i, const struct schema_node *node, uint32_t rank);

static void walk_object(struct walk *w, size_t i, const struct schema_node *node, uint32_t rank)
{
    const struct schema_trie *trie = w->trie;
    size_t end = behind(w, i) - 1;
    uint64_t object = ++w->object;
    bool nulls = false;
    size_t next;

    for (size_t at = i + 1; at < end; at = next) {
        uint32_t len;
        const char *key = text_at(w, at++, &len);
        next = next_value(w, at);
        const struct schema_entry *e = schema_find(trie, node, key, len);
        if (!e)
            continue;
        if (e->leaf != SCHEMA_NONE && !is_container(w, at)) {
            /* The second of a key has the rank of the first, so keep() drops it by itself, unless
             * the first was null. */
            if (nulls && w->seen[e->edge] == object)
                continue;
            if (type_at(w, at) != 'n') {
                keep(w, e->leaf, rank | e->rank, scalar_value(w, at));
                continue;
            }
            nulls = true;
        }
        if (w->seen[e->edge] == object)
            continue;
        w->seen[e->edge] = object;
        const struct schema_node *to = &trie->node[trie->edge[e->edge].target];
        if (type_at(w, at) == '{' && to->slot == SCHEMA_NONE)
            walk_object(w, at, to, rank | e->rank);
        else
            walk_value(w, at, to, rank | e->rank);
    }
}

static void walk_elements(struct walk *w, size_t i, const struct schema_node *node, uint32_t rank)
{
    size_t end = behind(w, i) - 1;

    for (size_t at = i + 1; at < end; at = next_value(w, at)) {
        if (type_at(w, at) == '{') {
            w->element = w->n_found;
            walk_object(w, at, node, rank);
        } else if (type_at(w, at) == '[') {
            walk_elements(w, at, node, rank);
        }
    }
}

static void walk_array(struct walk *w, size_t i, const struct schema_node *node, uint32_t rank)
{
    bool outer_in_array = w->in_array;
    size_t outer_element = w->element;
    size_t mark = w->n_found;

    w->in_array = true;
    walk_elements(w, i, node, rank);
    w->in_array = outer_in_array;
    w->element = outer_element;
    spread_found(w, mark, rank);
}

static void walk_indexes(struct walk *w, size_t i, const struct schema_node *node, uint32_t rank)
{
    size_t end = behind(w, i) - 1;
    uint32_t low = 0, high = 0; /* the next negative and the next other index */
    int64_t n = 0, k = 0;

    while (high < node->n_index && node->index[high].index < 0)
        high++;
    uint32_t n_negative = high;
    if (n_negative) {
        n = (int64_t)count_elements(w, i);
        while (low < n_negative && node->index[low].index + n < 0)
            low++;
    }
    for (size_t at = i + 1; at < end; at = next_value(w, at), k++) {
        if (low < n_negative && node->index[low].index + n == k)
            walk_value(w, at, &w->trie->node[node->index[low++].target], rank);
        if (high < node->n_index && node->index[high].index == k)
            walk_value(w, at, &w->trie->node[node->index[high++].target], rank);
        if (low == n_negative && high == node->n_index)
            return;
    }
}

/* Not inlined: its registers would be saved for every object. */
static __attribute__((noinline)) void walk_value(struct walk *w, size_t i,
                                                 const struct schema_node *node, uint32_t rank)
{
    char type = type_at(w, i);

    if (node->slot != SCHEMA_NONE && type != 'n')
        keep(w, node->slot, rank, whole_value(w, i, 0));
    if (type == '{' && node->entry)
        walk_object(w, i, node, rank);
    if (type != '[')
        return;
    if (node->n_index)
        walk_indexes(w, i, node, rank);
    if (node->entry)
        walk_array(w, i, node, rank);
}

/* All text values (not keys) below the object or array at i, in order. */
static void collect_texts(struct walk *w, size_t i)
{
    size_t end = behind(w, i) - 1;
    bool keys = type_at(w, i) == '{';

    for (size_t at = i + 1; at < end; at = next_value(w, at)) {
        at += keys;
        char type = type_at(w, at);
        if (type == '"') {
            w->texts = vec_reserve(w->texts, &w->cap_texts, w->n_texts + 1, sizeof *w->texts);
            w->texts[w->n_texts++] = scalar_value(w, at);
        } else if (type == '{' || type == '[') {
            collect_texts(w, at);
        }
    }
}

void walk_run(struct walk *w, const uint64_t *tape, const char *strings, struct event *ev)
{
    const struct schema_node *root = w->trie->node;

    memset(w->slot, 0, w->n_slots * sizeof *w->slot); /* VALUE_MISSING is 0 */
    if (w->arena_used)
        arena_reset(w->arena);
    w->arena_used = false;
    w->tape = tape;
    w->strings = strings;

    if (root->entry)
        walk_object(w, 1, root, 0);
    w->n_texts = 0;
    if (w->want_texts)
        collect_texts(w, 1);

    ev->slot = w->slot;
    ev->n_slots = w->n_slots;
    ev->texts = w->texts;
    ev->n_texts = (uint32_t)w->n_texts;
}
