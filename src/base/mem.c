// SPDX-License-Identifier: Apache-2.0
/*
 * mem - the one place that calls malloc.
 *
 * Models memory as something that is there: a request is served or the process ends with a message
 * (design: out of memory is a bug-class error, the checkpoint is the recovery). Nothing here
 * returns NULL, not even for size 0, so callers may pass the result to memcpy.
 */
#include "base/mem.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { CACHE_LINE = 64, HUGE_PAGE = 1 << 21 };
enum { VEC_FIRST = 8 }; /* items in a growing array that has just begun */

static _Noreturn void out_of_memory(size_t size)
{
    fprintf(stderr, "tocsin: out of memory (%zu bytes wanted)\n", size);
    abort();
}

static size_t product(size_t n, size_t size)
{
    size_t bytes;

    if (__builtin_mul_overflow(n, size, &bytes))
        out_of_memory(SIZE_MAX);
    return bytes;
}

void *mem_alloc(size_t size)
{
    void *p = malloc(size ? size : 1);

    if (!p)
        out_of_memory(size);
    return p;
}

void *mem_alloc_huge(size_t size)
{
    size_t align = size < HUGE_PAGE ? CACHE_LINE : HUGE_PAGE;
    void *p = aligned_alloc(align, (size + align - 1) / align * align);

    if (!p)
        out_of_memory(size);
    if (align == HUGE_PAGE)
        (void)madvise(p, size, MADV_HUGEPAGE); /* advice: without it, it is slower */
    return p;
}

void *mem_calloc(size_t n, size_t size)
{
    size_t bytes = product(n, size);
    /* calloc, not malloc and memset: large blocks come zeroed from the kernel */
    void *p = calloc(1, bytes ? bytes : 1);

    if (!p)
        out_of_memory(bytes);
    return p;
}

void *mem_realloc(void *p, size_t size)
{
    void *q = realloc(p, size ? size : 1);

    if (!q)
        out_of_memory(size);
    return q;
}

char *mem_strndup(const char *text, size_t len)
{
    if (len == SIZE_MAX)
        out_of_memory(len);
    char *copy = mem_alloc(len + 1);

    if (len)
        memcpy(copy, text, len);
    copy[len] = '\0';
    return copy;
}

void mem_free(void *p)
{
    free(p);
}

void *vec_reserve(void *items, size_t *cap, size_t need, size_t item_size)
{
    if (need <= *cap && items)
        return items;

    size_t n = *cap > SIZE_MAX / 2 ? need : *cap * 2;
    if (n < need)
        n = need;
    if (n < VEC_FIRST)
        n = VEC_FIRST;
    items = mem_realloc(items, product(n, item_size));
    *cap = n;
    return items;
}
