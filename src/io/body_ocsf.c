// SPDX-License-Identifier: Apache-2.0
/*
 * body_ocsf - Detection Finding (class 2004) of the Open Cybersecurity Schema Framework, version 1.4.0 (the
 * first with is_alert); several as an array. Times are ms. activity: 1 a new alert, 2 a revision, 3 a
 * retraction. start_time and end_time are those of a window; what has no place in the schema is in
 * `unmapped`, events are `evidences`, one a step.
 */
#include <string.h>

#include "base/buf.h"
#include "base/civil.h"
#include "base/version.h"
#include "event/json_trim.h"
#include "event/json_write.h"
#include "event/time_format.h"
#include "io/body_entity.h"
#include "io/body_priv.h"
#include "io/template_escape.h"

#define OCSF_VERSION "1.4.0"

enum { TEXT_MAX = 1000, TAGS_MAX = 2 << 10, OBSERVABLES_MAX = 4 << 10, ATTACKS_MAX = 2 << 10 };

static void add_ms(struct buf *out, const char *name, int64_t ns)
{
    json_add_member_int(out, name, civil_floor(ns, 1000000));
}

/* ---- parts ----------------------------------------------------------------------------------- */

static void add_class(const struct body_item *item, struct buf *out)
{
    static const char *const activities[] = {"Unknown", "Create", "Update", "Close"};
    int activity = item->retracted ? 3 : item->revision > 0 ? 2 : 1;

    json_add_member_int(out, "class_uid", 2004);
    json_add_member_word(out, "class_name", "Detection Finding");
    json_add_member_int(out, "category_uid", 2);
    json_add_member_word(out, "category_name", "Findings");
    json_add_member_int(out, "activity_id", activity);
    json_add_member_word(out, "activity_name", activities[activity]);
    json_add_member_int(out, "type_uid", 200400 + activity);
    buf_printf(out, ",\"type_name\":\"Detection Finding: %s\"", activities[activity]);
}

static void add_severity(const struct body_item *item, struct buf *out)
{
    static const struct {
        int id;
        const char *name;
    } severities[] = {
#define SEVERITY(name, colour, pagerduty, ocsf_id, ocsf, risk, number) {ocsf_id, ocsf},
#include "io/body_severity.def"
#undef SEVERITY
    };
    int64_t risk;

    json_add_member_int(out, "severity_id", severities[item->severity].id);
    json_add_member_word(out, "severity", severities[item->severity].name);
    json_add_member_int(out, "status_id", item->retracted ? 4 : 1);
    json_add_member_word(out, "status", item->retracted ? "Resolved" : "New");
    if (json_view_int(item->member[MEMBER_risk], &risk))
        json_add_member_int(out, "risk_score", risk);
}

static void add_metadata(const struct body_message *m, const struct body_item *item, struct buf *out)
{
    struct buf id;

    buf_init(&id);
    body_add_delivery_id(item, &id);
    json_add_member(out, "metadata");
    buf_adds(out, "{\"version\":\"" OCSF_VERSION "\",\"product\":{\"name\":\"tocsin\","
                  "\"vendor_name\":\"tocsin\"");
    json_add_member_word(out, "version", version_string());
    buf_addc(out, '}');
    json_add_member_text(out, "uid", id.data, id.len);
    add_ms(out, "logged_time", m->now);
    if (item->member[MEMBER_tags].len > 2) {
        json_add_member(out, "labels");
        (void)json_add_trimmed(out, item->member[MEMBER_tags], TAGS_MAX);
    }
    buf_addc(out, '}');
    buf_fini(&id);
}

struct list {
    struct buf *out;
    size_t from, max;
};

static void add_attack(void *ctx, const struct body_attack *attack)
{
    struct list *l = ctx;

    if (l->out->len - l->from > l->max)
        return;
    json_add_comma(l->out);
    if (attack->tactic)
        buf_printf(l->out, "{\"tactic\":{\"uid\":\"%s\",\"name\":\"%s\"}}", attack->tactic_id,
                   attack->tactic);
    else if (attack->sub_technique[0])
        buf_printf(l->out, "{\"technique\":{\"uid\":\"%s\"},\"sub_technique\":{\"uid\":\"%s\"}}",
                   attack->technique, attack->sub_technique);
    else
        buf_printf(l->out, "{\"technique\":{\"uid\":\"%s\"}}", attack->technique);
}

static bool window_time(const struct body_item *item, const char *name, int64_t *ns_out)
{
    struct json_view time = json_view_member(item->member[MEMBER_window], name, strlen(name));

    return json_view_type(time) == JSON_VIEW_TEXT &&
           time_read(value_text(time.text + 1, time.len - 2), TIME_RFC3339, 0, ns_out);
}

static void add_finding(const struct body_message *m, const struct body_item *item, struct buf *out)
{
    struct body_message one = {m->body, item, 1, NULL, m->now, m->max_bytes};
    struct list attacks = {.out = out, .max = ATTACKS_MAX};
    struct buf link;

    buf_init(&link);
    json_add_member(out, "finding_info");
    buf_addc(out, '{');
    body_add_member_plain(out, "uid", item, MEMBER_id, 64);
    body_add_member_plain(out, "title", item, MEMBER_title, TEXT_MAX);
    if (item->member[MEMBER_description].len > 0)
        body_add_member_plain(out, "desc", item, MEMBER_description, TEXT_MAX);
    if (item->is_alert) {
        json_add_member(out, "analytic");
        buf_adds(out, "{\"type_id\":1,\"type\":\"Rule\"");
        body_add_member_plain(out, "name", item, MEMBER_rule, TEXT_MAX);
        body_add_member_plain(out, "uid", item, MEMBER_rule, TEXT_MAX);
        buf_addc(out, '}');
    }
    json_add_member(out, "attacks");
    buf_addc(out, '[');
    attacks.from = out->len;
    body_each_attack(item, add_attack, &attacks);
    if (out->len > attacks.from)
        buf_addc(out, ']');
    else
        out->len -= sizeof ",\"attacks\":[" - 1;
    add_ms(out, "created_time", m->now);
    add_ms(out, "last_seen_time", item->time);
    if (body_add_link(&one, &link))
        json_add_member_text(out, "src_url", link.data, link.len);
    buf_addc(out, '}');
    buf_fini(&link);
}

