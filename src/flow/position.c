// SPDX-License-Identifier: Apache-2.0
/*
 * position - one record a partition. Times are coded as they are, offsets as varints, what was set
 * aside as the distances between them.
 */
#include "flow/position.h"

#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/reader.h"

enum { POSITION_VERSION = 1, FLAG_IDLE = 1, FLAG_ENDED = 2 };

void position_init(struct position *pos)
{
    *pos = (struct position){.first = INT64_MAX,
                             .max_before = INT64_MIN,
                             .floor = INT64_MIN,
                             .cut = INT64_MIN};
}

void position_fini(struct position *pos)
{
    mem_free(pos->source);
    mem_free(pos->partition);
    mem_free(pos->aside);
    position_init(pos);
}

void position_name(struct position *pos, const char *source, const char *partition,
                   uint32_t generation)
{
    char *old_source = pos->source, *old_partition = pos->partition;

    pos->source = mem_strndup(source, strlen(source));
    pos->partition = mem_strndup(partition, strlen(partition));
    pos->generation = generation;
    mem_free(old_source);
    mem_free(old_partition);
}

void position_copy(struct position *to, const struct position *from)
{
    struct position old = *to;

    *to = *from;
    to->source = to->partition = NULL;
    if (from->source)
        position_name(to, from->source, from->partition, from->generation);
    to->aside = NULL;
    if (from->n_aside) {
        to->aside = mem_calloc(from->n_aside, sizeof *to->aside);
        memcpy(to->aside, from->aside, from->n_aside * sizeof *to->aside);
    }
    position_fini(&old);
}

void position_key(struct buf *out, const char *source, const char *partition, uint32_t generation)
{
    buf_add(out, source, strlen(source) + 1);
    buf_add(out, partition, strlen(partition) + 1);
    for (int shift = 24; shift >= 0; shift -= 8)
        buf_add_u8(out, (uint8_t)(generation >> shift));
}

void position_encode(struct buf *out, const struct position *pos)
{
    uint64_t last = pos->resume;

    buf_add_u8(out, POSITION_VERSION);
    buf_add_u8(out, (uint8_t)((pos->idle ? FLAG_IDLE : 0) | (pos->ended ? FLAG_ENDED : 0)));
    buf_add_u64(out, pos->identity[0]);
    buf_add_u64(out, pos->identity[1]);
    buf_add_varint(out, pos->resume);
    buf_add_varint(out, pos->read - pos->resume);
    buf_add_u64(out, (uint64_t)pos->first);
    buf_add_u64(out, (uint64_t)pos->max_before);
    buf_add_u64(out, (uint64_t)pos->lateness);
    buf_add_u64(out, (uint64_t)pos->floor);
    buf_add_varint(out, pos->floor_at);
    buf_add_u64(out, (uint64_t)pos->cut);
    buf_add_varint(out, pos->cut_event);
    buf_add_varint(out, pos->cut_late);
    buf_add_varint(out, pos->n_aside);
    for (size_t i = 0; i < pos->n_aside; i++) {
        buf_add_varint(out, pos->aside[i] - last);
        last = pos->aside[i];
    }
}

static bool decode_key(struct position *pos, const char *key, size_t len)
{
    const char *source_end = memchr(key, '\0', len);
    if (!source_end)
        return false;

    const char *partition = source_end + 1;
    size_t left = len - (size_t)(partition - key);
    const char *partition_end = memchr(partition, '\0', left);
    if (!partition_end || left - (size_t)(partition_end - partition) != 5)
        return false;

    const unsigned char *number = (const unsigned char *)partition_end + 1;
    uint32_t generation = 0;
    for (int i = 0; i < 4; i++)
        generation = generation << 8 | number[i];
    position_name(pos, key, partition, generation);
    return true;
}

static void decode_aside(struct position *pos, struct reader *r)
{
    uint64_t n = reader_varint(r), last = pos->resume;

    if (n > reader_left(r)) /* each has a byte at least */
        r->bad = true;
    if (r->bad || n == 0)
        return;
    pos->aside = mem_calloc(n, sizeof *pos->aside);
    for (; pos->n_aside < n && !r->bad; pos->n_aside++) {
        uint64_t step = reader_varint(r);
        if (__builtin_add_overflow(last, step, &last) || last >= pos->read ||
            (step == 0 && pos->n_aside > 0))
            r->bad = true;
        pos->aside[pos->n_aside] = last;
    }
}

bool position_decode(struct position *pos, const void *key, size_t key_len, const void *value,
                     size_t len, const char **why_out)
{
    struct reader r;

    if (!decode_key(pos, key, key_len)) {
        *why_out = "the key of a position is damaged";
        return false;
    }
    reader_init(&r, value, len);
    if (reader_u8(&r) != POSITION_VERSION) {
        *why_out = r.bad ? "a position is empty" : "a position has an unknown version";
        return false;
    }
    uint8_t flags = reader_u8(&r);
    pos->idle = flags & FLAG_IDLE;
    pos->ended = flags & FLAG_ENDED;
    pos->identity[0] = reader_u64(&r);
    pos->identity[1] = reader_u64(&r);
    pos->resume = reader_varint(&r);
    if (__builtin_add_overflow(pos->resume, reader_varint(&r), &pos->read))
        r.bad = true;
    pos->first = (int64_t)reader_u64(&r);
    pos->max_before = (int64_t)reader_u64(&r);
    pos->lateness = (int64_t)reader_u64(&r);
    pos->floor = (int64_t)reader_u64(&r);
    pos->floor_at = reader_varint(&r);
    pos->cut = (int64_t)reader_u64(&r);
    pos->cut_event = reader_varint(&r);
    pos->cut_late = reader_varint(&r);
    decode_aside(pos, &r);
    if (r.bad || reader_left(&r) != 0 || flags > (FLAG_IDLE | FLAG_ENDED) || pos->lateness < 0) {
        *why_out = "a position is damaged";
        return false;
    }
    return true;
}
