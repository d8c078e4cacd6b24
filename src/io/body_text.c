// SPDX-License-Identifier: Apache-2.0
/* body_text - the texts that several kinds of bodies have, and what templates can name. */
#include <string.h>

#include "base/buf.h"
#include "event/json_write.h"
#include "event/time_format.h"
#include "io/body_priv.h"
#include "io/template.h"
#include "io/template_escape.h"

/* A member as plain text (of at most max UTF-16 units, cut with "…"). */
static void body_add_plain(const struct body_item *item, enum body_member member, size_t max, struct buf *out)
{
    struct buf text;

    buf_init(&text);
    json_view_add_text(item->member[member], &text);
    (void)escape_add_units(out, text.data, text.len, max, escape_none);
    buf_fini(&text);
}

void body_add_member_plain(struct buf *out, const char *name, const struct body_item *item,
                           enum body_member member, size_t max)
{
    struct buf text;

    buf_init(&text);
    body_add_plain(item, member, max, &text);
    json_add_member_text(out, name, text.data, text.len);
    buf_fini(&text);
}

void body_add_key(const struct body_item *item, struct buf *out)
{
    struct json_view_walk walk = json_view_begin(item->member[MEMBER_key]);
    struct json_view name, value;
    bool first = true;

    while (json_view_next(&walk, &name, &value)) {
        if (!first)
            buf_adds(out, ", ");
        first = false;
        json_view_add_text(name, out);
        buf_addc(out, '=');
        json_view_add_text(value, out);
    }
}

void body_add_delivery_id(const struct body_item *item, struct buf *out)
{
    body_add_plain(item, MEMBER_id, 64, out);
    buf_addc(out, '.');
    buf_add_int(out, item->revision);
}

enum body_severity body_severity(const struct body_message *m)
{
    enum body_severity most = BODY_SEVERITY_info;

    for (size_t i = 0; i < m->n; i++)
        if (m->item[i].severity > most)
            most = m->item[i].severity;
    return most;
}

uint64_t body_count(const struct body_message *m)
{
    return m->group && m->group->count > m->n ? m->group->count : m->n;
}

void body_add_heading(const struct body_message *m, struct buf *out)
{
    if (body_count(m) > 1)
        buf_printf(out, "%llu alerts: ", (unsigned long long)body_count(m));
    if (m->item->retracted)
        buf_adds(out, "No longer so: ");
    size_t before = out->len;
    json_view_add_text(m->item->member[MEMBER_title], out);
    if (out->len == before)
        json_view_add_text(m->item->member[MEMBER_rule], out);
    if (out->len == before)
        buf_adds(out, "alert");
}

bool body_add_link(const struct body_message *m, struct buf *out)
{
    enum { LINK_MAX = 2000 }; /* bytes: what browsers and receivers take */

    if (m->body->link == NULL)
        return false;
    struct template_names names = {body_find, (void *)(uintptr_t)m};
    template_write(m->body->link, &names, LINK_MAX, out);
    return true;
}

/* ---- names of templates ---------------------------------------------------------------------- */

static bool named(const struct template_step *step, const char *name)
{
    return step->name != NULL && step->len == strlen(name) && memcmp(step->name, name, step->len) == 0;
}

static void add_time(int64_t ns, struct buf *out)
{
    buf_addc(out, '"');
    time_add_text(out, ns);
    buf_addc(out, '"');
}

enum message_name {
#define MESSAGE(name, doc) MESSAGE_##name,
#include "io/body_message.def"
#undef MESSAGE
    N_MESSAGE_NAMES
};

static void add_message(const struct body_message *m, enum message_name name, struct buf *scratch)
{
    struct buf link;

    switch (name) {
    case MESSAGE_sink: buf_add_json_text(scratch, m->body->sink, strlen(m->body->sink)); break;
    case MESSAGE_count: buf_add_int(scratch, (int64_t)body_count(m)); break;
    case MESSAGE_first: add_time(m->group ? m->group->first : m->now, scratch); break;
    case MESSAGE_last: add_time(m->group ? m->group->last : m->now, scratch); break;
    case MESSAGE_link:
        buf_init(&link);
        if (body_add_link(m, &link))
            buf_add_json_text(scratch, link.data, link.len);
        buf_fini(&link);
        break;
    case N_MESSAGE_NAMES: break;
    }
}

static struct json_view find_message(const struct body_message *m, const struct template_path *path,
                                     struct buf *scratch)
{
    static const char *const names[] = {
#define MESSAGE(name, doc) #name,
#include "io/body_message.def"
#undef MESSAGE
    };

    for (int i = 0; path->n_steps == 2 && i < N_MESSAGE_NAMES; i++)
        if (named(&path->step[1], names[i]))
            add_message(m, (enum message_name)i, scratch);
    return (struct json_view){scratch->data, scratch->len};
}

static struct json_view find_member(const struct body_message *m, enum body_member member,
                                    const struct template_path *path, struct buf *scratch)
{
    struct json_view value = m->item->member[member];

    if (member == MEMBER_detected_at && value.len == 0) {
        add_time(m->now - m->now % 1000000, scratch);
        value = (struct json_view){scratch->data, scratch->len};
    }
    return template_walk(value, path, 1);
}

struct json_view body_find(void *ctx, const struct template_path *path, struct buf *scratch)
{
    const struct body_message *m = ctx;
    const struct template_step *root = &path->step[0];

    for (int i = 0; i < BODY_N_MEMBERS; i++)
        if (named(root, body_member_name((enum body_member)i)))
            return find_member(m, (enum body_member)i, path, scratch);
    if (named(root, "message"))
        return find_message(m, path, scratch);
    bool all = named(root, "alerts");
    if (all || named(root, "alert")) {
        if (all)
            body_add_all(m, m->max_bytes, scratch);
        else
            body_add_item(m->item, m->now, m->max_bytes, scratch);
        return template_walk((struct json_view){scratch->data, scratch->len}, path, 1);
    }
    struct json_view found = template_walk(m->item->member[MEMBER_fields], path, 0);
    return found.len > 0 ? found : template_walk(m->item->member[MEMBER_key], path, 0);
}
