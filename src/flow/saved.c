// SPDX-License-Identifier: Apache-2.0
#include "flow/saved.h"

#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/reader.h"
#include "flow/position.h"
#include "state/store.h"

enum { CLOCK_VERSION = 2 }; /* 1 had no `behind' */

/* ---- clocks ---------------------------------------------------------------------------------- */

static void clock_key(struct buf *key, const char *source)
{
    buf_addc(key, SAVED_CLOCK);
    buf_adds(key, source);
}

void saved_clock_put(struct store_batch *batch, const char *source,
                     const struct engine_clock *clock)
{
    struct buf key, value;

    buf_init(&key);
    buf_init(&value);
    clock_key(&key, source);
    buf_add_varint(&value, CLOCK_VERSION);
    buf_add_u64(&value, (uint64_t)clock->now);
    buf_add_u64(&value, (uint64_t)clock->since);
    buf_add_varint(&value, clock->seq);
    buf_add_u64(&value, (uint64_t)clock->behind);
    store_batch_put(batch, key.data, key.len, value.data, value.len);
    buf_fini(&key);
    buf_fini(&value);
}

bool saved_clock_get(struct store *st, const char *source, bool *found_out,
                     struct engine_clock *clock_out, struct buf *why)
{
    struct buf key, value;
    struct reader r;
    bool ok;

    buf_init(&key);
    buf_init(&value);
    clock_key(&key, source);
    ok = store_get(st, key.data, key.len, found_out, &value, why) == STORE_OK;
    if (ok && *found_out) {
        reader_init(&r, value.data, value.len);
        uint64_t version = reader_varint(&r);
        clock_out->now = (int64_t)reader_u64(&r);
        clock_out->since = (int64_t)reader_u64(&r);
        clock_out->seq = reader_varint(&r);
        clock_out->behind = version == 1 ? INT64_MIN : (int64_t)reader_u64(&r);
        ok = version >= 1 && version <= CLOCK_VERSION && !r.bad && reader_left(&r) == 0;
        if (!ok)
            buf_printf(why, "the clock of the source %s is damaged", source);
    }
    buf_fini(&key);
    buf_fini(&value);
    return ok;
}

/* ---- positions ------------------------------------------------------------------------------- */

void saved_position_put(struct store_batch *batch, const struct position *position)
{
    struct buf key, value;

    buf_init(&key);
    buf_init(&value);
    buf_addc(&key, SAVED_POSITION);
    position_key(&key, position->source, position->partition, position->generation);
    position_encode(&value, position);
    store_batch_put(batch, key.data, key.len, value.data, value.len);
    buf_fini(&key);
    buf_fini(&value);
}

void saved_position_remove(struct store_batch *batch, const char *source, const char *partition,
                           uint32_t generation)
{
    struct buf key;

    buf_init(&key);
    buf_addc(&key, SAVED_POSITION);
    position_key(&key, source, partition, generation);
    store_batch_remove(batch, key.data, key.len);
    buf_fini(&key);
}

struct position_reading {
    struct saved_positions *all;
    const char *why;
};

static bool take_position(void *ctx, const void *key, size_t key_len, const void *value, size_t len)
{
    struct position_reading *rd = ctx;
    struct saved_positions *all = rd->all;
    struct position pos;

    position_init(&pos);
    if (!position_decode(&pos, (const char *)key + 1, key_len - 1, value, len, &rd->why)) {
        position_fini(&pos);
        return false;
    }
    rd->why = NULL;
    all->position = vec_reserve(all->position, &all->cap, all->n + 1, sizeof *all->position);
    all->position[all->n++] = pos;
    return true;
}

bool saved_positions_read(struct store *st, struct saved_positions *all_out, struct buf *why)
{
    static const char prefix = SAVED_POSITION;
    struct position_reading rd = {.all = all_out};

    *all_out = (struct saved_positions){0};
    if (store_read(st, &prefix, 1, take_position, &rd, why) != STORE_OK)
        return false;
    if (rd.why)
        buf_printf(why, "a position is damaged: %s", rd.why);
    return !rd.why;
}

void saved_positions_fini(struct saved_positions *all)
{
    for (size_t i = 0; i < all->n; i++)
        position_fini(&all->position[i]);
    mem_free(all->position);
    *all = (struct saved_positions){0};
}
