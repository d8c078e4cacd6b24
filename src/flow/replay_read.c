// SPDX-License-Identifier: Apache-2.0
/* replay_read - lines of files and records of streams, to the order stage. */
#include <assert.h>

#include "base/buf.h"
#include "engine/engine.h"
#include "engine/probe.h"
#include "event/json_decode.h"
#include "flow/order.h"
#include "flow/replay_priv.h"
#include "io/line_writer.h"
#include "io/source_file.h"
#include "plan/program.h"

enum { DRAW_EVERY = 1024 }; /* records */
enum { MARK_EVERY = 256 };  /* events, of the clock of rules */

/* A line, as who takes it sees it, of files and of streams. */
struct line {
    const char *text;
    size_t len;
    uint64_t offset;
    uint64_t number;     /* for who looks for it */
    int64_t record_time; /* or SOURCE_NO_TIME */
};

/* Who begins has not said yet where the time is. */
static void add_guess(const struct replay_part *f, const struct line *line, struct buf *why)
{
    struct buf path;

    buf_init(&path);
    if (time_field_guess(line->text, line->len, &path))
        buf_printf(why, "; `%s` holds one: --time %s=%s", path.data, f->source->name, path.data);
    buf_fini(&path);
}

static void reject_time(struct replay_part *f, const struct line *line, const struct event *ev)
{
    struct buf why;

    if (f->source->n_reasons == REPLAY_MAX_REASONS) {
        f->source->rejected++;
        return;
    }
    buf_init(&why);
    if (f->time_record)
        buf_adds(&why, "the record has no time");
    else
        time_spec_explain(&f->time, ev, &why);
    struct event again = *ev;
    if (!f->time_record && time_spec_read(&f->time, &again) == TIME_ABSENT)
        add_guess(f, line, &why);
    replay_part_reject(f, line->number, why.data);
    buf_fini(&why);
}

/* As flow/reader.c has it. */
static bool find_time(const struct replay_part *f, const struct line *line, struct event *ev)
{
    enum time_outcome outcome = time_spec_read(&f->time, ev); /* order_by, too */

    if (!f->time_record)
        return outcome == TIME_FOUND;
    ev->time = line->record_time;
    return line->record_time != SOURCE_NO_TIME;
}

static void give_up_memory(struct replay *r, const struct replay_part *f)
{
    r->stopped = true;
    replay_fail(r, NULL,
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

static void take_line(struct replay *r, uint32_t partition, const struct line *line)
{
    struct replay_part *f = &r->in.part[partition];
    struct event ev = {.origin = &f->origin, .offset = line->offset};
    struct replay_group *group = &r->group[f->group];
    int64_t first = group->first;
    const char *reason;

    if (!decoder_run(r->decoder, line->text, line->len, &ev, &reason)) {
        replay_part_reject(f, line->number, reason);
        return;
    }
    if (!find_time(f, line, &ev)) {
        reject_time(f, line, &ev);
        return;
    }
    f->source->events++;
    if (r->events++ % MARK_EVERY == 0 && r->opt.time_rules)
        rule_clock_mark(&r->clock);
    unseen_look(&r->unseen, &ev);
    engine_probe(r->prog, r->probe, &ev);
    if (ev.time < first)
        group->first = ev.time; /* before it is given */
    if (ev.time > group->newest)
        group->newest = ev.time;
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

/* A record of a table, as flow/reader.c has it. */
static void take_row(struct replay *r, uint32_t partition, const struct line *line)
{
    struct replay_part *f = &r->in.part[partition];
    struct event ev = {.origin = &f->origin, .offset = line->offset};
    const char *reason;
    struct buf why;

    if (!decoder_run(r->decoder, line->text, line->len, &ev, &reason)) {
        replay_part_reject(f, line->number, reason);
        return;
    }
    ev.time = line->record_time;
    engine_probe(r->prog, r->probe, &ev);
    buf_init(&why);
    if (!engine_probe_row(r->prog, r->probe, &ev, &why)) {
        replay_part_reject(f, line->number, why.data);
    } else {
        f->source->events++;
        r->events++;
        unseen_look(&r->unseen, &ev);
        if (order_add(r->order, partition, &ev, 0, r->began, false) == ORDER_FULL)
            give_up_memory(r, f);
    }
    buf_fini(&why);
}

static void end_part(struct replay *r, uint32_t partition)
{
    replay_part_close(&r->in.part[partition]);
    order_end(r->order, partition);
}

static void read_file(struct replay *r, uint32_t partition)
{
    struct replay_part *f = &r->in.part[partition];
    struct source_line line;
    enum source_result result = source_file_line(f->file, &line);

    if (replay_is_stopped(r)) /* it may be a piece of a line */
        return;
    switch (result) {
    case SOURCE_LINE:
        take_line(r, partition, &(struct line){.text = line.text, .len = line.len, .offset = line.offset,
                                               .number = line.number, .record_time = SOURCE_NO_TIME});
        break;
    case SOURCE_TOO_LONG:
        replay_part_reject(f, line.number, "longer than --max-line allows");
        break;
    case SOURCE_ERROR:
    case SOURCE_END:
        if (result == SOURCE_ERROR)
            replay_fail(r, f->path, source_file_error(f->file));
        end_part(r, partition);
        break;
    }
}

static void fail_stream(struct replay *r, const struct replay_part *f, const char *why)
{
    struct buf where;

    buf_init(&where);
    buf_printf(&where, "source %s: %s", f->source->name, f->partition);
    r->stopped = true;
    replay_fail(r, where.data, why);
    buf_fini(&where);
}

static void take_record(struct replay *r, uint32_t partition, const struct source_item *item)
{
    struct replay_part *f = &r->in.part[partition];

    struct line line = {.text = item->text, .len = item->len, .offset = item->offset, .number = item->offset,
                        .record_time = item->record_time};

    assert(item->partition == f->stream->partition);
    f->consumed += item->size;
    if (item->what == SOURCE_EVENT_TOO_LONG)
        replay_part_reject(f, item->offset, f->source->rows ? "longer than a record of a table may be" : "longer than --max-line allows");
    else if (f->source->rows)
        take_row(r, partition, &line);
    else
        take_line(r, partition, &line);
    if (r->events % DRAW_EVERY == 0)
        replay_wait(r);
}

static void read_stream(struct replay *r, uint32_t partition)
{
    struct replay_part *f = &r->in.part[partition];
    struct source_item item;
    struct buf why;

    buf_init(&why);
    switch (replay_stream_next(f->stream, &item, &why)) {
    case REPLAY_STREAM_LINE:
        take_record(r, partition, &item);
        break;
    case REPLAY_STREAM_WAITS:
        replay_wait(r);
        break;
    case REPLAY_STREAM_END:
        end_part(r, partition);
        break;
    case REPLAY_STREAM_FAILED:
        fail_stream(r, f, why.data);
        break;
    }
    buf_fini(&why);
}

void replay_read(struct replay *r, uint32_t partition)
{
    if (r->in.part[partition].stream)
        read_stream(r, partition);
    else
        read_file(r, partition);
}
