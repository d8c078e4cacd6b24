// SPDX-License-Identifier: Apache-2.0
/* stage - the thread: what is taken when, when batches are handed on and barriers placed. */
#include "flow/stage.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/queue.h"
#include "engine/engine.h"
#include "event/event.h"
#include "event/json_decode.h"
#include "flow/batch.h"
#include "flow/order.h"
#include "flow/spill.h"
#include "flow/stage_priv.h"
#include "io/source.h"
#include "plan/program.h"
#include "state/checkpoint.h"

enum { AHEAD = 6 }; /* events fetched from the reader's cache before they are taken */
#define LONGEST_WAIT INT64_C(100000000)
#define BLOCKED_WAIT INT64_C(5000000)

/* ---- what the order gives --------------------------------------------------------------------- */

void stage_flush(struct stage_group *group)
{
    struct batch *batch = group->batch;

    group->batch = NULL;
    if (batch && !queue_push(group->st->opt.out, batch, batch->n))
        batch_free(&batch);
}

static void give_item(struct stage_group *group, const struct batch_item *item)
{
    if (!group->batch)
        group->batch = batch_new(group->number);
    group->batch->item[group->batch->n++] = *item;
    if (group->batch->n == BATCH_EVENTS)
        stage_flush(group);
}

static void give(struct stage_group *group, enum batch_item_kind kind, struct event *ev,
                 int64_t time)
{
    struct batch_item item = {.ev = ev, .time = time, .kind = (uint8_t)kind};

    give_item(group, &item);
}

static void give_event(void *ctx, struct event *ev)
{
    give(ctx, BATCH_EVENT, ev, ev->time);
}

static void give_late(void *ctx, struct event *ev)
{
    give(ctx, BATCH_LATE, ev, ev->time);
}

static void give_frontier(void *ctx, int64_t frontier)
{
    struct stage_group *group = ctx;

    give(group, BATCH_FRONTIER, NULL, frontier);
    group->st->changed = true;
}

static void give_row(void *ctx, struct event *ev)
{
    struct stage_group *group = ctx;

    give(group, BATCH_ROW, ev, ev->time);
    group->st->changed = true;
}

static void give_drop_rows(void *ctx, const struct origin *origin, uint32_t below)
{
    struct stage_group *group = ctx;

    struct batch_item item = {.origin = origin, .time = below, .kind = BATCH_DROP_ROWS};

    give_item(group, &item);
    group->st->changed = true;
}

static void give_over(void *ctx, int64_t time)
{
    give(ctx, BATCH_OVER, NULL, time);
}

static void give_goes_on(void *ctx)
{
    struct stage_group *group = ctx;

    give(group, BATCH_GOES_ON, NULL, 0);
    group->st->changed = true;
}

/* ---- taking ---------------------------------------------------------------------------------- */

static struct order *order_of(struct stage *st, const struct live_partition *lp)
{
    return st->group[st->input[lp->source_number].is.group].order;
}

/* Reading goes on where it holds the frontier, and stops where it only fills memory. */
static void set_pause(struct stage *st, struct live_partition *lp)
{
    if (lp->forgotten)
        return;
    bool pause = !lp->ended && order_should_pause(order_of(st, lp), lp->number);

    if (pause == lp->paused)
        return;
    lp->paused = pause;
    st->n_paused += pause ? 1 : (size_t)-1;
    order_blind(order_of(st, lp), lp->number, pause);
    atomic_store(&lp->sp->paused, pause);
    if (!pause)
        source_wake(lp->source);
}

/* Items of the source's first intake that waits; false: there is no room. */
static bool take_waiting(struct stage *st, struct stage_input *input, uint32_t number)
{
    struct intake *in = input->waiting[0];

    for (; input->at < in->n; input->at++) {
        if (input->at + AHEAD < in->n)
            event_prefetch(in->item[input->at + AHEAD].ev);
        if (!stage_take(st, &in->item[input->at], number))
            return false;
    }
    for (uint32_t i = 0; i < in->n; i++)
        if (in->item[i].lp && (i == 0 || in->item[i].lp != in->item[i - 1].lp) &&
            in->item[i].kind != INTAKE_FORGET)
            set_pause(st, in->item[i].lp);
    intake_free(&in);
    memmove(input->waiting, input->waiting + 1, --input->n_waiting * sizeof *input->waiting);
    input->at = 0;
    return true;
}

static void take(struct stage *st, struct intake *in)
{
    struct stage_input *input = &st->input[in->source_number];

    input->waiting = vec_reserve(input->waiting, &input->cap_waiting, input->n_waiting + 1,
                                 sizeof *input->waiting);
    input->waiting[input->n_waiting++] = in;
}

