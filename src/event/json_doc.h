// SPDX-License-Identifier: Apache-2.0
/*
 * json_doc - whole JSON documents, for what is not on the event path (jansson, which keeps 64-bit
 * integers): expected fields in test blocks, API bodies later.
 */
#ifndef EVENT_JSON_DOC_H
#define EVENT_JSON_DOC_H

#include <stdbool.h>
#include <stddef.h>

struct json_doc;
struct buf;

struct json_doc *json_doc_parse(const char *text, size_t len, char *why, size_t why_size); /* owned or NULL */
void json_doc_free(struct json_doc **doc);
/* The document at a member of the top-level object, borrowed from doc until it is freed, or NULL. */
const struct json_doc *json_doc_member(const struct json_doc *doc, const char *name);
/* Is every member of `want` in `have`, with an equal value? Objects inside are compared the same
 * way (subset), arrays element by element with equal length, numbers by value. On false, *path
 * gets where ("user.id"). */
bool json_doc_contains(const struct json_doc *have, const struct json_doc *want, struct buf *path);

#endif
