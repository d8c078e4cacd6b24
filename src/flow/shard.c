// SPDX-License-Identifier: Apache-2.0
#include "flow/shard.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/failpoint.h"
#include "base/mem.h"
#include "base/queue.h"
#include "engine/alert.h"
#include "engine/engine.h"
#include "engine/record.h"
#include "event/event.h"
#include "event/json_decode.h"
#include "flow/barrier.h"
#include "flow/batch.h"
#include "flow/limit_watch.h"
#include "flow/saved.h"
#include "plan/program.h"
#include "state/checkpoint.h"

enum { ADVANCE_SLICE = 10000 };      /* deadlines decided before something else has a turn */
enum { CROWD = 4 };                  /* times checkpoint_bytes: then sources wait */
enum { ENCODE_BYTES = 32 * 1024 };   /* encoded between two looks at the clock */
#define ENCODE_BUDGET INT64_C(1000000) /* ns of encoding between two batches */
#define LOOK_EVERY INT64_C(1000000000)
#define BOUNDS_EVERY INT64_C(1000000)    /* ns: what is counted is counted rule by rule */
#define EVICT_BYTES (UINT64_C(1) << 20)  /* of state let go between two batches */
#define ALERT_BYTES (UINT64_C(16) << 20) /* of alerts that wait: then a barrier is asked for at once */

struct fed_origin { /* draining */
    const struct origin *from;
    struct origin *old; /* owned; events point to it */
};

/* One engine with what belongs to it. */
struct fed {
    struct shard_engine is;
    struct alert_list alerts;       /* found since the last barrier */
    struct decoder *decoder;        /* draining */
    struct probe_scratch *probe;    /* draining */
    struct fed_origin *origin;      /* [n_origins] draining */
    size_t n_origins, cap_origins;
    _Atomic bool drained;           /* draining: nothing is left */
    uint64_t *cut;                  /* [rules] by limits, at the last look */
};

/* Between the shard and an epoch that is being written: either may end first. */
struct shard_link {
    pthread_mutex_t lock;
    struct shard *sh;               /* NULL: it has ended */
    _Atomic unsigned refs;
};

struct shard {
    struct shard_options opt;
    struct shard_link *link;        /* a reference */
    pthread_t thread;
    struct fed *fed;
    size_t n_fed;
    struct barrier *closing;        /* its epoch is being encoded; or NULL */
    size_t encoding;                /* the engine that is being encoded */
    struct record_writer writer;
    struct buf key;                 /* scratch */
    uint64_t alert_bytes;           /* waiting for the next barrier */
    bool crowded;
    bool asked;                     /* for a barrier, since the last one */
    int64_t checkpoint_cost;        /* ns of encoding of the last epoch */
    int64_t encoded;                /* ns, of this one so far */
    int64_t last_barrier;           /* monotonic */
    int64_t last_look;              /* monotonic: for what is drained */
    int64_t last_bounds;            /* monotonic */
    _Atomic bool durable;           /* the submitted epoch is */
    _Atomic(const char *) broken;   /* why the engine cannot go on */
    _Atomic uint64_t events, alerts, epochs, memory, loads;
    _Atomic int64_t longest_pause, longest_work, encode_ns;
};

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
    for (size_t i = 0; i < fed->is.n_sources; i++)
        saved_clock_put(ep->batch, fed->is.source[i], &clock);
}

static void send_to(struct epoch_message *message, const struct shard_route *route)
{
    message->sink = mem_calloc(route->n + 1, sizeof *message->sink);
    if (route->n > 0)
        memcpy(message->sink, route->sink, route->n * sizeof *message->sink);
    message->n_sinks = route->n;
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
        const struct shard_route *route = &fed->is.route[alert->rule];
        struct epoch_message *message = epoch_message_add(ep);
        if (alert->limited)
            make_dead(message, fed->is.prog->rule[alert->rule].name);
        else
            send_to(message, route);
        message->text = alert->json;
        message->len = alert->json_len;
        message->is_alert = true;
        alert->json = NULL;
    }
    alert_list_clear(&fed->alerts);
}

