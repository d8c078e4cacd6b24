// SPDX-License-Identifier: Apache-2.0
#include "flow/drain_feed.h"

#include "base/mem.h"
#include "engine/engine.h"
#include "engine/table.h"
#include "event/event.h"
#include "event/json_decode.h"
#include "plan/program.h"

struct drain_feed {
    const struct program *prog, *current;
    struct decoder *decoder;
    struct probe_scratch *probe;
    struct old_origin {
        const struct origin *from;
        struct origin *old; /* owned; events point to it */
    } *origin;              /* [n_origins] */
    size_t n_origins, cap_origins;
};

struct drain_feed *drain_feed_new(const struct program *prog, const struct program *current, size_t max_line)
{
    struct drain_feed *df = mem_calloc(1, sizeof *df);

    df->prog = prog;
    df->current = current;
    df->decoder = decoder_new(prog->schema, max_line);
    df->probe = probe_scratch_new(prog);
    return df;
}

void drain_feed_free(struct drain_feed **dfp)
{
    struct drain_feed *df = *dfp;

    if (!df)
        return;
    *dfp = NULL;
    decoder_free(&df->decoder);
    probe_scratch_free(&df->probe);
    for (size_t i = 0; i < df->n_origins; i++)
        mem_free(df->origin[i].old);
    mem_free(df->origin);
    mem_free(df);
}

/* Where events come from, as the older program numbers it; lives as long as the engine. */
static const struct origin *old_origin(struct drain_feed *df, const struct origin *origin)
{
    for (size_t i = 0; i < df->n_origins; i++)
        if (df->origin[i].from == origin)
            return df->origin[i].old;
    df->origin = vec_reserve(df->origin, &df->cap_origins, df->n_origins + 1, sizeof *df->origin);
    struct old_origin *entry = &df->origin[df->n_origins++];
    *entry = (struct old_origin){.from = origin, .old = mem_calloc(1, sizeof *entry->old)};
    *entry->old = *origin;
    entry->old->source_id = program_source_before(df->prog, df->current, origin->source);
    return entry->old;
}

void drain_feed_drop_rows(struct drain_feed *df, struct engine *en, const struct origin *origin, int64_t below)
{
    engine_drop_rows(en, old_origin(df, origin)->source_id, table_partition_number(origin->partition), below);
}

void drain_feed(struct drain_feed *df, struct engine *en, const struct event *ev, enum batch_item_kind kind,
                struct alert_list *alerts)
{
    struct event old = {.origin = old_origin(df, ev->origin), .offset = ev->offset,
                        .time = ev->time, .order_by = ev->order_by};
    const char *reason;

    if (!decoder_run_copy(df->decoder, ev->raw, ev->raw_len, &old, &reason))
        return;
    engine_probe(df->prog, df->probe, &old);
    if (old.n_fits > 0 && kind == BATCH_ROW)
        engine_feed_row(en, &old);
    else if (old.n_fits > 0 && kind == BATCH_LATE)
        engine_feed_late(en, &old, alerts);
    else if (old.n_fits > 0)
        engine_feed(en, &old, alerts);
}
