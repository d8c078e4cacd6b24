// SPDX-License-Identifier: Apache-2.0
/* window_pane_state - the panes of a key, merged in two stacks; marks; snapshot. See window_pane.c. */
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/reader.h"
#include "engine/window_pane.h"

enum { AHEAD = 256 }; /* bytes of a cell that are fetched */

struct pane_key *pane_key_get(struct partition *part)
{
    if (part->body == NULL) {
        struct pane_key *pk = part->body = mem_calloc(1, sizeof *pk);
        pk->part = part;
        pk->closed = ((const struct window_rule *)part->rs->body)->skipped;
        pk->prev = prev_new(part->rs);
        part->rs->stats.bytes += sizeof *pk;
    }
    return part->body;
}

static void drop_stacks(struct pane_key *pk)
{
    for (size_t i = pk->first; pk->front != NULL && i < pk->mid; i++)
        cell_free(pk->part->rs, &pk->front[i]);
    mem_free(pk->front);
    pk->front = NULL;
    cell_free(pk->part->rs, &pk->back);
    pk->mid = pk->done = pk->first;
}

static void pane_fini(struct rule_state *rs, struct pane *pane)
{
    for (uint32_t i = 0; i < rs->rule->n_steps; i++)
        keep_clear(rs, &pane->keep[i]);
    mem_free(pane->keep);
    cell_free(rs, &pane->cell);
    rs->stats.bytes -= sizeof *pane + rs->rule->n_steps * sizeof *pane->keep;
}

void pane_drop_oldest(struct pane_key *pk)
{
    struct rule_state *rs = pk->part->rs;
    if (pk->first < pk->mid)
        cell_free(rs, &pk->front[pk->first]);
    pane_fini(rs, &pk->pane[pk->first++]);
    if (pk->first > pk->done)
        pk->done = pk->first;
    if (pk->first <= pk->mid)
        return;
    /* All that `front` held is gone: the stacks are made anew from the panes that are left. */
    drop_stacks(pk);
}

static void compact(struct pane_key *pk)
{
    if (pk->front != NULL || pk->first < 32 || pk->first * 2 < pk->n)
        return;
    memmove(pk->pane, pk->pane + pk->first, (pk->n - pk->first) * sizeof *pk->pane);
    pk->n -= pk->first;
    pk->done -= pk->first;
    pk->mid -= pk->first;
    pk->first = 0;
}

struct pane *pane_get(struct pane_key *pk, int64_t start)
{
    struct rule_state *rs = pk->part->rs;
    size_t at = pk->n;
    while (at > pk->first && pk->pane[at - 1].start > start)
        at--;
    bool is_there = at > pk->first && pk->pane[at - 1].start == start;
    /* A late event changes what was merged. */
    if (is_there ? at - 1 < pk->done : at < pk->done)
        drop_stacks(pk);
    if (is_there)
        return &pk->pane[at - 1];
    compact(pk);
    at = pk->n;
    while (at > pk->first && pk->pane[at - 1].start > start)
        at--;
    pk->pane = vec_reserve(pk->pane, &pk->cap, pk->n + 1, sizeof *pk->pane);
    memmove(pk->pane + at + 1, pk->pane + at, (pk->n - at) * sizeof *pk->pane);
    pk->n++;
    struct pane *pane = &pk->pane[at];
    *pane = (struct pane){.start = start, .cell = cell_new(rs)};
    pane->keep = mem_calloc(rs->rule->n_steps + 1, sizeof *pane->keep);
    rs->stats.bytes += sizeof *pane + rs->rule->n_steps * sizeof *pane->keep;
    return pane;
}

/* Panes 0..done into the two stacks; `done` grows to take in all panes that end by `end`. False, and
 * no stacks, if the state is half of `limit state`: merged sets of values may be many times as large. */
static bool stack_up_to(struct pane_key *pk, int64_t end)
{
    struct rule_state *rs = pk->part->rs;
    uint64_t most = rs->rule->limits.state / 2; /* the rest is for values */
    const struct window_plan *plan = rs->rule->window;
    size_t done = pk->done;
    while (done < pk->n && pane_end(plan, pk->pane[done].start) <= end)
        done++;
    if (pk->front == NULL && pk->mid == pk->first) {
        pk->mid = pk->done = done;
        pk->front = mem_calloc(done + 1, sizeof *pk->front);
        for (size_t i = done; i-- > pk->first && rs->stats.bytes < most;) {
            pk->front[i] = cell_clone(rs, pk->pane[i].cell);
            if (i + 1 < done)
                cell_merge(rs, pk->front[i], pk->front[i + 1]);
        }
    }
    for (; pk->done < done && rs->stats.bytes < most; pk->done++) {
        if (pk->back == NULL)
            pk->back = cell_new(rs);
        cell_merge(rs, pk->back, pk->pane[pk->done].cell);
    }
    if (rs->stats.bytes < most)
        return true;
    drop_stacks(pk);
    pk->direct = done - pk->first;
    return false;
}

