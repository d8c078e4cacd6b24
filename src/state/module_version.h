// SPDX-License-Identifier: Apache-2.0
/*
 * module_version - the versions of modules that came over the HTTP interface: text, who, when. They are
 * written with the change that they are of, in one batch. A removal is a version too, without text, so
 * that numbers go on when the name comes back. Each module keeps its last ones (http.versions).
 */
#ifndef STATE_MODULE_VERSION_H
#define STATE_MODULE_VERSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "state/store.h"

struct buf;

enum { MODULE_NAME_MOST = 200 }; /* bytes */

struct module_version {
    uint64_t number;   /* from 1 */
    int64_t time;      /* wall ns */
    bool removed;
    const char *who, *text; /* decoded: borrowed from the record, not NUL-terminated */
    size_t who_len, len;
};

/* May a module have this name? 1 to MODULE_NAME_MOST of A-Z a-z 0-9 . _ - in parts between `/`, none of
 * which begins with a dot. */
bool module_name_ok(const char *name);
/* Puts it, and removes the one that is `keep` before it. */
void module_version_put(struct store_batch *batch, const char *name,
                        const struct module_version *version, uint32_t keep);
void module_version_remove(struct store_batch *batch, const char *name, uint64_t number);
/* False: damaged, or of a later version. */
bool module_version_decode(const void *key, size_t key_len, const void *value, size_t len,
                           struct module_version *version_out);
/* False ends the list. */
typedef bool module_version_found_fn(void *ctx, const struct module_version *version);
/* Oldest first. Any thread. */
enum store_result module_version_list(struct store *st, const char *name,
                                      module_version_found_fn *found, void *ctx, struct buf *why);
/* The last number that was given out; 0: none. */
enum store_result module_version_last(struct store *st, const char *name, uint64_t *number_out,
                                      struct buf *why);

#endif
