// SPDX-License-Identifier: Apache-2.0
/*
 * window_sliding - sliding and global windows of one key: one cell that events enter and, in a
 * sliding window, leave.
 *
 *   samples:  oldest ........................................ newest
 *             ^head[j]: the oldest that aggregate j still holds (it has its own reach)
 *
 * Every aggregate here can take its oldest value out again, so an event costs O(1) amortised: it
 * enters once and leaves once, whatever the window holds.
 *
 * `fire on match` is armed until it fires, and again once `having` was false: after an event, or at
 * an instant between two events when values had left (they re-arm, they never fire).
 * Invariants:
 *  1. samples are in the order of events; head[j] <= n; what no aggregate holds is dropped.
 *  2. the key's deadline is its newest event + reach (global: + expire): only ever moved to the end.
 */
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/reader.h"
#include "engine/window.h"
#include "engine/window_priv.h"

struct sample { /* one event as an event of one input; values behind it, one block */
    int64_t time;
    uint64_t seq;
    uint32_t size;      /* bytes of the block */
    bool *takes;        /* [n_aggregates] */
    struct value *v;    /* [2 * n_aggregates] */
};

struct sliding_key {
    struct partition *part;
    struct deadline expire;
    struct cell *cell;
    struct sample **sample; /* sliding only: [first..n) */
    size_t first, n, cap;
    size_t *head;           /* [n_aggregates] */
    struct keep_list *keep; /* [n_steps] */
    struct prev_value *prev;
    int64_t start;          /* time of the first event (global) */
    int64_t newest;
    bool disarmed, has_hash;
    uint8_t hash[16];
};

/* ---- samples -------------------------------------------------------------------------------- */

static struct sample *sample_new(struct rule_state *rs, const struct taken *taken,
                                 struct stamp stamp)
{
    uint32_t n = rs->rule->window->n_aggregates;
    size_t size = sizeof(struct sample) + 2 * n * sizeof(struct value) + ((n + 7) & ~7u);
    size_t texts = 0;
    for (uint32_t i = 0; i < n; i++)
        texts += value_copy_size(taken[i].v[0]) + value_copy_size(taken[i].v[1]);
    struct sample *sa = mem_alloc(size + texts);
    char *mem = (char *)sa + size;
    *sa = (struct sample){.time = stamp.time, .seq = stamp.seq, .size = (uint32_t)(size + texts)};
    sa->v = (struct value *)(void *)(sa + 1);
    sa->takes = (bool *)(void *)(sa->v + 2 * n);
    for (uint32_t i = 0; i < n; i++) {
        sa->takes[i] = taken[i].takes;
        sa->v[2 * i] = value_copy_to(taken[i].v[0], &mem);
        sa->v[2 * i + 1] = value_copy_to(taken[i].v[1], &mem);
    }
    rs->stats.bytes += sa->size;
    return sa;
}

static void sample_free(struct rule_state *rs, struct sample *sa)
{
    rs->stats.bytes -= sa->size;
    mem_free(sa);
}

static int64_t reach_of(const struct window_plan *plan, uint32_t aggregate)
{
    return plan->aggregate[aggregate].reach >= 0 ? plan->aggregate[aggregate].reach : plan->size;
}

/* The earliest instant at which some aggregate loses its oldest value; INT64_MAX: none holds any. */
static int64_t next_leave(const struct sliding_key *sk)
{
    const struct window_plan *plan = sk->part->rs->rule->window;
    int64_t next = INT64_MAX;
    for (uint32_t i = 0; i < plan->n_aggregates; i++) {
        if (sk->head[i] >= sk->n)
            continue;
        int64_t leaves = time_plus(sk->sample[sk->head[i]]->time, reach_of(plan, i));
        next = leaves < next ? leaves : next;
    }
    return next;
}

