// SPDX-License-Identifier: Apache-2.0
/* courier - the thread, and what others ask of it. The endpoints: courier_endpoint.c. */
#include "flow/courier.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "flow/courier_priv.h"
#include "flow/courier_saved.h"
#include "flow/route.h"

enum { ANSWERS = 256 }; /* taken at once, before endpoints have their turn */
#define LOOK_AGAIN INT64_C(1000000000) /* ns: an outbox that could not be read tells nobody when it can */

static struct moment moment(void)
{
    return (struct moment){.mono = clock_monotonic(), .wall = clock_wall()};
}

/* ---- from and to other threads -------------------------------------------------------------- */

static void wake(struct courier *c)
{
    if (!atomic_exchange(&c->awake, true))
        web_wake(c->web);
}

/* On the checkpoint's thread. */
static void come(void *ctx)
{
    struct endpoint *e = ctx;

    atomic_store(&e->come, true);
    wake(e->c);
}

static void renew(struct courier *c, struct renewal *renewal, struct moment now)
{
    struct endpoint *e = renewal->e;

    renewal->was_disabled = e->state == ENDPOINT_DISABLED;
    renewal->good = !renewal->web || web_endpoint_renew(e->web, renewal->web, renewal->why);
    if (!renewal->web) {
        if (endpoint_enable(e))
            atomic_store(&e->come, true);
    } else if (renewal->good) {
        courier_url_digest(renewal->web->url, e->url);
        endpoint_recall(e);
        endpoint_hurry(e, now);
        atomic_store(&e->come, true);
    }
    renewal->done = true;
    c->renewal = NULL;
    pthread_cond_broadcast(&c->change);
}

/* What others asked. Returns the end of all trying: INT64_MAX while not stopping. */
static int64_t take_orders(struct courier *c, struct moment now)
{
    pthread_mutex_lock(&c->lock);
    if (c->renewal)
        renew(c, c->renewal, now);
    for (size_t i = 0; c->flush && i < c->n; i++)
        endpoint_close_all(&c->endpoint[i]);
    c->flush = false;
    int64_t until = c->until ? c->until : INT64_MAX;
    pthread_mutex_unlock(&c->lock);
    if (until == INT64_MAX || c->stopping)
        return until;
    c->stopping = true;
    for (size_t i = 0; i < c->n; i++)
        endpoint_stop(&c->endpoint[i], now);
    return until;
}

static int64_t oldest_of(const struct parcel_list *list, int64_t oldest)
{
    for (const struct parcel *p = list->first; p; p = p->next)
        if (oldest == 0 || p->held[0].at < oldest)
            oldest = p->held[0].at;
    return oldest;
}

/* The figures, for others to see. */
static void publish(struct courier *c)
{
    for (size_t i = 0; i < c->n; i++) {
        struct endpoint *e = &c->endpoint[i];
        if (!e->changed)
            continue;
        e->changed = false;
        e->stats.in_flight = e->n_in_flight;
        e->stats.held = (uint32_t)e->held;
        e->stats.oldest = e->batch ? e->batch->held[0].at : 0;
        e->stats.oldest = oldest_of(&e->groups, e->stats.oldest);
        e->stats.oldest = oldest_of(&e->ready, e->stats.oldest);
        e->stats.oldest = oldest_of(&e->window, e->stats.oldest);
        pthread_mutex_lock(&c->lock);
        e->seen = e->stats;
        pthread_mutex_unlock(&c->lock);
    }
}

/* ---- the thread ------------------------------------------------------------------------------ */

/* Answers that there are; waits for the first one until then. */
static void take_answers(struct courier *c, int64_t until)
{
    struct web_answer answer;
    int64_t wait = until - clock_monotonic();

    wait = wait > 0 ? wait : 0;
    for (unsigned n = 0; n < ANSWERS && web_wait(c->web, wait, &answer); n++) {
        struct parcel *p = answer.ctx;
        endpoint_answer(p->e, &answer, moment());
        wait = 0;
    }
}

static bool all_over(const struct courier *c)
{
    for (size_t i = 0; i < c->n; i++)
        if (!endpoint_is_over(&c->endpoint[i]))
            return false;
    return true;
}

static void *work(void *ctx)
{
    struct courier *c = ctx;
    int64_t looked = clock_monotonic();

    for (;;) {
        struct moment now = moment();
        int64_t due = now.mono + LOOK_AGAIN;
        bool look = now.mono - looked >= LOOK_AGAIN;
        atomic_store(&c->awake, false);
        int64_t until = take_orders(c, now);
        for (size_t i = 0; i < c->n; i++) {
            struct endpoint *e = &c->endpoint[i];
            if (look)
                atomic_store(&e->come, true);
            int64_t then = endpoint_step(e, now) ? now.mono : endpoint_due(e, now);
            due = then < due ? then : due;
        }
        looked = look ? now.mono : looked;
        publish(c);
        if (now.mono >= until || (c->stopping && all_over(c)))
            break;
        take_answers(c, due < until ? due : until);
    }
    pthread_mutex_lock(&c->lock);
    c->ended = true;
    if (c->renewal) {
        buf_adds(c->renewal->why, "the daemon is stopping");
        c->renewal->done = true;
        c->renewal = NULL;
    }
    pthread_cond_broadcast(&c->change);
    pthread_mutex_unlock(&c->lock);
    return NULL;
}

