// SPDX-License-Identifier: Apache-2.0
/*
 * pipeline - made in the order in which things depend on each other, and ended in the other one:
 *
 *   groups > clocks > engines > restore > stage > shard > readers
 *
 * Events of the engines point to origins of the stage's partitions, and those to texts of the sources:
 * engines end first, sources last.
 */
#include "flow/pipeline.h"

#include <inttypes.h>
#include <string.h>

#include "base/buf.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/queue.h"
#include "flow/batch.h"
#include "flow/group.h"
#include "flow/intake.h"
#include "flow/pipeline_priv.h"
#include "flow/position.h"
#include "flow/reader.h"
#include "flow/saved.h"
#include "io/source.h"
#include "plan/program.h"
#include "plan/window_plan.h"
#include "state/checkpoint.h"
#include "state/modules.h"

enum { BATCHES_AHEAD = 64 }; /* full ones, between the order stage and the engine thread */

/* ---- groups ---------------------------------------------------------------------------------- */

/* A source that nobody reads is a group of its own, without an engine. */
static void make_groups(struct pipeline *p)
{
    const char **name = mem_calloc(p->opt.n_sources + 1, sizeof *name);
    const struct program **prog = mem_calloc(p->opt.n_rules + 1, sizeof *prog);

    for (size_t i = 0; i < p->opt.n_sources; i++)
        name[i] = p->source[i].name;
    for (size_t i = 0; i < p->opt.n_rules; i++)
        prog[i] = p->rules[i].prog;
    p->map = group_map_new(prog, p->opt.n_rules, name, p->opt.n_sources);
    p->n_groups = p->map->n_groups;
    for (size_t i = 0; i < p->opt.n_sources; i++) {
        uint32_t group = p->map->source[i];
        p->source[i].stage.group = group == GROUP_NONE ? p->n_groups++ : group;
        p->source[i].stage.name = p->source[i].name;
        p->source[i].stage.source = p->source[i].source;
    }
    mem_free(name);
    mem_free(prog);
}

/* The highest time that a source has shown, INT64_MIN: none. */
static int64_t highest_shown(const struct pipeline *p, const char *source)
{
    int64_t highest = INT64_MIN;

    for (size_t i = 0; i < p->saved.n; i++) {
        const struct position *pos = &p->saved.position[i];
        if (strcmp(pos->source, source) == 0 && pos->max_before > highest)
            highest = pos->max_before;
    }
    return highest;
}

/* With the end of its input all that was open was decided, and time was over. What comes now is another
 * beginning, behind what was there: else all of it would be late, for ever. */
static void begin_behind(const struct pipeline *p, const char *source, struct engine_clock *clock)
{
    struct buf b;

    clock->now = highest_shown(p, source);
    clock->since = INT64_MAX;
    buf_init(&b);
    log_field(&b, "source", source);
    log_line(LOG_INFO, LOG_order, "its input had ended: time goes on behind what was there", "%s",
             b.data);
    buf_fini(&b);
}

/* The same of what was read. Nothing of it waits. */
static void reopen_positions(struct pipeline *p)
{
    for (size_t i = 0; i < p->saved.n; i++) {
        struct position *pos = &p->saved.position[i];
        if (pos->floor == INT64_MAX)
            pos->floor = INT64_MIN;
        if (pos->cut != INT64_MAX)
            continue;
        pos->cut = pos->max_before;
        pos->cut_event = pos->cut_late = pos->read;
    }
}

/* Of the groups that its sources came from: the least time, so that nothing is passed over. */
static bool read_clocks(struct pipeline *p, struct buf *why)
{
    struct store *store = checkpoint_store(p->opt.checkpoint);

    p->clock = mem_calloc(p->n_groups + 1, sizeof *p->clock);
    p->told = mem_calloc(p->n_groups + 1, sizeof *p->told);
    for (uint32_t g = 0; g < p->n_groups; g++)
        p->clock[g] = (struct engine_clock){.now = INT64_MAX, .since = INT64_MAX, .newest = INT64_MIN};
    for (size_t i = 0; i < p->opt.n_sources; i++) {
        struct engine_clock *clock = &p->clock[p->source[i].stage.group], was;
        bool found;
        if (!saved_clock_get(store, p->source[i].name, &found, &was, why))
            return false;
        if (!found)
            continue;
        clock->newest = was.now > clock->newest ? was.now : clock->newest;
        if (was.now == INT64_MAX)
            begin_behind(p, p->source[i].name, &was);
        clock->now = was.now < clock->now ? was.now : clock->now;
        clock->since = was.since < clock->since ? was.since : clock->since;
        clock->seq = was.seq > clock->seq ? was.seq : clock->seq;
        p->clock_known[p->source[i].stage.group] = true;
    }
    for (uint32_t g = 0; g < p->n_groups; g++) {
        if (!p->clock_known[g])
            p->clock[g].now = INT64_MIN;
        p->told[g] = p->clock[g].now;
    }
    return true;
}