/* Takes out what leaves at the instant (values with time + reach == leave). */
static void leave_at(struct sliding_key *sk, int64_t leave)
{
    struct rule_state *rs = sk->part->rs;
    const struct window_plan *plan = rs->rule->window;
    const struct window_rule *rule = rs->body;
    for (uint32_t i = 0; i < plan->n_aggregates; i++) {
        while (sk->head[i] < sk->n &&
               time_plus(sk->sample[sk->head[i]]->time, reach_of(plan, i)) <= leave) {
            const struct sample *sa = sk->sample[sk->head[i]++];
            if (rule->ops[i] != NULL && sa->takes[i])
                rule->ops[i]->remove(cell_accumulator(rs, sk->cell, i), &plan->aggregate[i],
                                     &sa->v[2 * i], (struct stamp){sa->time, sa->seq},
                                     &rs->stats.bytes);
        }
    }
}

static void drop_unheld(struct sliding_key *sk)
{
    struct rule_state *rs = sk->part->rs;
    const struct window_plan *plan = rs->rule->window;
    size_t lowest = sk->n;
    for (uint32_t i = 0; i < plan->n_aggregates; i++)
        lowest = sk->head[i] < lowest ? sk->head[i] : lowest;
    while (sk->first < lowest)
        sample_free(rs, sk->sample[sk->first++]);
    if (sk->first < 64 || sk->first * 2 < sk->n)
        return;
    memmove(sk->sample, sk->sample + sk->first, (sk->n - sk->first) * sizeof *sk->sample);
    for (uint32_t i = 0; i < plan->n_aggregates; i++)
        sk->head[i] -= sk->first;
    sk->n -= sk->first;
    sk->first = 0;
}

/* ---- a key ---------------------------------------------------------------------------------- */

static struct sliding_key *key_state(struct partition *part, int64_t time)
{
    struct rule_state *rs = part->rs;
    if (part->body == NULL) {
        struct sliding_key *sk = part->body = mem_calloc(1, sizeof *sk);
        sk->part = part;
        sk->start = time;
        sk->cell = cell_new(rs);
        sk->head = mem_calloc(rs->rule->window->n_aggregates + 1, sizeof *sk->head);
        sk->keep = mem_calloc(rs->rule->n_steps + 1, sizeof *sk->keep);
        sk->prev = prev_new(rs);
        rs->stats.bytes += sizeof *sk;
    }
    return part->body;
}

/* `reset`: the window is empty. */
static void empty_window(struct sliding_key *sk)
{
    struct rule_state *rs = sk->part->rs;
    while (sk->first < sk->n)
        sample_free(rs, sk->sample[sk->first++]);
    sk->first = sk->n = 0;
    memset(sk->head, 0, rs->rule->window->n_aggregates * sizeof *sk->head);
    cell_free(rs, &sk->cell);
    sk->cell = cell_new(rs);
    for (uint32_t i = 0; i < rs->rule->n_steps; i++)
        keep_clear(rs, &sk->keep[i]);
}

static void sliding_part_fini(struct engine *en, struct partition *part)
{
    struct sliding_key *sk = part->body;
    struct rule_state *rs = part->rs;
    if (sk == NULL)
        return;
    deadline_clear(&en->heap, &sk->expire);
    while (sk->first < sk->n)
        sample_free(rs, sk->sample[sk->first++]);
    for (uint32_t i = 0; i < rs->rule->n_steps; i++)
        keep_clear(rs, &sk->keep[i]);
    cell_free(rs, &sk->cell);
    prev_free(rs, &sk->prev);
    mem_free(sk->sample);
    mem_free(sk->head);
    mem_free(sk->keep);
    rs->stats.bytes -= sizeof *sk;
    mem_free(sk);
    part->body = NULL;
}

/* ---- one event ------------------------------------------------------------------------------ */

