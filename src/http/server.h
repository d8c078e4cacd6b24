// SPDX-License-Identifier: Apache-2.0
/*
 * server - HTTP/1.1 on libmicrohttpd, one thread for all connections.
 *
 * The thread waits itself (poll over the library's epoll descriptor and an eventfd) and then has the
 * library do what is ready, MHD_run: the library's own epoll threads stand still when exactly 128
 * connections are ready at once.
 *
 *   connection --request line--> header --who may?--> body --whole--> call() [suspended] --> answer
 *                                  \------- problem ---------------------------------------/
 *
 * Limits: of the header, the body (packed and unpacked), all bodies together, connections, and the time
 * in which a client has to bring a request or to take its answer. When three quarters of the connections
 * are taken, who brings nothing for a second goes: slow clients hold nobody up.
 */
#ifndef HTTP_SERVER_H
#define HTTP_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/histogram.h"
#include "http/ops.h"

struct buf;
struct http_server;

struct http_secrets { /* texts are borrowed for the call */
    const char *tokens;      /* the text of a tokens file (auth.h), or NULL: only loopback is served */
    const char *certificate; /* paths of PEM files, both or none */
    const char *key;
};

struct http_options {
    const char *listen;         /* "127.0.0.1:7070", "[::1]:0", "localhost:7070"; port 0: any */
    struct http_secrets secrets;
    uint64_t max_header, max_body, max_bodies; /* bytes; of all bodies that are under way */
    uint64_t max_rows;          /* bytes; of bodies that are rows of tables: each, and all together */
    uint32_t max_connections;
    int64_t request_timeout;    /* ns */
    struct http_ops ops;
};

/* Listens, and begins. NULL and why. */
struct http_server *http_server_start(const struct http_options *opt, struct buf *why);
/* Is it an address, and one that may be served, with tokens or without? False and why. */
bool http_listen_check(const char *listen, bool tokens, struct buf *why);
/* Could a server begin with them? False and why. */
bool http_secrets_check(const struct http_secrets *secrets, struct buf *why);
/* New tokens and certificates; false and why: the old ones stay. Any thread. */
bool http_server_renew(struct http_server *server, const struct http_secrets *secrets,
                       struct buf *why);
/* "127.0.0.1:43211": where it listens. */
const char *http_server_address(const struct http_server *server);
/* No new requests; those that the daemon has must be done, or be done within the second that this waits. */
void http_server_stop(struct http_server **server);

struct http_stats {
    uint64_t requests, refused; /* refused: 401, 403 */
    uint64_t slow;              /* connections that were closed as too slow */
    uint32_t connections;       /* now */
    uint32_t streams;           /* now: answers without an end */
    uint64_t answers[6];        /* by the first digit of their status */
    struct histogram seconds[6]; /* ns that they took, likewise */
};
void http_server_stats(struct http_server *server, struct http_stats *stats_out); /* any thread */

#endif
