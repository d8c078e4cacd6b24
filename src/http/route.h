// SPDX-License-Identifier: Apache-2.0
/*
 * route - the table of routes.def, and which line of it a request is.
 * A `{name}` takes one segment of the path, not an empty one.
 */
#ifndef HTTP_ROUTE_H
#define HTTP_ROUTE_H

#include <stdbool.h>
#include <stddef.h>

#include "http/auth.h"
#include "http/ops.h"

struct buf;
struct http_uri;

enum http_method { HTTP_GET, HTTP_PUT, HTTP_POST, HTTP_DELETE, N_HTTP_METHODS };
enum http_body {
    HTTP_BODY_NONE,
    HTTP_BODY_TEXT,       /* of a module */
    HTTP_BODY_TEXT_OR_NONE,
    HTTP_BODY_MODULES,    /* a set of them, JSON */
    HTTP_BODY_TEXT_OR_MODULES,
    HTTP_BODY_EVENTS,
    HTTP_BODY_ROWS,       /* of a table */
};
enum http_query_type {
#define QUERY_TYPE(type, what, words, schema) HTTP_QUERY_##type,
#include "http/query_type.def"
#undef QUERY_TYPE
    N_HTTP_QUERY_TYPES
};

struct http_route {
    enum http_method method;
    const char *path;
    enum http_role role;
    enum http_operation operation;
    enum http_body body;
    const char *answer; /* name of a schema, or "TEXT", "STREAM" */
    const char *doc;
};

struct http_query {
    enum http_operation operation;
    const char *key;
    enum http_query_type type;
    const char *doc;
};

enum {
#define ROUTE(method, path, role, operation, body, answer, doc) HTTP_ROUTE_##operation,
#define QUERY(operation, key, type, doc)
#include "http/routes.def"
#undef ROUTE
#undef QUERY
    N_HTTP_ROUTES
};
enum {
#define ROUTE(method, path, role, operation, body, answer, doc)
#define QUERY(operation, key, type, doc) HTTP_QUERY_##operation##_##key,
#include "http/routes.def"
#undef ROUTE
#undef QUERY
    N_HTTP_QUERIES
};

struct http_query_kind {
    const char *what, *words, *schema; /* query_type.def */
};

extern const struct http_query_kind http_query_kinds[N_HTTP_QUERY_TYPES];
extern const struct http_route http_routes[N_HTTP_ROUTES];
extern const struct http_query http_queries[N_HTTP_QUERIES];
extern const char *const http_method_names[N_HTTP_METHODS];

/* The route of this method and path. NULL: none; *allowed_out then has a bit (1 << method) for each
 * method that the path has: 0: there is no such path. name_out gets what stands for {name}, owned, or
 * NULL. */
const struct http_route *http_route_find(const char *method, const struct http_uri *uri,
                                         char **name_out, unsigned *allowed_out);
/* "GET, HEAD, PUT": the value of `Allow`. */
void http_route_add_allow(struct buf *out, unsigned allowed);
/* Whether all keys of the query are the operation's, and of their type; if not, why (appended). */
bool http_route_check_query(enum http_operation operation, const struct http_uri *uri,
                            struct buf *why);
/* The table for the reference, in Markdown. */
void http_route_markdown(struct buf *out);

#endif
