// SPDX-License-Identifier: Apache-2.0
#include "daemon/api_streams.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/cond.h"
#include "base/log.h"
#include "base/mem.h"
#include "flow/alert_filter.h"
#include "flow/alert_query.h"
#include "http/ops.h"
#include "state/alert_log.h"

#define SECOND INT64_C(1000000000)
enum { FILL_BYTES = 32 << 10 };             /* a client is given so much at once, and one alert more */
enum { READ_MOST = 2000, READ_BYTES = 4 << 20 }; /* of one reading */

struct stream {
    struct api_streams *all;
    struct alert_filter *filter;
    struct stream *behind;
    /* the thread's */
    uint64_t next;     /* the next number to be looked at */
    uint64_t told;     /* the last id that was sent */
    struct buf out;    /* to be put */
    int64_t since;     /* monotonic: of the last put */
    bool served;       /* in this round */
    /* by the lock */
    struct http_stream *http; /* NULL: it has gone */
    bool room;
    size_t pending;           /* bytes that were put since it had room */
};

struct api_streams {
    struct alert_log *log;
    struct store *store;
    size_t most;
    int64_t heartbeat;
    pthread_t thread;
    /* the thread's */
    struct stream *stream; /* owned list; while the thread runs it alone takes out */
    struct buf frame, scratch;
    size_t filled;         /* bytes that clients are given in this round, with those that they have */
    bool spent;            /* that was all there may be: some wait until others have room */

    pthread_mutex_t lock;  /* all below */
    pthread_cond_t come;
    struct stream *fresh;  /* owned list: not yet the thread's */
    size_t n;              /* that have not gone */
    size_t pending;        /* of all */
    bool woken, stopping;
};

static void wake(struct api_streams *all)
{
    all->woken = true;
    pthread_cond_signal(&all->come);
}

/* ---- who tells the thread --------------------------------------------------------------------- */

/* On the checkpoint thread. */
static void alerts_came(void *ctx)
{
    struct api_streams *all = ctx;

    pthread_mutex_lock(&all->lock);
    wake(all);
    pthread_mutex_unlock(&all->lock);
}

static void has_room(void *ctx)
{
    struct stream *s = ctx;

    struct api_streams *all = s->all;

    pthread_mutex_lock(&all->lock);
    s->room = true;
    all->pending -= s->pending;
    s->pending = 0;
    wake(all);
    pthread_mutex_unlock(&all->lock);
}

static void has_gone(void *ctx)
{
    struct stream *s = ctx;
    struct api_streams *all = s->all;

    pthread_mutex_lock(&all->lock);
    s->http = NULL;
    all->n--;
    all->pending -= s->pending;
    s->pending = 0;
    wake(all);
    pthread_mutex_unlock(&all->lock);
}

/* ---- what is sent ---------------------------------------------------------------------------- */

static void add_gap(struct buf *out, uint64_t from, uint64_t to)
{
    buf_printf(out, "id: %" PRIu64 "\nevent: gap\ndata: {\"lost\":%" PRIu64 ",\"first\":%" PRIu64 "}\n\n",
               to - 1, to - from, to);
}

static void skip_to(struct stream *s, uint64_t number)
{
    if (s->next >= number)
        return;
    add_gap(&s->out, s->next, number);
    s->next = number;
    s->told = number - 1;
}

/* Blanks between JSON's tokens, as they came with an event, may be ends of lines. */
static void make_frame(struct api_streams *all, const struct alert_record *record)
{
    buf_clear(&all->frame);
    buf_printf(&all->frame, "id: %" PRIu64 "\nevent: alert\ndata: ", record->number);
    size_t begin = all->frame.len;
    alert_query_render(&all->frame, record, &all->scratch);
    for (size_t i = begin; i < all->frame.len; i++)
        if (all->frame.data[i] == '\r' || all->frame.data[i] == '\n')
            all->frame.data[i] = ' ';
    buf_adds(&all->frame, "\n\n");
}

/* Called with the lock. */
static void put_locked(struct stream *s)
{
    s->room = false;
    s->pending += s->out.len;
    s->all->pending += s->out.len;
    http_stream_put(s->http, &s->out);
}

static void put(struct stream *s, int64_t now)
{
    struct api_streams *all = s->all;

    pthread_mutex_lock(&all->lock);
    if (s->http)
        put_locked(s);
    pthread_mutex_unlock(&all->lock);
    buf_fini(&s->out);
    s->since = now;
}

static void beat(struct stream *s, int64_t now)
{
    if (now - s->since < s->all->heartbeat)
        return;
    buf_adds(&s->out, ":\n");
    if (s->told + 1 != s->next) {
        s->told = s->next - 1;
        buf_printf(&s->out, "id: %" PRIu64 "\n", s->told);
    }
    buf_addc(&s->out, '\n');
    put(s, now);
}

/* ---- reading --------------------------------------------------------------------------------- */