/* Panes with start in [start, end) merged; owned by the caller unless *borrowed_out. NULL: none. */
struct cell *pane_window(struct pane_key *pk, int64_t start, int64_t end,
                                bool *borrowed_out)
{
    struct rule_state *rs = pk->part->rs;
    struct cell *cell = NULL, *only = NULL;
    for (size_t i = pk->first; i < pk->n && pk->pane[i].start < end; i++) {
        if (pk->pane[i].start < start)
            continue;
        *borrowed_out = only == NULL;
        if (only == NULL) {
            only = pk->pane[i].cell;
        } else {
            if (cell == NULL)
                cell = cell_clone(rs, only);
            cell_merge(rs, cell, pk->pane[i].cell);
        }
    }
    return cell != NULL ? cell : only;
}

/* The oldest panes up to `done`, of the stacks. */
static struct cell *stacked(struct pane_key *pk, bool *borrowed_out)
{
    struct rule_state *rs = pk->part->rs;
    *borrowed_out = false;
    if (pk->first == pk->mid)
        return pk->back != NULL ? cell_clone(rs, pk->back) : NULL;
    struct cell *cell = cell_clone(rs, pk->front[pk->first]);
    if (pk->back != NULL)
        cell_merge(rs, cell, pk->back);
    return cell;
}

/* The closing window: the oldest panes are its first. */
struct cell *pane_closing(struct pane_key *pk, int64_t start, int64_t end, bool *borrowed_out)
{
    const struct window_plan *plan = pk->part->rs->rule->window;
    bool aligned = pk->first < pk->n && pk->pane[pk->first].start >= start;
    if (plan->kind == WINDOW_TUMBLING || !aligned || plan->late >= 0)
        return pane_window(pk, start, end, borrowed_out);
    if (pk->direct > 0)
        pk->direct--;
    else if (stack_up_to(pk, end))
        return stacked(pk, borrowed_out);
    return pane_window(pk, start, end, borrowed_out);
}

void pane_drop_all(struct pane_key *pk)
{
    drop_stacks(pk);
    while (pk->first < pk->n)
        pane_fini(pk->part->rs, &pk->pane[pk->first++]);
    pk->first = pk->mid = pk->done = pk->n = 0;
    pane_drop_marks(pk, INT64_MAX);
}

/* ---- marks ---------------------------------------------------------------------------------- */

