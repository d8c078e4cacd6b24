// SPDX-License-Identifier: Apache-2.0
#include "flow/shard_priv.h"

#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/failpoint.h"
#include "base/mem.h"
#include "base/queue.h"
#include "engine/engine.h"
#include "event/event.h"
#include "flow/barrier.h"
#include "flow/batch.h"
#include "flow/drain_feed.h"
#include "flow/reaper.h"
#include "flow/route.h"
#include "flow/rule_watch.h"
#include "flow/saved.h"
#include "plan/program.h"
#include "state/checkpoint.h"

enum { ADVANCE_SLICE = 10000 };      /* deadlines decided before something else has a turn */
enum { ENCODE_BYTES = 32 * 1024 };   /* encoded between two looks at the clock */
#define ENCODE_BUDGET INT64_C(1000000) /* ns of encoding between two batches */
#define BOUNDS_EVERY INT64_C(1000000)    /* ns: what is counted is counted rule by rule */
#define ALERT_BYTES (UINT64_C(16) << 20) /* of alerts that wait: then a barrier is asked for at once */

static struct shard_link *link_new(struct shard *sh)
{
    struct shard_link *link = mem_calloc(1, sizeof *link);

    pthread_mutex_init(&link->lock, NULL);
    link->sh = sh;
    link->refs = 1;
    return link;
}

static void link_unref(struct shard_link *link)
{
    if (atomic_fetch_sub(&link->refs, 1) > 1)
        return;
    pthread_mutex_destroy(&link->lock);
    mem_free(link);
}

/* ---- asking for a barrier -------------------------------------------------------------------- */

static void ask(struct shard *sh, int64_t at)
{
    sh->asked = true;
    sh->opt.ask(sh->opt.ctx, at);
}

/* So that encoding takes at most a tenth of the time, alerts wait for longer when it is dear. */
static void ask_for_alerts(struct shard *sh, uint64_t found)
{
    int64_t now = clock_monotonic(), at = now + sh->opt.alert_delay;
    int64_t earliest = sh->last_barrier + 10 * sh->checkpoint_cost;

    if (found == 0)
        return;
    sh->found = vec_reserve(sh->found, &sh->cap_found, sh->n_found + 1, sizeof *sh->found);
    sh->found[sh->n_found++] = (struct barrier_found){now, found};
    if (sh->alert_bytes >= ALERT_BYTES)
        ask(sh, now);
    else if (!sh->asked)
        ask(sh, at > earliest ? at : earliest);
}

static uint64_t count_new(struct shard *sh, struct fed *fed, size_t from)
{
    uint64_t n = 0;

    for (size_t i = from; i < fed->alerts.n; i++) {
        sh->alert_bytes += sizeof(struct alert) + fed->alerts.alert[i].json_len;
        n += !fed->alerts.alert[i].limited;
    }
    return n;
}

/* ---- the epoch ------------------------------------------------------------------------------- */

static void put(void *ctx, const void *key, size_t key_len, const void *value, size_t len)
{
    struct shard *sh = ctx;

    buf_clear(&sh->key);
    buf_addc(&sh->key, SAVED_ENGINE);
    buf_add(&sh->key, key, key_len);
    store_batch_put(sh->closing->ep->batch, sh->key.data, sh->key.len, value, len);
}

static void take_out(void *ctx, const void *key, size_t key_len)
{
    struct shard *sh = ctx;

    buf_clear(&sh->key);
    buf_addc(&sh->key, SAVED_ENGINE);
    buf_add(&sh->key, key, key_len);
    store_batch_remove(sh->closing->ep->batch, sh->key.data, sh->key.len);
}

