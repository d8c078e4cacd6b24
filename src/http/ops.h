// SPDX-License-Identifier: Apache-2.0
/*
 * ops - what the HTTP server and the daemon behind it say to each other.
 *
 *   server thread                          daemon
 *   request complete, who may ----call()----> queue of the one who knows
 *     (connection suspended)                     | reads the request, fills the answer
 *   answered, sent <------http_request_done()----'
 *
 * The server knows no rules and no state; the daemon knows no connection. A request is the daemon's
 * from call() until http_request_done(), which it calls exactly once, on any thread, also within call().
 */
#ifndef HTTP_OPS_H
#define HTTP_OPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "http/auth.h"

struct buf;
struct http_request;

enum http_operation {
#define ROUTE(method, path, role, operation, body, answer, doc) HTTP_OP_##operation,
#define QUERY(operation, key, type, doc)
#include "http/routes.def"
#undef ROUTE
#undef QUERY
    N_HTTP_OPERATIONS
};

enum http_problem {
#define PROBLEM(id, name, status, title) HTTP_##id,
#include "http/problem.def"
#undef PROBLEM
    N_HTTP_PROBLEMS
};

struct http_ops {
    void *ctx;
    /* On the server's thread; must not wait. */
    void (*call)(void *ctx, enum http_operation operation, struct http_request *rq);
};

/* ---- what is asked; all borrowed until http_request_done -------------------------------------- */

enum http_operation http_request_operation(const struct http_request *rq);
/* What stands for {name}; "" where the path has none. */
const char *http_request_name(const struct http_request *rq);
const char *http_request_query(const struct http_request *rq, const char *key); /* NULL: not given */
bool http_request_flag(const struct http_request *rq, const char *key);         /* 1, true, or bare */
/* Of a COUNT; otherwise if it is not given. */
uint64_t http_request_count(const struct http_request *rq, const char *key, uint64_t otherwise);
/* NUL-terminated, unpacked; len 0: there was none. */
const char *http_request_body(const struct http_request *rq, size_t *len_out);
bool http_request_body_is_json(const struct http_request *rq);
bool http_request_body_is_csv(const struct http_request *rq);
bool http_request_body_is_lines(const struct http_request *rq); /* of JSON */
const char *http_request_if_match(const struct http_request *rq);      /* NULL: not given */
const char *http_request_if_none_match(const struct http_request *rq); /* likewise */
const char *http_request_idempotency_key(const struct http_request *rq); /* NULL: not given */
bool http_request_wants_text(const struct http_request *rq);           /* Accept: text/plain first */
bool http_request_wants_csv(const struct http_request *rq);
bool http_request_wants_openmetrics(const struct http_request *rq);
bool http_request_wants_ndjson(const struct http_request *rq);         /* Accept: application/x-ndjson */
const char *http_request_last_event_id(const struct http_request *rq); /* NULL: not given */
const char *http_request_who(const struct http_request *rq);  /* token's name; "local" without tokens */
const char *http_request_from(const struct http_request *rq); /* address of the client */
bool http_request_may(const struct http_request *rq, enum http_role role);
/* Is `etag` (quoted) among those of a header If-Match or If-None-Match? `*` is any. */
bool http_etag_listed(const char *header, const char *etag);

/* ---- the answer: one of these, then _done ------------------------------------------------------ */

/* Takes what is in body. */
void http_answer(struct http_request *rq, int status, const char *content_type /* static */,
                 struct buf *body);
void http_answer_json(struct http_request *rq, int status, struct buf *body);
void http_answer_problem(struct http_request *rq, enum http_problem problem, const char *detail,
                         ...) __attribute__((format(printf, 3, 4)));
/* The same with one more member: its value is JSON (taken). */
void http_answer_problem_with(struct http_request *rq, enum http_problem problem,
                              const char *detail, const char *member, struct buf *json);
/* What fd (taken) holds, `size` bytes from its beginning: read as the client takes it. */
void http_answer_file(struct http_request *rq, const char *content_type /* static */, int fd,
                      uint64_t size);
void http_answer_etag(struct http_request *rq, const char *etag); /* quoted; copied */
void http_answer_next(struct http_request *rq, const char *cursor); /* Tocsin-Next; copied */
void http_answer_retry_after(struct http_request *rq, unsigned seconds);
void http_request_done(struct http_request *rq);

/* ---- or an answer without an end --------------------------------------------------------------- */

struct http_stream;
/* Both on the server's thread; neither may wait. */
struct http_stream_ops {
    void (*room)(void *ctx); /* the client has all that was put */
    void (*gone)(void *ctx); /* it has gone, or all was sent of a stream that ended: nothing is to be put when
                                this returns */
};
/* Status 200; then http_request_done, as always. Returns borrowed until gone(), which always comes. */
struct http_stream *http_answer_stream(struct http_request *rq, const char *content_type /* static */,
                                       const struct http_stream_ops *ops, void *ctx);
/* Any thread. Takes what is in text. Does not wait: who puts only when there is room bounds the memory. */
void http_stream_put(struct http_stream *stream, struct buf *text);
void http_stream_end(struct http_stream *stream); /* any thread: when what was put is sent */

#endif