static struct window_view view_at(const struct sliding_key *sk, int64_t time)
{
    const struct window_plan *plan = sk->part->rs->rule->window;
    int64_t start = plan->kind == WINDOW_GLOBAL ? sk->start : time_minus(time, plan->size);
    return (struct window_view){.rs = sk->part->rs, .cell = sk->cell, .prev = sk->prev,
                                .start = start, .end = time};
}

/* Values that left before the event, instant by instant: `having` may have been false between. */
static void leave_before(struct engine *en, struct sliding_key *sk, int64_t time)
{
    int64_t leave;
    while ((leave = next_leave(sk)) < time) {
        leave_at(sk, leave);
        if (!sk->disarmed)
            continue;
        struct window_view view = view_at(sk, leave);
        if (!window_holds(en, sk->part, &view, NULL, 0))
            sk->disarmed = false;
    }
    drop_unheld(sk);
}

static void tell(struct engine *en, struct sliding_key *sk, const struct window_view *view,
                 const struct offer *of, uint16_t stream)
{
    const struct program_rule *rule = sk->part->rs->rule;
    struct event *ev = engine_kept(en);
    struct finding *found = window_finding(en, sk->part, view, ev, stream);
    window_identify(en, found, rule->window->kind, view->start, view->end, ev);
    for (uint32_t i = 0; i < rule->n_steps; i++) {
        struct keep_list *keep = &sk->keep[i];
        uint32_t n = 0;
        while (n < keep->n && keep->entry[keep->n - 1 - n].ev->time >= view->start)
            n++;
        keep_bind(found, i, keep, n);
    }
    engine_found(en, sk->part, found, of->ev->time);
}

static bool changed(struct engine *en, struct sliding_key *sk, const struct window_view *view,
                    const struct offer *of, uint16_t stream)
{
    uint8_t hash[16];
    window_emitted_hash(en, sk->part, view, of->ev, stream, hash);
    if (sk->has_hash && memcmp(hash, sk->hash, sizeof hash) == 0)
        return false;
    memcpy(sk->hash, hash, sizeof hash);
    sk->has_hash = true;
    return true;
}

/* Told and emptied; armed again unless `having` holds over nothing. */
static void reset(struct engine *en, struct sliding_key *sk, const struct window_view *view,
                  const struct offer *of, uint16_t stream)
{
    tell(en, sk, view, of, stream);
    empty_window(sk);
    struct window_view empty = view_at(sk, of->ev->time);
    sk->disarmed = window_holds(en, sk->part, &empty, NULL, 0);
}

static void fire_at_event(struct engine *en, struct sliding_key *sk, const struct offer *of,
                          uint16_t stream)
{
    const struct window_plan *plan = sk->part->rs->rule->window;
    struct window_view view = view_at(sk, of->ev->time);
    if (!window_holds(en, sk->part, &view, of->ev, stream)) {
        sk->disarmed = false;
        return;
    }
    switch (plan->fire) {
    case FIRE_ON_MATCH:
        if (!sk->disarmed)
            tell(en, sk, &view, of, stream);
        sk->disarmed = true;
        break;
    case FIRE_ON_MATCH_RESET:
        if (!sk->disarmed)
            reset(en, sk, &view, of, stream);
        break;
    case FIRE_ON_CHANGE:
        if (changed(en, sk, &view, of, stream))
            tell(en, sk, &view, of, stream);
        break;
    case FIRE_ON_CLOSE: /* refused for these kinds */
    case FIRE_ON_EVERY_MATCH:
        tell(en, sk, &view, of, stream);
        break;
    }
}

static void enter(struct engine *en, struct sliding_key *sk, const struct offer *of, uint16_t input,
                  const struct taken *taken)
{
    struct rule_state *rs = sk->part->rs;
    struct stamp stamp = {.time = of->ev->time, .seq = of->seq};
    cell_add(rs, sk->cell, taken, stamp);
    keep_add(rs, &sk->keep[input], engine_kept(en), of->stream[input]);
    if (rs->rule->window->kind == WINDOW_GLOBAL)
        return;
    sk->sample = vec_reserve(sk->sample, &sk->cap, sk->n + 1, sizeof *sk->sample);
    sk->sample[sk->n++] = sample_new(rs, taken, stamp);
}

