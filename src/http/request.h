// SPDX-License-Identifier: Apache-2.0
/*
 * request - one request from its first line to its answer. The server's thread has it, but between
 * call() and http_request_done() (ops.h), when the daemon does.
 */
#ifndef HTTP_REQUEST_H
#define HTTP_REQUEST_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "http/ops.h"
#include "http/uri.h"

struct http_route;
struct http_server;
struct http_stream;

enum { HTTP_FROM_SIZE = 64 }; /* "[address]:port" */

struct http_answer_data {
    int status;               /* 0: none yet */
    const char *content_type; /* static */
    struct buf body;
    struct buf etag, allow, next; /* len 0: no such header */
    unsigned retry_after;     /* seconds; 0: no such header */
    bool challenge;           /* WWW-Authenticate */
    bool closes;              /* the connection ends behind it */
    bool is_file;             /* instead of body: */
    int fd;                   /* owned */
    uint64_t size;
};

struct http_request {
    /* of the server */
    struct http_server *server;     /* told by _done */
    void *connection;               /* struct MHD_Connection */
    bool begun;                     /* its header was looked at */
    int64_t began;                  /* monotonic */
    bool called;                    /* the daemon has it, or had it */
    bool gzip, json, overflow;      /* the body: is packed; is JSON; was more than the limit */
    bool csv, lines;                /* it says that it is CSV, JSON lines */
    size_t swallowed;               /* bytes of a body that are not kept */
    size_t queued;                  /* bytes of the answer, once it is being sent */
    struct http_request *next_done;
    /* what is asked */
    const char *wrong_uri;          /* or NULL */
    struct http_uri uri;
    const struct http_route *route; /* NULL: there is none */
    char *name;                     /* owned, or NULL */
    struct buf body;
    char *if_match, *if_none_match, *key, *last_event_id; /* owned, or NULL */
    bool wants_text, wants_openmetrics, wants_ndjson, wants_csv;
    enum http_role role;
    char who[HTTP_TOKEN_NAME + 1];
    uint8_t token[HTTP_TOKEN_HASH]; /* the hash of its token, if there are tokens */
    char from[HTTP_FROM_SIZE];
    struct http_answer_data answer;
    struct http_stream *stream;     /* owned: the answer has no end; or NULL */
};

/* target: as it stands in the request line; NUL-terminated. */
struct http_request *http_request_new(struct http_server *server, const char *target);
void http_request_free(struct http_request **rq);
/* The server's part of http_request_done: any thread. */
void http_server_done(struct http_server *server, struct http_request *rq);
/* The body as it is meant: unpacked, at most `most` bytes. False: the answer is the problem. */
bool http_request_unpack(struct http_request *rq, size_t most);

#endif