/* As long as something goes on: room for one source comes from events of another. */
static bool take_all(struct stage *st)
{
    bool waits = false;

    for (uint32_t i = 0; i < st->opt.n_sources; i++) {
        struct stage_input *input = &st->input[i];
        while (input->n_waiting > 0 && take_waiting(st, input, i))
            continue;
        waits |= input->n_waiting > 0;
    }
    return waits;
}

/* ---- time ------------------------------------------------------------------------------------ */

/* What was spilled cannot be read again: only a new beginning from what is durable helps. */
static void check_orders(struct stage *st)
{
    for (uint32_t g = 0; g < st->opt.n_groups && !atomic_load(&st->lost); g++) {
        buf_clear(&st->raw);
        if (!order_failed(st->group[g].order, &st->raw))
            continue;
        buf_addc(&st->raw, '\0');
        struct buf b;
        buf_init(&b);
        log_field(&b, "why", st->raw.data);
        log_line(LOG_ERROR, LOG_order, "events that wait on disk cannot be read", "%s", b.data);
        buf_fini(&b);
        atomic_store(&st->lost, true);
    }
}

/* Tables that it reads have no end: they are read to where they are. */
static bool is_over(const struct stage *st, uint32_t g)
{
    bool over = true;

    for (size_t i = 0; i < st->opt.n_sources; i++) {
        const struct stage_input *input = &st->input[i];
        if (input->is.group == g)
            over &= (input->is.rows ? input->ready : input->finished) && input->n_waiting == 0;
    }
    return over && order_rows_read(st->group[g].order);
}

/* All sources of the group are over: time goes to infinity. */
static void finish_groups(struct stage *st)
{
    bool all = true, any = false;

    for (uint32_t g = 0; g < st->opt.n_groups; g++) {
        struct stage_group *group = &st->group[g];
        if (!group->rows_only && !group->finished && is_over(st, g)) {
            group->finished = true;
            order_finish(group->order);
        }
        all &= group->finished || group->rows_only;
        any |= group->finished;
    }
    if (!all || !any || st->outstanding)
        return;
    if (st->changed)
        stage_place(st, false); /* however far apart checkpoints are */
    else
        atomic_store(&st->finished, true);
}

static int64_t tick(struct stage *st, int64_t now)
{
    int64_t next = ORDER_NEVER, frontier = INT64_MAX;

    for (uint32_t g = 0; g < st->opt.n_groups; g++) {
        int64_t wants = order_tick(st->group[g].order, now);
        int64_t told = order_frontier(st->group[g].order);
        next = wants < next ? wants : next;
        if (!st->group[g].rows_only)
            frontier = told < frontier ? told : frontier;
    }
    atomic_store_explicit(&st->frontier, frontier, memory_order_relaxed);
    return next;
}

static int64_t barrier_due(const struct stage *st)
{
    int64_t asked = atomic_load(&((struct stage *)(uintptr_t)st)->asked);
    int64_t due = st->changed ? st->last_barrier + st->opt.every : INT64_MAX;

    if (st->outstanding)
        return INT64_MAX;
    return asked < due ? asked : due;
}

/* The database, or a sink whose queue is to be waited for, cannot follow: input waits. */
static bool is_blocked(struct stage *st)
{
    buf_clear(&st->raw);
    bool blocked = checkpoint_blocked(st->opt.checkpoint) ||
                   checkpoint_failed(st->opt.checkpoint, &st->raw) || atomic_load(&st->crowded);

    if (blocked != st->blocked)
        log_line(blocked ? LOG_WARNING : LOG_INFO, LOG_order,
                 blocked ? "input waits" : "input goes on", NULL);
    st->blocked = blocked;
    return blocked;
}

static void rest(int64_t ns)
{
    struct timespec ts = {.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};

    nanosleep(&ts, NULL);
}

/* ---- the thread ------------------------------------------------------------------------------ */

static void step(struct stage *st, int64_t *next_tick)
{
    int64_t now = clock_monotonic(), until = now + LONGEST_WAIT, due = barrier_due(st), publish = stage_publish_due(st);
    struct intake *in = NULL;

    until = *next_tick < until ? *next_tick : until;
    until = due < until ? due : until;
    until = publish < until ? publish : until;
    if (is_blocked(st))
        rest(BLOCKED_WAIT);
    else
        in = queue_pop(st->opt.in, until > now ? until - now : 0);
    st->unpublished |= in != NULL;
    if (in)
        take(st, in);
    for (uint32_t g = 0; g < st->opt.n_groups; g++)
        order_clock(st->group[g].order, now);
    bool waits = take_all(st);
    if (waits && !in)
        rest(BLOCKED_WAIT / 5);
    if (!st->blocked && !waits && (!in || queue_weight(st->opt.in) == 0))
        *next_tick = tick(st, clock_monotonic());
    for (uint32_t g = 0; g < st->opt.n_groups; g++)
        stage_flush(&st->group[g]);
    for (size_t i = 0; st->n_paused > 0 && i < st->n_lp; i++)
        if (st->lp[i]->paused)
            set_pause(st, st->lp[i]);
    check_orders(st);
    if (atomic_load(&st->lost)) /* nothing of it may become durable */
        return;
    finish_groups(st);
    if (barrier_due(st) <= clock_monotonic())
        stage_place(st, false);
}

