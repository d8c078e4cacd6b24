// SPDX-License-Identifier: Apache-2.0
/*
 * json_view - looking into JSON text without building a tree: a view is the span of one value in a
 * text that was checked as a whole. What is copied from it is copied byte by byte, so numbers of any
 * size and form stay what they are (jansson refuses integers outside int64, which events may have and
 * alerts then hold), and nothing is allocated.
 *
 * json_view_parse checks all of RFC 8259, and UTF-8, and that no surrogate stands alone; everything
 * else takes views that come from there, and trusts them. A member that stands twice: the first counts.
 */
#ifndef EVENT_JSON_VIEW_H
#define EVENT_JSON_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;

enum { JSON_VIEW_DEPTH = 1024 }; /* deeper is refused */

enum json_view_type {
    JSON_VIEW_NONE, /* there is no value */
    JSON_VIEW_NULL,
    JSON_VIEW_FALSE,
    JSON_VIEW_TRUE,
    JSON_VIEW_NUMBER,
    JSON_VIEW_TEXT,
    JSON_VIEW_ARRAY,
    JSON_VIEW_OBJECT,
};

struct json_view {
    const char *text; /* borrowed; no blanks around the value */
    size_t len;       /* 0: none */
};

/* The elements of an array, or the members of an object, one by one. */
struct json_view_walk {
    const char *at, *end;
    bool names;
};

/* Is text[0..len) one JSON value? Then view_out is that value. */
bool json_view_parse(const char *text, size_t len, struct json_view *view_out);
enum json_view_type json_view_type(struct json_view view);
/* Begins at the first; what is neither array nor object has none. */
struct json_view_walk json_view_begin(struct json_view view);
/* False: no more. name_out is of type TEXT, or none in an array; it may be NULL. */
bool json_view_next(struct json_view_walk *walk, struct json_view *name_out,
                    struct json_view *value_out);
size_t json_view_count(struct json_view view); /* elements or members */
/* The member of that name (as it reads, not as it is escaped), or none. */
struct json_view json_view_member(struct json_view object, const char *name, size_t len);
/* Element index (negative: from the end), or none. */
struct json_view json_view_element(struct json_view array, int64_t index);
/* Does the text read so? False for what is no text. */
bool json_view_is(struct json_view view, const char *text, size_t len);
/* Appends what a text reads, unescaped; other values as their JSON. */
void json_view_add_text(struct json_view view, struct buf *out);
/* An integer that fits. */
bool json_view_int(struct json_view view, int64_t *i_out);

#endif
