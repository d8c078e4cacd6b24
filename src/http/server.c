// SPDX-License-Identifier: Apache-2.0
#include "http/server_priv.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/sockios.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "http/address.h"
#include "http/openapi.h"
#include "http/stream.h"
#include "http/tls.h"

#define SECOND INT64_C(1000000000)
enum { BACKLOG = 1024, STEP = 500 /* ms */ };

/* ---- connections that are waited for ----------------------------------------------------------- */

static void unlist(struct http_server *server, struct http_connection *c)
{
    if (!c->listed)
        return;
    *(c->before ? &c->before->behind : &server->first) = c->behind;
    *(c->behind ? &c->behind->before : &server->last) = c->before;
    c->before = c->behind = NULL;
    c->listed = false;
}

struct http_connection *http_connection_of(struct MHD_Connection *connection)
{
    return MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context;
}

void http_connection_rests(struct http_server *server, struct MHD_Connection *connection)
{
    unlist(server, http_connection_of(connection));
}

static void wait_for(struct http_server *server, struct http_connection *c, bool answering)
{
    unlist(server, c);
    c->since = clock_monotonic();
    c->answering = answering;
    c->unsent = -1;
    c->before = server->last;
    *(server->last ? &server->last->behind : &server->first) = c;
    server->last = c;
    c->listed = true;
}

void http_connection_waits(struct http_server *server, struct MHD_Connection *connection,
                           bool answering)
{
    wait_for(server, http_connection_of(connection), answering);
}

/* A stream's bytes are with the system for as long as the client takes them slowly: does it take any? */
static bool still_takes(struct http_connection *c, int64_t waited, int64_t timeout)
{
    int unsent;

    if (!c->rq || !c->rq->stream || ioctl(c->fd, SIOCOUTQ, &unsent) != 0)
        return false;
    if (c->unsent < 0 && waited >= timeout / 2)
        c->unsent = unsent;
    return unsent < c->unsent;
}

/* Shuts down those that take too long; the library then meets the end of their input. */
static void close_slow(struct http_server *server)
{
    bool crowded = server->n_connections > server->opt.max_connections / 4 * 3;
    int64_t timeout = server->opt.request_timeout;
    int64_t now = clock_monotonic();
    uint64_t closed = 0;

    for (struct http_connection *c = server->first, *next; c; c = next) {
        next = c->behind;
        int64_t waited = now - c->since;
        if (waited < SECOND)
            break;
        bool takes = still_takes(c, waited, timeout);
        if (waited < timeout && !(crowded && !c->answering))
            continue;
        if (takes) {
            wait_for(server, c, true);
            continue;
        }
        c->closed = true;
        shutdown(c->fd, SHUT_RDWR);
        unlist(server, c);
        closed++;
    }
    pthread_mutex_lock(&server->lock);
    server->stats.slow += closed;
    server->stats.connections = server->n_connections;
    server->stats.streams = server->n_streams;
    pthread_mutex_unlock(&server->lock);
}

static void notify_connection(void *cls, struct MHD_Connection *connection, void **context,
                              enum MHD_ConnectionNotificationCode code)
{
    struct http_server *server = cls;

    if (code == MHD_CONNECTION_NOTIFY_STARTED) {
        struct http_connection *c = mem_calloc(1, sizeof *c);
        c->server = server;
        c->fd = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
        *context = c;
        server->n_connections++;
        wait_for(server, c, false);
    } else {
        http_exchange_forget(*context);
        unlist(server, *context);
        server->n_connections--;
        mem_free(*context);
        *context = NULL;
    }
}

/* ---- the thread ------------------------------------------------------------------------------ */

void http_server_wake(struct http_server *server)
{
    static const uint64_t one = 1;

    if (write(server->wake, &one, sizeof one) < 0 && errno != EAGAIN)
        log_line(LOG_ERROR, LOG_http, "cannot wake the server", NULL);
}

void http_server_done(struct http_server *server, struct http_request *rq)
{
    pthread_mutex_lock(&server->lock);
    bool first = !server->done;
    rq->next_done = server->done;
    server->done = rq;
    /* Under the lock: when the thread has seen this one nobody touches the server any more. */
    if (first)
        http_server_wake(server);
    pthread_mutex_unlock(&server->lock);
}