static void *run(void *ctx)
{
    struct stage *st = ctx;
    int64_t next_tick = 0;

    while (atomic_load(&st->stopping) == 0) {
        pulse_beat(&st->pulse);
        stage_note_durable(st);
        step(st, &next_tick);
        stage_publish(st, false);
    }
    pulse_rest(&st->pulse);
    stage_publish(st, true);
    while (st->outstanding) { /* the last barrier waits for the one before */
        stage_note_durable(st);
        if (atomic_load(&st->stopping) > 1)
            return NULL;
        rest(BLOCKED_WAIT / 5);
    }
    stage_place(st, true);
    return NULL;
}

/* ---- asked by other threads -------------------------------------------------------------------- */

void stage_ask(struct stage *st, int64_t at)
{
    int64_t asked = atomic_load(&st->asked);

    while (at < asked && !atomic_compare_exchange_weak(&st->asked, &asked, at))
        continue;
    queue_wake(st->opt.in);
}

uint64_t stage_ask_now(struct stage *st)
{
    uint64_t placed = atomic_load(&st->placed);

    stage_ask(st, clock_monotonic());
    return placed + 1;
}

bool stage_placed_durable(struct stage *st, uint64_t number)
{
    return atomic_load(&st->n_durable) >= number;
}

void stage_durable(struct stage *st, bool last)
{
    atomic_fetch_add(&st->n_durable, 1);
    atomic_store(&st->durable, true);
    queue_wake(st->opt.in);
    if (last) /* who waits for it frees the stage */
        atomic_store(&st->last_durable, true);
}

void stage_crowd(struct stage *st, bool crowded)
{
    atomic_store(&st->crowded, crowded);
}

void stage_stop(struct stage *st, struct store_batch *extra)
{
    st->extra = extra;
    atomic_store(&st->stopping, 1);
    queue_wake(st->opt.in);
}

bool stage_stuck(struct stage *st, int64_t longest)
{
    return pulse_stuck(&st->pulse, longest);
}

bool stage_stopped(struct stage *st)
{
    return atomic_load(&st->last_durable);
}

bool stage_finished(struct stage *st)
{
    return atomic_load(&st->finished);
}

bool stage_lost(struct stage *st)
{
    return atomic_load(&st->lost);
}

int64_t stage_frontier(struct stage *st)
{
    return atomic_load(&st->frontier);
}

/* ---- lifetime -------------------------------------------------------------------------------- */

static void make_group(struct stage *st, uint32_t g)
{
    struct stage_group *group = &st->group[g];
    bool hold = false; /* one that says so holds its group */
    struct buf spill;

    bool rows_only = true;

    for (size_t i = 0; i < st->opt.n_sources; i++) {
        hold |= st->opt.source[i].group == g && st->opt.source[i].quiet_hold;
        rows_only &= st->opt.source[i].group != g || st->opt.source[i].rows;
    }
    buf_init(&spill);
    if (st->opt.spill_dir) /* each group has its own */
        buf_printf(&spill, "%s/%" PRIu32, st->opt.spill_dir, g);
    struct order_options opt = {.max_bytes = st->opt.buffer_limit / (st->opt.n_groups + 1),
                                .end = INT64_MAX,
                                .live = true,
                                .quiet_hold = hold,
                                .spill_dir = spill.data,
                                .spill_limit = st->opt.spill_limit / (st->opt.n_groups + 1),
                                .reload = stage_reload,
                                .reload_ctx = st};
    struct order_sink sink = {
        .event = give_event, .late = give_late, .advance = give_frontier, .goes_on = give_goes_on,
        .over = give_over, .row = give_row, .drop_rows = give_drop_rows, .ctx = group};
    *group = (struct stage_group){
        .st = st, .number = g, .order = order_new(&opt, &sink), .rows_only = rows_only};
    buf_fini(&spill);
    if (st->opt.over[g])
        order_start_over(group->order, st->opt.told[g]);
    else
        order_start_at(group->order, st->opt.told[g]);
    for (size_t i = 0; i < st->opt.n_sources; i++)
        if (st->opt.source[i].group == g)
            order_hold(group->order); /* until it is ready */
}

