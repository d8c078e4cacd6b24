// SPDX-License-Identifier: Apache-2.0
/*
 * window_session - session windows of one key.
 *
 *   open --event at most `gap` behind its last, at most `max` behind its start--> grows
 *   open --deadline min(last + gap, start + max) passed--> closed: told if `having` holds
 *   closed --no `allow late`--> gone
 *   closed --late event in reach--> grows, told again (revision); two that it bridges become one: the
 *           earlier keeps its identity, the later is retracted
 *   closed --end + late passed--> gone
 *   open --late event moves its start, so that start + max has passed--> closed: told if `having` holds
 *
 * Invariants:
 *  1. sessions are sorted by start and do not overlap; without late events only the last is open.
 *  2. an open session's deadline is its end; an event at that very time still belongs to it.
 */
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/reader.h"
#include "engine/look_priv.h"
#include "engine/window.h"
#include "engine/window_priv.h"

struct session {
    struct session *prev, *next; /* by start */
    struct session_key *key;
    int64_t start, last;         /* first and last event, ns */
    int64_t id_start, id_close;  /* what its id is made of, once told at a close */
    struct cell *cell;
    struct keep_list *keep;      /* [n_steps] */
    struct deadline close;       /* open: last + gap; closed: end + late */
    struct deadline longest;     /* open: start + max */
    bool closed, told, retracted, fired, has_hash;
    uint32_t revision;
    uint8_t hash[16];
};

struct session_key {
    struct partition *part;
    struct session *first, *tail;
    struct prev_value *prev;
};

static int64_t session_end(const struct window_plan *plan, const struct session *se)
{
    int64_t by_gap = time_plus(se->last, plan->size), by_max = time_plus(se->start, plan->max);
    return by_gap < by_max ? by_gap : by_max;
}

/* ---- sessions of a key ---------------------------------------------------------------------- */

static struct session_key *key_state(struct partition *part)
{
    if (part->body == NULL) {
        struct session_key *sk = part->body = mem_calloc(1, sizeof *sk);
        sk->part = part;
        sk->prev = prev_new(part->rs);
        part->rs->stats.bytes += sizeof *sk;
    }
    return part->body;
}

static struct session *session_new(struct session_key *sk, struct session *behind, int64_t time)
{
    struct rule_state *rs = sk->part->rs;
    struct session *se = mem_calloc(1, sizeof *se);
    se->key = sk;
    se->start = se->last = time;
    se->cell = cell_new(rs);
    se->keep = mem_calloc(rs->rule->n_steps + 1, sizeof *se->keep);
    se->prev = behind;
    se->next = behind != NULL ? behind->next : sk->first;
    if (se->prev != NULL)
        se->prev->next = se;
    else
        sk->first = se;
    if (se->next != NULL)
        se->next->prev = se;
    else
        sk->tail = se;
    rs->stats.bytes += sizeof *se + rs->rule->n_steps * sizeof *se->keep;
    return se;
}

static void session_free(struct engine *en, struct session *se)
{
    struct session_key *sk = se->key;
    struct rule_state *rs = sk->part->rs;
    deadline_clear(&en->heap, &se->close);
    deadline_clear(&en->heap, &se->longest);
    if (se->prev != NULL)
        se->prev->next = se->next;
    else
        sk->first = se->next;
    if (se->next != NULL)
        se->next->prev = se->prev;
    else
        sk->tail = se->prev;
    for (uint32_t i = 0; i < rs->rule->n_steps; i++)
        keep_clear(rs, &se->keep[i]);
    mem_free(se->keep);
    cell_free(rs, &se->cell);
    rs->stats.bytes -= sizeof *se + rs->rule->n_steps * sizeof *se->keep;
    mem_free(se);
}

static void part_free(struct engine *en, struct partition *part)
{
    struct session_key *sk = part->body;
    if (sk == NULL)
        return;
    while (sk->first != NULL)
        session_free(en, sk->first);
    prev_free(part->rs, &sk->prev);
    part->rs->stats.bytes -= sizeof *sk;
    mem_free(sk);
    part->body = NULL;
}

