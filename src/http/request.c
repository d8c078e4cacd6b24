// SPDX-License-Identifier: Apache-2.0
#include "http/request.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/gunzip.h"
#include "base/clock.h"
#include "base/mem.h"
#include "http/problem.h"
#include "http/route.h"

struct http_request *http_request_new(struct http_server *server, const char *target)
{
    struct http_request *rq = mem_calloc(1, sizeof *rq);
    rq->began = clock_monotonic();

    rq->server = server;
    rq->wrong_uri = http_uri_parse(&rq->uri, target, strlen(target));
    buf_init(&rq->body);
    buf_init(&rq->answer.body);
    buf_init(&rq->answer.etag);
    buf_init(&rq->answer.allow);
    buf_init(&rq->answer.next);
    return rq;
}

void http_request_free(struct http_request **rq)
{
    if (!*rq)
        return;
    http_uri_fini(&(*rq)->uri);
    mem_free((*rq)->name);
    mem_free((*rq)->if_match);
    mem_free((*rq)->if_none_match);
    mem_free((*rq)->key);
    mem_free((*rq)->last_event_id);
    buf_fini(&(*rq)->body);
    if ((*rq)->answer.is_file)
        close((*rq)->answer.fd);
    buf_fini(&(*rq)->answer.body);
    buf_fini(&(*rq)->answer.etag);
    buf_fini(&(*rq)->answer.allow);
    buf_fini(&(*rq)->answer.next);
    mem_free(*rq);
    *rq = NULL;
}

bool http_request_unpack(struct http_request *rq, size_t most)
{
    struct buf plain;
    char why[160];

    if (!rq->gzip)
        return true;
    buf_init(&plain);
    switch (gunzip_memory(rq->body.data, rq->body.len, most, &plain, why, sizeof why)) {
    case GUNZIP_OK:
        buf_fini(&rq->body);
        rq->body = plain;
        return true;
    case GUNZIP_TOO_LARGE:
        http_answer_problem(rq, HTTP_TOO_LARGE, "unpacked it has more than %zu bytes", most);
        break;
    case GUNZIP_BROKEN:
        http_answer_problem(rq, HTTP_BAD_BODY, "%s", why);
        break;
    }
    buf_fini(&plain);
    return false;
}

/* ---- what is asked --------------------------------------------------------------------------- */

enum http_operation http_request_operation(const struct http_request *rq)
{
    return rq->route->operation;
}

const char *http_request_name(const struct http_request *rq)
{
    return rq->name ? rq->name : "";
}

const char *http_request_query(const struct http_request *rq, const char *key)
{
    return http_uri_query(&rq->uri, key);
}

bool http_request_flag(const struct http_request *rq, const char *key)
{
    const char *value = http_uri_query(&rq->uri, key);

    return value && strcmp(value, "0") != 0 && strcmp(value, "false") != 0;
}

uint64_t http_request_count(const struct http_request *rq, const char *key, uint64_t otherwise)
{
    const char *value = http_uri_query(&rq->uri, key);

    return value ? strtoull(value, NULL, 10) : otherwise;
}

const char *http_request_body(const struct http_request *rq, size_t *len_out)
{
    *len_out = rq->body.len;
    return rq->body.len ? rq->body.data : "";
}

bool http_request_body_is_json(const struct http_request *rq)
{
    return rq->json;
}

const char *http_request_if_match(const struct http_request *rq)
{
    return rq->if_match;
}

const char *http_request_if_none_match(const struct http_request *rq)
{
    return rq->if_none_match;
}

const char *http_request_idempotency_key(const struct http_request *rq)
{
    return rq->key;
}

bool http_request_wants_text(const struct http_request *rq)
{
    return rq->wants_text;
}

bool http_request_body_is_csv(const struct http_request *rq)
{
    return rq->csv;
}

bool http_request_body_is_lines(const struct http_request *rq)
{
    return rq->lines;
}

bool http_request_wants_csv(const struct http_request *rq)
{
    return rq->wants_csv;
}

bool http_request_wants_openmetrics(const struct http_request *rq)
{
    return rq->wants_openmetrics;
}

bool http_request_wants_ndjson(const struct http_request *rq)
{
    return rq->wants_ndjson;
}

const char *http_request_last_event_id(const struct http_request *rq)
{
    return rq->last_event_id;
}

const char *http_request_who(const struct http_request *rq)
{
    return rq->who;
}

const char *http_request_from(const struct http_request *rq)
{
    return rq->from;
}

bool http_request_may(const struct http_request *rq, enum http_role role)
{
    return http_role_covers(rq->role, role);
}

bool http_etag_listed(const char *header, const char *etag)
{
    size_t len = strlen(etag);

    for (const char *at = header; *at;) {
        at += strspn(at, " \t,");
        if (*at == '*')
            return true;
        if (at[0] == 'W' && at[1] == '/') /* a cache in between may have made it weak */
            at += 2;
        const char *end = *at == '"' ? strchr(at + 1, '"') : NULL;
        if (!end)
            return false;
        end++;
        if ((size_t)(end - at) == len && memcmp(at, etag, len) == 0)
            return true;
        at = end;
    }
    return false;
}

/* ---- the answer ------------------------------------------------------------------------------ */

void http_answer(struct http_request *rq, int status, const char *content_type, struct buf *body)
{
    rq->answer.status = status;
    rq->answer.content_type = content_type;
    buf_fini(&rq->answer.body);
    rq->answer.body = *body;
    buf_init(body);
}

void http_answer_json(struct http_request *rq, int status, struct buf *body)
{
    http_answer(rq, status, "application/json", body);
}

void http_answer_problem_with(struct http_request *rq, enum http_problem problem,
                              const char *detail, const char *member, struct buf *json)
{
    struct buf body;

    buf_init(&body);
    http_problem_add(&body, problem, detail, member, json);
    http_answer(rq, http_problem_status(problem), HTTP_PROBLEM_TYPE, &body);
    if (json)
        buf_fini(json);
}

void http_answer_problem(struct http_request *rq, enum http_problem problem, const char *detail,
                         ...)
{
    struct buf text;
    va_list args;

    buf_init(&text);
    if (detail) {
        va_start(args, detail);
        buf_vprintf(&text, detail, args);
        va_end(args);
    }
    http_answer_problem_with(rq, problem, text.data, NULL, NULL);
    buf_fini(&text);
}

void http_answer_file(struct http_request *rq, const char *content_type, int fd, uint64_t size)
{
    struct buf none;

    buf_init(&none);
    http_answer(rq, 200, content_type, &none);
    rq->answer.is_file = true;
    rq->answer.fd = fd;
    rq->answer.size = size;
}

void http_answer_etag(struct http_request *rq, const char *etag)
{
    buf_clear(&rq->answer.etag);
    buf_adds(&rq->answer.etag, etag);
}

void http_answer_next(struct http_request *rq, const char *cursor)
{
    buf_clear(&rq->answer.next);
    buf_adds(&rq->answer.next, cursor);
}

void http_answer_retry_after(struct http_request *rq, unsigned seconds)
{
    rq->answer.retry_after = seconds;
}

void http_request_done(struct http_request *rq)
{
    http_server_done(rq->server, rq);
}
