// SPDX-License-Identifier: Apache-2.0
#include "config/table_source.h"

#include "base/buf.h"
#include "config/config.h"
#include "config/table_kafka.h"
#include "event/json_decode.h"
#include "io/source_kafka.h"
#include "plan/program.h"

#define IDLE INT64_C(30000000000) /* ns: so often brokers are asked, three times */

size_t table_sources(const struct program *prog)
{
    size_t n = 0;

    while (table_source_at(prog, n))
        n++;
    return n;
}

const struct program_table *table_source_at(const struct program *prog, size_t at)
{
    for (uint32_t i = 0; i < prog->n_tables; i++)
        if (prog->table[i].kafka && at-- == 0)
            return &prog->table[i];
    return NULL;
}

const char *table_source_name(const struct program *prog, const struct program_table *table)
{
    return prog->stream[table->stream].name;
}

struct source *table_source_new(const struct config *config, const struct program *prog,
                                const struct program_table *table, bool follow, const struct source_position *saved,
                                size_t n_saved, struct buf *why)
{
    struct source_kafka_options opt = {.name = table_source_name(prog, table),
                                       .n_topics = 1,
                                       .start = KAFKA_EARLIEST,
                                       .until = KAFKA_LATEST,
                                       .follow = follow,
                                       .rows = true,
                                       .reread_after = table->kafka->reread_after,
                                       .max_line = TABLE_SOURCE_MAX_LINE,
                                       .padding = decoder_padding(),
                                       .idle = IDLE,
                                       .saved = saved,
                                       .n_saved = n_saved};
    struct config_kafka settings;
    struct source *source = NULL;
    struct buf what;

    buf_init(&what);
    if (config_table_settings(config, table->kafka, &settings, &what)) {
        const char *topic = settings.topic;
        opt.settings = config_kafka_settings(&settings);
        opt.topic = &topic;
        opt.on_reset = follow ? settings.on_reset : KAFKA_RESET_FAIL;
        source = source_kafka_new(&opt, &what);
        config_table_fini(&settings);
    }
    if (!source)
        buf_printf(why, "%s:%u: %s: %.*s", table->file, table->line, opt.name, (int)what.len,
                   what.len ? what.data : "");
    buf_fini(&what);
    return source;
}
