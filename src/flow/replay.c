// SPDX-License-Identifier: Apache-2.0
#include "flow/replay.h"

#include <assert.h>
#include <errno.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/mem.h"
#include "engine/engine.h"
#include "engine/probe.h"
#include "engine/table.h"
#include "event/json_decode.h"
#include "event/schema.h"
#include "flow/group.h"
#include "flow/order.h"
#include "flow/replay_priv.h"
#include "io/interrupt.h"
#include "io/line_writer.h"
#include "io/source_file.h"
#include "plan/program.h"

/* ---- what the order stage gives -------------------------------------------------------------- */

void replay_fail(struct replay *r, const char *where, const char *what)
{
    r->failed = true;
    buf_printf(&r->error, "%s%s%s%s", r->error.len ? "\n" : "", where ? where : "",
               where ? ": " : "", what);
}

/* Alerts of one time wait for each other, to be put in order. */
static void check_alerts(struct replay *r)
{
    if (r->stopped || alert_writer_bytes(&r->alerts) <= r->opt.max_bytes)
        return;
    r->stopped = true;
    replay_fail(r, NULL, "the alerts of one event time do not fit in memory: raise --memory");
}

bool replay_is_stopped(struct replay *r)
{
    r->stopped = r->stopped || interrupt_signal() != 0;
    return r->stopped;
}

/* Where an event came from. */
static struct replay_part *part_of(const struct event *ev)
{
    const char *origin = (const char *)ev->origin;

    return (struct replay_part *)(uintptr_t)(origin - offsetof(struct replay_part, origin));
}

/* Nothing before its first event can come any more: its time begins. Late events with an earlier
 * place come first. */
static void begin_group(struct replay *r, struct replay_group *group)
{
    engine_begin(group->engine, group->first);
    if (group->n_held > 0)
        engine_advance(group->engine, group->first, &r->alerts.waiting);
    for (size_t i = 0; i < group->n_held; i++) {
        engine_feed_late(group->engine, group->held[i], &r->alerts.waiting);
        event_unref(group->held[i]);
    }
    group->n_held = 0;
}

/* All groups whose time has begun. Also before what one of them is given: so alerts of all come out in the
 * order of time, and a late event is given when its group knows of its place. */
static void move_groups(struct replay *r, int64_t frontier)
{
    for (uint32_t i = 0; i < r->n_groups; i++) {
        struct replay_group *group = &r->group[i];
        if (group->first > frontier || group->first == INT64_MAX)
            continue;
        begin_group(r, group);
        if (frontier > group->newest) { /* its input has ended; that of others goes on, or ends, too */
            engine_advance(group->engine, group->newest, &r->alerts.waiting);
            engine_over(group->engine, group->newest);
        }
        engine_advance(group->engine, frontier, &r->alerts.waiting);
    }
}

/* When reading has stopped the order stage may still be giving what it had. */
static void feed(void *ctx, struct event *ev)
{
    struct replay *r = ctx;

    if (replay_is_stopped(r))
        return;
    struct replay_group *group = &r->group[part_of(ev)->group];
    if (r->n_groups > 1)
        move_groups(r, ev->time);
    begin_group(r, group);
    engine_feed(group->engine, ev, &r->alerts.waiting);
    alert_writer_pass(&r->alerts, ev->time);
    check_alerts(r);
}

static void feed_late(void *ctx, struct event *ev)
{
    struct replay *r = ctx;

    if (replay_is_stopped(r))
        return;
    struct replay_group *group = &r->group[part_of(ev)->group];
    if (group->first > order_frontier(r->order)) {
        group->held = vec_reserve(group->held, &group->cap_held, group->n_held + 1,
                                  sizeof(struct event *));
        group->held[group->n_held++] = event_keep(ev);
        return;
    }
    if (r->n_groups > 1)
        move_groups(r, order_frontier(r->order));
    begin_group(r, group);
    engine_feed_late(group->engine, ev, &r->alerts.waiting);
    check_alerts(r);
}

/* A record of a table: time was told before it. */
static void feed_row(void *ctx, struct event *ev)
{
    struct replay *r = ctx;

    if (!replay_is_stopped(r))
        engine_feed_row(r->group[part_of(ev)->group].engine, ev);
}

static void advance(void *ctx, int64_t frontier)
{
    struct replay *r = ctx;

    if (replay_is_stopped(r))
        return;
    move_groups(r, frontier);
    alert_writer_pass(&r->alerts, frontier);
    check_alerts(r);
}

/* ---- making and freeing ---------------------------------------------------------------------- */

