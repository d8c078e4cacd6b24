// SPDX-License-Identifier: Apache-2.0
#include "state/outbox_record.h"

#include "base/buf.h"
#include "base/reader.h"
#include "state/space.h"

enum { ENTRY_VERSION = 2, ENTRY_VERSION_1 = 1, SINK_VERSION = 1 };
enum { FLAG_ALERT = 1, FLAG_DIRECT = 2 };

void outbox_entry_key(uint8_t key[OUTBOX_KEY_BYTES], uint32_t number, uint64_t seq)
{
    key[0] = SPACE_OUTBOX;
    key_put_u32(key + 1, number);
    key_put_u64(key + 5, seq);
}

void outbox_entry_encode(const struct outbox_entry_record *record, struct buf *value_out)
{
    buf_add_u8(value_out, ENTRY_VERSION);
    buf_add_u8(value_out, (uint8_t)((record->is_alert ? FLAG_ALERT : 0) |
                                    (record->direct ? FLAG_DIRECT : 0)));
    buf_add_u64(value_out, (uint64_t)record->at);
    buf_add(value_out, record->text, record->len);
}

bool outbox_entry_decode(const void *value, size_t len, struct outbox_entry_record *record_out)
{
    struct reader r;

    reader_init(&r, value, len);
    uint8_t version = reader_u8(&r), flags = reader_u8(&r);
    bool old = version == ENTRY_VERSION_1;
    *record_out = (struct outbox_entry_record){
        .is_alert = flags & FLAG_ALERT,
        .direct = old || (flags & FLAG_DIRECT),
        .at = old ? 0 : (int64_t)reader_u64(&r),
    };
    record_out->text = (const char *)r.p;
    record_out->len = reader_left(&r);
    return (old ? flags <= FLAG_ALERT
                : version == ENTRY_VERSION && flags <= (FLAG_ALERT | FLAG_DIRECT)) && !r.bad;
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
