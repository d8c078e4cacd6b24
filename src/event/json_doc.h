// SPDX-License-Identifier: Apache-2.0
/*
 * json_doc - whole JSON documents, for what is not on the event path (jansson, which keeps 64-bit
 * integers): expected fields in test blocks, bodies of requests, what a daemon answers `tocsin`.
 */
#ifndef EVENT_JSON_DOC_H
#define EVENT_JSON_DOC_H

#include <stdbool.h>
#include <stddef.h>

struct json_doc;
struct buf;
struct value;

struct json_doc *json_doc_parse(const char *text, size_t len, char *why, size_t why_size); /* owned or NULL */
/* The same; the whole may also be a text, a number ...; where an integer does not fit all are doubles, as that one
 * is in an event. */
struct json_doc *json_doc_parse_any(const char *text, size_t len, char *why, size_t why_size);
/* The same, of what others wrote: a name that stands twice is the last of them. */
struct json_doc *json_doc_parse_lax(const char *text, size_t len, char *why, size_t why_size);
void json_doc_free(struct json_doc **doc);
/* The document at a member of the top-level object, borrowed from doc until it is freed, or NULL. */
const struct json_doc *json_doc_member(const struct json_doc *doc, const char *name);
/* The text that it is, NUL-terminated, borrowed; NULL: it is none. */
const char *json_doc_text(const struct json_doc *doc, size_t *len_out);
/* A text, number, flag or null (missing) as a value, borrowed; false: it is none of these. */
bool json_doc_value(const struct json_doc *doc, struct value *value_out);
size_t json_doc_elements(const struct json_doc *doc); /* of an array; SIZE_MAX: it is none */
const struct json_doc *json_doc_element(const struct json_doc *doc, size_t at);
/* Calls found for each member, until that is false. False: it is no object, or found ended it. */
bool json_doc_each(const struct json_doc *doc,
                   bool (*found)(void *ctx, const char *name, const struct json_doc *value), void *ctx);
/* Appends it as JSON, on one line. */
void json_doc_add(struct buf *out, const struct json_doc *doc);
/* Is every member of `want` in `have`, with an equal value? Objects inside are compared the same
 * way (subset), arrays element by element with equal length, numbers by value. On false, *path
 * gets where ("user.id"). */
bool json_doc_contains(const struct json_doc *have, const struct json_doc *want, struct buf *path);

#endif