/* One clock a group: engines of older rules are fed other events, but nothing earlier comes to any. */
static void save_clocks(struct shard *sh, struct epoch *ep, const struct fed *fed)
{
    struct engine_clock clock = engine_clock_get(fed->is.en);

    for (size_t i = 0; i < sh->n_fed; i++) {
        struct engine_clock other = engine_clock_get(sh->fed[i].is.en);
        if (sh->fed[i].is.group != fed->is.group)
            continue;
        clock.now = other.now > clock.now ? other.now : clock.now;
        clock.since = other.since < clock.since ? other.since : clock.since;
        clock.seq = other.seq > clock.seq ? other.seq : clock.seq;
    }
    if (fed->is.over)
        clock.now = INT64_MAX;
    for (size_t i = 0; i < fed->is.n_sources; i++) /* tables have no time of their own */
        if (!program_is_table_source(fed->is.source[i]))
            saved_clock_put(ep->batch, fed->is.source[i], &clock);
}

static void send_to(struct epoch_message *message, const struct route_set *set)
{
    message->sink = mem_calloc(set->n + 1, sizeof *message->sink);
    message->direct = mem_calloc(set->n + 1, sizeof *message->direct);
    memcpy(message->sink, set->sink, set->n * sizeof *message->sink);
    memcpy(message->direct, set->direct, set->n * sizeof *message->direct);
    message->n_sinks = set->n;
}

static void make_dead(struct epoch_message *message, const char *rule)
{
    static const char reason[] = "beyond the rule's `limit alerts`";
    struct buf origin;

    buf_init(&origin);
    buf_printf(&origin, "rule %s", rule);
    message->origin = buf_take(&origin);
    message->reason = mem_strndup(reason, sizeof reason - 1);
}

/* The alerts become messages; their text changes owner. */
static void save_alerts(struct epoch *ep, struct fed *fed)
{
    for (size_t i = 0; i < fed->alerts.n; i++) {
        struct alert *alert = &fed->alerts.alert[i];
        struct epoch_message *message = epoch_message_add(ep);
        if (alert->limited)
            make_dead(message, fed->is.prog->rule[alert->rule].name);
        else
            send_to(message, route_of(fed->is.route, alert->rule, alert->severity));
        message->text = alert->json;
        message->len = alert->json_len;
        message->is_alert = true;
        message->about = (struct alert_about){.time = alert->time,
                                              .severity = alert->severity,
                                              .rule = {alert->rule_at, alert->rule_len},
                                              .key = {alert->key_at, alert->key_len}};
        alert->json = NULL;
    }
    alert_list_clear(&fed->alerts);
}

/* On the checkpoint thread. The pipeline may have ended meanwhile, without waiting for it. */
static void epoch_done(void *ctx, struct epoch *ep)
{
    struct barrier *b = ctx;
    struct shard_link *link = b->link;
    int64_t now = clock_monotonic();
    bool last = b->last;

    (void)ep;
    b->ep = NULL; /* the checkpoint thread's */
    pthread_mutex_lock(&link->lock);
    if (link->sh) {
        struct shard *sh = link->sh;
        for (size_t i = 0; i < b->n_found; i++)
            histogram_add(&sh->durable_after, now - b->found[i].at, b->found[i].n);
        atomic_fetch_add(&sh->epochs, 1);
        atomic_store(&sh->durable, true);
        queue_wake(sh->opt.in);
        sh->opt.durable(sh->opt.ctx, last);
    }
    pthread_mutex_unlock(&link->lock);
    barrier_free(&b);
    link_unref(link);
}

/* On the thread that ends the checkpoint thread, or on that. */
static void epoch_dropped(void *ctx)
{
    struct barrier *b = ctx;
    struct shard_link *link = b->link;

    b->ep = NULL;
    barrier_free(&b);
    link_unref(link);
}

/* For how long the engine stood still: by the clock, and how much of that was its own work. */
struct pause {
    int64_t begin, work;
};

static void keep_most(_Atomic int64_t *most, int64_t is)
{
    if (is > atomic_load(most))
        atomic_store(most, is);
}

static void pause_end(struct shard *sh, const struct pause *pause)
{
    keep_most(&sh->longest_pause, clock_monotonic() - pause->begin);
    keep_most(&sh->longest_work, clock_thread() - pause->work);
}

