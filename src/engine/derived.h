// SPDX-License-Identifier: Apache-2.0
/*
 * derived - events that rules make for other rules: `emit into STREAM`, and a rule's own name.
 *
 *   match told --> derived_add --> (event or instant is over) --> derived_feed: by depth of the rule
 *                                     that made it, rule, key, id --> rules that read the stream
 *
 * A derived event has the match's time and comes directly after the event or deadline that made it.
 * It is made before suppression, never from a revision. Its position is the alert's id, so what is
 * found from it has the same id after a replay.
 * Rules do not read themselves, directly or not (resolve refuses cycles): depths end it.
 */
#ifndef ENGINE_DERIVED_H
#define ENGINE_DERIVED_H

#include <stdint.h>

struct alert_list;
struct derived;
struct engine;
struct pending;
struct value;

/* From one match of a rule whose streams someone reads. */
void derived_add(struct engine *en, const struct pending *match, const struct value *emitted);
/* Offers what was added, and what comes of it. */
void derived_feed(struct engine *en, struct alert_list *out);
/* Of the events of the stream that rules made: how many did not satisfy its `expect`. */
uint64_t derived_unexpected(const struct derived *derived, uint32_t stream);
void derived_free(struct derived **derived);

#endif
