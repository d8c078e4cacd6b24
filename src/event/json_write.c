// SPDX-License-Identifier: Apache-2.0
/* json_write - see json_write.h. No value ends in an opening bracket, so the last byte tells. */
#include "event/json_write.h"

#include <string.h>

#include "base/buf.h"
#include "event/time_format.h"

void json_add_comma(struct buf *out)
{
    if (out->len > 0 && out->data[out->len - 1] != '{' && out->data[out->len - 1] != '[')
        buf_addc(out, ',');
}

void json_add_member(struct buf *out, const char *name)
{
    json_add_comma(out);
    buf_add_json_text(out, name, strlen(name));
    buf_addc(out, ':');
}

void json_add_member_text(struct buf *out, const char *name, const char *text, size_t len)
{
    json_add_member(out, name);
    buf_add_json_text(out, text, len);
}

void json_add_member_word(struct buf *out, const char *name, const char *text)
{
    json_add_member_text(out, name, text, strlen(text));
}

void json_add_member_int(struct buf *out, const char *name, int64_t i)
{
    json_add_member(out, name);
    buf_add_int(out, i);
}

void json_add_member_raw(struct buf *out, const char *name, const char *json, size_t len)
{
    json_add_member(out, name);
    buf_add(out, json, len);
}

void json_add_member_time(struct buf *out, const char *name, int64_t ns)
{
    json_add_member(out, name);
    buf_addc(out, '"');
    time_add_text(out, ns);
    buf_addc(out, '"');
}
