// SPDX-License-Identifier: Apache-2.0
#include "daemon/wiring.h"

#include <string.h>

#include "base/buf.h"
#include "base/log.h"
#include "base/mem.h"
#include "config/config.h"
#include "config/table_source.h"
#include "daemon/ruleset.h"
#include "event/json_decode.h"
#include "flow/pipeline.h"
#include "flow/position.h"
#include "flow/saved.h"
#include "io/sink_file.h"
#include "io/sink_kafka.h"
#include "io/sink_stdout.h"
#include "io/source.h"
#include "io/source_follow.h"
#include "io/source_spool.h"
#include "plan/program.h"
#include "state/checkpoint.h"
#include "state/modules.h"
#include "state/outbox.h"

/* Path of something in the state directory; owned. */
static char *path_of(const struct config *config, const char *name)
{
    struct buf b;

    buf_init(&b);
    buf_printf(&b, "%s/%s", config->state, name);
    return buf_take(&b);
}

/* ---- sinks ----------------------------------------------------------------------------------- */

static struct sink *make_kafka(const struct config_sink *from)
{
    const struct sink_kafka_options opt = config_kafka_sink(from);

    return sink_kafka_new(&opt);
}

struct sink **wiring_sinks(const struct config *config)
{
    struct sink **sink = mem_calloc(config->n_sinks + 1, sizeof(struct sink *));

    for (size_t i = 0; i < config->n_sinks; i++) {
        const struct config_sink *from = &config->sink[i];
        struct sink_file_options file = {.name = from->name,
                                         .path = from->path,
                                         .rotate_size = from->rotate_size,
                                         .rotate_every = from->rotate_every,
                                         .rotate_keep = from->rotate_keep};
        if (from->kind == CONFIG_SINK_FILE)
            sink[i] = sink_file_new(&file);
        else if (from->kind == CONFIG_SINK_STDOUT)
            sink[i] = sink_stdout_new(from->name, 1);
        else if (from->kind == CONFIG_SINK_KAFKA)
            sink[i] = make_kafka(from);
    }
    return sink;
}

bool wiring_outbox(const struct config *config, struct checkpoint *cp, struct buf *why)
{
    struct outbox_sink *sink = mem_calloc(config->n_sinks + 1, sizeof *sink);

    for (size_t i = 0; i < config->n_sinks; i++)
        sink[i] = (struct outbox_sink){.name = config->sink[i].name,
                                       .max_count = config->sink[i].max_count,
                                       .max_bytes = config->sink[i].max_bytes,
                                       .on_full = config->sink[i].wait ? OUTBOX_WAIT
                                                                       : OUTBOX_DEAD_LETTER};
    bool ok = outbox_configure(checkpoint_outbox(cp), sink, (uint32_t)config->n_sinks, why);
    mem_free(sink);
    return ok;
}

#define SPOOL_PARTITION "-" /* as in a replay */

/* ---- sources --------------------------------------------------------------------------------- */

static uint32_t sink_number(const struct config *config, const char *name)
{
    return name ? config_sink_named(config, name) : STAGE_NO_SINK;
}

/* The positions of one source; texts borrowed from all. Owned array. */
static struct source_position *positions_of(const struct saved_positions *all, const char *source,
                                            size_t *n_out)
{
    struct source_position *position = mem_calloc(all->n + 1, sizeof *position);

    *n_out = 0;
    for (size_t i = 0; i < all->n; i++) {
        const struct position *pos = &all->position[i];
        if (strcmp(pos->source, source) != 0)
            continue;
        position[(*n_out)++] = (struct source_position){
            .partition = pos->partition,
            .generation = pos->generation,
            .identity = {pos->identity[0], pos->identity[1]},
            .resume = pos->resume,
            .read = pos->read,
            .at_end = pos->cut > 0 ? pos->cut : 0,
            .ended = pos->ended};
    }
    return position;
}

static struct source *make_source(const struct config_source *from, const struct spooler *in,
                                  const struct saved_positions *all, struct buf *why)
{
    size_t n;
    struct source_position *position = positions_of(all, from->name, &n);
    struct source_follow_options opt = {.name = from->name,
                                        .pattern = (const char *const *)from->path,
                                        .n_patterns = from->n_paths,
                                        .follow = from->follow,
                                        .max_line = from->max_line,
                                        .padding = decoder_padding(),
                                        .saved = position,
                                        .n_saved = n};
    struct source *source =
        from->kind == CONFIG_FILE    ? source_follow_new(&opt, why)
        : from->kind == CONFIG_KAFKA ? wiring_kafka_source(from, position, n, why)
                                     : source_spool_new(from->name, SPOOL_PARTITION,
                                                        wiring_spool(in, from->name),
                                                        n > 0 ? position : NULL, decoder_padding());

    mem_free(position);
    return source;
}

static struct pipeline_source wire_source(const struct config *config,
                                          const struct config_source *from, struct source *source)
{
    bool bounded = !config_is_spooled(from) && !from->follow;

    return (struct pipeline_source){
        .name = from->name,
        .source = source,
        .stage = {.lateness = from->lateness,
                  .idle = bounded ? 0 : from->idle,
                  .future = from->future,
                  .quiet_hold = from->quiet_hold,
                  .order_by = from->order_by != NULL,
                  .late_sink = sink_number(config, from->late),
                  .dead_sink = sink_number(config, from->dead_letter)},
        .time_arrival = from->time_arrival,
        .time_record = from->time_record,
        .max_line = from->max_line};
}

