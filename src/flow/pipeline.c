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
#include "flow/probe_counts.h"
#include "flow/reader.h"
#include "flow/saved.h"
#include "flow/unseen.h"
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
    p->clock = mem_calloc(p->n_groups + 1, sizeof *p->clock);
    p->clock_known = mem_calloc(p->n_groups + 1, sizeof *p->clock_known);
    p->told = mem_calloc(p->n_groups + 1, sizeof *p->told);
    p->over = mem_calloc(p->n_groups + 1, sizeof *p->over);
}

static int64_t max_time(int64_t a, int64_t b)
{
    return a > b ? a : b;
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

static void tell_over(const char *source)
{
    struct buf b;

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

    for (uint32_t g = 0; g < p->n_groups; g++) {
        p->clock[g] = (struct engine_clock)ENGINE_CLOCK_NONE;
        p->clock[g].now = INT64_MAX; /* the least is looked for */
    }
    for (size_t i = 0; i < p->opt.n_sources; i++) {
        struct engine_clock *clock = &p->clock[p->source[i].stage.group], was;
        bool found;
        if (p->source[i].stage.rows) /* they have no time */
            continue;
        if (!saved_clock_get(store, p->source[i].name, &found, &was, why))
            return false;
        if (!found)
            continue;
        clock->newest = max_time(clock->newest, was.now);
        if (was.now < INT64_MAX) {
            clock->shown = max_time(clock->shown, was.now);
        } else {
            was.since = INT64_MAX;
            int64_t shown = highest_shown(p, p->source[i].name);
            was.behind = max_time(was.behind, shown);
            clock->shown = max_time(clock->shown, shown);
            tell_over(p->source[i].name);
        }
        clock->behind = max_time(clock->behind, was.behind);
        clock->now = was.now < clock->now ? was.now : clock->now;
        clock->since = was.since < clock->since ? was.since : clock->since;
        clock->seq = was.seq > clock->seq ? was.seq : clock->seq;
        p->clock_known[p->source[i].stage.group] = true;
    }
    return true;
}

/*
 * With the end of its input all that was open in a group was decided, and its time was over. What comes now
 * is another beginning, behind all that was there: else it would be late, for ever. Invariants:
 *  1. it begins with the first event that is new, not with the start: without one the group is as it was
 *     left, and its end, which was told, is not told again (order_start_over; shard's `over').
 *  2. it lies behind what all sources of the group had shown: what one alone had not reached was decided,
 *     too, as their time is one.
 *  3. a window that the end decided may be open again, for what is new of it: so that it is not taken for the
 *     one that was told, its id has the border in it (engine_clock.behind).
 */
static void begin_behind(struct pipeline *p)
{
    for (uint32_t g = 0; g < p->n_groups; g++) {
        p->over[g] = p->clock_known[g] && p->clock[g].now == INT64_MAX;
        if (p->over[g])
            p->clock[g].now = p->clock[g].shown;
        else if (!p->clock_known[g])
            p->clock[g].now = INT64_MIN;
        p->told[g] = p->clock[g].now;
    }
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

static void count(void *ctx, uint32_t group, struct engine *en)
{
    struct pipeline *p = ctx;

    for (size_t i = 0; i < p->opt.n_sources; i++)
        if (p->source[i].stage.group == group)
            probe_counts_take(p->counts[i], en);
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
                                .over = p->over,
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
                                .reaper = p->opt.reaper,
                                .ask = ask,
                                .crowd = crowd,
                                .durable = durable,
                                .count = count,
                                .ctx = p};
    p->shard = shard_new(&opt);
    p->n_engines = 0; /* the shard's now */
}

static void start_readers(struct pipeline *p)
{
    struct reader **reader = mem_calloc(p->opt.n_sources + 1, sizeof(struct reader *));
    struct program *prog = p->rules[0].prog;

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
                                     .time_record = source->time_record,
                                     .rows = source->stage.rows,
                                     .keep_raw = source->stage.late_sink != STAGE_NO_SINK,
                                     .max_line = source->max_line,
                                     .seen = p->seen,
                                     .counts = p->counts[i],
                                     .opened = &p->opened[i],
                                     .out = p->intakes};
        time_spec_bind(p->opt.times, source->name, prog->schema, &opt.time);
        reader[i] = reader_new(&opt);
    }
    pthread_mutex_lock(&p->reading);
    p->reader = reader;
    pthread_mutex_unlock(&p->reading);
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
    p->quarantine = mem_calloc(prog->n_streams + 1, sizeof *p->quarantine);
    memcpy(p->quarantine, opt->quarantine, prog->n_streams * sizeof *p->quarantine);
    p->seen = mem_calloc(prog->n_rule_slots + 1, sizeof *p->seen);
    p->counts = mem_calloc(opt->n_sources + 1, sizeof *p->counts);
    for (size_t i = 0; i < opt->n_sources; i++)
        p->counts[i] = probe_counts_new(prog->n_rules);
    p->late_probe = mem_calloc(opt->n_rules + 1, sizeof *p->late_probe);
    for (size_t i = 0; i < opt->n_rules; i++)
        p->late_probe[i] = find_late_probes(opt->rules[i].prog);
}

