// SPDX-License-Identifier: Apache-2.0
/*
 * window_pane - tumbling and hopping windows of one key.
 *
 *   panes of `every`:   [p0) [p1) [p2) [p3) ...         an event changes one pane
 *   window of size 3:   [p0   p1   p2)
 *                            [p1   p2   p3)             closes every `every`, oldest first
 *
 * A hopping window's value is its panes merged. So that a close costs O(1) merges however many panes
 * a window has, closed panes form a queue of two stacks (Tangwongsan, Hirzel, Schneider 2017, "two
 * stacks"): `front[i]` holds panes i..mid merged, `back` those from mid on.
 *
 *     first ......... mid ......... done ... n
 *     |<-- front[] -->|<-- back --->| open  |
 *
 * Invariants:
 *  1. panes are sorted by start, without empty ones; first <= mid <= done <= n.
 *  2. the close deadline is the end of the earliest window that holds a pane and is not closed.
 *  3. which panes were merged in which order follows from first, mid and done, which a snapshot
 *     keeps: sums of doubles come out the same after a restore.
 */
#include "engine/window.h"

#include <string.h>

#include "base/arena.h"
#include "base/mem.h"
#include "engine/look_priv.h"
#include "engine/window_pane.h"

/* ---- telling ------------------------------------------------------------------------------- */

static void bind_kept(struct pane_key *pk, struct finding *found, int64_t start, int64_t end)
{
    const struct program_rule *rule = pk->part->rs->rule;
    for (uint32_t input = 0; input < rule->n_steps; input++) {
        uint32_t left = rule->keep;
        size_t from = pk->n;
        while (from > pk->first && left > 0) {
            const struct pane *pane = &pk->pane[--from];
            if (pane->start >= end || pane->start < start)
                continue;
            left -= pane->keep[input].n < left ? pane->keep[input].n : left;
        }
        left = rule->keep;
        uint32_t total = 0;
        for (size_t i = from; i < pk->n; i++) {
            if (pk->pane[i].start >= start && pk->pane[i].start < end)
                total += pk->pane[i].keep[input].n;
        }
        uint32_t skip = total > left ? total - left : 0;
        for (size_t i = from; i < pk->n; i++) {
            const struct keep_list *keep = &pk->pane[i].keep[input];
            if (pk->pane[i].start < start || pk->pane[i].start >= end)
                continue;
            uint32_t passed = skip < keep->n ? skip : keep->n;
            skip -= passed;
            keep_bind(found, input, keep, keep->n - passed);
        }
    }
}

static void tell(struct engine *en, struct pane_key *pk, const struct window_view *view,
                 struct event *ev, uint16_t stream, int64_t time, const struct mark *mark)
{
    const struct window_plan *plan = pk->part->rs->rule->window;
    struct finding *found = window_finding(en, pk->part, view, ev, stream);
    window_identify(en, found, plan->kind, view->start, view->end,
                    plan->fire == FIRE_ON_CLOSE ? NULL : ev);
    bind_kept(pk, found, view->start, view->end);
    if (mark != NULL) {
        found->revision = mark->revision;
        found->retracted = mark->retracted;
    }
    engine_found(en, pk->part, found, time);
}

/* A window closes, or a late event changed a closed one. */
static void decide(struct engine *en, struct pane_key *pk, int64_t start, int64_t end,
                   struct cell *cell)
{
    struct rule_state *rs = pk->part->rs;
    const struct window_plan *plan = rs->rule->window;
    struct window_view view = {.rs = rs, .cell = cell, .prev = pk->prev, .start = start,
                               .end = end};
    bool holds = window_holds(en, pk->part, &view, NULL, 0);
    if (plan->late < 0) {
        if (holds)
            tell(en, pk, &view, NULL, 0, end, NULL);
        return;
    }
    struct mark *mark = pane_mark(pk, start);
    if (!holds && (!mark->told || mark->retracted))
        return;
    if (mark->told)
        mark->revision++;
    mark->told = true;
    mark->retracted = !holds;
    tell(en, pk, &view, NULL, 0, end, mark);
}

