// SPDX-License-Identifier: Apache-2.0
/*
 * A stream of Server-Sent Events. The first byte is the size of pieces: whatever the pieces, the events are the same,
 * and none is longer than there may be.
 */
#include <fuzz/fuzz.h>

#include <string.h>

#include "base/buf.h"
#include "io/sse_reader.h"

enum { MOST = 200 };

static bool note(void *ctx, const struct sse_event *event)
{
    struct buf *out = ctx;

    if (event->len > MOST || strlen(event->name) >= SSE_NAME || strlen(event->id) >= SSE_ID ||
        strpbrk(event->id, "\r\n") || event->data[event->len] != '\0')
        fuzz_fail("an event of %zu bytes, id %s", event->len, event->id);
    buf_add_bytes(out, event->name, strlen(event->name));
    buf_add_bytes(out, event->id, strlen(event->id));
    buf_add_bytes(out, event->data, event->len);
    return true;
}

static bool read_all(const char *text, size_t len, size_t piece, struct buf *out)
{
    struct sse_reader r;
    bool ok = true;

    buf_init(out);
    sse_reader_init(&r, MOST);
    for (size_t at = 0; at < len && ok; at += piece)
        ok = sse_reader_add(&r, text + at, piece < len - at ? piece : len - at, note, out);
    sse_reader_fini(&r);
    return ok;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct buf whole, pieces;

    if (size < 2)
        return 0;
    bool a = read_all((const char *)data + 1, size - 1, size, &whole);
    bool b = read_all((const char *)data + 1, size - 1, 1 + data[0] % 16, &pieces);
    if (a != b || whole.len != pieces.len || (whole.len > 0 && memcmp(whole.data, pieces.data, whole.len) != 0))
        fuzz_fail("pieces of %d give other events", 1 + data[0] % 16);
    buf_fini(&whole);
    buf_fini(&pieces);
    return 0;
}
