// SPDX-License-Identifier: Apache-2.0
/*
 * http_client - one request after the other to one server, through libcurl; each is waited for. For `tocsin` as
 * a client of tocsind.
 *
 * The server is not trusted: heads and answers are bounded, redirects are not followed (they would carry the
 * token elsewhere), no proxy is asked whatever the environment says. Certificates are always verified. A token
 * goes over http:// to this machine alone, unless plain_token allows more.
 */
#ifndef IO_HTTP_CLIENT_H
#define IO_HTTP_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

struct http_client;

struct http_client_settings { /* all borrowed */
    const char *url;          /* http://HOST:PORT or https://..., with or without a path in front of all others */
    const char *token;        /* NULL: none */
    const char *ca;           /* a PEM file that is trusted instead of the system's; NULL: the system's */
    bool plain_token;
    int64_t timeout;          /* ns, of a whole request; of one with `take`: without a byte */
    size_t max_answer;        /* bytes, of what is kept in memory */
};

struct http_client_request { /* all borrowed */
    const char *method;
    const char *path; /* with its query, percent-encoded */
    const char *body; /* NULL: none */
    size_t len;
    const char *const *header; /* "Name: value" */
    size_t n_headers;
    int64_t timeout; /* ns; 0: that of the client */
    /* What is in a good answer (2xx) goes here instead of into `body`; false ends the request. */
    bool (*take)(void *ctx, const char *data, size_t len);
    /* Called now and then, and before each byte that comes; false ends the request. NULL: never. */
    bool (*go_on)(void *ctx);
    void *ctx;
};

struct http_client_answer { /* embedded: _init, _fini */
    int status;
    struct buf body;
    char type[80], etag[80], next[512]; /* Content-Type, ETag, Tocsin-Next: "" if there is none, or it is longer */
    int64_t retry_after; /* ns; 0: nothing was said */
};

enum http_client_result {
    HTTP_CLIENT_ANSWERED,    /* whatever the status */
    HTTP_CLIENT_UNREACHABLE, /* no connection, or it broke, or took too long */
    HTTP_CLIENT_REFUSED,     /* TLS: the certificate is not trusted ... */
    HTTP_CLIENT_TOO_LONG,
    HTTP_CLIENT_ENDED,       /* take or go_on was false */
};

/* NULL and a message in why: a bad URL, a token that may not be sent, a file that cannot be read. */
struct http_client *http_client_new(const struct http_client_settings *settings, struct buf *why);
void http_client_free(struct http_client **client);
void http_client_answer_init(struct http_client_answer *a);
void http_client_answer_fini(struct http_client_answer *a);
/* Clears and fills the answer; what went wrong is appended to why, unless it was answered. */
enum http_client_result http_client_ask(struct http_client *client, const struct http_client_request *rq,
                                        struct http_client_answer *answer, struct buf *why);
const char *http_client_version(void);

#endif
