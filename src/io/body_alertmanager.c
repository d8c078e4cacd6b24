// SPDX-License-Identifier: Apache-2.0
/*
 * body_alertmanager - alerts for Alertmanager's POST /api/v2/alerts, always an array.
 *
 * Labels are an alert's identity there: alertname (the rule), severity, the key; nothing that differs
 * between two alerts of one rule and key, so that they become one that goes on. Names of labels and
 * annotations are [a-zA-Z_][a-zA-Z0-9_]*; other characters become `_`, and a name that is taken already
 * gets a number. Without endsAt Alertmanager ends an alert after its resolve_timeout; a retracted one ends
 * now. One bad alert makes the whole answer 400, though the others were taken.
 */
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "event/json_write.h"
#include "io/body_entity.h"
#include "io/body_priv.h"
#include "io/template_escape.h"

/* What labels take does not depend on the message: they are the same in every batch. */
enum { VALUE_MAX = 1000, ALL_MAX = 4 << 10 };

/* Members of one object, and the names that are taken. */
struct names {
    struct buf *out;
    struct buf taken; /* each behind a blank and before one */
    size_t from;      /* of out */
    size_t max;       /* bytes of all, about */
};

static bool is_taken(const struct names *n, const struct buf *name)
{
    return n->taken.len > 0 && memmem(n->taken.data, n->taken.len, name->data, name->len) != NULL;
}

/* " NAME " of prefix and name, valid and not taken. */
static void choose_name(const struct names *n, const char *prefix, const char *name, size_t len,
                        struct buf *name_out)
{
    buf_addc(name_out, ' ');
    buf_adds(name_out, prefix);
    if (name_out->len == 1 && (len == 0 || (name[0] >= '0' && name[0] <= '9')))
        buf_addc(name_out, '_');
    for (size_t i = 0; i < len && i < 100; i++) {
        char c = name[i];
        bool good = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        buf_addc(name_out, good ? c : '_');
    }
    size_t end = name_out->len;
    buf_addc(name_out, ' ');
    for (int number = 2; is_taken(n, name_out); number++) {
        name_out->len = end;
        buf_printf(name_out, "_%d ", number);
    }
}

static void add_label(struct names *n, const char *prefix, const char *name, size_t len,
                      const struct buf *value)
{
    struct buf chosen, cut;

    if (value->len == 0 || n->out->len - n->from > n->max)
        return; /* an empty label is none */
    buf_init(&chosen);
    buf_init(&cut);
    choose_name(n, prefix, name, len, &chosen);
    buf_add(&n->taken, chosen.data, chosen.len);
    (void)escape_add_units(&cut, value->data, value->len, VALUE_MAX, escape_none);
    json_add_comma(n->out);
    buf_add_json_text(n->out, chosen.data + 1, chosen.len - 2);
    buf_addc(n->out, ':');
    buf_add_json_text(n->out, cut.data, cut.len);
    buf_fini(&chosen);
    buf_fini(&cut);
}

static void add_view(struct names *n, const char *prefix, const char *name, size_t len,
                     struct json_view view)
{
    struct buf value;

    if (view.len == 0)
        return;
    buf_init(&value);
    json_view_add_text(view, &value);
    add_label(n, prefix, name, len, &value);
    buf_fini(&value);
}

static void add_member(struct names *n, const char *name, const struct body_item *item,
                       enum body_member member)
{
    add_view(n, "", name, strlen(name), item->member[member]);
}

static void add_word(struct names *n, const char *name, const char *word)
{
    struct buf value;

    buf_init(&value);
    buf_adds(&value, word);
    add_label(n, "", name, strlen(name), &value);
    buf_fini(&value);
}

static void begin(struct names *n, const char *name, struct buf *out)
{
    json_add_member(out, name);
    buf_addc(out, '{');
    *n = (struct names){.out = out, .from = out->len, .max = ALL_MAX};
}

static void end(struct names *n)
{
    buf_addc(n->out, '}');
    buf_fini(&n->taken);
}

static void add_labels(const struct body_message *m, const struct body_item *item, struct buf *out)
{
    struct json_view_walk walk = json_view_begin(item->member[MEMBER_key]);
    struct json_view name, value;
    struct names n;

    begin(&n, "labels", out);
    if (item->is_alert)
        add_member(&n, "alertname", item, MEMBER_rule);
    else
        add_word(&n, "alertname", "tocsin_event");
    add_member(&n, "severity", item, MEMBER_severity);
    if (!item->is_alert)
        add_word(&n, "sink", m->body->sink);
    while (json_view_next(&walk, &name, &value)) {
        struct buf text;
        buf_init(&text);
        json_view_add_text(name, &text);
        add_view(&n, "", text.data ? text.data : "", text.len, value);
        buf_fini(&text);
    }
    end(&n);
}

static void add_field(void *ctx, const struct body_pair *pair)
{
    struct names *n = ctx;

    add_view(n, "field_", pair->path, pair->len, pair->value);
}

static void add_annotations(const struct body_message *m, const struct body_item *item, size_t max,
                            struct buf *out)
{
    struct body_item fields = *item;
    struct names n;

    fields.member[MEMBER_key] = (struct json_view){0}; /* these are labels */
    begin(&n, "annotations", out);
    n.max = max;
    add_member(&n, "summary", item, MEMBER_title);
    add_member(&n, "description", item, MEMBER_description);
    add_member(&n, "id", item, MEMBER_id);
    add_member(&n, "revision", item, MEMBER_revision);
    add_member(&n, "tags", item, MEMBER_tags);
    add_member(&n, "risk", item, MEMBER_risk);
    add_member(&n, "suppressed", item, MEMBER_suppressed);
    if (m->group && item == m->item) {
        struct buf count;
        buf_init(&count);
        buf_add_int(&count, (int64_t)body_count(m));
        add_label(&n, "", "alerts_in_group", strlen("alerts_in_group"), &count);
        buf_fini(&count);
    }
    if (!item->is_alert) {
        struct buf text;
        buf_init(&text);
        body_add_other(item, VALUE_MAX, &text);
        add_label(&n, "", "event", strlen("event"), &text);
        buf_fini(&text);
    }
    body_each_pair(&fields, add_field, &n);
    end(&n);
}

static void add_alert(const struct body_message *m, const struct body_item *item, size_t max,
                      struct buf *out)
{
    struct body_message one = {m->body, item, 1, NULL, m->now, m->max_bytes};
    struct buf link;

    buf_init(&link);
    json_add_comma(out);
    buf_addc(out, '{');
    add_labels(m, item, out);
    add_annotations(m, item, max, out);
    json_add_member_time(out, "startsAt", item->time);
    if (item->retracted)
        json_add_member_time(out, "endsAt", m->now > item->time ? m->now : item->time);
    if (body_add_link(&one, &link))
        json_add_member_text(out, "generatorURL", link.data, link.len);
    buf_addc(out, '}');
    buf_fini(&link);
}

bool body_write_alertmanager(const struct body *b, const struct body_message *m, struct buf *out,
                             struct buf *why)
{
    size_t share = m->max_bytes / m->n, most = 64 << 10;

    (void)b, (void)why;
    buf_addc(out, '[');
    for (size_t i = 0; i < m->n; i++)
        add_alert(m, &m->item[i], share / 4 < most ? share / 4 : most, out);
    buf_addc(out, ']');
    return true;
}
