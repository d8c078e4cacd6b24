// SPDX-License-Identifier: Apache-2.0
#include "flow/deliver.h"

#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/cond.h"
#include "base/failpoint.h"
#include "base/log.h"
#include "base/mem.h"
#include "flow/route.h"
#include "io/backoff.h"
#include "io/sink.h"
#include "state/outbox.h"

#define MS INT64_C(1000000)
#define IDLE (200 * MS)             /* between looks at an idle sink (rotation by time) */
#define LOOK_AGAIN (10 * MS)        /* the same while it stops: nobody is told when there is more */
#define LEAST_BACKOFF (100 * MS)
#define MOST_BACKOFF (30000 * MS)
#define TELL_AGAIN (300000 * MS)

enum step { STEP_DONE, STEP_IDLE, STEP_FAILED };

struct worker {
    struct deliver *d;
    struct sink *sink;
    uint32_t number;
    pthread_t thread;
    /* the thread's own */
    bool started;         /* sink_start was good, and no failure since */
    bool told;            /* a failure is going on, and was told */
    uint64_t taken;       /* the last one given to the sink */
    uint64_t acked;
    uint64_t judged;      /* the last one that was asked about, of routes */
    struct buf position;  /* as it was acknowledged last */
    struct buf text, why;
    int64_t *durable;     /* [n_given] wall: when what was given to the sink, and is not acknowledged, was durable */
    size_t n_given, cap_given;
    struct backoff backoff;
    int64_t told_at;
    /* by deliver->lock */
    struct deliver_stats stats;
    int64_t oldest;       /* monotonic: since when something was tried, and is not delivered; 0: nothing is */
    bool finished;
    bool left;            /* it ended though something waited */
    bool over;            /* the sink is, and nobody has asked */
};

struct deliver {
    struct outbox *ob;
    uint8_t identity[SINK_IDENTITY_BYTES];
    struct route_table *rt; /* a reference; NULL: there are none */
    pthread_mutex_t lock;
    pthread_cond_t change; /* a worker is finished; or stopping */
    int64_t until;         /* monotonic: when stopping, the end of all trying; 0: not stopping */
    struct worker *worker;
    uint32_t n;
};

/* ---- stopping -------------------------------------------------------------------------------- */

static bool stopping(struct deliver *d)
{
    pthread_mutex_lock(&d->lock);
    bool yes = d->until != 0;
    pthread_mutex_unlock(&d->lock);
    return yes;
}

static bool out_of_time(struct deliver *d)
{
    pthread_mutex_lock(&d->lock);
    bool yes = d->until != 0 && clock_monotonic() >= d->until;
    pthread_mutex_unlock(&d->lock);
    return yes;
}

/* Waits until then; a stop ends it early, once: then it is tried without much waiting. */
static void pause_until(struct deliver *d, int64_t then)
{
    pthread_mutex_lock(&d->lock);
    bool was_stopping = d->until != 0;
    if (was_stopping && then > d->until)
        then = d->until;
    while ((d->until != 0) == was_stopping && cond_wait_until(&d->change, &d->lock, then))
        continue;
    pthread_mutex_unlock(&d->lock);
}

/* ---- failures -------------------------------------------------------------------------------- */

static void tell_failure(struct worker *w, bool changed, int64_t wait)
{
    int64_t now = clock_monotonic();
    struct buf fields;

    if (w->told && !changed && now - w->told_at < TELL_AGAIN)
        return;
    w->told = true;
    w->told_at = now;
    buf_init(&fields);
    log_field(&fields, "sink", w->sink->name);
    log_field(&fields, "why", w->why.data);
    buf_printf(&fields, " retry=%" PRId64 "ms", wait / MS);
    log_line(LOG_ERROR, LOG_sink, "a sink fails: what is for it waits in the outbox", "%s",
             fields.data);
    buf_fini(&fields);
}