/* ---- one event ------------------------------------------------------------------------------ */

static void empty_windows(struct engine *en, struct pane_key *pk)
{
    deadline_clear(&en->heap, &pk->close);
    pane_drop_all(pk);
}

/* `fire` at an event, for the window that ends at `end`; true if the windows were emptied. */
static bool fire_window(struct engine *en, struct pane_key *pk, const struct offer *of, int64_t end,
                        struct cell *cell, uint16_t stream)
{
    struct rule_state *rs = pk->part->rs;
    const struct window_plan *plan = rs->rule->window;
    struct window_view view = {.rs = rs, .cell = cell, .prev = pk->prev,
                               .start = window_start(plan, end), .end = end};
    struct mark *mark = pane_mark(pk, view.start);
    if (plan->fire == FIRE_ON_MATCH && mark->fired)
        return false;
    if (!window_holds(en, pk->part, &view, of->ev, stream)) {
        mark->disarmed = false;
        return false;
    }
    if (mark->disarmed)
        return false;
    if (plan->fire == FIRE_ON_CHANGE) {
        uint8_t hash[16];
        window_emitted_hash(en, pk->part, &view, of->ev, stream, hash);
        if (mark->has_hash && memcmp(hash, mark->hash, sizeof hash) == 0)
            return false;
        memcpy(mark->hash, hash, sizeof hash);
        mark->has_hash = true;
    }
    mark->fired = true;
    tell(en, pk, &view, engine_kept(en), stream, of->ev->time, NULL);
    if (plan->fire != FIRE_ON_MATCH_RESET)
        return false;
    return true;
}

/* After `reset`, the windows that hold the pane: armed unless `having` holds over nothing too. */
static void arm(struct engine *en, struct pane_key *pk, int64_t pane, int64_t last)
{
    struct rule_state *rs = pk->part->rs;
    const struct window_plan *plan = rs->rule->window;
    struct cell *nothing = cell_new(rs);
    for (int64_t end = pane_end(plan, pane); end <= last; end = window_next_end(plan, end)) {
        struct window_view view = {.rs = rs, .cell = nothing, .prev = pk->prev,
                                   .start = window_start(plan, end), .end = end};
        pane_mark(pk, view.start)->disarmed = window_holds(en, pk->part, &view, NULL, 0);
    }
    cell_free(rs, &nothing);
}

/* The panes from each on merged, up to the last, so that windows that begin in turn cost one merge
 * each. [first..n), those in use; the last is borrowed. */
struct suffixes {
    struct cell **cell;
    size_t first;
};

static struct suffixes merge_suffixes(struct engine *en, struct pane_key *pk, int64_t start)
{
    struct rule_state *rs = pk->part->rs;
    struct suffixes su = {.cell = arena_alloc_raw(en->scratch, pk->n * sizeof *su.cell)};
    su.first = pk->n - 1;
    su.cell[su.first] = pk->pane[su.first].cell;
    while (su.first > pk->first && pk->pane[su.first - 1].start >= start) {
        struct cell *cell = cell_clone(rs, pk->pane[--su.first].cell);
        cell_merge(rs, cell, su.cell[su.first + 1]);
        su.cell[su.first] = cell;
    }
    return su;
}

static void free_suffixes(struct pane_key *pk, struct suffixes *su, size_t n)
{
    for (size_t i = su->first; i + 1 < n; i++)
        cell_free(pk->part->rs, &su->cell[i]);
}

/* The first window that holds the pane and may still tell. */
static int64_t first_end(const struct window_plan *plan, struct pane_key *pk, int64_t pane,
                         int64_t last)
{
    int64_t end = pane_end(plan, pane);
    while (end <= last && (end <= pk->closed ||
                           (plan->fire == FIRE_ON_MATCH &&
                            pane_mark(pk, window_start(plan, end))->fired)))
        end = window_next_end(plan, end);
    return end;
}