/* ---- telling -------------------------------------------------------------------------------- */

static void tell(struct engine *en, struct session *se, const struct window_view *view,
                 struct event *ev, uint16_t stream, int64_t time)
{
    const struct program_rule *rule = se->key->part->rs->rule;
    struct finding *found = window_finding(en, se->key->part, view, ev, stream);
    bool at_close = rule->window->fire == FIRE_ON_CLOSE;
    if (at_close)
        window_identify(en, found, WINDOW_SESSION, se->id_start, se->id_close, NULL);
    else
        window_identify(en, found, WINDOW_SESSION, se->start, 0, ev);
    for (uint32_t i = 0; i < rule->n_steps; i++)
        keep_bind(found, i, &se->keep[i], rule->keep);
    found->revision = at_close ? se->revision : 0;
    found->retracted = at_close && se->retracted;
    engine_found(en, se->key->part, found, time);
}

static struct window_view view_of(const struct session *se)
{
    const struct rule_state *rs = se->key->part->rs;
    return (struct window_view){.rs = rs, .cell = se->cell, .prev = se->key->prev,
                                .start = se->start, .end = session_end(rs->rule->window, se)};
}

/* At its close, and when a late event changed it afterwards. */
static void decide(struct engine *en, struct session *se)
{
    struct window_view view = view_of(se);
    bool holds = window_holds(en, se->key->part, &view, NULL, 0);
    if (!holds && (!se->told || se->retracted))
        return;
    if (se->told) {
        se->revision++;
    } else {
        se->id_start = se->start;
        se->id_close = view.end;
    }
    se->told = true;
    se->retracted = !holds;
    tell(en, se, &view, NULL, 0, view.end);
}

static void retract(struct engine *en, struct session *se)
{
    if (!se->told || se->retracted)
        return;
    struct window_view view = view_of(se);
    se->revision++;
    se->retracted = true;
    tell(en, se, &view, NULL, 0, view.end);
}

/* `fire` at an event; true if the session was emptied. */
static bool fire_at_event(struct engine *en, struct session *se, const struct offer *of,
                          uint16_t stream)
{
    struct partition *part = se->key->part;
    const struct window_plan *plan = part->rs->rule->window;
    struct window_view view = view_of(se);
    view.end = of->ev->time > se->last ? of->ev->time : se->last;
    if (plan->fire == FIRE_ON_MATCH && se->fired)
        return false;
    if (!window_holds(en, part, &view, of->ev, stream))
        return false;
    if (plan->fire == FIRE_ON_CHANGE) {
        uint8_t hash[16];
        window_emitted_hash(en, part, &view, of->ev, stream, hash);
        if (se->has_hash && memcmp(hash, se->hash, sizeof hash) == 0)
            return false;
        memcpy(se->hash, hash, sizeof hash);
        se->has_hash = true;
    }
    se->fired = true;
    tell(en, se, &view, engine_kept(en), stream, of->ev->time);
    return plan->fire == FIRE_ON_MATCH_RESET;
}

/* ---- one event ------------------------------------------------------------------------------ */

static void set_deadlines(struct engine *en, struct session *se)
{
    struct rule_state *rs = se->key->part->rs;
    const struct window_plan *plan = rs->rule->window;
    struct window_rule *rule = rs->body;
    if (se->closed)
        return;
    deadline_set(&en->heap, &rule->close, &se->close, time_plus(se->last, plan->size));
    if (se->longest.queue == NULL || se->longest.due != time_plus(se->start, plan->max))
        deadline_set(&en->heap, &rule->longest, &se->longest, time_plus(se->start, plan->max));
}

