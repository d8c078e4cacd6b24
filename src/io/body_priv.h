// SPDX-License-Identifier: Apache-2.0
/*
 * body_priv - what the kinds of bodies share: the alert taken apart, the message it stands in, and the
 * texts that several kinds have.
 */
#ifndef IO_BODY_PRIV_H
#define IO_BODY_PRIV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event/json_view.h"
#include "io/body.h"

struct buf;
struct template;
struct template_names;

/* Members of an alert, in their order (language section 8). */
enum body_member {
#define MEMBER(name, doc) MEMBER_##name,
#include "io/body_member.def"
#undef MEMBER
    BODY_N_MEMBERS
};
const char *body_member_name(enum body_member member);

enum body_severity {
#define SEVERITY(name, colour, pagerduty, ocsf_id, ocsf, risk, number) BODY_SEVERITY_##name,
#include "io/body_severity.def"
#undef SEVERITY
    BODY_N_SEVERITIES
};

/*
 * An alert, or what is none: then `whole` is its JSON, or none if it is text. Either has the members that
 * every alert has (of what is no alert: an id that its bytes give, a title that says so, info).
 */
struct body_item {
    bool is_alert;
    struct json_view whole;
    const char *text;
    size_t len;
    struct json_view member[BODY_N_MEMBERS];
    int64_t revision;
    bool retracted;
    int64_t suppressed;
    enum body_severity severity;
    int64_t time;   /* event time, ns; of what has none: now */
    char id[36];    /* of what is no alert: with quotes */
};

struct body_message {
    const struct body *body;
    const struct body_item *item;
    size_t n;
    const struct body_group *group; /* or NULL */
    int64_t now;
    size_t max_bytes;
};

struct body {
    enum body_kind kind;
    char *sink, *routing_key, *content_type;
    struct template *link; /* or NULL */
    struct template *template; /* or NULL */
    bool takes_all;        /* the template says {alerts} */
    size_t max_bytes;
};

enum { BODY_STAMP = 48 };        /* bytes that detected_at adds at most */
enum { BODY_LEAST_ALERT = 1024 }; /* what any alert can be cut to */

void body_item_init(struct body_item *item, const struct body_alert *alert, int64_t now);
/* The alert as it is, with detected_at, in at most max bytes: events are left out first, and then
 * "truncated":true says so. */
void body_add_alert(const struct body_item *item, int64_t now, size_t max, struct buf *out);
/* What is no alert: its JSON, or its text as a JSON text, in at most max bytes. */
void body_add_other(const struct body_item *item, size_t max, struct buf *out);
/* A document for each alert, in at most max bytes: of one alone by itself, of several in an array. */
void body_write_each(const struct body_message *m,
                     void add(const struct body_message *m, const struct body_item *item, size_t max, struct buf *out),
                     struct buf *out);
/* An alert, or {"event": ...} or {"line": "..."} of what is none. */
void body_add_item(const struct body_item *item, int64_t now, size_t max, struct buf *out);
/* All of the message, as an array of at most max bytes. */
void body_add_all(const struct body_message *m, size_t max, struct buf *out);
/* {"count","first","last","alerts":[...]} of a batch or group. */
void body_add_several(const struct body_message *m, size_t max, struct buf *out);
/* The bytes that each item gets when `max` are there for all: SIZE_MAX when they fit;
 * BODY_LEAST_ALERT at least. `around`: what the kind adds to each. */
size_t body_share(const struct body_message *m, size_t max, size_t around);

/* `"name":"..."` of that text. */
void body_add_member_plain(struct buf *out, const char *name, const struct body_item *item,
                           enum body_member member, size_t max);
/* "user=alice, src_ip=10.0.0.1"; nothing if the rule has no key. */
void body_add_key(const struct body_item *item, struct buf *out);
/* ID.REVISION, which is the webhook-id of a single alert too. */
void body_add_delivery_id(const struct body_item *item, struct buf *out);
/* Attributes of CloudEvents: the type; source, of what is no alert by the sink's name; the key as the subject, or
 * nothing. */
const char *body_event_type(const struct body_item *item);
void body_add_event_source(const struct body_item *item, const char *sink, struct buf *out);
void body_add_event_subject(const struct body_item *item, struct buf *out);
/* The console's link for the message's first alert; nothing if there is none. False: nothing. */
bool body_add_link(const struct body_message *m, struct buf *out);
/* "3 alerts: TITLE", or the title of one. */
void body_add_heading(const struct body_message *m, struct buf *out);
/* The highest severity of the message, and how many alerts it stands for. */
enum body_severity body_severity(const struct body_message *m);
uint64_t body_count(const struct body_message *m);

/* What templates can name: ctx is a struct body_message. */
struct json_view body_find(void *ctx, const struct template_path *path, struct buf *scratch);

/* One function a kind; False and why as body_write. */
#define BODY(name, word, type, batch_type, most, message, alert, doc)                              \
    bool body_write_##name(const struct body *b, const struct body_message *m, struct buf *out,    \
                           struct buf *why);
#include "io/body.def"
#undef BODY

#endif
