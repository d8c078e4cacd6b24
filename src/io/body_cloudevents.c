// SPDX-License-Identifier: Apache-2.0
/*
 * body_cloudevents - CloudEvents 1.0 in the structured mode of HTTP (JSON event format); several as the
 * batch format. id is id.revision, so id and source are the same on every retry. Extensions: `severitytext`,
 * `severitynumber` (its "severity"), `partitionkey` (its "partitioning").
 *
 * Attributes are strings without control characters and noncharacters (spec, "type system"): keys of rules
 * hold event data, so these are taken out.
 */
#include <string.h>

#include "base/buf.h"
#include "base/digest.h"
#include "base/utf8.h"
#include "event/json_trim.h"
#include "event/json_write.h"
#include "io/body_priv.h"
#include "io/template_escape.h"

enum { AROUND = 1536, SUBJECT_MAX = 128 };

const char *body_event_type(const struct body_item *item)
{
    if (!item->is_alert)
        return "tocsin.event";
    return item->retracted ? "tocsin.alert.retracted" : item->revision > 0 ? "tocsin.alert.revised"
                                                                           : "tocsin.alert.created";
}

static bool allowed(uint32_t cp)
{
    return cp >= 0x20 && !(cp >= 0x7f && cp <= 0x9f) && !(cp >= 0xfdd0 && cp <= 0xfdef) &&
           (cp & 0xfffe) != 0xfffe;
}

void body_add_event_subject(const struct body_item *item, struct buf *out)
{
    struct buf key, clean;

    buf_init(&key);
    buf_init(&clean);
    body_add_key(item, &key);
    for (size_t at = 0; at < key.len;) {
        uint32_t cp = utf8_next(key.data, key.len, &at);
        char bytes[4];
        buf_add(&clean, bytes, utf8_encode(allowed(cp) ? cp : ' ', bytes));
    }
    (void)escape_add_units(out, clean.data, clean.len, SUBJECT_MAX, escape_none);
    buf_fini(&key);
    buf_fini(&clean);
}

void body_add_event_source(const struct body_item *item, const char *sink, struct buf *out)
{
    struct buf name;

    buf_init(&name);
    if (item->is_alert)
        json_view_add_text(item->member[MEMBER_rule], &name);
    else
        buf_adds(&name, sink);
    buf_adds(out, item->is_alert ? "/tocsin/rules/" : "/tocsin/sinks/");
    (void)escape_add(out, name.data, name.len, 300, escape_url);
    buf_fini(&name);
}

static void add_severity(enum body_severity severity, struct buf *out)
{
    static const struct {
        const char *text;
        int number;
    } severities[] = {
#define SEVERITY(name, colour, pagerduty, ocsf_id, ocsf, risk, number) {#name, number},
#include "io/body_severity.def"
#undef SEVERITY
    };
    char upper[16] = "";

    for (size_t i = 0; severities[severity].text[i]; i++)
        upper[i] = (char)(severities[severity].text[i] & ~0x20);
    json_add_member_word(out, "severitytext", upper);
    json_add_member_int(out, "severitynumber", severities[severity].number);
}

static void add_head(const struct body_message *m, const struct body_item *item, const char *type,
                     const struct buf *id, int64_t time, struct buf *out)
{
    struct buf source;

    buf_init(&source);
    body_add_event_source(item, m->body->sink, &source);
    json_add_member_word(out, "specversion", "1.0");
    json_add_member_text(out, "id", id->data, id->len);
    json_add_member_text(out, "source", source.data, source.len);
    buf_fini(&source);
    json_add_member_word(out, "type", type);
    json_add_member_time(out, "time", time);
}

static void add_event(const struct body_message *m, const struct body_item *item, size_t max,
                      struct buf *out)
{
    struct buf id, subject;

    buf_init(&id);
    buf_init(&subject);
    body_add_delivery_id(item, &id);
    body_add_event_subject(item, &subject);
    buf_addc(out, '{');
    add_head(m, item, body_event_type(item), &id, item->time, out);
    if (subject.len > 0) {
        json_add_member_text(out, "subject", subject.data, subject.len);
        json_add_member_text(out, "partitionkey", subject.data, subject.len);
    }
    add_severity(item->severity, out);
    bool json = item->whole.len > 0;
    json_add_member_word(out, "datacontenttype", json ? "application/json" : "text/plain");
    json_add_member(out, "data");
    if (item->is_alert)
        body_add_alert(item, m->now, max - AROUND, out);
    else
        body_add_other(item, max - AROUND, out);
    buf_addc(out, '}');
    buf_fini(&id);
    buf_fini(&subject);
}

/* Of a group: one event, whose id its alerts' ids give. */
static void add_group(const struct body_message *m, struct buf *out)
{
    struct buf ids, id;
    uint8_t sum[16];

    buf_init(&ids);
    buf_init(&id);
    for (size_t i = 0; i < m->n; i++) {
        if (i > 0)
            buf_addc(&ids, '\n');
        body_add_delivery_id(&m->item[i], &ids);
    }
    digest_id(ids.data, ids.len, sum);
    buf_add_hex(&id, sum, sizeof sum);
    buf_addc(out, '{');
    add_head(m, m->item, "tocsin.alert.group", &id, m->group->last, out);
    add_severity(body_severity(m), out);
    json_add_member_word(out, "datacontenttype", "application/json");
    json_add_member(out, "data");
    body_add_several(m, m->max_bytes - AROUND, out);
    buf_addc(out, '}');
    buf_fini(&ids);
    buf_fini(&id);
}

bool body_write_cloudevents(const struct body *b, const struct body_message *m, struct buf *out,
                            struct buf *why)
{
    (void)b, (void)why;
    if (m->group) {
        add_group(m, out);
        return true;
    }
    if (m->n == 1) {
        add_event(m, m->item, m->max_bytes, out);
        return true;
    }
    size_t share = body_share(m, m->max_bytes - 2, AROUND + 1);
    buf_addc(out, '[');
    for (size_t i = 0; i < m->n; i++) {
        json_add_comma(out);
        add_event(m, &m->item[i], share == SIZE_MAX ? share : share + AROUND, out);
    }
    buf_addc(out, ']');
    return true;
}
