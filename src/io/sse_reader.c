// SPDX-License-Identifier: Apache-2.0
#include "io/sse_reader.h"

#include <string.h>

static const char BOM[] = "\xef\xbb\xbf";

void sse_reader_init(struct sse_reader *r, size_t most)
{
    *r = (struct sse_reader){.most = most};
    buf_init(&r->line);
    buf_init(&r->data);
}

void sse_reader_fini(struct sse_reader *r)
{
    buf_fini(&r->line);
    buf_fini(&r->data);
}

static void begin_event(struct sse_reader *r)
{
    buf_clear(&r->data);
    r->has_data = false;
    r->name[0] = '\0';
}

void sse_reader_restart(struct sse_reader *r)
{
    begin_event(r);
    buf_clear(&r->line);
    memcpy(r->next_id, r->id, sizeof r->id);
    r->cr = false;
    r->begun = false;
}

/* What does not fit is as if it were not there. */
static void take(char *out, size_t size, const char *value, size_t len)
{
    if (len >= size || memchr(value, '\0', len))
        return;
    memcpy(out, value, len);
    out[len] = '\0';
}

static void take_field(struct sse_reader *r, const char *line, size_t len)
{
    const char *colon = memchr(line, ':', len);
    size_t name = colon ? (size_t)(colon - line) : len;
    const char *value = colon ? colon + 1 : line + len;

    if (colon && value < line + len && *value == ' ')
        value++;
    len -= (size_t)(value - line);
    if (name == 4 && memcmp(line, "data", 4) == 0) {
        if (r->has_data)
            buf_addc(&r->data, '\n');
        buf_add(&r->data, value, len);
        r->has_data = true;
    } else if (name == 5 && memcmp(line, "event", 5) == 0) {
        take(r->name, sizeof r->name, value, len);
    } else if (name == 2 && memcmp(line, "id", 2) == 0) {
        take(r->next_id, sizeof r->next_id, value, len);
    }
}

static bool end_line(struct sse_reader *r, bool (*found)(void *ctx, const struct sse_event *event), void *ctx)
{
    const char *line = r->line.len ? r->line.data : "";
    size_t len = r->line.len;
    bool ok = true;

    if (!r->begun && len >= 3 && memcmp(line, BOM, 3) == 0)
        line += 3, len -= 3;
    r->begun = true;
    if (len > 0 && line[0] != ':') {
        take_field(r, line, len);
    } else if (len == 0) {
        memcpy(r->id, r->next_id, sizeof r->id);
        if (r->has_data) {
            buf_adds(&r->data, "");
            struct sse_event event = {r->name[0] ? r->name : "message", r->data.data, r->data.len, r->id};
            ok = found(ctx, &event);
        }
        begin_event(r);
    }
    buf_clear(&r->line);
    return ok;
}

bool sse_reader_add(struct sse_reader *r, const char *bytes, size_t len,
                    bool (*found)(void *ctx, const struct sse_event *event), void *ctx)
{
    for (size_t i = 0; i < len; i++) {
        if (r->cr && bytes[i] == '\n') {
            r->cr = false;
            continue;
        }
        r->cr = bytes[i] == '\r';
        if (bytes[i] == '\r' || bytes[i] == '\n') {
            if (!end_line(r, found, ctx))
                return false;
        } else if (r->line.len + r->data.len >= r->most) {
            return false;
        } else {
            buf_addc(&r->line, bytes[i]);
        }
    }
    return true;
}
