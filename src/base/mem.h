// SPDX-License-Identifier: Apache-2.0
/*
 * mem - allocation that cannot fail.
 *
 * Out of memory is a bug-class error (the fourth kind): the process aborts with a message and the
 * checkpoint is the recovery. So no caller checks for NULL. Sizes that input controls are limited
 * by the caller before they get here.
 */
#ifndef BASE_MEM_H
#define BASE_MEM_H

#include <stddef.h>
#include <stdint.h>

/* Is memory watched by AddressSanitizer? Then pools give and take each block by malloc, so that it
 * sees what is used after it was given back. gcc defines a macro, clang has a feature. */
#if defined(__SANITIZE_ADDRESS__)
#define MEM_IS_WATCHED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define MEM_IS_WATCHED 1
#endif
#endif

void *mem_alloc(size_t size);                     /* returns owned; free with mem_free */
/* Begins with a cache line; from 2 MiB on in huge pages, if the system has some: state of tens of
 * MB that is read at random misses the TLB at each step else (a replay: 12% of its time). */
void *mem_alloc_huge(size_t size);
void *mem_calloc(size_t n, size_t size);          /* returns owned, zeroed; aborts on overflow */
void *mem_realloc(void *p, size_t size);          /* takes p, returns owned */
char *mem_strndup(const char *text, size_t len);  /* returns owned, NUL-terminated copy */
void mem_free(void *p);                           /* NULL is fine */

/* Soon to be read: asks for its cache lines; any address will do. */
static inline void mem_prefetch(const void *p, size_t size)
{
    for (size_t at = 0; at < size; at += 64)
        __builtin_prefetch((const void *)((uintptr_t)p + at));
}

/*
 * Makes room for `need` items in a growing array (doubling). `items` may be NULL. Returns the
 * array (moved or not); *cap is updated.
 *     v->item = vec_reserve(v->item, &v->cap, v->n + 1, sizeof *v->item);
 */
void *vec_reserve(void *items, size_t *cap, size_t need, size_t item_size);

#endif