/* The event into a session, as an event of each input that it fits; returns the last's stream. */
static uint16_t add_event(struct engine *en, struct session *se, const struct offer *of,
                          bool with_prev)
{
    struct rule_state *rs = se->key->part->rs;
    const struct window_plan *plan = rs->rule->window;
    struct taken *taken = arena_alloc_raw(en->scratch, (plan->n_aggregates + 1) * sizeof *taken);
    struct stamp stamp = {.time = of->ev->time, .seq = of->seq};
    uint16_t stream = 0;
    for (uint64_t bits = of->fits; bits != 0; bits &= bits - 1) {
        uint16_t input = (uint16_t)__builtin_ctzll(bits);
        window_take(en, of, input, taken);
        if (with_prev) {
            prev_set(rs, se->key->prev, taken);
            continue;
        }
        cell_add(rs, se->cell, taken, stamp);
        keep_add(rs, &se->keep[input], engine_kept(en), of->stream[input]);
        stream = of->stream[input];
    }
    if (of->ev->time > se->last)
        se->last = of->ev->time;
    if (of->ev->time < se->start)
        se->start = of->ev->time;
    return stream;
}

static bool reaches(const struct window_plan *plan, const struct session *se, int64_t time)
{
    return time >= se->start && time <= session_end(plan, se);
}

static void session_offer(struct engine *en, const struct offer *of)
{
    const struct window_plan *plan = of->part->rs->rule->window;
    struct session_key *sk = of->part->body;
    struct session *se = sk != NULL ? sk->tail : NULL;
    /* Deadlines before the event have closed what ended; a kept closed one takes no more. */
    if (se == NULL || se->closed || !reaches(plan, se, of->ev->time)) {
        if (of->part->rs->draining)
            return;
        sk = key_state(of->part);
        se = session_new(sk, sk->tail, of->ev->time);
    }
    uint16_t stream = add_event(en, se, of, false);
    set_deadlines(en, se);
    bool emptied = plan->fire != FIRE_ON_CLOSE && fire_at_event(en, se, of, stream);
    if (sk->prev != NULL)
        add_event(en, se, of, true);
    if (emptied) {
        session_free(en, se);
        if (sk->first == NULL)
            part_free(en, of->part);
    }
}

/* Takes the events of `later` into `se`; `later` is told to be gone. */
static void absorb(struct engine *en, struct session *se, struct session *later)
{
    struct rule_state *rs = se->key->part->rs;
    retract(en, later);
    cell_merge(rs, se->cell, later->cell);
    for (uint32_t i = 0; i < rs->rule->n_steps; i++) {
        for (uint32_t k = 0; k < later->keep[i].n; k++)
            keep_add(rs, &se->keep[i], later->keep[i].entry[k].ev,
                     later->keep[i].entry[k].stream);
    }
    se->last = later->last > se->last ? later->last : se->last;
    session_free(en, later);
}

/* The kept session that a late event belongs to; `before_out`: the one that starts before it. */
static struct session *find_late(const struct session_key *sk, const struct window_plan *plan,
                                 int64_t time, struct session **before_out)
{
    struct session *before = sk->tail;
    while (before != NULL && before->start > time)
        before = before->prev;
    struct session *after = before != NULL ? before->next : sk->first;
    *before_out = before;
    if (before != NULL && reaches(plan, before, time))
        return before;
    if (after != NULL && time_plus(time, plan->size) >= after->start &&
        time_plus(time, plan->max) >= after->last)
        return after;
    return NULL;
}

static void retain(struct engine *en, struct session *se)
{
    struct rule_state *rs = se->key->part->rs;
    const struct window_plan *plan = rs->rule->window;
    struct window_rule *rule = rs->body;
    deadline_clear(&en->heap, &se->longest);
    deadline_set(&en->heap, &rule->retain, &se->close,
                 time_plus(session_end(plan, se), plan->late));
}

