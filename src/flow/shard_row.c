// SPDX-License-Identifier: Apache-2.0
/* shard_row - records of tables, on their way to the engines that have the table. */
#include "engine/engine.h"
#include "engine/table.h"
#include "event/event.h"
#include "flow/batch.h"
#include "flow/drain_feed.h"
#include "flow/shard_priv.h"

static void drop_rows(struct fed *fed, const struct origin *origin, int64_t below)
{
    if (fed->is.draining)
        drain_feed_drop_rows(fed->drain, fed->is.en, origin, below);
    else
        engine_drop_rows(fed->is.en, origin->source_id, table_partition_number(origin->partition), below);
}

void shard_feed_row(struct fed *fed, const struct batch_item *item)
{
    if (item->kind == BATCH_DROP_ROWS)
        drop_rows(fed, item->origin, item->time);
    else if (fed->is.draining)
        drain_feed(fed->drain, fed->is.en, item->ev, BATCH_ROW, &fed->alerts);
    else if (batch_is_current(item->ev))
        engine_feed_row(fed->is.en, item->ev);
}
