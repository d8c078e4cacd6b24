// SPDX-License-Identifier: Apache-2.0
#include "flow/replay.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "engine/engine.h"
#include "engine/probe.h"
#include "event/json_decode.h"
#include "flow/alert_writer.h"
#include "flow/group.h"
#include "flow/order.h"
#include "io/interrupt.h"
#include "io/line_writer.h"
#include "io/source_file.h"
#include "plan/program.h"

/* Sources that are read together. */
struct replay_group {
    struct engine *engine;
    int64_t first; /* the lowest time of an event so far, kept or not; INT64_MAX: none */
    struct event **held; /* [n_held] owned: late ones whose place is before first */
    size_t n_held, cap_held;
};

struct replay {
    struct program *prog; /* borrowed */
    struct replay_options opt;
    struct replay_inputs in; /* file i is partition i of the order stage */
    struct decoder *decoder;
    struct probe_scratch *probe;
    struct order *order;
    struct group_map *groups;
    struct replay_group *group; /* [n_groups], and one of the sources that no rule reads */
    uint32_t n_groups;
    struct line_writer *out, *late; /* late: or NULL */
    struct alert_writer alerts;
    uint64_t events;  /* of all sources */
    struct buf error; /* lines */
    bool failed;      /* something could not be read or written */
    bool stopped;     /* nothing more is read */
    bool allows_late; /* some rule */
};

/* ---- what the order stage gives -------------------------------------------------------------- */

/* where may be NULL. */
static void fail(struct replay *r, const char *where, const char *what)
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
    fail(r, NULL, "the alerts of one event time do not fit in memory: raise --memory");
}

static bool is_stopped(struct replay *r)
{
    r->stopped = r->stopped || interrupt_signal() != 0;
    return r->stopped;
}

/* The file that an event came from. */
static struct replay_file *file_of(const struct event *ev)
{
    const char *origin = (const char *)ev->origin;

