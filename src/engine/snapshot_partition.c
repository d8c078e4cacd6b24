// SPDX-License-Identifier: Apache-2.0
/* snapshot_partition - all state of one key: key, events, memory of leading `not`s, runs. */
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/reader.h"
#include "engine/body.h"
#include "engine/engine_priv.h"
#include "engine/link_table.h"
#include "engine/matcher_priv.h"
#include "engine/set.h"
#include "engine/snapshot.h"
#include "event/event.h"

/* ---- out ------------------------------------------------------------------------------------ */

/* The events that a partition holds, each once, numbered in order of first sight. */
struct event_table {
    struct event **ev;
    size_t n, cap;
    struct hash_index *index;
};

static bool same_event(uint64_t value, const void *key, void *ctx)
{
    const struct event_table *table = ctx;
    return table->ev[value] == key;
}

static uint64_t event_number(struct event_table *table, struct event *ev)
{
    uint64_t hash = hash_mix((uint64_t)(uintptr_t)ev, 0), number;
    if (hash_index_get(table->index, hash, same_event, ev, table, &number))
        return number;
    table->ev = vec_reserve(table->ev, &table->cap, table->n + 1, sizeof *table->ev);
    table->ev[table->n] = ev;
    hash_index_add(table->index, hash, table->n);
    return table->n++;
}

static void encode_bound(struct buf *out, struct event_table *table, const struct bound *bound)
{
    const struct bind **bind = mem_calloc(bound->count + 1, sizeof *bind);
    uint32_t n = bound->count;
    for (const struct bind *b = bound->last; b != NULL; b = b->prev)
        bind[--n] = b;
    buf_add_varint(out, bound->count);
    for (uint32_t i = 0; i < bound->count; i++) {
        const struct run_bind *rb = (const struct run_bind *)bind[i];
        buf_add_varint(out, event_number(table, rb->base.ev));
        buf_add_varint(out, rb->base.stream);
        buf_add_varint(out, rb->seq);
        buf_add_varint(out, rb->fits);
    }
    mem_free(bind);
}

static void encode_list(struct buf *out, struct event_table *table, const struct run_list *list,
                        const struct nfa *nfa)
{
    buf_add_varint(out, list->n);
    for (const struct run *run = list->first; run != NULL; run = run->next) {
        buf_add_u64(out, (uint64_t)run->start_time);
        buf_add_varint(out, run->start_seq);
        buf_add_varint(out, run->count);
        buf_add_varint(out, run->element);
        for (uint16_t s = 0; s < nfa->n_steps; s++)
            encode_bound(out, table, &run->bound[s]);
    }
}

/* Runs that the sets hold, as encode_list writes those of a list. */
struct sets_encoding {
    struct buf *out;
    struct event_table *table;
    const struct nfa *nfa;
    uint16_t element;
};

static void encode_set_run(void *ctx, const struct set_run *run)
{
    const struct sets_encoding *se = ctx;
    struct buf *out = se->out;
    buf_add_u64(out, (uint64_t)run->start_time);
    buf_add_varint(out, run->start_seq);
    buf_add_varint(out, run->count);
    buf_add_varint(out, se->element);
    for (uint16_t s = 0; s < se->nfa->n_steps; s++) {
        uint32_t n = 0;
        for (size_t i = 0; i < run->n; i++)
            n += run->bind[i].step == s;
        buf_add_varint(out, n);
        for (size_t i = 0; i < run->n; i++) {
            if (run->bind[i].step != s)
                continue;
            buf_add_varint(out, event_number(se->table, run->bind[i].ev));
            buf_add_varint(out, run->bind[i].stream);
            buf_add_varint(out, run->bind[i].seq);
            buf_add_varint(out, 0);
        }
    }
}

static void encode_element(struct buf *out, struct event_table *table,
                           const struct partition *part, uint16_t i)
{
    const struct nfa *nfa = part->rs->rule->nfa;
    if (part->sets == NULL) {
        encode_list(out, table, &part->at[i], nfa);
        return;
    }
    struct sets_encoding se = {out, table, nfa, i};
    buf_add_varint(out, set_count_at(part, i));
    set_each_at(part, i, encode_set_run, &se);
}

static void encode_lead(struct buf *out, struct event_table *table,
                        const struct lead_memory *memory)
{
    buf_add_u8(out, memory->seen);
    buf_add_u64(out, (uint64_t)memory->newest);
    buf_add_varint(out, memory->n - memory->first);
    for (size_t i = memory->first; i < memory->n; i++)
        buf_add_varint(out, event_number(table, memory->ev[i]));
}

static void encode_match(struct buf *out, struct event_table *table, const struct partition *part,
                         const struct nfa *nfa)
{
    for (uint16_t k = 0; k < nfa->n_lead_nots; k++)
        encode_lead(out, table, &part->lead[k]);
    for (uint16_t i = 0; i < nfa->n_elements; i++)
        encode_element(out, table, part, i);
    encode_list(out, table, &part->waiting, nfa);
}

