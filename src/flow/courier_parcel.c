// SPDX-License-Identifier: Apache-2.0
/* courier_parcel - what goes in one request. Read first: courier_priv.h. */
#include <inttypes.h>
#include <string.h>

#include "base/digest.h"
#include "base/mem.h"
#include "event/json_view.h"
#include "flow/courier_priv.h"
#include "io/body.h"

struct parcel *parcel_new(struct endpoint *e)
{
    struct parcel *p = mem_calloc(1, sizeof *p);

    p->e = e;
    buf_init(&p->body);
    backoff_init(&p->backoff, e->retry_least, e->retry_most, e->seed++);
    return p;
}

void parcel_free(struct parcel **pp)
{
    struct parcel *p = *pp;

    if (!p)
        return;
    *pp = NULL;
    for (size_t i = 0; i < p->n; i++)
        mem_free(p->held[i].text);
    mem_free(p->held);
    mem_free(p->rule);
    mem_free(p->id);
    buf_fini(&p->body);
    mem_free(p);
}

void parcel_add(struct parcel *p, const struct outbox_entry *entry, int64_t at)
{
    p->held = vec_reserve(p->held, &p->cap, p->n + 1, sizeof *p->held);
    p->held[p->n++] = (struct held){.seq = entry->seq, .at = at, .text = entry->text,
                                    .len = entry->len, .is_alert = entry->is_alert};
    p->bytes += entry->len;
}

/* ---- id -------------------------------------------------------------------------------------- */

static void add_hash(struct buf *out, const struct buf *of)
{
    uint8_t digest[16];

    digest_id(of->data, of->len, digest);
    buf_add_hex(out, digest, sizeof digest);
}

static bool alert_id(const struct held *held, struct buf *out)
{
    struct json_view all, id;
    int64_t revision;

    if (!held->is_alert || !json_view_parse(held->text, held->len, &all))
        return false;
    id = json_view_member(all, "id", 2);
    if (json_view_type(id) != JSON_VIEW_TEXT || id.len > 2 + 128)
        return false;
    if (!json_view_int(json_view_member(all, "revision", 8), &revision))
        revision = 0;
    size_t from = out->len;
    json_view_add_text(id, out);
    for (size_t i = from; i < out->len; i++)
        if (out->data[i] <= ' ' || out->data[i] > '~') { /* no id of ours */
            out->len = from;
            return false;
        }
    buf_printf(out, ".%" PRId64, revision);
    return true;
}

void message_id(const struct held *held, const char *sink, struct buf *out)
{
    struct buf text;

    if (alert_id(held, out))
        return;
    /* Two late events may read the same; with their places they are two. `at`, so that a state
     * directory that begins anew does not give the same ids again. */
    buf_init(&text);
    buf_printf(&text, "%s\n%" PRIu64 "\n%" PRId64 "\n", sink, held->seq, held->at);
    buf_add(&text, held->text, held->len);
    add_hash(out, &text);
    buf_fini(&text);
}

static char *parcel_id(const struct parcel *p, const char *sink)
{
    struct buf ids, id;

    buf_init(&ids);
    buf_init(&id);
    for (size_t i = 0; i < p->n; i++) {
        if (i > 0)
            buf_addc(&ids, '\n');
        message_id(&p->held[i], sink, &ids);
    }
    if (p->n > 1)
        add_hash(&id, &ids);
    else
        buf_add(&id, ids.data, ids.len);
    buf_fini(&ids);
    return buf_take(&id);
}

/* ---- body ------------------------------------------------------------------------------------ */

bool parcel_write(struct parcel *p, struct buf *why)
{
    if (p->id)
        return true;
    struct body_alert *alert = mem_calloc(p->n, sizeof *alert);
    struct body_group group = {.count = p->n, .first = p->held[0].at,
                               .last = p->held[p->n - 1].at};
    for (size_t i = 0; i < p->n; i++)
        alert[i] = (struct body_alert){.text = p->held[i].text, .len = p->held[i].len,
                                       .is_alert = p->held[i].is_alert};
    /* detected_at: when the alerts were durable; so the bytes are the same after a restart, too */
    bool good = body_write(p->e->body, alert, p->n, p->rule && p->n > 1 ? &group : NULL, group.last,
                           &p->body, why);
    mem_free(alert);
    if (good)
        p->id = parcel_id(p, p->e->name);
    return good;
}

struct parcel *parcel_split(struct parcel *p)
{
    struct parcel *rest = parcel_new(p->e);
    size_t first = p->n / 2;

    for (size_t i = first; i < p->n; i++) {
        const struct held *held = &p->held[i];
        parcel_add(rest, &(struct outbox_entry){.seq = held->seq, .is_alert = held->is_alert,
                                                .text = held->text, .len = held->len}, held->at);
    }
    if (p->rule) {
        rest->rule = mem_strndup(p->rule, strlen(p->rule));
        rest->group = p->group;
    }
    p->n = first;
    p->bytes -= rest->bytes;
    mem_free(p->id);
    p->id = NULL;
    buf_clear(&p->body);
    p->tries = 0;
    return rest;
}

/* ---- lists ----------------------------------------------------------------------------------- */

void list_add(struct parcel_list *list, struct parcel *p)
{
    struct parcel **end = &list->first;

    while (*end)
        end = &(*end)->next;
    p->next = NULL;
    *end = p;
    list->n++;
}

void list_add_first(struct parcel_list *list, struct parcel *p)
{
    p->next = list->first;
    list->first = p;
    list->n++;
}

void list_remove(struct parcel_list *list, struct parcel *p)
{
    struct parcel **at = &list->first;

    while (*at != p)
        at = &(*at)->next;
    *at = p->next;
    p->next = NULL;
    list->n--;
}