static void shard_close(struct shard *sh, struct barrier *b)
{
    int64_t begin = clock_monotonic();

    sh->closing = b;
    sh->encoding = 0;
    sh->asked = false;
    sh->alert_bytes = 0;
    b->found = sh->found;
    b->n_found = sh->n_found;
    sh->found = NULL;
    sh->n_found = sh->cap_found = 0;
    sh->last_barrier = begin;
    b->link = sh->link;
    atomic_fetch_add(&sh->link->refs, 1);
    b->ep->done = epoch_done;
    b->ep->dropped = epoch_dropped;
    b->ep->ctx = b;
    for (size_t i = 0; i < sh->n_fed; i++) {
        engine_epoch_close(sh->fed[i].is.en, &sh->writer);
        if (!sh->fed[i].is.draining)
            save_clocks(sh, b->ep, &sh->fed[i]);
        save_alerts(b->ep, &sh->fed[i]);
    }
    sh->encoded = clock_monotonic() - begin;
    failpoint_hit(FAILPOINT_epoch_closed);
}

static void note_broken(struct shard *sh)
{
    for (size_t i = 0; i < sh->n_fed; i++)
        if (engine_broken(sh->fed[i].is.en))
            atomic_store(&sh->broken, engine_broken(sh->fed[i].is.en));
}

static void submit(struct shard *sh)
{
    struct barrier *b = sh->closing;
    struct epoch *ep = b->ep;

    sh->closing = NULL;
    note_broken(sh);
    if (atomic_load(&sh->broken)) { /* what the engine holds must not become durable */
        link_unref(b->link);
        barrier_free(&b);
        return;
    }
    sh->checkpoint_cost = sh->encoded;
    atomic_fetch_add(&sh->encode_ns, sh->encoded);
    checkpoint_submit(sh->opt.checkpoint, ep);
    failpoint_hit(FAILPOINT_epoch_submitted);
}

/* Encodes for about `budget` ns; submits when all is encoded. */
static void shard_encode(struct shard *sh, int64_t budget)
{
    int64_t begin = clock_monotonic(), now = begin;

    while (sh->encoding < sh->n_fed && now - begin < budget) {
        if (engine_epoch_slice(sh->fed[sh->encoding].is.en, ENCODE_BYTES))
            sh->encoding++;
        failpoint_hit(FAILPOINT_epoch_encoding);
        now = clock_monotonic();
    }
    sh->encoded += clock_monotonic() - begin;
    if (sh->encoding == sh->n_fed)
        submit(sh);
}

static void encode_slice(struct shard *sh)
{
    struct pause pause = {clock_monotonic(), clock_thread()};

    shard_encode(sh, ENCODE_BUDGET);
    pause_end(sh, &pause);
}

static void note_durable(struct shard *sh)
{
    if (!atomic_exchange(&sh->durable, false))
        return;
    for (size_t i = 0; i < sh->n_fed; i++)
        engine_epoch_durable(sh->fed[i].is.en);
}

/* ---- feeding --------------------------------------------------------------------------------- */

static void advance(struct shard *sh, struct fed *fed, int64_t frontier)
{
    engine_begin(fed->is.en, frontier);
    while (!engine_advance_slice(fed->is.en, frontier, ADVANCE_SLICE, &fed->alerts)) {
        pulse_beat(&sh->pulse);
        note_durable(sh);
        if (sh->closing)
            encode_slice(sh);
        if (engine_memory(fed->is.en) > sh->opt.memory_limit)
            engine_evict(fed->is.en, sh->opt.memory_limit / 10 * 9);
    }
}

/* What was due before it is decided bit by bit, too: it may be all keys, and each to be loaded. */
static void feed_current(struct shard *sh, struct fed *fed, const struct event *ev)
{
    advance(sh, fed, ev->time);
    engine_feed(fed->is.en, ev, &fed->alerts);
}

