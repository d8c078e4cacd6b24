// SPDX-License-Identifier: Apache-2.0
/*
 * record_load - records on their way in: at a start rules, tables and the directory of keys; a key's
 * body when it is needed. What the store holds is not trusted: each read is checked.
 */
#include <string.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/reader.h"
#include "engine/body.h"
#include "engine/record_priv.h"

/* More than any engine ever charges; sums of some stay in range. */
#define MOST_CHARGE (UINT64_C(1) << 48)

static uint64_t big_endian(struct reader *r, int bytes)
{
    uint64_t n = 0;
    while (bytes-- > 0)
        n = n << 8 | reader_u8(r);
    return n;
}

bool record_head_decode(struct record_head *head, struct reader *r)
{
    uint8_t version = reader_u8(r);
    head->flags = reader_u8(r);
    head->due = (int64_t)reader_u64(r);
    head->charge = reader_varint(r);
    head->runs = reader_varint(r);
    return !r->bad && version == RECORD_VERSION && head->flags <= RECORD_CHUNKED &&
           head->charge < MOST_CHARGE && head->runs < MOST_CHARGE;
}

/* ---- a key's body --------------------------------------------------------------------------- */

struct piece {
    uint64_t id;
    size_t at, len; /* in loading.pieces_data */
};

struct loading {
    struct records *r;
    struct rule_state *rs;
    uint64_t hash;
    size_t prefix_len;
    struct buf key;               /* of the record whose pieces are met; len 0: none */
    uint64_t content;
    struct record_head head;
    struct record_chunks *chunks; /* owned until it is loaded */
    struct piece *piece;          /* in the order of their ids */
    size_t n_pieces, cap_pieces;
    struct buf pieces_data;
    const char *why;              /* what is wrong; or NULL */
};

static bool wrong(struct loading *lo, const char *why)
{
    lo->why = lo->why != NULL ? lo->why : why;
    return false;
}

/* What was restored of it does not fit: it goes again. */
static bool undo(struct loading *lo, const char *why)
{
    struct partition *part = lo->rs->records->charging;
    lo->r->re.n_due = 0;
    if (part != NULL)
        record_forget(lo->r, part, false);
    return wrong(lo, why);
}

/* The key's stub makes room for the key. */
static bool load_state(struct loading *lo, const void *state, size_t len)
{
    struct records *r = lo->r;
    struct rule_state *rs = lo->rs;
    struct reader key_reader, reader;
    struct partition_slot *slot = partition_stub(&rs->parts, lo->hash, 0);
    reader_init(&key_reader, lo->key.data, lo->key.len);
    struct value *key = partition_key_decode(&r->re, rs, &key_reader);
    if (slot == NULL || key == NULL || reader_left(&key_reader) > 0 ||
        key_hash(key, rs->keys.n_keys) != lo->hash)
        return wrong(lo, "the key of a record is damaged");
    partition_unplace(&rs->parts, slot);
    r->n_stubs--;
    r->stub_bytes -= lo->head.charge;
    rs->stats.keys--;
    rs->stats.runs -= lo->head.runs;
    rs->stats.bytes -= lo->head.charge;
    struct partition *other = partition_find(&rs->parts, lo->hash, key, rs->keys.n_keys);
    if (other != NULL && !partition_is_stub(other))
        return wrong(lo, "a key has two records");
    reader_init(&reader, state, len);
    struct partition *part = partition_decode_state(&r->re, rs, lo->hash, key, &reader);
    if (part == NULL || part->n_runs != lo->head.runs || r->re.due < lo->head.due ||
        partition_empty(part))
        return undo(lo, "the state of a key is damaged, or of a rule of another shape");
    restore_deadlines(&r->re);
    record_charge_none(rs);
    struct part_record *rec = record_of(part);
    rec->link.stored = true;
    rec->link.epoch = r->durable;
    rec->due = lo->head.due;
    rec->stored_charge = lo->head.charge;
    rec->stored_runs = lo->head.runs;
    rec->content = lo->content;
    rec->chunks = lo->chunks;
    lo->chunks = NULL;
    record_append(&r->clean, &rec->link, RECORD_CLEAN);
    return true;
}

static const struct piece *piece_of(const struct loading *lo, uint64_t id)
{
    size_t low = 0, high = lo->n_pieces;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (lo->piece[mid].id < id)
            low = mid + 1;
        else
            high = mid;
    }
    return low < lo->n_pieces && lo->piece[low].id == id ? &lo->piece[low] : NULL;
}

