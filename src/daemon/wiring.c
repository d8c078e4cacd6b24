// SPDX-License-Identifier: Apache-2.0
#include "daemon/wiring.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/log.h"
#include "base/mem.h"
#include "config/config.h"
#include "daemon/ruleset.h"
#include "event/json_decode.h"
#include "flow/pipeline.h"
#include "flow/position.h"
#include "flow/saved.h"
#include "io/sink_file.h"
#include "io/sink_stdout.h"
#include "io/source.h"
#include "io/source_follow.h"
#include "io/source_spool.h"
#include "io/source_stdin.h"
#include "io/spool.h"
#include "state/checkpoint.h"
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
        sink[i] = from->kind == CONFIG_SINK_FILE ? sink_file_new(&file)
                                                 : sink_stdout_new(from->name, 1);
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

/* ---- standard input --------------------------------------------------------------------------- */

#define STDIN_PARTITION "-" /* as in a replay */

struct spooler {
    struct spool *spool;
    struct source_stdin *in;
};

static const struct config_source *stdin_source(const struct config *config)
{
    for (size_t i = 0; i < config->n_sources; i++)
        if (config->source[i].kind == CONFIG_STDIN)
            return &config->source[i];
    return NULL;
}

static struct spool *open_spool(const struct config *config, const struct config_source *source,
                                const struct saved_positions *all, struct buf *why)
{
    char *parent = path_of(config, "spool");
    struct buf dir;
    struct spool_options opt = {.segment = source->spool_segment, .limit = source->spool_limit};
    struct spool *spool = NULL;

    buf_init(&dir);
    buf_printf(&dir, "%s/%s", parent, source->name);
    buf_addc(&dir, '\0');
    opt.dir = dir.data;
    for (size_t i = 0; i < all->n; i++) {
        if (strcmp(all->position[i].source, source->name) != 0)
            continue;
        opt.has_position = true;
        opt.resume = all->position[i].resume;
        opt.read = all->position[i].read;
    }
    if (mkdir(parent, 0700) == 0 || errno == EEXIST)
        spool = spool_open(&opt, why);
    else
        buf_printf(why, "%s: %s", parent, strerror(errno));
    buf_fini(&dir);
    mem_free(parent);
    return spool;
}

bool wiring_spooler(const struct config *config, struct checkpoint *cp, struct spooler **in_out,
                    struct buf *why)
{
    const struct config_source *source = stdin_source(config);
    struct saved_positions all;
    struct spooler *in;

    *in_out = NULL;
    if (!source)
        return true;
    if (!saved_positions_read(checkpoint_store(cp), &all, why)) {
        saved_positions_fini(&all);
        return false;
    }
    in = mem_calloc(1, sizeof *in);
    in->spool = open_spool(config, source, &all, why);
    if (in->spool)
        in->in = source_stdin_start(STDIN_FILENO, in->spool, source->max_line, why);
    saved_positions_fini(&all);
    if (!in->in)
        wiring_spooler_free(&in);
    *in_out = in;
    return in != NULL;
}

void wiring_spooler_free(struct spooler **in)
{
    if (!*in)
        return;
    source_stdin_free(&(*in)->in);
    spool_free(&(*in)->spool);
    mem_free(*in);
    *in = NULL;
}

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
        from->kind == CONFIG_FILE
            ? source_follow_new(&opt, why)
            : source_spool_new(from->name, STDIN_PARTITION, in->spool, n > 0 ? position : NULL,
                               decoder_padding());

    mem_free(position);
    return source;
}

static struct pipeline_source wire_source(const struct config *config,
                                          const struct config_source *from, struct source *source)
{
    bool bounded = from->kind == CONFIG_FILE && !from->follow;

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
        .max_line = from->max_line};
}

/* A source that is configured no more leaves its positions behind: they are kept, and told. */
static void tell_orphans(const struct config *config, const struct saved_positions *all)
{
    const char *told = NULL;

    for (size_t i = 0; i < all->n; i++) {
        const char *source = all->position[i].source;
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

/* False, with all freed, when one cannot be made. */
static bool make_sources(const struct config *config, struct spooler *in,
                         const struct saved_positions *all, struct pipeline_source *source,
                         struct buf *why)
{
    for (size_t i = 0; i < config->n_sources; i++) {
        struct source *made = make_source(&config->source[i], in, all, why);
        if (made) {
            source[i] = wire_source(config, &config->source[i], made);
            continue;
        }
        while (i-- > 0)
            source_free(&source[i].source);
        return false;
    }
    return true;
}

/* ---- all ------------------------------------------------------------------------------------- */

struct pipeline *wiring_pipeline(const struct config *config, const struct ruleset *rs,
                                 const struct time_specs *times, struct checkpoint *cp,
                                 struct spooler *in, struct buf *why)
{
    struct pipeline_source *source = mem_calloc(config->n_sources + 1, sizeof *source);
    char *spill = path_of(config, "spill");
    struct saved_positions all;
    struct pipeline *p = NULL;

    if (saved_positions_read(checkpoint_store(cp), &all, why) &&
        make_sources(config, in, &all, source, why)) {
        struct pipeline_options opt = {.source = source,
                                       .n_sources = config->n_sources,
                                       .rules = rs->rules,
                                       .n_rules = rs->mods.n,
                                       .times = times,
                                       .quarantine = rs->quarantine,
                                       .checkpoint = cp,
                                       .spill_dir = spill,
                                       .checkpoint_every = config->checkpoint,
                                       .checkpoint_bytes = config->checkpoint_bytes,
                                       .alert_delay = config->alert_delay,
                                       .memory_limit = config->memory_limit,
                                       .buffer_limit = config->buffer_limit,
                                       .spill_limit = config->spill_limit,
                                       .queue_limit = config->queue_limit};
        tell_orphans(config, &all);
        p = pipeline_new(&opt, why);
    }
    saved_positions_fini(&all);
    mem_free(spill);
    mem_free(source);
    return p;
}
