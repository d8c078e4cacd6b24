// SPDX-License-Identifier: Apache-2.0
/* pool - free lists of size classes, filled from chunks. See pool.h. */
#include "base/pool.h"

#include <stdint.h>

#include "base/mem.h"

enum { STEP = POOL_LINE, CLASSES = POOL_LARGEST / STEP + 1, CHUNK = 1 << 16 };

struct block {
    struct block *next;
};

struct chunk {
    struct chunk *next;
    char data[CHUNK + POOL_LINE]; /* used from its first line on */
};

struct pool {
    struct block *free[CLASSES];
    struct chunk *chunks;
    char *at, *end; /* what is left of the newest chunk */
};

struct pool *pool_new(void)
{
    return mem_calloc(1, sizeof(struct pool));
}

void pool_free(struct pool **pool)
{
    if (*pool == NULL)
        return;
    for (struct chunk *chunk = (*pool)->chunks, *next; chunk != NULL; chunk = next) {
        next = chunk->next;
        mem_free(chunk);
    }
    mem_free(*pool);
    *pool = NULL;
}

static void *carve(struct pool *pool, size_t size)
{
    if ((size_t)(pool->end - pool->at) < size) {
        /* What is left of the old chunk is lost: less than one largest block in 64 KiB. */
        struct chunk *chunk = mem_alloc(sizeof *chunk);
        chunk->next = pool->chunks;
        pool->chunks = chunk;
        pool->at = chunk->data + (POOL_LINE - (uintptr_t)chunk->data % POOL_LINE) % POOL_LINE;
        pool->end = pool->at + CHUNK;
    }
    void *block = pool->at;
    pool->at += size;
    return block;
}

void *pool_alloc(struct pool *pool, size_t size)
{
    if (size > POOL_LARGEST)
        return mem_alloc(size);
    size_t class = size == 0 ? 0 : (size - 1) / STEP;
    struct block *block = pool->free[class];
    if (block == NULL)
        return carve(pool, (class + 1) * STEP);
    pool->free[class] = block->next;
    return block;
}

void pool_give(struct pool *pool, void *data, size_t size)
{
    if (size > POOL_LARGEST) {
        mem_free(data);
        return;
    }
    size_t class = size == 0 ? 0 : (size - 1) / STEP;
    struct block *block = data;
    block->next = pool->free[class];
    pool->free[class] = block;
}
