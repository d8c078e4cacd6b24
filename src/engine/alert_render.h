// SPDX-License-Identifier: Apache-2.0
/* alert_render - a match to its alert: id, key, emitted fields, texts, events as JSON. */
#ifndef ENGINE_ALERT_RENDER_H
#define ENGINE_ALERT_RENDER_H

#include <stdbool.h>
#include <stdint.h>

struct alert;
struct buf;
struct engine;
struct partition;
struct pending;
struct rule_state;
struct suppress_entry;
struct value;

/* The key as a flat JSON object, names as written. */
void render_key(struct buf *out, const struct rule_state *rs, const struct value *key);
/* 128 bits over the rule's name, the key, all bound positions and a trailing `not`'s deadline. */
void render_id(struct engine *en, const struct pending *match, uint8_t id_out[16]);
/* Evaluates `emit` for the match: emitted[rule->n_emit], values live in the engine's scratch. */
void render_emitted(struct engine *en, const struct pending *match, struct value *emitted);
/* The whole alert; takes nothing; the alert's texts are its own. `suppressed` is how many were held
 * before it. */
void render_match(struct engine *en, const struct pending *match, const struct value *emitted,
                  uint64_t suppressed, struct alert *alert_out);
/* The event that other rules read: the emitted fields, and for the rule's own stream also rule,
 * severity and key (a field emitted under one of these names wins). */
void render_derived(struct engine *en, const struct pending *match, const struct value *emitted,
                    bool own, struct buf *out);
/* The alert that says how many a `limit alerts` held back between two times. */
void render_limit(struct engine *en, const struct rule_state *rs, int64_t start, int64_t end,
                  uint64_t held, struct alert *alert_out);

/* The alert of `suppress ... summary`: how many were held until `time`. */
void render_summary(struct engine *en, const struct rule_state *rs,
                    const struct suppress_entry *entry, int64_t time, struct alert *alert_out);

#endif
