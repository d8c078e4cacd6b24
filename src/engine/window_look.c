// SPDX-License-Identifier: Apache-2.0
/* What windows say of themselves to people who ask (look.h). */
#include <inttypes.h>

#include "base/arena.h"
#include "base/buf.h"
#include "engine/window_priv.h"
#include "event/time_format.h"

enum { MOST_TEXT = 65536 }; /* bytes of all aggregates of a window; the rest is left out */

void window_look_time(struct buf *out, const char *name, int64_t ns)
{
    buf_printf(out, "\"%s\":\"", name);
    time_add_text(out, ns);
    buf_addc(out, '"');
}

void window_look_cell(struct buf *out, const struct rule_state *rs, const struct cell *cell)
{
    const struct window_plan *plan = rs->rule->window;
    const struct window_rule *rule = rs->body;
    struct arena *scratch = arena_new(0);
    size_t begin = out->len;
    bool any = false;

    buf_printf(out, "\"events\":%" PRIu64 ",\"aggregates\":[", cell ? cell->n_events : 0);
    for (uint32_t i = 0; cell && i < plan->n_aggregates && out->len - begin < MOST_TEXT; i++) {
        if (!rule->ops[i]) /* prev is no window's */
            continue;
        buf_printf(out, "%s{\"aggregate\":\"%s\",\"value\":", any ? "," : "",
                   program_aggregate_name(plan->aggregate[i].id));
        value_add_json(out, rule->ops[i]->result(cell_accumulator(rs, cell, i), &plan->aggregate[i],
                                                 scratch));
        buf_addc(out, '}');
        any = true;
    }
    buf_addc(out, ']');
    arena_free(&scratch);
}
