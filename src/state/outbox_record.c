// SPDX-License-Identifier: Apache-2.0
#include "state/outbox_record.h"

#include "base/buf.h"
#include "base/reader.h"
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

void outbox_sink_encode(const struct outbox_sink_record *record, struct buf *value_out)
{
    buf_add_u8(value_out, SINK_VERSION);
    buf_add_u32(value_out, record->number);
    buf_add_u64(value_out, record->next);
    buf_add_u64(value_out, record->acked);
    buf_add_u64(value_out, record->waiting);
    buf_add_u64(value_out, record->waiting_bytes);
    buf_add_bytes(value_out, record->position, record->position_len);
}

bool outbox_sink_decode(const void *value, size_t len, struct outbox_sink_record *record_out)
{
    struct reader r;

    reader_init(&r, value, len);
    uint8_t version = reader_u8(&r);
    record_out->number = reader_u32(&r);
    record_out->next = reader_u64(&r);
    record_out->acked = reader_u64(&r);
    record_out->waiting = reader_u64(&r);
    record_out->waiting_bytes = reader_u64(&r);
    record_out->position = reader_bytes(&r, &record_out->position_len);
    return version == SINK_VERSION && !r.bad && reader_left(&r) == 0 &&
           record_out->acked < record_out->next;
}