static void failed(struct worker *w)
{
    struct deliver *d = w->d;

    buf_adds(&w->why, "");
    w->started = false;
    pthread_mutex_lock(&d->lock);
    bool changed = strncmp(w->stats.last_error, w->why.data, sizeof w->stats.last_error - 1) != 0;
    snprintf(w->stats.last_error, sizeof w->stats.last_error, "%s", w->why.data);
    w->stats.failures++;
    w->stats.failing = true;
    w->stats.sink = sink_figures(w->sink);
    w->over = w->sink->over;
    pthread_mutex_unlock(&d->lock);
    if (w->sink->over)
        return;
    int64_t wait = backoff_next(&w->backoff);
    if (stopping(d) && wait > MOST_BACKOFF / 30)
        wait = MOST_BACKOFF / 30;
    tell_failure(w, changed, wait);
    pause_until(d, clock_monotonic() + wait);
}

static void worked(struct worker *w, uint64_t delivered, uint64_t muted)
{
    int64_t now = clock_wall();

    backoff_reset(&w->backoff);
    pthread_mutex_lock(&w->d->lock);
    w->stats.failing = false;
    w->stats.delivered += delivered;
    for (size_t i = 0; i < w->n_given; i++)
        histogram_add(&w->stats.took, now - w->durable[i], 1);
    w->n_given = 0;
    w->stats.muted += muted;
    w->stats.sink = sink_figures(w->sink);
    w->oldest = 0;
    pthread_mutex_unlock(&w->d->lock);
    if (w->told) {
        struct buf fields;
        buf_init(&fields);
        log_field(&fields, "sink", w->sink->name);
        log_line(LOG_INFO, LOG_sink, "a sink works again", "%s", fields.data);
        buf_fini(&fields);
    }
    w->told = false;
}

/* ---- delivering ------------------------------------------------------------------------------ */

static bool flush(struct worker *w)
{
    struct buf position;

    buf_init(&position);
    bool good = sink_flush(w->sink, &position, &w->why);
    if (good) {
        buf_fini(&w->position);
        w->position = position;
        (void)failpoint_hit(FAILPOINT_deliver_flushed);
        outbox_ack(w->d->ob, w->number, w->taken, w->position.data, w->position.len);
        w->acked = w->taken;
        (void)failpoint_hit(FAILPOINT_deliver_acked);
    } else {
        buf_fini(&position);
    }
    return good;
}

/* The sink's position becomes durable before anything else is given to it. */
static enum step settle(struct worker *w)
{
    if (!flush(w))
        return STEP_FAILED;
    while (!outbox_settle(w->d->ob, w->number, IDLE))
        if (out_of_time(w->d))
            return STEP_IDLE;
    return sink_settled(w->sink, &w->why) ? STEP_DONE : STEP_FAILED;
}

/* Does every route that sent it here say nothing now? */
static bool is_muted(struct worker *w, const struct outbox_entry *entry, int64_t wall)
{
    struct route_policy policy;

    if (!w->d->rt || entry->direct || !entry->is_alert || !route_has_policy(w->d->rt, w->number))
        return false;
    if (entry->seq > w->judged)
        route_policy(w->d->rt, w->number, false, entry->text, entry->len, wall, &policy);
    else
        route_policy_again(w->d->rt, w->number, false, entry->text, entry->len, wall, &policy);
    if (entry->seq > w->judged)
        w->judged = entry->seq;
    return policy.muted;
}

static enum sink_result give(struct worker *w, const struct outbox_entry *entry)
{
    struct sink_message message = {.seq = entry->seq, .text = entry->text, .len = entry->len,
                                   .is_alert = entry->is_alert};

    if (entry->is_alert) {
        buf_clear(&w->text);
        alert_stamp(&w->text, entry->text, entry->len, clock_wall());
        message.text = w->text.data;
        message.len = w->text.len;
    }
    return sink_deliver(w->sink, &message, &w->why);
}

/* It is a dead letter now; what was before it and comes behind it goes on. */
static void refuse(struct worker *w, uint64_t seq)
{
    struct buf fields;

    buf_adds(&w->why, "");
    buf_init(&fields);
    log_field(&fields, "sink", w->sink->name);
    log_field(&fields, "why", w->why.data);
    log_line(LOG_ERROR, LOG_sink, "a message cannot be delivered: it is a dead letter", "%s",
             fields.data);
    buf_fini(&fields);
    outbox_reject(w->d->ob, w->number, seq, w->why.data);
    buf_clear(&w->why);
}

