// SPDX-License-Identifier: Apache-2.0
/*
 * record_write - records on their way out. The value of a key's record:
 *
 *   version, flags, due (8 bytes), charge, runs, then its state (snapshot_partition.c), or, with
 *   RECORD_CHUNKED, the ids of the pieces that the state is in
 *
 * In one epoch what is removed comes first: a key may be emptied and come again.
 */
#include "base/hash.h"
#include "base/mem.h"
#include "base/reader.h"
#include "engine/record_priv.h"

enum { BIG = 256 << 10 };

static void add_big_endian(struct buf *out, uint64_t n, int bytes)
{
    uint8_t text[8];
    for (int i = bytes; i-- > 0; n >>= 8)
        text[i] = (uint8_t)n;
    buf_add(out, text, (size_t)bytes);
}

void record_prefix(struct buf *out, char kind, uint32_t incarnation)
{
    buf_clear(out);
    buf_addc(out, kind);
    add_big_endian(out, incarnation, 4);
}

static void record_key_of(struct records *r, const struct partition *part, struct buf *out)
{
    record_prefix(out, 'P', part->rs->records->incarnation);
    add_big_endian(out, part->hash, 8);
    buf_clear(&r->state);
    partition_key_encode(&r->state, part);
    buf_add_bytes(out, r->state.data, r->state.len);
}

void record_put(struct records *r, const struct buf *key, const void *value, size_t len)
{
    r->writer->put(r->writer->ctx, key->data, key->len, value, len);
    r->written += key->len + len;
}

void record_remove(struct records *r, const void *key, size_t len)
{
    r->writer->remove(r->writer->ctx, key, len);
    r->written += len;
}

static uint64_t content_of(const struct buf *value)
{
    return hash64(value->data, value->len, 0) | 1;
}

/* What the record in the store says of the key, out of the sums. */
static void take_stored(const struct part_record *rec, struct directory_sums *sums)
{
    struct directory_sums one = {0};
    directory_sums_add(&one, rec->part->hash, stub_place(rec->due), rec->stored_runs,
                       rec->stored_charge);
    directory_sums_less(sums, &one);
}

/* The store's record of the key says something else from now on. */
static void note_stored(struct part_record *rec, bool was_stored, int64_t due)
{
    struct rule_records *rr = rec->part->rs->records;
    uint64_t hash = rec->part->hash;
    uint64_t before = was_stored ? stub_place(rec->due) : 0, after = stub_place(due);
    if (was_stored)
        take_stored(rec, &rr->stored);
    rec->due = due;
    rec->stored_charge = rec->charge;
    rec->stored_runs = rec->part->n_runs;
    directory_sums_add(&rr->stored, hash, after, rec->stored_runs, rec->stored_charge);
    directory_change(rr, hash, before, after);
}

static void encode_key(struct records *r, struct part_record *rec, bool was_stored)
{
    const struct partition *part = rec->part;
    record_key_of(r, part, &r->key);
    buf_clear(&r->state);
    partition_encode_state(&r->ec, &r->state, part);
    note_stored(rec, was_stored, r->ec.due);
    bool big = r->state.len > BIG;
    buf_clear(&r->value);
    buf_add_u8(&r->value, RECORD_VERSION);
    buf_add_u8(&r->value, big ? RECORD_CHUNKED : 0);
    buf_add_u64(&r->value, (uint64_t)rec->due);
    buf_add_varint(&r->value, rec->charge);
    buf_add_varint(&r->value, part->n_runs);
    if (big) {
        record_chunk(r, rec, &r->key, &r->state, &r->value);
    } else {
        if (rec->chunks != NULL)
            record_chunks_remove(r, rec, &r->key);
        buf_add(&r->value, r->state.data, r->state.len);
    }
    uint64_t content = content_of(&r->value);
    if (content != rec->content)
        record_put(r, &r->key, r->value.data, r->value.len);
    rec->content = content;
}

static void suppress_key(const struct suppress_entry *entry, struct buf *out)
{
    record_prefix(out, 'S', entry->rs->records->incarnation);
    buf_add(out, entry->key, entry->key_len);
}

static void encode_suppress(struct records *r, const struct suppress_entry *entry)
{
    suppress_key(entry, &r->key);
    buf_clear(&r->value);
    buf_add_u8(&r->value, RECORD_VERSION);
    buf_add_u64(&r->value, (uint64_t)entry->last);
    buf_add_u64(&r->value, (uint64_t)entry->deadline.due);
    buf_add_varint(&r->value, entry->held);
    buf_add_varint(&r->value, entry->order);
    record_put(r, &r->key, r->value.data, r->value.len);
}

static void row_key(const struct record_link *link, struct buf *out)
{
    record_prefix(out, 'W', table_of_row(link)->records->incarnation);
    table_row_key(out, link);
}

