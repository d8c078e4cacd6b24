// SPDX-License-Identifier: Apache-2.0
#include "flow/reader.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/queue.h"
#include "engine/engine.h"
#include "engine/probe.h"
#include "event/event.h"
#include "event/json_decode.h"
#include "event/schema.h"
#include "flow/intake.h"
#include "flow/probe_counts.h"
#include "flow/rule_clock.h"
#include "flow/unseen.h"
#include "io/source.h"
#include "plan/program.h"

enum { RAW_MOST = 64 * 1024 };           /* bytes of a broken line that a dead letter shows */
enum { LOOK_AT_ALL = 65536, LOOK_AT_EACH = 16 }; /* events, for fields that none had: first all, then some */
#define INTAKE_MOST (UINT64_C(256) << 10) /* bytes: then it is handed on */
#define WAIT INT64_C(100000000)
#define COUNT_EVERY INT64_C(500000000) /* the engine thread looks each second */

struct reader {
    struct reader_options opt;
    pthread_t thread;
    _Atomic bool stopping;
    struct decoder *decoder;
    struct probe_scratch *probe;
    struct rule_clock clock;
    int64_t counted;   /* monotonic: when rules' counts were handed on */
    struct unseen unseen;
    struct drained {
        struct decoder *decoder;
        struct probe_scratch *probe;
        uint32_t source_id; /* of the source, in that program */
    } *drained; /* [n_draining] */
    struct intake *in; /* being filled */
    bool ready;        /* INTAKE_READY was told */
    struct buf why;
    _Atomic uint64_t lines, bytes, broken;
};

/* Its thread alone writes: no locked instruction for each line. */
static void count(_Atomic uint64_t *counter, uint64_t more)
{
    atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + more,
                          memory_order_relaxed);
}

/* ---- handing on ------------------------------------------------------------------------------ */

static void hand_on(struct reader *rd)
{
    struct intake *in = rd->in;

    if (in->n == 0)
        return;
    rd->in = intake_new(rd->opt.number);
    if (!queue_push(rd->opt.out, in, in->bytes))
        intake_free(&in); /* closed: nobody wants it; it will be read again */
}

/* Between two pieces of work. */
static void note_rules(struct reader *rd)
{
    int64_t now = clock_monotonic();

    rule_clock_mark(&rd->clock);
    if (now - rd->counted < COUNT_EVERY)
        return;
    rd->counted = now;
    probe_counts_add(rd->opt.counts, rd->probe);
}

static struct intake_item *add_item(struct reader *rd, enum intake_kind kind,
                                    const struct source_item *from)
{
    if (rd->in->n == INTAKE_ITEMS || rd->in->bytes >= INTAKE_MOST) {
        hand_on(rd);
        note_rules(rd);
    }

    struct intake_item *item = &rd->in->item[rd->in->n++];
    *item = (struct intake_item){.kind = (uint8_t)kind,
                                 .lp = from->partition ? from->partition->user : NULL,
                                 .offset = from->offset,
                                 .next = from->next,
                                 .arrival = from->arrival};
    return item;
}

/* ---- lines ----------------------------------------------------------------------------------- */

/* Takes reason. */
static void add_broken(struct reader *rd, const struct source_item *from, char *reason)
{
    struct intake_item *item = add_item(rd, INTAKE_BROKEN, from);
    size_t whole = from->len - from->inside, len = whole < RAW_MOST ? whole : RAW_MOST;

    item->reason = reason;
    if (from->text) { /* as it was before the source put something in */
        item->text = mem_strndup(from->text + from->inside, len);
        if (len > 0)
            item->text[0] = from->text[0];
    }
    rd->in->bytes += from->text ? len : 0;
    count(&rd->broken, 1);
}

static bool find_time(struct reader *rd, const struct source_item *from, struct event *ev)
{
    enum time_outcome outcome = time_spec_read(&rd->opt.time, ev); /* order_by, too */

    if (rd->opt.time_arrival)
        ev->time = from->arrival;
    if (rd->opt.time_record && from->record_time == SOURCE_NO_TIME && !rd->opt.rows) {
        static const char reason[] = "the record has no time";
        add_broken(rd, from, mem_strndup(reason, sizeof reason - 1));
        return false;
    }
    if (rd->opt.time_record)
        ev->time = from->record_time;
    if (rd->opt.time_arrival || rd->opt.time_record || outcome == TIME_FOUND)
        return true;
    buf_clear(&rd->why);
    time_spec_explain(&rd->opt.time, ev, &rd->why);
    add_broken(rd, from, mem_strndup(rd->why.data, rd->why.len));
    return false;
}

static bool wants_late(const bool *late_probe, const struct event *ev)
{
    for (uint32_t i = 0; i < ev->n_fits; i++)
        if (late_probe[ev->fits[i]])
            return true;
    return false;
}