/* The last window that holds the pane and is this version's. */
static int64_t last_end(const struct rule_state *rs, int64_t pane)
{
    const struct window_rule *rule = rs->body;
    int64_t end = pane_last_end(rs->rule->window, pane);
    return end < rule->last_end ? end : rule->last_end;
}

/* Windows that hold the event, oldest first: each is the panes from its start on. Behind the event's
 * own pane there are others only if the event is late. */
static void fire_at_event(struct engine *en, struct pane_key *pk, const struct offer *of,
                          int64_t pane, uint16_t stream)
{
    const struct window_plan *plan = pk->part->rs->rule->window;
    int64_t last = last_end(pk->part->rs, pane), end = first_end(plan, pk, pane, last);
    if (end > last)
        return;
    struct suffixes su = merge_suffixes(en, pk, window_start(plan, end));
    size_t n = pk->n, at = su.first;
    for (bool emptied = false; end <= last && !emptied; end = window_next_end(plan, end)) {
        bool borrowed = true;
        int64_t start = window_start(plan, end);
        while (at < n && pk->pane[at].start < start)
            at++;
        struct cell *cell = pk->pane[n - 1].start >= end ? pane_window(pk, start, end, &borrowed)
                            : at < n                     ? su.cell[at]
                                                         : NULL;
        emptied = cell != NULL && fire_window(en, pk, of, end, cell, stream);
        if (!borrowed)
            cell_free(pk->part->rs, &cell);
        if (!emptied)
            continue;
        free_suffixes(pk, &su, n);
        empty_windows(en, pk);
        arm(en, pk, pane, last);
        return;
    }
    free_suffixes(pk, &su, n);
}

/* End of the earliest window that holds a pane and is not closed; INT64_MAX: none. */
static int64_t next_close(const struct pane_key *pk)
{
    const struct window_plan *plan = pk->part->rs->rule->window;
    const struct window_rule *rule = pk->part->rs->body;
    int64_t next = INT64_MAX;
    for (size_t i = pk->first; i < pk->n && next == INT64_MAX; i++) {
        int64_t end = pane_end(plan, pk->pane[i].start);
        int64_t behind = window_next_end(plan, pk->closed);
        if (end > pk->closed)
            next = end;
        else if (behind > pk->closed && pane_last_end(plan, pk->pane[i].start) >= behind)
            next = behind;
    }
    return next <= rule->last_end ? next : INT64_MAX;
}

static bool rows_tick(const struct window_plan *plan)
{
    return plan->in_table != UINT32_MAX && plan->fire == FIRE_ON_CLOSE;
}

static void set_close(struct engine *en, struct pane_key *pk)
{
    struct window_rule *rule = pk->part->rs->body;
    if (rows_tick(pk->part->rs->rule->window)) /* all rows close together */
        return;
    int64_t due = next_close(pk);
    if (due == INT64_MAX)
        deadline_clear(&en->heap, &pk->close);
    else if (pk->close.queue == NULL || pk->close.due != due)
        deadline_set(&en->heap, &rule->close, &pk->close, due);
}

static void set_retain(struct engine *en, struct pane_key *pk)
{
    struct rule_state *rs = pk->part->rs;
    const struct window_plan *plan = rs->rule->window;
    struct window_rule *rule = rs->body;
    if (plan->late < 0 || pk->first == pk->n)
        return;
    int64_t due = time_plus(pane_last_end(plan, pk->pane[pk->n - 1].start), plan->late);
    if (pk->retain.queue == NULL || pk->retain.due < due)
        deadline_set(&en->heap, &rule->retain, &pk->retain, due);
}

static void set_deadlines(struct engine *en, struct pane_key *pk, int64_t end)
{
    struct window_rule *rule = pk->part->rs->body;
    set_close(en, pk);
    set_retain(en, pk);
    /* Emptied by `reset`: what is left (values before, what is disarmed) goes when its windows would
     * have closed. */
    int64_t until = pane_disarmed_until(pk);
    if (pk->first == pk->n)
        deadline_set(&en->heap, &rule->close, &pk->close, until > end ? until : end);
}

