// SPDX-License-Identifier: Apache-2.0
/*
 * module_history - which versions of modules there are (module_version.h), so that all together stay within a
 * bound: names are a client's, and each new one has versions of its own. One thread.
 *
 * The oldest go first; of a module that is there its newest stays.
 */
#ifndef STATE_MODULE_HISTORY_H
#define STATE_MODULE_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;
struct module_history;
struct store;
struct store_batch;

struct module_mark {
    const char *name;
    uint64_t number;
    int64_t time;   /* wall ns */
    size_t len;     /* of its text */
    bool removed;   /* it says that the module was taken away */
};

/* What the database has. NULL and why. */
struct module_history *module_history_open(struct store *st, struct buf *why);
void module_history_free(struct module_history **history);
/* A version that is durable, or about to be. Those of its module that are `keep` before it, or older, are removed. */
void module_history_add(struct module_history *history, const struct module_mark *mark, uint32_t keep,
                        struct store_batch *batch);
/* Removes what is beyond `most` bytes. */
void module_history_prune(struct module_history *history, uint64_t most, struct store_batch *batch);
/* Bytes of all: texts and names, and what each takes besides. */
uint64_t module_history_bytes(const struct module_history *history);

#endif
