// SPDX-License-Identifier: Apache-2.0
/*
 * One request through the library's calls. What may be answered from the header alone is, before a body
 * is taken: no such path, not allowed, too large.
 */
#include "http/server_priv.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "http/problem.h"
#include "http/route.h"
#include "http/stream.h"

enum { FILE_BLOCK = 128 << 10 };   /* bytes of a file that are read at once */
enum { SHORT_ANSWER = 16384 };     /* bytes */
enum { SWALLOWED_MOST = 1 << 20 }; /* bytes beyond the limit that are read to be able to answer */

/* Rows of tables are large and few: they have a limit of their own, together and each. */
static bool is_rows(const struct http_request *rq)
{
    return rq->route && rq->route->body == HTTP_BODY_ROWS;
}

static uint64_t body_most(const struct http_request *rq)
{
    return is_rows(rq) ? rq->server->opt.max_rows : rq->server->opt.max_body;
}

/* Is there room for so many more bytes? */
static bool has_room(const struct http_request *rq, uint64_t len)
{
    const struct http_server *server = rq->server;

    return is_rows(rq) ? server->rows + len <= server->opt.max_rows
                       : server->bodies + len <= server->opt.max_bodies;
}

static size_t *count_of(struct http_request *rq)
{
    return is_rows(rq) ? &rq->server->rows : &rq->server->bodies;
}

void *http_exchange_begin(void *cls, const char *target, struct MHD_Connection *connection)
{
    struct http_request *rq = http_request_new(cls, target);

    http_exchange_forget(http_connection_of(connection));
    http_connection_of(connection)->rq = rq;
    rq->connection = connection;
    return rq;
}

/* The library does not tell the end of each one that it began: not of those that it answers itself, for a
 * header that is too large or is none. */
void http_exchange_forget(struct http_connection *c)
{
    if (!c->rq)
        return;
    *count_of(c->rq) -= c->rq->body.len;
    c->server->answers -= c->rq->queued;
    http_stream_gone(&c->rq->stream, c->fd);
    http_request_free(&c->rq);
}

static const char *header(const struct http_request *rq, const char *name)
{
    return MHD_lookup_connection_value(rq->connection, MHD_HEADER_KIND, name);
}

static char *copy(const char *text)
{
    return text ? mem_strndup(text, strlen(text)) : NULL;
}

/* ---- who may --------------------------------------------------------------------------------- */

struct counting {
    const char *name;
    unsigned n;
};

static enum MHD_Result count_header(void *cls, enum MHD_ValueKind kind, const char *key,
                                    const char *value)
{
    struct counting *counting = cls;

    (void)kind;
    counting->n += value && strcasecmp(key, counting->name) == 0;
    return MHD_YES;
}

static unsigned headers_of(const struct http_request *rq, const char *name)
{
    struct counting counting = {.name = name};

    MHD_get_connection_values(rq->connection, MHD_HEADER_KIND, count_header, &counting);
    return counting.n;
}

/* Without tokens: no browser, and nobody who was led here by a name. */
static bool check_local(struct http_request *rq)
{
    const char *host = header(rq, "Host");

    if (header(rq, "Origin"))
        http_answer_problem(rq, HTTP_FOREIGN_ORIGIN,
                            "the request has an `Origin`: a page in a browser made it");
    else if (!host || headers_of(rq, "Host") != 1 || !http_host_is_loopback(host))
        http_answer_problem(rq, HTTP_FOREIGN_ORIGIN, "`Host` is no name of loopback");
    else if (rq->uri.authority && !http_host_is_loopback(rq->uri.authority))
        http_answer_problem(rq, HTTP_FOREIGN_ORIGIN, "the host in the target is no name of loopback");
    else {
        memcpy(rq->who, "local", sizeof "local");
        rq->role = HTTP_ROLE_ADMIN;
        return true;
    }
    return false;
}

