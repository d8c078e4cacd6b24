// SPDX-License-Identifier: Apache-2.0
/*
 * pool - blocks of many sizes, given and taken back all the time: free lists by size class.
 *
 * malloc joins freed neighbours and so touches memory that has nothing to do with the block; with
 * state far larger than the caches each such touch is a miss. A pool gives the block that was given
 * back last, which is warm. Classes are a cache line apart up to POOL_LARGEST and blocks begin with a
 * line, so that who lays out a struct by lines gets them; what is larger goes to malloc. Memory of small blocks goes back to the system with the pool only. One thread.
 * Under AddressSanitizer every block is one of malloc's, so that it sees what is used after it was
 * given back, and what never was.
 */
#ifndef BASE_POOL_H
#define BASE_POOL_H

#include <stddef.h>

#include "base/mem.h"

struct pool;

enum { POOL_LINE = 64 };

#if defined(MEM_IS_WATCHED)
enum { POOL_LARGEST = 0 };
#else
enum { POOL_LARGEST = 8192 };
#endif

struct pool *pool_new(void);
void pool_free(struct pool **pool);             /* every block was given back */
void *pool_alloc(struct pool *pool, size_t size); /* not zeroed; returns owned; up to
    POOL_LARGEST aligned to POOL_LINE, else to 16 */
void pool_give(struct pool *pool, void *block, size_t size); /* takes; size as it was asked for */

#endif
