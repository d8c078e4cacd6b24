// SPDX-License-Identifier: Apache-2.0
/* courier_endpoint - the window of an endpoint: sending, answers, failures. Read first: courier_priv.h. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/failpoint.h"
#include "base/mem.h"
#include "flow/courier_priv.h"
#include "flow/courier_saved.h"
#include "io/body.h"

enum { REJECT_SLICE = 512 }; /* messages that a disabled endpoint rejects before the next has its turn */

static const char gone[] = "the endpoint has answered 410 Gone and is disabled";

/* ---- making one ------------------------------------------------------------------------------ */

bool endpoint_init(struct endpoint *e, struct courier *c,
                          const struct courier_endpoint *from, struct buf *why)
{
    *e = (struct endpoint){
        .c = c,
        .sink = from->sink,
        .name = mem_strndup(from->name, strlen(from->name)),
        .body = from->body,
        .window_size = from->in_flight > 0 ? from->in_flight : 1,
        .batch_count = from->batch_count > 0 ? from->batch_count : 1,
        .batch_wait = from->batch_wait,
        .max_age = from->max_age,
        .retry_least = from->retry_least,
        .retry_most = from->retry_most,
        .come = true,
        .spell = 1,
        .changed = true,
    };
    courier_url_digest(from->web.url, e->url);
    e->seed = (uint64_t)clock_wall() + ((uint64_t)from->sink << 32);
    backoff_init(&e->backoff, e->retry_least, e->retry_most, e->seed++);
    e->web = web_endpoint_new(c->web, &from->web, why);
    return e->web != NULL;
}

/* ---- the end of a parcel ---------------------------------------------------------------------- */

/* It is in no list any more. */
static void forget(struct endpoint *e, struct parcel *p)
{
    e->held -= p->n;
    e->held_bytes -= p->bytes;
    e->changed = true;
    parcel_free(&p);
}

static void reject(struct endpoint *e, struct parcel *p, const char *why)
{
    for (size_t i = 0; i < p->n; i++)
        outbox_reject(e->c->ob, e->sink, p->held[i].seq, why);
    e->stats.rejected += p->n;
    forget(e, p);
}

static void reject_told(struct endpoint *e, struct parcel *p, const char *why)
{
    tell_rejected(e, p, why);
    reject(e, p, why);
}

static void reject_list(struct endpoint *e, struct parcel_list *list, const char *why)
{
    struct parcel *next;

    for (struct parcel *p = list->first; p; p = next) {
        next = p->next;
        if (p->in_flight)
            continue; /* its answer decides */
        list_remove(list, p);
        reject(e, p, why);
    }
}

/* One of several may be what is wrong: each half on its own. */
static void halve(struct endpoint *e, struct parcel *p, struct moment now)
{
    list_add_first(&e->ready, parcel_split(p));
    p->due = now.mono;
    p->failed = false;
}

/* ---- how it is with the endpoint ---------------------------------------------------------------- */

static bool something_failed(const struct endpoint *e)
{
    for (const struct parcel *p = e->window.first; p; p = p->next)
        if (p->failed)
            return true;
    return false;
}

/* It does if something came through since the last failure; what only became too old says nothing. */
static void look_whether_it_works(struct endpoint *e)
{
    if (e->stats.failing_since == 0 || e->n_failed > 0 || something_failed(e))
        return;
    e->stats.failing_since = 0;
    e->changed = true;
    tell_works(e);
}

/* Something was taken, or refused by itself: the endpoint is there. */
static void came_through(struct endpoint *e, struct moment now)
{
    e->spell++;
    e->n_failed = 0;
    if (e->state != ENDPOINT_PROBING || now.mono < e->pause_until)
        return;
    e->state = ENDPOINT_OPEN;
    for (struct parcel *p = e->window.first; p; p = p->next)
        if (!p->in_flight && p->due != INT64_MAX)
            p->due = now.mono;
}

static void begin_probing(struct endpoint *e)
{
    if (e->state == ENDPOINT_PROBING)
        return;
    e->state = ENDPOINT_PROBING;
    e->probe = NULL;
    backoff_reset(&e->backoff);
    e->next_probe = 0;
}