/* Does any window that holds this time belong to this version of the rule? */
static bool is_ours(const struct rule_state *rs, int64_t time)
{
    const struct window_rule *rule = rs->body;
    if (rule->skipped == INT64_MIN && rule->last_end == INT64_MAX)
        return true;
    int64_t pane = pane_start(rs->rule->window, time);
    return rule->skipped < rule->last_end && pane_last_end(rs->rule->window, pane) > rule->skipped &&
           pane_end(rs->rule->window, pane) <= rule->last_end;
}

/* The event into its pane; returns the pane's start and the stream of the last input it fits. */
static int64_t add_event(struct engine *en, struct pane_key *pk, const struct offer *of,
                         uint16_t *stream_out)
{
    struct rule_state *rs = pk->part->rs;
    const struct window_plan *plan = rs->rule->window;
    struct taken *taken = arena_alloc_raw(en->scratch, (plan->n_aggregates + 1) * sizeof *taken);
    int64_t start = pane_start(plan, of->ev->time);
    struct pane *pane = pane_get(pk, start);
    struct stamp stamp = {.time = of->ev->time, .seq = of->seq};
    for (uint64_t bits = of->fits; bits != 0; bits &= bits - 1) {
        uint16_t input = (uint16_t)__builtin_ctzll(bits);
        window_take(en, of, input, taken);
        cell_add(rs, pane->cell, taken, stamp);
        keep_add(rs, &pane->keep[input], engine_kept(en), of->stream[input]);
        *stream_out = of->stream[input];
    }
    return start;
}

static void set_prev(struct engine *en, struct pane_key *pk, const struct offer *of)
{
    const struct window_plan *plan = pk->part->rs->rule->window;
    if (pk->prev == NULL)
        return;
    struct taken *taken = arena_alloc_raw(en->scratch, (plan->n_aggregates + 1) * sizeof *taken);
    for (uint64_t bits = of->fits; bits != 0; bits &= bits - 1) {
        window_take(en, of, (uint16_t)__builtin_ctzll(bits), taken);
        prev_set(pk->part->rs, pk->prev, taken);
    }
}

static void pane_offer(struct engine *en, const struct offer *of)
{
    const struct window_plan *plan = of->part->rs->rule->window;
    if (plan->in_table != UINT32_MAX && !rows_hold(en, of->part->rs, of->part->key)) {
        of->part->rs->stats.no_key++;
        return;
    }
    if (!is_ours(of->part->rs, of->ev->time))
        return;
    struct pane_key *pk = pane_key_get(of->part);
    uint16_t stream = 0;
    int64_t pane = add_event(en, pk, of, &stream);
    if (plan->fire != FIRE_ON_CLOSE)
        fire_at_event(en, pk, of, pane, stream);
    set_prev(en, pk, of);
    set_deadlines(en, pk, pane_end(plan, pane));
}

/* A late event: open windows take it, closed ones that are kept are told again. */
static void pane_offer_late(struct engine *en, const struct offer *of)
{
    const struct window_plan *plan = of->part->rs->rule->window;
    if (time_plus(pane_last_end(plan, pane_start(plan, of->ev->time)), plan->late) < en->now ||
        !is_ours(of->part->rs, of->ev->time))
        return;
    struct pane_key *pk = pane_key_get(of->part);
    const struct window_rule *rule = of->part->rs->body;
    uint16_t stream = 0;
    /* What ended before now is closed, also for a key that had nothing then. */
    int64_t closed = window_floor(en->now, plan->every, plan->offset);
    if (plan->zone != NULL)
        closed = pane_start(plan, en->now);
    if (closed == en->now)
        closed = plan->zone != NULL ? pane_start(plan, closed - 1) : time_minus(closed, plan->every);
    if (pk->closed < closed)
        pk->closed = closed;
    int64_t pane = add_event(en, pk, of, &stream), last = last_end(of->part->rs, pane);
    for (int64_t end = pane_end(plan, pane); end <= last && end <= pk->closed;
         end = window_next_end(plan, end)) {
        bool borrowed = true;
        if (plan->fire != FIRE_ON_CLOSE || time_plus(end, plan->late) < en->now ||
            end <= rule->skipped)
            continue;
        struct cell *cell = pane_window(pk, window_start(plan, end), end, &borrowed);
        decide(en, pk, window_start(plan, end), end, cell);
        if (!borrowed)
            cell_free(pk->part->rs, &cell);
    }
    if (plan->fire != FIRE_ON_CLOSE)
        fire_at_event(en, pk, of, pane, stream);
    set_deadlines(en, pk, window_next_end(plan, closed));
}

