// SPDX-License-Identifier: Apache-2.0
/*
 * What a connection brings, byte by byte, through the HTTP library and all that is ours behind it: where a
 * request ends, its target, route, query, headers, body, and the answer. The first byte says in how many
 * pieces it comes, and whether tokens are asked for.
 *
 * Whatever comes, nothing is left of it when the connection is gone, no answer is a 500, and what is refused
 * by us is a problem document.
 */
#include <fuzz/fuzz.h>

#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "http/openapi.h"
#include "http/route.h"
#include "http/server_priv.h"

enum { IDLE = 3, STEPS = 2000 }; /* steps in which nothing comes; at most */

/* Asks for all that may be asked of a request, and answers. */
static void call(void *ctx, enum http_operation operation, struct http_request *rq)
{
    struct buf b;
    size_t len, n = 0;

    (void)ctx;
    const char *body = http_request_body(rq, &len);
    if (strlen(body) > len)
        fuzz_fail("a body of %zu bytes without an end", len);
    if (operation != http_request_operation(rq) || !http_request_may(rq, HTTP_ROLE_OPEN))
        fuzz_fail("an operation that it is not");
    for (int i = 0; i < N_HTTP_QUERIES; i++) {
        const struct http_query *query = &http_queries[i];
        const char *value = query->operation == operation ? http_request_query(rq, query->key) : NULL;
        if (!value)
            continue;
        n += strlen(value) + http_request_flag(rq, query->key);
        if (query->type == HTTP_QUERY_LIMIT && http_request_count(rq, query->key, 1) - 1 > 999)
            fuzz_fail("a limit of %s", value);
    }
    if (strstr(http_routes[operation].path, "{name}") && !*http_request_name(rq))
        fuzz_fail("an empty name");
    if (http_request_if_match(rq))
        n += http_etag_listed(http_request_if_match(rq), "\"0123\"");
    buf_init(&b);
    buf_printf(&b, "{\"bytes\":%zu,\"n\":%zu,\"who\":\"%s\",\"name\":", len, n, http_request_who(rq));
    buf_add_json_text(&b, http_request_name(rq), strlen(http_request_name(rq)));
    buf_adds(&b, "}\n");
    http_answer_json(rq, 200, &b);
    http_answer_etag(rq, "\"0123\"");
    http_request_done(rq);
}

static struct http_server *server_new(bool tokens)
{
    struct http_server *server = mem_calloc(1, sizeof *server);
    struct buf why;

    buf_init(&why);
    server->ops = (struct http_ops){NULL, call};
    server->opt = (struct http_options){.max_header = 4096, .max_body = 2000, .max_bodies = 10000,
                                        .max_connections = 10, .ops = server->ops};
    server->listener = -1;
    server->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    pthread_mutex_init(&server->lock, NULL);
    buf_init(&server->openapi);
    http_openapi_add(&server->openapi);
    if (tokens) /* of the text "x" */
        server->tokens = http_tokens_parse(
            "a admin 2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881\n", &why);
    if ((tokens && !server->tokens) || !http_server_start_library(server, &why))
        fuzz_fail("no server: %s", why.data);
    buf_fini(&why);
    return server;
}

/* ---- what is answered ------------------------------------------------------------------------- */

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* The answers are ours but for those that the library gives by itself, as HTML. */
static void look_at_answers(const struct buf *got)
{
    const char *at = got->len ? got->data : "";

    if (*at && !begins(at, "HTTP/1."))
        fuzz_fail("an answer begins with %.20s", at);
    for (; (at = strstr(at, "HTTP/1.1 ")) != NULL; at += 9) {
        const char *end = strstr(at, "\r\n\r\n");
        if (begins(at + 9, "500"))
            fuzz_fail("500");
        if (end && at[9] == '4' && strstr(at, "Cache-Control: no-store") &&
            strstr(at, "Cache-Control: no-store") < end &&
            !(strstr(at, "application/problem+json") && strstr(at, "application/problem+json") < end))
            fuzz_fail("a refusal that is no problem document: %.200s", at);
    }
}

/* Bytes that came; -1: it is closed. */
static long take(int fd, struct buf *got)
{
    char data[4096];
    ssize_t n = recv(fd, data, sizeof data, MSG_DONTWAIT);

    if (n > 0)
        buf_add(got, data, (size_t)n);
    return n > 0 ? n : n < 0 && errno == EAGAIN ? 0 : -1;
}

static void settle(struct http_server *server, int fd, struct buf *got)
{
    int idle = 0;

    for (int i = 0; i < STEPS && idle < IDLE; i++) {
        http_server_step(server, 0);
        long n = take(fd, got);
        if (n < 0)
            return;
        idle = n > 0 ? 0 : idle + 1;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct http_server *servers[2];
    struct sockaddr_in local = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct buf got;
    int fd[2];

    if (size < 2)
        return 0;
    bool tokens = data[0] & 1;
    if (!servers[tokens])
        servers[tokens] = server_new(tokens);
    struct http_server *server = servers[tokens];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, fd) != 0 ||
        MHD_add_connection(server->mhd, fd[0], (struct sockaddr *)&local, sizeof local) != MHD_YES)
        fuzz_fail("no connection");
    buf_init(&got);
    size_t step = (size - 1) / (1 + (data[0] >> 1) % 16) + 1;
    for (size_t at = 1; at < size; at += step) {
        size_t n = size - at < step ? size - at : step;
        if (send(fd[1], data + at, n, MSG_NOSIGNAL) < 0)
            break;
        settle(server, fd[1], &got);
    }
    close(fd[1]);
    for (int i = 0; i < STEPS && server->n_connections > 0; i++)
        http_server_step(server, 0);
    if (server->n_connections || server->bodies || server->answers || server->called || server->first)
        fuzz_fail("%u connections, %zu bytes of bodies, %zu of answers, %zu requests are left",
                  (unsigned)server->n_connections, server->bodies, server->answers, server->called);
    look_at_answers(&got);
    buf_fini(&got);
    return 0;
}