/* All pieces of the last record are met. */
static bool load_pieces(struct loading *lo)
{
    if (lo->key.len == 0)
        return true;
    struct buf state;
    bool ok = true;
    buf_init(&state);
    for (size_t i = 0; i < lo->chunks->n && ok; i++) {
        const struct piece *piece = piece_of(lo, lo->chunks->id[i]);
        ok = piece != NULL && state.len <= lo->pieces_data.len;
        if (ok)
            buf_add(&state, lo->pieces_data.data + piece->at, piece->len);
    }
    ok = ok ? load_state(lo, state.data, state.len) : wrong(lo, "a piece of a record is missing");
    buf_fini(&state);
    mem_free(lo->chunks);
    lo->chunks = NULL;
    lo->n_pieces = 0;
    buf_clear(&lo->pieces_data);
    buf_clear(&lo->key);
    return ok;
}

static bool found_head(struct loading *lo, const char *key, size_t key_len, const void *value,
                       size_t len)
{
    struct reader r;
    if (!load_pieces(lo))
        return false;
    reader_init(&r, value, len);
    if (!record_head_decode(&lo->head, &r))
        return wrong(lo, "a record is damaged, or of a later version");
    lo->content = hash64(value, len, 0) | 1;
    buf_clear(&lo->key);
    buf_add(&lo->key, key, key_len);
    if (lo->head.flags & RECORD_CHUNKED) {
        lo->chunks = record_chunks_decode(&r);
        return (lo->chunks != NULL && reader_left(&r) == 0) || wrong(lo, "a record is damaged");
    }
    bool ok = load_state(lo, r.p, reader_left(&r));
    buf_clear(&lo->key);
    return ok;
}

static bool found_piece(struct loading *lo, const char *key, size_t key_len, uint64_t id,
                        const void *value, size_t len)
{
    if (lo->key.len != key_len || lo->chunks == NULL || memcmp(lo->key.data, key, key_len) != 0 ||
        (lo->n_pieces > 0 && lo->piece[lo->n_pieces - 1].id >= id))
        return wrong(lo, "a piece of no record");
    lo->piece = vec_reserve(lo->piece, &lo->cap_pieces, lo->n_pieces + 1, sizeof *lo->piece);
    lo->piece[lo->n_pieces++] = (struct piece){.id = id, .at = lo->pieces_data.len, .len = len};
    buf_add(&lo->pieces_data, value, len);
    return true;
}

static bool found(void *ctx, const void *key, size_t key_len, const void *value, size_t len)
{
    struct loading *lo = ctx;
    struct reader r;
    size_t own_len;
    if (key_len < lo->prefix_len)
        return wrong(lo, "the key of a record is damaged");
    reader_init(&r, (const char *)key + lo->prefix_len, key_len - lo->prefix_len);
    const char *own = reader_bytes(&r, &own_len);
    if (r.bad || own_len == 0 || (reader_left(&r) != 0 && reader_left(&r) != 8))
        return wrong(lo, "the key of a record is damaged");
    if (reader_left(&r) == 0)
        return found_head(lo, own, own_len, value, len);
    return found_piece(lo, own, own_len, big_endian(&r, 8), value, len);
}

void record_load(struct rule_state *rs, uint64_t hash)
{
    struct records *r = rs->records->all;
    struct loading lo = {.r = r, .rs = rs, .hash = hash};
    struct buf prefix;
    if (r->broken != NULL)
        return;
    buf_init(&prefix);
    record_prefix(&prefix, 'P', rs->records->incarnation);
    for (int shift = 56; shift >= 0; shift -= 8)
        buf_add_u8(&prefix, (uint8_t)(hash >> shift));
    lo.prefix_len = prefix.len;
    record_charge_none(rs);
    r->loads++;
    r->loading = true;
    if (!r->reader.read(r->reader.ctx, prefix.data, prefix.len, found, &lo))
        wrong(&lo, "the store cannot be read");
    if (lo.why == NULL)
        load_pieces(&lo);
    if (lo.why == NULL && partition_stub(&rs->parts, hash, 0) != NULL)
        wrong(&lo, "the record of a key is missing");
    r->loading = false;
    arena_reset(r->re.scratch);
    if (lo.why != NULL)
        record_broken(r, lo.why);
    mem_free(lo.chunks);
    mem_free(lo.piece);
    buf_fini(&lo.pieces_data);
    buf_fini(&lo.key);
    buf_fini(&prefix);
}

