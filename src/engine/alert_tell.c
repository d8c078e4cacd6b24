// SPDX-License-Identifier: Apache-2.0
/*
 * alert_tell - from the matches of one instant to alerts: their order, suppression, `limit alerts`.
 *
 * Order of matches of one instant: rule, key, start of the run. It is a function of the events
 * alone, never of the order in which deadlines were set, so what suppression holds is the same
 * after a restore.
 */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/mem.h"
#include "engine/alert_render.h"
#include "engine/derived.h"
#include "engine/exception.h"
#include "engine/engine_priv.h"
#include "engine/finding.h"
#include "engine/run.h"

static int key_order(const struct pending *x, const struct pending *y)
{
    struct buf a, b;
    buf_init(&a);
    buf_init(&b);
    render_key(&a, x->rs, x->part->key);
    render_key(&b, y->rs, y->part->key);
    int order = strcmp(a.data, b.data);
    buf_fini(&a);
    buf_fini(&b);
    return order;
}

static int pending_order(const void *a, const void *b)
{
    const struct pending *x = a, *y = b;
    if (x->rs != y->rs)
        return x->rs->rule->number < y->rs->rule->number ? -1 : 1;
    if (x->part != y->part) {
        int order = key_order(x, y);
        if (order != 0)
            return order;
    }
    uint64_t a_at = x->run != NULL ? x->run->start_seq : x->found->order;
    uint64_t b_at = y->run != NULL ? y->run->start_seq : y->found->order;
    return a_at < b_at ? -1 : a_at > b_at;
}

static bool passes_suppress(struct engine *en, const struct pending *match,
                            const struct value *emitted, uint64_t *held_out)
{
    const struct program_rule *rule = match->rs->rule;
    *held_out = 0;
    bool revised = match->found != NULL && match->found->revision > 0;
    if (rule->suppress < 0 || revised) /* revisions are not suppressed */
        return true;
    struct buf *text = &en->text;
    buf_clear(text);
    if (rule->n_suppress_by == 0) {
        for (uint32_t i = 0; i < rule->n_keys; i++)
            value_encode(text, match->part->key[i]);
    } else {
        en->vm.emitted = emitted;
        for (uint32_t i = 0; i < rule->n_suppress_by; i++)
            value_encode(text, vm_eval(&en->vm, rule->suppress_by[i]));
    }
    if (suppress_passes(en, match->rs, text, match->time, held_out))
        return true;
    match->rs->stats.suppressed++;
    return false;
}

/* Periods of `limit alerts` begin with the first alert behind the last one's end. */
static bool passes_limit(struct engine *en, struct rule_state *rs, int64_t time)
{
    if (rs->rule->limits.alerts_per <= 0)
        return true;
    if (rs->limit.deadline.queue == NULL) {
        rs->limit.start = time;
        rs->limit.told = rs->limit.held = 0;
        deadline_set(&en->heap, &rs->limit.queue, &rs->limit.deadline,
                     time_plus(time, rs->rule->limits.alerts_per));
    }
    if (rs->limit.told < rs->rule->limits.alerts) {
        rs->limit.told++;
        return true;
    }
    rs->limit.held++;
    rs->stats.limited_alerts++;
    return false;
}

static void tell(struct engine *en, const struct pending *match, struct alert_list *out)
{
    uint32_t n = match->rs->rule->n_emit;
    struct value *emitted = arena_alloc(en->scratch, (n + 1) * sizeof *emitted);
    uint64_t held;
    render_emitted(en, match, emitted);
    bool is_read = match->rs->rule->stream_own != UINT32_MAX ||
                   match->rs->rule->stream_into != UINT32_MAX;
    if (is_read && !en->late)
        derived_add(en, match, emitted);
    if (!match->rs->rule->tells && en->tells_also != match->rs)
        return;
    bool retracted = match->found != NULL && match->found->retracted; /* of what may have been told */
    if (!retracted && exception_holds(en, match->rs, emitted, match->time))
        return;
    if (!passes_suppress(en, match, emitted, &held))
        return;
    bool limited = !passes_limit(en, match->rs, match->time);
    if (limited && !en->keeps_limited)
        return;
    match->rs->stats.alerts += !limited;
    struct alert *alert = alert_list_add(out);
    render_match(en, match, emitted, held, alert);
    alert->limited = limited;
}

void engine_tell(struct engine *en, struct alert_list *out)
{
    if (en->n_pending > 1)
        qsort(en->pending, en->n_pending, sizeof *en->pending, pending_order);
    for (size_t i = 0; i < en->n_pending; i++) {
        const struct pending *match = &en->pending[i];
        struct finding *found = match->found;
        struct rule_state *rs = match->rs;
        int64_t began = piece_begin(&en->timer);
        tell(en, match, out);
        partition_touch(match->part);
        if (match->run != NULL)
            run_free(en, match->run);
        finding_free(&found);
        match->part->pins--;
        partition_release(match->part);
        piece_end(&en->timer, began, &rs->stats.engine_ns);
    }
    en->n_pending = 0;
}

void engine_limit_due(struct engine *en, struct rule_state *rs, struct alert_list *out)
{
    int64_t end = rs->limit.deadline.due;
    deadline_clear(&en->heap, &rs->limit.deadline);
    if (rs->limit.held > 0)
        render_limit(en, rs, rs->limit.start, end, rs->limit.held, alert_list_add(out));
    rs->limit.held = 0;
}