    return (struct replay_file *)(uintptr_t)(origin - offsetof(struct replay_file, origin));
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

/* When reading has stopped the order stage may still be giving what it had. */
static void feed(void *ctx, struct event *ev)
{
    struct replay *r = ctx;

    if (is_stopped(r))
        return;
    struct replay_group *group = &r->group[file_of(ev)->group];
    begin_group(r, group);
    engine_feed(group->engine, ev, &r->alerts.waiting);
    alert_writer_pass(&r->alerts, ev->time);
    check_alerts(r);
}

static void feed_late(void *ctx, struct event *ev)
{
    struct replay *r = ctx;

    if (is_stopped(r))
        return;
    struct replay_group *group = &r->group[file_of(ev)->group];
    if (group->first > order_frontier(r->order)) {
        group->held = vec_reserve(group->held, &group->cap_held, group->n_held + 1,
                                  sizeof(struct event *));
        group->held[group->n_held++] = event_keep(ev);
        return;
    }
    begin_group(r, group);
    engine_feed_late(group->engine, ev, &r->alerts.waiting);
    check_alerts(r);
}

static void advance(void *ctx, int64_t frontier)
{
    struct replay *r = ctx;

    if (is_stopped(r))
        return;
    for (uint32_t i = 0; i < r->n_groups; i++) {
        struct replay_group *group = &r->group[i];
        if (group->first > frontier || group->first == INT64_MAX)
            continue; /* its time has not begun */
        begin_group(r, group);
        engine_advance(group->engine, frontier, &r->alerts.waiting);
    }
    alert_writer_pass(&r->alerts, frontier);
    check_alerts(r);
}

/* ---- making and freeing ---------------------------------------------------------------------- */

static void wait_for_input(void *ctx)
{
    struct replay *r = ctx;
    uint64_t done = 0, total = 0;
    bool known = true;

    for (size_t i = 0; i < r->in.n_files; i++) {
        const struct replay_file *f = &r->in.file[i];
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
        r->group[i] = (struct replay_group){.engine = make_engine(r, i), .first = INT64_MAX};
    for (size_t i = 0; i < r->in.n_files; i++) {
        uint32_t group = r->groups->source[r->in.file[i].source - r->in.source];
        r->in.file[i].group = group == GROUP_NONE ? r->n_groups : group;
    }
}

static void prepare(struct replay *r)
{
    struct order_options order = {.max_bytes = r->opt.max_bytes, .end = INT64_MAX};
    size_t max_line = 0;
    struct order_sink sink = {
        .event = feed, .late = feed_late, .advance = advance, .ctx = r};

    for (size_t i = 0; i < r->in.n_files; i++)
        max_line = r->in.file[i].max_line > max_line ? r->in.file[i].max_line : max_line;
    r->decoder = decoder_new(r->prog->schema, max_line);
    r->probe = probe_scratch_new(r->prog);
    for (uint32_t i = 0; i < r->prog->n_rules; i++)
        r->allows_late = r->allows_late || probe_allows_late(&r->prog->rule[i]);
    r->order = order_new(&order, &sink);
    make_groups(r);
    r->out = line_writer_on(r->opt.out_fd);
    alert_writer_init(&r->alerts, r->prog, r->out);
    for (size_t i = 0; i < r->in.n_files; i++) {
        struct replay_file *f = &r->in.file[i];
        f->origin.source_id = program_source(r->prog, f->origin.source);
        time_spec_bind(r->opt.times, f->origin.source, r->prog->schema, &f->time);
        source_file_on_wait(f->file, wait_for_input, r);
        struct order_partition_options partition = {.lateness = f->lateness,
                                                    .order_by = f->time.order_by != UINT32_MAX};
        order_partition(r->order, &f->origin, &partition);
    }
}

/* Nothing is written before everything that is to be read is there. */
static bool open_all(struct replay *r, struct buf *why)
{
    struct buf what;

    if (!replay_inputs_init(&r->in, r->opt.path, r->opt.n_paths, why) ||
        !replay_inputs_open(&r->in, why))
        return false;
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
    decoder_free(&r->decoder);
    replay_inputs_fini(&r->in);
    buf_fini(&r->error);
    mem_free(r);
}

/* ---- reading --------------------------------------------------------------------------------- */

static void reject_time(struct replay_file *f, const struct source_line *line,
                        const struct event *ev)
{
    struct buf why;

    if (f->source->n_reasons == REPLAY_MAX_REASONS) {
        f->source->rejected++;
        return;
    }
    buf_init(&why);
    time_spec_explain(&f->time, ev, &why);
    replay_file_reject(f, line->number, why.data);
    buf_fini(&why);
}

static void give_up_memory(struct replay *r, const struct replay_file *f)
{
    r->stopped = true;
    fail(r, NULL,
         f->lateness == ORDER_WHOLE
             ? "the events that have to be put in order do not fit in memory: raise --memory, or "
               "say with --lateness how far out of order they may be"
             : "the events that wait to be put in order do not fit in memory: raise --memory, or "
               "lower --lateness");
}

static bool wants_late(const struct replay *r, const struct event *ev)
{
    return r->allows_late && probe_wants_late(r->prog, ev);
}

static void take_line(struct replay *r, uint32_t partition, const struct source_line *line)
{
    struct replay_file *f = &r->in.file[partition];
    struct event ev = {.origin = &f->origin, .offset = line->offset};
    struct replay_group *group = &r->group[f->group];
    int64_t first = group->first;
    const char *reason;

    if (!decoder_run(r->decoder, line->text, line->len, &ev, &reason)) {
        replay_file_reject(f, line->number, reason);
        return;
    }
    if (time_spec_read(&f->time, &ev) != TIME_FOUND) {
        reject_time(f, line, &ev);
        return;
    }
    f->source->events++;
    r->events++;
    engine_probe(r->prog, r->probe, &ev);
    if (ev.time < first)
        group->first = ev.time; /* before it is given */
    switch (order_add(r->order, partition, &ev, 0, 0, wants_late(r, &ev))) {
    case ORDER_TAKEN:
        break;
    case ORDER_LATE:
        group->first = first;
        f->source->late++;
        if (r->late)
            line_writer_add(r->late, line->text, line->len);
        break;
    case ORDER_FULL:
        give_up_memory(r, f);
        break;
    case ORDER_ASIDE: /* live only */
    case ORDER_AGAIN:
        break;
    }
}

static void read_line(struct replay *r, uint32_t partition)
{
    struct replay_file *f = &r->in.file[partition];
    struct source_line line;
    enum source_result result = source_file_line(f->file, &line);

    if (is_stopped(r)) /* it may be a piece of a line */
        return;
    switch (result) {
    case SOURCE_LINE:
        take_line(r, partition, &line);
        break;
    case SOURCE_TOO_LONG:
        replay_file_reject(f, line.number, "longer than --max-line allows");
        break;
    case SOURCE_ERROR:
    case SOURCE_END:
        if (result == SOURCE_ERROR)
            fail(r, f->path, source_file_error(f->file));
        replay_file_close(f);
        order_end(r->order, partition);
        break;
    }
}

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
        fail(r, name, why.data);
    buf_fini(&why);
}

bool replay_run(struct replay *r, struct buf *why)
{
    uint32_t partition;

    assert(r->out);
    while (!r->stopped && (partition = order_next(r->order)) != ORDER_NONE) {
        read_line(r, partition);
        r->stopped = r->stopped || !can_write(r);
    }
    if (r->opt.progress)
        wait_for_input(r);
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
    uint64_t clashes, limits;

    engine_stats(engine_at(r, r->groups->rule[0][rule]), rule, stats_out);
    probe_counters(r->probe, rule, &clashes, &limits);
    stats_out->type_clash += clashes;
    stats_out->regex_limit += limits;
}
