// SPDX-License-Identifier: Apache-2.0
/*
 * What becomes of an alert when it is delivered: by its JSON, of which only the beginning is read. Alerts
 * begin with id, rule, severity, time, title, description, all texts, and then tags
 * (engine/alert_render.c).
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/log.h"
#include "base/mem.h"
#include "event/json_view.h"
#include "flow/route.h"
#include "flow/route_priv.h"

enum { FEW_TAGS = 16 }; /* without an allocation */

/* ---- the beginning of an alert --------------------------------------------------------------- */

/* Texts as they read: in the JSON itself, or in `text` if something is escaped. */
struct head {
    const char *json, *end;
    struct buf text;        /* as large as the JSON, before anything points there */
    const char *rule;
    size_t rule_len;        /* 0: none was there */
    unsigned severity;      /* bit; 0: none */
    const char *few[FEW_TAGS], **tag;
    size_t few_len[FEW_TAGS], *tag_len; /* owned if they are not `few` */
    size_t n_tags;
};

/* Takes a text in quotes: what stands there, and behind it. False: it does not end. */
static bool take_text(struct head *h, struct json_view *text_out)
{
    const char *at = h->json;

    if (at >= h->end || *at != '"')
        return false;
    for (at++; at < h->end && *at != '"'; at++)
        at += *at == '\\';
    if (at >= h->end)
        return false;
    *text_out = (struct json_view){h->json, (size_t)(at + 1 - h->json)};
    h->json = at + 1;
    return true;
}

static bool take_char(struct head *h, char c)
{
    if (h->json >= h->end || *h->json != c)
        return false;
    h->json++;
    return true;
}

static bool is(struct json_view view, const char *text)
{
    size_t len = strlen(text);

    return view.len == len + 2 && memcmp(view.text + 1, text, len) == 0;
}

static void keep(struct head *h, struct json_view view, const char **text_out, size_t *len_out)
{
    if (!memchr(view.text, '\\', view.len)) {
        *text_out = view.text + 1;
        *len_out = view.len - 2;
        return;
    }
    if (!h->text.data)
        buf_reserve(&h->text, (size_t)(h->end - view.text));
    size_t at = h->text.len;
    json_view_add_text(view, &h->text);
    *text_out = h->text.data + at;
    *len_out = h->text.len - at;
}

/* Room for one tag more. */
static void reserve_tag(struct head *h)
{
    size_t n = h->n_tags;

    if (n < FEW_TAGS || (n & (n - 1)) != 0) /* full at each power of two */
        return;
    bool few = h->tag == h->few;
    const char **tag = mem_realloc(few ? NULL : h->tag, 2 * n * sizeof *tag);
    size_t *len = mem_realloc(few ? NULL : h->tag_len, 2 * n * sizeof *len);
    if (few) {
        memcpy(tag, h->few, sizeof h->few);
        memcpy(len, h->few_len, sizeof h->few_len);
    }
    h->tag = tag;
    h->tag_len = len;
}

static void keep_severity(struct head *h, struct json_view view)
{
    for (int s = SEVERITY_INFO; s <= SEVERITY_CRITICAL; s++)
        if (is(view, severity_name((enum severity)s)))
            h->severity = 1u << s;
}

static bool take_tags(struct head *h)
{
    struct json_view tag;

    if (!take_char(h, '['))
        return false;
    while (take_text(h, &tag)) {
        reserve_tag(h);
        keep(h, tag, &h->tag[h->n_tags], &h->tag_len[h->n_tags]);
        h->n_tags++;
        if (!take_char(h, ','))
            break;
    }
    return take_char(h, ']');
}

/* Reads up to `tags`; what is no alert leaves out what it does not have. */
static void read_head(struct head *h, const char *json, size_t len)
{
    struct json_view name, value;

    h->json = json;
    h->end = json + len;
    h->rule = "";
    h->rule_len = h->n_tags = 0;
    h->severity = 0;
    h->tag = h->few;
    h->tag_len = h->few_len;
    buf_init(&h->text);
    if (!take_char(h, '{'))
        return;
    do {
        if (!take_text(h, &name) || !take_char(h, ':'))
            return;
        if (is(name, "tags")) {
            take_tags(h);
            return;
        }
        if (!take_text(h, &value))
            return;
        if (is(name, "rule"))
            keep(h, value, &h->rule, &h->rule_len);
        else if (is(name, "severity"))
            keep_severity(h, value);
    } while (take_char(h, ','));
}