static struct http_request *take_done(struct http_server *server)
{
    uint64_t count;

    while (read(server->wake, &count, sizeof count) < 0 && errno == EINTR)
        ;
    pthread_mutex_lock(&server->lock);
    struct http_request *rq = server->done;
    server->done = NULL;
    pthread_mutex_unlock(&server->lock);
    return rq;
}

static void resume_done(struct http_server *server)
{
    for (struct http_request *rq = take_done(server), *next; rq; rq = next) {
        next = rq->next_done;
        server->called--;
        MHD_resume_connection(rq->connection);
    }
}

static bool is_stopping(struct http_server *server)
{
    pthread_mutex_lock(&server->lock);
    bool stopping = server->stopping;
    pthread_mutex_unlock(&server->lock);
    return stopping;
}

/* ms until something may be due; at most `most`. */
static int timeout_of(struct http_server *server, int most)
{
    MHD_UNSIGNED_LONG_LONG ms;

    if (MHD_get_timeout(server->mhd, &ms) == MHD_YES && ms < (unsigned)most)
        return (int)ms;
    return most;
}

void http_server_step(struct http_server *server, int most)
{
    struct pollfd fd[] = {{.fd = server->mhd_epoll, .events = POLLIN},
                          {.fd = server->wake, .events = POLLIN},
                          {.fd = server->watch, .events = POLLIN}};

    if (poll(fd, 3, timeout_of(server, most)) < 0 && errno != EINTR)
        log_line(LOG_ERROR, LOG_http, "cannot wait", "error=\"%s\"", strerror(errno));
    if (fd[1].revents) {
        resume_done(server);
        http_streams_resume(server);
    }
    if (fd[2].revents)
        http_streams_look(server);
    MHD_run(server->mhd);
}

/* What is under way is answered: for a second at most, but for what the daemon has, until it is done. */
static void wind_up(struct http_server *server)
{
    int64_t until = clock_monotonic() + SECOND;

    server->closing = true;
    MHD_socket fd = MHD_quiesce_daemon(server->mhd);
    if (fd != MHD_INVALID_SOCKET)
        close(fd);
    server->listener = -1;
    http_streams_end(server);
    while (server->called > 0 || (server->n_connections > 0 && clock_monotonic() < until)) {
        bool answering = false;
        http_server_step(server, STEP);
        for (struct http_connection *c = server->first; c; c = c->behind)
            answering |= c->answering;
        if (server->called == 0 && !answering)
            break;
    }
}

static void *run(void *ctx)
{
    struct http_server *server = ctx;
    int64_t looked = 0;

    while (!is_stopping(server)) {
        http_server_step(server, STEP);
        int64_t now = clock_monotonic();
        if (now - looked > SECOND / 4) {
            looked = now;
            close_slow(server);
        }
    }
    wind_up(server);
    return NULL;
}

/* ---- listening ------------------------------------------------------------------------------- */

void http_put_address(char out[HTTP_FROM_SIZE], const struct sockaddr *address)
{
    char text[INET6_ADDRSTRLEN] = "?";

    if (address->sa_family == AF_INET6) {
        struct sockaddr_in6 v6;
        memcpy(&v6, address, sizeof v6);
        inet_ntop(AF_INET6, &v6.sin6_addr, text, sizeof text);
        snprintf(out, HTTP_FROM_SIZE, "[%s]:%u", text, ntohs(v6.sin6_port));
    } else {
        struct sockaddr_in v4;
        memcpy(&v4, address, sizeof v4);
        inet_ntop(AF_INET, &v4.sin_addr, text, sizeof text);
        snprintf(out, HTTP_FROM_SIZE, "%s:%u", text, ntohs(v4.sin_port));
    }
}

static int open_listener(const struct addrinfo *info)
{
    int fd = socket(info->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), one = 1;

    if (fd < 0)
        return -1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (info->ai_family == AF_INET6)
        setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &one, sizeof one);
    if (bind(fd, info->ai_addr, info->ai_addrlen) == 0 && listen(fd, BACKLOG) == 0)
        return fd;
    close(fd);
    return -1;
}