static bool pane_begins(const struct rule_state *rs, uint64_t fits)
{
    (void)rs;
    return fits != 0;
}

/* ---- lifetime and deadlines ----------------------------------------------------------------- */

static void pane_part_fini(struct engine *en, struct partition *part)
{
    struct pane_key *pk = part->body;
    if (pk == NULL)
        return;
    empty_windows(en, pk);
    deadline_clear(&en->heap, &pk->retain);
    prev_free(part->rs, &pk->prev);
    mem_free(pk->pane);
    mem_free(pk->mark);
    part->rs->stats.bytes -= sizeof *pk;
    mem_free(pk);
    part->body = NULL;
}

static bool pane_empty(const struct partition *part)
{
    return part->body == NULL;
}

/* Panes of which every window is closed, and past `allow late`. */
static void drop_past(struct pane_key *pk, int64_t now)
{
    const struct window_plan *plan = pk->part->rs->rule->window;
    int64_t late = plan->late > 0 ? plan->late : 0;
    while (pk->first < pk->n &&
           time_plus(pane_last_end(plan, pk->pane[pk->first].start), late) <= now)
        pane_drop_oldest(pk);
    pane_drop_marks(pk, time_minus(window_start(plan, pk->closed), late));
}

static void release_if_empty(struct engine *en, struct pane_key *pk)
{
    struct partition *part = pk->part;
    struct window_rule *rule = part->rs->body;
    int64_t until = pane_disarmed_until(pk);
    if (pk->first == pk->n && until > pk->closed)
        deadline_set(&en->heap, &rule->close, &pk->close, until);
    else if (pk->first == pk->n)
        pane_part_fini(en, part);
    partition_release(part);
}

void pane_close(struct engine *en, struct pane_key *pk, int64_t end, struct cell *nothing)
{
    const struct window_plan *plan = pk->part->rs->rule->window;
    int64_t start = window_start(plan, end);
    if (plan->fire == FIRE_ON_CLOSE) {
        bool borrowed = true;
        struct cell *cell = pane_closing(pk, start, end, &borrowed);
        if (cell != NULL || nothing != NULL)
            decide(en, pk, start, end, cell != NULL ? cell : nothing);
        if (!borrowed)
            cell_free(pk->part->rs, &cell);
    }
    pk->closed = end;
    drop_past(pk, end);
    if (end >= ((const struct window_rule *)pk->part->rs->body)->last_end && plan->late < 0)
        pane_drop_all(pk); /* what is left is of windows of the newer version */
    set_close(en, pk);
    release_if_empty(en, pk);
}

static void pane_due(struct engine *en, struct deadline *dl)
{
    struct rule_state *rs = dl->queue->owner;
    struct window_rule *rule = rs->body;
    if (dl == &rule->row_tick) {
        rows_due(en, rs);
        return;
    }
    if (dl->queue == &rule->retain) {
        struct pane_key *pk = (struct pane_key *)(void *)((char *)dl -
                                                          offsetof(struct pane_key, retain));
        partition_touch(pk->part);
        deadline_clear(&en->heap, dl);
        drop_past(pk, INT64_MAX - 1);
        release_if_empty(en, pk);
        return;
    }
    struct pane_key *pk = (struct pane_key *)(void *)((char *)dl -
                                                      offsetof(struct pane_key, close));
    partition_touch(pk->part);
    int64_t end = dl->due;
    deadline_clear(&en->heap, dl);
    pane_close(en, pk, end, NULL);
}

