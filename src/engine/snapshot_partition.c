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

enum { MANY_EVENTS = 16 };

static bool same_event(uint64_t value, const void *key, void *ctx)
{
    const struct encoding *ec = ctx;
    return ec->ev[value] == key;
}

static uint64_t hash_of(const struct event *ev)
{
    return hash_mix((uint64_t)(uintptr_t)ev, 0);
}

static bool find_event(struct encoding *ec, const struct event *ev, uint64_t *number_out)
{
    if (ec->index != NULL)
        return hash_index_get(ec->index, hash_of(ev), same_event, ev, ec, number_out);
    for (size_t i = 0; i < ec->n_events; i++) {
        if (ec->ev[i] == ev) {
            *number_out = i;
            return true;
        }
    }
    return false;
}

static void encode_event_number(struct encoding *ec, struct event *ev)
{
    uint64_t number;
    if (!find_event(ec, ev, &number)) {
        number = ec->n_events;
        ec->ev = vec_reserve(ec->ev, &ec->cap_events, number + 1, sizeof *ec->ev);
        ec->ev[ec->n_events++] = ev;
        if (ec->index != NULL)
            hash_index_add(ec->index, hash_of(ev), number);
        else if (ec->n_events > MANY_EVENTS) {
            ec->index = hash_index_new();
            for (size_t i = 0; i < ec->n_events; i++)
                hash_index_add(ec->index, hash_of(ec->ev[i]), i);
        }
    }
    int64_t ahead = (int64_t)(number - ec->last_event);
    buf_add_varint(&ec->body, (uint64_t)ahead << 1 ^ (uint64_t)(ahead >> 63));
    ec->last_event = number;
}

/* Oldest first; recursion would be as deep as a run has events. */
static void encode_bound(struct encoding *ec, const struct bound *bound)
{
    const struct bind *few[8], **bind = few;
    uint32_t n = bound->count;
    if (n > sizeof few / sizeof *few)
        bind = mem_alloc(n * sizeof *bind);
    for (const struct bind *b = bound->last; b != NULL; b = b->prev)
        bind[--n] = b;
    buf_add_varint(&ec->body, bound->count);
    for (uint32_t i = 0; i < bound->count; i++) {
        const struct run_bind *rb = (const struct run_bind *)bind[i];
        encode_event_number(ec, rb->base.ev);
        encode_stream(ec, rb->base.stream);
        buf_add_varint(&ec->body, rb->seq);
        buf_add_varint(&ec->body, rb->fits);
    }
    if (bind != few)
        mem_free(bind);
}

/* Of a waiting one: when it is told, when it would have died; whether that is its own deadline or
 * what is left of its life (with the sets a ghost has that, a restored run its own). */
static void encode_run_due(struct encoding *ec, const struct run *run)
{
    if (run->waiting) {
        encode_due_at(ec, run->wait->told_at);
        buf_add_u64(&ec->body, (uint64_t)run->wait->life_at);
        buf_add_u8(&ec->body, run->wait->due.queue != NULL);
        return;
    }
    encode_due(ec, &run->life);
    encode_due_at(ec, run->wait != NULL && run->wait->due.queue != NULL ? run->wait->due.due : NO_DUE);
}

static void encode_list(struct encoding *ec, const struct run_list *list, const struct nfa *nfa)
{
    buf_add_varint(&ec->body, list->n);
    for (const struct run *run = list->first; run != NULL; run = run->next) {
        buf_add_u64(&ec->body, (uint64_t)run->start_time);
        buf_add_varint(&ec->body, run->start_seq);
        buf_add_varint(&ec->body, run->count);
        buf_add_varint(&ec->body, run->element);
        encode_run_due(ec, run);
        for (uint16_t s = 0; s < nfa->n_steps; s++)
            encode_bound(ec, &run->bound[s]);
    }
}

/* Runs that the sets hold, as encode_list writes those of a list. */
struct sets_encoding {
    struct encoding *ec;
    const struct nfa *nfa;
    uint16_t element;
};

