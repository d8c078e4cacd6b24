// SPDX-License-Identifier: Apache-2.0
/* snapshot_event - events and where they come from, in and out of a snapshot. */
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/reader.h"
#include "engine/engine_priv.h"
#include "engine/snapshot.h"
#include "event/event.h"
#include "event/json_decode.h"

struct origin_list {
    struct origin_list *next;
    struct origin origin;
    char text[]; /* source, NUL, partition, NUL */
};

const struct origin *origin_list_get(struct engine *en, const char *source, size_t source_len,
                                     const char *partition, size_t partition_len,
                                     uint32_t generation)
{
    for (struct origin_list *at = en->origins; at != NULL; at = at->next) {
        if (at->origin.generation == generation && strlen(at->origin.source) == source_len &&
            memcmp(at->origin.source, source, source_len) == 0 &&
            strlen(at->origin.partition) == partition_len &&
            memcmp(at->origin.partition, partition, partition_len) == 0)
            return &at->origin;
    }
    struct origin_list *at = mem_calloc(1, sizeof *at + source_len + partition_len + 2);
    memcpy(at->text, source, source_len);
    memcpy(at->text + source_len + 1, partition, partition_len);
    at->origin = (struct origin){.source = at->text, .partition = at->text + source_len + 1,
                                 .source_id = program_source(en->prog, at->text),
                                 .generation = generation};
    at->next = en->origins;
    en->origins = at;
    return &at->origin;
}

void origin_list_free(struct origin_list **list)
{
    for (struct origin_list *at = *list, *next; at != NULL; at = next) {
        next = at->next;
        mem_free(at);
    }
    *list = NULL;
}

void event_encode(struct buf *out, const struct event *ev)
{
    buf_add_bytes(out, ev->origin->source, strlen(ev->origin->source));
    buf_add_bytes(out, ev->origin->partition, strlen(ev->origin->partition));
    buf_add_varint(out, ev->origin->generation);
    buf_add_varint(out, ev->offset);
    buf_add_u64(out, (uint64_t)ev->time);
    value_encode_exact(out, ev->order_by);
    buf_add_bytes(out, ev->raw, ev->raw_len);
}

struct event *event_decode(struct restore *re, struct reader *r)
{
    size_t source_len, partition_len, raw_len;
    struct event ev = {0};
    const char *source = reader_bytes(r, &source_len);
    const char *partition = reader_bytes(r, &partition_len);
    uint64_t generation = reader_varint(r);
    ev.offset = reader_varint(r);
    ev.time = (int64_t)reader_u64(r);
    ev.order_by = value_decode(r, re->scratch);
    const char *raw = reader_bytes(r, &raw_len), *reason;
    if (r->bad || generation > UINT32_MAX || memchr(source, '\0', source_len) != NULL ||
        memchr(partition, '\0', partition_len) != NULL)
        return NULL;
    if (!decoder_run_copy(re->decoder, raw, raw_len, &ev, &reason))
        return NULL;
    ev.origin = origin_list_get(re->en, source, source_len, partition, partition_len,
                                (uint32_t)generation);
    return event_keep_in(re->en->pool, &ev);
}
