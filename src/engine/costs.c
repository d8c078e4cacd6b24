// SPDX-License-Identifier: Apache-2.0
/* costs - see costs.h. */
#include "engine/costs.h"

#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/mem.h"
#include "engine/alert.h"
#include "engine/body.h"
#include "engine/engine_priv.h"
#include "engine/matcher.h"
#include "engine/run.h"
#include "event/event.h"
#include "event/schema.h"

enum { MAX_KEEP = 1000, TEXT_LEN = 8, MANY_VALUES = 1000 };

struct trial {
    struct engine *en;
    struct rule_state *rs;
    struct partition *part;
    struct event ev;       /* a scratch one; its fields all hold `text` */
    struct origin origin;
    struct value *slot;    /* owned */
    char text[TEXT_LEN + 1];
    uint16_t stream[64];
    struct alert_list out;
};

static void trial_event(struct trial *tr, uint64_t n)
{
    uint32_t n_slots = schema_count(tr->en->prog->schema);
    snprintf(tr->text, sizeof tr->text, "%08u", (unsigned)(n % 100000000));
    for (uint32_t i = 0; i < n_slots; i++)
        tr->slot[i] = value_text(tr->text, TEXT_LEN);
    tr->ev = (struct event){.time = (int64_t)n, .origin = &tr->origin, .offset = n, .slot = tr->slot,
                            .n_slots = n_slots, .raw = ""};
}

/* Offers event n as one of step 0 (which a join needs: sides are charged alike); what it cost. */
static uint64_t offer(struct trial *tr, uint64_t n)
{
    struct engine *en = tr->en;
    uint64_t before = tr->rs->stats.bytes;
    trial_event(tr, n);
    en->ev = &tr->ev;
    en->seq++;
    struct offer of = {.part = tr->part, .ev = &tr->ev, .fits = 1, .stream = tr->stream,
                       .seq = en->seq};
    tr->rs->ops->offer(en, &of);
    if (en->n_pending > 0)
        engine_tell(en, &tr->out);
    if (en->kept != NULL)
        event_unref(en->kept);
    en->kept = NULL;
    arena_reset(en->scratch);
    return tr->rs->stats.bytes > before ? tr->rs->stats.bytes - before : 0;
}

static void try_match(struct trial *tr, struct engine_costs *costs)
{
    uint64_t before = tr->rs->stats.bytes;
    struct run *run = run_new(tr->en, tr->part);
    costs->run = tr->rs->stats.bytes - before;
    run_free(tr->en, run);
    costs->bind = sizeof(struct run_bind);
}

static void try_other(struct trial *tr, struct engine_costs *costs)
{
    uint64_t keep = tr->rs->rule->keep < MAX_KEEP ? tr->rs->rule->keep : MAX_KEEP;
    costs->first = offer(tr, 0);
    if (tr->rs->rule->body == BODY_NOVEL) { /* its index grows by leaps: the mean of many */
        uint64_t before = tr->rs->stats.bytes;
        for (uint64_t n = 1; n <= MANY_VALUES; n++)
            offer(tr, n);
        costs->more = (tr->rs->stats.bytes - before) / MANY_VALUES;
        return;
    }
    for (uint64_t n = 1; n <= keep + 1; n++)
        costs->more = offer(tr, n);
}

static void try_rule(struct trial *tr, struct engine_costs *costs)
{
    uint32_t n_keys = tr->rs->keys.n_keys;
    struct value *key = mem_calloc(n_keys + 1, sizeof *key); /* missing */
    uint64_t before = tr->rs->stats.bytes;
    trial_event(tr, 0);
    struct event *kept = event_keep(&tr->ev);
    costs->event = run_event_bytes(kept) - (uint64_t)tr->ev.n_slots * TEXT_LEN;
    event_unref(kept);
    tr->part = partition_new(tr->rs, 1, key);
    tr->part->pins++; /* it stays */
    costs->key = tr->rs->stats.bytes - before;
    if (tr->rs->ops == NULL)
        try_match(tr, costs);
    else
        try_other(tr, costs);
    mem_free(key);
}

struct engine_costs *engine_costs(struct program *prog)
{
    struct trial tr = {.en = engine_new(prog), .origin = {.source = "", .partition = ""}};
    struct engine_costs *costs = mem_calloc(prog->n_rules + 1, sizeof *costs);
    tr.slot = mem_calloc(schema_count(prog->schema) + 1u, sizeof *tr.slot);
    for (uint32_t r = 0; r < prog->n_rules; r++) {
        alert_list_init(&tr.out);
        tr.rs = &tr.en->rule[r];
        try_rule(&tr, &costs[r]);
        alert_list_fini(&tr.out);
    }
    engine_free(&tr.en);
    mem_free(tr.slot);
    return costs;
}