/* ---- threads --------------------------------------------------------------------------------- */

static void ask(void *ctx, int64_t at)
{
    struct pipeline *p = ctx;

    stage_ask(p->stage, at);
}

static void crowd(void *ctx, bool crowded)
{
    struct pipeline *p = ctx;

    stage_crowd(p->stage, crowded);
}

static void durable(void *ctx, bool last)
{
    struct pipeline *p = ctx;

    stage_durable(p->stage, last);
}

static void start_stage(struct pipeline *p)
{
    struct stage_source *source = mem_calloc(p->opt.n_sources + 1, sizeof *source);

    for (size_t i = 0; i < p->opt.n_sources; i++)
        source[i] = p->source[i].stage;
    p->stage_sources = source;
    struct stage_options opt = {.source = source,
                                .n_sources = p->opt.n_sources,
                                .n_groups = p->n_groups,
                                .told = p->told,
                                .saved = p->saved.position,
                                .n_saved = p->saved.n,
                                .prog = p->rules[0].prog,
                                .draining = p->draining,
                                .n_draining = p->opt.n_rules - 1,
                                .max_line = p->max_line,
                                .in = p->intakes,
                                .out = p->batches,
                                .checkpoint = p->opt.checkpoint,
                                .every = p->opt.checkpoint_every,
                                .buffer_limit = p->opt.buffer_limit,
                                .spill_limit = p->opt.spill_limit,
                                .spill_dir = p->opt.spill_dir};
    p->stage = stage_new(&opt);
}

static void start_shard(struct pipeline *p)
{
    struct shard_options opt = {.engine = p->engine,
                                .n_engines = p->n_engines,
                                .in = p->batches,
                                .checkpoint = p->opt.checkpoint,
                                .memory_limit = p->opt.memory_limit,
                                .checkpoint_bytes = p->opt.checkpoint_bytes,
                                .alert_delay = p->opt.alert_delay,
                                .max_line = p->max_line,
                                .ask = ask,
                                .crowd = crowd,
                                .durable = durable,
                                .ctx = p};
    p->shard = shard_new(&opt);
    p->n_engines = 0; /* the shard's now */
}

static void start_readers(struct pipeline *p, const struct time_specs *times)
{
    struct program *prog = p->rules[0].prog;

    p->reader = mem_calloc(p->opt.n_sources + 1, sizeof(struct reader *));
    p->opened = mem_calloc(p->opt.n_sources + 1, sizeof *p->opened);
    for (size_t i = 0; i < p->opt.n_sources; i++) {
        const struct pipeline_source *source = &p->source[i];
        struct reader_options opt = {.number = (uint32_t)i,
                                     .source = source->source,
                                     .prog = prog,
                                     .draining = p->draining,
                                     .n_draining = p->opt.n_rules - 1,
                                     .late_probe = p->late_probe[0],
                                     .draining_late = (const bool *const *)p->late_probe + 1,
                                     .quarantine = p->quarantine,
                                     .time_arrival = source->time_arrival,
                                     .keep_raw = source->stage.late_sink != STAGE_NO_SINK,
                                     .max_line = source->max_line,
                                     .opened = &p->opened[i],
                                     .out = p->intakes};
        time_spec_bind(times, source->name, prog->schema, &opt.time);
        p->reader[i] = reader_new(&opt);
    }
}

/* ---- lifetime -------------------------------------------------------------------------------- */

/* Those of windows that allow late. */
static bool *find_late_probes(const struct program *prog)
{
    bool *late = mem_calloc(prog->n_probes + 1, sizeof *late);

    for (uint32_t i = 0; i < prog->n_probes; i++) {
        uint32_t rule = prog->probe[i].rule;
        late[i] = rule != PROGRAM_NO_RULE && prog->rule[rule].window &&
                  prog->rule[rule].window->late >= 0;
    }
    return late;
}

static void copy_options(struct pipeline *p, const struct pipeline_options *opt)
{
    struct program *prog = opt->rules[0].prog;

    p->opt = *opt;
    p->source = mem_calloc(opt->n_sources + 1, sizeof *p->source);
    memcpy(p->source, opt->source, opt->n_sources * sizeof *p->source);
    p->rules = mem_calloc(opt->n_rules, sizeof *p->rules);
    p->draining = mem_calloc(opt->n_rules, sizeof *p->draining);
    for (size_t i = 0; i < opt->n_rules; i++) {
        p->rules[i] = opt->rules[i];
        program_ref(p->rules[i].prog);
        if (i > 0)
            p->draining[i - 1] = p->rules[i].prog;
    }
    for (size_t i = 0; i < opt->n_sources; i++)
        if (p->source[i].max_line > p->max_line)
            p->max_line = p->source[i].max_line;
    p->clock_known = mem_calloc(opt->n_sources + 1, sizeof *p->clock_known);
    p->quarantine = mem_calloc(prog->n_streams + 1, sizeof *p->quarantine);
    memcpy(p->quarantine, opt->quarantine, prog->n_streams * sizeof *p->quarantine);
    p->late_probe = mem_calloc(opt->n_rules + 1, sizeof *p->late_probe);
    for (size_t i = 0; i < opt->n_rules; i++)
        p->late_probe[i] = find_late_probes(opt->rules[i].prog);
}

