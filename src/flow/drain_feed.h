// SPDX-License-Identifier: Apache-2.0
/* drain_feed - events for the engine of an older program: decoded again, as that program reads them. */
#ifndef FLOW_DRAIN_FEED_H
#define FLOW_DRAIN_FEED_H

#include <stddef.h>
#include <stdint.h>

#include "flow/batch.h"

struct alert_list;
struct drain_feed;
struct engine;
struct event;
struct origin;
struct program;

/* Both borrowed until _free. */
struct drain_feed *drain_feed_new(const struct program *prog, const struct program *current, size_t max_line);
/* Not before the engine that it fed: its events point to origins here. NULL is fine. */
void drain_feed_free(struct drain_feed **df);
/* kind: BATCH_EVENT, _LATE or _ROW. */
void drain_feed(struct drain_feed *df, struct engine *en, const struct event *ev, enum batch_item_kind kind,
                struct alert_list *alerts);
/* BATCH_DROP_ROWS */
void drain_feed_drop_rows(struct drain_feed *df, struct engine *en, const struct origin *origin, int64_t below);

#endif
