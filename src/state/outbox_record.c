// SPDX-License-Identifier: Apache-2.0
/* outbox_record - how entries and sinks stand in the database. */
#include <string.h>

#include "base/reader.h"
#include "state/outbox_priv.h"
#include "state/space.h"

enum { ENTRY_VERSION = 1, SINK_VERSION = 1 };

void outbox_entry_key(uint8_t key[OUTBOX_KEY_BYTES], uint32_t number, uint64_t seq)
{
    key[0] = SPACE_OUTBOX;
    key_put_u32(key + 1, number);
    key_put_u64(key + 5, seq);
}

void outbox_entry_encode(bool is_alert, const char *text, size_t len, struct buf *value_out)
{
    buf_add_u8(value_out, ENTRY_VERSION);
    buf_add_u8(value_out, is_alert);
    buf_add(value_out, text, len);
}

bool outbox_entry_decode(const void *value, size_t len, bool *is_alert_out, const char **text_out,
                         size_t *len_out)
{
    struct reader r;

    reader_init(&r, value, len);
    uint8_t version = reader_u8(&r), is_alert = reader_u8(&r);
    *is_alert_out = is_alert != 0;
    *text_out = (const char *)r.p;
    *len_out = reader_left(&r);
    return version == ENTRY_VERSION && is_alert <= 1 && !r.bad;
}

void outbox_sink_encode(const struct sink_queue *q, struct buf *value_out)
{
    buf_add_u8(value_out, SINK_VERSION);
    buf_add_u32(value_out, q->number);
    buf_add_u64(value_out, q->next);
    buf_add_u64(value_out, q->acked);
    buf_add_u64(value_out, q->waiting);
    buf_add_u64(value_out, q->waiting_bytes);
    buf_add_bytes(value_out, q->position.data, q->position.len);
}

bool outbox_sink_decode(const void *value, size_t len, struct sink_queue *q)
{
    struct reader r;
    size_t position_len;

    reader_init(&r, value, len);
    uint8_t version = reader_u8(&r);
    q->number = reader_u32(&r);
    q->next = reader_u64(&r);
    q->acked = reader_u64(&r);
    q->waiting = reader_u64(&r);
    q->waiting_bytes = reader_u64(&r);
    const char *position = reader_bytes(&r, &position_len);
    if (version != SINK_VERSION || r.bad || reader_left(&r) > 0 || q->acked >= q->next)
        return false;
    buf_clear(&q->position);
    buf_add(&q->position, position, position_len);
    return true;
}