static void head_fini(struct head *h)
{
    buf_fini(&h->text);
    if (h->tag != h->few) {
        mem_free(h->tag);
        mem_free(h->tag_len);
    }
}

/* ---- the policy ------------------------------------------------------------------------------ */

/* Windows begin and end with a second: it is found out once for each. */
static bool is_silent(struct route *r, int64_t wall)
{
    uint64_t second = (uint64_t)(wall / 1000000000);
    uint64_t judged = atomic_load_explicit(&r->judged, memory_order_relaxed);
    bool silent = false;

    if (r->n_mutes == 0)
        return false;
    if (judged != 0 && judged >> 1 == second)
        return judged & 1;
    for (size_t i = 0; i < r->n_mutes && !silent; i++)
        silent = mute_has(&r->mute[i], wall);
    atomic_store_explicit(&r->judged, second << 1 | silent, memory_order_relaxed);
    return silent;
}

bool route_has_policy(const struct route_table *rt, uint32_t sink)
{
    return sink < rt->n_sinks && rt->policy[sink];
}

/* By the routes to the sink that are for this alert; counts in each of them if it is muted. */
static void judge(struct route_table *rt, uint32_t sink, const struct route_facts *facts,
                  int64_t wall, bool count, struct route_policy *policy)
{
    bool speaks = false;
    int64_t group = INT64_MAX;
    size_t last = rt->n_routes; /* that matched */

    for (size_t i = 0; i < rt->n_routes; i++) {
        struct route *r = &rt->route[i];
        if (!route_leads_to(r, sink) || !route_matches(r, facts))
            continue;
        last = i;
        if (is_silent(r, wall))
            continue;
        speaks = true;
        group = r->group < group ? r->group : group;
    }
    policy->muted = last < rt->n_routes && !speaks;
    policy->group = speaks ? group : 0;
    for (size_t i = 0; policy->muted && count && i <= last; i++)
        if (i == last || (route_leads_to(&rt->route[i], sink) && route_matches(&rt->route[i], facts)))
            atomic_fetch_add_explicit(&rt->route[i].muted, 1, memory_order_relaxed);
}

static void decide(struct route_table *rt, uint32_t sink, bool direct, const char *alert, size_t len,
                   int64_t wall, bool count, struct route_policy *policy_out)
{
    struct head h;

    *policy_out = (struct route_policy){0};
    if (direct || !route_has_policy(rt, sink))
        return;
    read_head(&h, alert, len);
    struct route_facts facts = {.rule = h.rule,
                                .rule_len = h.rule_len,
                                .severity = h.severity,
                                .tag = h.tag,
                                .tag_len = h.tag_len,
                                .n_tags = h.n_tags};
    judge(rt, sink, &facts, wall, count, policy_out);
    head_fini(&h);
}

void route_policy(struct route_table *rt, uint32_t sink, bool direct, const char *alert, size_t len,
                  int64_t now_wall, struct route_policy *policy_out)
{
    decide(rt, sink, direct, alert, len, now_wall, true, policy_out);
}

void route_policy_again(struct route_table *rt, uint32_t sink, bool direct, const char *alert,
                        size_t len, int64_t now_wall, struct route_policy *policy_out)
{
    decide(rt, sink, direct, alert, len, now_wall, false, policy_out);
}

/* ---- telling --------------------------------------------------------------------------------- */

static void tell(struct route *r, const char *what)
{
    char fields[64];
    int n = snprintf(fields, sizeof fields, "line=%" PRIu32, r->line);

    if (!r->silent)
        snprintf(fields + n, sizeof fields - (size_t)n, " muted=%" PRIu64,
                 atomic_exchange(&r->muted, 0));
    log_always(LOG_INFO, LOG_sink, what, fields);
}

void route_look(struct route_table *rt, int64_t now_wall)
{
    for (size_t i = 0; i < rt->n_routes; i++) {
        struct route *r = &rt->route[i];
        bool silent = r->n_mutes > 0 && is_silent(r, now_wall);
        if (silent == r->silent)
            continue;
        r->silent = silent;
        tell(r, silent ? "a route is silent from now on" : "a route is silent no more");
    }
}

void route_end(struct route_table *rt)
{
    for (size_t i = 0; i < rt->n_routes; i++) {
        struct route *r = &rt->route[i];
        if (!r->silent)
            continue;
        r->silent = false;
        tell(r, "a route was silent until the end");
    }
}
