// SPDX-License-Identifier: Apache-2.0
/* body_item - an alert taken apart, and put together again in the room that there is. */
#include <string.h>

#include "base/buf.h"
#include "base/digest.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "event/json_trim.h"
#include "event/json_write.h"
#include "event/time_format.h"
#include "io/body_priv.h"

static const struct {
    const char *name;
    size_t len;
} MEMBERS[] = {
#define MEMBER(name, doc) {#name, sizeof #name - 1},
#include "io/body_member.def"
#undef MEMBER
};

static const char *const SEVERITIES[] = {
#define SEVERITY(name, colour, pagerduty, ocsf_id, ocsf, risk, number) #name,
#include "io/body_severity.def"
#undef SEVERITY
};

const char *body_member_name(enum body_member member)
{
    return MEMBERS[member].name;
}

/* ---- taking apart ---------------------------------------------------------------------------- */

static void take_members(struct body_item *item)
{
    struct json_view_walk walk = json_view_begin(item->whole);
    struct json_view name, value;
    size_t next = 0; /* they come in the order of the table, so the first guess is mostly right */

    while (json_view_next(&walk, &name, &value)) {
        for (size_t tried = 0; tried < BODY_N_MEMBERS; tried++) {
            size_t m = (next + tried) % BODY_N_MEMBERS;
            if (!json_view_is(name, MEMBERS[m].name, MEMBERS[m].len))
                continue;
            if (item->member[m].len == 0)
                item->member[m] = value;
            next = m + 1;
            break;
        }
    }
}

static bool read_time(struct json_view view, int64_t *ns_out)
{
    return json_view_type(view) == JSON_VIEW_TEXT &&
           time_read(value_text(view.text + 1, view.len - 2), TIME_RFC3339, 0, ns_out);
}

static enum body_severity severity_of(struct json_view view)
{
    for (int s = 0; s < BODY_N_SEVERITIES; s++)
        if (json_view_is(view, SEVERITIES[s], strlen(SEVERITIES[s])))
            return (enum body_severity)s;
    return BODY_SEVERITY_medium;
}

static struct json_view constant(const char *json)
{
    return (struct json_view){json, strlen(json)};
}

/* What is no alert gets what every alert has. */
static void make_members(struct body_item *item)
{
    uint8_t id[16];
    struct buf text;

    digest_id(item->text, item->len, id);
    buf_init(&text);
    buf_addc(&text, '"');
    buf_add_hex(&text, id, sizeof id);
    buf_addc(&text, '"');
    memcpy(item->id, text.data, text.len + 1);
    buf_fini(&text);
    item->member[MEMBER_id] = constant(item->id);
    item->member[MEMBER_rule] = constant("\"\"");
    item->member[MEMBER_severity] = constant("\"info\"");
    item->member[MEMBER_title] = constant("\"An event that came late, or a line that is none\"");
    item->member[MEMBER_tags] = constant("[]");
    item->member[MEMBER_key] = constant("{}");
    item->member[MEMBER_fields] = constant("{}");
    item->member[MEMBER_events] = constant("{}");
    item->member[MEMBER_revision] = constant("0");
    item->member[MEMBER_suppressed] = constant("0");
}

void body_item_init(struct body_item *item, const struct body_alert *alert, int64_t now)
{
    *item = (struct body_item){.text = alert->text, .len = alert->len, .time = now};
    item->is_alert = json_view_parse(alert->text, alert->len, &item->whole) && alert->is_alert &&
                     json_view_type(item->whole) == JSON_VIEW_OBJECT;
    if (item->is_alert)
        take_members(item);
    else
        make_members(item);
    if (!json_view_int(item->member[MEMBER_revision], &item->revision))
        item->revision = 0;
    if (!json_view_int(item->member[MEMBER_suppressed], &item->suppressed))
        item->suppressed = 0;
    struct json_view *title = &item->member[MEMBER_title];
    if (title->len <= 2) /* a title may come out empty */
        *title = item->member[MEMBER_rule];
    item->retracted = json_view_type(item->member[MEMBER_retracted]) == JSON_VIEW_TRUE;
    item->severity = severity_of(item->member[MEMBER_severity]);
    if (!read_time(item->member[MEMBER_time], &item->time))
        item->time = now;
}

/* ---- putting together ------------------------------------------------------------------------ */

static void add_detected_at(const struct body_item *item, int64_t now, struct buf *out)
{
    if (item->member[MEMBER_detected_at].len == 0)
        json_add_member_time(out, "detected_at", now - now % 1000000);
}

#define TRUNCATED ",\"truncated\":true}"

