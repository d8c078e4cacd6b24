// SPDX-License-Identifier: Apache-2.0
/*
 * body - what the engine asks of a rule's body: `match` (matcher.h), `window`, `join`, `novel`.
 *
 * A partition's head (key, hash, pins) is the engine's; a body other than `match` keeps its state of
 * one key in part->body and what belongs to the whole rule in rs->body. Deadlines of a body are of
 * kind DEADLINE_BODY in queues that its rule_init made with the rule's state as owner.
 *
 *   offer --> body->offer --> engine_found --> engine_tell (order, emit, suppress, limit) --> alerts
 *   deadline --> body->due --/
 */
#ifndef ENGINE_BODY_H
#define ENGINE_BODY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;
struct deadline;
struct encoding;
struct engine;
struct event;
struct looking_page;
struct offer;
struct partition;
struct program_rule;
struct reader;
struct restore;
struct rule_state;

struct body_ops {
    void (*rule_init)(struct engine *en, struct rule_state *rs);
    void (*rule_fini)(struct engine *en, struct rule_state *rs); /* after all partitions are gone */
    /* Is there anything for these steps in a key without state? */
    bool (*begins)(const struct rule_state *rs, uint64_t fits);
    void (*offer)(struct engine *en, const struct offer *of);
    /* A late event, for windows that allow it; NULL: the body takes none. */
    void (*offer_late)(struct engine *en, const struct offer *of);
    /* The deadline is still set when it is called; it must clear or move it. */
    void (*due)(struct engine *en, struct deadline *dl);
    bool (*empty)(const struct partition *part);
    void (*part_fini)(struct engine *en, struct partition *part); /* frees part->body */
    void (*encode)(struct encoding *ec, const struct partition *part);
    /* What encode will read soon, into the cache: a step (1, 2, ...) asks for what is behind pointers that the
     * one before asked for; body itself was step 0. NULL: nothing. */
    void (*ahead)(const struct partition *part, unsigned step);
    bool (*decode)(struct restore *re, struct partition *part, struct reader *r);
    /* Appends members of a JSON object, each with a comma before it: what the key has; of a long list what the
     * page says (look_tells). NULL: nothing to say. */
    void (*look)(struct buf *out, const struct partition *part, struct looking_page *page);
    /* Time begins, with the first event of all; NULL: nothing to do. */
    void (*begin)(struct engine *en, struct rule_state *rs, int64_t time);
    /* rs->begins and rs->ends are known, no key is loaded yet; NULL: nothing to do. */
    void (*bound)(struct rule_state *rs);
    /* Event time until which a draining rule may get new keys; NULL: it gets none. */
    int64_t (*takes_until)(const struct rule_state *rs);
    /* State of the rule outside partitions; NULL: none. */
    void (*encode_rule)(struct buf *out, const struct rule_state *rs);
    bool (*decode_rule)(struct restore *re, struct rule_state *rs, struct reader *r);
};

/* NULL for `match`, which the engine calls directly (the hot path). */
const struct body_ops *body_ops(const struct program_rule *rule);

#endif