static void add_observable(void *ctx, const struct body_pair *pair)
{
    static const struct {
        int id;
        const char *name;
    } types[] = {{99, "Other"}, {2, "IP Address"}, {4, "User Name"}, {1, "Hostname"}, {8, "Hash"}};
    struct list *l = ctx;
    struct buf text, cut;

    if (pair->entity == BODY_ENTITY_none || l->out->len - l->from > l->max)
        return;
    buf_init(&text);
    buf_init(&cut);
    json_view_add_text(pair->value, &text);
    (void)escape_add_units(&cut, text.data, text.len, TEXT_MAX, escape_none);
    json_add_comma(l->out);
    buf_addc(l->out, '{');
    json_add_member_text(l->out, "name", pair->path, pair->len < 200 ? pair->len : 0);
    json_add_member_int(l->out, "type_id", types[pair->entity].id);
    json_add_member_word(l->out, "type", types[pair->entity].name);
    json_add_member_text(l->out, "value", cut.data, cut.len);
    buf_addc(l->out, '}');
    buf_fini(&text);
    buf_fini(&cut);
}

static void add_observables(const struct body_item *item, struct buf *out)
{
    struct list l = {.out = out, .max = OBSERVABLES_MAX};

    json_add_member(out, "observables");
    buf_addc(out, '[');
    l.from = out->len;
    body_each_pair(item, add_observable, &l);
    if (out->len > l.from)
        buf_addc(out, ']');
    else
        out->len -= sizeof ",\"observables\":[" - 1;
}

/* ---- what takes the room that is left -------------------------------------------------------- */

/* An evidence for each step. */
static void add_evidences(const struct body_item *item, size_t max, struct buf *out)
{
    struct json_view_walk walk = json_view_begin(item->member[MEMBER_events]);
    struct json_view name, value;
    struct buf all;

    buf_init(&all);
    buf_addc(&all, '[');
    while (json_view_next(&walk, &name, &value)) {
        json_add_comma(&all);
        buf_adds(&all, "{\"name\":");
        buf_add(&all, name.text, name.len);
        json_add_member_raw(&all, "data", value.text, value.len);
        buf_addc(&all, '}');
    }
    buf_addc(&all, ']');
    if (all.len > 2) {
        json_add_member(out, "evidences");
        (void)json_add_trimmed(out, (struct json_view){all.data, all.len}, max);
    }
    buf_fini(&all);
}

static void add_unmapped(const struct body_item *item, size_t max, struct buf *out)
{
    static const enum body_member members[] = {MEMBER_key,  MEMBER_fields,   MEMBER_meta,
                                               MEMBER_window, MEMBER_revision, MEMBER_suppressed,
                                               MEMBER_cold};
    struct buf all;

    buf_init(&all);
    buf_addc(&all, '{');
    for (size_t i = 0; item->is_alert && i < sizeof members / sizeof members[0]; i++)
        if (item->member[members[i]].len > 0)
            json_add_member_raw(&all, body_member_name(members[i]), item->member[members[i]].text,
                                item->member[members[i]].len);
    if (!item->is_alert) {
        json_add_member(&all, "event");
        body_add_other(item, max, &all);
    }
    buf_addc(&all, '}');
    json_add_member(out, "unmapped");
    (void)json_add_trimmed(out, (struct json_view){all.data, all.len}, max);
    buf_fini(&all);
}

static void add_document(const struct body_message *m, const struct body_item *item, size_t max,
                         struct buf *out)
{
    size_t before = out->len;
    int64_t time;

    buf_addc(out, '{');
    add_class(item, out);
    add_severity(item, out);
    add_ms(out, "time", m->now);
    if (window_time(item, "start", &time))
        add_ms(out, "start_time", time);
    add_ms(out, "end_time", window_time(item, "end", &time) ? time : item->time);
    body_add_member_plain(out, "message", item, MEMBER_title, TEXT_MAX);
    buf_adds(out, item->is_alert && !item->retracted ? ",\"is_alert\":true" : ",\"is_alert\":false");
    if (m->group && item == m->item)
        json_add_member_int(out, "count", (int64_t)body_count(m));
    else
        json_add_member_int(out, "count", item->suppressed + 1);
    add_metadata(m, item, out);
    add_finding(m, item, out);
    add_observables(item, out);
    size_t used = out->len - before + 64;
    size_t room = max > used + 2 * BODY_LEAST_ALERT ? max - used : 2 * BODY_LEAST_ALERT;
    size_t rest = out->len;
    add_unmapped(item, room / 2, out);
    add_evidences(item, room - (out->len - rest), out);
    buf_addc(out, '}');
}

bool body_write_ocsf(const struct body *b, const struct body_message *m, struct buf *out,
                     struct buf *why)
{
    (void)b, (void)why;
    body_write_each(m, add_document, out);
    return true;
}