static void encode_set_run(void *ctx, const struct set_run *run)
{
    const struct sets_encoding *se = ctx;
    struct buf *out = &se->ec->body;
    buf_add_u64(out, (uint64_t)run->start_time);
    buf_add_varint(out, run->start_seq);
    buf_add_varint(out, run->count);
    buf_add_varint(out, se->element);
    encode_due_at(se->ec, run->life);
    encode_due_at(se->ec, run->wait);
    for (uint16_t s = 0; s < se->nfa->n_steps; s++) {
        uint32_t n = 0;
        for (size_t i = 0; i < run->n; i++)
            n += run->bind[i].step == s;
        buf_add_varint(out, n);
        for (size_t i = 0; i < run->n; i++) {
            if (run->bind[i].step != s)
                continue;
            encode_event_number(se->ec, run->bind[i].ev);
            encode_stream(se->ec, run->bind[i].stream);
            buf_add_varint(out, run->bind[i].seq);
            buf_add_varint(out, 0);
        }
    }
}

static void encode_element(struct encoding *ec, const struct partition *part, uint16_t i)
{
    const struct nfa *nfa = part->rs->rule->nfa;
    if (part->sets == NULL) {
        encode_list(ec, &part->at[i], nfa);
        return;
    }
    struct sets_encoding se = {ec, nfa, i};
    buf_add_varint(&ec->body, set_count_at(part, i));
    set_each_at(part, i, encode_set_run, &se);
}

static void encode_lead(struct encoding *ec, const struct lead_memory *memory)
{
    buf_add_u8(&ec->body, memory->seen);
    buf_add_u64(&ec->body, (uint64_t)memory->newest);
    buf_add_varint(&ec->body, memory->n - memory->first);
    for (size_t i = memory->first; i < memory->n; i++)
        encode_event_number(ec, memory->ev[i]);
}

static void encode_match(struct encoding *ec, const struct partition *part)
{
    const struct nfa *nfa = part->rs->rule->nfa;
    bool is_foreign = part->rs->sets != NULL && part->sets == NULL; /* goes_by_sets */
    buf_add_u32(&ec->body, is_foreign ? 0 : part->rs->layout);
    buf_add_varint(&ec->body, nfa->n_steps);
    buf_add_varint(&ec->body, nfa->n_elements);
    if (nfa->n_lead_nots > 0)
        encode_due(ec, &part->lead_due);
    for (uint16_t k = 0; k < nfa->n_lead_nots; k++)
        encode_lead(ec, &part->lead[k]);
    for (uint16_t i = 0; i < nfa->n_elements; i++)
        encode_element(ec, part, i);
    encode_list(ec, &part->waiting, nfa);
}

void partition_encode_state(struct encoding *ec, struct buf *out, const struct partition *part)
{
    buf_clear(&ec->body);
    ec->due = NO_DUE;
    ec->n_events = ec->n_streams = 0;
    ec->last_event = 0;
    hash_index_free(&ec->index);
    if (part->rs->ops != NULL)
        part->rs->ops->encode(ec, part);
    else
        encode_match(ec, part);
    buf_add_varint(out, ec->n_streams);
    for (size_t i = 0; i < ec->n_streams; i++) {
        const char *name = ec->prog->stream[ec->stream[i]].name;
        buf_add_bytes(out, name, strlen(name));
    }
    buf_add_varint(out, ec->n_events);
    for (size_t i = 0; i < ec->n_events; i++)
        event_encode(out, ec->ev[i]);
    buf_add(out, ec->body.data, ec->body.len);
}

void partition_key_encode(struct buf *out, const struct partition *part)
{
    buf_add_varint(out, part->rs->keys.n_keys);
    for (uint32_t i = 0; i < part->rs->keys.n_keys; i++)
        value_encode_exact(out, part->key[i]);
}

/* ---- in ------------------------------------------------------------------------------------- */

static struct event *decode_event_number(struct restore *re, struct reader *r)
{
    uint64_t coded = reader_varint(r);
    re->last_event += coded >> 1 ^ (0 - (coded & 1));
    r->bad |= re->last_event >= re->n_events;
    return r->bad ? NULL : re->ev[re->last_event];
}

