// SPDX-License-Identifier: Apache-2.0
/*
 * An answer without an end: what the daemon puts goes to the client bit by bit (ops.h).
 *
 *               put (any thread)
 *   suspended ------------------> the library asks for bytes --> taken --> nothing left: room(), suspended
 *       |                              ^ a client that takes nothing for `request_timeout`: closed (server.c)
 *       \-- the client has gone: the library is told to close the connection --> gone()
 *
 * The library does not look at connections that are suspended: whether the other side has closed one is
 * asked of an epoll of our own.
 */
#include "http/stream.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/epoll.h>

#include "base/log.h"
#include "base/mem.h"
#include "http/route.h"

enum { KEEP = 4096, EVENTS = 64 }; /* KEEP: bytes of a buffer that are not given back */

struct http_stream {
    struct http_request *rq;
    struct http_stream_ops ops;
    void *ctx;
    /* the server's thread's */
    struct http_stream *before, *behind; /* of those that have begun */
    bool begun, suspended, hung_up;

    pthread_mutex_t lock; /* all below */
    struct buf out;       /* from `at` on it is to be sent */
    size_t at;
    bool ended;
    /* by server->lock */
    bool fed;
    struct http_stream *next_fed;
};

/* ---- the daemon's side ----------------------------------------------------------------------- */

struct http_stream *http_answer_stream(struct http_request *rq, const char *content_type,
                                       const struct http_stream_ops *ops, void *ctx)
{
    struct http_stream *stream = mem_calloc(1, sizeof *stream);

    stream->rq = rq;
    stream->ops = *ops;
    stream->ctx = ctx;
    pthread_mutex_init(&stream->lock, NULL);
    buf_init(&stream->out);
    rq->stream = stream;
    rq->answer.status = 200;
    rq->answer.content_type = content_type;
    return stream;
}

static void feed(struct http_stream *stream)
{
    struct http_server *server = stream->rq->server;

    pthread_mutex_lock(&server->lock);
    if (!stream->fed) {
        stream->fed = true;
        stream->next_fed = server->fed;
        server->fed = stream;
        http_server_wake(server);
    }
    pthread_mutex_unlock(&server->lock);
}

void http_stream_put(struct http_stream *stream, struct buf *text)
{
    pthread_mutex_lock(&stream->lock);
    if (stream->at == stream->out.len) {
        buf_fini(&stream->out);
        stream->out = *text;
        stream->at = 0;
        buf_init(text);
    } else {
        buf_add(&stream->out, text->data, text->len);
        buf_clear(text);
    }
    pthread_mutex_unlock(&stream->lock);
    feed(stream);
}

void http_stream_end(struct http_stream *stream)
{
    pthread_mutex_lock(&stream->lock);
    stream->ended = true;
    pthread_mutex_unlock(&stream->lock);
    feed(stream);
}

/* ---- the server's thread ---------------------------------------------------------------------- */

static void resume(struct http_stream *stream)
{
    if (!stream->suspended)
        return;
    stream->suspended = false;
    MHD_resume_connection(stream->rq->connection);
}

static size_t take(struct http_stream *stream, char *to, size_t most, bool *ended_out)
{
    pthread_mutex_lock(&stream->lock);
    size_t left = stream->out.len - stream->at, n = left < most ? left : most;
    if (n > 0)
        memcpy(to, stream->out.data + stream->at, n);
    stream->at += n;
    if (stream->at == stream->out.len) {
        stream->at = 0;
        buf_clear(&stream->out);
        if (stream->out.cap > KEEP)
            buf_fini(&stream->out);
    }
    *ended_out = stream->ended;
    pthread_mutex_unlock(&stream->lock);
    return n;
}

/* The library asks for bytes. */
static ssize_t give(void *cls, uint64_t pos, char *to, size_t most)
{
    struct http_stream *stream = cls;
    struct http_request *rq = stream->rq;
    bool ended;

    (void)pos;
    if (stream->hung_up)
        return MHD_CONTENT_READER_END_WITH_ERROR;
    size_t n = take(stream, to, most, &ended);
    if (n > 0) {
        http_connection_waits(rq->server, rq->connection, true);
        return (ssize_t)n;
    }
    if (ended || rq->server->closing)
        return MHD_CONTENT_READER_END_OF_STREAM;
    http_connection_rests(rq->server, rq->connection);
    stream->suspended = true;
    MHD_suspend_connection(rq->connection);
    stream->ops.room(stream->ctx);
    return 0;
}

