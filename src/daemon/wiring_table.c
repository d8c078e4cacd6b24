// SPDX-License-Identifier: Apache-2.0
/* Sources that tables from Kafka have. */
#include "config/table_source.h"
#include "daemon/wiring.h"
#include "flow/pipeline.h"
#include "plan/program.h"

bool wiring_table_source(const struct config *config, const struct program *prog,
                         const struct program_table *table, uint32_t incarnation,
                         const struct source_position *saved, size_t n_saved,
                         struct pipeline_source *source_out, struct buf *why)
{
    struct source *source = table_source_new(config, prog, table, true, saved, n_saved, why);

    *source_out = (struct pipeline_source){.name = table_source_name(prog, table),
                                           .source = source,
                                           .stage = {.future = TABLE_SOURCE_FUTURE,
                                                     .rows = true,
                                                     .latest = table->kafka->latest,
                                                     .incarnation = incarnation,
                                                     .late_sink = STAGE_NO_SINK,
                                                     .dead_sink = STAGE_NO_SINK},
                                           .time_record = true,
                                           .max_line = TABLE_SOURCE_MAX_LINE};
    return source != NULL;
}
