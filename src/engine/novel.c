// SPDX-License-Identifier: Apache-2.0
/* novel - see novel.h: values of a key by last sighting, an index once there are many. */
#include "engine/novel.h"

#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/reader.h"
#include "engine/body.h"
#include "engine/engine_priv.h"
#include "engine/finding.h"
#include "engine/look_priv.h"
#include "engine/matcher.h"
#include "engine/snapshot.h"
#include "event/event.h"
#include "plan/novel_plan.h"

enum { INDEX_FROM = 12, MAX_COMBINATIONS = 100 };

#define MAX_INDEX (UINT64_C(1) << 40)

struct seen {
    struct seen *prev, *next; /* by last sighting, oldest first */
    int64_t last;             /* ns */
    uint32_t hash;
    uint32_t len;
    char bytes[];             /* canonical coding of the tuple */
};

struct novel_key {
    struct seen *first, *tail;
    struct hash_index *index; /* NULL while there are few */
    uint64_t n;
    uint64_t index_bytes;     /* charged for it */
    int64_t since;            /* first event of the key */
    int64_t newest;
    struct deadline due;
    struct partition *part;
};

struct novel_rule {
    struct deadline_queue queue;
};

struct tuple_bytes {
    const char *data;
    size_t len;
};

/* ---- values of a key ------------------------------------------------------------------------ */

static bool seen_equal(uint64_t value, const void *key, void *ctx)
{
    (void)ctx;
    const struct seen *se = (const struct seen *)(uintptr_t)value;
    const struct tuple_bytes *want = key;
    return se->len == want->len && memcmp(se->bytes, want->data, want->len) == 0;
}

static uint32_t tuple_hash(const struct tuple_bytes *tuple)
{
    return (uint32_t)hash64(tuple->data, tuple->len, 0);
}

static struct seen *seen_find(const struct novel_key *nk, const struct tuple_bytes *tuple)
{
    uint32_t hash = tuple_hash(tuple);
    uint64_t value;
    if (nk->index != NULL) {
        bool is_in = hash_index_get(nk->index, hash, seen_equal, tuple, NULL, &value);
        return is_in ? (struct seen *)(uintptr_t)value : NULL;
    }
    for (struct seen *se = nk->first; se != NULL; se = se->next) {
        if (se->hash == hash && seen_equal((uint64_t)(uintptr_t)se, tuple, NULL))
            return se;
    }
    return NULL;
}

static void unlink_seen(struct novel_key *nk, struct seen *se)
{
    if (se->prev != NULL)
        se->prev->next = se->next;
    else
        nk->first = se->next;
    if (se->next != NULL)
        se->next->prev = se->prev;
    else
        nk->tail = se->prev;
}

static void append_seen(struct novel_key *nk, struct seen *se, int64_t time)
{
    se->last = time;
    se->next = NULL;
    se->prev = nk->tail;
    if (nk->tail != NULL)
        nk->tail->next = se;
    else
        nk->first = se;
    nk->tail = se;
}

static size_t seen_bytes(const struct seen *se)
{
    return sizeof *se + se->len;
}

/* The index is charged for the most values that there were, also when it was made anew for the few that
 * were left (a restart); it goes with the last one. */
static void index_add(struct rule_state *rs, struct novel_key *nk, struct seen *se)
{
    hash_index_add(nk->index, se->hash, (uint64_t)(uintptr_t)se);
    uint64_t bytes = hash_index_bytes(nk->index);
    if (bytes <= nk->index_bytes)
        return;
    rs->stats.bytes += bytes - nk->index_bytes;
    nk->index_bytes = bytes;
}

static void index_make(struct rule_state *rs, struct novel_key *nk)
{
    nk->index = hash_index_new();
    for (struct seen *each = nk->first; each != NULL; each = each->next)
        index_add(rs, nk, each);
}

static void index_free(struct rule_state *rs, struct novel_key *nk)
{
    rs->stats.bytes -= nk->index_bytes;
    nk->index_bytes = 0;
    hash_index_free(&nk->index);
}

static void forget(struct rule_state *rs, struct novel_key *nk, struct seen *se)
{
    unlink_seen(nk, se);
    if (nk->index != NULL)
        hash_index_remove(nk->index, se->hash, (uint64_t)(uintptr_t)se);
    rs->stats.bytes -= seen_bytes(se);
    mem_free(se);
    if (--nk->n == 0)
        index_free(rs, nk);
}

static struct seen *remember(struct rule_state *rs, struct novel_key *nk,
                             const struct tuple_bytes *tuple, int64_t time)
{
    struct seen *se = mem_alloc(sizeof *se + tuple->len);
    se->hash = tuple_hash(tuple);
    se->len = (uint32_t)tuple->len;
    memcpy(se->bytes, tuple->data, tuple->len);
    append_seen(nk, se, time);
    rs->stats.bytes += seen_bytes(se);
    nk->n++;
    if (nk->index != NULL)
        index_add(rs, nk, se);
    else if (nk->n >= INDEX_FROM)
        index_make(rs, nk);
    return se;
}

