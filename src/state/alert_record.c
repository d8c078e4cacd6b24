// SPDX-License-Identifier: Apache-2.0
#include "state/alert_record.h"

#include "base/buf.h"
#include "base/reader.h"
#include "state/space.h"

enum { RECORD_VERSION = 1, MOST_SEVERITY = 15 };

void alert_record_key(uint8_t key[ALERT_KEY_BYTES], uint64_t number)
{
    key[0] = SPACE_ALERT;
    key_put_u64(key + 1, number);
}

void alert_record_encode(const struct alert_record *record, struct buf *value_out)
{
    const struct alert_about *about = &record->about;

    buf_reserve(value_out, record->len + 48);
    buf_add_u8(value_out, RECORD_VERSION);
    buf_add_u8(value_out, about->severity);
    buf_add_u64(value_out, (uint64_t)record->at);
    buf_add_u64(value_out, (uint64_t)about->time);
    buf_add_varint(value_out, about->rule.at);
    buf_add_varint(value_out, about->rule.len);
    buf_add_varint(value_out, about->key.at);
    buf_add_varint(value_out, about->key.len);
    buf_add(value_out, record->text, record->len);
}

static bool read_part(struct reader *r, struct alert_part *part)
{
    uint64_t at = reader_varint(r), len = reader_varint(r);

    *part = (struct alert_part){(uint32_t)at, (uint32_t)len};
    return at <= UINT32_MAX && len <= UINT32_MAX;
}

/* Does it stand there, between these two? */
static bool stands(const struct alert_record *record, const struct alert_part *part, char first,
                   char last)
{
    return part->len >= 2 && part->at <= record->len && part->len <= record->len - part->at &&
           record->text[part->at] == first && record->text[part->at + part->len - 1] == last;
}

bool alert_record_decode(const void *key, size_t key_len, const void *value, size_t len,
                         struct alert_record *record_out)
{
    struct alert_about *about = &record_out->about;
    struct reader r;

    if (key_len != ALERT_KEY_BYTES)
        return false;
    reader_init(&r, value, len);
    uint8_t version = reader_u8(&r);
    record_out->number = key_get_u64((const uint8_t *)key + 1);
    about->severity = reader_u8(&r);
    record_out->at = (int64_t)reader_u64(&r);
    about->time = (int64_t)reader_u64(&r);
    bool parts = read_part(&r, &about->rule) && read_part(&r, &about->key);
    record_out->len = reader_left(&r);
    record_out->text = (const char *)r.p;
    return version == RECORD_VERSION && !r.bad && parts && about->severity <= MOST_SEVERITY &&
           stands(record_out, &about->rule, '"', '"') && stands(record_out, &about->key, '{', '}');
}