struct reading {
    struct api_streams *all;
    struct stream **group; /* [n] */
    size_t n;
    uint64_t end;
    size_t looked, bytes;
};

/* Beyond what all clients may be given together only one that is alone gets something: alerts may be long. */
static bool is_spent(struct api_streams *all)
{
    all->spent |= all->filled > 0 && all->filled >= all->most * 2 * FILL_BYTES;
    return all->spent;
}

static bool is_full(const struct stream *s)
{
    return s->out.len >= FILL_BYTES || is_spent(s->all);
}

/* record NULL: it is damaged. */
static void offer(struct stream *s, uint64_t number, const struct alert_record *record, bool *made)
{
    skip_to(s, number);
    s->next = number + 1;
    if (!record) {
        add_gap(&s->out, number, number + 1);
        s->told = number;
        return;
    }
    if (!alert_filter_fits(s->filter, record))
        return;
    if (!*made)
        make_frame(s->all, record);
    *made = true;
    buf_add(&s->out, s->all->frame.data, s->all->frame.len);
    s->all->filled += s->all->frame.len;
    s->told = number;
}

static bool found(void *ctx, uint64_t number, const struct alert_record *record)
{
    struct reading *r = ctx;
    bool made = false, more = false;

    if (number >= r->end)
        return false;
    for (size_t i = 0; i < r->n; i++) {
        struct stream *s = r->group[i];
        if (s->next <= number && !is_full(s))
            offer(s, number, record, &made);
        more |= !is_full(s);
    }
    r->bytes += record ? record->len : 0;
    return more && ++r->looked < READ_MOST && r->bytes < READ_BYTES;
}

/* Those that stand where `first` stands, or a bit further. */
static size_t gather(struct stream **waiting, size_t n, struct stream *first, struct stream **group)
{
    size_t n_group = 0;

    for (size_t i = 0; i < n; i++) {
        struct stream *s = waiting[i];
        if (s->served || s->next < first->next || s->next - first->next >= READ_MOST)
            continue;
        s->served = true;
        group[n_group++] = s;
    }
    return n_group;
}

/* Once for each that has room and is behind. False: the database cannot be read now. */
static bool serve(struct api_streams *all, struct stream **waiting, size_t n, uint64_t end)
{
    struct stream **group = mem_calloc(n + 1, sizeof(struct stream *));
    struct buf why;
    bool good = true;

    buf_init(&why);
    for (size_t i = 0; i < n && good; i++) {
        if (waiting[i]->served)
            continue;
        struct reading r = {.all = all, .group = group, .end = end};
        r.n = gather(waiting, n, waiting[i], group);
        good = alert_log_read(all->store, waiting[i]->next, false, found, &r, &why) == STORE_OK;
    }
    if (!good)
        log_line(LOG_WARNING, LOG_http, "alerts cannot be read for those who watch", "why=\"%s\"",
                 why.len ? why.data : "");
    buf_fini(&why);
    mem_free(group);
    return good;
}

/* ---- the thread ------------------------------------------------------------------------------ */

static void stream_free(struct stream *s)
{
    alert_filter_free(&s->filter);
    buf_fini(&s->out);
    mem_free(s);
}

/* New ones in, those that have gone out. Called with the lock. Returns how many there are. */
static size_t settle_list(struct api_streams *all)
{
    struct stream **at = &all->stream;
    size_t n = 0;

    while (*at) {
        struct stream *s = *at;
        if (s->http) {
            at = &s->behind;
            n++;
            continue;
        }
        *at = s->behind;
        stream_free(s);
    }
    *at = all->fresh;
    for (struct stream *s = all->fresh; s; s = s->behind)
        n++;
    all->fresh = NULL;
    return n;
}

/* Others come first next time. */
static void take_turns(struct api_streams *all)
{
    struct stream *first = all->stream, **at = &all->stream;

    if (!first || !first->behind)
        return;
    *at = first->behind;
    while (*at)
        at = &(*at)->behind;
    *at = first;
    first->behind = NULL;
}

/* Those that have room. Called with the lock. */
static size_t list_waiting(struct api_streams *all, struct stream **waiting)
{
    size_t n = 0;

    for (struct stream *s = all->stream; s; s = s->behind)
        if (s->http && s->room)
            waiting[n++] = s;
    return n;
}

/* waiting[0..n) have room. True: some are behind still, and can go on at once. */
static bool round_of(struct api_streams *all, struct stream **waiting, size_t n, bool *failed_out)
{
    struct alert_log_range range = alert_log_range(all->log);
    int64_t now = clock_monotonic();
    size_t behind = 0;
    bool more = false;

    for (size_t i = 0; i < n; i++) {
        struct stream *s = waiting[i];
        skip_to(s, range.first);
        s->served = s->next >= range.end;
        behind += !s->served;
    }
    *failed_out = behind > 0 && !serve(all, waiting, n, range.end);
    for (size_t i = 0; i < n; i++) {
        struct stream *s = waiting[i];
        if (s->out.len > 0)
            put(s, now);
        else if (s->next < range.end)
            more = true;
        else
            beat(s, now);
    }
    return more && !*failed_out && !all->spent;
}

