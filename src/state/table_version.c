// SPDX-License-Identifier: Apache-2.0
#include "state/table_version.h"

#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/reader.h"
#include "state/space.h"

enum { CODEC_VERSION = 1 };
enum { HEAD = 'v', DATA = 'd', BEGUN = 'i' };
enum { DATA_KEY = 2 + 8 + 4, BEGUN_KEY = 2 + 8 };

static void put_prefix(struct buf *key, uint8_t part)
{
    buf_addc(key, SPACE_TABLE);
    buf_addc(key, (char)part);
}

static void put_u64(struct buf *key, uint64_t number)
{
    uint8_t bytes[8];

    key_put_u64(bytes, number);
    buf_add(key, bytes, sizeof bytes);
}

static void put_piece_key(struct buf *key, uint64_t data, uint32_t piece)
{
    uint8_t bytes[4];

    put_prefix(key, DATA);
    put_u64(key, data);
    key_put_u32(bytes, piece);
    buf_add(key, bytes, sizeof bytes);
}

static void put_begun_key(struct buf *key, uint64_t data)
{
    put_prefix(key, BEGUN);
    put_u64(key, data);
}

/* ---- heads ------------------------------------------------------------------------------------ */

static void put_head_key(struct buf *key, const char *table, size_t len, uint64_t number)
{
    put_prefix(key, HEAD);
    buf_add(key, table, len);
    buf_addc(key, '\0');
    put_u64(key, number);
}

void table_version_put(struct store_batch *batch, const struct table_version *version)
{
    struct buf key, value;

    buf_init(&key);
    buf_init(&value);
    put_head_key(&key, version->table, version->table_len, version->number);
    buf_add_varint(&value, CODEC_VERSION);
    buf_add_u8(&value, (uint8_t)version->kind);
    buf_add_u64(&value, (uint64_t)version->time);
    buf_add_varint(&value, version->data);
    buf_add_varint(&value, version->n_pieces);
    buf_add_varint(&value, version->data_bytes);
    buf_add_varint(&value, version->rows);
    buf_add_varint(&value, version->bytes);
    buf_add(&value, version->id, sizeof version->id);
    buf_add_bytes(&value, version->who, version->who_len);
    buf_add_bytes(&value, version->key, version->key_len);
    store_batch_put(batch, key.data, key.len, value.data, value.len);
    buf_fini(&key);
    buf_fini(&value);
}

void table_version_remove(struct store_batch *batch, const char *table, uint64_t number, uint64_t data,
                          uint32_t n_pieces)
{
    struct buf key;

    buf_init(&key);
    put_head_key(&key, table, strlen(table), number);
    store_batch_remove(batch, key.data, key.len);
    buf_fini(&key);
    table_pieces_remove(batch, data, n_pieces);
}

bool table_version_decode(const void *key, size_t key_len, const void *value, size_t len,
                          struct table_version *version_out)
{
    const char *bytes = key, *nul = key_len > 2 ? memchr(bytes + 2, '\0', key_len - 2) : NULL;
    struct table_version v = {.number = 0};
    struct reader r;

    *version_out = v;
    if (!nul || bytes[1] != HEAD || (size_t)(bytes + key_len - nul) != 9)
        return false;
    v.table = bytes + 2;
    v.table_len = (size_t)(nul - v.table);
    v.number = key_get_u64((const uint8_t *)nul + 1);
    reader_init(&r, value, len);
    if (reader_varint(&r) != CODEC_VERSION)
        return false;
    uint8_t kind = reader_u8(&r);
    v.kind = (enum table_version_kind)kind;
    v.time = (int64_t)reader_u64(&r);
    v.data = reader_varint(&r);
    uint64_t n_pieces = reader_varint(&r);
    v.n_pieces = (uint32_t)n_pieces;
    v.data_bytes = reader_varint(&r);
    v.rows = reader_varint(&r);
    v.bytes = reader_varint(&r);
    for (size_t i = 0; i < sizeof v.id; i++)
        v.id[i] = reader_u8(&r);
    v.who = reader_bytes(&r, &v.who_len);
    v.key = reader_bytes(&r, &v.key_len);
    if (r.bad || kind > TABLE_VERSION_REMOVED || n_pieces > UINT32_MAX || reader_left(&r) != 0 ||
        v.number == 0 || v.table_len == 0 || (v.n_pieces > 0 && v.data == 0))
        return false;
    *version_out = v;
    return true;
}

struct listing {
    table_version_found_fn *found;
    void *ctx;
    bool damaged;
};

static bool found_head(void *ctx, const void *key, size_t key_len, const void *value, size_t len)
{
    struct listing *listing = ctx;
    struct table_version version;

    listing->damaged = !table_version_decode(key, key_len, value, len, &version);
    return !listing->damaged && listing->found(listing->ctx, &version);
}