/* ---- at a start ----------------------------------------------------------------------------- */

static struct rule_state *rule_of(struct records *r, uint32_t incarnation)
{
    struct engine *en = r->en;
    for (uint32_t i = 0; i < en->prog->n_rules; i++) {
        uint32_t at = (r->rule_at + i) % en->prog->n_rules;
        if (incarnation != 0 && r->rule[at].incarnation == incarnation) {
            r->rule_at = at;
            return &en->rule[at];
        }
    }
    return NULL;
}

static struct fed_table *table_of(struct records *r, uint32_t incarnation)
{
    struct engine *en = r->en;
    for (uint32_t i = 0; i < en->tables.n; i++) {
        uint32_t at = (r->table_at + i) % en->tables.n;
        if (incarnation != 0 && r->table[at].incarnation == incarnation) {
            r->table_at = at;
            return &en->tables.table[at];
        }
    }
    return NULL;
}

static bool restore_key(struct records *r, struct rule_state *rs, struct reader *key,
                        struct reader *value)
{
    struct record_head head;
    size_t len;
    uint64_t hash = big_endian(key, 8);
    reader_bytes(key, &len);
    if (key->bad || len == 0)
        return false;
    if (reader_left(key) == 8)
        return true; /* a piece: read when its record is */
    if (reader_left(key) != 0 || !record_head_decode(&head, value))
        return false;
    struct rule_records *rr = rs->records;
    rr->found = vec_reserve(rr->found, &rr->cap_found, rr->n_found + 1, sizeof *rr->found);
    rr->found[rr->n_found++] = (struct record_place){hash, stub_place(head.due)};
    directory_sums_add(&rr->stored, hash, stub_place(head.due), head.runs, head.charge);
    r->n_stubs++;
    r->stub_bytes += head.charge;
    rs->stats.keys++;
    rs->stats.runs += head.runs;
    rs->stats.bytes += head.charge;
    return true;
}

/* All at once: they came in the order of their hashes. */
static void place_found(struct records *r, struct rule_state *rs)
{
    struct rule_records *rr = rs->records;
    if (rr->n_found == 0)
        return;
    partition_reserve(rs, rr->n_found);
    for (size_t i = 0; i < rr->n_found; i++)
        partition_stub_add(rs, rr->found[i].hash, rr->found[i].place);
    mem_free(rr->found);
    rr->found = NULL;
    rr->n_found = rr->cap_found = 0;
    stub_add_all(r, rs);
}

bool engine_restore_knows(struct engine *en, uint32_t incarnation)
{
    struct rule_state *rs = rule_of(en->records, incarnation);
    return rs != NULL && directory_settle(en->records, rs);
}

/* Its record is not wanted any more. */
static void bury_key(struct records *r, const void *key, size_t key_len)
{
    buf_add_bytes(&r->gone, key, key_len);
}

static bool restore_suppress(struct records *r, struct rule_state *rs, const void *whole,
                             size_t whole_len, const struct reader *key, struct reader *value)
{
    int64_t last = (int64_t)reader_u64(value), due = (int64_t)reader_u64(value);
    uint64_t held = reader_varint(value), order = reader_varint(value);
    if (value->bad || reader_left(value) > 0 || last > engine_latest(r->en) || due == NO_DUE)
        return false;
    if (rs->rule->suppress < 0 || (held == 0 && due < r->en->now)) {
        bury_key(r, whole, whole_len);
        return true;
    }
    struct suppress_entry *entry =
        suppress_restore(rs, (const char *)key->p, reader_left(key), last, held);
    if (entry == NULL)
        return false;
    rs->suppress.n_moves--; /* it came before, in its own order */
    entry->order = order;
    entry->link.stored = true;
    entry->deadline.due = due;
    if (due >= r->en->now)
        restore_deadline(&r->re, &rs->suppress.queue, &entry->deadline, due, order);
    return true;
}

