// SPDX-License-Identifier: Apache-2.0
/* derived - see derived.h. */
#include "engine/derived.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/mem.h"
#include "engine/alert_render.h"
#include "engine/engine_priv.h"
#include "engine/probe.h"
#include "engine/snapshot.h"
#include "event/event.h"
#include "event/json_decode.h"

enum { MAX_DERIVED_BYTES = 64 << 20 };

struct made { /* one derived event that waits for its turn */
    struct event *ev; /* kept */
    char *key;        /* JSON, for the order */
    uint32_t depth, rule;
    uint8_t id[16];
};

struct derived {
    struct decoder *decoder;
    struct probe_scratch *probe;
    struct made *made;
    size_t n, cap;
};

static struct derived *state(struct engine *en)
{
    if (en->derived == NULL) {
        en->derived = mem_calloc(1, sizeof *en->derived);
        en->derived->decoder = decoder_new(en->prog->schema, MAX_DERIVED_BYTES);
        en->derived->probe = probe_scratch_new(en->prog);
    }
    return en->derived;
}

uint64_t derived_unexpected(const struct derived *derived, uint32_t stream)
{
    return derived != NULL ? probe_unexpected(derived->probe, stream) : 0;
}

static void made_fini(struct made *made)
{
    event_unref(made->ev);
    mem_free(made->key);
}

void derived_free(struct derived **derived)
{
    if (*derived == NULL)
        return;
    for (size_t i = 0; i < (*derived)->n; i++)
        made_fini(&(*derived)->made[i]);
    mem_free((*derived)->made);
    decoder_free(&(*derived)->decoder);
    probe_scratch_free(&(*derived)->probe);
    mem_free(*derived);
    *derived = NULL;
}

/* The first 8 bytes of the id: unique among the events of one stream and time in practice. */
static uint64_t offset_of(const uint8_t id[16])
{
    uint64_t offset;
    memcpy(&offset, id, sizeof offset);
    return offset;
}

static void add_to_stream(struct engine *en, const struct pending *match, uint32_t stream,
                          const struct buf *json, const uint8_t id[16])
{
    struct derived *de = state(en);
    const char *name = en->prog->stream[stream].name, *reason;
    struct event ev = {.time = match->time, .offset = offset_of(id)};
    if (!decoder_run_copy(de->decoder, json->data, json->len, &ev, &reason)) {
        match->rs->stats.limited_events++; /* too large: nothing else can be wrong with it */
        return;
    }
    ev.origin = origin_list_get(en, name, strlen(name), "", 0, 0);
    engine_probe(en->prog, de->probe, &ev);
    if (ev.n_fits == 0)
        return;
    struct buf key;
    buf_init(&key);
    render_key(&key, match->rs, match->part->key);
    de->made = vec_reserve(de->made, &de->cap, de->n + 1, sizeof *de->made);
    struct made *made = &de->made[de->n++];
    *made = (struct made){.ev = event_keep(&ev), .key = buf_take(&key),
                          .depth = match->rs->rule->depth, .rule = match->rs->rule->number};
    memcpy(made->id, id, sizeof made->id);
}

void derived_add(struct engine *en, const struct pending *match, const struct value *emitted)
{
    const struct program_rule *rule = match->rs->rule;
    uint8_t id[16];
    struct buf json;
    render_id(en, match, id);
    buf_init(&json);
    if (rule->stream_into != UINT32_MAX) {
        render_derived(en, match, emitted, false, &json);
        add_to_stream(en, match, rule->stream_into, &json, id);
    }
    if (rule->stream_own != UINT32_MAX) {
        buf_clear(&json);
        render_derived(en, match, emitted, true, &json);
        add_to_stream(en, match, rule->stream_own, &json, id);
    }
    buf_fini(&json);
}

static int made_order(const void *a, const void *b)
{
    const struct made *x = a, *y = b;
    int order;
    if (x->ev->time != y->ev->time)
        return x->ev->time < y->ev->time ? -1 : 1;
    if (x->depth != y->depth)
        return x->depth < y->depth ? -1 : 1;
    if (x->rule != y->rule)
        return x->rule < y->rule ? -1 : 1;
    if ((order = strcmp(x->key, y->key)) != 0)
        return order;
    return memcmp(x->id, y->id, sizeof x->id);
}

void derived_feed(struct engine *en, struct alert_list *out)
{
    struct derived *de = en->derived;
    while (de != NULL && de->n > 0) {
        /* What the events of this level make is deeper: it is sorted in when they are done. */
        size_t n = de->n, kept = 0;
        struct made *level = de->made;
        qsort(level, n, sizeof *level, made_order);
        uint32_t depth = level[0].depth;
        de->made = NULL;
        de->n = de->cap = 0;
        for (size_t i = 0; i < n; i++) {
            if (level[i].depth == depth) {
                engine_offer_derived(en, level[i].ev, out);
                made_fini(&level[i]);
            } else {
                level[kept++] = level[i];
            }
        }
        de->made = vec_reserve(de->made, &de->cap, de->n + kept + 1, sizeof *de->made);
        memcpy(de->made + de->n, level, kept * sizeof *level);
        de->n += kept;
        mem_free(level);
    }
}