enum store_result table_version_list(struct store *st, const char *table, table_version_found_fn *found,
                                     void *ctx, struct buf *why)
{
    struct listing listing = {found, ctx, false};
    struct buf prefix;

    buf_init(&prefix);
    put_prefix(&prefix, HEAD);
    if (table)
        buf_add(&prefix, table, strlen(table) + 1);
    enum store_result result = store_read(st, prefix.data, prefix.len, found_head, &listing, why);
    buf_fini(&prefix);
    if (result == STORE_OK && listing.damaged) {
        buf_printf(why, "a version of the table %s is damaged", table ? table : "");
        return STORE_CORRUPT;
    }
    return result;
}

/* ---- pieces ----------------------------------------------------------------------------------- */

void table_piece_put(struct store_batch *batch, uint64_t data, uint32_t piece, const void *text,
                     size_t len)
{
    struct buf key;

    buf_init(&key);
    put_piece_key(&key, data, piece);
    store_batch_put(batch, key.data, key.len, text, len);
    buf_fini(&key);
}

void table_pieces_remove(struct store_batch *batch, uint64_t data, uint32_t n_pieces)
{
    struct buf key;

    buf_init(&key);
    for (uint32_t i = 0; i < n_pieces; i++) {
        buf_clear(&key);
        put_piece_key(&key, data, i);
        store_batch_remove(batch, key.data, key.len);
    }
    buf_fini(&key);
}

void table_data_begin(struct store_batch *batch, uint64_t data)
{
    struct buf key;

    buf_init(&key);
    put_begun_key(&key, data);
    store_batch_put(batch, key.data, key.len, "", 0);
    buf_fini(&key);
}

void table_data_done(struct store_batch *batch, uint64_t data)
{
    struct buf key;

    buf_init(&key);
    put_begun_key(&key, data);
    store_batch_remove(batch, key.data, key.len);
    buf_fini(&key);
}

bool table_data_key_decode(const void *key, size_t key_len, uint64_t *data_out, uint32_t *piece_out)
{
    const uint8_t *bytes = key;
    bool is_piece = key_len == DATA_KEY && bytes[1] == DATA, is_begun = key_len == BEGUN_KEY && bytes[1] == BEGUN;

    if (!is_piece && !is_begun)
        return false;
    *data_out = key_get_u64(bytes + 2);
    *piece_out = is_piece ? key_get_u32(bytes + 10) : UINT32_MAX;
    return true;
}

struct reading {
    table_piece_found_fn *found;
    void *ctx;
    uint32_t next;
    bool damaged;
};

static bool found_piece(void *ctx, const void *key, size_t key_len, const void *value, size_t len)
{
    struct reading *reading = ctx;

    reading->damaged = key_len != DATA_KEY ||
                       key_get_u32((const uint8_t *)key + DATA_KEY - 4) != reading->next;
    return !reading->damaged && reading->found(reading->ctx, reading->next++, value, len);
}

enum store_result table_data_read(struct store *st, uint64_t data, table_piece_found_fn *found,
                                  void *ctx, struct buf *why)
{
    struct reading reading = {found, ctx, 0, false};
    struct buf prefix;

    buf_init(&prefix);
    put_prefix(&prefix, DATA);
    put_u64(&prefix, data);
    enum store_result result = store_read(st, prefix.data, prefix.len, found_piece, &reading, why);
    buf_fini(&prefix);
    if (result == STORE_OK && reading.damaged) {
        buf_adds(why, "rows of a table are damaged");
        return STORE_CORRUPT;
    }
    return result;
}

/* ---- what was begun --------------------------------------------------------------------------- */

struct forgetting {
    struct store_batch *batch;
    uint64_t *begun; /* owned */
    size_t n, cap;
    uint64_t data;
};

static bool found_begun(void *ctx, const void *key, size_t key_len, const void *value, size_t len)
{
    struct forgetting *f = ctx;

    (void)value, (void)len;
    if (key_len != BEGUN_KEY)
        return true;
    f->begun = vec_reserve(f->begun, &f->cap, f->n + 1, sizeof *f->begun);
    f->begun[f->n++] = key_get_u64((const uint8_t *)key + 2);
    return true;
}

static bool forget_piece(void *ctx, uint32_t piece, const char *text, size_t len)
{
    struct forgetting *f = ctx;
    struct buf key;

    (void)text, (void)len;
    buf_init(&key);
    put_piece_key(&key, f->data, piece);
    store_batch_remove(f->batch, key.data, key.len);
    buf_fini(&key);
    return true;
}

enum store_result table_data_forget(struct store *st, struct store_batch *batch, uint64_t *most_out,
                                    struct buf *why)
{
    static const uint8_t prefix[] = {SPACE_TABLE, BEGUN};
    struct forgetting f = {.batch = batch};
    enum store_result result = store_read(st, prefix, sizeof prefix, found_begun, &f, why);

    *most_out = 0;
    for (size_t i = 0; i < f.n && result == STORE_OK; i++) {
        f.data = f.begun[i];
        *most_out = f.data > *most_out ? f.data : *most_out;
        result = table_data_read(st, f.data, forget_piece, &f, why);
        table_data_done(batch, f.data);
    }
    mem_free(f.begun);
    return result;
}