/* Something was taken: since when. */
static void mark_taken(struct worker *w)
{
    struct deliver *d = w->d;

    pthread_mutex_lock(&d->lock);
    if (w->oldest == 0)
        w->oldest = clock_monotonic();
    pthread_mutex_unlock(&d->lock);
}

static void note_given(struct worker *w, int64_t durable)
{
    w->durable = vec_reserve(w->durable, &w->cap_given, w->n_given + 1, sizeof *w->durable);
    w->durable[w->n_given++] = durable;
}

/* What waits now, as one batch. */
static enum step batch(struct worker *w)
{
    int64_t wait = stopping(w->d) ? 0 : IDLE;
    struct outbox_entry entry;
    uint64_t n = 0, muted = 0, refused = 0;
    size_t bytes = 0;

    while (((n < DELIVER_COUNT && bytes < DELIVER_BYTES) || sink_unsure(w->sink, w->taken)) &&
           outbox_next(w->d->ob, w->number, n == 0 ? wait : 0, &entry)) {
        if (n == 0)
            mark_taken(w);
        bool silent = is_muted(w, &entry, clock_wall());
        enum sink_result result = silent ? SINK_TAKEN : give(w, &entry);
        w->taken = entry.seq;
        muted += silent;
        bytes += entry.len;
        mem_free(entry.text);
        if (result == SINK_FAILED)
            return STEP_FAILED;
        if (result == SINK_TAKEN && !silent && entry.at != 0)
            note_given(w, entry.at);
        if (result == SINK_REFUSED)
            refuse(w, entry.seq);
        refused += result == SINK_REFUSED;
        n++;
    }
    if (n == 0)
        return STEP_IDLE;
    if (sink_unsure(w->sink, w->taken)) { /* woken, or what was rejected is not written yet: from the beginning again */
        w->started = false;
        pause_until(w->d, clock_monotonic() + LEAST_BACKOFF);
        return STEP_IDLE;
    }
    if (!flush(w))
        return STEP_FAILED;
    worked(w, n - muted - refused, muted);
    return STEP_DONE;
}

static enum step start(struct worker *w)
{
    struct sink_place place = {.position = w->position.data, .len = w->position.len};

    memcpy(place.identity, w->d->identity, sizeof place.identity);
    outbox_rewind(w->d->ob, w->number);
    w->n_given = 0;
    w->taken = w->acked;
    outbox_range(w->d->ob, w->number, &place.acked, &place.last);
    if (!sink_start(w->sink, &place, &w->why))
        return STEP_FAILED;
    w->started = true;
    return STEP_DONE;
}

static enum step step(struct worker *w)
{
    buf_clear(&w->why);
    if (!w->started)
        return start(w);
    if (sink_unsettled(w->sink))
        return settle(w);
    return batch(w);
}

static bool something_waits(struct worker *w)
{
    struct outbox_stats stats;

    outbox_stats(w->d->ob, w->number, &stats);
    return stats.waiting > 0;
}

/* It could not even be begun, and that something was taken is noted nowhere. */
static void note_waiting(struct worker *w)
{
    bool waits = something_waits(w);

    pthread_mutex_lock(&w->d->lock);
    if (w->oldest == 0 && waits)
        w->oldest = clock_monotonic();
    pthread_mutex_unlock(&w->d->lock);
}

static void *work(void *ctx)
{
    struct worker *w = ctx;
    struct deliver *d = w->d;
    bool ends = false;

    while (!ends && !w->sink->over) {
        bool stops = stopping(d);
        enum step did = step(w);
        if (did == STEP_FAILED) {
            note_waiting(w);
            failed(w);
        } else if (did == STEP_IDLE && w->told && w->started)
            worked(w, 0, 0);
        ends = stops && ((did == STEP_IDLE && !something_waits(w)) || out_of_time(d));
        if (stops && !ends && did == STEP_IDLE) /* what waits is not durable yet, or cannot be read */
            pause_until(d, clock_monotonic() + LOOK_AGAIN);
    }
    bool left = something_waits(w);
    pthread_mutex_lock(&d->lock);
    w->left = left;
    w->finished = true;
    pthread_cond_broadcast(&d->change);
    pthread_mutex_unlock(&d->lock);
    return NULL;
}

