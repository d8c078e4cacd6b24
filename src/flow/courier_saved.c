// SPDX-License-Identifier: Apache-2.0
#include "flow/courier_saved.h"

#include <string.h>

#include "base/buf.h"
#include "base/digest.h"
#include "base/reader.h"

static const char magic[] = "webhook disabled";
enum { SAVED_VERSION = 1 };

void courier_url_digest(const char *url, uint8_t digest_out[16])
{
    digest_id(url, strlen(url), digest_out);
}

void courier_saved_encode(const struct courier_saved *saved, struct buf *out)
{
    buf_add_bytes(out, magic, sizeof magic - 1);
    buf_add_u8(out, SAVED_VERSION);
    buf_add_u64(out, (uint64_t)saved->disabled_since);
    buf_add_bytes(out, saved->url, sizeof saved->url);
}

bool courier_saved_decode(const void *data, size_t len, struct courier_saved *saved_out)
{
    struct reader r;
    size_t magic_len, url_len;

    reader_init(&r, data, len);
    const char *said = reader_bytes(&r, &magic_len);
    bool ours = said && magic_len == sizeof magic - 1 && memcmp(said, magic, magic_len) == 0;
    uint8_t version = reader_u8(&r);
    *saved_out = (struct courier_saved){.disabled_since = (int64_t)reader_u64(&r)};
    const char *url = reader_bytes(&r, &url_len);
    if (!ours || version != SAVED_VERSION || r.bad || url_len != sizeof saved_out->url ||
        reader_left(&r) != 0 || saved_out->disabled_since <= 0)
        return false;
    memcpy(saved_out->url, url, url_len);
    return true;
}