static void end(struct http_stream *stream)
{
    pthread_mutex_lock(&stream->lock);
    stream->ended = true;
    pthread_mutex_unlock(&stream->lock);
    resume(stream);
}

/* False: its token is gone, or has another role which does not allow it. */
static bool is_allowed(const struct http_stream *stream)
{
    const struct http_request *rq = stream->rq;

    pthread_mutex_lock(&rq->server->lock);
    const struct http_tokens *tokens = rq->server->tokens;
    bool may = !tokens || http_role_covers(http_tokens_role(tokens, rq->token), rq->route->role);
    pthread_mutex_unlock(&rq->server->lock);
    return may;
}

struct MHD_Response *http_stream_begin(struct http_stream *stream, int fd)
{
    struct http_server *server = stream->rq->server;
    struct epoll_event event = {.events = EPOLLRDHUP | EPOLLONESHOT, .data.ptr = stream};
    struct MHD_Response *response =
        MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, 16384, give, stream, NULL);

    if (!response)
        return NULL;
    if (epoll_ctl(server->watch, EPOLL_CTL_ADD, fd, &event) != 0)
        log_line(LOG_WARNING, LOG_http, "a client cannot be watched", "error=\"%s\"", strerror(errno));
    stream->behind = server->streams;
    if (server->streams)
        server->streams->before = stream;
    server->streams = stream;
    stream->begun = true;
    server->n_streams++;
    if (!is_allowed(stream)) /* tokens changed since it was asked for */
        end(stream);
    return response;
}

static void take_off(struct http_stream *stream)
{
    struct http_server *server = stream->rq->server;

    if (stream->begun) {
        *(stream->before ? &stream->before->behind : &server->streams) = stream->behind;
        if (stream->behind)
            stream->behind->before = stream->before;
        server->n_streams--;
    }
    pthread_mutex_lock(&server->lock);
    for (struct http_stream **at = &server->fed; stream->fed && *at; at = &(*at)->next_fed)
        if (*at == stream) {
            *at = stream->next_fed;
            break;
        }
    pthread_mutex_unlock(&server->lock);
}

void http_stream_gone(struct http_stream **streamp, int fd)
{
    struct http_stream *stream = *streamp;

    if (!stream)
        return;
    *streamp = NULL;
    if (stream->begun)
        epoll_ctl(stream->rq->server->watch, EPOLL_CTL_DEL, fd, NULL);
    stream->ops.gone(stream->ctx); /* from now on nobody puts */
    take_off(stream);
    pthread_mutex_destroy(&stream->lock);
    buf_fini(&stream->out);
    mem_free(stream);
}

/* Those that may not any more. */
static void end_unallowed(struct http_server *server)
{
    for (struct http_stream *stream = server->streams; stream; stream = stream->behind) {
        if (!is_allowed(stream))
            end(stream);
    }
}

void http_streams_resume(struct http_server *server)
{
    struct http_stream *stream;

    pthread_mutex_lock(&server->lock);
    while ((stream = server->fed) != NULL) {
        server->fed = stream->next_fed;
        stream->fed = false;
        resume(stream);
    }
    bool renewed = server->renewed;
    server->renewed = false;
    pthread_mutex_unlock(&server->lock);
    if (renewed)
        end_unallowed(server);
}

void http_streams_end(struct http_server *server)
{
    for (struct http_stream *stream = server->streams; stream; stream = stream->behind)
        end(stream);
}

void http_streams_look(struct http_server *server)
{
    struct epoll_event event[EVENTS];
    int n = epoll_wait(server->watch, event, EVENTS, 0);

    for (int i = 0; i < n; i++) {
        struct http_stream *stream = event[i].data.ptr;
        stream->hung_up = true;
        resume(stream);
    }
}
