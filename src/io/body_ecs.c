// SPDX-License-Identifier: Apache-2.0
/*
 * body_ecs - a signal document of the Elastic Common Schema, with the kibana.alert.* members that Elastic's
 * own alerts have; several as an array.
 *
 * Rules emit what they like, and a field that is a number here and an object there would not be indexed: so
 * key and fields are texts in `labels` (names without dots), what they are about is in `related`, and the
 * whole alert is the text of `event.original`. Nothing else of the alert's data gives names or types.
 */
#include <string.h>

#include "base/buf.h"
#include "event/json_trim.h"
#include "event/json_write.h"
#include "event/time_format.h"
#include "io/body_entity.h"
#include "io/body_priv.h"
#include "io/template_escape.h"

enum { TEXT_MAX = 1000, LABEL_MAX = 500, LABELS_MAX = 8 << 10, RELATED_MAX = 2 << 10, TAGS_MAX = 2 << 10 };

/* ---- labels and what is related -------------------------------------------------------------- */

struct collected {
    struct buf labels;    /* members */
    struct buf related[5]; /* elements, by enum body_entity */
};

/* Is it there already? A quote within a text is escaped, so this is not found inside one. */
static bool holds(const struct buf *list, const struct buf *json)
{
    return memmem(list->data, list->len, json->data, json->len) != NULL;
}

static void collect(void *ctx, const struct body_pair *pair)
{
    struct collected *c = ctx;
    struct buf *list = &c->related[pair->entity];
    struct buf name, text, value;

    buf_init(&name);
    buf_init(&text);
    buf_init(&value);
    for (size_t i = 0; i < pair->len; i++)
        buf_addc(&text, pair->path[i] == '.' ? '_' : pair->path[i]);
    buf_add_json_text(&name, text.data, text.len);
    buf_addc(&name, ':');
    buf_clear(&text);
    json_view_add_text(pair->value, &text);
    struct buf cut;
    buf_init(&cut);
    (void)escape_add_units(&cut, text.data, text.len, LABEL_MAX, escape_none);
    buf_add_json_text(&value, cut.data, cut.len);
    if (c->labels.len + name.len + value.len < LABELS_MAX && name.len > 3 && !holds(&c->labels, &name)) {
        json_add_comma(&c->labels);
        buf_add(&c->labels, name.data, name.len);
        buf_add(&c->labels, value.data, value.len);
    }
    if (pair->entity != BODY_ENTITY_none && list->len + value.len < RELATED_MAX && !holds(list, &value)) {
        json_add_comma(list);
        buf_add(list, value.data, value.len);
    }
    buf_fini(&name);
    buf_fini(&text);
    buf_fini(&value);
    buf_fini(&cut);
}

static void add_collected(const struct body_item *item, struct buf *out)
{
    static const char *const names[] = {NULL, "ip", "user", "hosts", "hash"};
    struct collected c = {0};
    bool any = false;

    buf_addc(&c.labels, '{');
    for (int i = 1; i < 5; i++)
        buf_addc(&c.related[i], '[');
    body_each_pair(item, collect, &c);
    if (c.labels.len > 1) {
        json_add_member_raw(out, "labels", c.labels.data, c.labels.len);
        buf_addc(out, '}');
    }
    for (int i = 1; i < 5; i++) {
        if (c.related[i].len > 1) {
            if (!any) {
                json_add_member(out, "related");
                buf_addc(out, '{');
            }
            any = true;
            json_add_member_raw(out, names[i], c.related[i].data, c.related[i].len);
            buf_addc(out, ']');
        }
        buf_fini(&c.related[i]);
    }
    if (any)
        buf_addc(out, '}');
    buf_fini(&c.labels);
}

/* ---- threat ---------------------------------------------------------------------------------- */

enum { LISTS = 4 };
struct threat {
    struct buf list[LISTS]; /* tactic ids and names, techniques, sub-techniques */
};

