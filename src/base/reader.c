// SPDX-License-Identifier: Apache-2.0
/*
 * reader - the reverse of buf_add_u8 .. buf_add_bytes over bytes that nobody vouches for.
 *
 * Models a cursor with one sticky fault. All reads go through `take`, the only place that compares
 * against the end.
 */
#include "base/reader.h"

#include <endian.h>
#include <string.h>

/* The next n bytes, or NULL and `bad`. */
static const uint8_t *take(struct reader *r, size_t n)
{
    if (r->bad || n > reader_left(r)) {
        r->bad = true;
        return NULL;
    }
    const uint8_t *p = r->p;
    r->p += n;
    return p;
}

void reader_init(struct reader *r, const void *data, size_t len)
{
    static const uint8_t nothing[1];

    /* so that no arithmetic is done on a NULL pointer */
    r->p = data ? data : nothing;
    r->end = data ? r->p + len : nothing;
    r->bad = false;
}

size_t reader_left(const struct reader *r)
{
    return (size_t)(r->end - r->p);
}

uint8_t reader_u8(struct reader *r)
{
    const uint8_t *p = take(r, 1);

    return p ? *p : 0;
}

uint32_t reader_u32(struct reader *r)
{
    const uint8_t *p = take(r, 4);
    uint32_t v = 0;

    if (p)
        memcpy(&v, p, sizeof v);
    return le32toh(v);
}

uint64_t reader_u64(struct reader *r)
{
    const uint8_t *p = take(r, 8);
    uint64_t v = 0;

    if (p)
        memcpy(&v, p, sizeof v);
    return le64toh(v);
}

uint64_t reader_varint(struct reader *r)
{
    const uint8_t *p = r->p;
    uint64_t v = 0;

    for (unsigned shift = 0; !r->bad && p < r->end && shift < 64; shift += 7) {
        uint8_t byte = *p++;
        /* the tenth byte has room for one bit; a last byte of nothing is one too many */
        if ((shift == 63 && byte > 1) || (shift > 0 && byte == 0))
            break;
        v |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80)) {
            r->p = p;
            return v;
        }
    }
    r->bad = true;
    return 0;
}

const char *reader_bytes(struct reader *r, size_t *len_out)
{
    const uint8_t *before = r->p;
    uint64_t len = reader_varint(r);

    *len_out = 0;
    if (r->bad || len > reader_left(r)) {
        r->p = before;
        r->bad = true;
        return NULL;
    }
    *len_out = (size_t)len;
    return (const char *)take(r, (size_t)len);
}

bool reader_kind(struct reader *r, const char *kind, uint8_t version)
{
    size_t len;
    const char *said = reader_bytes(r, &len);

    if (!said || len != strlen(kind) || memcmp(said, kind, len) != 0 || reader_u8(r) != version)
        r->bad = true;
    return !r->bad;
}