static void session_offer_late(struct engine *en, const struct offer *of)
{
    const struct window_plan *plan = of->part->rs->rule->window;
    const struct rule_state *rs = of->part->rs;
    struct session_key *sk = of->part->body;
    struct session *before = NULL;
    if (of->ev->time <= rs->begins && rs->begins != INT64_MIN)
        return; /* the older version's */
    struct session *se = sk != NULL ? find_late(sk, plan, of->ev->time, &before) : NULL;
    if (se == NULL) { /* one of its own, unless that is not kept any more */
        if (time_plus(time_plus(of->ev->time, plan->size), plan->late) < en->now ||
            (rs->draining && of->ev->time > rs->ends))
            return;
        sk = key_state(of->part);
        se = session_new(sk, before, of->ev->time);
        se->closed = session_end(plan, se) < en->now;
    }
    uint16_t stream = add_event(en, se, of, false);
    /* It may reach the next session now, which may reach another. */
    while (se->next != NULL && reaches(plan, se, se->next->start) &&
           se->next->last <= time_plus(se->start, plan->max))
        absorb(en, se, se->next);
    if (se->closed && session_end(plan, se) >= en->now) {
        /* It goes on: it is decided again when the longer session closes. */
        se->closed = false;
        deadline_clear(&en->heap, &se->close);
    } else if (session_end(plan, se) < en->now) {
        se->closed = true; /* it began earlier than it was thought: `max` is over */
    }
    if (!se->closed) {
        set_deadlines(en, se);
        if (plan->fire != FIRE_ON_CLOSE && fire_at_event(en, se, of, stream))
            session_free(en, se);
    } else {
        if (plan->fire == FIRE_ON_CLOSE)
            decide(en, se);
        retain(en, se);
    }
    if (sk->first == NULL)
        part_free(en, of->part);
}

/* ---- lifetime and deadlines ----------------------------------------------------------------- */

static bool session_begins(const struct rule_state *rs, uint64_t fits)
{
    return fits != 0 && (!rs->draining || rs->rule->window->late >= 0);
}

static bool session_empty(const struct partition *part)
{
    return part->body == NULL;
}

static void session_due(struct engine *en, struct deadline *dl)
{
    struct window_rule *rule = ((struct rule_state *)dl->queue->owner)->body;
    size_t offset = dl->queue == &rule->longest ? offsetof(struct session, longest)
                                                : offsetof(struct session, close);
    struct session *se = (struct session *)(void *)((char *)dl - offset);
    struct partition *part = se->key->part;
    const struct window_plan *plan = part->rs->rule->window;
    partition_touch(part);
    bool is_over = se->closed || plan->late < 0;
    if (!se->closed && plan->fire == FIRE_ON_CLOSE)
        decide(en, se);
    if (is_over) {
        session_free(en, se);
    } else {
        se->closed = true;
        retain(en, se);
    }
    if (((struct session_key *)part->body)->first == NULL)
        part_free(en, part);
    partition_release(part);
}

/* ---- snapshot ------------------------------------------------------------------------------- */

static void session_encode(struct encoding *ec, const struct partition *part)
{
    struct buf *out = &ec->body;
    const struct session_key *sk = part->body;
    const struct rule_state *rs = part->rs;
    uint64_t n = 0;
    for (const struct session *se = sk->first; se != NULL; se = se->next)
        n++;
    buf_add_varint(out, n);
    for (const struct session *se = sk->first; se != NULL; se = se->next) {
        buf_add_u64(out, (uint64_t)se->start);
        buf_add_u64(out, (uint64_t)se->last);
        buf_add_u64(out, (uint64_t)se->id_start);
        buf_add_u64(out, (uint64_t)se->id_close);
        buf_add_u8(out, (uint8_t)(se->closed | se->told << 1 | se->retracted << 2 |
                                  se->fired << 3 | se->has_hash << 4));
        buf_add_varint(out, se->revision);
        buf_add(out, se->hash, sizeof se->hash);
        cell_encode(out, rs, se->cell);
        for (uint32_t i = 0; i < rs->rule->n_steps; i++)
            keep_encode(ec, &se->keep[i]);
        encode_due(ec, &se->close);
        encode_due(ec, &se->longest);
    }
    prev_encode(out, rs, sk->prev);
}