static void add_element(struct buf *list, const char *text)
{
    if (text == NULL || *text == '\0' || list->len > RELATED_MAX)
        return;
    json_add_comma(list);
    buf_add_json_text(list, text, strlen(text));
}

static void collect_attack(void *ctx, const struct body_attack *attack)
{
    struct threat *t = ctx;

    add_element(&t->list[0], attack->tactic_id);
    add_element(&t->list[1], attack->tactic);
    add_element(&t->list[2], attack->technique);
    add_element(&t->list[3], attack->sub_technique);
}

static void add_list(struct buf *out, const char *name, const struct buf *list)
{
    if (list->len <= 1)
        return;
    json_add_member_raw(out, name, list->data, list->len);
    buf_addc(out, ']');
}

static void add_threat(const struct body_item *item, struct buf *out)
{
    struct threat t = {0};

    for (int i = 0; i < LISTS; i++)
        buf_addc(&t.list[i], '[');
    body_each_attack(item, collect_attack, &t);
    if (t.list[0].len > 1 || t.list[2].len > 1) {
        json_add_member(out, "threat");
        buf_addc(out, '{');
        json_add_member_word(out, "framework", "MITRE ATT&CK");
        if (t.list[0].len > 1) {
            json_add_member(out, "tactic");
            buf_addc(out, '{');
            add_list(out, "id", &t.list[0]);
            add_list(out, "name", &t.list[1]);
            buf_addc(out, '}');
        }
        if (t.list[2].len > 1) {
            json_add_member(out, "technique");
            buf_addc(out, '{');
            add_list(out, "id", &t.list[2]);
            if (t.list[3].len > 1) {
                json_add_member(out, "subtechnique");
                buf_addc(out, '{');
                add_list(out, "id", &t.list[3]);
                buf_addc(out, '}');
            }
            buf_addc(out, '}');
        }
        buf_addc(out, '}');
    }
    for (int i = 0; i < LISTS; i++)
        buf_fini(&t.list[i]);
}

/* ---- the document ---------------------------------------------------------------------------- */

static int64_t risk_of(const struct body_item *item)
{
    static const int risks[] = {
#define SEVERITY(name, colour, pagerduty, ocsf_id, ocsf, risk, number) risk,
#include "io/body_severity.def"
#undef SEVERITY
    };
    int64_t risk;

    if (json_view_int(item->member[MEMBER_risk], &risk) && risk >= 0 && risk <= 100)
        return risk;
    return risks[item->severity];
}

static const char *kibana_severity(enum body_severity severity)
{
    static const char *const words[] = {"low", "low", "medium", "high", "critical"};

    return words[severity];
}

static void add_kibana(const struct body_message *m, const struct body_item *item, struct buf *out)
{
    body_add_member_plain(out, "kibana.alert.uuid", item, MEMBER_id, 64);
    json_add_member_word(out, "kibana.alert.severity", kibana_severity(item->severity));
    json_add_member_int(out, "kibana.alert.risk_score", risk_of(item));
    body_add_member_plain(out, "kibana.alert.reason", item, MEMBER_title, TEXT_MAX);
    json_add_member_word(out, "kibana.alert.status", item->retracted ? "recovered" : "active");
    json_add_member_word(out, "kibana.alert.workflow_status", item->retracted ? "closed" : "open");
    json_add_member_time(out, "kibana.alert.original_time", item->time);
    body_add_member_plain(out, "kibana.alert.rule.name", item, MEMBER_rule, TEXT_MAX);
    int64_t others = item->suppressed;
    if (m->group && item == m->item) {
        others = (int64_t)body_count(m) - 1;
        json_add_member_time(out, "kibana.alert.suppression.start", m->group->first);
        json_add_member_time(out, "kibana.alert.suppression.end", m->group->last);
    }
    if (others > 0)
        json_add_member_int(out, "kibana.alert.suppression.docs_count", others);
}