/* Where that is, and may be: freeaddrinfo; NULL and why. */
static struct addrinfo *find_address(const char *address, bool tokens, struct buf *why)
{
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE}, *info;
    struct http_address at;

    if (!http_address_read(&at, address)) {
        buf_printf(why, "`listen` is not HOST:PORT, such as 127.0.0.1:7070: %s", address);
        return NULL;
    }
    int rc = getaddrinfo(at.host, at.port, &hints, &info);
    if (rc != 0) {
        buf_printf(why, "listen %s: %s", address, gai_strerror(rc));
        return NULL;
    }
    if (tokens || http_address_is_loopback(info->ai_addr))
        return info;
    buf_printf(why, "listen %s: without `tokens` only loopback addresses are served", address);
    freeaddrinfo(info);
    return NULL;
}

bool http_listen_check(const char *listen, bool tokens, struct buf *why)
{
    struct addrinfo *info = find_address(listen, tokens, why);

    if (info)
        freeaddrinfo(info);
    return info != NULL;
}

static bool listen_at(struct http_server *server, const char *address, bool tokens, struct buf *why)
{
    struct addrinfo *info = find_address(address, tokens, why);
    struct sockaddr_storage bound;
    socklen_t len = sizeof bound;

    if (!info)
        return false;
    if ((server->listener = open_listener(info)) < 0)
        buf_printf(why, "listen %s: %s", address, strerror(errno));
    freeaddrinfo(info);
    if (server->listener < 0)
        return false;
    getsockname(server->listener, (struct sockaddr *)&bound, &len);
    http_put_address(server->address, (struct sockaddr *)&bound);
    return true;
}

/* ---- start and stop -------------------------------------------------------------------------- */

struct http_tls *http_server_tls_of(void *connection)
{
    return http_connection_of(connection)->server->tls;
}

static void log_mhd(void *cls, const char *fmt, va_list args) __attribute__((format(printf, 2, 0)));

static void log_mhd(void *cls, const char *fmt, va_list args)
{
    struct buf text, b;

    (void)cls;
    buf_init(&text);
    buf_init(&b);
    buf_vprintf(&text, fmt, args);
    while (text.len > 0 && text.data[text.len - 1] == '\n')
        text.data[--text.len] = '\0';
    log_field(&b, "what", text.len ? text.data : "");
    log_line(LOG_DEBUG, LOG_http, "a connection failed", "%s", b.data);
    buf_fini(&text);
    buf_fini(&b);
}

bool http_server_start_library(struct http_server *server, struct buf *why)
{
    const struct http_options *opt = &server->opt;
    unsigned flags = MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG |
                     (server->tls ? MHD_USE_TLS : 0) |
                     (server->listener < 0 ? MHD_USE_NO_LISTEN_SOCKET : 0);
    struct MHD_OptionItem more[] = {
        {MHD_OPTION_CONNECTION_LIMIT, (intptr_t)opt->max_connections, NULL},
        {MHD_OPTION_CONNECTION_MEMORY_LIMIT, (intptr_t)opt->max_header, NULL},
        {MHD_OPTION_STRICT_FOR_CLIENT, 1, NULL},
        {MHD_OPTION_EXTERNAL_LOGGER, (intptr_t)log_mhd, NULL},
        {MHD_OPTION_URI_LOG_CALLBACK, (intptr_t)http_exchange_begin, server},
        {MHD_OPTION_NOTIFY_COMPLETED, (intptr_t)http_exchange_end, server},
        {MHD_OPTION_NOTIFY_CONNECTION, (intptr_t)notify_connection, server},
        {server->tls ? MHD_OPTION_HTTPS_CERT_CALLBACK : MHD_OPTION_END, 0,
         server->tls ? http_tls_callback() : NULL},
        {MHD_OPTION_END, 0, NULL}};
    struct MHD_OptionItem listens[] = {{MHD_OPTION_LISTEN_SOCKET, server->listener, NULL},
                                       {MHD_OPTION_END, 0, NULL}};

    server->mhd = MHD_start_daemon(flags, 0, NULL, NULL, http_exchange_go_on, server,
                                   MHD_OPTION_ARRAY, more, MHD_OPTION_ARRAY,
                                   server->listener < 0 ? &listens[1] : listens, MHD_OPTION_END);
    if (!server->mhd) {
        buf_printf(why, "listen %s: the HTTP library does not start", server->address);
        return false;
    }
    const union MHD_DaemonInfo *info =
        MHD_get_daemon_info(server->mhd, MHD_DAEMON_INFO_EPOLL_FD);
    server->mhd_epoll = info->epoll_fd;
    return true;
}