static struct novel_key *key_state(struct rule_state *rs, struct partition *part, int64_t time)
{
    if (part->body == NULL) {
        struct novel_key *nk = part->body = mem_calloc(1, sizeof *nk);
        nk->part = part;
        nk->since = time;
        rs->stats.bytes += sizeof *nk;
    }
    return part->body;
}

/* ---- one event ------------------------------------------------------------------------------ */

struct sighting {
    const struct offer *of;
    uint16_t input;
    uint32_t n_told;
    bool tells; /* past `after` */
};

static void found_new(struct engine *en, const struct sighting *si, const struct value *tuple,
                      uint32_t n)
{
    const struct offer *of = si->of;
    struct finding *found = finding_new(of->part->rs->rule->n_steps);
    struct event *ev = engine_kept(en);
    struct value *copy = arena_alloc(found->memory, (n + 1) * sizeof *copy);
    for (uint32_t i = 0; i < n; i++) {
        copy[i] = value_copy(tuple[i], found->memory);
        value_encode(&found->id, tuple[i]);
    }
    found->aggregate = copy;
    found->n_aggregates = n;
    found->ev = event_ref(ev);
    found->stream = of->stream[si->input];
    found->order = si->n_told;
    event_encode_position(&found->id, ev);
    finding_bind(found, si->input, ev, found->stream);
    engine_found(en, of->part, found, of->ev->time);
}

static void see_tuple(struct engine *en, struct sighting *si, const struct value *tuple, uint32_t n)
{
    struct rule_state *rs = si->of->part->rs;
    struct novel_key *nk = si->of->part->body;
    int64_t time = si->of->ev->time;
    buf_clear(&en->text);
    for (uint32_t i = 0; i < n; i++)
        value_encode(&en->text, tuple[i]);
    struct tuple_bytes bytes = {.data = en->text.data, .len = en->text.len};
    struct seen *se = seen_find(nk, &bytes);
    si->n_told++;
    if (se != NULL) {
        unlink_seen(nk, se);
        append_seen(nk, se, time);
        return;
    }
    if (nk->n >= rs->rule->limits.values) {
        rs->stats.limited_values++;
        forget(rs, nk, nk->first);
    }
    if (rs->stats.bytes >= rs->rule->limits.state) {
        rs->stats.limited_state++;
        return;
    }
    remember(rs, nk, &bytes, time);
    if (si->tells)
        found_new(en, si, tuple, n);
}

/* Part `at` of the tuple and those behind it, over the elements of lists. */
static void combine(struct engine *en, struct sighting *si, const struct value *given,
                    struct value *tuple, uint32_t at, uint32_t n)
{
    if (si->n_told >= MAX_COMBINATIONS) {
        si->of->part->rs->stats.limited_values++;
        return;
    }
    if (at == n) {
        see_tuple(en, si, tuple, n);
        return;
    }
    if (given[at].type != VALUE_LIST) {
        tuple[at] = given[at];
        combine(en, si, given, tuple, at + 1, n);
        return;
    }
    for (uint32_t i = 0; i < given[at].len; i++) {
        tuple[at] = given[at].u.list[i];
        if (!value_is_missing(tuple[at]))
            combine(en, si, given, tuple, at + 1, n);
    }
}

static bool tuple_of(struct engine *en, const struct offer *of, uint16_t input,
                     struct value *given)
{
    const struct novel_plan *plan = of->part->rs->rule->novel;
    struct vm *vm = &en->vm;
    vm->ev = of->ev;
    vm->ev_stream = of->stream[input];
    vm->bound = NULL;
    vm->key = of->part->key;
    vm->counters = &of->part->rs->counters;
    for (uint32_t i = 0; i < plan->n_values; i++) {
        given[i] = vm_eval(vm, plan->value[i]);
        if (value_is_missing(given[i]))
            return false;
    }
    return true;
}

static void novel_offer(struct engine *en, const struct offer *of)
{
    struct rule_state *rs = of->part->rs;
    const struct novel_plan *plan = rs->rule->novel;
    struct novel_rule *rule = rs->body;
    struct novel_key *nk = key_state(rs, of->part, of->ev->time);
    int64_t oldest = time_minus(of->ev->time, plan->within);
    while (nk->first != NULL && nk->first->last < oldest)
        forget(rs, nk, nk->first);
    nk->newest = of->ev->time;
    deadline_set(&en->heap, &rule->queue, &nk->due, time_plus(of->ev->time, plan->within));
    struct sighting si = {.of = of, .input = (uint16_t)__builtin_ctzll(of->fits)};
    si.tells = plan->after < 0 || of->ev->time >= time_plus(nk->since, plan->after);
    struct value *given = arena_alloc(en->scratch, 2 * plan->n_values * sizeof *given);
    if (tuple_of(en, of, si.input, given))
        combine(en, &si, given, given + plan->n_values, 0, plan->n_values);
}

static bool novel_begins(const struct rule_state *rs, uint64_t fits)
{
    (void)rs;
    return fits != 0;
}