void partition_encode(struct buf *out, const struct partition *part)
{
    const struct nfa *nfa = part->rs->rule->nfa;
    struct event_table table = {.index = hash_index_new()};
    struct buf body;
    buf_init(&body);
    if (part->rs->ops != NULL)
        part->rs->ops->encode(&body, part);
    else
        encode_match(&body, &table, part, nfa);
    buf_add_varint(out, part->rs->keys.n_keys);
    for (uint32_t i = 0; i < part->rs->keys.n_keys; i++)
        value_encode_exact(out, part->key[i]);
    buf_add_varint(out, table.n);
    for (size_t i = 0; i < table.n; i++)
        event_encode(out, table.ev[i]);
    buf_add_bytes(out, body.data, body.len);
    buf_fini(&body);
    mem_free(table.ev);
    hash_index_free(&table.index);
}

/* ---- in ------------------------------------------------------------------------------------- */

void restore_deadline(struct restore *re, struct deadline_queue *queue, struct deadline *deadline,
                      int64_t due, uint64_t seq)
{
    re->due = vec_reserve(re->due, &re->cap_due, re->n_due + 1, sizeof *re->due);
    re->due[re->n_due++] = (struct restored_deadline){
        .queue = queue, .deadline = deadline, .due = due, .seq = seq};
}

static bool decode_bound(struct restore *re, struct reader *r, struct run *run, uint16_t step)
{
    uint64_t n = reader_varint(r);
    const struct run_bind *last = run->last;
    if (r->bad || n > reader_left(r))
        return false;
    for (uint64_t i = 0; i < n; i++) {
        uint64_t number = reader_varint(r), stream = reader_varint(r), seq = reader_varint(r);
        uint64_t fits = reader_varint(r);
        if (r->bad || number >= re->n_events || stream >= re->n_streams || seq > re->en->seq)
            return false;
        const struct bind *before = run->bound[step].last;
        if (before != NULL && ((const struct run_bind *)before)->seq >= seq)
            return false;
        run_bind(re->en, run, step, re->ev[number], re->stream[stream], seq, fits);
        if (last == NULL || last->seq < run->last->seq)
            last = run->last;
    }
    if (last != NULL) {
        run->last = last;
        run->last_seq = last->seq;
    }
    return true;
}

static bool starts_with_first(const struct nfa *nfa, const struct run *run)
{
    const struct run_bind *first = run->last;
    for (uint16_t s = 0; s < nfa->n_steps; s++) {
        for (const struct bind *b = run->bound[s].last; b != NULL; b = b->prev) {
            const struct run_bind *bind = (const struct run_bind *)b;
            first = bind->seq < first->seq ? bind : first;
        }
    }
    return run->start_seq == first->seq && run->start_time == first->base.ev->time;
}

/* What the matcher relies on of a run that it meets. */
static bool run_ok(const struct nfa *nfa, const struct run *run, uint16_t element, bool waiting)
{
    if (run->last == NULL || run->count == 0 || run_last_time(run) < run->start_time ||
        !starts_with_first(nfa, run))
        return false;
    if (run->element >= nfa->n_elements ||
        run->element != (waiting ? nfa->n_elements - 1 : element))
        return false;
    const struct nfa_element *el = &nfa->element[run->element];
    uint64_t bound = 0;
    for (uint16_t k = 0; k < el->n_steps; k++)
        bound += run->bound[el->first_step + k].count;
    for (uint16_t s = 0; s < nfa->n_steps; s++) {
        const struct nfa_step *st = &nfa->step[s];
        if (run->bound[s].last == NULL)
            continue;
        if (st->element == NFA_NONE || st->element > run->element ||
            run->bound[s].count > st->max)
            return false;
    }
    return bound == run->count && (!waiting || nfa->n_trail_nots > 0);
}

static bool decode_run(struct restore *re, struct reader *r, struct partition *part,
                       struct run_list *list, uint16_t element)
{
    const struct nfa *nfa = part->rs->rule->nfa;
    struct run *run = run_new(re->en, part);
    bool ok = true;
    run->start_time = (int64_t)reader_u64(r);
    run->start_seq = reader_varint(r);
    uint64_t count = reader_varint(r), at = reader_varint(r);
    run->waiting = list == &part->waiting;
    run->count = count > UINT32_MAX ? 0 : (uint32_t)count;
    run->element = at > UINT16_MAX ? UINT16_MAX : (uint16_t)at;
    for (uint16_t s = 0; s < nfa->n_steps && ok; s++)
        ok = decode_bound(re, r, run, s);
    if (!ok || r->bad || !run_ok(nfa, run, element, run->waiting)) {
        run_free(re->en, run);
        return false;
    }
    struct run_deadlines due = run_deadlines(run);
    bool ends = due.life != NULL || due.wait != NULL; /* no state without an end */
    if (part->sets != NULL && !run->waiting) {
        ok = ends && set_adopt(re->en, part, run);
        run_free(re->en, run);
        return ok;
    }
    if (run->waiting)
        run->wait->told_at = due.wait_at;
    run_stand(run, list);
    if (due.life != NULL)
        restore_deadline(re, due.life, &run->life, due.life_at, run->start_seq);
    if (due.wait != NULL)
        restore_deadline(re, due.wait, &run->wait->due, due.wait_at, run->last_seq);
    return ends;
}