void replay_wait(void *ctx)
{
    struct replay *r = ctx;
    uint64_t done = 0, total = 0;
    bool known = true;

    for (size_t i = 0; i < r->in.n_parts; i++) {
        const struct replay_part *f = &r->in.part[i];
        done += f->file ? source_file_consumed(f->file) : f->consumed;
        total += f->size;
        known = known && f->size > 0;
    }
    if (!known) { /* it may be a pipe, and someone waits for what is known by now */
        line_writer_flush(r->out);
        if (r->late)
            line_writer_flush(r->late);
    }
    if (r->opt.progress)
        r->opt.progress(r->opt.progress_ctx, done, known ? total : 0, r->events);
}

/* Of the group's own rules: others would tell that nothing came. */
static struct engine *make_engine(const struct replay *r, uint32_t group)
{
    struct engine *en = engine_new(r->prog);
    bool *own = mem_calloc(r->prog->n_rules + 1, sizeof *own);

    for (uint32_t i = 0; i < r->prog->n_rules; i++)
        own[i] = r->groups->rule[0][i] == group;
    engine_own(en, own);
    mem_free(own);
    if (r->opt.time_rules)
        engine_time(en, &r->clock.piece);
    return en;
}

static void make_groups(struct replay *r)
{
    const struct program *prog = r->prog;
    const char **name = mem_calloc(r->in.n_sources + 1, sizeof *name);

    for (size_t i = 0; i < r->in.n_sources; i++)
        name[i] = r->in.source[i].name;
    r->groups = group_map_new(&prog, 1, name, r->in.n_sources);
    mem_free(name);
    r->n_groups = r->groups->n_groups;
    r->group = mem_calloc(r->n_groups + 1, sizeof *r->group);
    for (uint32_t i = 0; i <= r->n_groups; i++)
        r->group[i] = (struct replay_group){.engine = make_engine(r, i), .first = INT64_MAX, .newest = INT64_MIN};
    for (size_t i = 0; i < r->in.n_parts; i++) {
        uint32_t group = r->groups->source[r->in.part[i].source - r->in.source];
        r->in.part[i].group = group == GROUP_NONE ? r->n_groups : group;
    }
}

static size_t longest_of(const struct replay_part *part)
{
    return part->stream ? source_longest(part->stream->source, part->max_line) : part->max_line;
}

static void prepare(struct replay *r)
{
    struct order_options order = {.max_bytes = r->opt.max_bytes, .end = INT64_MAX};
    size_t max_line = 0;
    struct order_sink sink = {
        .event = feed, .late = feed_late, .advance = advance, .row = feed_row, .ctx = r};

    for (size_t i = 0; i < r->in.n_parts; i++)
        max_line = longest_of(&r->in.part[i]) > max_line ? longest_of(&r->in.part[i]) : max_line;
    r->decoder = decoder_new(r->prog->schema, max_line);
    r->probe = probe_scratch_new(r->prog);
    rule_clock_init(&r->clock);
    if (r->opt.time_rules)
        probe_time(r->probe, &r->clock.piece);
    unseen_init(&r->unseen, r->prog);
    for (uint32_t i = 0; i < r->prog->n_rules; i++)
        r->allows_late = r->allows_late || probe_allows_late(&r->prog->rule[i]);
    r->began = clock_wall();
    r->order = order_new(&order, &sink);
    make_groups(r);
    r->out = line_writer_on(r->opt.out_fd);
    alert_writer_init(&r->alerts, r->prog, r->out);
    for (size_t i = 0; i < r->in.n_parts; i++) {
        struct replay_part *f = &r->in.part[i];
        f->origin.source_id = program_source(r->prog, f->origin.source);
        time_spec_bind(r->opt.times, f->origin.source, r->prog->schema, &f->time);
        if (f->file)
            source_file_on_wait(f->file, replay_wait, r);
        struct order_partition_options partition = {.lateness = f->lateness,
                                                    .order_by = f->time.order_by != UINT32_MAX,
                                                    .rows = f->source->rows,
                                                    .latest = f->latest,
                                                    .future = f->future};
        order_partition(r->order, &f->origin, &partition);
    }
}

/* Nothing is written before everything that is to be read is there. */
static bool open_all(struct replay *r, struct buf *why)
{
    struct buf what;

    if (!replay_inputs_init(&r->in, r->opt.path, r->opt.n_paths, r->opt.n_streams, why) ||
        !replay_inputs_open(&r->in, why))
        return false;
    for (size_t i = 0; i < r->opt.n_streams; i++) {
        struct source *source = r->opt.stream[i].source;
        source->wants_meta = source->meta && schema_reads(r->prog->schema, source->meta);
        if (!replay_inputs_add(&r->in, &r->opt.stream[i], why))
            return false;
    }
    if (!r->opt.late_path)
        return true;
    buf_init(&what);
    r->late = line_writer_open(r->opt.late_path, &what);
    if (!r->late)
        buf_printf(why, "%s: %s", r->opt.late_path, what.data);
    buf_fini(&what);
    return r->late != NULL;
}