/* ---- beginning and end ----------------------------------------------------------------------- */

static void courier_free(struct courier *c)
{
    web_free(&c->web); /* and its endpoints: nothing is under way any more */
    for (size_t i = 0; i < c->n; i++)
        endpoint_fini(&c->endpoint[i]);
    if (c->rt)
        route_table_unref(&c->rt);
    pthread_mutex_destroy(&c->lock);
    pthread_cond_destroy(&c->change);
    mem_free(c->endpoint);
    mem_free(c);
}

static void start_thread(struct courier *c)
{
    sigset_t all, before;

    for (size_t i = 0; i < c->n; i++) {
        outbox_rewind(c->ob, c->endpoint[i].sink); /* what another courier had taken and not delivered */
        endpoint_recall(&c->endpoint[i]);
        outbox_listen(c->ob, c->endpoint[i].sink, come, &c->endpoint[i]);
    }
    sigfillset(&all); /* signals are for the main thread; SIGPIPE is for nobody */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    if (pthread_create(&c->thread, NULL, work, c) != 0)
        abort();
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_setname_np(c->thread, "courier");
}

struct courier *courier_start(struct outbox *ob, const struct courier_endpoint *ep, size_t n,
                              struct route_table *rt, struct buf *why)
{
    struct courier *c = mem_calloc(1, sizeof *c);
    bool good = true;

    c->ob = ob;
    c->web = web_new();
    c->rt = rt ? route_table_ref(rt) : NULL;
    c->endpoint = mem_calloc(n + 1, sizeof *c->endpoint);
    c->n = n;
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->change, NULL);
    for (size_t i = 0; i < n; i++)
        good &= endpoint_init(&c->endpoint[i], c, &ep[i], why);
    if (good) {
        start_thread(c);
        return c;
    }
    courier_free(c);
    return NULL;
}

bool courier_stop(struct courier **cp, int64_t within)
{
    struct courier *c = *cp;
    bool left = false;

    if (!c)
        return true;
    *cp = NULL;
    pthread_mutex_lock(&c->lock);
    c->until = clock_monotonic() + within;
    pthread_mutex_unlock(&c->lock);
    wake(c);
    pthread_join(c->thread, NULL);
    for (size_t i = 0; i < c->n; i++) {
        struct outbox_stats stats;
        outbox_listen(c->ob, c->endpoint[i].sink, NULL, NULL);
        outbox_stats(c->ob, c->endpoint[i].sink, &stats);
        left |= stats.waiting > 0;
    }
    courier_free(c);
    return !left;
}

/* ---- while it runs --------------------------------------------------------------------------- */

static struct endpoint *endpoint_of(struct courier *c, uint32_t sink)
{
    for (size_t i = 0; i < c->n; i++)
        if (c->endpoint[i].sink == sink)
            return &c->endpoint[i];
    return NULL;
}

/* Waits until the thread has done it. */
static void have_done(struct courier *c, struct renewal *renewal)
{
    pthread_mutex_lock(&c->lock);
    while (c->renewal && !c->ended)
        pthread_cond_wait(&c->change, &c->lock);
    if (c->ended) {
        buf_adds(renewal->why, "the daemon is stopping");
        renewal->done = true;
    } else {
        c->renewal = renewal;
        wake(c);
    }
    while (!renewal->done)
        pthread_cond_wait(&c->change, &c->lock);
    pthread_mutex_unlock(&c->lock);
}

bool courier_renew(struct courier *c, uint32_t sink, const struct web_endpoint_options *web,
                   struct buf *why)
{
    struct renewal renewal = {.e = endpoint_of(c, sink), .web = web, .why = why};

    have_done(c, &renewal);
    return renewal.good;
}

bool courier_enable(struct courier *c, uint32_t sink, bool *was_out, struct buf *why)
{
    struct renewal renewal = {.e = endpoint_of(c, sink), .why = why};

    have_done(c, &renewal);
    *was_out = renewal.was_disabled;
    return renewal.good;
}

void courier_flush(struct courier *c)
{
    pthread_mutex_lock(&c->lock);
    c->flush = true;
    pthread_mutex_unlock(&c->lock);
    wake(c);
}

void courier_stats(struct courier *c, uint32_t sink, struct courier_stats *stats_out)
{
    const struct endpoint *e = endpoint_of(c, sink);

    pthread_mutex_lock(&c->lock);
    *stats_out = e ? e->seen : (struct courier_stats){0};
    pthread_mutex_unlock(&c->lock);
}