/* The first mark at or behind the start. */
static size_t seek_mark(const struct pane_key *pk, int64_t start)
{
    size_t low = 0, high = pk->n_marks;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (pk->mark[mid].start < start)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

struct mark *pane_mark(struct pane_key *pk, int64_t start)
{
    size_t at = seek_mark(pk, start);
    if (at < pk->n_marks && pk->mark[at].start == start)
        return &pk->mark[at];
    pk->mark = vec_reserve(pk->mark, &pk->cap_marks, pk->n_marks + 1, sizeof *pk->mark);
    memmove(pk->mark + at + 1, pk->mark + at, (pk->n_marks - at) * sizeof *pk->mark);
    pk->n_marks++;
    pk->part->rs->stats.bytes += sizeof *pk->mark;
    pk->mark[at] = (struct mark){.start = start};
    return &pk->mark[at];
}

/* Marks of windows that nothing can change any more. */
void pane_drop_marks(struct pane_key *pk, int64_t before)
{
    size_t gone = seek_mark(pk, before);
    if (gone == 0)
        return;
    memmove(pk->mark, pk->mark + gone, (pk->n_marks - gone) * sizeof *pk->mark);
    pk->n_marks -= gone;
    pk->part->rs->stats.bytes -= gone * sizeof *pk->mark;
}

/* ---- snapshot ------------------------------------------------------------------------------- */

int64_t pane_disarmed_until(const struct pane_key *pk)
{
    size_t i = pk->n_marks;
    while (i > 0 && !pk->mark[i - 1].disarmed)
        i--;
    /* The last window of a pane begins with it. */
    return i > 0 ? pane_last_end(pk->part->rs->rule->window, pk->mark[i - 1].start) : INT64_MIN;
}

static void encode_mark(struct buf *out, const struct mark *mark)
{
    buf_add_u64(out, (uint64_t)mark->start);
    buf_add_u8(out, (uint8_t)(mark->fired | mark->told << 1 | mark->retracted << 2 |
                              mark->has_hash << 3 | mark->disarmed << 4));
    buf_add(out, mark->hash, sizeof mark->hash);
    buf_add_varint(out, mark->revision);
}

void pane_encode(struct encoding *ec, const struct partition *part)
{
    struct buf *out = &ec->body;
    const struct pane_key *pk = part->body;
    const struct rule_state *rs = part->rs;
    buf_add_u8(out, 0); /* no flags */
    buf_add_u64(out, (uint64_t)pk->closed);
    encode_due(ec, &pk->close);
    encode_due(ec, &pk->retain);
    buf_add_varint(out, pk->n - pk->first);
    buf_add_varint(out, pk->front != NULL ? pk->mid - pk->first + 1 : 0);
    buf_add_varint(out, pk->done - pk->first);
    buf_add_varint(out, pk->direct);
    for (size_t i = pk->first; i < pk->n; i++) {
        buf_add_u64(out, (uint64_t)pk->pane[i].start);
        cell_encode(out, rs, pk->pane[i].cell);
        for (uint32_t input = 0; input < rs->rule->n_steps; input++)
            keep_encode(ec, &pk->pane[i].keep[input]);
    }
    buf_add_varint(out, pk->n_marks);
    for (size_t i = 0; i < pk->n_marks; i++)
        encode_mark(out, &pk->mark[i]);
    prev_encode(out, rs, pk->prev);
}

/* Of the oldest pane: most keys have one. */
void pane_ahead(const struct partition *part, unsigned step)
{
    const struct pane_key *pk = part->body;
    const struct window_rule *rule = part->rs->body;
    if (pk->first == pk->n)
        return;
    const struct pane *pane = &pk->pane[pk->first];
    if (step == 1) {
        mem_prefetch(pane, sizeof *pane);
    } else if (step == 2) {
        mem_prefetch(pane->cell, rule->cell_size < AHEAD ? rule->cell_size : AHEAD);
        mem_prefetch(pane->keep, sizeof *pane->keep);
    } else if (part->rs->rule->n_steps > 0) {
        keep_ahead(pane->keep, step - 3);
    }
}

static bool decode_mark(struct pane_key *pk, struct reader *r)
{
    struct mark *mark = pane_mark(pk, (int64_t)reader_u64(r));
    uint8_t bits = reader_u8(r);
    mark->fired = bits & 1;
    mark->told = bits >> 1 & 1;
    mark->retracted = bits >> 2 & 1;
    mark->has_hash = bits >> 3 & 1;
    mark->disarmed = bits >> 4 & 1;
    for (size_t i = 0; i < sizeof mark->hash; i++)
        mark->hash[i] = reader_u8(r);
    uint64_t revision = reader_varint(r);
    mark->revision = (uint32_t)revision;
    return !r->bad && revision <= UINT32_MAX;
}

static bool decode_pane(struct restore *re, struct pane_key *pk, struct reader *r, int64_t *before)
{
    struct rule_state *rs = pk->part->rs;
    int64_t start = (int64_t)reader_u64(r);
    if (r->bad || start <= *before || pane_start(rs->rule->window, start) != start)
        return false;
    *before = start;
    struct pane *pane = pane_get(pk, start);
    if (!cell_decode(rs, pane->cell, r))
        return false;
    for (uint32_t input = 0; input < rs->rule->n_steps; input++) {
        if (!keep_decode(re, rs, &pane->keep[input], r))
            return false;
    }
    return true;
}

/* The stacks as they were: the same merges in the same order. */
static void restore_stacks(struct pane_key *pk, uint64_t mid, uint64_t done)
{
    struct rule_state *rs = pk->part->rs;
    pk->mid = mid;
    pk->done = done;
    pk->front = mem_calloc(mid + 1, sizeof *pk->front);
    for (size_t i = mid; i-- > 0;) {
        pk->front[i] = cell_clone(rs, pk->pane[i].cell);
        if (i + 1 < mid)
            cell_merge(rs, pk->front[i], pk->front[i + 1]);
    }
    for (size_t i = mid; i < done; i++) {
        if (pk->back == NULL)
            pk->back = cell_new(rs);
        cell_merge(rs, pk->back, pk->pane[i].cell);
    }
}

bool pane_decode_state(struct restore *re, struct pane_key *pk, struct reader *r)
{
    int64_t before = INT64_MIN;
    reader_u8(r);
    pk->closed = (int64_t)reader_u64(r);
    pk->close.due = decode_due(r);
    pk->retain.due = decode_due(r);
    uint64_t n = reader_varint(r), mid = reader_varint(r), done = reader_varint(r);
    pk->direct = reader_varint(r);
    if (r->bad || n > reader_left(r) || done > n || mid > done + 1)
        return false;
    for (uint64_t i = 0; i < n; i++) {
        if (r->bad || !decode_pane(re, pk, r, &before))
            return false;
    }
    if (mid > 0)
        restore_stacks(pk, mid - 1, done);
    uint64_t n_marks = reader_varint(r);
    for (uint64_t i = 0; i < n_marks; i++) {
        if (r->bad || !decode_mark(pk, r))
            return false;
    }
    return prev_decode(pk->part->rs, pk->prev, r);
}