struct pipeline *pipeline_new(const struct pipeline_options *opt, struct buf *why)
{
    struct pipeline *p = mem_calloc(1, sizeof *p);

    pthread_mutex_init(&p->reading, NULL);
    copy_options(p, opt);
    make_groups(p);
    bool ok = saved_positions_read(checkpoint_store(opt->checkpoint), &p->saved, why) &&
              read_clocks(p, why);
    begin_behind(p);
    reopen_positions(p);
    if (!ok || !pipeline_restore(p, why)) {
        pipeline_free(&p);
        return NULL;
    }
    p->intakes = queue_new(opt->queue_limit);
    p->batches = queue_new((uint64_t)BATCHES_AHEAD * BATCH_EVENTS);
    start_stage(p);
    start_shard(p);
    p->read = mem_calloc(opt->n_sources + 1, sizeof *p->read);
    p->opened = mem_calloc(opt->n_sources + 1, sizeof *p->opened);
    if (!opt->hold)
        start_readers(p);
    return p;
}

void pipeline_read(struct pipeline *p)
{
    if (!p->reader)
        start_readers(p);
}

bool pipeline_finished(struct pipeline *p)
{
    return stage_finished(p->stage);
}

bool pipeline_lost(struct pipeline *p)
{
    return stage_lost(p->stage);
}

const char *pipeline_stuck(struct pipeline *p, int64_t longest)
{
    return shard_stuck(p->shard, longest) ? "engine" : stage_stuck(p->stage, longest) ? "order" : NULL;
}

bool pipeline_broken(struct pipeline *p, struct buf *why)
{
    return shard_broken(p->shard, why);
}

uint64_t pipeline_checkpoint(struct pipeline *p)
{
    return stage_ask_now(p->stage);
}

bool pipeline_checkpointed(struct pipeline *p, uint64_t number)
{
    return stage_placed_durable(p->stage, number);
}

void pipeline_ask(struct pipeline *p, struct question *question)
{
    shard_ask(p->shard, question);
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
    pthread_mutex_lock(&p->reading); /* who asks for figures may look at them */
    struct reader **reader = p->reader;
    for (size_t i = 0; i < p->opt.n_sources; i++)
        reader_stats(reader[i], &p->read[i]);
    p->reader = NULL;
    pthread_mutex_unlock(&p->reading);
    for (size_t i = 0; i < p->opt.n_sources; i++)
        reader_stop(reader[i]);
    for (size_t i = 0; i < p->opt.n_sources; i++)
        reader_free(&reader[i]);
    mem_free(reader);
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
    for (size_t i = 0; i < p->opt.n_sources; i++)
        probe_counts_free(&p->counts[i]);
    mem_free(p->counts);
    mem_free(p->opened);
    mem_free(p->read);
    pthread_mutex_destroy(&p->reading);
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
    mem_free(p->over);
    mem_free(p->quarantine);
    mem_free(p->late_probe);
    mem_free(p->seen);
    mem_free(p);
}

bool pipeline_unseen(struct pipeline *p, uint64_t events, struct unseen *unseen_out)
{
    struct pipeline_source_stats stats;

    for (size_t i = 0; i < p->opt.n_sources; i++) {
        pipeline_source_stats(p, i, &stats);
        if (stats.lines < events && !p->source[i].stage.rows)
            return false;
    }
    unseen_init(unseen_out, p->opt.rules[0].prog);
    unseen_less(unseen_out, p->seen);
    return true;
}

int64_t pipeline_frontier(struct pipeline *p)
{
    return stage_frontier(p->stage);
}

void pipeline_source_stats(struct pipeline *p, size_t source, struct pipeline_source_stats *stats_out)
{
    struct reader_stats read;

    pthread_mutex_lock(&p->reading);
    read = p->read[source]; /* of one that has ended */
    if (p->reader)
        reader_stats(p->reader[source], &read);
    pthread_mutex_unlock(&p->reading);
    stats_out->lines = read.lines;
    stats_out->bytes = read.bytes;
    stage_stats(p->stage, (uint32_t)source, &stats_out->stage);
    source_figures(p->source[source].source, &stats_out->own);
}

void pipeline_source_lag(struct pipeline *p, size_t source, source_lag_fn *found, void *ctx)
{
    source_lag(p->source[source].source, found, ctx);
}

size_t pipeline_sources(const struct pipeline *p)
{
    return p->opt.n_sources;
}

const char *pipeline_source_name(const struct pipeline *p, size_t source)
{
    return p->source[source].name;
}

void pipeline_order_stats(struct pipeline *p, struct stage_order_stats *stats_out)
{
    stage_order_stats(p->stage, stats_out);
}

void pipeline_engine_stats(struct pipeline *p, struct shard_stats *stats_out)
{
    shard_stats(p->shard, stats_out);
}

void pipeline_each_table(struct pipeline *p, rule_watch_table_fn *found, void *ctx)
{
    shard_each_table(p->shard, found, ctx);
}

void pipeline_each_rule(struct pipeline *p, rule_watch_fn *found, void *ctx)
{
    shard_each_rule(p->shard, found, ctx);
}
