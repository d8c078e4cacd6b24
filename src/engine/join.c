// SPDX-License-Identifier: Apache-2.0
/* join - see join.h. */
#include "engine/join.h"

#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/reader.h"
#include "engine/body.h"
#include "engine/engine_priv.h"
#include "engine/finding.h"
#include "engine/look_priv.h"
#include "engine/matcher.h"
#include "engine/run.h"
#include "engine/snapshot.h"
#include "event/event.h"
#include "plan/join_plan.h"

struct join_entry {
    struct deadline due;
    struct partition *part;
    struct event *ev;   /* owned reference */
    uint64_t seq;
    uint16_t stream;
    uint8_t side;
    bool paired;
};

struct join_side_state { /* entry[first..n) */
    struct join_entry **entry;
    size_t first, n, cap;
};

struct join_key {
    struct join_side_state side[2];
};

struct join_rule {
    struct deadline_queue queue[2];
};

/* When the last partner of an event of this side may come; not before the event itself. */
static int64_t partner_until(const struct join_plan *plan, int side, int64_t time)
{
    int64_t until = side == 0 ? time_plus(time, plan->high) : time_minus(time, plan->low);
    return until > time ? until : time;
}

static size_t entry_bytes(const struct join_entry *entry)
{
    return sizeof *entry + sizeof entry + run_event_bytes(entry->ev);
}

/* ---- pairs ---------------------------------------------------------------------------------- */

static bool side_holds(struct engine *en, const struct join_entry *own,
                       const struct join_entry *other)
{
    const struct rule_state *rs = own->part->rs;
    const struct code *cross = rs->rule->join->side[own->side].cross;
    if (cross == NULL)
        return true;
    struct bind bind = {.ev = other->ev, .stream = other->stream};
    struct bound bound[2] = {{0}, {0}};
    bound[other->side] = (struct bound){.last = &bind, .count = 1};
    struct vm *vm = &en->vm;
    vm->ev = own->ev;
    vm->ev_stream = own->stream;
    vm->bound = bound;
    vm->key = own->part->key;
    vm->counters = &en->rule[rs->rule->number].counters;
    return vm_test(vm, cross);
}

static void found_entries(struct engine *en, const struct join_entry *x, const struct join_entry *y,
                          int64_t time, uint64_t order)
{
    struct finding *found = finding_new(2);
    const struct join_entry *a = x->side == 0 ? x : y, *b = x->side == 0 ? y : x;
    found->ev = event_ref(x->ev);
    found->stream = x->stream;
    found->order = order;
    if (a != NULL) {
        finding_bind(found, 0, a->ev, a->stream);
        event_encode_position(&found->id, a->ev);
    }
    buf_add_u8(&found->id, '|');
    if (b != NULL) {
        finding_bind(found, 1, b->ev, b->stream);
        event_encode_position(&found->id, b->ev);
    }
    engine_found(en, x->part, found, time);
}