/* Called with the lock. */
static void rest(struct api_streams *all, int64_t ns, bool until_woken)
{
    int64_t until = ns < 0 ? INT64_MAX : clock_monotonic() + ns;

    while (!all->stopping && !(until_woken && all->woken) && cond_wait_until(&all->come, &all->lock, until))
        continue;
    all->woken = false;
}

static void *run(void *ctx)
{
    struct api_streams *all = ctx;
    int64_t tick = all->heartbeat / 4 < SECOND ? all->heartbeat / 4 : SECOND;
    struct stream **waiting = NULL;
    size_t cap = 0;
    bool more = false, failed = false;

    pthread_mutex_lock(&all->lock);
    while (!all->stopping) {
        size_t n = settle_list(all);
        if (!more)
            rest(all, failed ? SECOND : n > 0 ? tick : -1, !failed);
        n = settle_list(all);
        waiting = vec_reserve(waiting, &cap, n + 1, sizeof(struct stream *));
        n = list_waiting(all, waiting);
        if (all->spent)
            take_turns(all);
        all->filled = all->pending;
        all->spent = false;
        pthread_mutex_unlock(&all->lock);
        more = round_of(all, waiting, n, &failed);
        pthread_mutex_lock(&all->lock);
    }
    pthread_mutex_unlock(&all->lock);
    mem_free(waiting);
    return NULL;
}

/* ---- lifetime -------------------------------------------------------------------------------- */

struct api_streams *api_streams_new(struct alert_log *log, struct store *st, size_t most,
                                    int64_t heartbeat)
{
    struct api_streams *all = mem_calloc(1, sizeof *all);

    *all = (struct api_streams){.log = log, .store = st, .most = most, .heartbeat = heartbeat};
    buf_init(&all->frame);
    buf_init(&all->scratch);
    pthread_mutex_init(&all->lock, NULL);
    cond_init(&all->come);
    if (pthread_create(&all->thread, NULL, run, all) != 0)
        abort();
    pthread_setname_np(all->thread, "streams");
    alert_log_listen(log, alerts_came, all);
    return all;
}

/* What it is told first: the number that it begins behind. */
static void greet(struct stream *s, const uint64_t *after, struct alert_log_range range)
{
    buf_adds(&s->out, "retry: 1000\n");
    s->next = !after ? range.end : *after < range.end ? *after + 1 : range.first;
    s->told = s->next - 1;
    buf_printf(&s->out, "id: %" PRIu64 "\n", s->told);
    if (after && *after >= range.end) /* of another state directory */
        buf_printf(&s->out, "event: gap\ndata: {\"lost\":null,\"first\":%" PRIu64 "}\n", range.first);
    buf_addc(&s->out, '\n');
}

bool api_streams_add(struct api_streams *all, struct http_request *rq, struct alert_filter *filter,
                     const uint64_t *after)
{
    static const struct http_stream_ops ops = {has_room, has_gone};
    struct alert_log_range range = alert_log_range(all->log);
    struct stream *s;

    pthread_mutex_lock(&all->lock);
    bool good = !all->stopping && all->n < all->most;
    if (good) {
        s = mem_calloc(1, sizeof *s);
        *s = (struct stream){.all = all, .filter = filter, .behind = all->fresh,
                             .since = clock_monotonic()};
        all->fresh = s;
        all->n++;
        greet(s, after, range);
        s->http = http_answer_stream(rq, "text/event-stream", &ops, s);
        put_locked(s);
        wake(all);
    }
    pthread_mutex_unlock(&all->lock);
    if (!good)
        alert_filter_free(&filter);
    return good;
}

void api_streams_end(struct api_streams *all)
{
    if (!all)
        return;
    alert_log_listen(all->log, NULL, NULL);
    pthread_mutex_lock(&all->lock);
    all->stopping = true;
    wake(all);
    pthread_mutex_unlock(&all->lock);
    pthread_join(all->thread, NULL);
    pthread_mutex_lock(&all->lock);
    settle_list(all);
    for (struct stream *s = all->stream; s; s = s->behind)
        if (s->http)
            http_stream_end(s->http);
    pthread_mutex_unlock(&all->lock);
}

void api_streams_free(struct api_streams **allp)
{
    struct api_streams *all = *allp;

    if (!all)
        return;
    *allp = NULL;
    for (struct stream *s = all->stream, *next; s; s = next) {
        next = s->behind;
        stream_free(s);
    }
    pthread_mutex_destroy(&all->lock);
    pthread_cond_destroy(&all->come);
    buf_fini(&all->frame);
    buf_fini(&all->scratch);
    mem_free(all);
}