static void sliding_offer(struct engine *en, const struct offer *of)
{
    struct rule_state *rs = of->part->rs;
    const struct window_plan *plan = rs->rule->window;
    struct window_rule *rule = rs->body;
    struct sliding_key *sk = key_state(of->part, of->ev->time);
    struct taken *taken = arena_alloc_raw(en->scratch, (plan->n_aggregates + 1) * sizeof *taken);
    uint16_t stream = 0;
    if (plan->kind == WINDOW_SLIDING)
        leave_before(en, sk, of->ev->time);
    /* A sliding window would keep the event's values; a global one is bounded (cell_add). */
    if (plan->kind == WINDOW_SLIDING && rs->stats.bytes >= rs->rule->limits.state) {
        rs->stats.limited_state++;
        if (sk->expire.queue == NULL)
            sliding_part_fini(en, of->part);
        return;
    }
    for (uint64_t bits = of->fits; bits != 0; bits &= bits - 1) {
        uint16_t input = (uint16_t)__builtin_ctzll(bits);
        window_take(en, of, input, taken);
        enter(en, sk, of, input, taken);
        stream = of->stream[input];
    }
    sk->newest = of->ev->time;
    deadline_set(&en->heap, &rule->close, &sk->expire, time_plus(sk->newest, rule->close.delay));
    fire_at_event(en, sk, of, stream);
    for (uint64_t bits = sk->prev != NULL ? of->fits : 0; bits != 0; bits &= bits - 1) {
        window_take(en, of, (uint16_t)__builtin_ctzll(bits), taken);
        prev_set(rs, sk->prev, taken);
    }
}

static void sliding_rule_init(struct engine *en, struct rule_state *rs)
{
    const struct window_plan *plan = rs->rule->window;
    window_rule_init(en, rs);
    struct window_rule *rule = rs->body;
    rule->close.delay = plan->kind == WINDOW_GLOBAL || plan->reach < plan->size ? plan->size
                                                                                : plan->reach;
}

static bool sliding_begins(const struct rule_state *rs, uint64_t fits)
{
    (void)rs;
    return fits != 0;
}

static bool sliding_empty(const struct partition *part)
{
    return part->body == NULL;
}

static void sliding_due(struct engine *en, struct deadline *dl)
{
    struct sliding_key *sk = (struct sliding_key *)(void *)((char *)dl -
                                                            offsetof(struct sliding_key, expire));
    struct partition *part = sk->part;
    partition_touch(part);
    sliding_part_fini(en, part);
    partition_release(part);
}

/* ---- snapshot ------------------------------------------------------------------------------- */

static void sliding_encode(struct encoding *ec, const struct partition *part)
{
    struct buf *out = &ec->body;
    const struct sliding_key *sk = part->body;
    const struct rule_state *rs = part->rs;
    uint32_t n = rs->rule->window->n_aggregates;
    buf_add_u64(out, (uint64_t)sk->start);
    buf_add_u64(out, (uint64_t)sk->newest);
    encode_due(ec, &sk->expire);
    buf_add_u8(out, (uint8_t)(sk->disarmed | sk->has_hash << 1));
    buf_add(out, sk->hash, sizeof sk->hash);
    cell_encode(out, rs, sk->cell);
    for (uint32_t i = 0; i < rs->rule->n_steps; i++)
        keep_encode(ec, &sk->keep[i]);
    prev_encode(out, rs, sk->prev);
    buf_add_varint(out, sk->n - sk->first);
    for (size_t k = sk->first; k < sk->n; k++) {
        const struct sample *sa = sk->sample[k];
        buf_add_u64(out, (uint64_t)sa->time);
        buf_add_varint(out, sa->seq);
        for (uint32_t i = 0; i < n; i++) {
            buf_add_u8(out, sa->takes[i]);
            value_encode_exact(out, sa->v[2 * i]);
            value_encode_exact(out, sa->v[2 * i + 1]);
        }
    }
    for (uint32_t i = 0; i < n; i++)
        buf_add_varint(out, sk->head[i] - sk->first);
}

