// SPDX-License-Identifier: Apache-2.0
/* alert_stamp - see deliver.h. */
#include <string.h>

#include "base/buf.h"
#include "event/time_format.h"
#include "flow/deliver.h"

/* Behind the text that begins at `at`; 0: none begins there. */
static size_t text_end(const char *json, size_t len, size_t at)
{
    if (at >= len || json[at] != '"')
        return 0;
    for (size_t i = at + 1; i < len; i++) {
        if (json[i] == '"')
            return i + 1;
        if (json[i] == '\\')
            i++;
    }
    return 0;
}

/* Where detected_at goes: behind the value of "time". Alerts begin with members whose values are texts
 * (engine/alert_render.c): no more than these is read. 0: it is not among them. */
static size_t place(const char *json, size_t len)
{
    static const char time[] = "\"time\"";

    for (size_t at = 1; at < len; at++) {
        size_t name = text_end(json, len, at);
        if (name == 0 || name >= len || json[name] != ':')
            return 0;
        size_t value = text_end(json, len, name + 1);
        if (value == 0)
            return 0;
        if (name - at == sizeof time - 1 && memcmp(json + at, time, sizeof time - 1) == 0)
            return value;
        at = value; /* the comma */
    }
    return 0;
}

void alert_stamp(struct buf *out, const char *json, size_t len, int64_t wall)
{
    size_t at = place(json, len);

    if (at == 0) {
        buf_add(out, json, len);
        return;
    }
    buf_add(out, json, at);
    buf_adds(out, ",\"detected_at\":\"");
    time_add_text(out, wall - wall % 1000000);
    buf_addc(out, '"');
    buf_add(out, json + at, len - at);
}
