// SPDX-License-Identifier: Apache-2.0
#include "state/savepoint.h"

#include <inttypes.h>
#include <string.h>

#include "base/buf.h"
#include "base/hash.h"
#include "base/reader.h"
#include "state/database.h"

static const char first_line[] = "tocsin savepoint 1\n";

enum { HEAD_BYTES = 12, WRITE_BYTES = 256 << 10, BATCH_BYTES = 4 << 20 };
enum { MAX_PAYLOAD = 1 << 30 };

/* ---- export ---------------------------------------------------------------------------------- */

struct exporting {
    savepoint_write_fn *write;
    void *ctx;
    struct buf out, payload;
    uint64_t n;
    bool failed;
    struct buf *why;
};

static void flush(struct exporting *ex)
{
    if (!ex->failed && ex->out.len > 0)
        ex->failed = !ex->write(ex->ctx, ex->out.data, ex->out.len, ex->why);
    buf_clear(&ex->out);
}

static void add_frame(struct exporting *ex)
{
    buf_add_u32(&ex->out, (uint32_t)ex->payload.len);
    buf_add_u64(&ex->out, hash64(ex->payload.data, ex->payload.len, ex->n));
    buf_add(&ex->out, ex->payload.data, ex->payload.len);
    buf_clear(&ex->payload);
    if (ex->out.len >= WRITE_BYTES)
        flush(ex);
}

static bool found_record(void *ctx, const void *key, size_t key_len, const void *value, size_t len)
{
    struct exporting *ex = ctx;

    if (len >= MAX_PAYLOAD - key_len - 10) {
        buf_adds(ex->why, "a record is too long for a savepoint");
        ex->failed = true;
        return false;
    }
    buf_add_bytes(&ex->payload, key, key_len);
    buf_add(&ex->payload, value, len);
    add_frame(ex);
    ex->n++;
    return !ex->failed;
}

bool savepoint_export(struct store *st, savepoint_write_fn *write, void *ctx, uint64_t *records_out,
                      struct buf *why)
{
    struct exporting ex = {.write = write, .ctx = ctx, .why = why};

    buf_init(&ex.out);
    buf_init(&ex.payload);
    buf_adds(&ex.out, first_line);
    bool ok = store_look(st, "", 0, "", 0, false, found_record, &ex, why) == STORE_OK && !ex.failed;
    if (ok) {
        buf_add_bytes(&ex.payload, NULL, 0);
        buf_add_u64(&ex.payload, ex.n);
        add_frame(&ex);
        flush(&ex);
    }
    *records_out = ex.n;
    buf_fini(&ex.out);
    buf_fini(&ex.payload);
    return ok && !ex.failed;
}

/* ---- import ---------------------------------------------------------------------------------- */

struct importing {
    struct store *store;
    savepoint_read_fn *read;
    void *ctx;
    struct store_batch *batch;
    struct buf payload, last_key;
    struct buf name_key, name; /* the record that names the database: written last */
    uint64_t n;
    bool end;                  /* the end frame was read */
    struct buf *why;
};

/* All of len bytes. */
static bool read_all(struct importing *im, void *data, size_t len)
{
    size_t got = 0;

    while (got < len) {
        ssize_t n = im->read(im->ctx, (char *)data + got, len - got, im->why);
        if (n < 0)
            return false;
        if (n == 0) {
            buf_printf(im->why, "the savepoint ends too early, after %" PRIu64 " records", im->n);
            return false;
        }
        got += (size_t)n;
    }
    return true;
}

static bool damaged(struct importing *im)
{
    buf_printf(im->why, "the savepoint is damaged after %" PRIu64 " records", im->n);
    return false;
}

/* The payload, in pieces: a damaged length must not allocate what is not there. */
static bool read_payload(struct importing *im, size_t len)
{
    char piece[4096];

    buf_clear(&im->payload);
    while (im->payload.len < len) {
        size_t n = len - im->payload.len < sizeof piece ? len - im->payload.len : sizeof piece;
        if (!read_all(im, piece, n))
            return false;
        buf_add(&im->payload, piece, n);
    }
    return true;
}

