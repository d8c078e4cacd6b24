// SPDX-License-Identifier: Apache-2.0
/* server_priv - what the server has: server.c (start, thread, stop), exchange.c (one request). */
#ifndef HTTP_SERVER_PRIV_H
#define HTTP_SERVER_PRIV_H

#include <microhttpd.h>
#include <pthread.h>

#include "base/buf.h"
#include "http/request.h"
#include "http/server.h"

struct http_stream;
struct http_tls;
struct http_tokens;

/* A connection while the client is to do something: bring a request, or take an answer. In a list, the
 * longest waiting first. */
struct http_connection {
    struct http_server *server;
    struct http_connection *before, *behind;
    int fd;
    struct http_request *rq; /* that is under way, or NULL; owned */
    int64_t since;  /* monotonic */
    bool listed;
    bool answering; /* it is to take an answer */
    bool closed;    /* it was shut down as too slow */
    int unsent;     /* of a stream: bytes in the socket some time ago; -1: not known */
};

struct http_server {
    struct http_options opt;     /* secrets: none */
    struct http_ops ops;
    struct MHD_Daemon *mhd;
    struct http_tls *tls;        /* or NULL */
    int listener, mhd_epoll, wake; /* wake: an eventfd */
    int watch;                   /* an epoll: of streams, whose client may go */
    char address[HTTP_FROM_SIZE];
    pthread_t thread;
    struct buf openapi;
    /* of the thread */
    struct http_connection *first, *last;
    uint32_t n_connections;
    size_t bodies;               /* bytes of all that are under way, but rows of tables */
    size_t rows;                 /* bytes of those */
    size_t answers;              /* bytes of all that clients have not taken yet */
    size_t called;               /* requests that the daemon has */
    struct http_stream *streams; /* that have begun */
    uint32_t n_streams;
    bool closing;

    pthread_mutex_t lock;        /* all below */
    struct http_tokens *tokens;  /* or NULL */
    struct http_request *done;   /* in any order */
    struct http_stream *fed;     /* streams that were given something, likewise */
    bool renewed;                /* there are other tokens: streams may have lost theirs */
    struct http_stats stats;
    bool stopping;
};

/* exchange.c: what the library calls. */
void *http_exchange_begin(void *cls, const char *target, struct MHD_Connection *connection);
enum MHD_Result http_exchange_go_on(void *cls, struct MHD_Connection *connection, const char *url,
                                    const char *method, const char *version,
                                    const char *upload_data, size_t *upload_size, void **request);
void http_exchange_end(void *cls, struct MHD_Connection *connection, void **request,
                       enum MHD_RequestTerminationCode code);
/* server.c: listener < 0: connections are added by hand, as tests do. */
bool http_server_start_library(struct http_server *server, struct buf *why);
/* server.c: waits at most so many ms for something to do, and does it. */
void http_server_step(struct http_server *server, int most);
void http_exchange_forget(struct http_connection *c); /* what is under way, if there is something */
struct sockaddr;
/* server.c */
struct http_connection *http_connection_of(struct MHD_Connection *connection);
/* server.c: "[address]:port". */
void http_put_address(char out[HTTP_FROM_SIZE], const struct sockaddr *address);
/* server.c: the thread looks at what is done and fed. Called with the lock. */
void http_server_wake(struct http_server *server);
/* server.c: the client is to do something from now on, or not. */
void http_connection_waits(struct http_server *server, struct MHD_Connection *connection,
                           bool answering);
void http_connection_rests(struct http_server *server, struct MHD_Connection *connection);

#endif