static bool pane_decode(struct restore *re, struct partition *part, struct reader *r)
{
    struct rule_state *rs = part->rs;
    struct window_rule *rule = rs->body;
    struct pane_key *pk = pane_key_get(part);
    if (!pane_decode_state(re, pk, r))
        return false;
    const struct window_plan *plan = rs->rule->window;
    int64_t due = pk->close.due, retain = pk->retain.due;
    bool empty = pk->first == pk->n, ticks = rows_tick(plan);
    if (ticks) /* they close together, whatever it was when this was written */
        due = NO_DUE;
    else if ((!empty && due != next_close(pk)) || (pk->closed > engine_latest(re->en) && pk->closed > rule->skipped))
        return false;
    if (due < re->en->now) /* that window would have been closed */
        return false;
    if (retain == NO_DUE && plan->late >= 0 && !empty)
        retain = time_plus(pane_last_end(plan, pk->pane[pk->n - 1].start), plan->late);
    if (due == NO_DUE && retain == NO_DUE && !ticks)
        return false; /* no state without an end */
    if (due != NO_DUE)
        restore_deadline(re, &rule->close, &pk->close, due, 0);
    if (retain != NO_DUE)
        restore_deadline(re, &rule->retain, &pk->retain, retain, 0);
    return true;
}

static void pane_begin(struct engine *en, struct rule_state *rs, int64_t time)
{
    if (rows_tick(rs->rule->window))
        rows_begin(en, rs, time);
}

/* Windows that start in (begins, ends]: those before are an older version's, those behind a newer's. */
static void pane_bound(struct rule_state *rs)
{
    const struct window_plan *plan = rs->rule->window;
    struct window_rule *rule = rs->body;
    if (rs->begins > INT64_MIN)
        rule->skipped = pane_last_end(plan, pane_start(plan, rs->begins));
    if (rs->ends == INT64_MIN)
        rule->last_end = INT64_MIN;
    else if (rs->ends < INT64_MAX)
        rule->last_end = pane_last_end(plan, pane_start(plan, rs->ends));
}

static int64_t pane_takes_until(const struct rule_state *rs)
{
    const struct window_rule *rule = rs->body;
    int64_t late = rs->rule->window->late;
    return rule->last_end <= rule->skipped ? INT64_MIN : time_plus(rule->last_end, late > 0 ? late : 0);
}

static void pane_look(struct buf *out, const struct partition *part, struct looking_page *page)
{
    const struct pane_key *pk = part->body;
    bool any = false;

    buf_adds(out, ",\"panes\":[");
    for (size_t i = pk ? pk->first : 0; pk && i < pk->n; i++) {
        if (!look_tells(page, out))
            continue;
        buf_adds(out, any ? ",{" : "{");
        window_look_time(out, "start", pk->pane[i].start);
        buf_addc(out, ',');
        window_look_cell(out, part->rs, pk->pane[i].cell);
        buf_addc(out, '}');
        any = true;
    }
    buf_addc(out, ']');
    if (pk && pk->close.queue) {
        buf_addc(out, ',');
        window_look_time(out, "next_end", pk->close.due);
    }
}

const struct body_ops pane_ops = {
    .rule_init = window_rule_init,
    .rule_fini = window_rule_fini,
    .begins = pane_begins,
    .offer = pane_offer,
    .offer_late = pane_offer_late,
    .due = pane_due,
    .empty = pane_empty,
    .part_fini = pane_part_fini,
    .encode = pane_encode,
    .ahead = pane_ahead,
    .decode = pane_decode,
    .look = pane_look,
    .begin = pane_begin,
    .bound = pane_bound,
    .takes_until = pane_takes_until,
    .encode_rule = rows_encode,
    .decode_rule = rows_decode,
};