static uint32_t incarnation_of(const struct ruleset *rs, const struct program_table *table)
{
    const struct module_state *state = generation_table(&rs->mods.generation[0], table->name);

    return state ? state->incarnation : 0;
}

static char *saved_as_of(const struct ruleset *rs, const struct program_table *table)
{
    return stage_saved_as(table_source_name(rs->prog[0], table), incarnation_of(rs, table));
}

static bool make_table_source(const struct config *config, const struct ruleset *rs, size_t at,
                              const struct saved_positions *all, struct pipeline_source *source_out,
                              struct buf *why)
{
    const struct program_table *table = table_source_at(rs->prog[0], at);
    char *saved_as = saved_as_of(rs, table);
    size_t n;
    struct source_position *position = positions_of(all, saved_as, &n);
    bool ok = wiring_table_source(config, rs->prog[0], table, incarnation_of(rs, table), position, n,
                                  source_out, why);

    mem_free(position);
    mem_free(saved_as);
    return ok;
}

/* False, with all freed, when one cannot be made. */
static bool make_sources(const struct config *config, const struct ruleset *rs, const struct spooler *in,
                         const struct saved_positions *all, struct pipeline_source *source,
                         struct buf *why)
{
    size_t n = config->n_sources + table_sources(rs->prog[0]), i = 0;
    bool ok = true;

    for (; i < n && ok; i++) {
        if (i < config->n_sources) {
            struct source *made = make_source(&config->source[i], in, all, why);
            ok = made != NULL;
            if (ok)
                source[i] = wire_source(config, &config->source[i], made);
        } else {
            ok = make_table_source(config, rs, i - config->n_sources, all, &source[i], why);
        }
    }
    if (ok)
        return true;
    for (i--; i-- > 0;)
        source_free(&source[i].source);
    return false;
}

static bool is_saved_as(const struct ruleset *rs, const char *saved_as)
{
    bool found = false;

    for (size_t i = 0; table_source_at(rs->prog[0], i) && !found; i++) {
        char *is = saved_as_of(rs, table_source_at(rs->prog[0], i));
        found = strcmp(is, saved_as) == 0;
        mem_free(is);
    }
    return found;
}

/* Those of tables that are no more, as their rows. */
static void remove_orphans(struct checkpoint *cp, const struct ruleset *rs, const struct saved_positions *all)
{
    struct epoch *ep = epoch_new();
    bool any = false;

    for (size_t i = 0; i < all->n; i++) {
        const struct position *pos = &all->position[i];
        if (!program_is_table_source(pos->source) || is_saved_as(rs, pos->source))
            continue;
        saved_position_remove(ep->batch, pos->source, pos->partition, pos->generation);
        any = true;
    }
    if (any)
        checkpoint_submit(cp, ep);
    else
        epoch_free(&ep);
}

/* A source that is configured no more leaves its positions behind: they are kept, and told. */
static void tell_orphans(const struct config *config, const struct saved_positions *all)
{
    const char *told = NULL;

    for (size_t i = 0; i < all->n; i++) {
        const char *source = all->position[i].source;
        if (program_is_table_source(source))
            continue;
        if (config_source_named(config, source) != UINT32_MAX ||
            (told && strcmp(told, source) == 0))
            continue;
        told = source;
        struct buf b;
        buf_init(&b);
        log_field(&b, "source", source);
        log_line(LOG_WARNING, LOG_source, "positions of a source that is configured no more are kept",
                 "%s", b.data);
        buf_fini(&b);
    }
}

/* ---- all ------------------------------------------------------------------------------------- */

struct pipeline *wiring_pipeline(const struct config *config, const struct ruleset *rs,
                                 const struct time_specs *times, struct checkpoint *cp,
                                 struct spooler *in, struct reaper *reaper, bool hold,
                                 void (*progress)(void *ctx), void *ctx, struct buf *why)
{
    size_t n_sources = config->n_sources + table_sources(rs->prog[0]);
    struct pipeline_source *source = mem_calloc(n_sources + 1, sizeof *source);
    char *spill = path_of(config, "spill");
    struct saved_positions all;
    struct pipeline *p = NULL;

    if (saved_positions_read(checkpoint_store(cp), &all, why) &&
        make_sources(config, rs, in, &all, source, why)) {
        struct pipeline_options opt = {.source = source,
                                       .n_sources = n_sources,
                                       .rules = rs->rules,
                                       .n_rules = rs->mods.n,
                                       .times = times,
                                       .quarantine = rs->quarantine,
                                       .checkpoint = cp,
                                       .reaper = reaper,
                                       .progress = progress,
                                       .progress_ctx = ctx,
                                       .spill_dir = spill,
                                       .checkpoint_every = config->checkpoint,
                                       .checkpoint_bytes = config->checkpoint_bytes,
                                       .alert_delay = config->alert_delay,
                                       .memory_limit = config->memory_limit,
                                       .buffer_limit = config->buffer_limit,
                                       .spill_limit = config->spill_limit,
                                       .queue_limit = config->queue_limit,
                                       .hold = hold};
        tell_orphans(config, &all);
        remove_orphans(cp, rs, &all);
        p = pipeline_new(&opt, why);
    }
    saved_positions_fini(&all);
    mem_free(spill);
    mem_free(source);
    return p;
}
