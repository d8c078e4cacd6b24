// SPDX-License-Identifier: Apache-2.0
/*
 * drain - older versions of rules: they begin nothing new, what is open goes on. What a body does with
 * an event then is its own affair (rs->draining, rs->begins, rs->ends):
 *
 *     match           no run starts, no leading `not` is remembered; open runs go on
 *     join            an event pairs with what is open, and is forgotten
 *     tumbling,       windows that start at or before `ends`, whenever their events come; those that
 *     hopping         start behind it are the newer version's, whose `begins` it is
 *     session         open ones go on; only a late event may begin one, at or before `ends`
 *     sliding,        cannot drain: their windows never end (flow/swap.c begins them anew)
 *     global, novel
 */
#include "engine/engine_priv.h"

#include "engine/body.h"
#include "engine/record_priv.h"
#include "plan/window_plan.h"

static bool can_drain(const struct program_rule *rule)
{
    return rule->body != BODY_NOVEL &&
           (rule->body != BODY_WINDOW ||
            (rule->window->kind != WINDOW_SLIDING && rule->window->kind != WINDOW_GLOBAL));
}

void drain_attach(struct engine *en, const struct engine_attachment *attachment)
{
    for (uint32_t i = 0; i < en->prog->n_rules; i++) {
        struct rule_state *rs = &en->rule[i];
        rs->draining = attachment->draining && !rs->off;
        rs->off = rs->off || (rs->draining && !can_drain(rs->rule));
        if (attachment->rule_begins != NULL)
            rs->begins = attachment->rule_begins[i];
        if (rs->draining && attachment->rule_ends != NULL)
            rs->ends = attachment->rule_ends[i];
    }
}

void drain_bound(struct engine *en)
{
    for (uint32_t i = 0; i < en->prog->n_rules; i++) {
        struct rule_state *rs = &en->rule[i];
        if (!rs->off && rs->ops != NULL && rs->ops->bound != NULL)
            rs->ops->bound(rs);
    }
}

/* Is anything left that may still be told? What was suppressed is not, but for a summary. */
static bool has_ended(const struct engine *en, const struct rule_state *rs)
{
    if (rs->stats.keys > 0 || (rs->limit.held > 0 && rs->limit.deadline.queue != NULL))
        return false;
    if (rs->ops != NULL && rs->ops->takes_until != NULL && en->now < INT64_MAX &&
        en->now <= rs->ops->takes_until(rs))
        return false;
    for (const struct suppress_entry *entry = rs->suppress.first;
         rs->rule->suppress_summary && entry != NULL; entry = entry->next) {
        if (entry->held > 0)
            return false;
    }
    return true;
}

bool engine_drained(const struct engine *en)
{
    for (uint32_t i = 0; i < en->prog->n_rules; i++) {
        if (en->rule[i].draining && !has_ended(en, &en->rule[i]))
            return false;
    }
    return true;
}