static void feed_item(struct shard *sh, struct fed *fed, const struct batch_item *item)
{
    switch ((enum batch_item_kind)item->kind) {
    case BATCH_EVENT:
        if (fed->is.draining)
            drain_feed(fed->drain, fed->is.en, item->ev, BATCH_EVENT, &fed->alerts);
        else if (batch_is_current(item->ev))
            feed_current(sh, fed, item->ev);
        break;
    case BATCH_LATE:
        if (fed->is.draining)
            drain_feed(fed->drain, fed->is.en, item->ev, BATCH_LATE, &fed->alerts);
        else if (batch_is_current(item->ev))
            engine_feed_late(fed->is.en, item->ev, &fed->alerts);
        break;
    case BATCH_FRONTIER:
        advance(sh, fed, item->time);
        break;
    case BATCH_OVER:
        engine_over(fed->is.en, item->time);
        break;
    case BATCH_GOES_ON:
        fed->is.over = false;
        break;
    case BATCH_ROW:
    case BATCH_DROP_ROWS:
        shard_feed_row(fed, item);
        break;
    }
}

static void feed(struct shard *sh, const struct batch *batch)
{
    uint64_t found = 0, events = 0;

    rule_clock_mark(&sh->clock);
    for (size_t i = 0; i < sh->n_fed; i++) {
        struct fed *fed = &sh->fed[i];
        size_t from = fed->alerts.n;
        if (fed->is.group != batch->group)
            continue;
        for (uint32_t k = 0; k < batch->n && !engine_broken(fed->is.en); k++) {
            batch_look_ahead(batch, k, fed->is.draining ? NULL : fed->is.en);
            feed_item(sh, fed, &batch->item[k]);
        }
        found += count_new(sh, fed, from);
    }
    for (uint32_t k = 0; k < batch->n; k++)
        events += batch->item[k].ev != NULL;
    atomic_fetch_add_explicit(&sh->events, events, memory_order_relaxed);
    atomic_fetch_add_explicit(&sh->alerts, found, memory_order_relaxed);
    ask_for_alerts(sh, found);
}

/* ---- the thread ------------------------------------------------------------------------------ */

static void barrier(struct shard *sh, struct barrier *b)
{
    struct pause pause = {clock_monotonic(), clock_thread()};
    bool last = b->last; /* submitted, it is another thread's */

    if (last)
        shard_count_last(sh);
    shard_close(sh, b);
    if (last)
        shard_look(sh, true);
    shard_encode(sh, last ? INT64_MAX : ENCODE_BUDGET);
    if (!last)
        pause_end(sh, &pause);
}

static void take(struct shard *sh, struct batch *batch)
{
    bool is_barrier = batch->barrier != NULL;

    if (!is_barrier)
        feed(sh, batch);
    else if (atomic_load(&sh->broken)) /* what the engine holds must not become durable */
        barrier_free(&batch->barrier);
    else
        barrier(sh, batch->barrier);
    note_broken(sh);
    /* When input waits for a barrier, it is what tells that it may go on. */
    if (is_barrier || sh->crowded || clock_monotonic() - sh->last_bounds >= BOUNDS_EVERY)
        shard_check_bounds(sh);
    shard_let_all_go(sh);
    batch_free(&batch);
}

static void *run(void *ctx)
{
    struct shard *sh = ctx;

    shard_look(sh, true);
    for (;;) { /* what came last is to be seen, too, if nothing follows */
        int64_t timeout = sh->closing || question_waits(&sh->questions) ? 0 : sh->looks == 0 ? -1 : SHARD_LOOK_EVERY;
        pulse_rest(&sh->pulse);
        struct batch *batch = queue_pop(sh->opt.in, timeout);
        pulse_beat(&sh->pulse);
        note_durable(sh);
        if (question_waits(&sh->questions))
            shard_answer(sh);
        if (batch)
            take(sh, batch);
        else if (!sh->closing && queue_closed(sh->opt.in))
            return NULL;
        if (sh->closing)
            encode_slice(sh);
        if (batch)
            sh->looks = SHARD_LOOKS;
        if (sh->looks > 0)
            shard_look(sh, false);
    }
}

/* ---- lifetime -------------------------------------------------------------------------------- */

struct shard *shard_new(const struct shard_options *opt)
{
    struct shard *sh = mem_calloc(1, sizeof *sh);

