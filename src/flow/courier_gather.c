// SPDX-License-Identifier: Apache-2.0
/*
 * courier_gather - messages of the outbox become parcels: each its own, a batch, or a group. Read first:
 * courier_priv.h.
 *
 * A batch is full with batch_count messages, and is closed when nothing more is there, batch_wait has
 * passed since its first message was durable, and the window has a place for it. A group takes the messages of its rule that were
 * durable less than `group` after its first one: by the times in the outbox, so that after a restart
 * the same messages make the same group.
 */
#include <string.h>

#include "base/mem.h"
#include "event/json_view.h"
#include "flow/courier_priv.h"
#include "flow/route.h"
#include "io/body.h"

#define GROUP_GRACE INT64_C(1000000000) /* ns: so long a group that is due waits for what is in the outbox */

static int64_t later(int64_t time, int64_t more)
{
    return time > INT64_MAX - more ? INT64_MAX : time + more;
}

/* When `wait` since `at` is over, on the monotonic clock. */
static int64_t due_of(int64_t at, int64_t wait, struct moment now)
{
    int64_t left = later(at, wait) - now.wall;

    return now.mono + (left < 0 ? 0 : left > wait ? wait : left);
}

static bool is_full(const struct endpoint *e)
{
    return e->held >= HELD_COUNT || e->held_bytes >= HELD_BYTES;
}

bool endpoint_may_take(const struct endpoint *e)
{
    size_t room = e->window_size > e->window.n ? e->window_size - e->window.n : 0;

    return !e->given_up && !is_full(e) && e->ready.n < (room > 0 ? room : 1);
}

/* A batch that cannot be sent yet may as well grow. */
static bool batch_may_go(const struct endpoint *e)
{
    return e->batch && e->window.n + e->ready.n < e->window_size;
}

/* ---- open parcels ----------------------------------------------------------------------------- */

static void close_batch(struct endpoint *e)
{
    if (e->batch)
        list_add(&e->ready, e->batch);
    e->batch = NULL;
}

static void close_group(struct endpoint *e, struct parcel *group)
{
    list_remove(&e->groups, group);
    list_add(&e->ready, group);
}

static bool has_room(const struct parcel *p, uint32_t most, size_t len)
{
    return p->n < most && (p->n == 0 || p->bytes + len <= PARCEL_BYTES);
}

static void add_to_batch(struct endpoint *e, const struct outbox_entry *entry, int64_t at,
                         struct moment now)
{
    uint32_t most = body_most(e->body, false);

    most = most < e->batch_count ? most : e->batch_count;
    if (e->batch && !has_room(e->batch, most, entry->len))
        close_batch(e);
    if (!e->batch) {
        e->batch = parcel_new(e);
        e->batch->due = due_of(at, e->batch_wait, now);
    }
    parcel_add(e->batch, entry, at);
    if (!has_room(e->batch, most, 0))
        close_batch(e);
}

static struct parcel *find_group(const struct endpoint *e, const char *rule, int64_t wait)
{
    for (struct parcel *p = e->groups.first; p; p = p->next)
        if (p->group == wait && strcmp(p->rule, rule) == 0)
            return p;
    return NULL;
}

static void add_to_group(struct endpoint *e, const struct outbox_entry *entry, const char *rule,
                         int64_t wait, int64_t at, struct moment now)
{
    uint32_t most = body_most(e->body, true);
    struct parcel *p = find_group(e, rule, wait);

    if (p && (!has_room(p, most, entry->len) || at >= later(p->held[0].at, wait))) {
        close_group(e, p);
        p = NULL;
    }
    if (!p) {
        p = parcel_new(e);
        p->rule = mem_strndup(rule, strlen(rule));
        p->group = wait;
        p->due = due_of(at, wait, now);
        list_add(&e->groups, p);
    }
    parcel_add(p, entry, at);
    if (!has_room(p, most, 0))
        close_group(e, p);
}

void endpoint_close_all(struct endpoint *e)
{
    close_batch(e);
    while (e->groups.first)
        close_group(e, e->groups.first);
}

static void close_due(struct endpoint *e, struct moment now)
{
    bool filling = e->more && endpoint_may_take(e);
    int64_t grace = filling ? GROUP_GRACE : 0;
    struct parcel *next;

    if (batch_may_go(e) && !filling && (e->batch->due <= now.mono || is_full(e)))
        close_batch(e);
    for (struct parcel *p = e->groups.first; p; p = next) {
        next = p->next;
        if (p->due + grace <= now.mono)
            close_group(e, p);
    }
    if (e->c->stopping && !filling)
        endpoint_close_all(e);
    if (is_full(e) && e->ready.n == 0 && e->groups.first) /* what is open takes all the room */
        close_group(e, e->groups.first);
}

int64_t endpoint_open_due(const struct endpoint *e)
{
    int64_t due = batch_may_go(e) ? e->batch->due : INT64_MAX;

    for (const struct parcel *p = e->groups.first; p; p = p->next)
        due = p->due < due ? p->due : due;
    return due;
}

/* ---- from the outbox --------------------------------------------------------------------------- */

/* The name of the alert's rule, appended. */
static bool rule_of(const struct outbox_entry *entry, struct buf *rule)
{
    struct json_view all;

    if (!entry->is_alert || !json_view_parse(entry->text, entry->len, &all))
        return false;
    struct json_view name = json_view_member(all, "rule", 4);
    if (json_view_type(name) != JSON_VIEW_TEXT)
        return false;
    json_view_add_text(name, rule);
    buf_adds(rule, "");
    return memchr(rule->data, '\0', rule->len) == NULL;
}

static void sort(struct endpoint *e, struct outbox_entry *entry, struct moment now)
{
    struct route_policy policy = {0};
    int64_t at = entry->at > 0 ? entry->at : now.wall;
    struct buf rule;

    if (e->c->rt && entry->is_alert && route_has_policy(e->c->rt, e->sink))
        route_policy(e->c->rt, e->sink, entry->direct, entry->text, entry->len, now.wall, &policy);
    if (policy.muted) {
        outbox_done(e->c->ob, e->sink, entry->seq);
        mem_free(entry->text);
        e->stats.muted++;
        return;
    }
    e->held++;
    e->held_bytes += entry->len;
    buf_init(&rule);
    if (policy.group > 0 && rule_of(entry, &rule))
        add_to_group(e, entry, rule.data, policy.group, at, now);
    else
        add_to_batch(e, entry, at, now);
    buf_fini(&rule);
}

void endpoint_gather(struct endpoint *e, struct moment now)
{
    struct outbox_entry entry;

    if (atomic_exchange(&e->come, false))
        e->more = true;
    for (unsigned n = 0; n < TAKE_SLICE && e->more && endpoint_may_take(e); n++) {
        e->more = outbox_next(e->c->ob, e->sink, 0, &entry);
        e->changed = true;
        if (e->more)
            sort(e, &entry, now);
    }
    close_due(e, now);
}
