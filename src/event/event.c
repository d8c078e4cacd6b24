// SPDX-License-Identifier: Apache-2.0
/*
 * event - keeping, sharing and ordering of events.
 *
 * A kept event is one block:
 *
 *   struct event | slot[n_slots] | texts[n_texts] | copied text and lists | fits[n_fits] | raw
 *
 * so that keeping costs one allocation, and giving it back one free. Everything before fits is a
 * multiple of 8 bytes long; sizes are added up first by the same steps that copy afterwards.
 */
#include "event/event.h"

#include <assert.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/pool.h"

static size_t copies_size(const struct value *v, uint32_t n)
{
    size_t size = n * sizeof *v;
    for (uint32_t i = 0; i < n; i++)
        size += value_copy_size(v[i]);
    return size;
}

static const struct value *copy_values(const struct value *v, uint32_t n, struct value *to,
                                       char **mem)
{
    for (uint32_t i = 0; i < n; i++)
        to[i] = value_copy_to(v[i], mem);
    return n ? to : NULL;
}

static struct event *copy_scratch(struct pool *pool, const struct event *ev)
{
    size_t size = sizeof *ev + copies_size(ev->slot, ev->n_slots) +
                  copies_size(ev->texts, ev->n_texts) + value_copy_size(ev->order_by) +
                  ev->n_fits * sizeof *ev->fits + ev->raw_len;
    /* Lines are limited, so only a fault in the program gets here. */
    assert(size <= UINT32_MAX);

    struct event *kept = pool != NULL ? pool_alloc(pool, size) : mem_alloc(size);
    struct value *slot = (struct value *)(void *)(kept + 1);
    struct value *texts = slot + ev->n_slots;
    char *mem = (char *)(texts + ev->n_texts);

    *kept = *ev;
    kept->slot = copy_values(ev->slot, ev->n_slots, slot, &mem);
    kept->texts = copy_values(ev->texts, ev->n_texts, texts, &mem);
    kept->order_by = value_copy_to(ev->order_by, &mem);
    if (ev->n_fits)
        memcpy(mem, ev->fits, ev->n_fits * sizeof *ev->fits);
    kept->fits = ev->n_fits ? (const uint32_t *)(void *)mem : NULL;
    mem += ev->n_fits * sizeof *ev->fits;
    if (ev->raw_len)
        memcpy(mem, ev->raw, ev->raw_len);
    kept->raw = ev->raw_len ? mem : "";
    kept->refs = 1;
    kept->pool = pool;
    kept->size = (uint32_t)size;
    return kept;
}

struct event *event_keep(const struct event *ev)
{
    return event_keep_in(NULL, ev);
}

struct event *event_keep_in(struct pool *pool, const struct event *ev)
{
    if (ev->refs == 0)
        return copy_scratch(pool, ev);
    /* Kept events are born in copy_scratch and not const. */
    return event_ref((struct event *)(uintptr_t)ev);
}

struct event *event_ref(struct event *ev)
{
    assert(ev->refs > 0 && ev->refs < UINT32_MAX);
    ev->refs++;
    return ev;
}

void event_unref(struct event *ev)
{
    if (!ev)
        return;
    assert(ev->refs > 0);
    if (--ev->refs > 0)
        return;
    if (ev->pool != NULL)
        pool_give(ev->pool, ev, ev->size);
    else
        mem_free(ev);
}

size_t event_bytes(const struct event *ev)
{
    return ev->size;
}

/* ---- order ----------------------------------------------------------------------------------- */

/* Values of different kinds are ordered by kind, so that the order stays total whatever the field
 * holds. Lists and objects are all alike: the position decides among them. */
static int order_kind(struct value v)
{
    return v.type == VALUE_DOUBLE ? VALUE_INT : v.type == VALUE_OBJECT ? VALUE_LIST : v.type;
}

static int order_order_by(struct value a, struct value b)
{
    int order;

    if (order_kind(a) != order_kind(b))
        return order_kind(a) < order_kind(b) ? -1 : 1;
    if (a.type == VALUE_BOOL)
        return (int)a.u.b - (int)b.u.b;
    return value_order(a, b, &order) ? order : 0;
}

int origin_order(const struct origin *a, const struct origin *b)
{
    if (a == b)
        return 0;
    int order = a->source == b->source ? 0 : strcmp(a->source, b->source);
    if (order == 0)
        order = strcmp(a->partition, b->partition);
    if (order == 0)
        order = (a->generation > b->generation) - (a->generation < b->generation);
    return order;
}

int event_order(const struct event *a, const struct event *b)
{
    if (a->time != b->time)
        return a->time < b->time ? -1 : 1;
    int order = order_order_by(a->order_by, b->order_by);
    if (order == 0)
        order = origin_order(a->origin, b->origin);
    if (order == 0)
        order = (a->offset > b->offset) - (a->offset < b->offset);
    return order;
}

void event_encode_position(struct buf *out, const struct event *ev)
{
    const struct origin *o = ev->origin;
    buf_add_bytes(out, o->source, strlen(o->source));
    buf_add_bytes(out, o->partition, strlen(o->partition));
    buf_add_varint(out, o->generation);
    buf_add_varint(out, ev->offset);
}