static bool decode_bound(struct restore *re, struct reader *r, struct run *run, uint16_t step)
{
    uint64_t n = reader_varint(r);
    const struct run_bind *last = run->last;
    if (r->bad || n > reader_left(r))
        return false;
    for (uint64_t i = 0; i < n; i++) {
        struct event *ev = decode_event_number(re, r);
        uint16_t stream = decode_stream(re, r);
        uint64_t seq = reader_varint(r), fits = reader_varint(r);
        if (r->bad || seq > re->en->seq)
            return false;
        const struct bind *before = run->bound[step].last;
        if (before != NULL && ((const struct run_bind *)before)->seq >= seq)
            return false;
        run_bind(re->en, run, step, ev, stream, seq, fits);
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
        if (st->element == NFA_NONE || st->element > run->element)
            return false;
    }
    return bound == run->count && (!waiting || nfa->n_trail_nots > 0);
}

/* Of a run out of a record; NO_DUE: not set. */
struct run_due {
    int64_t life, wait;       /* open ones */
    int64_t told_at, life_at; /* waiting ones */
    bool by_wait;             /* told_at is of a step's own delay */
};

static struct run_due decode_run_due(struct reader *r, bool waiting)
{
    struct run_due due = {.life = NO_DUE, .wait = NO_DUE};
    if (waiting) {
        due.told_at = decode_due(r);
        due.life_at = decode_due(r);
        due.by_wait = reader_u8(r) != 0;
        return due;
    }
    due.life = decode_due(r);
    due.wait = decode_due(r);
    return due;
}

/* Into the queue that its delay has in this program; one of its wait queues if no step has it now. */
static bool restore_run_due(struct restore *re, struct run *run, const struct run_due *due)
{
    struct rule_state *rs = run->part->rs;
    struct deadline_queue *wait = rs->n_waits > 0 ? &rs->wait[0] : NULL;
    if (run->waiting) {
        int64_t told_at = due->told_at > re->en->now ? due->told_at : re->en->now;
        run->wait->told_at = told_at;
        run->wait->life_at = due->life_at;
        if (due->by_wait && wait != NULL)
            restore_deadline(re, wait, &run->wait->due, told_at, run->last_seq);
        else
            restore_deadline(re, &rs->life, &run->life, told_at, run->start_seq);
        return told_at != NO_DUE;
    }
    struct deadline_queue *is = run_deadlines(run).wait;
    int64_t life = due->life, wait_at = due->wait;
    if (wait == NULL && wait_at < life) { /* no step has a delay any more: what was set stays */
        life = wait_at;
        wait_at = NO_DUE;
    }
    if (life != NO_DUE)
        restore_deadline(re, &rs->life, &run->life, life, run->start_seq);
    if (wait != NULL && wait_at != NO_DUE)
        restore_deadline(re, is != NULL ? is : wait, &run->wait->due, wait_at, run->last_seq);
    return life != NO_DUE || wait_at != NO_DUE; /* no state without an end */
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
    struct run_due due = decode_run_due(r, run->waiting);
    for (uint16_t s = 0; s < nfa->n_steps && ok; s++)
        ok = decode_bound(re, r, run, s);
    if (!ok || r->bad || !run_ok(nfa, run, element, run->waiting)) {
        run_free(re->en, run);
        return false;
    }
    if (part->sets != NULL && !run->waiting) {
        ok = (due.life != NO_DUE || due.wait != NO_DUE) &&
             set_adopt(re->en, part, run, due.life, due.wait);
        run_free(re->en, run);
        return ok;
    }
    run_stand(run, list);
    return restore_run_due(re, run, &due);
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
        (memory->seen && memory->newest > engine_latest(re->en)))
        return false;
    int64_t before = INT64_MIN;
    for (uint64_t i = 0; i < n; i++) {
        struct event *ev = decode_event_number(re, r);
        if (r->bad || ev->time < before)
            return false;
        before = ev->time;
        memory->ev = vec_reserve(memory->ev, &memory->cap, memory->n + 1, sizeof *memory->ev);
        memory->ev[memory->n++] = event_ref(ev);
        part->rs->stats.bytes += run_event_bytes(ev) + sizeof *memory->ev;
    }
    return true;
}

