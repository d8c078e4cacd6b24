// SPDX-License-Identifier: Apache-2.0
#include "flow/courier_saved.h"

#include <string.h>

#include "base/buf.h"
#include "base/digest.h"
#include "base/reader.h"

static const char kind[] = "webhook disabled";
enum { SAVED_VERSION = 1 };

void courier_url_digest(const char *url, uint8_t digest_out[16])
{
    digest_id(url, strlen(url), digest_out);
}

void courier_saved_encode(const struct courier_saved *saved, struct buf *out)
{
    buf_add_kind(out, kind, SAVED_VERSION);
    buf_add_u64(out, (uint64_t)saved->disabled_since);
    buf_add_bytes(out, saved->url, sizeof saved->url);
}

bool courier_saved_decode(const void *data, size_t len, struct courier_saved *saved_out)
{
    struct reader r;
    size_t url_len;

    reader_init(&r, data, len);
    bool ours = reader_kind(&r, kind, SAVED_VERSION);
    *saved_out = (struct courier_saved){.disabled_since = (int64_t)reader_u64(&r)};
    const char *url = reader_bytes(&r, &url_len);
    if (!ours || r.bad || url_len != sizeof saved_out->url ||
        reader_left(&r) != 0 || saved_out->disabled_since <= 0)
        return false;
    memcpy(saved_out->url, url, url_len);
    return true;
}