/* Which role the request has; false: it is answered. */
static bool find_role(struct http_request *rq)
{
    const char *token = http_bearer(header(rq, "Authorization"));
    struct http_server *server = rq->server;

    pthread_mutex_lock(&server->lock);
    bool tokens = server->tokens != NULL;
    if (tokens && token)
        rq->role = http_tokens_find(server->tokens, token, rq->who, rq->token);
    pthread_mutex_unlock(&server->lock);
    if (!tokens)
        return check_local(rq);
    return true;
}

static bool check_role(struct http_request *rq)
{
    enum http_role wanted = rq->route->role;

    if (http_role_covers(rq->role, wanted))
        return true;
    if (rq->role == HTTP_ROLE_OPEN) {
        http_answer_problem(rq, HTTP_UNAUTHORIZED, "%s",
                            header(rq, "Authorization")
                                ? "the token is not known"
                                : "send a header `Authorization: Bearer TOKEN`");
        rq->answer.challenge = true;
    } else {
        http_answer_problem(rq, HTTP_FORBIDDEN, "it takes the role `%s`, and the token has `%s`",
                            http_role_name(wanted), http_role_name(rq->role));
    }
    return false;
}

/* ---- where it ends ---------------------------------------------------------------------------- */

struct framing {
    unsigned lengths, codings; /* headers of each */
    bool wrong;                /* one that nobody should have to guess at */
};

static bool is_token(const char *name, size_t len)
{
    static const char more[] = "!#$%&'*+-.^_`|~";

    for (size_t i = 0; i < len; i++)
        if (!(name[i] >= 'a' && name[i] <= 'z') && !(name[i] >= 'A' && name[i] <= 'Z') &&
            !(name[i] >= '0' && name[i] <= '9') && !memchr(more, name[i], sizeof more - 1))
            return false;
    return len > 0;
}

static enum MHD_Result look_at_framing(void *cls, enum MHD_ValueKind kind, const char *key,
                                       size_t key_len, const char *value, size_t len)
{
    struct framing *f = cls;

    (void)kind;
    if (strcasecmp(key, "Content-Length") == 0) {
        f->lengths++;
        f->wrong |= !value || !*value || strlen(value) > 19 ||
                    strspn(value, "0123456789") != strlen(value);
    } else if (strcasecmp(key, "Transfer-Encoding") == 0) {
        f->codings++;
        f->wrong |= !value || strcasecmp(value, "chunked") != 0;
    }
    f->wrong |= !is_token(key, key_len) || (value && memchr(value, '\0', len));
    return MHD_YES;
}

/* A proxy before us may read one length and we another: then what is a body to one is a request to the
 * other. Nothing that can be read in two ways is taken, and the connection ends with it. */
static bool check_framing(struct http_request *rq, const char *version)
{
    struct framing f = {0};

    MHD_get_connection_values_n(rq->connection, MHD_HEADER_KIND, look_at_framing, &f);
    if (!f.wrong && f.lengths + f.codings <= 1 &&
        (f.codings == 0 || strcmp(version, MHD_HTTP_VERSION_1_0) != 0))
        return true;
    http_answer_problem(rq, HTTP_BAD_REQUEST,
                        "its headers do not say in one way alone where it ends: it takes one "
                        "`Content-Length`, or `Transfer-Encoding: chunked`");
    rq->answer.closes = true;
    return false;
}

/* ---- the header ------------------------------------------------------------------------------ */

static bool find_route(struct http_request *rq, const char *method)
{
    unsigned allowed;

    if (rq->wrong_uri) {
        http_answer_problem(rq, HTTP_BAD_REQUEST, "the target of the request: %s", rq->wrong_uri);
        return false;
    }
    rq->route = http_route_find(method, &rq->uri, &rq->name, &allowed);
    if (rq->route)
        return true;
    if (allowed == 0) {
        http_answer_problem(rq, HTTP_NOT_FOUND,
                            "there is no such path; /v1/openapi.json lists those there are");
        return false;
    }
    http_route_add_allow(&rq->answer.allow, allowed);
    if (strcmp(method, "OPTIONS") == 0) {
        struct buf none;
        buf_init(&none);
        http_answer(rq, 204, NULL, &none);
    } else {
        http_answer_problem(rq, HTTP_METHOD, "the path has %s", rq->answer.allow.data);
    }
    return false;
}