/* First entry with time >= from. */
static size_t seek(const struct join_side_state *side, int64_t from)
{
    size_t low = side->first, high = side->n;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (side->entry[mid]->ev->time < from)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

/* The partners of an event on one side, from the newest on. */
struct partners {
    struct join_entry *entry;
    const struct join_side_state *others;
    size_t first, at; /* others->entry[first..at) are left */
};

static struct partners partners_of(struct join_entry *entry)
{
    const struct join_plan *plan = entry->part->rs->rule->join;
    struct join_key *jk = entry->part->body;
    int64_t time = entry->ev->time;
    bool is_a = entry->side == 0;
    int64_t from = is_a ? time_plus(time, plan->low) : time_minus(time, plan->high);
    int64_t to = is_a ? time_plus(time, plan->high) : time_minus(time, plan->low);
    struct partners pa = {.entry = entry, .others = &jk->side[1 - entry->side]};
    pa.first = seek(pa.others, from);
    pa.at = pa.others->n;
    while (pa.at > pa.first && pa.others->entry[pa.at - 1]->ev->time > to)
        pa.at--;
    return pa;
}

static uint64_t newest_seq(const struct partners *pa)
{
    return pa->at > pa->first ? pa->others->entry[pa->at - 1]->seq : 0;
}

/*
 * Pairs of an event with all partners, on the sides that it fits, newest partner first: what
 * `limit matches` cuts, of the event whichever side it is on, is the oldest. Told oldest first.
 */
static void pair_up(struct engine *en, struct join_entry *const *added, int n_added)
{
    const struct join_plan *plan = added[0]->part->rs->rule->join;
    bool tells = !plan->side[0].negated && !plan->side[1].negated;
    struct partners side[2] = {{0}, {0}};
    uint64_t n = 0;
    for (int i = 0; i < n_added; i++)
        side[i] = partners_of(added[i]);
    for (;;) {
        struct partners *pa = newest_seq(&side[1]) > newest_seq(&side[0]) ? &side[1] : &side[0];
        if (pa->at == pa->first)
            return;
        struct join_entry *entry = pa->entry, *other = pa->others->entry[--pa->at];
        if (other->seq == entry->seq || !side_holds(en, entry, other) ||
            !side_holds(en, other, entry))
            continue;
        entry->paired = other->paired = true;
        if (!tells)
            continue;
        if (n++ >= plan->matches)
            entry->part->rs->stats.limited_matches++;
        else
            found_entries(en, entry, other, entry->ev->time, other->seq);
    }
}

/* ---- entries -------------------------------------------------------------------------------- */

static struct join_key *key_state(struct partition *part)
{
    if (part->body == NULL) {
        part->body = mem_calloc(1, sizeof(struct join_key));
        part->rs->stats.bytes += sizeof(struct join_key);
    }
    return part->body;
}

static struct join_entry *entry_add(struct partition *part, int side, struct event *ev,
                                    uint16_t stream, uint64_t seq)
{
    struct join_side_state *state = &key_state(part)->side[side];
    struct join_entry *entry = mem_calloc(1, sizeof *entry);
    entry->part = part;
    entry->side = (uint8_t)side;
    entry->ev = event_ref(ev);
    entry->stream = stream;
    entry->seq = seq;
    if (state->first > 32 && state->first * 2 > state->n) {
        for (size_t i = state->first; i < state->n; i++)
            state->entry[i - state->first] = state->entry[i];
        state->n -= state->first;
        state->first = 0;
    }
    state->entry = vec_reserve(state->entry, &state->cap, state->n + 1, sizeof *state->entry);
    state->entry[state->n++] = entry;
    part->rs->stats.bytes += entry_bytes(entry);
    return entry;
}

static void entry_free(struct engine *en, struct join_entry *entry)
{
    deadline_clear(&en->heap, &entry->due);
    entry->part->rs->stats.bytes -= entry_bytes(entry);
    event_unref(entry->ev);
    mem_free(entry);
}

/* Draining: it pairs with what is open, and is forgotten. */
static void offer_passing(struct engine *en, const struct offer *of)
{
    struct join_entry passing[2];
    struct join_entry *added[2];
    int n = 0;
    if (of->part->body == NULL)
        return;
    for (int side = 0; side < 2; side++) {
        if (!(of->fits >> side & 1))
            continue;
        passing[side] = (struct join_entry){.part = of->part, .ev = engine_kept(en), .seq = of->seq,
                                            .stream = of->stream[side], .side = (uint8_t)side};
        added[n++] = &passing[side];
    }
    if (n > 0)
        pair_up(en, added, n);
}

static void join_offer(struct engine *en, const struct offer *of)
{
    struct rule_state *rs = of->part->rs;
    struct join_rule *rule = rs->body;
    struct join_entry *added[2];
    int n = 0;
    if (rs->draining) {
        offer_passing(en, of);
        return;
    }
    for (int side = 0; side < 2; side++) {
        if (!(of->fits >> side & 1))
            continue;
        if (rs->stats.bytes >= rs->rule->limits.state) {
            rs->stats.limited_state++;
            continue;
        }
        struct join_entry *entry = entry_add(of->part, side, engine_kept(en), of->stream[side],
                                             of->seq);
        deadline_set(&en->heap, &rule->queue[side], &entry->due,
                     partner_until(rs->rule->join, side, of->ev->time));
        added[n++] = entry;
    }
    if (n > 0)
        pair_up(en, added, n);
}

static bool join_begins(const struct rule_state *rs, uint64_t fits)
{
    return fits != 0 && !rs->draining;
}

/* Told alone: the other side is optional or negated, and nothing paired. */
static bool is_told_alone(const struct join_plan *plan, const struct join_entry *entry)
{
    const struct join_side *other = &plan->side[1 - entry->side];
    return !entry->paired && (other->optional || other->negated);
}

static void join_part_fini(struct engine *en, struct partition *part)
{
    struct join_key *jk = part->body;
    for (int side = 0; jk != NULL && side < 2; side++) {
        for (size_t i = jk->side[side].first; i < jk->side[side].n; i++)
            entry_free(en, jk->side[side].entry[i]);
        mem_free(jk->side[side].entry);
    }
    if (jk != NULL)
        part->rs->stats.bytes -= sizeof *jk;
    mem_free(jk);
    part->body = NULL;
}

static bool join_empty(const struct partition *part)
{
    return part->body == NULL;
}

/* Mostly the oldest; not when the times of the join were changed by a reload. */
static void leave(struct join_side_state *state, const struct join_entry *entry)
{
    size_t at = state->first;
    while (state->entry[at] != entry)
        at++;
    for (; at > state->first; at--)
        state->entry[at] = state->entry[at - 1];
    state->first++;
}

static void join_due(struct engine *en, struct deadline *dl)
{
    struct join_entry *entry = (struct join_entry *)(void *)dl;
    struct partition *part = entry->part;
    struct join_key *jk = part->body;
    struct join_side_state *state = &jk->side[entry->side];
    partition_touch(part);
    if (is_told_alone(part->rs->rule->join, entry))
        found_entries(en, entry, NULL, entry->due.due, entry->seq);
    leave(state, entry);
    entry_free(en, entry);
    if (jk->side[0].first == jk->side[0].n && jk->side[1].first == jk->side[1].n)
        join_part_fini(en, part);
    partition_release(part);
}

static void join_rule_init(struct engine *en, struct rule_state *rs)
{
    struct join_rule *rule = rs->body = mem_calloc(1, sizeof *rule);
    const struct join_plan *plan = rs->rule->join;
    deadline_queue_init(&en->heap, &rule->queue[0], DEADLINE_BODY, plan->high, rs);
    deadline_queue_init(&en->heap, &rule->queue[1], DEADLINE_BODY, -plan->low, rs);
}

static void join_rule_fini(struct engine *en, struct rule_state *rs)
{
    (void)en;
    mem_free(rs->body);
    rs->body = NULL;
}

/* ---- snapshot ------------------------------------------------------------------------------- */

static void join_encode(struct encoding *ec, const struct partition *part)
{
    struct buf *out = &ec->body;
    const struct join_key *jk = part->body;
    for (int side = 0; side < 2; side++) {
        const struct join_side_state *state = &jk->side[side];
        buf_add_varint(out, state->n - state->first);
        for (size_t i = state->first; i < state->n; i++) {
            const struct join_entry *entry = state->entry[i];
            event_encode(out, entry->ev);
            buf_add_varint(out, entry->seq);
            encode_stream(ec, entry->stream);
            buf_add_u8(out, entry->paired);
            encode_due(ec, &entry->due);
        }
    }
}

static bool decode_entry(struct restore *re, struct partition *part, int side, struct reader *r,
                         struct join_entry **entry_out)
{
    struct join_rule *rule = part->rs->body;
    struct event *ev = event_decode(re, r);
    if (ev == NULL)
        return false;
    uint64_t seq = reader_varint(r);
    uint16_t stream = decode_stream(re, r);
    bool paired = reader_u8(r) != 0;
    int64_t due = decode_due(r);
    bool ok = !r->bad && due != NO_DUE && seq <= re->en->seq;
    if (ok) {
        *entry_out = entry_add(part, side, ev, stream, seq);
        (*entry_out)->paired = paired;
        restore_deadline(re, &rule->queue[side], &(*entry_out)->due, due, seq);
    }
    event_unref(ev);
    return ok;
}

static bool join_decode(struct restore *re, struct partition *part, struct reader *r)
{
    key_state(part);
    uint64_t total = 0;
    for (int side = 0; side < 2; side++) {
        uint64_t n = reader_varint(r);
        int64_t before = INT64_MIN;
        uint64_t last_seq = 0;
        for (uint64_t i = 0; i < n; i++, total++) {
            struct join_entry *entry;
            if (r->bad || !decode_entry(re, part, side, r, &entry) || entry->ev->time < before ||
                entry->ev->time > engine_latest(re->en) || entry->seq <= last_seq)
                return false;
            before = entry->ev->time;
            last_seq = entry->seq;
        }
    }
    return !r->bad && total > 0;
}

static void look_at_entry(struct buf *out, const struct join_entry *entry)
{
    const char *step = entry->part->rs->rule->step_name[entry->side];

    buf_adds(out, "\"step\":");
    buf_add_json_text(out, step, strlen(step));
    buf_addc(out, ',');
    look_add_time(out, "time", entry->ev->time);
    if (entry->due.queue) {
        buf_addc(out, ',');
        look_add_time(out, "deadline", entry->due.due);
    }
    buf_printf(out, ",\"paired\":%s,", entry->paired ? "true" : "false");
    look_add_event(out, entry->ev);
}

static void join_look(struct buf *out, const struct partition *part, struct looking_page *page)
{
    const struct join_key *jk = part->body;
    bool any = false;

    if (!jk)
        return;
    buf_adds(out, ",\"waiting\":[");
    for (int side = 0; side < 2; side++)
        for (size_t i = jk->side[side].first; i < jk->side[side].n; i++) {
            if (!look_tells(page, out))
                continue;
            buf_adds(out, any ? ",{" : "{");
            look_at_entry(out, jk->side[side].entry[i]);
            buf_addc(out, '}');
            any = true;
        }
    buf_printf(out, "],\"sides\":[%zu,%zu]", jk->side[0].n - jk->side[0].first,
               jk->side[1].n - jk->side[1].first);
}

const struct body_ops join_ops = {
    .rule_init = join_rule_init,
    .rule_fini = join_rule_fini,
    .begins = join_begins,
    .offer = join_offer,
    .due = join_due,
    .empty = join_empty,
    .part_fini = join_part_fini,
    .encode = join_encode,
    .decode = join_decode,
    .look = join_look,
};