    sh->opt = *opt;
    sh->link = link_new(sh);
    sh->fed = mem_calloc(opt->n_engines + 1, sizeof *sh->fed);
    sh->n_fed = opt->n_engines;
    sh->writer = (struct record_writer){.put = put, .remove = take_out, .ctx = sh};
    buf_init(&sh->key);
    question_box_init(&sh->questions);
    rule_clock_init(&sh->clock);
    for (size_t i = 0; i < opt->n_engines; i++) {
        struct fed *fed = &sh->fed[i];
        fed->is = opt->engine[i];
        fed->watch = rule_watch_new(fed->is.prog);
        rule_watch_look(fed->watch, fed->is.en); /* who asks at once is not told 0 of what the state has counted */
        alert_list_init(&fed->alerts);
        engine_keep_limited(fed->is.en);
        engine_time(fed->is.en, &sh->clock.piece);
        if (fed->is.draining)
            fed->drain = drain_feed_new(fed->is.prog, opt->engine[0].prog, opt->max_line);
    }
    pthread_create(&sh->thread, NULL, run, sh);
    return sh;
}

void shard_free(struct shard **shp)
{
    struct shard *sh = *shp;

    if (!sh)
        return;
    *shp = NULL;
    pthread_join(sh->thread, NULL);
    shard_answer_ended(sh);
    question_box_fini(&sh->questions);
    pthread_mutex_lock(&sh->link->lock);
    sh->link->sh = NULL;
    pthread_mutex_unlock(&sh->link->lock);
    link_unref(sh->link);
    if (sh->opt.reaper)
        reaper_room(sh->opt.reaper, sh->opt.memory_limit / 2);
    for (size_t i = 0; i < sh->n_fed; i++) {
        alert_list_fini(&sh->fed[i].alerts);
        if (sh->opt.reaper)
            reaper_take(sh->opt.reaper, sh->fed[i].is.en, sh->fed[i].is.prog);
        else
            engine_free(&sh->fed[i].is.en);
        drain_feed_free(&sh->fed[i].drain);
        rule_watch_free(&sh->fed[i].watch);
    }
    mem_free(sh->fed);
    mem_free(sh->found);
    buf_fini(&sh->key);
    mem_free(sh);
}

bool shard_broken(struct shard *sh, struct buf *why)
{
    const char *broken = atomic_load(&sh->broken);
    if (broken)
        buf_adds(why, broken);
    return broken != NULL;
}

bool shard_stuck(struct shard *sh, int64_t longest)
{
    return pulse_stuck(&sh->pulse, longest);
}

bool shard_drained(struct shard *sh, uint32_t generation)
{
    bool drained = true;
    for (size_t i = 0; i < sh->n_fed; i++)
        if (sh->fed[i].is.draining && sh->fed[i].is.generation == generation)
            drained &= atomic_load(&sh->fed[i].drained);
    return drained;
}

void shard_stats(struct shard *sh, struct shard_stats *stats_out)
{
    *stats_out = (struct shard_stats){
        .events = atomic_load(&sh->events), .alerts = atomic_load(&sh->alerts),
        .epochs = atomic_load(&sh->epochs), .memory = atomic_load(&sh->memory),
        .changed = atomic_load(&sh->changed),
        .loads = atomic_load(&sh->loads), .longest_pause = atomic_load(&sh->longest_pause),
        .longest_work = atomic_load(&sh->longest_work), .encode_ns = atomic_load(&sh->encode_ns)};
    pthread_mutex_lock(&sh->link->lock);
    stats_out->durable = sh->durable_after;
    pthread_mutex_unlock(&sh->link->lock);
}

void shard_each_rule(struct shard *sh, rule_watch_fn *found, void *ctx)
{
    for (size_t i = 0; i < sh->n_fed; i++)
        rule_watch_each(sh->fed[i].watch, found, ctx);
}

void shard_each_table(struct shard *sh, rule_watch_table_fn *found, void *ctx)
{
    for (size_t i = 0; i < sh->n_fed; i++)
        rule_watch_each_table(sh->fed[i].watch, found, ctx);
}