static bool open_all(struct http_server *server, const struct http_secrets *secrets,
                     struct buf *why)
{
    if (secrets->tokens && !(server->tokens = http_tokens_parse(secrets->tokens, why)))
        return false;
    if (secrets->certificate &&
        !(server->tls = http_tls_new(secrets->certificate, secrets->key, why)))
        return false;
    if (!listen_at(server, server->opt.listen, server->tokens != NULL, why))
        return false;
    server->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    server->watch = epoll_create1(EPOLL_CLOEXEC);
    if (server->wake < 0 || server->watch < 0) {
        buf_printf(why, "%s: %s", server->wake < 0 ? "eventfd" : "epoll", strerror(errno));
        return false;
    }
    return http_server_start_library(server, why);
}

static void server_free(struct http_server *server)
{
    if (server->mhd)
        MHD_stop_daemon(server->mhd);
    if (server->listener >= 0 && !server->mhd)
        close(server->listener);
    if (server->wake >= 0)
        close(server->wake);
    if (server->watch >= 0)
        close(server->watch);
    http_tls_free(&server->tls);
    http_tokens_free(&server->tokens);
    buf_fini(&server->openapi);
    pthread_mutex_destroy(&server->lock);
    mem_free(server);
}

struct http_server *http_server_start(const struct http_options *opt, struct buf *why)
{
    struct http_server *server = mem_calloc(1, sizeof *server);

    server->opt = *opt;
    server->opt.secrets = (struct http_secrets){0};
    server->ops = opt->ops;
    server->listener = server->wake = server->watch = -1;
    pthread_mutex_init(&server->lock, NULL);
    buf_init(&server->openapi);
    http_openapi_add(&server->openapi);
    if (!open_all(server, &opt->secrets, why)) {
        server_free(server);
        return NULL;
    }
    server->opt.listen = NULL;
    int rc = pthread_create(&server->thread, NULL, run, server);
    if (rc != 0) {
        buf_printf(why, "a thread: %s", strerror(rc));
        server_free(server);
        return NULL;
    }
    return server;
}

bool http_secrets_check(const struct http_secrets *secrets, struct buf *why)
{
    struct http_tokens *tokens = secrets->tokens ? http_tokens_parse(secrets->tokens, why) : NULL;
    struct http_tls *tls = NULL;
    bool ok = tokens || !secrets->tokens;

    if (ok && secrets->certificate)
        ok = (tls = http_tls_new(secrets->certificate, secrets->key, why)) != NULL;
    http_tls_free(&tls);
    http_tokens_free(&tokens);
    return ok;
}

bool http_server_renew(struct http_server *server, const struct http_secrets *secrets,
                       struct buf *why)
{
    struct http_tokens *tokens = NULL, *old;

    if ((secrets->tokens != NULL) != (server->tokens != NULL) ||
        (secrets->certificate != NULL) != (server->tls != NULL)) {
        buf_adds(why, "`tokens` and `certificate` come and go with a restart alone");
        return false;
    }
    if (secrets->tokens && !(tokens = http_tokens_parse(secrets->tokens, why)))
        return false;
    if (server->tls && !http_tls_renew(server->tls, secrets->certificate, secrets->key, why)) {
        http_tokens_free(&tokens);
        return false;
    }
    pthread_mutex_lock(&server->lock);
    old = server->tokens;
    server->tokens = tokens;
    server->renewed = old != NULL; /* who watches may not any more, it may be */
    http_server_wake(server);
    pthread_mutex_unlock(&server->lock);
    http_tokens_free(&old);
    return true;
}

const char *http_server_address(const struct http_server *server)
{
    return server->address;
}

void http_server_stop(struct http_server **server)
{
    if (!*server)
        return;
    pthread_mutex_lock(&(*server)->lock);
    (*server)->stopping = true;
    http_server_wake(*server);
    pthread_mutex_unlock(&(*server)->lock);
    pthread_join((*server)->thread, NULL);
    server_free(*server);
    *server = NULL;
}

void http_server_stats(struct http_server *server, struct http_stats *stats_out)
{
    pthread_mutex_lock(&server->lock);
    *stats_out = server->stats;
    pthread_mutex_unlock(&server->lock);
}