static void add_rule(const struct body_item *item, struct buf *out)
{
    json_add_member(out, "rule");
    buf_addc(out, '{');
    body_add_member_plain(out, "id", item, MEMBER_rule, TEXT_MAX);
    body_add_member_plain(out, "name", item, MEMBER_rule, TEXT_MAX);
    json_add_member_word(out, "ruleset", "tocsin");
    buf_addc(out, '}');
}

static void add_window(const struct body_item *item, struct buf *out)
{
    struct json_view window = item->member[MEMBER_window];
    static const char *const names[] = {"start", "end"};

    for (int i = 0; i < 2; i++) {
        struct json_view time = json_view_member(window, names[i], strlen(names[i]));
        int64_t ns;
        if (json_view_type(time) == JSON_VIEW_TEXT &&
            time_read(value_text(time.text + 1, time.len - 2), TIME_RFC3339, 0, &ns))
            json_add_member_time(out, names[i], ns);
    }
}

/* event{}, whose `original` takes what room is left of the document's max bytes from `before` on. */
static void add_event(const struct body_message *m, const struct body_item *item, size_t before,
                      size_t max, struct buf *out)
{
    struct body_message one = {m->body, item, 1, NULL, m->now, m->max_bytes};
    struct buf text;

    buf_init(&text);
    json_add_member(out, "event");
    buf_addc(out, '{');
    json_add_member_word(out, "kind", item->is_alert ? "signal" : "event");
    body_add_delivery_id(item, &text);
    json_add_member_text(out, "id", text.data, text.len);
    buf_clear(&text);
    json_add_member_word(out, "provider", "tocsin");
    json_add_member_word(out, "module", "tocsin");
    json_add_member_word(out, "dataset", item->is_alert ? "tocsin.alert" : "tocsin.event");
    if (item->is_alert)
        body_add_member_plain(out, "action", item, MEMBER_rule, TEXT_MAX);
    json_add_member_int(out, "severity", risk_of(item));
    json_add_member_int(out, "risk_score", risk_of(item));
    json_add_member_time(out, "created", m->now - m->now % 1000000);
    add_window(item, out);
    if (item->member[MEMBER_description].len > 0)
        body_add_member_plain(out, "reason", item, MEMBER_description, TEXT_MAX);
    if (body_add_link(&one, &text))
        json_add_member_text(out, "url", text.data, text.len);
    buf_clear(&text);
    size_t used = out->len - before + 64;
    size_t room = max > used + 2 * BODY_LEAST_ALERT ? max - used : 2 * BODY_LEAST_ALERT;
    if (item->is_alert) /* as a text it is at most twice as long */
        body_add_alert(item, m->now, room / 2, &text);
    else
        body_add_other(item, room / 2, &text);
    json_add_member_text(out, "original", text.data, text.len);
    buf_addc(out, '}');
    buf_fini(&text);
}

static void add_document(const struct body_message *m, const struct body_item *item, size_t max,
                         struct buf *out)
{
    size_t before = out->len;

    buf_addc(out, '{');
    json_add_member_time(out, "@timestamp", item->time);
    buf_adds(out, ",\"ecs\":{\"version\":\"8.11.0\"}");
    body_add_member_plain(out, "message", item, MEMBER_title, TEXT_MAX);
    if (item->member[MEMBER_tags].len > 2) {
        json_add_member(out, "tags");
        (void)json_add_trimmed(out, item->member[MEMBER_tags], TAGS_MAX);
    }
    add_collected(item, out);
    if (item->is_alert) {
        add_rule(item, out);
        add_threat(item, out);
        add_kibana(m, item, out);
    }
    add_event(m, item, before, max, out);
    buf_addc(out, '}');
}

bool body_write_ecs(const struct body *b, const struct body_message *m, struct buf *out,
                    struct buf *why)
{
    (void)b, (void)why;
    body_write_each(m, add_document, out);
    return true;
}
