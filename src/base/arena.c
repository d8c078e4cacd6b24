// SPDX-License-Identifier: Apache-2.0
/*
 * arena - a bump allocator over a list of chunks.
 *
 *     first chunk (kept for ever) -> chunk -> chunk (current: `next` .. `end` is free)
 *
 * Invariants:
 *   1. next <= end, both inside the newest chunk; `next` is aligned to 16.
 *   2. The first chunk has the configured size; a request that does not fit into a fresh chunk
 *      gets a chunk of its own size.
 * Under AddressSanitizer everything that is not handed out is poisoned, so a pointer that outlives
 * arena_reset, or an overrun into the next object's padding, is found.
 */
#include "base/arena.h"

#include <stdint.h>
#include <string.h>

#include "base/mem.h"

#ifdef MEM_IS_WATCHED
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(p, n) ((void)(p), (void)(n))
#define ASAN_UNPOISON_MEMORY_REGION(p, n) ((void)(p), (void)(n))
#endif

enum { ARENA_ALIGN = 16, ARENA_CHUNK = 64 * 1024 - 64 };

struct chunk {
    struct chunk *older; /* NULL: the first */
    size_t size;         /* bytes in `data` */
    _Alignas(ARENA_ALIGN) char data[];
};

struct arena {
    char *next;           /* first free byte */
    char *end;            /* one past the last free byte */
    struct chunk *newest; /* the chunk that next and end point into */
    size_t chunk_size;    /* bytes */
    size_t used;          /* bytes handed out, with padding, since reset */
};

static void chunk_push(struct arena *a, size_t size)
{
    struct chunk *c = mem_alloc(sizeof *c + size);

    c->older = a->newest;
    c->size = size;
    a->newest = c;
    a->next = c->data;
    a->end = c->data + size;
    ASAN_POISON_MEMORY_REGION(c->data, size);
}

struct arena *arena_new(size_t chunk_size)
{
    struct arena *a = mem_calloc(1, sizeof *a);

    if (chunk_size == 0 || chunk_size > SIZE_MAX / 2)
        chunk_size = ARENA_CHUNK;
    a->chunk_size = (chunk_size + ARENA_ALIGN - 1) / ARENA_ALIGN * ARENA_ALIGN;
    chunk_push(a, a->chunk_size);
    return a;
}

void *arena_alloc_raw(struct arena *a, size_t size)
{
    /* A huge size must not wrap: SIZE_MAX is not allocable, so mem_alloc reports it. */
    size_t padded = size > SIZE_MAX / 2
                        ? SIZE_MAX / 2
                        : (size + ARENA_ALIGN - 1) / ARENA_ALIGN * ARENA_ALIGN;

    if (padded > (size_t)(a->end - a->next))
        chunk_push(a, padded > a->chunk_size ? padded : a->chunk_size);

    void *p = a->next;
    a->next += padded;
    a->used += padded;
    ASAN_UNPOISON_MEMORY_REGION(p, size);
    return p;
}

void *arena_alloc(struct arena *a, size_t size)
{
    return memset(arena_alloc_raw(a, size), 0, size);
}

char *arena_strndup(struct arena *a, const char *text, size_t len)
{
    char *copy = arena_alloc_raw(a, len < SIZE_MAX ? len + 1 : len);

    if (len)
        memcpy(copy, text, len);
    copy[len] = '\0';
    return copy;
}

void *arena_memdup(struct arena *a, const void *p, size_t size)
{
    void *copy = arena_alloc_raw(a, size);

    if (size)
        memcpy(copy, p, size);
    return copy;
}

void arena_reset(struct arena *a)
{
    while (a->newest->older) {
        struct chunk *older = a->newest->older;
        mem_free(a->newest);
        a->newest = older;
    }
    a->next = a->newest->data;
    a->end = a->next + a->newest->size;
    a->used = 0;
    ASAN_POISON_MEMORY_REGION(a->newest->data, a->newest->size);
}

size_t arena_used(const struct arena *a)
{
    return a->used;
}

void arena_free(struct arena **a)
{
    if (!*a)
        return;
    arena_reset(*a);
    mem_free((*a)->newest);
    mem_free(*a);
    *a = NULL;
}