static bool decode_list(struct restore *re, struct reader *r, struct partition *part,
                        struct run_list *list, uint16_t element)
{
    uint64_t n = reader_varint(r);
    if (r->bad || n > reader_left(r))
        return false;
    for (uint64_t i = 0; i < n; i++) {
        if (!decode_run(re, r, part, list, element))
            return false;
    }
    return !r->bad;
}

static bool decode_lead(struct restore *re, struct reader *r, struct partition *part, uint16_t k)
{
    struct lead_memory *memory = &part->lead[k];
    memory->seen = reader_u8(r) != 0;
    memory->newest = (int64_t)reader_u64(r);
    uint64_t n = reader_varint(r);
    if (r->bad || n > reader_left(r) || (n > 0 && !memory->seen) ||
        (memory->seen && memory->newest > re->en->now))
        return false;
    int64_t before = INT64_MIN;
    for (uint64_t i = 0; i < n; i++) {
        uint64_t number = reader_varint(r);
        if (r->bad || number >= re->n_events || re->ev[number]->time < before)
            return false;
        before = re->ev[number]->time;
        memory->ev = vec_reserve(memory->ev, &memory->cap, memory->n + 1, sizeof *memory->ev);
        memory->ev[memory->n++] = event_ref(re->ev[number]);
        part->rs->stats.bytes += run_event_bytes(re->ev[number]) + sizeof *memory->ev;
    }
    return true;
}

static void restore_lead_due(struct restore *re, struct partition *part)
{
    int64_t newest = INT64_MIN;
    bool seen = false;
    for (uint16_t k = 0; k < part->rs->rule->nfa->n_lead_nots; k++) {
        seen |= part->lead[k].seen;
        if (part->lead[k].seen && part->lead[k].newest > newest)
            newest = part->lead[k].newest;
    }
    if (seen)
        restore_deadline(re, &part->rs->lead, &part->lead_due,
                         time_plus(newest, part->rs->lead.delay), 0);
}

static bool decode_body(struct restore *re, struct partition *part, struct reader *r)
{
    const struct nfa *nfa = part->rs->rule->nfa;
    for (uint16_t k = 0; k < nfa->n_lead_nots; k++) {
        if (!decode_lead(re, r, part, k))
            return false;
    }
    restore_lead_due(re, part);
    for (uint16_t i = 0; i < nfa->n_elements; i++) {
        if (!decode_list(re, r, part, &part->at[i], i))
            return false;
    }
    if (part->sets != NULL)
        set_adopted(re, part);
    return decode_list(re, r, part, &part->waiting, nfa->n_elements) && reader_left(r) == 0 &&
           !partition_empty(part);
}

static bool decode_events(struct restore *re, struct reader *r)
{
    uint64_t n = reader_varint(r);
    if (r->bad || n > reader_left(r))
        return false;
    re->ev = mem_calloc(n + 1, sizeof *re->ev);
    re->n_events = 0;
    for (uint64_t i = 0; i < n; i++) {
        re->ev[re->n_events] = event_decode(re, r);
        if (re->ev[re->n_events] == NULL)
            return false;
        if (re->ev[re->n_events++]->time > re->en->now)
            return false;
    }
    return true;
}

static struct partition *decode_key(struct restore *re, struct rule_state *rs, struct reader *r)
{
    uint32_t n_keys = rs->keys.n_keys;
    if (reader_varint(r) != n_keys)
        return NULL;
    struct value *key = arena_alloc(re->en->scratch, (n_keys + 1) * sizeof *key);
    for (uint32_t i = 0; i < n_keys; i++)
        key[i] = value_decode(r, re->en->scratch);
    uint64_t hash = key_hash(key, n_keys);
    if (r->bad || partition_find(&rs->parts, hash, key, n_keys) != NULL)
        return NULL;
    return partition_new(rs, hash, key);
}

bool partition_decode(struct restore *re, struct rule_state *rs, struct reader *r)
{
    struct partition *part = decode_key(re, rs, r);
    bool ok = part != NULL && decode_events(re, r);
    size_t len = 0;
    const char *body = ok ? reader_bytes(r, &len) : NULL;
    if (body != NULL) {
        struct reader inner;
        reader_init(&inner, body, len);
        ok = rs->ops != NULL ? rs->ops->decode(re, part, &inner) && reader_left(&inner) == 0
                             : decode_body(re, part, &inner);
    }
    for (size_t i = 0; i < re->n_events; i++)
        event_unref(re->ev[i]);
    mem_free(re->ev);
    re->ev = NULL;
    re->n_events = 0;
    arena_reset(re->en->scratch);
    return ok && body != NULL;
}
