// SPDX-License-Identifier: Apache-2.0
#include "engine/record_about.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/reader.h"
#include "engine/record_priv.h"
#include "event/value.h"

enum { HASH_BYTES = 8, CHUNK_BYTES = 8, MAX_KEYS = 64 };

static bool add_values(const char *data, size_t len, struct buf *json_out)
{
    struct arena *arena = arena_new(0);
    struct reader r;

    reader_init(&r, data, len);
    uint64_t n = reader_varint(&r);
    bool ok = n <= MAX_KEYS;
    if (n != 1)
        buf_addc(json_out, '[');
    for (uint64_t i = 0; ok && i < n; i++) {
        struct value v = value_decode(&r, arena);
        ok = !r.bad;
        if (i)
            buf_addc(json_out, ',');
        if (ok)
            value_add_json(json_out, v);
    }
    if (n != 1)
        buf_addc(json_out, ']');
    arena_free(&arena);
    return ok && !r.bad && reader_left(&r) == 0;
}

bool record_about_key(const void *key, size_t key_len, const void *value, size_t len,
                      struct record_about *about_out, struct buf *json_out)
{
    struct record_head head = {0};
    struct reader r;
    size_t values_len;

    *about_out = (struct record_about){.due = INT64_MAX};
    reader_init(&r, key, key_len);
    bool ok = reader_u8(&r) == 'P';
    for (int i = 0; i < 4; i++)
        about_out->incarnation = about_out->incarnation << 8 | reader_u8(&r);
    for (int i = 0; i < HASH_BYTES; i++)
        reader_u8(&r);
    const char *values = reader_bytes(&r, &values_len);
    ok = ok && !r.bad && add_values(values, values_len, json_out);
    about_out->is_chunk = reader_left(&r) == CHUNK_BYTES;
    if (!ok || about_out->is_chunk || reader_left(&r) > 0)
        return ok && about_out->is_chunk;
    reader_init(&r, value, len);
    if (!record_head_decode(&head, &r))
        return false;
    about_out->due = head.due;
    about_out->charge = head.charge;
    about_out->runs = head.runs;
    return true;
}