/* Whether a media type is `type`, with or without parameters. */
static bool is_type(const char *value, const char *type)
{
    size_t len = strlen(type);

    return strncasecmp(value, type, len) == 0 &&
           (value[len] == '\0' || value[len] == ';' || value[len] == ' ');
}

static bool check_type(struct http_request *rq)
{
    const char *type = header(rq, "Content-Type"), *coding = header(rq, "Content-Encoding");

    if (coding && strcasecmp(coding, "gzip") == 0) {
        rq->gzip = true;
    } else if (coding && strcasecmp(coding, "identity") != 0) {
        http_answer_problem(rq, HTTP_MEDIA_TYPE, "`Content-Encoding` may be gzip");
        return false;
    }
    rq->json = type && is_type(type, "application/json");
    rq->csv = type && is_type(type, "text/csv");
    rq->lines = type && (is_type(type, "application/x-ndjson") || is_type(type, "application/jsonl"));
    /* Browsers send these without asking first: no rule text comes as one. */
    bool form = type && (is_type(type, "application/x-www-form-urlencoded") ||
                         is_type(type, "multipart/form-data"));
    if (rq->route->body != HTTP_BODY_NONE && form && header(rq, "Origin")) {
        http_answer_problem(rq, HTTP_MEDIA_TYPE, "a form is neither rules nor events");
        return false;
    }
    return true;
}

static void too_large(struct http_request *rq)
{
    http_answer_problem(rq, HTTP_TOO_LARGE, "the limit is %" PRIu64 " bytes (`%s`)", body_most(rq),
                        is_rows(rq) ? "table_bytes" : "max_body");
}

static bool check_length(struct http_request *rq)
{
    const char *text = header(rq, "Content-Length");
    uint64_t length = text ? strtoull(text, NULL, 10) : 0;

    if (length > body_most(rq)) {
        too_large(rq);
        return false;
    }
    if (!has_room(rq, length)) {
        http_answer_problem(rq, HTTP_UNAVAILABLE, "too many bodies are under way");
        http_answer_retry_after(rq, 1);
        return false;
    }
    return true;
}

static void read_headers(struct http_request *rq)
{
    const char *accept = header(rq, "Accept");
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(rq->connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);

    rq->if_match = copy(header(rq, "If-Match"));
    rq->if_none_match = copy(header(rq, "If-None-Match"));
    rq->key = copy(header(rq, "Idempotency-Key"));
    rq->last_event_id = copy(header(rq, "Last-Event-ID"));
    rq->wants_text = accept && strncasecmp(accept, "text/plain", 10) == 0;
    rq->wants_csv = accept && strstr(accept, "text/csv");
    rq->wants_openmetrics = accept && strstr(accept, "application/openmetrics-text");
    rq->wants_ndjson = accept && strncasecmp(accept, "application/x-ndjson", 20) == 0;
    http_put_address(rq->from, info->client_addr);
}

static bool has_body(const struct http_request *rq)
{
    const char *length = header(rq, "Content-Length");

    return (length && strcmp(length, "0") != 0) || header(rq, "Transfer-Encoding");
}

/* Of two values one alone would be taken, and nobody knows which was meant. */
static bool check_once(struct http_request *rq)
{
    static const char *const once[] = {"Idempotency-Key", "Last-Event-ID", "Authorization"};

    for (size_t i = 0; i < sizeof once / sizeof *once; i++)
        if (headers_of(rq, once[i]) > 1) {
            http_answer_problem(rq, HTTP_BAD_REQUEST, "`%s` is given twice", once[i]);
            return false;
        }
    return true;
}