static bool decode_body(struct restore *re, struct partition *part, struct reader *r)
{
    const struct nfa *nfa = part->rs->rule->nfa;
    bool seen = false;
    reader_u32(r); /* goes_by_sets */
    if (reader_varint(r) != nfa->n_steps || reader_varint(r) != nfa->n_elements)
        return false;
    int64_t due = nfa->n_lead_nots > 0 ? decode_due(r) : NO_DUE;
    for (uint16_t k = 0; k < nfa->n_lead_nots; k++) {
        if (!decode_lead(re, r, part, k))
            return false;
        seen |= part->lead[k].seen;
    }
    if (seen != (due != NO_DUE))
        return false;
    if (seen)
        restore_deadline(re, &part->rs->lead, &part->lead_due, due, 0);
    for (uint16_t i = 0; i < nfa->n_elements; i++) {
        if (!decode_list(re, r, part, &part->at[i], i))
            return false;
    }
    if (part->sets != NULL && !set_adopted(re, part))
        return false;
    return decode_list(re, r, part, &part->waiting, nfa->n_elements) && reader_left(r) == 0 &&
           !partition_empty(part);
}

static bool decode_events(struct restore *re, struct reader *r)
{
    uint64_t n = reader_varint(r);
    if (r->bad || n > reader_left(r))
        return false;
    re->ev = mem_alloc((n + 1) * sizeof *re->ev);
    re->n_events = 0;
    for (uint64_t i = 0; i < n; i++) {
        re->ev[re->n_events] = event_decode(re, r);
        if (re->ev[re->n_events] == NULL)
            return false;
        if (re->ev[re->n_events++]->time > engine_latest(re->en))
            return false;
    }
    return true;
}

static bool decode_streams(struct restore *re, struct reader *r)
{
    uint64_t n = reader_varint(r);
    if (r->bad || n > reader_left(r) || n > UINT16_MAX)
        return false;
    re->stream = arena_alloc(re->scratch, (n + 1) * sizeof *re->stream);
    re->n_streams = n;
    for (uint64_t i = 0; i < n; i++) {
        size_t len;
        const char *name = reader_bytes(r, &len);
        for (uint32_t s = 0; s < re->en->prog->n_streams && !r->bad; s++) {
            const char *is = re->en->prog->stream[s].name;
            if (strlen(is) == len && memcmp(is, name, len) == 0)
                re->stream[i] = (uint16_t)s;
        }
    }
    return !r->bad;
}

struct value *partition_key_decode(struct restore *re, const struct rule_state *rs,
                                   struct reader *r)
{
    uint32_t n_keys = rs->keys.n_keys;
    if (reader_varint(r) != n_keys)
        return NULL;
    struct value *key = arena_alloc(re->scratch, (n_keys + 1) * sizeof *key);
    for (uint32_t i = 0; i < n_keys; i++)
        key[i] = value_decode(r, re->scratch);
    return r->bad ? NULL : key;
}

/* By sets only if the rule's delays and counts are those that they were written with: sets derive much
 * from them. Else run by run, until the key is empty. */
static bool goes_by_sets(const struct rule_state *rs, const struct reader *r)
{
    struct reader ahead = *r;
    return rs->sets != NULL && reader_u32(&ahead) == rs->layout;
}

struct partition *partition_decode_state(struct restore *re, struct rule_state *rs, uint64_t hash,
                                         const struct value *key, struct reader *r)
{
    struct partition *part = NULL;
    bool ok = decode_streams(re, r) && decode_events(re, r);
    if (ok) {
        part = partition_new_as(rs, hash, key, rs->ops == NULL && goes_by_sets(rs, r));
        re->last_event = 0;
        re->due = NO_DUE;
        ok = rs->ops != NULL ? rs->ops->decode(re, part, r) && reader_left(r) == 0
                             : decode_body(re, part, r);
    }
    for (size_t i = 0; i < re->n_events; i++)
        event_unref(re->ev[i]);
    mem_free(re->ev);
    re->ev = NULL;
    re->n_events = 0;
    return ok && !r->bad ? part : NULL;
}