static void disable(struct endpoint *e, struct moment now)
{
    struct courier_saved saved = {.disabled_since = now.wall};
    struct buf position;

    e->state = ENDPOINT_DISABLED;
    e->stats.disabled_since = now.wall;
    memcpy(saved.url, e->url, sizeof saved.url);
    buf_init(&position);
    courier_saved_encode(&saved, &position);
    outbox_ack(e->c->ob, e->sink, 0, position.data, position.len);
    buf_fini(&position);
    tell_disabled(e, "a webhook is gone (410): all that is for it goes to the dead letters");
    endpoint_close_all(e);
    reject_list(e, &e->ready, gone);
    reject_list(e, &e->window, gone);
    e->more = true;
}

void endpoint_recall(struct endpoint *e)
{
    struct courier_saved saved;
    struct buf position;

    buf_init(&position);
    outbox_position(e->c->ob, e->sink, &position);
    bool disabled = courier_saved_decode(position.data, position.len, &saved);
    buf_fini(&position);
    e->changed = true;
    if (disabled && memcmp(saved.url, e->url, sizeof saved.url) == 0) {
        e->state = ENDPOINT_DISABLED;
        e->stats.disabled_since = saved.disabled_since;
        tell_disabled(e, "a webhook was gone (410) and stays disabled");
    } else if (disabled) {
        e->state = ENDPOINT_OPEN;
        e->stats.disabled_since = 0;
        outbox_ack(e->c->ob, e->sink, 0, "", 0);
        tell_disabled(e, "a webhook that was gone (410) has another URL: it is enabled again");
    }
}

bool endpoint_enable(struct endpoint *e)
{
    if (e->state != ENDPOINT_DISABLED)
        return false;
    e->state = ENDPOINT_OPEN;
    e->stats.disabled_since = 0;
    e->changed = e->more = true;
    outbox_ack(e->c->ob, e->sink, 0, "", 0);
    tell_disabled(e, "a webhook that was gone (410) is enabled: it is asked again");
    return true;
}

/* ---- sending ------------------------------------------------------------------------------------ */

/* False: no body can be made of it; it is gone, or halved. */
static bool write_parcel(struct endpoint *e, struct parcel *p, struct moment now)
{
    struct buf why, reason;

    buf_init(&why);
    bool good = parcel_write(p, &why);
    if (!good && p->n > 1) {
        halve(e, p, now);
    } else if (!good) {
        buf_init(&reason);
        buf_printf(&reason, "no message can be made of it: %s", why.len ? why.data : "");
        list_remove(&e->window, p);
        reject_told(e, p, reason.data);
        buf_fini(&reason);
    }
    buf_fini(&why);
    return good;
}

static void post(struct endpoint *e, struct parcel *p, struct moment now)
{
    if (!write_parcel(e, p, now))
        return;
    struct web_request request = {.id = p->id,
                                  .content_type = body_content_type(e->body, p->n, p->rule != NULL),
                                  .body = p->body.data, .len = p->body.len, .ctx = p};
    p->in_flight = true;
    p->tries++;
    e->n_in_flight++;
    e->stats.requests++;
    e->stats.retries += p->tries > 1;
    e->changed = true;
    if (e->state == ENDPOINT_PROBING)
        e->probe = p;
    web_post(e->web, &request);
    (void)failpoint_hit(FAILPOINT_courier_posted);
}

/* The oldest, unless another was tried less: a message that alone is the matter must not hide that
 * others would come through. */
static struct parcel *next_probe(const struct endpoint *e)
{
    struct parcel *found = NULL;

    for (struct parcel *p = e->window.first; p; p = p->next)
        if (!p->in_flight && (!found || p->tries < found->tries))
            found = p;
    return found;
}

static void send_due(struct endpoint *e, struct moment now)
{
    struct parcel *next, *probe;

    if (e->given_up || now.mono < e->pause_until)
        return;
    if (e->state == ENDPOINT_PROBING) {
        if (!e->probe && now.mono >= e->next_probe && (probe = next_probe(e)))
            post(e, probe, now);
        return;
    }
    for (struct parcel *p = e->window.first; p; p = next) {
        next = p->next;
        if (!p->in_flight && p->due <= now.mono)
            post(e, p, now);
    }
}

static void let_in(struct endpoint *e, struct moment now)
{
    while (e->ready.first && e->window.n < e->window_size) {
        struct parcel *p = e->ready.first;
        list_remove(&e->ready, p);
        p->due = now.mono;
        list_add(&e->window, p);
    }
}

/* ---- what is too old ---------------------------------------------------------------------------- */

