// SPDX-License-Identifier: Apache-2.0
/*
 * json_write - JSON piece by piece into a buf: commas come by themselves. What closes an object or
 * array is an ordinary buf_addc.
 *
 *     buf_addc(out, '{');
 *     json_add_member(out, "n");
 *     buf_add_int(out, 1);
 *     json_add_member_text(out, "name", text, len);
 *     buf_addc(out, '}');
 */
#ifndef EVENT_JSON_WRITE_H
#define EVENT_JSON_WRITE_H

#include <stddef.h>
#include <stdint.h>

struct buf;

/* A comma, unless an object or array was just opened. */
void json_add_comma(struct buf *out);
void json_add_member(struct buf *out, const char *name); /* `"name":`, after a comma if it needs one */
void json_add_member_text(struct buf *out, const char *name, const char *text, size_t len);
void json_add_member_word(struct buf *out, const char *name, const char *text); /* NUL-terminated */
void json_add_member_int(struct buf *out, const char *name, int64_t i);
void json_add_member_raw(struct buf *out, const char *name, const char *json, size_t len);
void json_add_member_time(struct buf *out, const char *name, int64_t ns); /* RFC 3339 */

#endif
