// SPDX-License-Identifier: Apache-2.0
/*
 * look_keys - which keys of a rule have the most state, for people who ask. Those in memory are gone through
 * in the order of their hashes, some at a time, while events go on between: what comes, goes or grows behind
 * the place where it is, is not seen. Keys that are in the store alone are counted: what each has is in its
 * record.
 */
#ifndef ENGINE_LOOK_KEYS_H
#define ENGINE_LOOK_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;
struct engine;
struct look_keys;

enum { LOOK_KEYS_MOST = 1000 };

struct look_keys *look_keys_new(uint32_t most); /* that are told; at least 1 */
void look_keys_free(struct look_keys **lk);
/* Looks at `slots` places of the table of keys, from where it was. True: it was through this engine's. */
bool engine_look_keys(struct engine *en, uint32_t rule, struct look_keys *lk, size_t slots);
/* The next engine that has the rule, from its first key on. */
void look_keys_next(struct look_keys *lk);
/* "keys":9,"bytes":900,"in_memory":{"keys":8,"bytes":800},"largest":[{"key":{...},"bytes":100},...] */
void look_keys_add_json(struct look_keys *lk, struct buf *out);

#endif
