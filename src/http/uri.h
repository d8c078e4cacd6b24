// SPDX-License-Identifier: Apache-2.0
/*
 * uri - the target of a request: segments of its path and its query, percent-decoded.
 *
 * The path is split before it is decoded, so that %2F is no separator. What cannot be meant is refused:
 * bad escapes, NUL and other controls, text that is not UTF-8, segments `.` and `..`.
 * A target may be `http://HOST:PORT/PATH`, which servers take from any client (RFC 9112, 3.2.2).
 */
#ifndef HTTP_URI_H
#define HTTP_URI_H

#include <stdbool.h>
#include <stddef.h>

enum { HTTP_URI_SEGMENTS = 8, HTTP_URI_QUERIES = 16 };

struct http_uri { /* embedded: _parse, _fini */
    char *text; /* owned: what segments and queries point into */
    const char *authority; /* HOST:PORT as it was written; NULL: the target begins with the path */
    const char *segment[HTTP_URI_SEGMENTS];
    size_t n_segments;
    struct {
        const char *key, *value; /* value "" without a `=` */
    } query[HTTP_URI_QUERIES];
    size_t n_queries;
};

/* NULL, or what is wrong (static). uri_out is to be freed either way. */
const char *http_uri_parse(struct http_uri *uri_out, const char *target, size_t len);
void http_uri_fini(struct http_uri *uri);
/* The value of a key of the query; NULL: it is not there. */
const char *http_uri_query(const struct http_uri *uri, const char *key);

#endif