struct replay *replay_new(struct program *prog, const struct replay_options *opt, struct buf *why)
{
    struct replay *r = mem_calloc(1, sizeof *r);

    r->prog = prog;
    r->opt = *opt;
    buf_init(&r->error);
    if (open_all(r, why))
        prepare(r);
    else
        replay_free(&r);
    return r;
}

void replay_free(struct replay **rp)
{
    struct replay *r = *rp;

    *rp = NULL;
    if (!r)
        return;
    order_free(&r->order);
    for (uint32_t i = 0; r->group && i <= r->n_groups; i++) {
        for (size_t k = 0; k < r->group[i].n_held; k++)
            event_unref(r->group[i].held[k]);
        mem_free(r->group[i].held);
        engine_free(&r->group[i].engine);
    }
    mem_free(r->group);
    group_map_free(&r->groups);
    alert_writer_fini(&r->alerts);
    line_writer_close(&r->out, NULL);
    line_writer_close(&r->late, NULL);
    probe_scratch_free(&r->probe);
    unseen_fini(&r->unseen);
    decoder_free(&r->decoder);
    replay_inputs_fini(&r->in);
    buf_fini(&r->error);
    mem_free(r);
}

/* ---- the run --------------------------------------------------------------------------------- */

static bool can_write(const struct replay *r)
{
    return !line_writer_error(r->out) && !(r->late && line_writer_error(r->late));
}

static void close_output(struct replay *r, struct line_writer **w, const char *name)
{
    struct buf why;
    bool was_pipe, ok;

    if (!*w)
        return;
    buf_init(&why);
    line_writer_flush(*w);
    was_pipe = line_writer_error(*w) == EPIPE;
    ok = line_writer_close(w, &why);
    r->failed = r->failed || !ok;
    if (!ok && !was_pipe)
        replay_fail(r, name, why.data);
    buf_fini(&why);
}

bool replay_run(struct replay *r, struct buf *why)
{
    uint32_t partition;

    assert(r->out);
    while (!r->stopped && (partition = order_next(r->order)) != ORDER_NONE) {
        replay_read(r, partition);
        r->stopped = replay_is_stopped(r) || !can_write(r);
    }
    if (r->opt.progress)
        replay_wait(r);
    if (r->stopped) /* what was found still counts */
        alert_writer_pass(&r->alerts, INT64_MAX);
    close_output(r, &r->out, "standard output");
    close_output(r, &r->late, r->opt.late_path);
    buf_add(why, r->error.data, r->error.len);
    return !r->failed;
}

/* ---- what came of it ------------------------------------------------------------------------- */

const struct replay_inputs *replay_inputs(const struct replay *r)
{
    return &r->in;
}

uint64_t replay_alerts(const struct replay *r, uint32_t rule)
{
    return r->alerts.count[rule];
}

uint64_t replay_peak_bytes(const struct replay *r)
{
    return order_peak_bytes(r->order);
}

/* What nobody reads has no state in any engine. */
static const struct engine *engine_at(const struct replay *r, uint32_t group)
{
    return r->group[group == GROUP_NONE ? r->n_groups : group].engine;
}

void replay_table_stats(const struct replay *r, uint32_t table, uint64_t *rows_out,
                        uint64_t *bytes_out, uint64_t *refused_out)
{
    engine_table_stats(engine_at(r, r->groups->table[0][table]), table, rows_out, bytes_out,
                       refused_out);
}

uint64_t replay_excepted(const struct replay *r, uint32_t exception)
{
    uint64_t n = 0;

    for (uint32_t i = 0; i < r->n_groups; i++)
        n += engine_excepted(r->group[i].engine, exception);
    return n;
}

uint64_t replay_unexpected(const struct replay *r, uint32_t stream)
{
    uint64_t n = probe_unexpected(r->probe, stream);

    for (uint32_t i = 0; i < r->n_groups; i++)
        n += engine_unexpected(r->group[i].engine, stream);
    return n;
}

void replay_rule_stats(const struct replay *r, uint32_t rule, struct engine_rule_stats *stats_out)
{
    struct probe_tally probed = probe_tally_of(r->probe, rule);

    engine_stats(engine_at(r, r->groups->rule[0][rule]), rule, stats_out);
    stats_out->type_clash += probed.type_clash;
    stats_out->regex_limit += probed.regex_limit;
    stats_out->conditions_ns += probed.ns;
}

const struct unseen *replay_unseen(const struct replay *r)
{
    return &r->unseen;
}