/* Only what fails is too old: after a rest of the daemon each message is tried once at least. */
static bool is_too_old(const struct endpoint *e, const struct parcel *p, struct moment now)
{
    return !p->in_flight && (p->failed || e->state == ENDPOINT_PROBING) &&
           now.wall - p->held[0].at >= e->max_age;
}

static void reject_old(struct endpoint *e, struct parcel *p)
{
    struct buf why;

    buf_init(&why);
    buf_printf(&why, "not delivered within %" PRId64 " s, tries: %" PRIu32 ", last: %s",
               e->max_age / 1000000000, p->tries, p->tries ? p->last_error : e->stats.last_error);
    reject_told(e, p, why.data);
    buf_fini(&why);
}

static void drop_old(struct endpoint *e, struct parcel_list *list, struct moment now)
{
    struct parcel *next;

    for (struct parcel *p = list->first; p; p = next) {
        next = p->next;
        if (!is_too_old(e, p, now))
            continue;
        list_remove(list, p);
        reject_old(e, p);
    }
}

/* ---- answers ------------------------------------------------------------------------------------ */

static void taken(struct endpoint *e, struct parcel *p, struct moment now)
{
    (void)failpoint_hit(FAILPOINT_courier_answered);
    list_remove(&e->window, p);
    for (size_t i = 0; i < p->n; i++) {
        outbox_done(e->c->ob, e->sink, p->held[i].seq);
        histogram_add(&e->stats.took, now.wall - p->held[i].at, 1);
    }
    (void)failpoint_hit(FAILPOINT_courier_done);
    e->stats.delivered += p->n;
    forget(e, p);
    came_through(e, now);
}

static void refused(struct endpoint *e, struct parcel *p, const struct web_answer *answer,
                    struct moment now)
{
    bool its_content = answer->status == 400 || answer->status == 413 || answer->status == 422;
    struct buf why;

    came_through(e, now);
    if (p->n > 1 && its_content) {
        halve(e, p, now);
        return;
    }
    buf_init(&why);
    buf_printf(&why, "refused: %s", answer->why);
    list_remove(&e->window, p);
    reject_told(e, p, why.data);
    buf_fini(&why);
}

/* When the endpoint as a whole is to be tried again. */
static void put_off_probe(struct endpoint *e, bool was_probe, int64_t asked, struct moment now)
{
    if (e->state != ENDPOINT_PROBING)
        return;
    if (was_probe || e->next_probe == 0) /* what was under way when it began says nothing new */
        e->next_probe = now.mono + backoff_next(&e->backoff);
    if (asked > 0 && now.mono + asked > e->next_probe)
        e->next_probe = now.mono + asked;
}

static void failed(struct endpoint *e, struct parcel *p, const struct web_answer *answer,
                   bool was_probe, struct moment now)
{
    bool busy = answer->status == 429 || answer->status == 503;
    int64_t asked = answer->retry_after;

    p->failed = true;
    e->stats.failures++;
    snprintf(p->last_error, sizeof p->last_error, "%s", answer->why);
    p->due = now.mono + backoff_next(&p->backoff);
    if (asked > 0 && now.mono + asked > p->due)
        p->due = now.mono + asked;
    if (p->spell != e->spell)
        e->n_failed++;
    p->spell = e->spell;
    if (busy && asked > 0 && now.mono + asked > e->pause_until)
        e->pause_until = now.mono + asked;
    if (e->n_failed > 1 || e->window_size == 1 || answer->status == 429 || (busy && asked > 0))
        begin_probing(e);
    put_off_probe(e, was_probe, asked, now);
    if (e->c->stopping) { /* that was the last try */
        p->due = INT64_MAX;
        e->given_up |= e->state == ENDPOINT_PROBING;
    }
    if (e->stats.failing_since == 0)
        e->stats.failing_since = now.wall;
    int64_t again = e->state == ENDPOINT_PROBING ? e->next_probe : p->due;
    tell_failure(e, answer->why, again - now.mono, now);
    snprintf(e->stats.last_error, sizeof e->stats.last_error, "%s", answer->why);
    if (is_too_old(e, p, now)) {
        list_remove(&e->window, p);
        reject_old(e, p);
    }
}