static void encode_row(struct records *r, const struct record_link *link)
{
    row_key(link, &r->key);
    buf_clear(&r->value);
    buf_add_u8(&r->value, RECORD_VERSION);
    table_row_encode(&r->value, link);
    record_put(r, &r->key, r->value.data, r->value.len);
}

void record_encode(struct records *r, struct record_link *link)
{
    record_write_gone(r, UINT64_MAX); /* nothing is put before */
    record_take(r, link);
    bool was_stored = link->stored;
    link->stored = true;
    link->epoch = r->complete + 1;
    switch ((enum record_kind)link->kind) {
    case RECORD_KEY:
        encode_key(r, (struct part_record *)(void *)link, was_stored);
        record_append(&r->clean, link, RECORD_CLEAN);
        break;
    case RECORD_SUPPRESS:
        encode_suppress(r, (const struct suppress_entry *)(const void *)link);
        break;
    case RECORD_ROW:
        encode_row(r, link);
        break;
    }
}

/* ---- what is gone --------------------------------------------------------------------------- */

static void bury(struct records *r, const struct buf *key)
{
    buf_add_bytes(&r->gone, key->data, key->len);
}

static void note_gone(const struct part_record *rec)
{
    struct rule_records *rr = rec->part->rs->records;
    directory_sums_add(&rr->gone, rec->part->hash, stub_place(rec->due), rec->stored_runs,
                       rec->stored_charge);
    directory_gone(rr, rec->part->hash, stub_place(rec->due));
}

void record_bury(struct records *r, const struct record_link *link)
{
    struct buf *key = &r->key;
    switch ((enum record_kind)link->kind) {
    case RECORD_KEY: {
        const struct part_record *rec = (const struct part_record *)(const void *)link;
        note_gone(rec);
        record_key_of(r, rec->part, key);
        size_t len = key->len;
        bury(r, key);
        for (size_t i = 0; rec->chunks != NULL && i < rec->chunks->n; i++) {
            key->len = len;
            add_big_endian(key, rec->chunks->id[i], 8);
            bury(r, key);
        }
        break;
    }
    case RECORD_SUPPRESS:
        suppress_key((const struct suppress_entry *)(const void *)link, key);
        bury(r, key);
        break;
    case RECORD_ROW:
        row_key(link, key);
        bury(r, key);
        break;
    }
}

bool record_write_gone(struct records *r, uint64_t until)
{
    struct reader left;
    if (r->gone_at == r->gone_closing.len)
        return true;
    reader_init(&left, r->gone_closing.data + r->gone_at, r->gone_closing.len - r->gone_at);
    while (reader_left(&left) > 0) {
        if (r->written >= until) {
            r->gone_at = r->gone_closing.len - reader_left(&left);
            return false;
        }
        size_t len;
        const char *key = reader_bytes(&left, &len);
        record_remove(r, key, len);
    }
    r->gone_at = r->gone_closing.len;
    return true;
}

/* ---- rules and tables ----------------------------------------------------------------------- */

static void add_own(struct records *r, uint64_t *content)
{
    uint64_t is = content_of(&r->value);
    if (is == *content)
        return;
    *content = is;
    buf_add_bytes(&r->own, r->key.data, r->key.len);
    buf_add_bytes(&r->own, r->value.data, r->value.len);
}

void record_encode_own(struct records *r)
{
    struct engine *en = r->en;
    buf_clear(&r->own);
    r->own_at = 0;
    for (uint32_t i = 0; i < en->prog->n_rules; i++) {
        struct rule_records *rr = en->rule[i].records;
        if (rr == NULL)
            continue;
        record_prefix(&r->key, 'R', rr->incarnation);
        buf_clear(&r->value);
        buf_add_u8(&r->value, RECORD_RULE_VERSION);
        rule_encode(&r->value, en, &en->rule[i]);
        buf_add_varint(&r->value, en->rule[i].stats.engine_ns);
        buf_add_varint(&r->value, en->rule[i].stats.conditions_ns);
        add_own(r, &rr->content);
    }
    for (uint32_t i = 0; i < en->tables.n; i++) {
        struct table_records *tr = en->tables.table[i].records;
        if (tr == NULL)
            continue;
        record_prefix(&r->key, 'T', tr->incarnation);
        buf_clear(&r->value);
        buf_add_u8(&r->value, RECORD_VERSION);
        table_head_encode(&r->value, &en->tables.table[i]);
        add_own(r, &tr->content);
    }
}

bool record_write_own(struct records *r, uint64_t until)
{
    struct reader left;
    if (r->own_at == r->own.len)
        return true;
    reader_init(&left, r->own.data + r->own_at, r->own.len - r->own_at);
    while (reader_left(&left) > 0) {
        if (r->written >= until) {
            r->own_at = r->own.len - reader_left(&left);
            return false;
        }
        struct buf key = {0};
        size_t len;
        key.data = (char *)(uintptr_t)reader_bytes(&left, &key.len);
        const char *value = reader_bytes(&left, &len);
        record_put(r, &key, value, len);
    }
    r->own_at = r->own.len;
    return true;
}