struct pipeline *pipeline_new(const struct pipeline_options *opt, struct buf *why)
{
    struct pipeline *p = mem_calloc(1, sizeof *p);

    copy_options(p, opt);
    make_groups(p);
    bool ok = saved_positions_read(checkpoint_store(opt->checkpoint), &p->saved, why) &&
              read_clocks(p, why);
    reopen_positions(p);
    if (!ok || !pipeline_restore(p, why)) {
        pipeline_free(&p);
        return NULL;
    }
    p->intakes = queue_new(opt->queue_limit);
    p->batches = queue_new((uint64_t)BATCHES_AHEAD * BATCH_EVENTS);
    start_stage(p);
    start_shard(p);
    start_readers(p, opt->times);
    return p;
}

bool pipeline_finished(struct pipeline *p)
{
    return stage_finished(p->stage);
}

bool pipeline_lost(struct pipeline *p)
{
    return stage_lost(p->stage);
}

bool pipeline_broken(struct pipeline *p, struct buf *why)
{
    return shard_broken(p->shard, why);
}

bool pipeline_drained(struct pipeline *p, uint32_t generation)
{
    return shard_drained(p->shard, generation);
}

/* What is still in the queue is the order stage's, which may take it or not: nobody else may take any of
 * it, or there would be a gap in what was read. */
static void stop_readers(struct pipeline *p)
{
    if (!p->reader)
        return;
    queue_close(p->intakes); /* what is handed on from now is dropped, and read again */
    for (size_t i = 0; i < p->opt.n_sources; i++)
        reader_free(&p->reader[i]);
    mem_free(p->reader);
    p->reader = NULL;
}

static void drop_intakes(struct pipeline *p)
{
    struct intake *in;

    while (p->intakes && (in = queue_pop(p->intakes, 0)) != NULL)
        intake_free(&in);
    queue_free(&p->intakes);
}

void pipeline_stop(struct pipeline *p, struct store_batch *extra)
{
    stop_readers(p);
    stage_stop(p->stage, extra);
}

bool pipeline_stopped(struct pipeline *p)
{
    return stage_stopped(p->stage);
}

void pipeline_free(struct pipeline **pp)
{
    struct pipeline *p = *pp;

    if (!p)
        return;
    *pp = NULL;
    stop_readers(p);
    if (p->batches)
        queue_close(p->batches);
    if (p->shard)
        shard_free(&p->shard);
    stage_free(&p->stage);
    pipeline_drop_engines(p);
    drop_intakes(p);
    if (p->batches)
        pipeline_drop_batches(p);
    for (size_t i = 0; i < p->opt.n_sources; i++)
        source_free(&p->source[i].source);
    for (size_t i = 0; p->opened && i < p->opt.n_sources; i++)
        live_list_fini(&p->opened[i]);
    mem_free(p->opened);
    for (size_t i = 0; i < p->opt.n_rules; i++) {
        program_unref(&p->rules[i].prog);
        mem_free(p->late_probe[i]);
    }
    group_map_free(&p->map);
    saved_positions_fini(&p->saved);
    mem_free(p->stage_sources);
    mem_free(p->source);
    mem_free(p->rules);
    mem_free(p->draining);
    mem_free(p->clock);
    mem_free(p->clock_known);
    mem_free(p->told);
    mem_free(p->quarantine);
    mem_free(p->late_probe);
    mem_free(p);
}

int64_t pipeline_frontier(struct pipeline *p)
{
    return stage_frontier(p->stage);
}

void pipeline_describe(struct pipeline *p, struct buf *out)
{
    struct stage_stats stage;
    struct shard_stats shard;

    stage_stats(p->stage, &stage);
    shard_stats(p->shard, &shard);
    buf_printf(out,
               "events=%" PRIu64 " alerts=%" PRIu64 " late=%" PRIu64 " broken=%" PRIu64
               " set_aside=%" PRIu64 " quarantined=%" PRIu64 " read_again=%" PRIu64
               " stalled=%" PRIu64 " checkpoints=%" PRIu64 " state_memory=%" PRIu64
               " keys_loaded=%" PRIu64
               " longest_pause_ms=%.1f longest_pause_cpu_ms=%.1f",
               stage.events, shard.alerts, stage.late, stage.broken, stage.aside,
               stage.quarantined, stage.again, stage.stalled, shard.epochs, shard.memory, shard.loads,
               (double)shard.longest_pause / 1e6, (double)shard.longest_work / 1e6);
}