static bool decode_samples(struct restore *re, struct sliding_key *sk, struct reader *r)
{
    struct rule_state *rs = sk->part->rs;
    uint32_t n = rs->rule->window->n_aggregates;
    struct arena *scratch = arena_new(0);
    struct taken *taken = arena_alloc(scratch, (n + 1) * sizeof *taken);
    uint64_t n_samples = reader_varint(r);
    int64_t before = INT64_MIN;
    for (uint64_t k = 0; k < n_samples && !r->bad; k++) {
        struct stamp stamp = {.time = (int64_t)reader_u64(r), .seq = reader_varint(r)};
        for (uint32_t i = 0; i < n; i++) {
            taken[i].takes = reader_u8(r) != 0;
            taken[i].v[0] = value_decode(r, scratch);
            taken[i].v[1] = value_decode(r, scratch);
        }
        r->bad |= stamp.time < before || stamp.seq > re->en->seq;
        before = stamp.time;
        sk->sample = vec_reserve(sk->sample, &sk->cap, sk->n + 1, sizeof *sk->sample);
        sk->sample[sk->n++] = sample_new(rs, taken, stamp);
    }
    arena_free(&scratch);
    for (uint32_t i = 0; i < n; i++) {
        uint64_t head = reader_varint(r);
        if (r->bad || head > sk->n)
            return false;
        sk->head[i] = head;
    }
    return !r->bad;
}

static bool sliding_decode(struct restore *re, struct partition *part, struct reader *r)
{
    struct rule_state *rs = part->rs;
    struct window_rule *rule = rs->body;
    struct sliding_key *sk = key_state(part, (int64_t)reader_u64(r));
    sk->newest = (int64_t)reader_u64(r);
    int64_t due = decode_due(r);
    uint8_t bits = reader_u8(r);
    sk->disarmed = bits & 1;
    sk->has_hash = bits >> 1 & 1;
    for (size_t i = 0; i < sizeof sk->hash; i++)
        sk->hash[i] = reader_u8(r);
    if (r->bad || !cell_decode(rs, sk->cell, r))
        return false;
    for (uint32_t i = 0; i < rs->rule->n_steps; i++) {
        if (!keep_decode(re, rs, &sk->keep[i], r))
            return false;
    }
    if (!prev_decode(rs, sk->prev, r) || !decode_samples(re, sk, r))
        return false;
    if (due == NO_DUE)
        return false;
    restore_deadline(re, &rule->close, &sk->expire, due, 0);
    return true;
}

static void sliding_look(struct buf *out, const struct partition *part, struct looking_page *page)
{
    const struct sliding_key *sk = part->body;

    (void)page; /* there is one */
    if (!sk || !sk->cell)
        return;
    buf_adds(out, ",\"window\":{");
    window_look_time(out, "newest", sk->newest);
    if (sk->expire.queue) {
        buf_addc(out, ',');
        window_look_time(out, "next_expiry", sk->expire.due);
    }
    buf_addc(out, ',');
    window_look_cell(out, part->rs, sk->cell);
    buf_addc(out, '}');
}

const struct body_ops sliding_ops = {
    .rule_init = sliding_rule_init,
    .rule_fini = window_rule_fini,
    .begins = sliding_begins,
    .offer = sliding_offer,
    .due = sliding_due,
    .empty = sliding_empty,
    .part_fini = sliding_part_fini,
    .encode = sliding_encode,
    .decode = sliding_decode,
    .look = sliding_look,
};