/* ---- beginning and end ----------------------------------------------------------------------- */

struct deliver *deliver_start(struct outbox *ob, const uint8_t identity[SINK_IDENTITY_BYTES], struct sink *const *sink,
                              uint32_t n, struct route_table *rt)
{
    struct deliver *d = mem_calloc(1, sizeof *d);
    sigset_t all, before;

    d->ob = ob;
    memcpy(d->identity, identity, sizeof d->identity);
    d->rt = rt ? route_table_ref(rt) : NULL;
    d->n = n;
    d->worker = mem_calloc(n > 0 ? n : 1, sizeof *d->worker);
    pthread_mutex_init(&d->lock, NULL);
    cond_init(&d->change);
    sigfillset(&all); /* signals are for the main thread; SIGPIPE is for nobody */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    for (uint32_t i = 0; i < n; i++) {
        struct worker *w = &d->worker[i];
        *w = (struct worker){.d = d, .sink = sink[i], .number = i, .finished = !sink[i]};
        if (!sink[i])
            continue;
        backoff_init(&w->backoff, LEAST_BACKOFF, MOST_BACKOFF, (uint64_t)clock_wall() + i);
        buf_init(&w->position);
        buf_init(&w->text);
        buf_init(&w->why);
        outbox_position(ob, i, &w->position);
        if (pthread_create(&w->thread, NULL, work, w) != 0)
            abort();
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return d;
}

static bool all_finished(const struct deliver *d)
{
    for (uint32_t i = 0; i < d->n; i++)
        if (!d->worker[i].finished)
            return false;
    return true;
}

bool deliver_stop(struct deliver **dp, int64_t within)
{
    struct deliver *d = *dp;
    bool good = true;

    if (!d)
        return true;
    *dp = NULL;
    pthread_mutex_lock(&d->lock);
    d->until = clock_monotonic() + within;
    pthread_cond_broadcast(&d->change);
    pthread_mutex_unlock(&d->lock);
    outbox_wake(d->ob);
    pthread_mutex_lock(&d->lock);
    while (!all_finished(d) && cond_wait_until(&d->change, &d->lock, d->until))
        continue;
    pthread_mutex_unlock(&d->lock);
    for (uint32_t i = 0; i < d->n; i++) {
        struct worker *w = &d->worker[i];
        if (!w->sink)
            continue;
        sink_interrupt(w->sink);
        pthread_join(w->thread, NULL);
        good &= !w->left;
        buf_fini(&w->position);
        buf_fini(&w->text);
        buf_fini(&w->why);
        mem_free(w->durable);
    }
    route_table_unref(&d->rt);
    pthread_mutex_destroy(&d->lock);
    pthread_cond_destroy(&d->change);
    mem_free(d->worker);
    mem_free(d);
    return good;
}

bool deliver_over(struct deliver *d, struct buf *why)
{
    bool over = false;

    pthread_mutex_lock(&d->lock);
    for (uint32_t i = 0; !over && i < d->n; i++) {
        struct worker *w = &d->worker[i];
        over = w->over;
        if (over)
            buf_printf(why, "sink %s: %s", w->sink->name, w->stats.last_error);
        w->over = false;
    }
    pthread_mutex_unlock(&d->lock);
    return over;
}

void deliver_stats(struct deliver *d, uint32_t sink, struct deliver_stats *stats_out)
{
    struct worker *w = &d->worker[sink];

    pthread_mutex_lock(&d->lock);
    *stats_out = w->stats;
    stats_out->waits = w->oldest != 0 ? clock_monotonic() - w->oldest : 0;
    pthread_mutex_unlock(&d->lock);
}
