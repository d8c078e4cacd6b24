// SPDX-License-Identifier: Apache-2.0
/*
 * store_batch - what goes into the database as one: puts and removals as they came, in blocks of bytes.
 *
 * Filling one copies what it is given and nothing else: blocks never move, so the engine thread never
 * waits for one that grows. What it costs to bring them into order is the writing thread's.
 */
#ifndef STATE_STORE_BATCH_H
#define STATE_STORE_BATCH_H

#include <stddef.h>

#include "state/store.h"

/* value NULL: the key is removed. Valid during the call. */
typedef void store_batch_found_fn(void *ctx, const void *key, size_t key_len, const void *value,
                                  size_t len);
/* By key; of a key that came more than once the last, as it alone is seen. */
void store_batch_each(const struct store_batch *batch, store_batch_found_fn *found, void *ctx);

#endif