/* Older programs that are being drained: do their rules want it? */
static void ask_drained(struct reader *rd, const struct source_item *from, const struct event *ev,
                        struct intake_item *item)
{
    for (size_t i = 0; i < rd->opt.n_draining; i++) {
        struct origin origin = *ev->origin;
        struct event old = {.origin = &origin, .offset = ev->offset, .time = ev->time};
        const char *reason;
        origin.source_id = rd->drained[i].source_id;
        if (!decoder_run(rd->drained[i].decoder, from->text, from->len, &old, &reason))
            continue;
        engine_probe(rd->opt.draining[i], rd->drained[i].probe, &old);
        item->fits |= old.n_fits > 0;
        item->wants_late |= wants_late(rd->opt.draining_late[i], &old);
    }
}

static void add_quarantine(struct reader *rd, struct intake_item *item)
{
    const uint32_t *stream;
    uint32_t n = probe_broken(rd->probe, &stream);

    if (n == 0)
        return;
    item->quarantine = mem_calloc(n, sizeof *item->quarantine);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t sink = rd->opt.quarantine[stream[i]];
        if (sink != READER_NO_SINK)
            item->quarantine[item->n_quarantine++] = sink;
    }
}

static void look_for_fields(struct reader *rd, const struct event *ev)
{
    uint64_t number = atomic_load_explicit(&rd->lines, memory_order_relaxed);

    if (number <= LOOK_AT_ALL || number % LOOK_AT_EACH == 0)
        unseen_look(&rd->unseen, ev);
}

/* A record of a table has to say which row it is, and where that is found. */
static bool is_row(struct reader *rd, const struct source_item *from, const struct event *ev)
{
    buf_clear(&rd->why);
    if (engine_probe_row(rd->opt.prog, rd->probe, ev, &rd->why))
        return true;
    add_broken(rd, from, mem_strndup(rd->why.data, rd->why.len));
    return false;
}

static void take_line(struct reader *rd, const struct source_item *from)
{
    struct live_partition *lp = from->partition->user;
    struct event ev = {.origin = &lp->origin, .offset = from->offset};
    const char *reason;

    count(&rd->lines, 1);
    count(&rd->bytes, from->size ? from->size : from->next - from->offset);
    if (!decoder_run(rd->decoder, from->text, from->len, &ev, &reason)) {
        add_broken(rd, from, mem_strndup(reason, strlen(reason)));
        return;
    }
    if (!find_time(rd, from, &ev))
        return;
    engine_probe(rd->opt.prog, rd->probe, &ev);
    if (rd->opt.rows && !is_row(rd, from, &ev))
        return;
    look_for_fields(rd, &ev);

    struct intake_item *item = add_item(rd, INTAKE_EVENT, from);
    item->time = ev.time;
    item->wants_late = wants_late(rd->opt.late_probe, &ev);
    item->fits = ev.n_fits > 0;
    ask_drained(rd, from, &ev, item);
    add_quarantine(rd, item);
    if (!item->fits && !rd->opt.keep_raw && item->n_quarantine == 0)
        return;
    item->ev = event_keep(&ev);
    rd->in->bytes += event_bytes(item->ev);
}

/* ---- what becomes of partitions --------------------------------------------------------------- */

static void open_partition(struct reader *rd, struct source_item *from)
{
    struct live_partition *lp = mem_calloc(1, sizeof *lp);

    lp->source = rd->opt.source;
    lp->sp = from->partition;
    lp->source_number = rd->opt.number;
    lp->origin = (struct origin){.source = rd->opt.source->name,
                                 .partition = from->partition->name,
                                 .generation = from->partition->generation,
                                 .source_id = program_source(rd->opt.prog, rd->opt.source->name)};
    struct live_list *all = rd->opt.opened;
    all->lp = vec_reserve(all->lp, &all->cap, all->n + 1, sizeof *all->lp);
    all->lp[all->n++] = lp;
    from->partition->user = lp;
    add_item(rd, INTAKE_OPENED, from);
}

static void take_stall(struct reader *rd, const struct source_item *from)
{
    struct intake_item *item = add_item(rd, INTAKE_STALLED, from);

    if (from->text)
        item->text = mem_strndup(from->text, from->len);
}

static void take_forget(struct reader *rd, const struct source_item *from)
{
    struct intake_item *item = add_item(rd, INTAKE_FORGET, from);
    const char *name = from->partition->name;

    item->text = mem_strndup(name, strlen(name));
    item->offset = from->partition->generation;
}

/* Before the first line, and before the first wait. */
static void tell_ready(struct reader *rd, const struct source_item *from)
{
    struct source_item none = {.partition = NULL};

    if (rd->ready)
        return;
    switch (from->what) {
    case SOURCE_EVENT_OPENED: /* there may be more of them */
    case SOURCE_EVENT_ENDED:
    case SOURCE_EVENT_STALLED:
    case SOURCE_EVENT_RESUMED:
    case SOURCE_EVENT_FORGET:
    case SOURCE_EVENT_PASSED:
    case SOURCE_EVENT_UNREADY: break;
    default:
        rd->ready = true;
        add_item(rd, INTAKE_READY, &none);
    }
}