static bool restore_table(struct fed_table *t, const void *value, size_t len)
{
    struct table_records *tr = t->records;
    struct reader r;
    reader_init(&r, value, len);
    reader_u8(&r);
    if (tr->restored || !table_head_decode(t, &r, &tr->column, &tr->n_columns) ||
        reader_left(&r) > 0)
        return false;
    tr->restored = true;
    tr->moved = !table_same_columns(t, tr->column, tr->n_columns);
    tr->content = hash64(value, len, 0) | 1;
    return true;
}

static bool restore_rule(struct records *r, struct rule_state *rs, const void *value, size_t len)
{
    struct rule_records *rr = rs->records;
    struct reader reader;
    reader_init(&reader, value, len);
    uint8_t version = reader_u8(&reader);
    if (rr->restored || !rule_decode(&r->re, rs, &reader))
        return false;
    if (version == RECORD_RULE_VERSION) {
        rs->stats.engine_ns = reader_varint(&reader);
        rs->stats.conditions_ns = reader_varint(&reader);
    }
    if (reader.bad || reader_left(&reader) > 0)
        return false;
    rr->restored = true;
    rr->content = hash64(value, len, 0) | 1;
    return true;
}

static bool restore_record(struct records *r, const void *key, size_t key_len, const void *value,
                           size_t len)
{
    struct reader kr, vr;
    reader_init(&kr, key, key_len);
    reader_init(&vr, value, len);
    uint8_t kind = reader_u8(&kr);
    uint32_t incarnation = (uint32_t)big_endian(&kr, 4);
    if (kr.bad)
        return false;
    bool of_table = kind == 'T' || kind == 'W';
    struct rule_state *rs = of_table ? NULL : rule_of(r, incarnation);
    struct fed_table *t = of_table ? table_of(r, incarnation) : NULL;
    if (of_table ? t == NULL : rs == NULL)
        return false;
    if (of_table && t->records == NULL) { /* no longer fed by events */
        bury_key(r, key, key_len);
        return true;
    }
    if (kind == 'P')
        return directory_settle(r, rs) || restore_key(r, rs, &kr, &vr);
    if (kind == 'D')
        return directory_restore(r, rs, &kr, &vr);
    uint8_t version = reader_u8(&vr);
    if (version != RECORD_VERSION && (kind != 'R' || version != RECORD_RULE_VERSION))
        return false;
    switch (kind) {
    case 'R': return reader_left(&kr) == 0 && restore_rule(r, rs, value, len);
    case 'S': return restore_suppress(r, rs, key, key_len, &kr, &vr);
    case 'T': return reader_left(&kr) == 0 && restore_table(t, value, len);
    case 'W':
        return t->records->restored && table_row_decode(&r->re, t, t->records->column,
                                                        t->records->n_columns, &vr) &&
               reader_left(&vr) == 0;
    default: return false;
    }
}

bool engine_restore_record(struct engine *en, const void *key, size_t key_len, const void *value,
                           size_t len, const char **why_out)
{
    bool ok = restore_record(en->records, key, key_len, value, len);
    arena_reset(en->records->re.scratch);
    if (!ok)
        *why_out = "a damaged record, or one of another rule";
    return ok;
}

void engine_restore_end(struct engine *en)
{
    struct records *r = en->records;
    restore_deadlines(&r->re);
    for (uint32_t i = 0; i < en->prog->n_rules; i++) {
        if (en->rule[i].records == NULL || directory_settle(r, &en->rule[i]))
            continue;
        place_found(r, &en->rule[i]);
    }
    stub_heap_build(r);
    r->loading = false;
    drain_bound(en);
    for (uint32_t i = 0; i < en->prog->n_rules; i++) {
        struct rule_state *rs = &en->rule[i];
        suppress_sort(&rs->suppress);
        if (rs->records == NULL || rs->records->restored || en->since == INT64_MAX)
            continue;
        /* It comes with a reload: what was before it did not see. */
        int64_t shown = en->now > en->shown ? en->now : en->shown;
        rs->since = shown > en->since ? shown : en->since;
        if (rs->ops != NULL && rs->ops->begin != NULL && !rs->rule->disabled)
            rs->ops->begin(en, rs, rs->since);
    }
    for (uint32_t i = 0; i < en->tables.n; i++) {
        struct fed_table *t = &en->tables.table[i];
        table_topic_settle(t);
        if (r->table[i].shared)
            t->records = NULL;
        if (t->records != NULL && t->records->moved)
            table_touch_all(t);
    }
}
