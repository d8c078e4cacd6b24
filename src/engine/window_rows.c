// SPDX-License-Identifier: Apache-2.0
/*
 * window_rows - `tumbling d by k in table`: a window for each row of the table, events or not, so
 * that `count() == 0` is told. All rows' windows close at one deadline of the rule.
 *
 *   first event ---> rows_begin: the end of the window that holds it
 *   deadline passed ---> rows_due: each row's key is closed, with its panes or with nothing
 *
 * At the end of a bounded input the last window is the one that holds the last time seen: time goes
 * on for ever then, the windows do not.
 */
#include "base/buf.h"
#include "base/reader.h"
#include "engine/window_pane.h"
#include "event/row_table.h"

static const struct row_table *rows_of(const struct engine *en, const struct rule_state *rs)
{
    return en->prog->table[rs->rule->window->in_table].rows;
}

bool rows_hold(const struct engine *en, const struct rule_state *rs, const struct value *key)
{
    uint32_t row;
    return row_table_find(rows_of(en, rs), key[0], &row);
}

void rows_begin(struct engine *en, struct rule_state *rs, int64_t time)
{
    const struct window_plan *plan = rs->rule->window;
    struct window_rule *rule = rs->body;
    int64_t end = pane_end(plan, pane_start(plan, time));
    if (end <= rule->skipped) /* those are an older version's */
        end = window_next_end(plan, rule->skipped);
    if (end <= rule->last_end)
        deadline_set(&en->heap, &rule->rows, &rule->row_tick, end);
}

static void close_row(struct engine *en, struct rule_state *rs, struct value key, int64_t end,
                      struct cell *nothing)
{
    uint64_t hash = key_hash(&key, 1);
    struct partition *part = partition_get(rs, hash, &key);
    if (part == NULL)
        part = partition_new(rs, hash, &key);
    else if (partition_is_stub(part)) /* the engine is broken */
        return;
    partition_touch(part);
    pane_close(en, pane_key_get(part), end, nothing);
}

/* The last time at which a window may begin. */
static int64_t last_begin(const struct engine *en)
{
    if (en->over != INT64_MAX)
        return en->over;
    return en->target == INT64_MAX ? en->now : INT64_MAX;
}

void rows_due(struct engine *en, struct rule_state *rs)
{
    const struct window_plan *plan = rs->rule->window;
    const struct row_table *rows = rows_of(en, rs);
    struct window_rule *rule = rs->body;
    int64_t end = rule->row_tick.due;
    record_charge_none(rs);
    struct cell *nothing = cell_new(rs);
    deadline_clear(&en->heap, &rule->row_tick);
    int64_t last = last_begin(en);
    /* Not one of a newer version, which was set when this one was the newest; none that time did not reach. */
    bool begun = end <= rule->last_end && window_start(plan, end) <= last;
    for (uint32_t row = 0; begun && row < row_table_count(rows); row++)
        close_row(en, rs, row_table_key(rows, row), end, nothing);
    record_charge_none(rs);
    cell_free(rs, &nothing);
    if (end <= last && window_next_end(plan, end) <= rule->last_end)
        deadline_set(&en->heap, &rule->rows, &rule->row_tick, window_next_end(plan, end));
}

void rows_encode(struct buf *out, const struct rule_state *rs)
{
    const struct window_rule *rule = rs->body;
    buf_add_u64(out, (uint64_t)(rule->row_tick.queue != NULL ? rule->row_tick.due : INT64_MIN));
}

bool rows_decode(struct restore *re, struct rule_state *rs, struct reader *r)
{
    struct window_rule *rule = rs->body;
    int64_t due = (int64_t)reader_u64(r);
    if (due != INT64_MIN && due < re->en->now)
        return false;
    if (due != INT64_MIN && rs->rule->window->in_table != UINT32_MAX)
        restore_deadline(re, &rule->rows, &rule->row_tick, due, 0);
    return !r->bad;
}
