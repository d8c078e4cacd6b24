// SPDX-License-Identifier: Apache-2.0
/*
 * web - endpoints, the queue before each, and the loop. An endpoint has a lane; web_endpoint_renew, or
 * connections that may be dead, give it another one, and the old one stays until nothing of it is
 * under way.
 */
#include "io/web.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/mem.h"
#include "io/web_answer.h"
#include "io/web_lane.h"
#include "io/web_settings.h"

#define SECOND INT64_C(1000000000)
#define MS     INT64_C(1000000)
#define WAKE   UINT64_MAX
enum { EVENTS = 64 };

struct answer { /* waits to be taken */
    struct answer *next;
    struct web_answer said;
};

struct place { /* of a lane; its index is the lane's number */
    struct web_lane *lane; /* NULL: free */
    struct web_endpoint *ep;
};

struct web {
    int epoll, wake;
    bool woken;
    struct place *place;
    size_t n_places, cap;
    struct web_endpoint *endpoints;
    struct answer *first, **last;
};

struct web_endpoint {
    struct web *w;
    struct web_endpoint *prev, *next;
    uint32_t lane; /* the place of that which takes new requests */
    struct web_transfer *first, **last; /* waiting for a place */
    struct web_stats stats;
};

/* ---- lanes ----------------------------------------------------------------------------------- */

static uint32_t lane_new(struct web_endpoint *ep, struct web_settings *settings)
{
    struct web *w = ep->w;
    size_t i = 0;

    while (i < w->n_places && w->place[i].lane)
        i++;
    if (i == w->n_places) {
        w->place = vec_reserve(w->place, &w->cap, i + 1, sizeof *w->place);
        w->n_places++;
    }
    w->place[i] = (struct place){.lane = web_lane_new(w->epoll, (uint32_t)i, settings), .ep = ep};
    return (uint32_t)i;
}

static void transfer_free(struct web_transfer *t)
{
    mem_free(t->id);
    mem_free(t->content_type);
    mem_free(t->body);
    mem_free(t);
}

static void drop(void *ctx, struct web_transfer *t)
{
    struct web_endpoint *ep = ctx;

    ep->stats.under_way--;
    transfer_free(t);
}

/* It takes no new requests any more. */
static void lane_end(struct web *w, size_t i)
{
    struct place *place = &w->place[i];

    if (i != place->ep->lane && web_lane_under_way(place->lane) == 0)
        web_lane_free(&place->lane, drop, place->ep);
}

static void fill(struct web_endpoint *ep)
{
    struct web_lane *lane = ep->w->place[ep->lane].lane;
    struct web_transfer *t;

    if (web_lane_is_stale(lane)) {
        uint32_t old = ep->lane;
        ep->lane = lane_new(ep, web_settings_ref(web_lane_settings(lane)));
        lane = ep->w->place[ep->lane].lane;
        lane_end(ep->w, old);
    }
    while ((t = ep->first) && web_lane_has_place(lane)) {
        ep->first = t->next;
        if (!ep->first)
            ep->last = &ep->first;
        ep->stats.waiting--;
        ep->stats.under_way++;
        web_lane_start(lane, t);
    }
}

static void answer_add(struct web_endpoint *ep, const struct web_lane *lane,
                       const struct web_transfer *t, const struct web_reply *reply)
{
    struct web *w = ep->w;
    const struct web_settings *s = web_lane_settings(lane);
    struct answer *a = mem_calloc(1, sizeof *a);

    a->said.ep = ep;
    a->said.ctx = t->ctx;
    web_answer_fill(&a->said, reply, clock_wall() / SECOND, s->hidden, s->n_hidden);
    ep->stats.answered++;
    ep->stats.under_way--;
    ep->stats.connections += (uint64_t)reply->connections;
    ep->stats.http2 += reply->http2;
    *w->last = a;
    w->last = &a->next;
}

/* After something happened in it: what has ended, and what can begin. */
static void lane_settle(struct web *w, size_t i)
{
    struct place *place = &w->place[i];
    const struct web_reply *reply;
    struct web_transfer *t;

    while ((t = web_lane_next_done(place->lane, &reply))) {
        answer_add(place->ep, place->lane, t, reply);
        transfer_free(t);
    }
    if (i == place->ep->lane)
        fill(place->ep);
    else
        lane_end(w, i);
}

/* ---- endpoints ------------------------------------------------------------------------------- */

static struct web_settings *settings_of(const struct web_endpoint_options *opt, struct buf *why)
{
    struct buf reason;

    buf_init(&reason);
    struct web_settings *settings = web_settings_new(opt, &reason);
    if (!settings)
        buf_printf(why, "%s%s: %s", why->len > 0 ? "; " : "", opt->name, reason.data);
    buf_fini(&reason);
    return settings;
}

struct web_endpoint *web_endpoint_new(struct web *w, const struct web_endpoint_options *opt,
                                      struct buf *why)
{
    struct web_settings *settings = settings_of(opt, why);
    struct web_endpoint *ep;

    if (!settings)
        return NULL;
    ep = mem_calloc(1, sizeof *ep);
    ep->w = w;
    ep->last = &ep->first;
    ep->next = w->endpoints;
    if (ep->next)
        ep->next->prev = ep;
    w->endpoints = ep;
    ep->lane = lane_new(ep, settings);
    return ep;
}

bool web_endpoint_renew(struct web_endpoint *ep, const struct web_endpoint_options *opt,
                        struct buf *why)
{
    struct web_settings *settings = settings_of(opt, why);
    uint32_t old = ep->lane;

