// SPDX-License-Identifier: Apache-2.0
/*
 * body_pagerduty - Events API v2: one event a message. dedup_key is the alert's id, so a later revision
 * changes the same incident and a retraction resolves it; of a group the first alert's. The limits: summary
 * 1,024 characters, 512 kB in all (custom_details, which hold the alert, are cut).
 */
#include "base/buf.h"
#include "event/json_write.h"
#include "io/body_priv.h"
#include "io/template_escape.h"

enum { MESSAGE_MAX = 500000, AROUND = 12 << 10, SUMMARY_MAX = 1024, SOURCE_MAX = 255 };

static const char *severity_word(enum body_severity severity)
{
    static const char *const words[] = {
#define SEVERITY(name, colour, pagerduty, ocsf_id, ocsf, risk, number) pagerduty,
#include "io/body_severity.def"
#undef SEVERITY
    };
    return words[severity];
}

static void add_cut(struct buf *out, const char *name, const struct buf *text, size_t max)
{
    struct buf cut;

    buf_init(&cut);
    (void)escape_add_units(&cut, text->data, text->len, max, escape_line);
    json_add_member_text(out, name, cut.data, cut.len);
    buf_fini(&cut);
}

static void add_links(const struct body_message *m, struct buf *out)
{
    struct buf link;

    buf_init(&link);
    if (body_add_link(m, &link)) {
        json_add_member_text(out, "client_url", link.data, link.len);
        json_add_member(out, "links");
        buf_adds(out, "[{");
        json_add_member_text(out, "href", link.data, link.len);
        json_add_member_word(out, "text", "Open the alert");
        buf_adds(out, "}]");
    }
    buf_fini(&link);
}

static void add_payload(const struct body_message *m, size_t max, struct buf *out)
{
    const struct body_item *item = m->item;
    struct buf text;

    buf_init(&text);
    buf_addc(out, '{');
    body_add_heading(m, &text);
    add_cut(out, "summary", &text, SUMMARY_MAX);
    buf_clear(&text);
    body_add_key(item, &text);
    if (text.len == 0)
        buf_adds(&text, "tocsin");
    add_cut(out, "source", &text, SOURCE_MAX);
    json_add_member_word(out, "severity", severity_word(body_severity(m)));
    json_add_member_time(out, "timestamp", item->time);
    if (item->is_alert)
        body_add_member_plain(out, "class", item, MEMBER_rule, SOURCE_MAX);
    json_add_member(out, "custom_details");
    if (m->n > 1 || m->group)
        body_add_several(m, max, out);
    else
        body_add_item(item, m->now, max, out);
    buf_addc(out, '}');
    buf_fini(&text);
}

bool body_write_pagerduty(const struct body *b, const struct body_message *m, struct buf *out,
                          struct buf *why)
{
    size_t max = m->max_bytes < MESSAGE_MAX ? m->max_bytes : MESSAGE_MAX;
    bool resolved = m->n == 1 && !m->group && m->item->retracted;

    (void)why;
    buf_addc(out, '{');
    json_add_member_word(out, "routing_key", b->routing_key);
    json_add_member_word(out, "event_action", resolved ? "resolve" : "trigger");
    body_add_member_plain(out, "dedup_key", m->item, MEMBER_id, 255);
    json_add_member_word(out, "client", "tocsin");
    add_links(m, out);
    json_add_member(out, "payload");
    add_payload(m, max - AROUND, out);
    buf_addc(out, '}');
    return true;
}
