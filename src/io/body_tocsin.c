// SPDX-License-Identifier: Apache-2.0
/*
 * body_tocsin - the alert itself, in the envelope that Standard Webhooks recommends
 * (standard-webhooks.com, "payload structure"): type in words joined by full stops, timestamp when it
 * happened (event time, not the time of the attempt), data.
 *
 *     alert.created | alert.revised | alert.retracted   data: the alert
 *     alert.batch                                       data: {"count", "alerts"}
 *     alert.group                                       data: {"count", "first", "last", "alerts"}
 *     event                                             data: {"event"} or {"line"}: no alert
 */
#include "base/buf.h"
#include "event/json_write.h"
#include "io/body_priv.h"

enum { AROUND = 256 }; /* bytes of the envelope at most */

static const char *type_of(const struct body_message *m)
{
    const struct body_item *item = &m->item[0];

    if (m->group)
        return "alert.group";
    if (m->n > 1)
        return "alert.batch";
    if (!item->is_alert)
        return "event";
    return item->retracted ? "alert.retracted" : item->revision > 0 ? "alert.revised"
                                                                    : "alert.created";
}

static void add_timestamp(const struct body_message *m, struct buf *out)
{
    struct json_view time = m->item[0].member[MEMBER_time];

    if (m->n == 1 && !m->group && json_view_type(time) == JSON_VIEW_TEXT && time.len < 64)
        json_add_member_raw(out, "timestamp", time.text, time.len);
    else
        json_add_member_time(out, "timestamp", m->now - m->now % 1000000);
}

bool body_write_tocsin(const struct body *b, const struct body_message *m, struct buf *out,
                       struct buf *why)
{
    (void)b, (void)why;
    buf_addc(out, '{');
    json_add_member_word(out, "type", type_of(m));
    add_timestamp(m, out);
    json_add_member(out, "data");
    if (m->n == 1 && !m->group)
        body_add_item(m->item, m->now, m->max_bytes - AROUND, out);
    else
        body_add_several(m, m->max_bytes - AROUND, out);
    buf_addc(out, '}');
    return true;
}