    if (!settings)
        return false;
    ep->lane = lane_new(ep, settings);
    lane_end(ep->w, old);
    fill(ep);
    return true;
}

static void answers_drop(struct web *w, const struct web_endpoint *ep)
{
    struct answer **at = &w->first;

    while (*at) {
        struct answer *a = *at;
        if (a->said.ep != ep) {
            at = &a->next;
            continue;
        }
        *at = a->next;
        mem_free(a);
    }
    w->last = at;
}

void web_endpoint_free(struct web_endpoint **epp)
{
    struct web_endpoint *ep = *epp;
    struct web_transfer *t;

    if (!ep)
        return;
    *epp = NULL;
    struct web *w = ep->w;
    for (size_t i = 0; i < w->n_places; i++)
        if (w->place[i].ep == ep)
            web_lane_free(&w->place[i].lane, drop, ep);
    while ((t = ep->first)) {
        ep->first = t->next;
        transfer_free(t);
    }
    answers_drop(w, ep);
    *(ep->prev ? &ep->prev->next : &w->endpoints) = ep->next;
    if (ep->next)
        ep->next->prev = ep->prev;
    mem_free(ep);
}

void web_endpoint_stats(const struct web_endpoint *ep, struct web_stats *stats_out)
{
    *stats_out = ep->stats;
}

/* ---- requests -------------------------------------------------------------------------------- */

/* What stands in a header line, owned: it cannot end the line. */
static char *header_text(const char *text)
{
    char *copy = mem_strndup(text, strlen(text));

    for (char *p = copy; *p != '\0'; p++)
        if ((unsigned char)*p < 0x20 || *p == 0x7f)
            *p = '?';
    return copy;
}

void web_post(struct web_endpoint *ep, const struct web_request *request)
{
    struct web_transfer *t = mem_calloc(1, sizeof *t);

    t->ctx = request->ctx;
    t->id = header_text(request->id);
    t->content_type = header_text(request->content_type);
    t->body = mem_strndup(request->body, request->len);
    t->len = request->len;
    *ep->last = t;
    ep->last = &t->next;
    ep->stats.posted++;
    ep->stats.waiting++;
    fill(ep);
}

static bool answer_take(struct web *w, struct web_answer *answer_out)
{
    struct answer *a = w->first;

    if (!a)
        return false;
    w->first = a->next;
    if (!w->first)
        w->last = &w->first;
    *answer_out = a->said;
    mem_free(a);
    return true;
}

/* ---- the loop -------------------------------------------------------------------------------- */

struct web *web_new(void)
{
    struct web *w = mem_calloc(1, sizeof *w);
    struct epoll_event event = {.events = EPOLLIN, .data.u64 = WAKE};

    w->last = &w->first;
    w->epoll = epoll_create1(EPOLL_CLOEXEC);
    w->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (w->epoll < 0 || w->wake < 0 || epoll_ctl(w->epoll, EPOLL_CTL_ADD, w->wake, &event) != 0)
        abort();
    return w;
}

void web_free(struct web **wp)
{
    struct web *w = *wp;

    if (!w)
        return;
    *wp = NULL;
    while (w->endpoints) {
        struct web_endpoint *ep = w->endpoints;
        web_endpoint_free(&ep);
    }
    close(w->wake);
    close(w->epoll);
    mem_free(w->place);
    mem_free(w);
}

void web_wake(struct web *w)
{
    uint64_t one = 1;

    while (write(w->wake, &one, sizeof one) < 0 && errno == EINTR)
        continue; /* EAGAIN: it is awake */
}

/* ms until the next thing to do, at most until `until`; rounded up, so that it is due then. */
static int wait_ms(const struct web *w, int64_t now, int64_t until)
{
    for (size_t i = 0; i < w->n_places; i++) {
        int64_t due = w->place[i].lane ? web_lane_deadline(w->place[i].lane) : INT64_MAX;
        if (due < until)
            until = due;
    }
    if (until <= now)
        return 0;
    if (until - now > 3600 * SECOND)
        return until == INT64_MAX ? -1 : 3600 * 1000;
    return (int)((until - now + MS - 1) / MS);
}

static void tick(struct web *w, int64_t now)
{
    for (size_t i = 0; i < w->n_places; i++) {
        if (!w->place[i].lane || web_lane_deadline(w->place[i].lane) > now)
            continue;
        web_lane_tick(w->place[i].lane, now);
        lane_settle(w, i);
    }
}

static void step(struct web *w, int64_t until)
{
    struct epoll_event event[EVENTS];
    int n = epoll_wait(w->epoll, event, EVENTS, wait_ms(w, clock_monotonic(), until));

    for (int i = 0; i < n; i++) {
        uint64_t count, of = event[i].data.u64;
        if (of == WAKE) {
            w->woken = true;
            (void)!read(w->wake, &count, sizeof count);
            continue;
        }
        size_t at = of >> 32;
        if (w->place[at].lane) {
            web_lane_socket(w->place[at].lane, (int)(of & UINT32_MAX), event[i].events);
            lane_settle(w, at);
        }
    }
    tick(w, clock_monotonic());
}

bool web_wait(struct web *w, int64_t timeout, struct web_answer *answer_out)
{
    int64_t now = clock_monotonic();
    int64_t until = timeout < 0 || timeout > INT64_MAX - now ? INT64_MAX : now + timeout;
    bool over = false;

    while (!answer_take(w, answer_out)) {
        if (w->woken || over) {
            w->woken = false;
            return false;
        }
        step(w, until);
        over = clock_monotonic() >= until;
    }
    return true;
}