static bool decode_session(struct restore *re, struct session_key *sk, struct reader *r)
{
    struct rule_state *rs = sk->part->rs;
    struct window_rule *rule = rs->body;
    int64_t start = (int64_t)reader_u64(r);
    if (r->bad || (sk->tail != NULL && start <= sk->tail->start))
        return false;
    struct session *se = session_new(sk, sk->tail, start);
    se->last = (int64_t)reader_u64(r);
    se->id_start = (int64_t)reader_u64(r);
    se->id_close = (int64_t)reader_u64(r);
    uint8_t bits = reader_u8(r);
    se->closed = bits & 1;
    se->told = bits >> 1 & 1;
    se->retracted = bits >> 2 & 1;
    se->fired = bits >> 3 & 1;
    se->has_hash = bits >> 4 & 1;
    uint64_t revision = reader_varint(r);
    se->revision = (uint32_t)revision;
    for (size_t i = 0; i < sizeof se->hash; i++)
        se->hash[i] = reader_u8(r);
    if (r->bad || revision > UINT32_MAX || se->last < start || !cell_decode(rs, se->cell, r))
        return false;
    for (uint32_t i = 0; i < rs->rule->n_steps; i++) {
        if (!keep_decode(re, rs, &se->keep[i], r))
            return false;
    }
    int64_t close = decode_due(r), longest = decode_due(r);
    const struct window_plan *plan = rs->rule->window;
    bool fits = se->closed || (close == time_plus(se->last, plan->size) && close >= re->en->now &&
                               longest == time_plus(start, plan->max) && longest >= re->en->now);
    if (close == NO_DUE || !fits || se->last > engine_latest(re->en))
        return false;
    restore_deadline(re, se->closed ? &rule->retain : &rule->close, &se->close, close, 0);
    if (longest != NO_DUE)
        restore_deadline(re, &rule->longest, &se->longest, longest, 0);
    return true;
}

static bool session_decode(struct restore *re, struct partition *part, struct reader *r)
{
    struct session_key *sk = key_state(part);
    uint64_t n = reader_varint(r);
    for (uint64_t i = 0; i < n; i++) {
        if (r->bad || !decode_session(re, sk, r))
            return false;
    }
    return prev_decode(part->rs, sk->prev, r) && n > 0;
}

/* A late event may begin a session that began before the newer version did. */
static int64_t session_takes_until(const struct rule_state *rs)
{
    const struct window_plan *plan = rs->rule->window;
    return plan->late < 0 || rs->ends == INT64_MIN
               ? INT64_MIN
               : time_plus(time_plus(rs->ends, plan->size), plan->late);
}

static void session_look(struct buf *out, const struct partition *part, struct looking_page *page)
{
    bool any = false;
    const struct session_key *sk = part->body;

    buf_adds(out, ",\"sessions\":[");
    for (const struct session *se = sk ? sk->first : NULL; se; se = se->next) {
        if (!look_tells(page, out))
            continue;
        buf_adds(out, any ? ",{" : "{");
        any = true;
        window_look_time(out, "start", se->start);
        buf_addc(out, ',');
        window_look_time(out, "last", se->last);
        buf_addc(out, ',');
        window_look_time(out, "end", session_end(part->rs->rule->window, se));
        buf_printf(out, ",\"closed\":%s,", se->closed ? "true" : "false");
        window_look_cell(out, part->rs, se->cell);
        buf_addc(out, '}');
    }
    buf_addc(out, ']');
}

const struct body_ops session_ops = {
    .rule_init = window_rule_init,
    .rule_fini = window_rule_fini,
    .begins = session_begins,
    .offer = session_offer,
    .offer_late = session_offer_late,
    .due = session_due,
    .empty = session_empty,
    .part_fini = part_free,
    .encode = session_encode,
    .decode = session_decode,
    .look = session_look,
    .takes_until = session_takes_until,
};