char *stage_saved_as(const char *source, uint32_t incarnation)
{
    struct buf b;

    buf_init(&b);
    buf_adds(&b, source);
    if (incarnation > 0)
        buf_printf(&b, " %" PRIu32, incarnation);
    return buf_take(&b);
}

/* Have all its partitions been read to their ends? */
static bool all_idle(const struct stage *st, const char *saved_as)
{
    bool any = false, all = true;

    for (size_t i = 0; i < st->n_saved; i++)
        if (strcmp(st->saved[i].source, saved_as) == 0) {
            any = true;
            all &= st->saved[i].idle || st->saved[i].ended;
        }
    return any && all;
}

static void copy_options(struct stage *st)
{
    st->saved = mem_calloc(st->opt.n_saved + 1, sizeof *st->saved);
    st->n_saved = st->opt.n_saved;
    for (size_t i = 0; i < st->n_saved; i++) {
        position_init(&st->saved[i]);
        position_copy(&st->saved[i], &st->opt.saved[i]);
    }
    st->input = mem_calloc(st->opt.n_sources + 1, sizeof *st->input);
    st->published = mem_calloc(st->opt.n_sources + 1, sizeof *st->published);
    for (size_t i = 0; i < st->opt.n_sources; i++) {
        st->input[i].is = st->opt.source[i];
        st->input[i].stats.newest = st->input[i].stats.watermark = INT64_MIN;
        st->input[i].stats.frontier = INT64_MIN;
        st->input[i].saved_as = stage_saved_as(st->opt.source[i].name, st->opt.source[i].incarnation);
        st->input[i].known = st->input[i].is.rows && all_idle(st, st->input[i].saved_as);
        st->published[i] = st->input[i].stats;
    }
}

static void make_decoders(struct stage *st)
{
    st->decoder = decoder_new(st->opt.prog->schema, st->opt.max_line);
    st->probe = probe_scratch_new(st->opt.prog);
    st->old_decoder = mem_calloc(st->opt.n_draining + 1, sizeof *st->old_decoder);
    st->old_probe = mem_calloc(st->opt.n_draining + 1, sizeof *st->old_probe);
    for (size_t i = 0; i < st->opt.n_draining; i++) {
        st->old_decoder[i] = decoder_new(st->opt.draining[i]->schema, st->opt.max_line);
        st->old_probe[i] = probe_scratch_new(st->opt.draining[i]);
    }
}

struct stage *stage_new(const struct stage_options *opt)
{
    struct stage *st = mem_calloc(1, sizeof *st);

    st->opt = *opt;
    pthread_mutex_init(&st->lock, NULL);
    copy_options(st);
    make_decoders(st);
    st->ep = epoch_new();
    st->last_barrier = clock_monotonic();
    atomic_store(&st->asked, INT64_MAX);
    atomic_store(&st->frontier, INT64_MIN);
    buf_init(&st->text);
    buf_init(&st->raw);
    st->group = mem_calloc(opt->n_groups + 1, sizeof *st->group);
    if (opt->spill_dir)
        spill_clear(opt->spill_dir);
    for (uint32_t g = 0; g < opt->n_groups; g++)
        make_group(st, g);
    pthread_create(&st->thread, NULL, run, st);
    return st;
}

static void free_inputs(struct stage *st)
{
    for (size_t i = 0; i < st->opt.n_sources; i++) {
        for (size_t k = 0; k < st->input[i].n_waiting; k++)
            intake_free(&st->input[i].waiting[k]);
        mem_free(st->input[i].waiting);
        mem_free(st->input[i].saved_as);
    }
    mem_free(st->input);
}

void stage_free(struct stage **stp)
{
    struct stage *st = *stp;

    if (!st)
        return;
    *stp = NULL;
    atomic_store(&st->stopping, 2);
    pthread_join(st->thread, NULL);
    free_inputs(st);
    for (uint32_t g = 0; g < st->opt.n_groups; g++) {
        batch_free(&st->group[g].batch);
        order_free(&st->group[g].order);
    }
    mem_free(st->group);
    mem_free(st->lp);
    for (size_t i = 0; i < st->n_saved; i++)
        position_fini(&st->saved[i]);
    mem_free(st->saved);
    mem_free(st->released);
    mem_free(st->published);
    pthread_mutex_destroy(&st->lock);
    for (size_t i = 0; i < st->opt.n_draining; i++) {
        decoder_free(&st->old_decoder[i]);
        probe_scratch_free(&st->old_probe[i]);
    }
    mem_free(st->old_decoder);
    mem_free(st->old_probe);
    decoder_free(&st->decoder);
    probe_scratch_free(&st->probe);
    store_batch_free(&st->extra);
    epoch_free(&st->ep);
    buf_fini(&st->text);
    buf_fini(&st->raw);
    mem_free(st);
}
