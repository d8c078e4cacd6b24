// SPDX-License-Identifier: Apache-2.0
/*
 * schema_priv - the sealed look-up trie, as json_walk.c reads it.
 *
 * A node stands for the first parts of some paths; nodes[0] is the event itself. From a node lead
 *  - edges by key: one for every run of names that may stand in an object as ONE key. For the path
 *    a.b.c the root has the edges "a", "a.b" and "a.b.c", node a has "b" and "b.c", node a.b has
 *    "c". So each key of an event costs one look-up, dots or not;
 *  - indexes, ascending.
 *
 * The keys of a node are in an open-addressed table of its own, at most a quarter full, so that a
 * key that no rule reads is refused by its first entry nearly always. A key's head and tail (first
 * and last 8 bytes) and its length are all of it up to 16 bytes; only longer ones are compared.
 *
 * Rank: which keys a value was found under, as a number; the smaller wins. Bit 31 - i is set if the
 * parts i and i+1 of the path stood in one key. Compared as a number, this is "nested wins",
 * decided at the first part at which two ways differ (see schema.h).
 */
#ifndef EVENT_SCHEMA_PRIV_H
#define EVENT_SCHEMA_PRIV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define SCHEMA_NONE UINT32_MAX

struct schema_entry {
    uint64_t head;
    uint64_t tail;
    uint32_t len;  /* bytes of the key */
    uint32_t edge; /* number of the edge; SCHEMA_NONE: the entry is free */
    uint32_t leaf; /* slot, if the edge's target has one and leads nowhere; else SCHEMA_NONE */
    uint32_t rank; /* as the edge's */
};

struct schema_edge {
    const char *key; /* 8 bytes behind it are readable */
    uint32_t len;
    uint32_t target; /* node */
    uint32_t rank;   /* bits to add */
};

struct schema_index {
    int32_t index;
    uint32_t target; /* node */
};

struct schema_node {
    uint32_t slot;  /* of the path that ends here, or SCHEMA_NONE */
    uint32_t shift; /* 64 - log2(entries) */
    uint32_t mask;  /* entries - 1 */
    uint32_t n_index;
    const struct schema_entry *entry; /* NULL: no keys */
    const struct schema_entry *last;  /* of entry */
    const struct schema_index *index; /* [n_index], ascending: negative ones first */
    uint64_t lengths;                 /* bit len & 63: some key has this length */
};

struct schema_trie {
    const struct schema_node *node;
    const struct schema_edge *edge;
    uint32_t n_edges;
};

struct schema;
const struct schema_trie *schema_trie(const struct schema *schema); /* sealed */

/* The first and the last 8 bytes of a key; of a shorter one all of it, and 0. 8 bytes must be
 * readable from key on: that is cheaper than to look how many there are. */
static inline void schema_key(const char *key, size_t len, uint64_t *head_out, uint64_t *tail_out)
{
    uint64_t w;

    memcpy(&w, key, sizeof w);
    *tail_out = 0;
    if (len - 1 < 8) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
        w <<= 64 - 8 * len;
#else
        w >>= 64 - 8 * len;
#endif
    } else if (len) {
        memcpy(tail_out, key + len - 8, sizeof *tail_out);
    } else {
        w = 0;
    }
    *head_out = w;
}

static inline uint64_t schema_hash(uint64_t head, uint64_t tail)
{
    return (head ^ (tail << 23 | tail >> 41)) * UINT64_C(0x9e3779b97f4a7c15);
}

/* The entry of a key, or NULL; 8 bytes must be readable from key on. */
static inline const struct schema_entry *schema_find(const struct schema_trie *trie,
                                                     const struct schema_node *node,
                                                     const char *key, size_t len)
{
    uint64_t head, tail;

    if (!(node->lengths >> (len & 63) & 1))
        return NULL;
    schema_key(key, len, &head, &tail);
    const struct schema_entry *e = node->entry + (schema_hash(head, tail) >> node->shift);
    while (!(e->head == head && e->len == len && e->tail == tail &&
             (len <= 16 || memcmp(trie->edge[e->edge].key + 8, key + 8, len - 16) == 0))) {
        if (e->edge == SCHEMA_NONE)
            return NULL;
        e = e == node->last ? node->entry : e + 1;
    }
    return e;
}

#endif
