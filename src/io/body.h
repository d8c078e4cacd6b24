// SPDX-License-Identifier: Apache-2.0
/*
 * body - what a webhook's message says: an alert, several, or a group of them, in the form that the
 * receiver knows. The kinds are one table, body.def; a body is made from the sink's configuration once
 * and only read afterwards, by any thread.
 *
 *     alerts as in the outbox --body_write--> JSON (or what the template makes), at most max_bytes
 *
 * 1. What a kind writes is JSON that its receiver's schema takes, whatever the alert holds: any text,
 *    numbers of any size, any depth, megabytes of events. What does not fit is left out or cut, first
 *    the events; never inside a character.
 * 2. The same alerts, group and time give the same bytes.
 * 3. Event data is data: it never becomes markup, a mention, a link or a second message.
 */
#ifndef IO_BODY_H
#define IO_BODY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct body;
struct buf;

enum body_kind {
#define BODY(name, word, type, batch_type, most, message, alert, doc) BODY_KIND_##name,
#include "io/body.def"
#undef BODY
    BODY_N_KINDS
};

enum { BODY_MAX_BYTES = 1 << 20 };

struct body_options { /* all borrowed for the call */
    enum body_kind kind;
    const char *sink;         /* name, for texts */
    const char *url;          /* where a person sees the alert, a template: "https://soc/alerts/{id}"; or NULL */
    uint64_t max_bytes;       /* of a message; 0: BODY_MAX_BYTES; at least what body.def says */
    const char *routing_key;  /* pagerduty */
    const char *template;     /* of the kind template, NUL-terminated */
    const char *content_type; /* of it; NULL: application/json */
};

/* "tocsin", "slack" ...; false if it is none. */
bool body_kind_named(const char *word, enum body_kind *kind_out);
const char *body_kind_word(enum body_kind kind);

/* NULL and why: a template that cannot be (with "line 3, column 5: "), a key that is missing. Owned. */
struct body *body_new(const struct body_options *opt, struct buf *why);
void body_free(struct body **b);
/* Of the message that body_write makes of n alerts, or of a group. */
const char *body_content_type(const struct body *b, size_t n, bool group);
/* Bytes that a message has at most: max_bytes, or what its kind needs. */
size_t body_bytes(const struct body *b);
/* Alerts that fit one message, or a group: 1 at least. Some kinds say of a group what they cannot say of
 * several alerts. */
uint32_t body_most(const struct body *b, bool group);

struct body_alert {
    const char *text; /* as in the outbox; with detected_at or without it */
    size_t len;
    bool is_alert;    /* false: a late event or a line that is no event, any JSON or text */
};
struct body_group {   /* alerts that became one message */
    uint64_t count;   /* at least n */
    int64_t first, last; /* wall ns: when they came */
};

/*
 * Appends the message for n alerts; n > 1: a batch, or a group if there is one. `now` (wall ns) is
 * detected_at of alerts that have none. False and why: this can never be said (bad data), nothing was
 * appended. Of a group only the first alerts need be given.
 */
bool body_write(const struct body *b, const struct body_alert *alert, size_t n,
                const struct body_group *group, int64_t now, struct buf *out, struct buf *why);

/* A name that the template (or `url`) uses: {title}, {fields.user}, {user} ... */
enum body_root {
    BODY_ROOT_MEMBER,  /* its first name is a member of alerts (body_member.def) */
    BODY_ROOT_MESSAGE, /* message, alert or alerts */
    BODY_ROOT_EMITTED, /* something that a rule emits, or its key */
};
struct template_path;
struct body_field {
    const struct template_path *path; /* io/template.h: as written, where, its names, has_default */
    enum body_root root;
    bool is_link;                     /* of `url` */
};
void body_each_field(const struct body *b, void (*found)(void *ctx, const struct body_field *field),
                     void *ctx);

#endif