/* ---- lifetime ------------------------------------------------------------------------------- */

static void novel_part_fini(struct engine *en, struct partition *part)
{
    struct novel_key *nk = part->body;
    if (nk == NULL)
        return;
    deadline_clear(&en->heap, &nk->due);
    while (nk->first != NULL)
        forget(part->rs, nk, nk->first);
    index_free(part->rs, nk);
    part->rs->stats.bytes -= sizeof *nk;
    mem_free(nk);
    part->body = NULL;
}

static bool novel_empty(const struct partition *part)
{
    return part->body == NULL;
}

static void novel_due(struct engine *en, struct deadline *dl)
{
    struct novel_key *nk = (struct novel_key *)(void *)((char *)dl - offsetof(struct novel_key, due));
    struct partition *part = nk->part;
    partition_touch(part);
    novel_part_fini(en, part);
    partition_release(part);
}

static void novel_rule_init(struct engine *en, struct rule_state *rs)
{
    struct novel_rule *rule = rs->body = mem_calloc(1, sizeof *rule);
    deadline_queue_init(&en->heap, &rule->queue, DEADLINE_BODY, rs->rule->novel->within, rs);
}

static void novel_rule_fini(struct engine *en, struct rule_state *rs)
{
    (void)en;
    mem_free(rs->body);
    rs->body = NULL;
}

/* ---- snapshot ------------------------------------------------------------------------------- */

static void novel_encode(struct encoding *ec, const struct partition *part)
{
    const struct novel_key *nk = part->body;
    struct buf *out = &ec->body;
    buf_add_u64(out, (uint64_t)nk->since);
    buf_add_u64(out, (uint64_t)nk->newest);
    encode_due(ec, &nk->due);
    buf_add_varint(out, nk->index_bytes);
    buf_add_varint(out, nk->n);
    for (const struct seen *se = nk->first; se != NULL; se = se->next) {
        buf_add_u64(out, (uint64_t)se->last);
        buf_add_bytes(out, se->bytes, se->len);
    }
}

static bool novel_decode(struct restore *re, struct partition *part, struct reader *r)
{
    struct rule_state *rs = part->rs;
    struct novel_rule *rule = rs->body;
    struct novel_key *nk = key_state(rs, part, (int64_t)reader_u64(r));
    nk->newest = (int64_t)reader_u64(r);
    int64_t due = decode_due(r);
    uint64_t most = reader_varint(r), n = reader_varint(r);
    int64_t before = INT64_MIN;
    if (nk->newest > engine_latest(re->en) || nk->since > nk->newest || due == NO_DUE)
        return false;
    for (uint64_t i = 0; i < n && !r->bad; i++) {
        struct tuple_bytes bytes;
        int64_t last = (int64_t)reader_u64(r);
        bytes.data = reader_bytes(r, &bytes.len);
        if (r->bad || last < before || last > nk->newest || seen_find(nk, &bytes) != NULL)
            return false;
        remember(rs, nk, &bytes, last);
        before = last;
    }
    if (most > 0 && nk->n > 0 && nk->index == NULL)
        index_make(rs, nk);
    if (most > nk->index_bytes && most < MAX_INDEX && nk->index != NULL) {
        rs->stats.bytes += most - nk->index_bytes;
        nk->index_bytes = most;
    }
    restore_deadline(re, &rule->queue, &nk->due, due, 0);
    return !r->bad;
}

/* The values of a tuple, as a list. */
static void look_at_seen(struct buf *out, const struct seen *se, uint32_t n)
{
    struct arena *scratch = arena_new(0);
    struct reader r;

    reader_init(&r, se->bytes, se->len);
    buf_adds(out, "\"values\":[");
    for (uint32_t i = 0; i < n && !r.bad; i++) {
        if (i > 0)
            buf_addc(out, ',');
        value_add_json(out, value_decode(&r, scratch));
    }
    buf_adds(out, "],");
    look_add_time(out, "last", se->last);
    arena_free(&scratch);
}

static void novel_look(struct buf *out, const struct partition *part, struct looking_page *page)
{
    const struct novel_key *nk = part->body;
    bool any = false;

    if (!nk)
        return;
    buf_addc(out, ',');
    look_add_time(out, "since", nk->since);
    buf_adds(out, ",\"seen\":[");
    for (const struct seen *se = nk->tail; se; se = se->prev) {
        if (!look_tells(page, out))
            continue;
        buf_adds(out, any ? ",{" : "{");
        look_at_seen(out, se, part->rs->rule->novel->n_values);
        buf_addc(out, '}');
        any = true;
    }
    buf_printf(out, "],\"n_values\":%llu", (unsigned long long)nk->n);
}

const struct body_ops novel_ops = {
    .rule_init = novel_rule_init,
    .rule_fini = novel_rule_fini,
    .begins = novel_begins,
    .offer = novel_offer,
    .due = novel_due,
    .empty = novel_empty,
    .part_fini = novel_part_fini,
    .encode = novel_encode,
    .decode = novel_decode,
    .look = novel_look,
};