/* False: nothing more for now. */
static bool take(struct reader *rd, struct source_item *from)
{
    tell_ready(rd, from);
    switch (from->what) {
    case SOURCE_EVENT_LINE:
        take_line(rd, from);
        return true;
    case SOURCE_EVENT_TOO_LONG: {
        struct buf reason;
        buf_init(&reason);
        buf_printf(&reason, "longer than max_line allows: %zu bytes", from->len);
        add_broken(rd, from, buf_take(&reason));
        return true;
    }
    case SOURCE_EVENT_OPENED:
        open_partition(rd, from);
        return true;
    case SOURCE_EVENT_CAUGHT_UP:
        add_item(rd, INTAKE_CAUGHT_UP, from);
        return true;
    case SOURCE_EVENT_BEHIND:
        add_item(rd, INTAKE_BEHIND, from);
        return true;
    case SOURCE_EVENT_ENDED:
        add_item(rd, INTAKE_ENDED, from);
        return true;
    case SOURCE_EVENT_STALLED:
        take_stall(rd, from);
        return true;
    case SOURCE_EVENT_RESUMED:
        add_item(rd, INTAKE_RESUMED, from);
        return true;
    case SOURCE_EVENT_FORGET:
        take_forget(rd, from);
        return true;
    case SOURCE_EVENT_PASSED:
        add_item(rd, INTAKE_PASSED, from);
        return true;
    case SOURCE_EVENT_UNREADY:
    case SOURCE_EVENT_NOTHING:
    case SOURCE_EVENT_FINISHED:
        break;
    }
    return false;
}

static void *run(void *ctx)
{
    struct reader *rd = ctx;

    while (!atomic_load_explicit(&rd->stopping, memory_order_relaxed)) {
        struct source_item from = {.what = SOURCE_EVENT_NOTHING};
        source_next(rd->opt.source, &from);
        if (take(rd, &from))
            continue;
        if (from.what == SOURCE_EVENT_FINISHED) {
            from.partition = NULL;
            add_item(rd, INTAKE_FINISHED, &from);
            hand_on(rd);
            break;
        }
        hand_on(rd);
        source_wait(rd->opt.source, WAIT);
        note_rules(rd);
    }
    probe_counts_add(rd->opt.counts, rd->probe);
    return NULL;
}

/* ---- lifetime -------------------------------------------------------------------------------- */

static bool reads_meta(const struct reader_options *opt)
{
    bool reads = schema_reads(opt->prog->schema, opt->source->meta);

    for (size_t i = 0; i < opt->n_draining; i++)
        reads |= schema_reads(opt->draining[i]->schema, opt->source->meta);
    return reads;
}

struct reader *reader_new(const struct reader_options *opt)
{
    struct reader *rd = mem_calloc(1, sizeof *rd);

    rd->opt = *opt;
    if (opt->source->meta)
        opt->source->wants_meta = reads_meta(opt);
    size_t longest = source_longest(opt->source, opt->max_line);
    rd->decoder = decoder_new(opt->prog->schema, longest);
    rd->probe = probe_scratch_new(opt->prog);
    rule_clock_init(&rd->clock);
    probe_time(rd->probe, &rd->clock.piece);
    unseen_init(&rd->unseen, opt->prog);
    rd->unseen.seen = opt->seen;
    rd->drained = mem_calloc(opt->n_draining + 1, sizeof *rd->drained);
    for (size_t i = 0; i < opt->n_draining; i++) {
        rd->drained[i].decoder = decoder_new(opt->draining[i]->schema, longest);
        rd->drained[i].probe = probe_scratch_new(opt->draining[i]);
        rd->drained[i].source_id = program_source_before(opt->draining[i], opt->prog, opt->source->name);
    }
    rd->in = intake_new(opt->number);
    buf_init(&rd->why);
    pthread_create(&rd->thread, NULL, run, rd);
    return rd;
}

void reader_stop(struct reader *rd)
{
    atomic_store(&rd->stopping, true);
    source_wake(rd->opt.source);
}

void reader_free(struct reader **rdp)
{
    struct reader *rd = *rdp;

    if (!rd)
        return;
    *rdp = NULL;
    reader_stop(rd);
    pthread_join(rd->thread, NULL);
    intake_free(&rd->in);
    for (size_t i = 0; i < rd->opt.n_draining; i++) {
        decoder_free(&rd->drained[i].decoder);
        probe_scratch_free(&rd->drained[i].probe);
    }
    mem_free(rd->drained);
    decoder_free(&rd->decoder);
    probe_scratch_free(&rd->probe);
    unseen_fini(&rd->unseen);
    buf_fini(&rd->why);
    mem_free(rd);
}

void reader_stats(const struct reader *rd, struct reader_stats *stats_out)
{
    stats_out->lines = atomic_load(&((struct reader *)(uintptr_t)rd)->lines);
    stats_out->bytes = atomic_load(&((struct reader *)(uintptr_t)rd)->bytes);
    stats_out->broken = atomic_load(&((struct reader *)(uintptr_t)rd)->broken);
}
