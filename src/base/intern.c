// SPDX-License-Identifier: Apache-2.0
/*
 * intern - names as numbers: a table of texts, an index from their hash to their number.
 *
 * The texts live in an arena, so a pointer that intern_text gave stays valid while the table grows.
 */
#include "base/intern.h"

#include <string.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/mem.h"

enum { INTERN_CHUNK = 4096 }; /* bytes */

struct intern_entry {
    const char *text; /* in the arena */
    size_t len;       /* bytes, without the NUL */
};

struct intern {
    struct arena *texts;
    struct hash_index *index;   /* hash of the text -> number */
    struct intern_entry *entry; /* owned, by number */
    size_t count;
    size_t cap;
};

struct lookup {
    const struct intern *in;
    const char *text;
    size_t len;
};

static bool same_text(uint64_t id, const void *key, void *ctx)
{
    const struct lookup *want = key;
    const struct intern_entry *e = &want->in->entry[id];

    (void)ctx;
    return e->len == want->len && (e->len == 0 || memcmp(e->text, want->text, e->len) == 0);
}

static bool find(const struct intern *in, uint64_t hash, const char *text, size_t len,
                 uint32_t *id_out)
{
    struct lookup want = { in, text, len };
    uint64_t id;

    if (!hash_index_get(in->index, hash, same_text, &want, NULL, &id))
        return false;
    *id_out = (uint32_t)id;
    return true;
}

struct intern *intern_new(void)
{
    struct intern *in = mem_calloc(1, sizeof *in);

    in->texts = arena_new(INTERN_CHUNK);
    in->index = hash_index_new();
    return in;
}

void intern_free(struct intern **in)
{
    if (!*in)
        return;
    arena_free(&(*in)->texts);
    hash_index_free(&(*in)->index);
    mem_free((*in)->entry);
    mem_free(*in);
    *in = NULL;
}

uint32_t intern_add(struct intern *in, const char *text, size_t len)
{
    uint64_t hash = hash64(text, len, 0);
    uint32_t id;

    if (find(in, hash, text, len, &id))
        return id;
    id = (uint32_t)in->count;
    in->entry = vec_reserve(in->entry, &in->cap, in->count + 1, sizeof *in->entry);
    in->entry[in->count++] = (struct intern_entry){ arena_strndup(in->texts, text, len), len };
    hash_index_add(in->index, hash, id);
    return id;
}

bool intern_find(const struct intern *in, const char *text, size_t len, uint32_t *id_out)
{
    return find(in, hash64(text, len, 0), text, len, id_out);
}

const char *intern_text(const struct intern *in, uint32_t id)
{
    return in->entry[id].text;
}

uint32_t intern_count(const struct intern *in)
{
    return (uint32_t)in->count;
}