void endpoint_answer(struct endpoint *e, const struct web_answer *answer, struct moment now)
{
    struct parcel *p = answer->ctx;
    bool was_probe = e->probe == p;

    if (was_probe)
        e->probe = NULL;
    p->in_flight = false;
    e->n_in_flight--;
    e->changed = true;
    if (answer->outcome == WEB_DONE) {
        taken(e, p, now);
    } else if (e->state == ENDPOINT_DISABLED) {
        list_remove(&e->window, p);
        reject(e, p, gone);
    } else if (answer->outcome == WEB_GONE) {
        snprintf(e->stats.last_error, sizeof e->stats.last_error, "%s", answer->why);
        disable(e, now);
    } else if (answer->outcome == WEB_REFUSED) {
        snprintf(e->stats.last_error, sizeof e->stats.last_error, "%s", answer->why);
        refused(e, p, answer, now);
    } else {
        failed(e, p, answer, was_probe, now);
    }
    look_whether_it_works(e);
}

/* ---- steps -------------------------------------------------------------------------------------- */

static bool reject_queue(struct endpoint *e)
{
    struct outbox_entry entry;

    if (atomic_exchange(&e->come, false))
        e->more = true;
    for (unsigned n = 0; n < REJECT_SLICE && e->more; n++) {
        e->more = outbox_next(e->c->ob, e->sink, 0, &entry);
        if (!e->more)
            break;
        mem_free(entry.text);
        outbox_reject(e->c->ob, e->sink, entry.seq, gone);
        e->stats.rejected++;
        e->changed = true;
    }
    return e->more;
}

bool endpoint_step(struct endpoint *e, struct moment now)
{
    if (e->state == ENDPOINT_DISABLED)
        return reject_queue(e);
    endpoint_gather(e, now);
    drop_old(e, &e->window, now);
    if (e->state == ENDPOINT_PROBING)
        drop_old(e, &e->ready, now);
    let_in(e, now);
    send_due(e, now);
    look_whether_it_works(e);
    return (e->more && endpoint_may_take(e)) || (e->ready.first && e->window.n < e->window_size);
}

/* When a parcel of the window is to be looked at. */
static int64_t parcel_due(const struct endpoint *e, const struct parcel *p, struct moment now)
{
    int64_t due = e->state == ENDPOINT_PROBING ? e->next_probe : p->due;
    int64_t old = now.mono + (p->held[0].at + e->max_age - now.wall);

    if (p->in_flight || (e->state == ENDPOINT_PROBING && e->probe))
        due = INT64_MAX;
    if (due < e->pause_until)
        due = e->pause_until;
    if (!p->in_flight && (p->failed || e->state == ENDPOINT_PROBING) && old < due)
        due = old;
    return due;
}

int64_t endpoint_due(const struct endpoint *e, struct moment now)
{
    int64_t due = INT64_MAX;

    if (e->state == ENDPOINT_DISABLED || e->given_up)
        return due;
    due = endpoint_open_due(e);
    for (const struct parcel *p = e->window.first; p; p = p->next) {
        int64_t then = parcel_due(e, p, now);
        due = then < due ? then : due;
    }
    return due;
}

void endpoint_hurry(struct endpoint *e, struct moment now)
{
    e->pause_until = 0;
    e->next_probe = now.mono;
    backoff_reset(&e->backoff);
    for (struct parcel *p = e->window.first; p; p = p->next)
        if (p->due != INT64_MAX)
            p->due = now.mono;
}

/* ---- the end ------------------------------------------------------------------------------------ */

void endpoint_stop(struct endpoint *e, struct moment now)
{
    e->given_up = e->pause_until > now.mono; /* it asked for more time than there is */
    e->next_probe = now.mono;
    for (struct parcel *p = e->window.first; p; p = p->next)
        p->due = now.mono;
    e->more = true;
}

bool endpoint_is_over(const struct endpoint *e)
{
    if (e->n_in_flight > 0)
        return false;
    if (e->given_up)
        return true;
    if (e->state == ENDPOINT_DISABLED)
        return !e->more && !atomic_load(&e->come);
    if ((e->more || atomic_load(&e->come)) && endpoint_may_take(e))
        return false;
    if (e->batch || e->groups.first || (e->ready.first && e->window.n < e->window_size))
        return false;
    for (const struct parcel *p = e->window.first; p; p = p->next)
        if (p->due != INT64_MAX)
            return false;
    return true;
}

static void free_list(struct parcel_list *list)
{
    while (list->first) {
        struct parcel *p = list->first;
        list_remove(list, p);
        parcel_free(&p);
    }
}

void endpoint_fini(struct endpoint *e)
{
    endpoint_close_all(e);
    free_list(&e->ready);
    free_list(&e->window);
    body_free(&e->body);
    mem_free(e->name);
}
