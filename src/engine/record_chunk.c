// SPDX-License-Identifier: Apache-2.0
/*
 * record_chunk - big records in pieces, cut where their content says so.
 *
 * A boundary is where a hash of the last 64 bytes has enough zeros (gear hash; FastCDC, Xia et al.
 * 2016), so what is put in or taken out changes the pieces around it and no others. A piece is named
 * by a hash of what it holds: one that is there already is not written again.
 */
#include <stdlib.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/reader.h"
#include "engine/record_priv.h"

enum { MIN_PIECE = 16 << 10, MAX_PIECE = 256 << 10 };
#define BOUNDARY (UINT64_C(0x7fff) << 49) /* one in 32 KiB */

static size_t piece_len(const uint8_t *data, size_t len)
{
    static uint64_t gear[256];
    uint64_t hash = 0;
    if (gear[255] == 0) {
        for (uint64_t i = 0; i < 256; i++)
            gear[i] = hash_mix(i + 1, 0x67656172);
    }
    if (len <= MIN_PIECE)
        return len;
    size_t most = len < MAX_PIECE ? len : MAX_PIECE;
    for (size_t i = MIN_PIECE - 64; i < most; i++) {
        hash = (hash << 1) + gear[data[i]];
        if ((hash & BOUNDARY) == 0 && i >= MIN_PIECE)
            return i + 1;
    }
    return most;
}

static int by_id(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static struct record_chunks *sorted(const struct record_chunks *chunks)
{
    size_t n = chunks != NULL ? chunks->n : 0;
    struct record_chunks *copy = mem_alloc(sizeof *copy + n * sizeof copy->id[0]);
    copy->n = n;
    for (size_t i = 0; i < n; i++)
        copy->id[i] = chunks->id[i];
    if (n > 1)
        qsort(copy->id, n, sizeof copy->id[0], by_id);
    return copy;
}

static bool has(const struct record_chunks *chunks, uint64_t id)
{
    return chunks->n > 0 && bsearch(&id, chunks->id, chunks->n, sizeof id, by_id) != NULL;
}

static void piece_key(const struct buf *key, uint64_t id, struct buf *out)
{
    buf_clear(out);
    buf_add(out, key->data, key->len);
    for (int shift = 56; shift >= 0; shift -= 8)
        buf_add_u8(out, (uint8_t)(id >> shift));
}

/* Those of `old` that are not in `now` (or all) go. Both sorted. */
static void remove_old(struct records *r, const struct record_chunks *old,
                       const struct record_chunks *now, const struct buf *key)
{
    struct buf name;
    buf_init(&name);
    for (size_t i = 0; i < old->n; i++) {
        if ((i > 0 && old->id[i] == old->id[i - 1]) || (now != NULL && has(now, old->id[i])))
            continue;
        piece_key(key, old->id[i], &name);
        record_remove(r, name.data, name.len);
    }
    buf_fini(&name);
}

void record_chunk(struct records *r, struct part_record *rec, const struct buf *key,
                  const struct buf *state, struct buf *out)
{
    struct record_chunks *old = sorted(rec->chunks), *now, *new_ids;
    struct buf name;
    size_t n = 0;
    now = mem_alloc(sizeof *now + (state->len / MIN_PIECE + 1) * sizeof now->id[0]);
    buf_init(&name);
    for (size_t at = 0, len; at < state->len; at += len) {
        const uint8_t *piece = (const uint8_t *)state->data + at;
        len = piece_len(piece, state->len - at);
        now->id[n] = hash64(piece, len, 0);
        if (!has(old, now->id[n])) {
            piece_key(key, now->id[n], &name);
            record_put(r, &name, piece, len);
        }
        n++;
    }
    now->n = n;
    buf_fini(&name);
    new_ids = sorted(now);
    remove_old(r, old, new_ids, key);
    mem_free(new_ids);
    mem_free(old);
    mem_free(rec->chunks);
    rec->chunks = now;
    buf_add_varint(out, n);
    for (size_t i = 0; i < n; i++)
        buf_add_u64(out, now->id[i]);
}

void record_chunks_remove(struct records *r, struct part_record *rec, const struct buf *key)
{
    struct record_chunks *old = sorted(rec->chunks);
    remove_old(r, old, NULL, key);
    mem_free(old);
    mem_free(rec->chunks);
    rec->chunks = NULL;
}

struct record_chunks *record_chunks_decode(struct reader *r)
{
    uint64_t n = reader_varint(r);
    if (r->bad || n > reader_left(r) / sizeof(uint64_t))
        return NULL;
    struct record_chunks *chunks = mem_alloc(sizeof *chunks + n * sizeof chunks->id[0]);
    chunks->n = n;
    for (uint64_t i = 0; i < n; i++)
        chunks->id[i] = reader_u64(r);
    return chunks;
}