/* False: it is answered. */
static bool look_at_header(struct http_request *rq, const char *method)
{
    struct buf why;
    bool ok;

    read_headers(rq);
    if (!check_once(rq) || !find_role(rq) || !find_route(rq, method) || !check_role(rq))
        return false;
    buf_init(&why);
    ok = http_route_check_query(rq->route->operation, &rq->uri, &why);
    if (!ok)
        http_answer_problem(rq, HTTP_BAD_REQUEST, "%s", why.data);
    buf_fini(&why);
    return ok && check_type(rq) && check_length(rq);
}

/* ---- the body -------------------------------------------------------------------------------- */

/* MHD_NO: too much of it; the connection ends. */
static enum MHD_Result take_body(struct http_request *rq, const char *data, size_t len)
{
    bool wanted = rq->route && rq->answer.status == 0 && !rq->overflow;

    if (wanted && (rq->body.len + len > body_most(rq) || !has_room(rq, len)))
        rq->overflow = true;
    if (!wanted || rq->overflow) {
        rq->swallowed += len;
        return rq->swallowed > SWALLOWED_MOST ? MHD_NO : MHD_YES;
    }
    buf_add(&rq->body, data, len);
    *count_of(rq) += len;
    return MHD_YES;
}

static bool look_at_body(struct http_request *rq)
{
    if (rq->overflow && rq->body.len < body_most(rq) / 2) {
        http_answer_problem(rq, HTTP_UNAVAILABLE, "too many bodies are under way");
        http_answer_retry_after(rq, 1);
        return false;
    }
    if (rq->overflow) {
        too_large(rq);
        return false;
    }
    if (rq->body.len > 0 && rq->route->body == HTTP_BODY_NONE) {
        http_answer_problem(rq, HTTP_BAD_REQUEST, "this request has no body");
        return false;
    }
    size_t packed = rq->body.len;
    bool ok = rq->body.len == 0 || http_request_unpack(rq, body_most(rq));
    *count_of(rq) += rq->body.len - packed;
    return ok;
}

/* ---- the answer ------------------------------------------------------------------------------ */

static void add_header(struct MHD_Response *response, const char *name, const char *value)
{
    if (value && MHD_add_response_header(response, name, value) != MHD_YES)
        log_line(LOG_WARNING, LOG_http, "a header could not be added", "name=%s", name);
}

static void count_answer(struct http_request *rq)
{
    struct http_server *server = rq->server;
    int status = rq->answer.status;
    int64_t took = clock_monotonic() - rq->began;

    pthread_mutex_lock(&server->lock);
    server->stats.requests++;
    server->stats.refused += status == 401 || status == 403;
    server->stats.answers[status / 100 % 6]++;
    if (!rq->stream)
        histogram_add(&server->stats.seconds[status / 100 % 6], took, 1);
    pthread_mutex_unlock(&server->lock);
}

/* Clients that take nothing must not fill the memory: beyond the limit only short answers are given. */
static void bound_answer(struct http_request *rq)
{
    struct http_server *server = rq->server;

    if (rq->answer.body.len > SHORT_ANSWER &&
        server->answers + rq->answer.body.len > server->opt.max_bodies) {
        buf_clear(&rq->answer.etag);
        http_answer_problem(rq, HTTP_UNAVAILABLE, "too many answers are under way");
        http_answer_retry_after(rq, 1);
    }
    rq->queued = rq->answer.body.len;
    server->answers += rq->queued;
}

/* A client that takes the last block has time for the next. */
static ssize_t read_file(void *cls, uint64_t at, char *data, size_t most)
{
    struct http_request *rq = cls;
    ssize_t n = pread(rq->answer.fd, data, most, (off_t)at);

    http_connection_waits(rq->server, rq->connection, true);
    return n > 0 ? n : MHD_CONTENT_READER_END_WITH_ERROR;
}

/* rq outlives it. */
static struct MHD_Response *make_response(struct http_request *rq)
{
    struct buf *body = &rq->answer.body;

