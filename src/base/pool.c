// SPDX-License-Identifier: Apache-2.0
/* pool - free lists of size classes, filled from chunks. See pool.h. */
#include "base/pool.h"

#include "base/mem.h"

enum {
    STEP = POOL_LINE,
    CLASSES = POOL_LARGEST / STEP + 1,
    FETCHED = 8 * POOL_LINE,
    FIRST_CHUNK = 1 << 16,
    LAST_CHUNK = 1 << 21 /* a huge page: see mem_alloc_huge */
};

struct block {
    struct block *next;
};

struct chunk { /* and blocks from its next line on */
    struct chunk *next;
};

struct pool {
    struct block *free[CLASSES];
    struct chunk *chunks;
    size_t size;    /* of the newest chunk */
    char *at, *end; /* what is left of it */
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
        /* What is left of the old chunk is lost: less than one largest block. */
        pool->size = pool->size == 0 ? FIRST_CHUNK
                                     : pool->size < LAST_CHUNK ? 2 * pool->size : LAST_CHUNK;
        struct chunk *chunk = mem_alloc_huge(pool->size);
        chunk->next = pool->chunks;
        pool->chunks = chunk;
        pool->at = (char *)chunk + POOL_LINE;
        pool->end = (char *)chunk + pool->size;
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
    /* The next to be taken may have been given back long ago: it is here by then. Of a long one its
     * begin: the rest is written in one go, which the processor foresees. */
    for (size_t at = 0; block->next != NULL && at <= class * STEP && at < FETCHED; at += POOL_LINE)
        __builtin_prefetch((const char *)block->next + at, 1);
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
