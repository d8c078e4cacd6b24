// SPDX-License-Identifier: Apache-2.0
#include "io/sink_kafka_marker.h"

#include <string.h>

#include "base/buf.h"
#include "base/reader.h"

static const char word[] = "tocsin-1 ";
static const char kind[] = "kafka sink";
enum { PLACE_VERSION = 1, WORD_BYTES = sizeof word - 1, HEX = 2 * KAFKA_ID_BYTES };

void kafka_marker_encode(const struct kafka_marker *marker, struct buf *out)
{
    buf_adds(out, word);
    buf_add_hex(out, marker->identity, KAFKA_ID_BYTES);
    buf_addc(out, ' ');
    buf_add_hex(out, marker->session, KAFKA_ID_BYTES);
    buf_printf(out, " %s", marker->last[0] ? marker->last : "-");
}

static int hex_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* 32 digits and a blank. */
static bool read_id(const char *text, uint8_t id_out[KAFKA_ID_BYTES])
{
    for (size_t i = 0; i < KAFKA_ID_BYTES; i++) {
        int high = hex_digit(text[2 * i]), low = hex_digit(text[2 * i + 1]);
        if (high < 0 || low < 0)
            return false;
        id_out[i] = (uint8_t)(high << 4 | low);
    }
    return text[HEX] == ' ';
}

bool kafka_marker_decode(int64_t offset, const char *text, size_t len, struct kafka_marker *marker_out)
{
    const size_t fixed = WORD_BYTES + 2 * (HEX + 1);

    *marker_out = (struct kafka_marker){0};
    if (offset < 1 || len <= fixed || len - fixed >= KAFKA_LAST_MAX || memcmp(text, word, WORD_BYTES) != 0)
        return false;
    if (!read_id(text + WORD_BYTES, marker_out->identity) ||
        !read_id(text + WORD_BYTES + HEX + 1, marker_out->session))
        return false;
    for (size_t i = fixed; i < len; i++)
        if (text[i] <= ' ' || text[i] > '~')
            return false;
    marker_out->seq = (uint64_t)offset - 1;
    if (len != fixed + 1 || text[fixed] != '-')
        memcpy(marker_out->last, text + fixed, len - fixed);
    return true;
}

void kafka_place_encode(const struct kafka_place *place, struct buf *out)
{
    buf_add_kind(out, kind, PLACE_VERSION);
    buf_add_bytes(out, place->identity, KAFKA_ID_BYTES);
    buf_add_u64(out, place->sent);
    buf_add_u64(out, place->ahead);
}

bool kafka_place_decode(const void *data, size_t len, struct kafka_place *place_out)
{
    struct reader r;
    size_t id_len;

    *place_out = (struct kafka_place){0};
    reader_init(&r, data, len);
    bool ours = reader_kind(&r, kind, PLACE_VERSION);
    const char *id = reader_bytes(&r, &id_len);
    uint64_t sent = reader_u64(&r), ahead = reader_u64(&r);
    if (!ours || r.bad || id_len != KAFKA_ID_BYTES || reader_left(&r) != 0)
        return false;
    memcpy(place_out->identity, id, KAFKA_ID_BYTES);
    place_out->sent = sent;
    place_out->ahead = ahead;
    return true;
}

enum kafka_verdict kafka_marker_judge(bool found, const struct kafka_marker *marker,
                                      const struct kafka_place *own, uint64_t last)
{
    if (!found)
        return KAFKA_MARKER_NONE;
    if (!marker || memcmp(marker->identity, own->identity, KAFKA_ID_BYTES) != 0)
        return KAFKA_MARKER_FOREIGN;
    bool ahead = marker->seq > last || (own->ahead != 0 && marker->seq == own->ahead);
    return ahead ? KAFKA_MARKER_AHEAD : KAFKA_MARKER_OURS;
}