/* All but the events, with what is added, in at most room bytes. */
static void add_rest(const struct body_item *item, int64_t now, size_t room, struct buf *out)
{
    size_t before = out->len;

    buf_addc(out, '{');
    for (int m = 0; m < BODY_N_MEMBERS; m++) {
        struct json_view value = item->member[m];
        if (m == MEMBER_detected_at)
            add_detected_at(item, now, out);
        if (m != MEMBER_events && value.len > 0)
            json_add_member_raw(out, MEMBERS[m].name, value.text, value.len);
    }
    buf_addc(out, '}');
    if (out->len - before > room - sizeof TRUNCATED) {
        struct buf whole;
        buf_init(&whole);
        buf_add(&whole, out->data + before, out->len - before);
        buf_truncate(out, before);
        (void)json_add_trimmed(out, (struct json_view){whole.data, whole.len},
                               room - sizeof TRUNCATED);
        buf_fini(&whole);
    }
    out->len--;
    buf_adds(out, TRUNCATED);
}

static void add_trimmed_alert(const struct body_item *item, int64_t now, size_t max, struct buf *out)
{
    struct json_view events = item->member[MEMBER_events];
    size_t before = out->len;

    /* that much is theirs, before the events get anything */
    add_rest(item, now, max / 4 * 3, out);
    if (events.len == 0)
        return;
    out->len--;
    json_add_member(out, "events");
    (void)json_add_trimmed(out, events, max - (out->len - before) - 1);
    buf_addc(out, '}');
}

void body_add_alert(const struct body_item *item, int64_t now, size_t max, struct buf *out)
{
    const struct json_view *time = &item->member[MEMBER_time];
    const char *from = item->whole.text;

    if (item->whole.len + BODY_STAMP > max) {
        add_trimmed_alert(item, now, max, out);
        return;
    }
    if (time->len > 0) {
        buf_add(out, from, (size_t)(time->text + time->len - from));
        add_detected_at(item, now, out);
        from = time->text + time->len;
    }
    buf_add(out, from, (size_t)(item->whole.text + item->whole.len - from));
}

/* Text that may be any bytes, as a JSON text of at most max bytes; what is no UTF-8 becomes U+FFFD. */
static void body_add_text(const char *text, size_t len, size_t max, struct buf *out)
{
    struct buf clean, json;

    buf_init(&clean);
    buf_init(&json);
    len = len > max ? max : len; /* what is behind it would be cut anyway */
    for (size_t at = 0; at < len;) {
        char bytes[4];
        buf_add(&clean, bytes, utf8_encode(utf8_next(text, len, &at), bytes));
    }
    buf_add_json_text(&json, clean.data, clean.len);
    (void)json_add_trimmed(out, (struct json_view){json.data, json.len}, max);
    buf_fini(&clean);
    buf_fini(&json);
}

void body_add_other(const struct body_item *item, size_t max, struct buf *out)
{
    if (item->whole.len > 0)
        (void)json_add_trimmed(out, item->whole, max);
    else
        body_add_text(item->text, item->len, max, out);
}

void body_write_each(const struct body_message *m,
                     void add(const struct body_message *m, const struct body_item *item, size_t max, struct buf *out),
                     struct buf *out)
{
    size_t each = m->max_bytes / m->n - 2;
    bool array = m->n > 1;

    if (array)
        buf_addc(out, '[');
    for (size_t i = 0; i < m->n; i++) {
        if (i > 0)
            buf_addc(out, ',');
        add(m, &m->item[i], each, out);
    }
    if (array)
        buf_addc(out, ']');
}

void body_add_item(const struct body_item *item, int64_t now, size_t max, struct buf *out)
{
    if (item->is_alert) {
        body_add_alert(item, now, max, out);
        return;
    }
    buf_addc(out, '{');
    json_add_member(out, item->whole.len > 0 ? "event" : "line");
    body_add_other(item, max > 64 ? max - 16 : max, out);
    buf_addc(out, '}');
}

size_t body_share(const struct body_message *m, size_t max, size_t around)
{
    size_t one = 0, *size = m->n == 1 ? &one : mem_calloc(m->n, sizeof *size);

    for (size_t i = 0; i < m->n; i++)
        size[i] = m->item[i].len + BODY_STAMP + around;
    size_t level = json_trim_level(size, m->n, max);
    if (size != &one)
        mem_free(size);
    if (level == SIZE_MAX)
        return level;
    return level > around + BODY_LEAST_ALERT ? level - around : BODY_LEAST_ALERT;
}

void body_add_all(const struct body_message *m, size_t max, struct buf *out)
{
    size_t share = body_share(m, max - 2, 1);

    buf_addc(out, '[');
    for (size_t i = 0; i < m->n; i++) {
        json_add_comma(out);
        body_add_item(&m->item[i], m->now, share, out);
    }
    buf_addc(out, ']');
}

void body_add_several(const struct body_message *m, size_t max, struct buf *out)
{
    enum { AROUND = 160 };

    buf_addc(out, '{');
    json_add_member_int(out, "count", (int64_t)body_count(m));
    if (m->group) {
        json_add_member_time(out, "first", m->group->first);
        json_add_member_time(out, "last", m->group->last);
    }
    json_add_member(out, "alerts");
    body_add_all(m, max - AROUND, out);
    buf_addc(out, '}');
}