static bool write_batch(struct importing *im)
{
    bool ok = store_write(im->store, im->batch, true, im->why) == STORE_OK;

    store_batch_clear(im->batch);
    return ok;
}

static bool keys_ascend(struct importing *im, const char *key, size_t len)
{
    size_t least = len < im->last_key.len ? len : im->last_key.len;
    int order = im->last_key.len ? memcmp(im->last_key.data, key, least) : -1;
    bool ok = order < 0 || (order == 0 && im->last_key.len < len);

    buf_clear(&im->last_key);
    buf_add(&im->last_key, key, len);
    return ok;
}

static bool take_record(struct importing *im)
{
    struct reader r;
    size_t key_len;

    reader_init(&r, im->payload.data, im->payload.len);
    const char *key = reader_bytes(&r, &key_len);
    if (r.bad)
        return damaged(im);
    if (key_len == 0) {
        uint64_t n = reader_u64(&r);
        im->end = true;
        return !r.bad && reader_left(&r) == 0 && n == im->n ? true : damaged(im);
    }
    if (!keys_ascend(im, key, key_len))
        return damaged(im);
    if (database_is_name(key, key_len)) {
        buf_add(&im->name_key, key, key_len);
        buf_add(&im->name, r.p, reader_left(&r));
    } else {
        store_batch_put(im->batch, key, key_len, r.p, reader_left(&r));
    }
    im->n++;
    return store_batch_bytes(im->batch) < BATCH_BYTES || write_batch(im);
}

static bool read_frames(struct importing *im)
{
    uint8_t head[HEAD_BYTES];
    struct reader r;

    while (!im->end) {
        if (!read_all(im, head, sizeof head))
            return false;
        reader_init(&r, head, sizeof head);
        uint32_t len = reader_u32(&r);
        uint64_t hash = reader_u64(&r);
        if (len > MAX_PAYLOAD)
            return damaged(im);
        if (!read_payload(im, len))
            return false;
        if (hash64(im->payload.data, im->payload.len, im->n) != hash)
            return damaged(im);
        if (!take_record(im))
            return false;
    }
    ssize_t more = im->read(im->ctx, head, 1, im->why);
    if (more > 0)
        buf_adds(im->why, "something comes behind the end of the savepoint");
    return more == 0;
}

static bool check_name(struct importing *im)
{
    struct database_meta meta = {0};
    bool known;

    if (im->name_key.len == 0) {
        buf_adds(im->why, "the savepoint holds no database");
        return false;
    }
    if (!database_read_meta(&meta, im->name_key.data, im->name_key.len, im->name.data,
                            im->name.len, &known))
        return damaged(im);
    if (!database_knows_format(meta.format)) {
        buf_printf(im->why, "the savepoint's format is %u and this tocsin knows %d", meta.format,
                   STATE_FORMAT);
        return false;
    }
    return true;
}

bool savepoint_import(struct store *st, savepoint_read_fn *read, void *ctx, uint64_t *records_out,
                      struct buf *why)
{
    struct importing im = {.store = st, .read = read, .ctx = ctx, .why = why,
                           .batch = store_batch_new()};
    char line[sizeof first_line - 1];

    buf_init(&im.payload);
    buf_init(&im.last_key);
    buf_init(&im.name_key);
    buf_init(&im.name);
    bool ok = read_all(&im, line, sizeof line);
    if (ok && memcmp(line, first_line, sizeof line) != 0) {
        buf_adds(why, "this is no savepoint, or one of a later version");
        ok = false;
    }
    ok = ok && read_frames(&im) && check_name(&im) && write_batch(&im);
    if (ok) {
        store_batch_put(im.batch, im.name_key.data, im.name_key.len, im.name.data, im.name.len);
        ok = write_batch(&im);
    }
    *records_out = im.n;
    store_batch_free(&im.batch);
    buf_fini(&im.payload);
    buf_fini(&im.last_key);
    buf_fini(&im.name_key);
    buf_fini(&im.name);
    return ok;
}