    if (rq->stream)
        return http_stream_begin(rq->stream, http_connection_of(rq->connection)->fd);
    if (rq->answer.is_file)
        return MHD_create_response_from_callback(rq->answer.size, FILE_BLOCK, read_file, rq, NULL);
    return MHD_create_response_from_buffer(body->len, body->len ? body->data : NULL,
                                           MHD_RESPMEM_PERSISTENT);
}

static enum MHD_Result send_answer(struct http_request *rq)
{
    bound_answer(rq);
    struct http_answer_data *a = &rq->answer;
    struct MHD_Response *response = make_response(rq);
    char seconds[16];

    if (!response)
        return MHD_NO;
    add_header(response, "Content-Type", a->content_type);
    add_header(response, "Cache-Control", "no-store");
    add_header(response, "X-Content-Type-Options", "nosniff");
    add_header(response, "ETag", a->etag.len ? a->etag.data : NULL);
    add_header(response, "Allow", a->allow.len ? a->allow.data : NULL);
    add_header(response, "Tocsin-Next", a->next.len ? a->next.data : NULL);
    if (a->challenge)
        add_header(response, "WWW-Authenticate", "Bearer realm=\"tocsin\"");
    if (a->retry_after) {
        snprintf(seconds, sizeof seconds, "%u", a->retry_after);
        add_header(response, "Retry-After", seconds);
    }
    if (rq->server->closing || a->closes)
        add_header(response, "Connection", "close");
    enum MHD_Result result =
        MHD_queue_response(rq->connection, (unsigned)a->status, response);
    MHD_destroy_response(response);
    count_answer(rq);
    http_connection_waits(rq->server, rq->connection, true);
    return result;
}

/* What the server itself knows; false: the daemon does. */
static bool answer_here(struct http_request *rq)
{
    struct buf body;

    buf_init(&body);
    if (rq->route->operation == HTTP_OP_openapi) {
        buf_add(&body, rq->server->openapi.data, rq->server->openapi.len);
    } else if (rq->route->operation == HTTP_OP_healthz) {
        buf_adds(&body, "{\"status\":\"ok\"}\n");
    } else {
        return false;
    }
    http_answer_json(rq, 200, &body);
    return true;
}

/* The whole request is there. */
static enum MHD_Result call(struct http_request *rq)
{
    struct http_server *server = rq->server;

    if (answer_here(rq))
        return send_answer(rq);
    if (server->closing) {
        http_answer_problem(rq, HTTP_UNAVAILABLE, "the daemon stops");
        return send_answer(rq);
    }
    http_connection_rests(server, rq->connection);
    MHD_suspend_connection(rq->connection);
    rq->called = true;
    server->called++;
    server->ops.call(server->ops.ctx, rq->route->operation, rq);
    return MHD_YES;
}

enum MHD_Result http_exchange_go_on(void *cls, struct MHD_Connection *connection, const char *url,
                                    const char *method, const char *version,
                                    const char *upload_data, size_t *upload_size, void **request)
{
    struct http_request *rq = *request;

    (void)cls, (void)connection, (void)url;
    if (!rq->begun) {
        rq->begun = true;
        if (!check_framing(rq, version))
            return send_answer(rq);
        /* Who is answered before its body was read loses the connection; without a body it stays. */
        if (!look_at_header(rq, method) && has_body(rq))
            return send_answer(rq);
        return MHD_YES;
    }
    if (*upload_size > 0) {
        enum MHD_Result result = take_body(rq, upload_data, *upload_size);
        *upload_size = 0;
        return result;
    }
    if (rq->called || rq->answer.status != 0 || !look_at_body(rq))
        return send_answer(rq);
    return call(rq);
}

void http_exchange_end(void *cls, struct MHD_Connection *connection, void **request,
                       enum MHD_RequestTerminationCode code)
{
    if (!*request)
        return;
    http_exchange_forget(http_connection_of(connection));
    *request = NULL;
    if (code == MHD_REQUEST_TERMINATED_COMPLETED_OK)
        http_connection_waits(cls, connection, false);
}
