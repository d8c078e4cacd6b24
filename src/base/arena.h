// SPDX-License-Identifier: Apache-2.0
/*
 * arena - a bump allocator: many small objects of one lifetime, freed all at once.
 *
 * Four lifetimes exist in tocsin: load (AST), program, event (scratch), state. A pointer from an
 * arena is valid until arena_reset or arena_free of that arena; nothing is freed singly.
 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>

struct arena;

struct arena *arena_new(size_t chunk_size);              /* bytes a chunk; 0: a default */
void *arena_alloc(struct arena *a, size_t size);         /* aligned to 16, zeroed */
void *arena_alloc_raw(struct arena *a, size_t size);     /* aligned to 16, NOT zeroed (hot path) */
char *arena_strndup(struct arena *a, const char *text, size_t len); /* NUL-terminated copy */
void *arena_memdup(struct arena *a, const void *p, size_t size);
void arena_reset(struct arena *a);                       /* keeps the first chunk; O(chunks) */
size_t arena_used(const struct arena *a);                /* bytes handed out since reset */
void arena_free(struct arena **a);                       /* NULLs the pointer; *a may be NULL */

#endif
