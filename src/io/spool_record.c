// SPDX-License-Identifier: Apache-2.0
/* spool_record - headers of segments and records, to bytes and back. */
#include <string.h>

#include "base/crc.h"
#include "io/spool_priv.h"

static const char magic[8] = "tocsinsp";

static void put32(unsigned char *p, uint32_t v)
{
    for (int i = 0; i < 4; i++)
        p[i] = (unsigned char)(v >> 8 * i);
}

static void put64(unsigned char *p, uint64_t v)
{
    for (int i = 0; i < 8; i++)
        p[i] = (unsigned char)(v >> 8 * i);
}

static uint32_t get32(const unsigned char *p)
{
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static uint64_t get64(const unsigned char *p)
{
    return get32(p) | (uint64_t)get32(p + 4) << 32;
}

/* ---- segments --------------------------------------------------------------------------------- */

void spool_header_put(unsigned char *data, const struct spool_header *h)
{
    memcpy(data, magic, sizeof magic);
    put32(data + 8, SPOOL_VERSION);
    put64(data + 12, h->base);
    put64(data + 20, h->salt);
    put64(data + 28, h->before_base);
    put64(data + 36, h->before_size);
    put32(data + 44, crc_add(0, data, 44));
}

bool spool_header_get(const unsigned char *data, struct spool_header *h_out)
{
    *h_out = (struct spool_header){.base = get64(data + 12), .salt = get64(data + 20),
                                   .before_base = get64(data + 28), .before_size = get64(data + 36)};
    return memcmp(data, magic, sizeof magic) == 0 && get32(data + 8) >= SPOOL_OLDEST &&
           get32(data + 8) <= SPOOL_VERSION &&
           get32(data + 44) == crc_add(0, data, 44);
}

bool spool_header_is_other(const unsigned char *data)
{
    uint32_t version = get32(data + 8);
    size_t len = version == 1 ? 20 : 44; /* up to its CRC, which tells it from damage */

    return memcmp(data, magic, sizeof magic) == 0 && (version < SPOOL_OLDEST || version > SPOOL_VERSION) &&
           get32(data + len) == crc_add(0, data, len);
}

/* ---- records ---------------------------------------------------------------------------------- */

static uint32_t record_crc(const unsigned char *data, size_t len)
{
    uint32_t crc = crc_add(0, data, 12);

    return crc_add(crc, data + 16, SPOOL_RECORD - 16 + len);
}

void spool_record_put(struct buf *b, uint64_t salt, const struct spool_record *r, const void *text)
{
    unsigned char *data;

    buf_reserve(b, SPOOL_RECORD + r->len);
    data = (unsigned char *)b->data + b->len;
    put64(data, r->offset ^ salt);
    put32(data + 8, r->len | r->flags);
    put64(data + 16, (uint64_t)r->arrival);
    put64(data + 24, r->span);
    if (r->len > 0)
        memcpy(data + SPOOL_RECORD, text, r->len);
    put32(data + 12, record_crc(data, r->len));
    b->len += SPOOL_RECORD + r->len;
}

void spool_record_get(const unsigned char *data, uint64_t salt, struct spool_record *r_out)
{
    uint32_t len = get32(data + 8);

    *r_out = (struct spool_record){.offset = get64(data) ^ salt, .span = get64(data + 24),
                                   .len = len & SPOOL_LEN, .flags = len & ~SPOOL_LEN,
                                   .crc = get32(data + 12), .arrival = (int64_t)get64(data + 16)};
}

bool spool_record_is_whole(const unsigned char *data, const struct spool_record *r)
{
    return record_crc(data, r->len) == r->crc && r->span <= SPOOL_SPAN &&
           r->offset + r->span >= r->offset && (r->span > 0) == !spool_record_is_note(r) &&
           (!(r->flags & SPOOL_LONG) || r->len == 8 || r->len == 0 || spool_record_is_note(r));
}

bool spool_record_is_blank(const struct spool_record *r)
{
    return r->flags & SPOOL_LONG && r->len != 8;
}

bool spool_record_is_note(const struct spool_record *r)
{
    return r->flags & SPOOL_LONG && r->len >= SPOOL_NOTE_LEAST;
}

void spool_long_put(unsigned char *text, uint64_t len)
{
    put64(text, len);
}

uint64_t spool_long_get(const unsigned char *text)
{
    return get64(text);
}