/* On the checkpoint thread. The pipeline may have ended meanwhile, without waiting for it. */
static void epoch_done(void *ctx, struct epoch *ep)
{
    struct barrier *b = ctx;
    struct shard_link *link = b->link;
    bool last = b->last;

    (void)ep;
    b->ep = NULL; /* the checkpoint thread's */
    barrier_free(&b);
    pthread_mutex_lock(&link->lock);
    if (link->sh) {
        struct shard *sh = link->sh;
        atomic_fetch_add(&sh->epochs, 1);
        atomic_store(&sh->durable, true);
        queue_wake(sh->opt.in);
        sh->opt.durable(sh->opt.ctx, last);
    }
    pthread_mutex_unlock(&link->lock);
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
    sh->last_barrier = begin;
    b->link = sh->link;
    atomic_fetch_add(&sh->link->refs, 1);
    b->ep->done = epoch_done;
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

/* Where events come from, as the older program numbers it; lives as long as the engine. */
static const struct origin *old_origin(struct fed *fed, const struct origin *origin)
{
    for (size_t i = 0; i < fed->n_origins; i++)
        if (fed->origin[i].from == origin)
            return fed->origin[i].old;
    fed->origin = vec_reserve(fed->origin, &fed->cap_origins, fed->n_origins + 1, sizeof *fed->origin);
    struct fed_origin *entry = &fed->origin[fed->n_origins++];
    *entry = (struct fed_origin){.from = origin, .old = mem_calloc(1, sizeof *entry->old)};
    *entry->old = *origin;
    entry->old->source_id = program_source(fed->is.prog, origin->source);
    return entry->old;
}

static void feed_draining(struct fed *fed, const struct event *ev, bool late)
{
    struct event old = {.origin = old_origin(fed, ev->origin), .offset = ev->offset,
                        .time = ev->time, .order_by = ev->order_by};
    const char *reason;

    if (!decoder_run_copy(fed->decoder, ev->raw, ev->raw_len, &old, &reason))
        return;
    engine_probe(fed->is.prog, fed->probe, &old);
    if (old.n_fits > 0 && late)
        engine_feed_late(fed->is.en, &old, &fed->alerts);
    else if (old.n_fits > 0)
        engine_feed(fed->is.en, &old, &fed->alerts);
}

static void advance(struct shard *sh, struct fed *fed, int64_t frontier)
{
    engine_begin(fed->is.en, frontier);
    while (!engine_advance_slice(fed->is.en, frontier, ADVANCE_SLICE, &fed->alerts)) {
        note_durable(sh);
        if (sh->closing)
            encode_slice(sh);
        if (engine_memory(fed->is.en) > sh->opt.memory_limit)
            engine_evict(fed->is.en, sh->opt.memory_limit / 10 * 9);
    }
}

/* Does the current program want it, not only older ones? */
static bool is_fit(const struct event *ev)
{
    return ev->n_fits > 0 && ev->fits[0] != BATCH_FITS_OLD;
}

static void feed_item(struct shard *sh, struct fed *fed, const struct batch_item *item)
{
    switch ((enum batch_item_kind)item->kind) {
    case BATCH_EVENT:
        if (fed->is.draining)
            feed_draining(fed, item->ev, false);
        else if (is_fit(item->ev))
            engine_feed(fed->is.en, item->ev, &fed->alerts);
        break;
    case BATCH_LATE:
        if (fed->is.draining)
            feed_draining(fed, item->ev, true);
        else if (is_fit(item->ev))
            engine_feed_late(fed->is.en, item->ev, &fed->alerts);
        break;
    case BATCH_FRONTIER:
        advance(sh, fed, item->time);
        break;
    }
}

static void feed(struct shard *sh, const struct batch *batch)
{
    uint64_t found = 0;

    for (size_t i = 0; i < sh->n_fed; i++) {
        struct fed *fed = &sh->fed[i];
        size_t from = fed->alerts.n;
        if (fed->is.group != batch->group)
            continue;
        for (uint32_t k = 0; k < batch->n && !engine_broken(fed->is.en); k++)
            feed_item(sh, fed, &batch->item[k]);
        found += count_new(sh, fed, from);
    }
    for (uint32_t k = 0; k < batch->n; k++)
        if (batch->item[k].kind != BATCH_FRONTIER)
            atomic_fetch_add_explicit(&sh->events, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&sh->alerts, found, memory_order_relaxed);
    ask_for_alerts(sh, found);
}

/* ---- bounds ---------------------------------------------------------------------------------- */

static void check_drained(struct shard *sh)
{
    int64_t now = clock_monotonic();

    if (now - sh->last_look < LOOK_EVERY)
        return;
    sh->last_look = now;
    for (size_t i = 0; i < sh->n_fed; i++) {
        limit_watch_look(&sh->fed[i].cut, sh->fed[i].is.en, sh->fed[i].is.prog);
        if (sh->fed[i].is.draining)
            atomic_store(&sh->fed[i].drained, engine_drained(sh->fed[i].is.en));
    }
}

/* Bit by bit: what is let go at once is a pause. */
static void let_go(struct shard *sh, uint64_t memory)
{
    for (size_t i = 0; i < sh->n_fed; i++) {
        struct engine *en = sh->fed[i].is.en;
        uint64_t has = engine_memory(en);
        double share = (double)has / (double)memory;
        uint64_t target = (uint64_t)(share * 0.9 * (double)sh->opt.memory_limit);
        uint64_t least = has > EVICT_BYTES ? has - EVICT_BYTES : 0;
        engine_evict(en, target > least ? target : least);
    }
}

static void check_bounds(struct shard *sh)
{
    uint64_t memory = 0, changed = 0, loads = 0;

    sh->last_bounds = clock_monotonic();
    for (size_t i = 0; i < sh->n_fed; i++) {
        memory += engine_memory(sh->fed[i].is.en);
        changed += engine_changed_bytes(sh->fed[i].is.en);
        loads += engine_loads(sh->fed[i].is.en);
    }
    atomic_store_explicit(&sh->loads, loads, memory_order_relaxed);
    atomic_store_explicit(&sh->memory, memory, memory_order_relaxed);
    if (changed >= sh->opt.checkpoint_bytes && !sh->closing)
        sh->opt.ask(sh->opt.ctx, sh->last_bounds);
    if (sh->crowded != (changed >= CROWD * sh->opt.checkpoint_bytes)) {
        sh->crowded = !sh->crowded;
        sh->opt.crowd(sh->opt.ctx, sh->crowded);
    }
    if (memory > sh->opt.memory_limit)
        let_go(sh, memory);
}

/* ---- the thread ------------------------------------------------------------------------------ */

static void barrier(struct shard *sh, struct barrier *b)
{
    struct pause pause = {clock_monotonic(), clock_thread()};
    bool last = b->last; /* submitted, it is another thread's */

    shard_close(sh, b);
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
        check_bounds(sh);
    batch_free(&batch);
}

static void *run(void *ctx)
{
    struct shard *sh = ctx;

    check_drained(sh);
    for (;;) {
        struct batch *batch = queue_pop(sh->opt.in, sh->closing ? 0 : -1);
        note_durable(sh);
        if (batch)
            take(sh, batch);
        else if (!sh->closing && queue_closed(sh->opt.in))
            return NULL;
        if (sh->closing)
            encode_slice(sh);
        if (batch)
            check_drained(sh);
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
    for (size_t i = 0; i < opt->n_engines; i++) {
        struct fed *fed = &sh->fed[i];
        fed->is = opt->engine[i];
        alert_list_init(&fed->alerts);
        engine_keep_limited(fed->is.en);
        if (!fed->is.draining)
            continue;
        fed->decoder = decoder_new(fed->is.prog->schema, opt->max_line);
        fed->probe = probe_scratch_new(fed->is.prog);
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
    pthread_mutex_lock(&sh->link->lock);
    sh->link->sh = NULL;
    pthread_mutex_unlock(&sh->link->lock);
    link_unref(sh->link);
    for (size_t i = 0; i < sh->n_fed; i++) {
        alert_list_fini(&sh->fed[i].alerts);
        engine_free(&sh->fed[i].is.en);
        decoder_free(&sh->fed[i].decoder);
        probe_scratch_free(&sh->fed[i].probe);
        for (size_t k = 0; k < sh->fed[i].n_origins; k++)
            mem_free(sh->fed[i].origin[k].old);
        mem_free(sh->fed[i].origin);
        mem_free(sh->fed[i].cut);
    }
    mem_free(sh->fed);
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
    *stats_out = (struct shard_stats){.events = atomic_load(&sh->events),
                                      .alerts = atomic_load(&sh->alerts),
                                      .epochs = atomic_load(&sh->epochs),
                                      .memory = atomic_load(&sh->memory),
                                      .loads = atomic_load(&sh->loads),
                                      .longest_pause = atomic_load(&sh->longest_pause),
                                      .longest_work = atomic_load(&sh->longest_work),
                                      .encode_ns = atomic_load(&sh->encode_ns)};
}
